"""What a string may represent: a number, a word, a member of an enum, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing.parsed import Parsed, exact, is_deep, parse
from pdl.reply.parsing.parsed import whole as whole_number
from pdl.reply.validation.json_types import as_integer, half_character

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<rest>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?>(?:,[0-9]{3})+)(?P<rest>(?:\.[0-9]++)?)")
_GROUP_OR_FRACTION = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
_WORDS = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_NO_ITEM = re.compile(
    r"\s*+(?:$|[\[{]|(?:none|null|nil|n/?a|-|–|—|nothing|empty)\s*+$)", re.IGNORECASE
)
_SEVERAL = re.compile(r"[,;|、，；\n\r\t•]")
_EXPONENT = 5  # digits of an exponent; no float needs as many


def number(text: str, limits: Limits, *, whole: bool, thousands: bool) -> tuple[str, float] | None:
    """The number that a text is as JSON writes it (RFC 8259, section 6), and the coercion's name.

    `thousands` allows commas between groups of three digits. With them 1.234 is ambiguous, as 1.000
    is where an integer is expected (`whole`).
    """
    bare = text.strip()
    kind, found = "numbers_in_strings", _NUMBER.fullmatch(bare)
    if found and _GROUP_OR_FRACTION.fullmatch(bare):
        if bare.endswith(".000") if whole else thousands:
            return None
    elif found is None and thousands:
        kind, found = "thousands", _GROUPED.fullmatch(bare)
    value = None if found is None else _value(found, limits, whole=whole)
    return None if value is None else (kind, value)


def _value(found: re.Match[str], limits: Limits, *, whole: bool) -> float | None:
    """The exact value, 5.0 as 5 if `whole`; None if it is too long, or no float equals it."""
    digits = found[0].replace(",", "")
    if len(digits) > limits.integer_digits:
        return None
    if not found["rest"]:
        return whole_number(digits, limits.integer_digits)
    if len(digits.lower().partition("e")[2]) > _EXPONENT:
        return None
    value = exact(digits)
    if isinstance(value, str):
        return None
    return as_integer(value) if whole and value % 1 == 0 else value


def word(text: str) -> list[Json]:
    """The value of `true`, `false`, `null`, or what Python calls them; empty for other words."""
    bare = text.strip()
    return [_WORDS[bare]] if bare in _WORDS else []


def fold(text: str) -> str:
    """The text without what does not distinguish members of an enum: case and outer spaces."""
    return text.strip().lower()


def is_single(value: Json) -> bool:
    """Whether a value can be one element of a list.

    Null cannot, nor a text that says so (`none`, `N/A`), that is empty, that is JSON, or that may
    hold several elements: `a, b`.
    """
    if not isinstance(value, str):
        return value is not None
    return not (_NO_ITEM.match(value) or _SEVERAL.search(value.strip()))


def container(text: str, depth: int, limits: Limits) -> Json:
    """The object or array that a text is as JSON, at most `depth` deep; None for all other text.

    None also for JSON that contains an unpaired surrogate.
    """
    body = text.strip()
    if body[:1] not in {"{", "["} or is_deep(body, depth):
        return None
    made = parse(body, limits)
    if not isinstance(made, Parsed) or half_character(made.value):
        return None
    return made.value
