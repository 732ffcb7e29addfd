"""The alphabet of an object machine: single names, and classes of all other keys.

The classes are the minterms of the languages that conjuncts speak of: each is inside of a language
or outside of it. Source: D'Antoni and Veanes, The power of symbolic automata and transducers, 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.dfa import Budget, Dfa
from pdl.automata.pattern import Irregular, pattern
from pdl.errors import LimitError
from pdl.schema import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pdl.gbnf.compiling.constraints import Conjunction, Keys, ObjectConjunct
    from pdl.gbnf.compiling.machine import Context


CLASSES = 64
"""Classes of keys that are distinguished."""

_BUDGET = Budget(4_000)

Language: TypeAlias = "str | Conjunction"
"""A set of keys: those that match a pattern, or that satisfy a goal."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One key, or, with a language and no name, each key of a class but the names.

    `inside` says in which languages the keys are; None where that is unknown.
    """

    name: str | None
    language: Dfa | None
    inside: Mapping[Language, bool | None]

    def among(self, keys: Keys) -> bool | None:
        """Whether the symbol's keys are some of these; None where that is unknown."""
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
    """All symbols of some conjuncts: the names in their order, and the classes after them.

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
    """The languages that are known, and why others are not."""
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
            like = context.names_of(goal)
            if like is None:
                unknown[goal] = "which names satisfy it can't be determined exactly"
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
    """All strings, split by the languages; those that split them too finely become unknown."""
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
        rest = part if common.is_empty else build.difference(part, dfa, budget=_BUDGET)
        for language_part, is_in in ((common, True), (rest, False)):
            if not language_part.is_empty:
                yield language_part, {**inside, language: is_in}
