"""Tokens that a model under a grammar must not take."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.reply.dialects import DIALECTS, Patterns
from pdl.tools.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.llama.gguf_file import Header

_ENDS = re.compile(
    r"end|eo[tsm]|return|call|flush|turn|^</s>$|fim_|repo_?name|file_sep", re.IGNORECASE
)
"""Tokens that may end a reply. It does no harm to name others as well, but to leave one out, by
which a model could not end any more."""


def withheld(header: Header, meant: str = "") -> Iterator[int]:
    """The numbers of tokens that a grammar would let through as text, though they are more.

    A grammar of llama.cpp takes a control token for the text of its name, which is then not
    printed, so that the reply lacks what the grammar has seen. And a mark of reasoning or of a
    call, which nobody means within an answer, makes the answer doubtful. All of them can
    still be spelled with other tokens. What occurs in `meant` is not withheld.
    """
    yield from (number for number, text in header.control.items() if not _ENDS.search(text))
    for number, text in header.marks.items():
        if text not in meant and _is_mark(text):
            yield number


@lru_cache(maxsize=1_000)
def _is_mark(text: str) -> bool:
    patterns = _patterns()
    calls = any(text in (one.opener.strip(), one.closer.strip()) for one in FORMATS.values())
    return bool(calls or patterns.opener.fullmatch(text) or patterns.closer.fullmatch(text))


@lru_cache(maxsize=1)
def _patterns() -> Patterns:
    return Patterns(DIALECTS)
