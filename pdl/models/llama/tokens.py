"""Tokens that are more than text: a model must not take them, and no message may hold them."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.reply.segments.dialects import DIALECTS, Patterns
from pdl.tools.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.llama.gguf_file import Header

_ENDS = re.compile(
    r"end|eo[tsm]|return|call|flush|turn|^</s>$|fim_|repo_?name|file_sep", re.IGNORECASE
)
"""Tokens that may end a reply. It does no harm to name others as well, but to leave one out, by
which a model could not end any more."""


_BREAK = "\N{ZERO WIDTH SPACE}"


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


class Plain:
    """Makes text plain: what llama.cpp would read as a control token is a text no more.

    llama.cpp looks for the names of control tokens in the whole prompt, so that `<|im_end|>` in a
    value would be the end of the turn. A zero width space behind the first character breaks the
    name, and changes nothing to see. `others` are names that are broken besides.
    """

    def __init__(self, header: Header, *others: str) -> None:
        named = (text for text in header.marks.values() if text in header.template)
        opening = (text for text in named if not _is_mark(text))
        self._names = {*header.control.values(), *opening, *others} - {""}

    def __call__(self, text: str, meant: str = "") -> str:
        """The text with all names broken but those that occur in `meant`."""
        names = {name for name in self._names if name not in meant} if meant else self._names
        lengths = sorted({len(name) for name in names})
        found = (
            match.start() + 1
            for match in _first_of(frozenset(name[0] for name in names)).finditer(text)
            if any(text[match.start() : match.start() + size] in names for size in lengths)
        )
        starts = [0, *found, len(text)]
        return _BREAK.join(text[a:b] for a, b in itertools.pairwise(starts))


@lru_cache(maxsize=8)
def _first_of(characters: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(characters))) or r"(?!)")


@lru_cache(maxsize=1_000)
def _is_mark(text: str) -> bool:
    patterns = _patterns()
    calls = any(text in (one.opener.strip(), one.closer.strip()) for one in FORMATS.values())
    return bool(calls or patterns.opener.fullmatch(text) or patterns.closer.fullmatch(text))


@lru_cache(maxsize=1)
def _patterns() -> Patterns:
    return Patterns(DIALECTS)
