"""Characters and classes as other notations spell them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import LAST
from pdl.gbnf.utf8 import characters, complement, normal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl.gbnf.utf8 import Ranges

PLAIN = {ord("\t"): "\\t", ord("\r"): "\\r", ord("\n"): "\\n", ord("\\"): "\\\\"}
_FOUR = 0xFFFF  # the last code point of four hexadecimal digits


def escaped(code: int, special: Mapping[int, str]) -> str:
    r"""A code point as itself where one sees what it is, else as `\uHHHH` or `\UHHHHHHHH`."""
    if code in special:
        return special[code]
    if chr(code).isprintable():
        return chr(code)
    return f"\\u{code:04X}" if code <= _FOUR else f"\\U{code:08X}"


def bracketed(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """`[a-z_]`."""
    return f"[{_written(ranges, spell)}]"


def shortest(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """`[a-z]` or `[^a-z]`, whatever has fewer ranges.

    NUL is among those left out, surrogates are not: no UTF-8 has them.
    """
    if ranges[-1][1] < LAST:
        return bracketed(ranges, spell)
    first, *rest = normal(((0, 0), *characters(complement(ranges))))
    if len(rest) >= len(ranges):
        return bracketed(ranges, spell)
    return f"[^{_written((first, *rest), spell)}]"


def _written(ranges: Ranges, spell: Callable[[int], str]) -> str:
    return "".join(
        f"{spell(low)}{'-' if high > low + 1 else ''}{spell(high) if high > low else ''}"
        for low, high in ranges
    )
