"""Code points as the four hexadecimal digits of an escape, or twice four for a surrogate pair.

Ranges become trees of digits with equal branches as one, so that few rules say which code points
are meant, and where each leads. Source: RFC 8259, section 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.automata.charset import CharSet
from pdl.gbnf.compile.emission.fold import concat
from pdl.gbnf.compile.emission.parts import Choice, Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.gbnf.compile.emission.parts import Part, Row, Rows

Span: TypeAlias = "tuple[int, int, Row]"
"""Code points from the first to the last, and what follows them."""

_ASTRAL = 0x10000
_END = 0x110000


class _Level(NamedTuple):
    """One digit: those that it may be, and whether the second surrogate begins in front of it."""

    choice: str
    second: bool = False


_HEX = _Level("0123456789abcdef")
_BASIC = (_HEX,) * 4
_PAIR = (_Level("89ab"), _HEX, _HEX, _Level("cdef", second=True), _HEX, _HEX)
"""What follows the `d` of a high surrogate: ten bits of it, and ten of the low one."""


class _Full(NamedTuple):
    """All digits of the levels, whatever they are."""

    levels: tuple[_Level, ...]
    rest: Row


class _Fork(NamedTuple):
    """Some digits of a level, each with what follows; no two follow-ups are equal."""

    level: _Level
    branches: tuple[tuple[str, _Tree], ...]
    lower: bool  # so that no fork equals a full tree


_Tree: TypeAlias = "_Full | _Fork"


def digits(spans: Sequence[Span], wish: str, *, lower: bool) -> Rows:
    """The digits of all code points of sorted spans, and what follows each."""
    basic = _grown(_clipped(spans, 0, _ASTRAL), _BASIC, lower=lower)
    pairs = _grown(_clipped(spans, _ASTRAL, _END), _PAIR, lower=lower)
    return _Rows(wish, lower=lower).both(basic, pairs)


def _clipped(spans: Sequence[Span], low: int, end: int) -> list[Span]:
    """What spans have from `low` to before `end`, counted from there."""
    return [
        (max(first, low) - low, min(last, end - 1) - low, rest)
        for first, last, rest in spans
        if first < end and last >= low
    ]


def _grown(spans: list[Span], levels: tuple[_Level, ...], *, lower: bool) -> _Tree | None:
    """The tree of some spans; it is as deep as there are levels."""
    if not spans:
        return None
    size = 1
    for level in levels:
        size *= len(level.choice)
    if spans[0][:2] == (0, size - 1):
        return _Full(levels, spans[0][2])
    step = size // len(levels[0].choice)
    grouped: dict[_Tree, str] = {}
    for at, digit in enumerate(levels[0].choice):
        inner = _clipped(spans, at * step, (at + 1) * step)
        tree = _grown(inner, levels[1:], lower=lower)
        if tree is not None:
            grouped[tree] = grouped.get(tree, "") + digit
    branches = tuple((choice, tree) for tree, choice in grouped.items())
    return _Fork(levels[0], branches, lower)


class _Rows:
    """Writes trees, equal ones once."""

    def __init__(self, wish: str, *, lower: bool) -> None:
        self._wish = wish
        self._lower = lower
        self._known: dict[_Tree, Draft] = {}

    def both(self, basic: _Tree | None, pairs: _Tree | None) -> Rows:
        """The basic plane's code points, and pairs, which begin with `d` as some of those do."""
        if pairs is None:
            return () if basic is None else self._of(basic)
        rows: list[Row] = []
        behind: Rows = ()
        for choice, tree in () if basic is None else self._branches(basic):
            if "d" in choice:
                behind = self._of(tree)
            others = choice.replace("d", "")
            if others:
                rows.append((self._class(others), *self._tail(tree)))
        inner = Draft(self._wish, behind + self._of(pairs))
        return (*rows, (self._class("d"), inner))

    def _branches(self, tree: _Tree) -> tuple[tuple[str, _Tree], ...]:
        assert isinstance(tree, _Fork)  # no surrogate is in any set
        return tree.branches

    def _of(self, tree: _Tree) -> Rows:
        if isinstance(tree, _Full):
            row = concat(*(self._digit(level, level.choice) for level in tree.levels))
            return (concat(row, tree.rest),)
        return tuple(
            concat(self._digit(tree.level, choice), self._tail(inner))
            for choice, inner in tree.branches
        )

    def _tail(self, tree: _Tree) -> Row:
        if isinstance(tree, _Full):
            return self._of(tree)[0]
        if self._lower:  # these are few
            rows = self._of(tree)
            return rows[0] if len(rows) == 1 else (Choice(rows),)
        found = self._known.get(tree)
        if found is None:
            found = self._known[tree] = Draft(self._wish, self._of(tree))
        return (found,)

    def _digit(self, level: _Level, choice: str) -> Row:
        before: Row = ("\\u", self._class("d")) if level.second else ()
        return (*before, self._class(choice))

    def _class(self, choice: str) -> Part:
        if len(choice) == 1 and (self._lower or choice.isdigit()):
            return choice
        return CharSet.of(choice if self._lower else choice + choice.upper())
