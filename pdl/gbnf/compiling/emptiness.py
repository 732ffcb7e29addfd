"""`find_value`: a value that satisfies a document (a witness), or a proof that none does.

Goals, their conjuncts and their machines are those of grammars, but numbers are decided by value,
and nothing is left out: what is not decided exactly has more values, never fewer. So what is found
to be empty is empty, and a value is to be checked where keywords are `unenforced`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, cast

from pdl.gbnf.compiling.compiler import Compiler
from pdl.gbnf.compiling.constraints import StringAtom
from pdl.gbnf.compiling.machine import Lengths
from pdl.gbnf.compiling.number_values import number_values
from pdl.gbnf.compiling.objects import object_machine
from pdl.gbnf.compiling.values import NOT_KNOWN, Costs, Maker, Shape, UnknownValueError, relaxed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.compiler import Notes
    from pdl.gbnf.compiling.constraints import Conjunct, Conjunction, NumberAtom
    from pdl.gbnf.compiling.document import Document
    from pdl.gbnf.compiling.options import Entry, Options
    from pdl.gbnf.limits_errors import Clock

_MOST_BRANCHES = 2_048
"""Branches of one tableau: more than a grammar has use for."""

_SAMPLES = 400


class ValueCompiler(Compiler):
    """Decides which goals have scalars by their values, without what a grammar leaves out."""

    def __init__(self, document: Document, options: Options, clock: Clock) -> None:
        super().__init__(document, options, clock, most_branches=_MOST_BRANCHES)

    def has_number(self, atoms: tuple[NumberAtom, ...]) -> bool:
        """Whether it is not proven that no number satisfies some atoms."""
        return number_values(frozenset(atoms)) is not None

    def _string(self, atoms: tuple[StringAtom, ...]) -> tuple[Dfa | Lengths | None, Notes]:
        """The strings of some atoms: some of them, or more if none of those is left."""
        lengths = _lengths(atoms)
        if lengths is None or any(map(atoms.__contains__, _opposites(atoms))):
            return None, ()
        if all(one.keyword in ("minLength", "maxLength") for one in atoms):
            return lengths, ()
        language, notes = super()._string(atoms)
        if language is None and any(level == "BOUNDED" for _, level, _ in notes):
            language, others = super()._string(tuple(map(_wider, atoms)))
            notes = (*others, *((word, "POST_HOC", why) for word, _, why in notes))
        return language, notes

    def strings(self, conjunct: Conjunct) -> Dfa | Lengths | None:
        """The strings of a conjunct."""
        language, notes = self._string(conjunct.strings)
        for note in notes:
            self.report(*note)
        return language

    def finite(self, goal: Conjunction) -> tuple[Conjunction, ...] | None:
        """The values of a goal, each as a goal; None if more than a few, or not known exactly."""
        conjuncts = self.conjuncts(goal)
        return super().finite(goal) if all(map(self._is_exact, conjuncts)) else None

    def _is_exact(self, conjunct: Conjunct) -> bool:
        divided = any(atom.keyword == "multipleOf" for atom in conjunct.numbers)
        return not (
            ("number" in conjunct.kinds and divided)
            or ("string" in conjunct.kinds and self._string(conjunct.strings)[1])
        )


_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
_OFFSET = r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_DATE = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_LABEL = "[A-Za-z0-9-]+"
_WIDER = {
    "time": f"^{_TIME}{_OFFSET}$",
    "x-time": f"^{_TIME}{_OFFSET}?$",
    "date-time": f"^{_DATE}[Tt]{_TIME}{_OFFSET}$",
    "x-date-time": f"^{_DATE}[Tt]{_TIME}{_OFFSET}?$",
    "email": r"^[\x20-\x7e]+@[A-Za-z0-9.:\[\]-]+$",
    "hostname": rf"^{_LABEL}(\.{_LABEL})*$",
}
"""Patterns that all strings of a format match, where its language leaves out rare ones."""

_IMPLIED = {
    "date-time": "x-date-time",
    "email": "idn-email",
    "hostname": "idn-hostname",
    "time": "x-time",
}
"""Formats that all strings of another one have."""


def _wider(atom: StringAtom) -> StringAtom:
    """An atom that more strings satisfy, whose language is known."""
    if atom.keyword == "format" and atom.positive and atom.value in _WIDER:
        return StringAtom("pattern", _WIDER[str(atom.value)])
    return atom


def _opposites(atoms: tuple[StringAtom, ...]) -> Iterator[StringAtom]:
    """The atoms that contradict one of some atoms."""
    for atom in atoms:
        if atom.positive:
            yield StringAtom(atom.keyword, atom.value, positive=False)
            if atom.keyword == "format" and atom.value in _IMPLIED:
                yield StringAtom("format", _IMPLIED[str(atom.value)], positive=False)


def _lengths(atoms: tuple[StringAtom, ...]) -> Lengths | None:
    """The lengths that some atoms leave; None if they contradict each other."""
    least, most = 0, None
    for atom in atoms:
        if atom.keyword not in ("minLength", "maxLength"):
            continue
        value = int(cast("int", atom.value))
        if (atom.keyword == "minLength") == atom.positive:
            least = max(least, value + (not atom.positive))
        else:
            value -= not atom.positive
            most = value if most is None else min(most, value)
    return None if most is not None and least > most else Lengths(least, most)


@dataclass(frozen=True)
class Empty:
    """It is proven that no value satisfies the document."""


@dataclass(frozen=True)
class Found:
    """There may be values.

    They satisfy the document, except for what keywords `unenforced` say.
    """

    unenforced: tuple[Entry, ...]
    _search: _Search = field(repr=False)

    def values(self) -> Iterator[Json]:
        """Values where some are known, a few hundred: one of the shortest first, then others.

        The others are pseudo-random, the same in each run, and can come up more than once.
        """
        return self._search.values()


def find_value(document: Document, options: Options, clock: Clock) -> Empty | Found:
    """Look for a value that satisfies a document, or prove that there is none.

    Raises LimitError where the time of `clock` is over, and SchemaError for a pattern that is not
    one.
    """
    compiler = ValueCompiler(document, options, clock)
    if compiler.root is None:
        return Empty()
    search = _Search(compiler, compiler.root)
    # Most documents have values that deny nothing; if that is not so, more is to be looked at.
    if not search.has_value(_denies_nothing) or not search.has_value():
        return Empty()
    return Found(tuple(one for one in compiler.entries() if one.level == "POST_HOC"), search)


def _denies_nothing(goal: Conjunction) -> bool:
    return all(literal.positive for literal in goal)


_ANYTHING = [Shape((0, 1, 2, None, True, "", "a", 0.5, [], {}))]


class _Search:
    """The goals that a root reaches, and what their shortest values cost in characters."""

    def __init__(self, compiler: ValueCompiler, root: Conjunction) -> None:
        self._compiler = compiler
        self._root = root
        self._shapes: dict[Conjunction, list[Shape]] = {(): _ANYTHING}
        self._costs: Costs = {}

    def has_value(self, assumed: Callable[[Conjunction], bool] = lambda _: False) -> bool:
        """Whether the root may have a value, if all goals that are assumed to have one have one."""
        self._costs = {}
        goals: dict[Conjunction, None] = {}
        pending = [self._root]
        while pending:
            goal = pending.pop()
            if goal in goals or goal in self._costs:
                continue
            if goal != self._root and assumed(goal):
                self._costs[goal] = 1
                continue
            goals[goal] = None
            pending += dict.fromkeys(one for shape in self._of(goal) for one in shape.inner())
        relaxed(list(goals)[::-1], self._costs, self._of)
        return self._root in self._costs

    def _of(self, goal: Conjunction) -> list[Shape]:
        """The values of a goal, by its conjuncts."""
        if goal not in self._shapes:
            self._compiler.at(goal)
            self._shapes[goal] = [self._shape(one) for one in self._compiler.conjuncts(goal)]
        return self._shapes[goal]

    def _shape(self, conjunct: Conjunct) -> Shape:
        kinds, compiler = conjunct.kinds, self._compiler
        scalars: list[Json] = [None] if "null" in kinds else []
        if "boolean" in kinds:
            scalars += sorted(conjunct.booleans, reverse=True)
        if "number" in kinds:
            numbers = number_values(frozenset(conjunct.numbers))
            scalars += (NOT_KNOWN,) if numbers == () else numbers or ()
        arrays = None
        if "array" in kinds:
            from pdl.gbnf.compiling.arrays import array_machine  # noqa: PLC0415 - not in all

            arrays = array_machine([conjunct.arrays], compiler)
        return Shape(
            tuple(scalars),
            compiler.strings(conjunct) if "string" in kinds else None,
            arrays,
            object_machine([conjunct.objects], compiler) if "object" in kinds else None,
            conjunct.arrays.unique,
        )

    def values(self) -> Iterator[Json]:
        """Values of the root."""
        for seed in range(_SAMPLES):
            chance = Random(seed) if seed else None  # noqa: S311 - no secret
            try:
                yield Maker(self._of, self._costs, chance).value(self._root)
            except UnknownValueError:
                continue
