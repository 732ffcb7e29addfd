"""From the strings that a language has to the ways in which JSON may write them (RFC 8259, 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.automata.build import from_edges
from pdl.automata.charset import LAST
from pdl.automata.dfa import DEFAULT_BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.automata.dfa import Budget, Dfa, Edge

Escapes: TypeAlias = Literal["canonical", "short", "any"]
r"""How characters may be written.

`canonical`: each in one way: as itself where JSON allows that, else as `\"`, `\\`, `\b`, `\f`,
`\n`, `\r`, `\t`, and other control characters as `\u001f`, in lower case. `short`: also `\/`, and
any control character as `\u001F`, in any case. `any`: also every character as `\u` and four
digits, those beyond U+FFFF as two of these, a pair of surrogates.
"""

_SHORT = {0x22: '"', 0x5C: "\\", 0x08: "b", 0x0C: "f", 0x0A: "n", 0x0D: "r", 0x09: "t"}
_SHORT_AND_SLASH = {**_SHORT, 0x2F: "/"}
_RAW = ((0x20, 0x21), (0x23, 0x5B), (0x5D, LAST))
_SPECIAL = 0x5C  # the last character with an escape of its own, the backslash
_CONTROLS = 0x1F
_BMP = 0xFFFF
_HIGH = 0xD  # the first digit of a surrogate

_Form: TypeAlias = tuple[str | tuple[int, int], ...]
"""Letters, and hexadecimal digits as their least value and the code points for each."""

_TWO: _Form = ((0, 0x10), (0, 1))
_THREE: _Form = ((0, 0x100), *_TWO)
_PAIR: _Form = ((0, 0x4000), (0, 0x400), "\\", "u", (_HIGH, 0x400), (0xC, 0x100), *_TWO)
"""What follows the second digit of a pair of surrogates."""


def spelled(dfa: Dfa, escapes: Escapes = "canonical", *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts between the quotes of JSON strings whose values are in a language.

    There are no lone surrogates among the values, as there are none in any language. Raises
    LimitError for too many states.
    """
    speller = _Speller(dfa.edges, escapes, budget)
    return from_edges(speller.rows, dfa.accepting, budget=budget)


class _Speller:
    """The states of a language and, behind them, those within an escape.

    The latter are one state where they are equal: escapes share them from the last digit on.
    """

    def __init__(self, edges: Sequence[Sequence[Edge]], escapes: Escapes, budget: Budget) -> None:
        self._escapes = escapes
        self._letters = _SHORT if escapes == "canonical" else _SHORT_AND_SLASH
        self._budget = budget
        self._known: dict[tuple[Edge, ...], int] = {}
        self._full: dict[tuple[_Form, int], int] = {}
        self.rows: list[Sequence[Edge]] = list(edges)
        for state, row in enumerate(edges):
            self.rows[state] = self._row(row)

    def _row(self, edges: Sequence[Edge]) -> list[Edge]:
        """The edges of a state: characters as they are, and the backslash."""
        row = [edge for least, most in _RAW for edge in _clipped(edges, least, most)]
        escaped = [
            (ord(letter), ord(letter), target)
            for low, high, target in _clipped(edges, 0, _SPECIAL)
            for code, letter in self._letters.items()
            if low <= code <= high
        ]
        coded = self._coded(edges)
        if coded is not None:
            escaped.append((ord("u"), ord("u"), coded))
        if escaped:
            row.append((_SPECIAL, _SPECIAL, self._state(escaped)))
        return sorted(row)

    def _coded(self, edges: Sequence[Edge]) -> int | None:
        """The state behind `u`; None where nothing is written so."""
        if self._escapes == "any":
            return self._digits(self._all_digits(edges))
        controls = _clipped(edges, 0, _CONTROLS)
        if self._escapes == "canonical":
            controls = [edge for edge in _singles(controls) if edge[0] not in _SHORT]
        if not controls:
            return None
        return self._formed(("0", "0", *_TWO), _joined(controls), 0, 0x100)

    def _all_digits(self, edges: Sequence[Edge]) -> dict[int, int]:
        """The states behind the first digit of any code point."""
        basic = _clipped(edges, 0, _BMP)
        targets = self._behind_digits(_THREE, basic, 0, (0, _BMP // 0x10 + 1))
        pairs = _clipped(edges, _BMP + 1, LAST)
        if pairs:
            shared = _clipped(basic, 0xD000, 0xD7FF)
            second = self._behind_digits(_TWO, shared, 0xD000, (0, 0x100))
            second |= self._behind_digits(_PAIR, pairs, _BMP + 1, (8, 0x40000))
            targets[_HIGH] = self._digits(second)
        return targets

    def _behind_digits(
        self, form: _Form, edges: Sequence[Edge], base: int, digit: tuple[int, int]
    ) -> dict[int, int]:
        """The states behind each value of a digit, after which the form follows."""
        least, worth = digit
        return {
            least + (start - base) // worth: self._formed(form, part, start, worth)
            for start, part in _blocks(edges, base, worth)
        }

    def _formed(self, form: _Form, edges: list[Edge], base: int, size: int) -> int:
        """The state from which a form leads on, for the code points of a block."""
        if not form:
            return edges[0][2]
        low, high, target = edges[0]
        key = (form, target) if high - low + 1 == size else None
        if key in self._full:
            return self._full[key]
        item, rest = form[0], form[1:]
        if isinstance(item, str):
            state = self._state([(ord(item), ord(item), self._formed(rest, edges, base, size))])
        else:
            state = self._digits(self._behind_digits(rest, edges, base, item))
        if key is not None:
            self._full[key] = state
        return state

    def _digits(self, targets: dict[int, int]) -> int:
        """The state with an edge for each value of a hexadecimal digit."""
        values = sorted(targets)
        lower = [(ord(f"{value:x}"), targets[value]) for value in values]
        upper = [(ord(f"{value:X}"), targets[value]) for value in values if value > 9]  # noqa: PLR2004
        codes = lower if self._escapes == "canonical" else sorted(lower + upper)
        return self._state(_joined((code, code, target) for code, target in codes))

    def _state(self, edges: list[Edge]) -> int:
        """The state with these edges."""
        key = tuple(sorted(edges))
        if key not in self._known:
            self._known[key] = len(self.rows)
            self.rows.append(key)
            self._budget.check(len(self.rows))
        return self._known[key]


def _clipped(edges: Iterable[Edge], least: int, most: int) -> list[Edge]:
    """The parts of the edges between two code points."""
    return [
        (max(low, least), min(high, most), target)
        for low, high, target in edges
        if low <= most and least <= high
    ]


def _blocks(edges: Iterable[Edge], base: int, size: int) -> Iterator[tuple[int, list[Edge]]]:
    """The parts of the edges in each block of `size` code points from `base` on, if any."""
    blocks: dict[int, list[Edge]] = {}
    for low, high, target in edges:
        for start in range(low - (low - base) % size, high + 1, size):
            part = (max(low, start), min(high, start + size - 1), target)
            blocks.setdefault(start, []).append(part)
    yield from blocks.items()


def _singles(edges: Iterable[Edge]) -> Iterator[Edge]:
    for low, high, target in edges:
        for code in range(low, high + 1):
            yield code, code, target


def _joined(edges: Iterable[Edge]) -> list[Edge]:
    """Sorted edges, with one for neighbours that lead to the same state."""
    out: list[Edge] = []
    for low, high, target in edges:
        if out and out[-1][1] + 1 == low and out[-1][2] == target:
            out[-1] = (out[-1][0], high, target)
        else:
            out.append((low, high, target))
    return out
