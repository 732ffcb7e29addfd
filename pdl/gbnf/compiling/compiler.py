"""`Compiler`: the goals of one schema as languages and machines, and what these lose of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata import build
from pdl.automata.dfa import Budget
from pdl.errors import LimitError
from pdl.gbnf.compiling import satisfiability
from pdl.gbnf.compiling.constraints import SchemaLiteral
from pdl.gbnf.compiling.document import KEYWORD, Document
from pdl.gbnf.compiling.machine import Context, Lengths, ValueLanguages
from pdl.gbnf.compiling.number_language import number_language
from pdl.gbnf.compiling.objects import object_machine
from pdl.gbnf.compiling.options import Entry, Level
from pdl.gbnf.compiling.tableau import MOST_BRANCHES, Tableau
from pdl.gbnf.limits_errors import Clock
from pdl.limits import DEFAULT_LIMITS

# Few schemas have custom rules, many no arrays or strings: these are imported late.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunct, Conjunction, NumberAtom, StringAtom
    from pdl.gbnf.compiling.machine import Objects
    from pdl.gbnf.compiling.options import Numbers, Options

Notes: TypeAlias = "tuple[tuple[str, Level, str], ...]"

ROOT = SchemaLiteral("#")


class TooManyEdgesError(Exception):
    """The machines of a schema are larger than was asked for."""


class Compiler(Context):
    """Turns goals into languages; `notes` says what is not enforced exactly."""

    def __init__(
        self,
        document: Json | Document,
        options: Options,
        clock: Clock | None = None,
        most_edges: int | None = None,
        most_branches: int = MOST_BRANCHES,
    ) -> None:
        """With more than `most_edges` in all machines, `languages` raises TooManyEdgesError.

        Where the time of `clock` is over, all methods raise LimitError.
        """
        super().__init__(options)
        self._edges_left = most_edges
        self._clock = clock or Clock(DEFAULT_LIMITS, "compiling the schema")
        self.document = document if isinstance(document, Document) else Document(document)
        self._budget = Budget(options.max_states)
        self.notes: dict[tuple[str, str, Level, str], None] = {}
        closed = options.objects == "closed"
        self._tableau = Tableau(
            self.document,
            self._note_post_hoc,
            self._overlap,
            closed,
            most_branches,
            self._clock.check,
        )
        self._conjuncts: dict[Conjunction, tuple[Conjunct, ...]] = {}
        self._numbers: dict[frozenset[NumberAtom], tuple[Dfa | None, Notes]] = {}
        self._strings: dict[frozenset[StringAtom], tuple[Dfa | Lengths | None, Notes]] = {}
        self._satisfiability = satisfiability.Satisfiability(
            self.conjuncts,
            self.document.joined,
            self.has_number,
            self.has_string,
        )
        self._pointer = "#"
        """The schema of the goal that is compiled, for which losses are reported."""

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

    def at(self, goal: Conjunction) -> None:
        """Report the losses of a goal from now on."""
        self._pointer = goal[0].pointer if goal else "#"

    def languages(self, goal: Conjunction) -> ValueLanguages:
        """The values of a goal by their kinds."""
        custom, conjuncts = self._custom(self.conjuncts(goal))
        self.at(goal)
        objects = [one.objects for one in conjuncts if "object" in one.kinds]
        arrays = [one.arrays for one in conjuncts if "array" in one.kinds]
        booleans = (one.booleans for one in conjuncts if "boolean" in one.kinds)
        machine = object_machine(objects, self) if objects else None
        self._count(machine)
        if arrays:
            from pdl.gbnf.compiling.arrays import array_machine
        return ValueLanguages(
            any("null" in one.kinds for one in conjuncts),
            frozenset().union(*booleans),
            self._all_numbers(conjuncts),
            self._all_strings(conjuncts),
            array_machine(arrays, self) if arrays else None,
            machine,
            custom,
        )

    def _count(self, machine: Objects | None) -> None:
        """Raise TooManyEdgesError where that was asked for."""
        if self._edges_left is not None and machine is not None:
            self._edges_left -= sum(map(len, machine.edges))
            if self._edges_left < 0:
                raise TooManyEdgesError

    def _custom(
        self, conjuncts: tuple[Conjunct, ...]
    ) -> tuple[tuple[str, ...], tuple[Conjunct, ...]]:
        """The pointers of custom rules, and conjuncts of what these are not about."""
        if not any(conjunct.custom for conjunct in conjuncts):
            return (), conjuncts
        from pdl.gbnf.compiling.custom_rules import custom_grammar, rule_of, unenforced

        pointers: dict[str, None] = {}
        kept: list[Conjunct] = []
        for conjunct in conjuncts:
            rule = rule_of(conjunct)
            if rule is None:
                kept.append(conjunct)
                continue
            kept.append(conjunct._replace(kinds=conjunct.kinds - rule.kinds))
            kinds = conjunct.kinds & rule.kinds & custom_grammar(rule.pointer, self.document).kinds
            if self._satisfiability.has_value(conjunct._replace(kinds=kinds)):
                pointers[rule.pointer] = None
                for note in unenforced(conjunct, self.document):
                    self._note_post_hoc(*note)
        return tuple(pointers), tuple(kept)

    def _all_numbers(self, conjuncts: Iterable[Conjunct]) -> Dfa | None:
        found: list[Dfa] = []
        for atoms in dict.fromkeys(one.numbers for one in conjuncts if "number" in one.kinds):
            language, notes = self._number(atoms)
            for note in notes:
                self.report(*note)
            found += [] if language is None else [language]
        return build.union(*found) if found else None  # of few states, as each is a number's

    def _all_strings(self, conjuncts: Iterable[Conjunct]) -> Dfa | Lengths | None:
        found = []
        for atoms in dict.fromkeys(one.strings for one in conjuncts if "string" in one.kinds):
            language, notes = self._string(atoms)
            for note in notes:
                self.report(*note)
            found.append(language)
        if not found:
            return None
        from pdl.gbnf.compiling.string_language import union

        try:
            return union(found, self._budget)
        except LimitError as error:
            self.weaken("anyOf", error.problems[0].message)
            return Lengths()

    def has_number(self, atoms: tuple[NumberAtom, ...]) -> bool:
        """Whether a number may satisfy some atoms."""
        return self._number(atoms)[0] is not None

    def has_string(self, atoms: tuple[StringAtom, ...]) -> bool:
        """Whether a string may satisfy some atoms."""
        return self._string(atoms)[0] is not None

    def _number(self, atoms: tuple[NumberAtom, ...]) -> tuple[Dfa | None, Notes]:
        key = frozenset(atoms)
        if key not in self._numbers:
            self._numbers[key] = _noted_numbers(atoms, self.options.numbers)
        return self._numbers[key]

    def _string(self, atoms: tuple[StringAtom, ...]) -> tuple[Dfa | Lengths | None, Notes]:
        key = frozenset(atoms)
        if key not in self._strings:
            self._strings[key] = _noted_strings(atoms, self._budget)
        return self._strings[key]

    def joined(self, literals: Iterable[SchemaLiteral | None]) -> Conjunction | None:
        """A goal of some literals; None if they contradict each other."""
        return self.document.joined(literals)

    def is_unsatisfiable(self, goal: Conjunction) -> bool:
        """Whether it is known that no value satisfies a goal of several literals."""
        return len(goal) > 1 and self._satisfiability.is_unsatisfiable(goal)

    def names_of(self, goal: Conjunction) -> Dfa | None:
        """The strings that satisfy a goal; None if they are not known exactly."""
        parts = []
        for conjunct in self.conjuncts(goal):
            if "string" not in conjunct.kinds:
                continue
            for rule in conjunct.custom:
                self._note_post_hoc(
                    rule.pointer, KEYWORD, "property names don't follow custom rules"
                )
                return None
            language, notes = self._string(conjunct.strings)
            if notes:
                return None
            parts.append(language)
        from pdl.gbnf.compiling.string_language import as_dfa, union

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
        found = satisfiability.values(conjuncts, lambda atoms: self._string(atoms)[0])
        if found is None:
            return None
        return tuple(
            (SchemaLiteral(self.document.add("#/const", {"const": one})),) for one in found
        )

    def report(self, keyword: str, level: Level, why: str) -> None:
        """Note that a keyword of the goal that is compiled is not enforced exactly."""
        self.note(self._pointer, keyword, level, why)

    def note(self, pointer: str, keyword: str, level: Level, why: str) -> None:
        """Note that a keyword is not enforced exactly."""
        self.notes[pointer, keyword, level, why] = None

    def _note_post_hoc(self, pointer: str, keyword: str, why: str) -> None:
        self.note(pointer, keyword, "POST_HOC", why)

    def _overlap(self, one: SchemaLiteral, other: SchemaLiteral) -> bool:
        return not self._satisfiability.is_unsatisfiable(self.document.joined((one, other)))

    def entries(self) -> tuple[Entry, ...]:
        """What was noted."""
        return tuple(Entry(*note) for note in self.notes)

    def release(self) -> None:
        """Let go of what leads back here, which would keep all of it until a collection."""
        del self._tableau, self._satisfiability


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
    from pdl.gbnf.compiling.string_language import strings

    notes: list[tuple[str, Level, str]] = []
    language = strings(atoms, lambda *note: notes.append(note), budget)
    return language, tuple(notes)
