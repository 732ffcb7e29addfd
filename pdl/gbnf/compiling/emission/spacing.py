"""Where whitespace may stand in arrays and objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.automata.charset import CharSet
from pdl.gbnf.compiling.emission.finish import sealed
from pdl.gbnf.compiling.emission.parts import Again, Draft

if TYPE_CHECKING:
    from pdl.gbnf.compiling.emission.parts import Row
    from pdl.gbnf.compiling.options import Whitespace

_INDENT = 40


@dataclass(frozen=True)
class Spacing:
    """What is written around the values of arrays and objects; whitespace is never next to itself.

    `opened` follows an opening bracket, `closing` precedes the other one if there are values,
    `behind` follows each value in brackets, `around` surrounds the value of the root.
    """

    opened: Row = ()
    comma: Row = (",",)
    colon: Row = (":",)
    behind: Row = ()
    closing: Row = ()
    around: Row = ()


@lru_cache(maxsize=4)
def spacing(whitespace: Whitespace) -> Spacing:
    """The spacing of an option."""
    if whitespace == "compact":
        return Spacing()
    if whitespace == "spaced":
        return Spacing(comma=(", ",), colon=(": ",))
    if whitespace == "bounded":
        more = Again(CharSet.of("\t\n "), 0, _INDENT)  # one class, which is one stack in llama.cpp
        ws = _ws((CharSet.of("\n\r "), more), ())
        return Spacing((ws,), (",", ws), (":", ws), closing=(ws,))
    ws = _ws((Again(CharSet.of("\t\n\r "), 0, None),))
    return Spacing((ws,), (",", ws), (ws, ":", ws), behind=(ws,), around=(ws,))


def _ws(*rows: Row) -> Draft:
    return sealed(Draft("ws", rows, fixed=True))
