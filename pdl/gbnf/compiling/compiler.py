"""`Compiler`: the goals of one schema, each as languages and machines, with what was lost."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.dfa import Budget
from pdl.errors import LimitError
from pdl.gbnf.budget import Clock
from pdl.gbnf.compiling import satisfiability
from pdl.gbnf.compiling.arrays import array_machine
from pdl.gbnf.compiling.byhand import hand, left_over, rule_of
from pdl.gbnf.compiling.constraints import Conjunction, SchemaLiteral
from pdl.gbnf.compiling.context import Lengths, ValueLanguages
from pdl.gbnf.compiling.custom_rules import KEYWORD
from pdl.gbnf.compiling.document import Document
from pdl.gbnf.compiling.number_language import number_language
from pdl.gbnf.compiling.objects import object_machine
from pdl.gbnf.compiling.options import Entry, Level
from pdl.gbnf.compiling.satisfiability import Satisfiability
from pdl.gbnf.compiling.string_language import as_dfa, strings, union
from pdl.gbnf.compiling.tableau import Tableau
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunct, NumberAtom, StringAtom
    from pdl.gbnf.compiling.machine import Objects
    from pdl.gbnf.compiling.options import Numbers, Options

Notes: TypeAlias = "tuple[tuple[str, Level, str], ...]"

ROOT = SchemaLiteral("#")


class TooManyEdgesError(Exception):
    """The machines of a schema are larger than was asked for."""


class Compiler:
    """Turns goals into languages; `notes` says what is not held exactly."""

    def __init__(
        self,
        document: Json,
        options: Options,
        clock: Clock | None = None,
        most_edges: int | None = None,
    ) -> None:
        """With more than `most_edges` in all machines, `languages` raises TooManyEdgesError.

        Where the time of `clock` is over, all methods raise LimitError.
        """
        self._edges_left = most_edges
        self._clock = clock or Clock(DEFAULT_LIMITS, "compiling the schema")
        self.document = Document(document)
        self.options = options
        self._budget = Budget(options.max_states)
        self.notes: dict[tuple[str, str, Level, str], None] = {}
        closed = options.objects == "closed"
        self._tableau = Tableau(self.document, self._note_post_hoc, self._overlap, closed)
        self._conjuncts: dict[Conjunction, tuple[Conjunct, ...]] = {}
        self._numbers: dict[frozenset[NumberAtom], tuple[Dfa | None, Notes]] = {}
        self._texts: dict[frozenset[StringAtom], tuple[Dfa | Lengths | None, Notes]] = {}
        self._satisfiability = Satisfiability(
            self.conjuncts,
            self.document.joined,
            lambda atoms: self._number(atoms)[0] is not None,
            lambda atoms: self._text(atoms)[0] is not None,
        )

    @property
    def root(self) -> Conjunction | None:
        """The goal of the whole document; None if nothing satisfies it."""
        return self.document.joined([ROOT])

    def conjuncts(self, goal: Conjunction) -> tuple[Conjunct, ...]:
        """The conjuncts of a goal."""
        if goal not in self._conjuncts:
            self._clock.check()
            self._conjuncts[goal] = self._tableau.to_dnf(goal)
        return self._conjuncts[goal]

    def languages(self, goal: Conjunction) -> ValueLanguages:
        """The values of a goal by their kinds."""
        written, conjuncts = self._by_hand(self.conjuncts(goal))
        context = Context(self, goal)
        objects = [one.objects for one in conjuncts if "object" in one.kinds]
        arrays = [one.arrays for one in conjuncts if "array" in one.kinds]
        booleans = (one.booleans for one in conjuncts if "boolean" in one.kinds)
        machine = object_machine(objects, context) if objects else None
        self._count(machine)
        return ValueLanguages(
            any("null" in one.kinds for one in conjuncts),
            frozenset().union(*booleans),
            self._all_numbers(conjuncts, context),
            self._all_texts(conjuncts, context),
            array_machine(arrays, context) if arrays else None,
            machine,
            written,
        )

    def _count(self, machine: Objects | None) -> None:
        """Raise TooManyEdgesError where that was asked for."""
        if self._edges_left is not None and machine is not None:
            self._edges_left -= sum(map(len, machine.edges))
            if self._edges_left < 0:
                raise TooManyEdgesError

    def _by_hand(
        self, conjuncts: tuple[Conjunct, ...]
    ) -> tuple[tuple[str, ...], tuple[Conjunct, ...]]:
        """The places of the rules written by hand, and conjuncts of what these are not about."""
        places: dict[str, None] = {}
        kept: list[Conjunct] = []
        for conjunct in conjuncts:
            rule = rule_of(conjunct)
            if rule is None:
                kept.append(conjunct)
                continue
            kept.append(replace(conjunct, kinds=conjunct.kinds - rule.kinds))
            kinds = conjunct.kinds & rule.kinds & hand(rule.pointer, self.document).kinds
            if not self._satisfiability.is_unsatisfiable(replace(conjunct, kinds=kinds)):
                places[rule.pointer] = None
                for note in left_over(conjunct, self.document):
                    self._note_post_hoc(*note)
        return tuple(places), tuple(kept)

    def _all_numbers(self, conjuncts: Iterable[Conjunct], context: Context) -> Dfa | None:
        found: list[Dfa] = []
        for atoms in dict.fromkeys(one.numbers for one in conjuncts if "number" in one.kinds):
            language, notes = self._number(atoms)
            for note in notes:
                context.note(*note)
            found += [] if language is None else [language]
        return build.union(*found) if found else None  # of few states, as each is a number's

    def _all_texts(self, conjuncts: Iterable[Conjunct], context: Context) -> Dfa | Lengths | None:
        found = []
        for atoms in dict.fromkeys(one.strings for one in conjuncts if "string" in one.kinds):
            language, notes = self._text(atoms)
            for note in notes:
                context.note(*note)
            found.append(language)
        try:
            return union(found, self._budget)
        except LimitError as error:
            context.weaken("anyOf", error.problems[0].message)
            return Lengths()

    def _number(self, atoms: tuple[NumberAtom, ...]) -> tuple[Dfa | None, Notes]:
        key = frozenset(atoms)
        if key not in self._numbers:
            self._numbers[key] = _noted_numbers(atoms, self.options.numbers)
        return self._numbers[key]

    def _text(self, atoms: tuple[StringAtom, ...]) -> tuple[Dfa | Lengths | None, Notes]:
        key = frozenset(atoms)
        if key not in self._texts:
            self._texts[key] = _noted_strings(atoms, self._budget)
        return self._texts[key]

    def is_empty(self, goal: Conjunction | None) -> bool:
        """Whether it is known that no value satisfies a goal."""
        return self._satisfiability.is_empty(goal)

    def keys(self, goal: Conjunction) -> Dfa | None:
        """The strings that satisfy a goal, for names of properties; None if that is not exact."""
        parts = []
        for conjunct in self.conjuncts(goal):
            if "string" not in conjunct.kinds:
                continue
            for rule in conjunct.custom:
                self._note_post_hoc(rule.pointer, KEYWORD, "names of properties follow no rule")
                return None
            language, notes = self._text(conjunct.strings)
            if notes:
                return None
            parts.append(language)
        try:
            found = union(parts)
            return build.EMPTY if found is None else as_dfa(found)
        except LimitError:
            return None

    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        """The values of a goal, each as a goal; None if there are more than a few."""
        conjuncts = self.conjuncts(goal)
        if any(conjunct.custom for conjunct in conjuncts):
            return None
        found = satisfiability.values(conjuncts, lambda atoms: self._text(atoms)[0])
        return None if found is None else satisfiability.goals(found, self.document)

    def note(self, pointer: str, keyword: str, level: Level, why: str) -> None:
        """Remember what is not held exactly."""
        self.notes[pointer, keyword, level, why] = None

    def _note_post_hoc(self, pointer: str, keyword: str, why: str) -> None:
        self.note(pointer, keyword, "POST_HOC", why)

    def _overlap(self, one: SchemaLiteral, other: SchemaLiteral) -> bool:
        return not self.is_empty(self.document.joined((one, other)))

    def entries(self) -> tuple[Entry, ...]:
        """What was noted."""
        return tuple(Entry(*note) for note in self.notes)


@lru_cache(maxsize=256)
def _noted_numbers(atoms: tuple[NumberAtom, ...], numbers: Numbers) -> tuple[Dfa | None, Notes]:
    """The language of some numbers, which many schemas have, and what was noted of it."""
    notes: list[tuple[str, Level, str]] = []
    language = number_language(atoms, numbers, lambda *note: notes.append(note))
    return language, tuple(notes)


@lru_cache(maxsize=64)
def _noted_strings(
    atoms: tuple[StringAtom, ...], budget: Budget
) -> tuple[Dfa | Lengths | None, Notes]:
    notes: list[tuple[str, Level, str]] = []
    language = strings(atoms, lambda *note: notes.append(note), budget)
    return language, tuple(notes)


class Context:
    """What machines are made with: the literals of one goal, and where to say what is lost."""

    def __init__(self, compiler: Compiler, goal: Conjunction) -> None:
        self.options = compiler.options
        self._compiler = compiler
        self._goal = goal

    def joined(self, literals: Iterable[SchemaLiteral | None]) -> Conjunction | None:
        """A goal of some literals; None if they contradict each other."""
        return self._compiler.document.joined(literals)

    def negation(self, literal: SchemaLiteral) -> SchemaLiteral:
        """The opposite of a literal."""
        return SchemaLiteral(literal.pointer, not literal.positive)

    def is_empty(self, goal: Conjunction) -> bool:
        """Whether it is known that no value satisfies a goal."""
        return len(goal) > 1 and self._compiler.is_empty(goal)

    def keys_of(self, goal: Conjunction) -> Dfa | None:
        """The strings that satisfy a goal; None if that can't be told exactly."""
        return self._compiler.keys(goal)

    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        """The values of a goal, each as a goal; None if there are more than a few."""
        return self._compiler.finite(goal)

    def note(self, keyword: str, level: Level, why: str) -> None:
        """Say what is not held exactly."""
        self._compiler.note(self._place, keyword, level, why)

    def weaken(self, keyword: str, why: str) -> None:
        """Say that the grammar takes more than a keyword does."""
        self.note(keyword, "POST_HOC", why)

    def bound(self, keyword: str, why: str) -> None:
        """Say that the grammar takes less than a keyword does."""
        self.note(keyword, "BOUNDED", why)

    @property
    def _place(self) -> str:
        return self._goal[0].pointer if self._goal else "#"
