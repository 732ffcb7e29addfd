"""How long parts are when they are written, about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Literal
from pdl.gbnf.optimize.parts import Choice
from pdl.gbnf.write import item_text

if TYPE_CHECKING:
    from pdl.gbnf.optimize.parts import Atom, Seq

_QUOTES = 2
_COUNT = 3


def seq_length(parts: Seq) -> int:
    """The characters of some parts, without quotes."""
    return sum(_length(part.atom) + (0 if part.once else _COUNT) for part in parts)


def _length(atom: Atom) -> int:
    if isinstance(atom, Choice):
        return _QUOTES + sum(map(seq_length, atom.options))
    return len(item_text(atom)) - (_QUOTES if isinstance(atom, Literal) else 0)
