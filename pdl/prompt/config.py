"""The `<|config|>` turn: `key: value` lines for the call of the model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.errors import Problem

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.source import Source

_LINE = re.compile(
    r"[^\S\n]*(?:(//[^\n]*)|([^\s:]+)[^\S\n]*:[^\S\n]*([^\n]*?)|([^\n]+?))?[^\S\n]*(?:\n|\Z)"
)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_LOOKS_LIKE_JSON = re.compile(r"[\[{\"]|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$")


def parse_config(source: Source) -> tuple[dict[str, Json], list[Problem]]:
    """The keys and values of a `<|config|>` turn, and what is wrong with its lines.

    A value is JSON (`0.2`, `true`, `["a", "b"]`) or bare words. Empty lines and lines that begin
    with `//` say nothing.
    """
    found: dict[str, Json] = {}
    problems: list[Problem] = []
    for match in _LINE.finditer(source.text):
        if match[4] is not None:
            message = f"expected `key: value`, found `{match[4][:40]}`"
            problems.append(Problem("config/line", message, source.span(*match.span(4))))
        elif match[2] is not None:
            problem = _add(found, match, source)
            problems += [problem] if problem else []
    return found, problems


def _add(found: dict[str, Json], match: re.Match[str], source: Source) -> Problem | None:
    key, text = match[2], match[3]
    if not _KEY.fullmatch(key):
        message = f"`{key}` is no key; keys begin with a letter"
        return Problem("config/key", message, source.span(*match.span(2)))
    if key in found:
        return Problem("config/repeated", f"`{key}` is set twice", source.span(*match.span(2)))
    if not text:
        return Problem("config/value", f"`{key}` has no value", source.span(*match.span(2)))
    try:
        found[key] = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if _LOOKS_LIKE_JSON.match(text):
            reason = getattr(error, "msg", "too deep").lower()
            place = source.span(match.start(3) + getattr(error, "pos", 0), match.end(3))
            return Problem("config/value", f"the value of `{key}` is not JSON: {reason}", place)
        found[key] = text
    return None


def _no_constant(name: str) -> Json:
    raise ValueError(name)
