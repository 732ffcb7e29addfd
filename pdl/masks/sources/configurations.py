"""What the configurations beside a tokenizer say of how a text ends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.errors import did_you_mean
from pdl.masks.sources.found import refused
from pdl.masks.sources.json_file import read_object

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl.errors import VocabularyError
    from pdl.masks.sources.found import Found

_WITH_NUMBERS = ("generation_config.json", "config.json")
_WITH_TEXTS = ("tokenizer_config.json", "special_tokens_map.json")
_HINT = "mend the file, or give `eos`, on the command line `--eos`"


def configured(found: Found, folder: Path) -> Found:
    """What a tokenizer says, with all ends that the files of its folder name.

    Raises VocabularyError if one of them names what is no token: it belongs to another tokenizer,
    and the model would not stop where it should.
    """
    numbers = (end for name in _WITH_NUMBERS for end in _numbers(found, folder / name))
    return replace(found, eos=found.eos | {*numbers, *_texts(found, folder)})


def _numbers(found: Found, path: Path) -> Iterator[int]:
    """The ends that a file names by number; models of more than text do it in a part of it."""
    document = read_object(path)
    inner = document.get("text_config")
    for held in (document, inner if isinstance(inner, dict) else {}):
        ends = held.get("eos_token_id")
        listed = ends if isinstance(ends, list) else [] if ends is None else [ends]
        for end in listed:
            if type(end) is not int or end < 0:
                raise _wrong(path, f"its `eos_token_id` is {_shown(end)}, the number of no token")
            if end >= found.count:
                reason = f"its `eos_token_id` is {end:,}, but there are only {found.count:,} tokens"
                raise _wrong(path, reason)
            yield end


def _texts(found: Found, folder: Path) -> Iterator[int]:
    """The end that the first file with one names by its text."""
    for path in (folder / name for name in _WITH_TEXTS):
        token: Any = read_object(path).get("eos_token")
        text = token.get("content") if isinstance(token, dict) else token
        if text is None:
            continue
        if not isinstance(text, str) or text not in found.marks:
            like = did_you_mean(text, found.special_texts) if isinstance(text, str) else ""
            raise _wrong(path, f"its `eos_token` is {_shown(text)}, which is no token", like)
        yield found.marks[text]
        return


def _shown(value: Any) -> str:
    """A value as it stands in the file, or its beginning."""
    return f"{json.dumps(value, ensure_ascii=False):.40}"


def _wrong(path: Path, reason: str, like: str = "") -> VocabularyError:
    return refused(str(path), reason, f"{like} {_HINT}".strip())
