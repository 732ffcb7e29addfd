"""Sets of characters in normal form: sorted ranges that do not touch, one code point a literal.

Code points that no text can hold count neither way. Positive or negative makes a difference in
llama.cpp only for tokens that end amid a character: there an excluded character excludes all that
begin as it does (`llama_grammar_match_partial_char`). So a class stays negative, or becomes it,
only where that loses nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.nodes import LAST, AnyChar, CharClass, Literal
from pdl.gbnf.utf8 import Ranges, characters, complement, normal, of_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.gbnf.optimize.parts import Atom

CharSet: TypeAlias = "Literal | CharClass | AnyChar"

_ASCII = 0x7F
_HYPHEN = (0x2D, 0x2D)
_BEFORE, _AFTER = 0xD7FF, 0xE000  # what surrogates lie between
_ALL = characters(((0, LAST),))


def is_set(atom: Atom) -> bool:
    """Whether an atom takes exactly one character."""
    if isinstance(atom, Literal):
        return len(atom.codes) == 1
    return isinstance(atom, CharClass | AnyChar)


def ranges_of(atom: Atom) -> Ranges:
    """The characters that an atom takes."""
    if isinstance(atom, Literal):
        return characters((code, code) for code in atom.codes)
    return of_class(atom) if isinstance(atom, CharClass) else _ALL


def union(atoms: Sequence[Atom]) -> CharSet:
    """The atom that takes what any of some atoms takes."""
    found = normal(one for atom in atoms for one in ranges_of(atom))
    negated = all(isinstance(atom, CharClass) and atom.negated for atom in atoms)
    return atom_of(found, negated=negated)


def atom_of(found: Ranges, *, negated: bool) -> CharSet:
    """The normal form of a set that is not empty; `negated` says how it was written."""
    others = characters(complement(found))
    if not others:
        return AnyChar()
    if len(found) == 1 and found[0][0] == found[0][1]:
        return Literal((found[0][0],))
    if negated or others[-1][1] <= _ASCII:
        low, high = others[0]
        first = (low if low > 1 else 0, high)  # NUL is left out as well, as usually written
        return CharClass(_written((first, *others[1:])), negated=True)
    return CharClass(_written(found))


def _written(ranges: Ranges) -> Ranges:
    """Ranges as one likes to read them: no range of two, and a hyphen at the end."""
    found: list[tuple[int, int]] = []
    for low, high in _bridged(ranges):
        found += [(low, low), (high, high)] if high == low + 1 else [(low, high)]
    found.sort(key=_HYPHEN.__eq__)
    return tuple(found)


def _bridged(ranges: Ranges) -> Ranges:
    """Ranges without the gap that surrogates make."""
    joined: list[tuple[int, int]] = []
    for low, high in ranges:
        if low == _AFTER and joined and joined[-1][1] == _BEFORE:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)
