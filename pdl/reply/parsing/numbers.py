"""Numbers as other notations write them: `+5`, `.5`, `5.`, `0xFF`, `1_000`, `1,000`."""

from __future__ import annotations

import sys
import unicodedata

from pdl import _re as re
from pdl.reply.parsing.parsed import NO_FLOAT, exact, whole
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import say

_END = r"(?![\w.%$€£°])"
DECIMAL = re.compile(
    rf"[+\-−]?(?:\d++(?>(?:_\d++)*)(?>(?:\.(?:\d++(?>(?:_\d++)*))?)?)|\.\d++)(?>(?:[eE][+-]?\d++)?){_END}"
)
RADIX = re.compile(rf"[+-]?0(?:[xX][0-9a-fA-F]++|[oO][0-7]++|[bB][01]++){_END}")
GROUPED = re.compile(rf"[+\-−]?[1-9]\d{{0,2}}(?>(?:,\d{{3}})+){_END}(?!,\d)(?!\s*+[:：])")
_JSON = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_FRACTION = re.compile(r"[.eE]")
_ZEROS = re.compile(r"[+-]?0[\d_]")
_PARTS = re.compile(r"([^eE]*)([eE]?)(.*)")


def spelled(written: str, at: int, digits: int) -> str:
    """The number as JSON writes it. Raises UnreadableError for more digits, or leading zeros."""
    if len(written) > digits and not _FRACTION.search(written):
        raise UnreadableError(at, say("too-many-digits", number=digits))
    if _JSON.fullmatch(written):
        return written
    plain = written.replace("−", "-").replace("_", "").replace(",", "").lstrip("+")
    plain = "".join(str(unicodedata.decimal(char, char)) for char in plain)
    if plain.lstrip("-")[:2].lower() in {"0x", "0o", "0b"}:
        return _decimal(int(plain, 0), at, digits)
    if _ZEROS.match(plain):
        raise UnreadableError(at, f"has a number with a leading zero: `{written[:24]}`")
    sign = "-" if plain.startswith("-") else ""
    mantissa, exponent, power = _PARTS.fullmatch(plain.lstrip("-")).groups()  # type: ignore[union-attr]
    whole, point, fraction = mantissa.partition(".")
    return f"{sign}{whole or '0'}{point + (fraction or '0') if point else ''}{exponent}{power}"


def _decimal(number: int, at: int, digits: int) -> str:
    """An integer in digits, of which sixteen in base 16 make twenty."""
    try:
        text = str(number)
    except ValueError:  # more than Python writes
        text = ""
    if not text or len(text.lstrip("-")) > digits:
        raise UnreadableError(at, say("too-many-digits", number=digits))
    return text


def value(text: str, at: int) -> float | int:
    """The value of a number in JSON's spelling. Raises UnreadableError if no float holds it."""
    made = whole(text, len(text)) if text.lstrip("-").isdigit() else exact(text)
    if made is None:
        raise UnreadableError(at, say("too-many-digits", number=sys.get_int_max_str_digits()))
    if isinstance(made, str):
        raise UnreadableError(at, say(NO_FLOAT[made], found=text[:24]))
    return made
