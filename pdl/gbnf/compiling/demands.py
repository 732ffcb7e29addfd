"""What one conjunct asks of objects, over the numbered symbols of all conjuncts of its goal.

The symbols are the keys that the conjuncts of one goal tell apart: single names, and classes of all
other keys. Which keys are there is said in clauses (a conjunctive normal form): `Assignment` tells
what is left of them when one key after the other is known (unit propagation).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.dfa import Budget
from pdl.automata.pattern import Irregular, pattern
from pdl.errors import LimitError
from pdl.gbnf.compiling.cnf import unit_propagate
from pdl.schema import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.cnf import Cnf
    from pdl.gbnf.compiling.constraints import Conjunction, Keys, ObjectConjunct, Some
    from pdl.gbnf.compiling.context import Context, Goals


CLASSES = 64
"""Classes of keys that are told apart."""

_BUDGET = Budget(4_000)

Language: TypeAlias = "str | Conjunction"
"""A set of keys: those that match a pattern, or that satisfy a goal."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One key, or, with a language and no name, each key of a class but the names.

    `inside` says in which languages the keys are; None where that can't be told.
    """

    name: str | None
    language: Dfa | None
    inside: Mapping[Language, bool | None]

    def among(self, keys: Keys) -> bool | None:
        """Whether the symbol's keys are some of these; None where that can't be told."""
        if self.name in keys.names:
            return keys.among
        unknown = False
        for text in keys.patterns:
            if self.inside[text]:
                return keys.among
            unknown = unknown or self.inside[text] is None
        if keys.unlike is not None:
            like = self.inside[keys.unlike]
            if like is False:
                return keys.among
            unknown = unknown or like is None
        return None if unknown else not keys.among


@dataclass(frozen=True)
class KeyPartition:
    """All symbols of some conjuncts: the names in their order, and the classes behind them.

    `unknown` says why a language could not be followed.
    """

    names: tuple[Symbol, ...]
    classes: tuple[Symbol, ...]
    unknown: Mapping[Language, str]


def key_partition(conjuncts: Sequence[ObjectConjunct], context: Context) -> KeyPartition:
    """The symbols of conjuncts."""
    names = _names(conjuncts)
    languages, unknown = _languages(conjuncts, context)
    classes = _classes(languages, unknown)
    if not languages and not unknown:
        symbols = [Symbol(name, None, {}) for name in names]
    else:
        symbols = [Symbol(name, None, _inside(name, languages, unknown)) for name in names]
    return KeyPartition(tuple(symbols), tuple(classes), unknown)


def _names(conjuncts: Sequence[ObjectConjunct]) -> list[str]:
    """All names that conjuncts mention, those first that they put in order."""
    found = dict.fromkeys(name for conjunct in conjuncts for name in conjunct.order)
    for keys in _keys(conjuncts):
        if not keys.names <= found.keys():
            found.update(dict.fromkeys(sorted(keys.names)))
    clauses = {name for conjunct in conjuncts for clause in conjunct.clauses for name, _ in clause}
    found.update(dict.fromkeys(sorted(clauses)))
    return list(found)


def _keys(conjuncts: Sequence[ObjectConjunct]) -> Iterable[Keys]:
    for conjunct in conjuncts:
        for rule in conjunct.rules:
            yield rule.keys
        for some in conjunct.some:
            yield some.keys


def _languages(
    conjuncts: Sequence[ObjectConjunct], context: Context
) -> tuple[dict[Language, Dfa], dict[Language, str]]:
    """The languages that can be told, and why others can't."""
    known: dict[Language, Dfa] = {}
    unknown: dict[Language, str] = {}
    for keys in _keys(conjuncts):
        for text in keys.patterns:
            if text in known or text in unknown:
                continue
            try:
                known[text] = pattern(text, budget=_BUDGET)
            except (Irregular, LimitError) as error:
                unknown[text] = f"{error.problem.message} (`{text}`)"
        goal = keys.unlike
        if goal is not None and goal not in known and goal not in unknown:
            like = context.keys_of(goal)
            if like is None:
                unknown[goal] = "it can't be told exactly which names satisfy it"
            else:
                known[goal] = like
    return known, unknown


def _inside(
    name: str, languages: Mapping[Language, Dfa], unknown: Mapping[Language, str]
) -> dict[Language, bool | None]:
    inside: dict[Language, bool | None] = {
        language: dfa.matches(name) for language, dfa in languages.items()
    }
    for language in unknown.keys() - languages.keys():
        inside[language] = patterns.matches(language, name) if isinstance(language, str) else None
    return inside


def _classes(languages: Mapping[Language, Dfa], unknown: dict[Language, str]) -> list[Symbol]:
    """All texts, split by the languages; those that split them too finely become unknown."""
    parts: list[tuple[Dfa, dict[Language, bool | None]]] = [(build.ANYTHING, {})]
    for language, dfa in languages.items():
        try:
            split = list(_split(parts, language, dfa))
        except LimitError as error:
            unknown[language] = error.problem.message
            split = []
        if len(split) > CLASSES:
            unknown[language] = f"patterns split all names into more than {CLASSES} classes"
        if language in unknown:
            split = [(part, {**inside, language: None}) for part, inside in parts]
        parts = split
    blank = dict.fromkeys(unknown)
    return [Symbol(None, part, {**blank, **inside}) for part, inside in parts]


def _split(
    parts: Iterable[tuple[Dfa, dict[Language, bool | None]]], language: Language, dfa: Dfa
) -> Iterable[tuple[Dfa, dict[Language, bool | None]]]:
    for part, inside in parts:
        common = dfa if part == build.ANYTHING else build.intersection(part, dfa, budget=_BUDGET)
        rest = build.difference(part, dfa, budget=_BUDGET)
        for language_part, is_in in ((common, True), (rest, False)):
            if not language_part.is_empty:
                yield language_part, {**inside, language: is_in}


Loss: TypeAlias = tuple[str, str]
"""A keyword that is not held, and why."""


@dataclass(frozen=True)
class ObjectConstraints:
    """A conjunct with a goal for each symbol, None for keys that must not be there.

    `order` holds the keys that are declared, `needed` those that must be there, `clauses` what else
    is asked of the presence of keys; at least one member is asked for by each of `witnesses`, which
    give the goals of the symbols that will do.
    """

    goals: tuple[Conjunction | None, ...]
    order: tuple[int, ...]
    needed: frozenset[int]
    clauses: Cnf[int]
    witnesses: tuple[tuple[tuple[int, Conjunction], ...], ...]
    least: int
    most: int | None

    @property
    def involved(self) -> frozenset[int]:
        """The keys whose presence matters."""
        return self.needed | {key for clause in self.clauses for key, _ in clause}


class Demanding:
    """Makes demands of conjuncts; `lost` says what they don't hold."""

    def __init__(self, classes: KeyPartition, goals: Goals) -> None:
        self.lost: dict[Loss, None] = {}
        self._unknown = classes.unknown
        self._symbols: tuple[Symbol, ...] = (*classes.names, *classes.classes)
        self._number = {symbol.name: index for index, symbol in enumerate(classes.names)}
        self._goals = goals

    def demand(self, conjunct: ObjectConjunct) -> ObjectConstraints | None:
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
        """The bounds for the number of members, as far as they say something; None for no value."""
        names = len(self._number)
        if any(goal is not None for goal in goals[names:]):
            return conjunct.least, conjunct.most
        possible = sum(goal is not None for goal in goals)
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
            if symbol.name in by_name:
                about = sorted(about + by_name[symbol.name])
            literals = tuple(
                literal for index in about if (literal := rules[index].literal) is not None
            )
            found.append(self._goals.of(literals) if len(literals) == len(about) else None)
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
            joined = self._goals.narrowed(goal, *some.goal)
            if joined is None:
                continue
            if symbol.name is None and joined != goal:
                self.lost["not", "a name that comes twice may satisfy it the first time only"] = (
                    None
                )
            found.append((index, joined))
        return tuple(found)

    def _lose(self, keys: Keys, keyword: str = "") -> None:
        """Remember that it can't be told which keys these are."""
        why = _why(keys, self._unknown)
        if not keyword and keys.unlike is not None:
            keyword = "propertyNames"
        elif not keyword:
            keyword = "patternProperties" if keys.among else "additionalProperties"
        self.lost[keyword, why] = None


def _why(keys: Keys, unknown: Mapping[str | Conjunction, str]) -> str:
    languages: tuple[str | Conjunction, ...] = keys.patterns
    if keys.unlike is not None:
        languages = (*languages, keys.unlike)
    return next(unknown[language] for language in languages if language in unknown)
