"""What a string may stand for: a number, a word, a member of an enum, JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.parsing.parsed import Parsed, is_deep, parse
from pdl.reply.validation.json_types import as_integer, exact
from pdl.reply.validation.json_types import whole as whole_number
from pdl.reply.validation.wholeness import half_character, stand_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.limits import Limits

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<rest>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?>(?:,[0-9]{3})+)(?P<rest>(?:\.[0-9]++)?)")
_WORDS = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_GROUP_OR_FRACTION = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
_ZEROS = ".000"
_NO_ITEM = re.compile(
    r"\s*+(?:$|[\[{]|(?:none|null|nil|n/?a|-|–|—|nothing|empty)\s*+$)", re.IGNORECASE
)
_SEVERAL = re.compile(r"[,;|、，；\n\r\t•]")
_EXPONENT = 5  # digits of an exponent; no float needs as many


def number(text: str, limits: Limits, *, whole: bool, groups: bool) -> float | None:
    """The number that a text is, as JSON writes it (RFC 8259, section 6), blanks aside; or None.

    `whole`: an integer is wanted. Then 1.000 is none, for it may be a thousand; so is 1.234 where
    `groups` of digits are to be expected.
    """
    bare = text.strip()
    if groups and _GROUP_OR_FRACTION.fullmatch(bare) and not (whole and not bare.endswith(_ZEROS)):
        return None
    return _value(_NUMBER.fullmatch(bare), limits, whole=whole)


def grouped(text: str, limits: Limits, *, whole: bool) -> float | None:
    """The same with commas between groups of three digits."""
    return _value(_GROUPED.fullmatch(text.strip()), limits, whole=whole)


def _value(found: re.Match[str] | None, limits: Limits, *, whole: bool) -> float | None:
    """The exact value, 5.0 as 5 if `whole`; None if it is too long, or no float holds it."""
    if found is None:
        return None
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


def is_single(value: Json) -> bool:
    """Whether a value can be one of a list.

    Null is none, nor is a text that says so (`none`, `N/A`), that is empty, that is JSON, or that
    may hold several: `a, b`.
    """
    if not isinstance(value, str):
        return value is not None
    return not (_NO_ITEM.match(value) or _SEVERAL.search(value.strip()))


def is_word(text: str) -> bool:
    """Whether a text is one of the words that `word` knows."""
    return text.strip() in _WORDS


def word(text: str) -> Json:
    """The value of `true`, `false`, `null` or of what Python calls them."""
    return _WORDS[text.strip()]


def fold(text: str) -> str:
    """The text without what does not tell members of an enum apart: case and outer blanks."""
    return text.strip().lower()


def members(text: str, choices: Iterable[Json]) -> list[str]:
    """The strings among the choices that differ from the text in case and outer blanks alone."""
    folded = fold(text)
    return [choice for choice in choices if isinstance(choice, str) and fold(choice) == folded]


def container(text: str, depth: int, limits: Limits) -> Json:
    """The object or array that a text is as JSON, at most `depth` deep; None if it is none.

    Nor is it one if it leaves something out, or holds half a character.
    """
    body = text.strip()
    if body[:1] not in {"{", "["} or is_deep(body, depth):
        return None
    made = parse(body, limits)
    if not isinstance(made, Parsed) or stand_in(made.value) or half_character(made.value):
        return None
    return made.value
