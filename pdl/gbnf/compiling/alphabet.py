"""What the symbols of a goal's objects stand for, with those as one that nothing tells apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.dfa import Budget
from pdl.errors import LimitError
from pdl.gbnf.compiling.othernames import other_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.demands import Demand
    from pdl.gbnf.compiling.keyclasses import KeyClasses

_BUDGET = Budget(200_000)

_Column: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Alphabet:
    """The keys that symbols stand for, of which the first `names` are single names.

    `demands` are over these symbols; `imprecise`: classes have names that are symbols as well.
    """

    names: int
    keys: Mapping[int, str | Dfa]
    demands: tuple[Demand, ...]
    imprecise: bool = False


def alphabet(classes: KeyClasses, demands: Sequence[Demand], *, declared: bool) -> Alphabet:
    """Merge the symbols that all demands treat alike, and say what keys there are."""
    count = len(classes.names)
    keys: dict[int, str | Dfa] = {
        index: symbol.name for index, symbol in enumerate(classes.names) if symbol.name is not None
    }
    heads = _heads(count, len(classes.classes), demands, declared=declared)
    members: dict[int, list[int]] = {}
    for symbol, head in heads.items():
        members.setdefault(head, []).append(symbol)
    named = [symbol.name for symbol in classes.names if symbol.name is not None]
    gone = {symbol for symbol, head in heads.items() if symbol != head}
    imprecise = False
    for head, merged in members.items():
        symbols = (classes.classes[one - count] for one in merged if one >= count)
        parts = [symbol.language for symbol in symbols if symbol.language is not None]
        found = _keys(parts, {named[one] for one in merged if one < count}, named)
        imprecise = imprecise or found is None
        keys[head] = build.ANYTHING if found is None else found
        if keys[head] == build.EMPTY:
            gone.add(head)
    kept = tuple(_forgetting(demand, gone) for demand in demands) if gone else tuple(demands)
    return Alphabet(count, keys, tuple(dict.fromkeys(kept)), imprecise)


def _heads(
    names: int, classes: int, demands: Sequence[Demand], *, declared: bool
) -> dict[int, int]:
    """For each class that there may be keys of, and each name that is like it, the first class."""
    served = [dict(witness) for demand in demands for witness in demand.witnesses]

    def column(symbol: int) -> _Column:
        goals = (demand.goals[symbol] for demand in demands)
        return (*goals, *(one.get(symbol) for one in served))

    first: dict[_Column, int] = {}
    heads: dict[int, int] = {}
    for symbol in range(names, names + classes):
        if any(demand.goals[symbol] is not None for demand in demands):
            heads[symbol] = first.setdefault(column(symbol), symbol)
    if first:
        special: set[int] = set()
        for demand in demands:
            special |= demand.involved
            special.update(demand.order if declared else ())
        for symbol in set(range(names)) - special:
            head = first.get(column(symbol))
            if head is not None:
                heads[symbol] = head
    return heads


def _keys(parts: list[Dfa], own: set[str], named: list[str]) -> Dfa | None:
    """The keys of some languages but the names, and the own ones; None if that is too much."""
    try:
        language = build.union(*parts, budget=_BUDGET)
        others = [name for name in named if name not in own]
        if others and language == build.ANYTHING:
            language = other_names(others, _BUDGET)
        elif others:
            listed = build.words(others, budget=_BUDGET)
            language = build.difference(language, listed, budget=_BUDGET)
        missing = [name for name in own if not language.matches(name)]
        return build.union(language, build.words(missing), budget=_BUDGET) if missing else language
    except LimitError:
        return None


def _forgetting(demand: Demand, gone: set[int]) -> Demand:
    """A demand without some symbols."""
    goals = tuple(None if key in gone else goal for key, goal in enumerate(demand.goals))
    order = _kept(demand.order, gone)
    witnesses = tuple(
        tuple((key, goal) for key, goal in one if key not in gone) for one in demand.witnesses
    )
    return replace(demand, goals=goals, order=order, witnesses=witnesses)


def _kept(keys: Iterable[int], gone: set[int]) -> tuple[int, ...]:
    return tuple(key for key in keys if key not in gone)
