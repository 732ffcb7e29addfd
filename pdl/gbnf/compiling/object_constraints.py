"""What one conjunct asks of objects, over the numbered symbols of all conjuncts of its goal.

`Alphabet` merges the symbols that all conjuncts treat alike, and says which keys they represent.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.dfa import Budget, Dfa
from pdl.errors import LimitError
from pdl.gbnf.compiling.satisfiability import unit_propagate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl.gbnf.compiling.alphabet import KeyPartition, Language, Symbol
    from pdl.gbnf.compiling.constraints import Conjunction, Keys, ObjectConjunct, Some
    from pdl.gbnf.compiling.machine import Context
    from pdl.gbnf.compiling.satisfiability import Cnf


@dataclass(frozen=True)
class ObjectConstraints:
    """A conjunct with a goal for each symbol, None for keys that must not be there.

    `order` are the keys that are declared, `needed` those that must be there, `clauses` what else
    is asked of the presence of keys. Each of `witnesses` asks for at least one member, and has the
    goals of the symbols that will do.

    The members are ordered later on: the symbols of `sequence` come in this order, each at most
    once; from its index `loose` on, others may come anywhere between them: `free` ones, which
    change nothing, `tracked` ones, whose presence matters, and `once` ones, which are remembered
    not to come again.
    """

    goals: tuple[Conjunction | None, ...]
    order: tuple[int, ...]
    needed: frozenset[int]
    clauses: Cnf[int] = frozenset()
    witnesses: tuple[tuple[tuple[int, Conjunction], ...], ...] = ()
    least: int = 0
    most: int | None = None
    sequence: tuple[int, ...] = ()
    loose: int = 0
    free: tuple[int, ...] = ()
    tracked: frozenset[int] = frozenset()
    once: frozenset[int] = frozenset()

    @property
    def involved(self) -> frozenset[int]:
        """The keys whose presence matters."""
        return self.needed | {key for clause in self.clauses for key, _ in clause}

    @property
    def is_plain(self) -> bool:
        """Whether a state is no more than an index of the sequence."""
        counts = self.least > 0 or self.most is not None
        return not (self.tracked or self.once or self.clauses or self.witnesses or counts)


class ConstraintBuilder:
    """Builds constraints of conjuncts over a partition of keys, and reports what is lost."""

    def __init__(self, classes: KeyPartition, context: Context) -> None:
        self._unknown = classes.unknown
        self._symbols: tuple[Symbol, ...] = (*classes.names, *classes.classes)
        self._number = {symbol.name: index for index, symbol in enumerate(classes.names)}
        self._context = context

    def build(self, conjunct: ObjectConjunct) -> ObjectConstraints | None:
        """What a conjunct asks for; None if no object satisfies it."""
        goals = self._members(conjunct)
        if conjunct.most == 0:
            goals = [None] * len(goals)
        settled = self._presence(conjunct, goals)
        counts = self._counts(conjunct, goals)
        if settled is None or counts is None:
            return None
        needed, clauses = settled
        least, most = counts
        if most is not None and max(len(needed), least) > most:
            return None
        witnesses = tuple(self._witness(some, goals) for some in conjunct.some)
        if not all(witnesses):
            return None
        numbers = (self._number[name] for name in conjunct.order)
        order = tuple(key for key in numbers if goals[key] is not None)
        least = 0 if least <= len(needed) else least
        return ObjectConstraints(tuple(goals), order, needed, clauses, witnesses, least, most)

    def _presence(
        self, conjunct: ObjectConjunct, goals: list[Conjunction | None]
    ) -> tuple[frozenset[int], Cnf[int]] | None:
        """The keys that must be there, and the clauses about others; takes the goals of some."""
        number = self._number
        clauses: Cnf[int] = frozenset(
            frozenset((number[name], there) for name, there in clause)
            for clause in conjunct.clauses
        )
        keys = {key for clause in clauses for key, _ in clause}
        clauses |= {frozenset({(key, False)}) for key in keys if goals[key] is None}
        settled = unit_propagate(clauses)
        if settled is None:
            return None
        known, left = settled
        for key, there in known.items():
            if not there:
                goals[key] = None
        return frozenset(key for key, there in known.items() if there), left

    def _counts(
        self, conjunct: ObjectConjunct, goals: list[Conjunction | None]
    ) -> tuple[int, int | None] | None:
        """The bounds for the number of members, if they say something; None for no value."""
        names = len(self._number)
        possible = sum(goal is not None for goal in goals[:names])
        classes = [
            symbol.language
            for symbol, goal in zip(self._symbols[names:], goals[names:], strict=True)
            if goal is not None
        ]
        if classes:
            few = _few_keys(classes, conjunct.least - possible)
            return None if few else (conjunct.least, conjunct.most)
        if possible < conjunct.least:
            return None
        return (
            conjunct.least,
            conjunct.most if conjunct.most is not None and conjunct.most < possible else None,
        )

    def _members(self, conjunct: ObjectConjunct) -> list[Conjunction | None]:
        """The goal of each symbol."""
        rules = conjunct.rules
        by_name: defaultdict[str | None, list[int]] = defaultdict(list)
        general: list[int] = []
        for index, rule in enumerate(rules):
            keys = rule.keys
            if keys.are_listed:
                for name in keys.names:
                    by_name[name].append(index)
            else:
                general.append(index)
        found: list[Conjunction | None] = []
        for symbol in self._symbols:
            about = [index for index in general if self._among(symbol, rules[index].keys)]
            own = by_name.get(symbol.name)
            if own:
                about = sorted(about + own) if about else own
            literals = tuple(
                literal for index in about if (literal := rules[index].literal) is not None
            )
            found.append(
                self._context.conjunction(literals) if len(literals) == len(about) else None
            )
        return found

    def _among(self, symbol: Symbol, keys: Keys) -> bool:
        """Whether a symbol is known to be one of the keys of a rule."""
        among = symbol.among(keys)
        if among is None:
            self._lose(keys)
        return bool(among)

    def _witness(
        self, some: Some, goals: list[Conjunction | None]
    ) -> tuple[tuple[int, Conjunction], ...]:
        """The symbols that will do for an atom, with the goals that they must satisfy then."""
        found: list[tuple[int, Conjunction]] = []
        for index, (symbol, goal) in enumerate(zip(self._symbols, goals, strict=True)):
            if goal is None:
                continue
            among = symbol.among(some.keys)
            if among is False:
                continue
            if among is None:
                self._lose(some.keys, "not")
            joined = self._context.narrowed(goal, *some.goal)
            if joined is None:
                continue
            if symbol.name is None and joined != goal:
                why = "of a duplicate key, only the first value might satisfy it"
                self._context.weaken("not", why)
            found.append((index, joined))
        return tuple(found)

    def _lose(self, keys: Keys, keyword: str = "") -> None:
        """Report that it is not known which keys these are."""
        why = _why(keys, self._unknown)
        if not keyword and keys.unlike is not None:
            keyword = "propertyNames"
        elif not keyword:
            keyword = "patternProperties" if keys.among else "additionalProperties"
        self._context.weaken(keyword, why)


def _few_keys(classes: list[Dfa | None], wanted: int) -> bool:
    """Whether some classes have fewer keys than are wanted, with only a look at finite ones."""
    found = 0
    for language in classes:
        if found >= wanted or language is None or not language.is_finite:
            return False
        found += len(language.texts(wanted))
    return found < wanted


def _why(keys: Keys, unknown: Mapping[Language, str]) -> str:
    languages: tuple[Language, ...] = keys.patterns
    if keys.unlike is not None:
        languages = (*languages, keys.unlike)
    return next(unknown[language] for language in languages if language in unknown)


_BUDGET = Budget(200_000)

_Column: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Alphabet:
    """The keys that symbols represent, of which the first `names` are single names.

    `asked` is over these symbols; `imprecise`: classes have names that are symbols as well.
    """

    names: int
    keys: Mapping[int, str | Dfa]
    asked: tuple[ObjectConstraints, ...]
    imprecise: bool = False


def alphabet(
    classes: KeyPartition, asked: Sequence[ObjectConstraints], *, declared: bool
) -> Alphabet:
    """Merge the symbols that all conjuncts treat alike, and say what keys there are."""
    count = len(classes.names)
    keys: dict[int, str | Dfa] = {
        index: symbol.name for index, symbol in enumerate(classes.names) if symbol.name is not None
    }
    heads = _heads(count, len(classes.classes), asked, declared=declared)
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
    kept = tuple(_without(one, gone) for one in asked) if gone else tuple(asked)
    return Alphabet(count, keys, tuple(dict.fromkeys(kept)), imprecise)


def _heads(
    names: int, classes: int, asked: Sequence[ObjectConstraints], *, declared: bool
) -> dict[int, int]:
    """For each class that there may be keys of, and each name that is like it, the first class."""
    served = [dict(witness) for one in asked for witness in one.witnesses]

    def column(symbol: int) -> _Column:
        goals = (one.goals[symbol] for one in asked)
        return (*goals, *(one.get(symbol) for one in served))

    first: dict[_Column, int] = {}
    heads: dict[int, int] = {}
    for symbol in range(names, names + classes):
        if any(one.goals[symbol] is not None for one in asked):
            heads[symbol] = first.setdefault(column(symbol), symbol)
    if first:
        special: set[int] = set()
        for one in asked:
            special |= one.involved
            special.update(one.order if declared else ())
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
        if others:
            listed = build.words(others, budget=_BUDGET)
            language = build.difference(language, listed, budget=_BUDGET)
        missing = [name for name in own if not language.matches(name)]
        return build.union(language, build.words(missing), budget=_BUDGET) if missing else language
    except LimitError:
        return None


def _without(asked: ObjectConstraints, gone: set[int]) -> ObjectConstraints:
    """Constraints without some symbols."""
    return replace(
        asked,
        goals=tuple(None if key in gone else goal for key, goal in enumerate(asked.goals)),
        order=tuple(key for key in asked.order if key not in gone),
        witnesses=tuple(
            tuple((key, goal) for key, goal in witness if key not in gone)
            for witness in asked.witnesses
        ),
    )
