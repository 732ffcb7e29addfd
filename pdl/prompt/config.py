"""The `<|config|>` turn: `key: value` lines for the call of the model."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from pdl.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.source import Source

_LINE = re.compile(r"(?:(//.*)|([^\s:]++)[^\S\n]*+:\s*+((?:.*\S)?)|(.*\S))?\s*", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_LOOKS_LIKE_JSON = re.compile(
    r"[\[{\"]|[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?\s*+(?://.*)?$"
)


def parse_config(source: Source) -> tuple[dict[str, Json], list[Problem]]:
    """The keys and values of a `<|config|>` turn, and what is wrong with its lines.

    `source` is a rendered turn, with anchors. Only line breaks of the file end an entry, and keys
    are its own text: a value stays within the entry that it is printed in. What stands behind a
    key is JSON (`0.2`, `true`, `["a", "b"]`) or bare words. Empty lines and lines that begin with
    `//` say nothing.
    """
    found: dict[str, Json] = {}
    problems: list[Problem] = []
    for start, end in _lines(source):
        match = _LINE.fullmatch(source.text, start, end)
        assert match is not None
        if match[4] is not None:
            message = f"expected `key: value`, found `{match[4][:40]}`"
            problems.append(Problem("config/line", message, source.span(*match.span(4))))
        elif match[2] is not None:
            problem = _add(found, match, source)
            problems += [problem] if problem else []
    return found, problems


def _lines(source: Source) -> Iterator[tuple[int, int]]:
    """The lines of the file, without blanks before them; a value's line ends end none of them."""
    begun = {anchor.start for anchor in source.anchors if anchor.begins_line}
    start = 0
    for match in re.finditer("\n|\\Z", source.text):
        if match.group() and match.end() not in begun:
            continue
        text = source.text[start : match.start()]
        yield start + len(text) - len(text.lstrip()), match.start()
        start = match.end()


def _is_of_file(source: Source, start: int, end: int) -> bool:
    """Whether these characters stand in the file, and come from no value."""
    index = bisect_right(source.anchors, start, key=lambda anchor: anchor.start) - 1
    if index < 0:
        return False
    anchor = source.anchors[index]
    return end <= anchor.start + anchor.length


def _add(found: dict[str, Json], match: re.Match[str], source: Source) -> Problem | None:
    key, text = match[2], match[3]
    place = source.span(*match.span(2))
    wrong = _wrong_key(found, match, source)
    if wrong is not None:
        return wrong
    try:
        found[key] = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        if _LOOKS_LIKE_JSON.match(text):
            reason = getattr(error, "msg", str(error)).lower()
            place = source.span(match.start(3) + getattr(error, "pos", 0), match.end(3))
            return Problem("config/value", f"the value of `{key}` is not JSON: {reason}", place)
        found[key] = text
    if key == "model" and isinstance(text, str) and not text.isprintable():
        message = "the name of the model has a line break or another control character"
        return Problem("config/value", message, place)
    return None


def _wrong_key(found: dict[str, Json], match: re.Match[str], source: Source) -> Problem | None:
    key, place = match[2], source.span(*match.span(2))
    if not _KEY.fullmatch(key):
        return Problem("config/key", f"`{key}` is no key; keys begin with a letter", place)
    if not _is_of_file(source, match.start(2), source.text.index(":", match.end(2)) + 1):
        message = f"the key `{key[:40]}` is printed by an expression"
        hint = f"write keys into the file as text: `{key[:40]}: {{{{ value }}}}`"
        return Problem("config/computed-key", message, place, hint)
    if key in found:
        return Problem("config/repeated", f"`{key}` is set twice", place)
    if not match[3]:
        return Problem("config/value", f"`{key}` has no value", place)
    return None


def _no_constant(name: str) -> Json:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("no number is that large")
    return number
