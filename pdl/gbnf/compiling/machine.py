"""Automata over labels: the items of arrays, and the members of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.claims import Goal

Label = TypeVar("Label")


@dataclass(frozen=True)
class Machine(Generic[Label]):
    """Deterministic over its labels: what may come in each state, and where it leads.

    State 0 is the first one; a value may end in the accepting states. Each state leads to an
    accepting one. Two labels of a state may have values in common.
    """

    edges: tuple[tuple[tuple[Label, int], ...], ...]
    accepting: frozenset[int]


@dataclass(frozen=True, slots=True)
class Member:
    """A label of objects: a key, or any key of a language, and the goal of its value.

    `order` is where a declared key stands, for rules to come out in the same order.
    """

    key: str | Dfa
    goal: Goal


@dataclass(frozen=True, slots=True)
class Run:
    """Arrays that begin with the items of `prefix`, or some of them, and go on with `item`.

    They have from `least` to `most` (None: any number of) items. An array that has more items than
    `prefix` has all of them.
    """

    prefix: tuple[Goal, ...]
    item: Goal | None
    least: int
    most: int | None


Arrays: TypeAlias = "Machine[Goal] | Run"
Objects: TypeAlias = "Machine[Member]"
