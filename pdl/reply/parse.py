"""From the text of a candidate to its value. Never fills in, closes, drops or rounds anything.

The C parser reads what is JSON. A tolerant parser, which may change spelling and says so, has its
place behind it: `parse` is where it is to be asked if the first one fails.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pdl.reply.equality import equal
from pdl.reply.kinds import exact
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.outcome import Reason, Repair
    from pdl.reply.tolerant.trail import Made

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_WORDS = {
    "Expecting property name": "a key in double quotes was expected",
    "Expecting ':'": "a colon was expected",
    "Expecting ','": "a comma or a closing bracket was expected",
    "Expecting value": "a value was expected",
    "Invalid control character": "a raw line break or tab stands in a string",
    "Unterminated string": "a string is not closed",
    "Invalid \\escape": "a backslash in a string begins no escape",
    "Invalid \\uXXXX": "a \\u in a string needs four hexadecimal digits",
    "Extra data": "something follows the value",
    "Illegal trailing comma": "a comma stands before the closing bracket",
}
"""What the C parser says, by its beginning, and what we say."""

_NOT_BRACKET = bytes(set(range(256)) - set(b'[]{}"'))
_WEIGHT = tuple(1 if code in b"[{" else -1 if code in b"]}" else 0 for code in range(256))


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value, and the repairs that reading it took.

    `made` is what the tolerant reader made of it, which knows where its parts stand.
    """

    value: Json
    repairs: tuple[Repair, ...] = ()
    made: Made | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a text has no value: what follows "it …"; the offset and what stands there."""

    reason: Reason
    message: str
    at: int = 0
    found: str = ""


class _RefusedError(ValueError):
    def __init__(self, broken: Broken) -> None:
        super().__init__(broken.message)
        self.broken = broken


def parse(text: str, limits: Limits) -> Parsed | Broken:
    """The value of a text that holds one JSON value and blanks, nested no deeper than the limits.

    Keys may be doubled if their values are equal. NaN, Infinity and numbers too large are refused.
    """
    try:
        return Parsed(_decoder(limits.integer_digits).decode(text.lstrip(_BOM)))
    except _RefusedError as refused:
        return refused.broken
    except json.JSONDecodeError as error:
        return _unparsable(text, error)
    except RecursionError:
        return Broken("limit", "is nested too deeply")


def is_deep(text: str, depth: int) -> bool:
    """Whether brackets outside strings are nested deeper than `depth`, in C's speed.

    Exact for JSON; of other text it may say yes too often.
    """
    if text.count("{") + text.count("[") <= depth:
        return False
    raw = text.encode("utf-8", "surrogatepass").replace(rb"\\", b"").replace(rb"\"", b"")
    marks = raw.translate(None, _NOT_BRACKET).replace(b'""', b"")
    marks = re.sub(rb'"[^"]*+"', b"", marks)
    return max(accumulate(map(_WEIGHT.__getitem__, marks)), default=0) > depth


@lru_cache(maxsize=8)
def _decoder(digits: int) -> json.JSONDecoder:
    def integer(text: str) -> int:
        if len(text) > digits + text.startswith("-"):
            raise _RefusedError(Broken("limit", f"holds an integer of more than {digits} digits"))
        return int(text)

    return json.JSONDecoder(
        object_pairs_hook=_object,
        parse_float=_float,
        parse_int=integer,
        parse_constant=refuse_constant,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        for name, part in pairs:
            if not equal(part, value[name]):
                key = shorten(name)
                raise _RefusedError(
                    Broken("unparsable", f"has the key `{key}` twice with different values")
                )
    return value


def _float(text: str) -> float:
    value = exact(text)
    if isinstance(value, str):
        message = f"holds a number that is too {value}: {shorten(text)}"
        raise _RefusedError(Broken("unparsable", message))
    return value


def refuse_constant(text: str) -> float:
    """What the C parser asks about NaN and Infinity. Raises an error that `parse` handles."""
    raise _RefusedError(Broken("unparsable", f"holds `{text}`, which is no JSON number"))


def _unparsable(text: str, error: json.JSONDecodeError) -> Broken:
    offset = len(text) - len(text.lstrip(_BOM))
    at = min(error.pos + offset, len(text))
    words = next(
        (ours for theirs, ours in _WORDS.items() if error.msg.startswith(theirs)), error.msg
    )
    before = text[max(0, at - 200) : at].rstrip()
    if text[at : at + 1] in {"}", "]"} and before.endswith(","):
        words = _WORDS["Illegal trailing comma"]
    found = shorten(text[at : at + 80], 24)
    place = f"at `{found}`" if found else "at its end"
    return Broken("unparsable", f"breaks {place}: {words}", at, found)
