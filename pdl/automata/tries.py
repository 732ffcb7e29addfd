"""The minimal automaton of a list of words.

Sorted words are added one by one, and what cannot change any more is merged with what is known
(Daciuk, Mihov, Watson and Watson, "Incremental construction of minimal acyclic finite-state
automata", 2000).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY
from pdl.automata.minimal import minimal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Budget, Dfa

_Key: TypeAlias = tuple[bool, tuple[tuple[str, int], ...]]


class _Node:
    """A state of the word that was added last."""

    __slots__ = ("final", "row")

    def __init__(self) -> None:
        self.final = False
        self.row: list[tuple[str, int]] = []


def trie(texts: Iterable[str], budget: Budget) -> Dfa:
    """The automaton of the texts, but those with lone surrogates. Raises LimitError."""
    register: dict[_Key, int] = {}
    path = [_Node()]
    last = ""
    for text in sorted({text for text in texts if _is_scalar(text)}):
        shared = _shared(last, text)
        _settle(path, last, shared, register)
        path.extend(_Node() for _ in range(len(text) - shared))
        path[-1].final = True
        last = text
        budget.check(len(register) + len(path))
    _settle(path, last, 0, register)
    return _written(register, path[0])


def _is_scalar(text: str) -> bool:
    return text.isascii() or all(char in EVERY for char in text)


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common at their starts."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def _settle(path: list[_Node], last: str, depth: int, register: dict[_Key, int]) -> None:
    """Merge the states below a depth, which no later word passes, with equal ones."""
    while len(path) > depth + 1:
        node = path.pop()
        number = register.setdefault((node.final, tuple(node.row)), len(register))
        path[-1].row.append((last[len(path) - 1], number))


def _written(register: dict[_Key, int], root: _Node) -> Dfa:
    keys = [(root.final, tuple(root.row)), *register]
    letters = sorted({char for _, row in keys for char, _ in row})
    label = {char: index for index, char in enumerate(letters)}
    classes = tuple(((ord(char), ord(char)),) for char in letters)
    rows = [{label[char]: target + 1 for char, target in row} for _, row in keys]
    return minimal(classes, rows, {state for state, (final, _) in enumerate(keys) if final})
