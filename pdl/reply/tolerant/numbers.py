"""Numbers as other notations write them: `+5`, `.5`, `5.`, `0xFF`, `1_000`, `1,000`."""

from __future__ import annotations

import re

from pdl.reply.kinds import exact
from pdl.reply.tolerant.errors import UnreadableError

_END = r"(?![\w.%$€£°])"
_DECIMAL = re.compile(
    rf"[+\-−]?(?:\d++(?:_\d++)*+(?:\.(?:\d++(?:_\d++)*+)?)?+|\.\d++)(?:[eE][+-]?\d++)?+{_END}"
)
_RADIX = re.compile(rf"[+-]?0(?:[xX][0-9a-fA-F]++|[oO][0-7]++|[bB][01]++){_END}")
_GROUPED = re.compile(rf"[+\-−]?[1-9]\d{{0,2}}(?:,\d{{3}})++{_END}(?!,\d)(?!\s*+[:：])")
_JSON = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ZEROS = re.compile(r"[+-]?0[\d_]")
_PARTS = re.compile(r"([^eE]*)([eE]?)(.*)")


def match(text: str, at: int) -> re.Match[str] | None:
    """The number that stands at an offset; nothing if more than a number does."""
    return _RADIX.match(text, at) or _DECIMAL.match(text, at)


def grouped(text: str, at: int) -> re.Match[str] | None:
    """A whole number with commas between its thousands."""
    return _GROUPED.match(text, at)


def spelled(written: str, at: int, digits: int) -> str:
    """The number as JSON writes it. Raises UnreadableError for more digits, or leading zeros."""
    if len(written) > digits:
        raise UnreadableError(at, f"holds an integer of more than {digits} digits")
    if _JSON.fullmatch(written):
        return written
    plain = written.replace("−", "-").replace("_", "").replace(",", "").lstrip("+")
    if plain.lstrip("-")[:2].lower() in {"0x", "0o", "0b"}:
        return str(int(plain, 0))
    if _ZEROS.match(plain):
        raise UnreadableError(at, f"has a number with a leading zero: `{written[:24]}`")
    sign = "-" if plain.startswith("-") else ""
    mantissa, exponent, power = _PARTS.fullmatch(plain.lstrip("-")).groups()  # type: ignore[union-attr]
    whole, point, fraction = mantissa.partition(".")
    return f"{sign}{whole or '0'}{point + (fraction or '0') if point else ''}{exponent}{power}"


def value(text: str, at: int) -> float | int:
    """The value of a number in JSON's spelling. Raises UnreadableError if no float holds it."""
    made = int(text) if text.lstrip("-").isdigit() else exact(text)
    if isinstance(made, str):
        raise UnreadableError(at, f"holds a number that is too {made}: {text[:24]}")
    return made
