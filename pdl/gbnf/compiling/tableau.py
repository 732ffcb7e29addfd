"""From a goal to its disjunctive normal form, by an analytic tableau (Smullyan 1968).

Literals are expanded until only constraints about kinds are left; each disjunction splits a branch
into as many as it has alternatives. Where these are too many, a disjunction is loosened or left
out, and reported: conjuncts have all values of the goal, and perhaps more. Disjunctions that ask
only which keys are there become formulas (`cnf`), so that one conjunct is enough for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.gbnf.compiling.branch import NO_SCOPES, Branch, Rank, Scopes
from pdl.gbnf.compiling.constraints import (
    KINDS,
    Conjunct,
    Conjunction,
    Constraint,
    Constraints,
    Disjunction,
    Kinds,
    Limit,
    Presence,
    SchemaLiteral,
    Unevaluated,
)
from pdl.gbnf.compiling.document import Subschema, kind_of, kinds_named
from pdl.gbnf.compiling.keyword_semantics import assert_schema, deny_schema
from pdl.gbnf.compiling.satisfiability import PresenceFormula, presence_formula

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.gbnf.compiling.document import Document


MOST_BRANCHES = 256
"""Branches of one tableau, and alternatives that are split on the way to one of them."""

_MOST_TOLD_APART = 6
"""Schemas of an `anyOf` of which each combination is an alternative, where that matters."""


class TooManyBranchesError(Exception):
    """The tableau of a goal has more branches than are looked at."""


@dataclass(frozen=True)
class Tableau:
    """Expands goals of one document.

    `weaken` is told what is not enforced exactly; `overlap` whether two literals may have a value
    in common. With `closed` objects have no keys except those of which a schema says something.
    `most` is how many branches of one goal are looked at. `check` raises where the time is over.
    """

    document: Document
    weaken: Callable[[str, str, str], None]
    overlap: Callable[[SchemaLiteral, SchemaLiteral], bool]
    closed: bool = False
    most: int = MOST_BRANCHES
    check: Callable[[], None] = lambda: None
    kinds_told: dict[SchemaLiteral, Kinds] = field(default_factory=dict)
    asserted: dict[str, Constraints] = field(default_factory=dict)

    def to_dnf(self, goal: Conjunction) -> tuple[Conjunct, ...]:
        """The conjuncts of a goal; each value of the goal satisfies one of them."""
        for loose in (False, True):
            expansion = _Expansion(self, loose)
            try:
                return self._to_dnf(goal, expansion)
            except TooManyBranchesError:
                if not expansion.compared:
                    break  # a loose attempt would be the same one
        return self._to_dnf(goal, _Expansion(self, loose=True, most=self.most))

    def _to_dnf(self, goal: Conjunction, expansion: _Expansion) -> tuple[Conjunct, ...]:
        found: dict[Conjunct, None] = {}
        branches = [Branch([])]
        branches[0].then(goal, NO_SCOPES, ())
        steps = 0
        while branches:
            branch = branches.pop()
            steps += 1
            if expansion.most is None and steps > self.most:
                raise TooManyBranchesError
            following = expansion.expand(branch)
            if following is None:
                found[branch.freeze()] = None
            else:
                branches += reversed(following)
        for note in expansion.notes:
            self.weaken(*note)
        return tuple(found)

    def kinds(self, literal: SchemaLiteral) -> Kinds:
        """The kinds that a literal may leave, if its schema says so right away."""
        if literal not in self.kinds_told:
            self.kinds_told[literal] = self._kinds_told(literal)
        return self.kinds_told[literal]

    def _kinds_told(self, literal: SchemaLiteral) -> Kinds:
        schema = self.document.at(literal.pointer)
        place = literal.pointer
        for _ in range(8):
            if not isinstance(schema, dict) or "$ref" not in schema or "type" in schema:
                break
            place = self.document.target(schema["$ref"], place)
            schema = self.document.at(place)
        if isinstance(schema, bool):
            return frozenset(KINDS if schema == literal.positive else ())
        if not literal.positive:
            kinds, integers = kinds_named(schema["type"]) if set(schema) == {"type"} else ((), True)
            return frozenset(KINDS) if integers else frozenset(KINDS) - frozenset(kinds)
        if "type" in schema:
            return kinds_named(schema["type"])[0]
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        return frozenset(KINDS) if values is None else frozenset(map(kind_of, values))


@dataclass
class _Expansion:
    """One attempt: `loose` takes the looser alternatives, `most` leaves out what goes beyond it.

    `compared`: schemas were, to tell which can apply together; a loose attempt does not do that.
    """

    tableau: Tableau
    loose: bool
    most: int | None = None
    compared: bool = False
    notes: dict[tuple[str, str, str], None] = field(default_factory=dict)
    formulas: dict[tuple[Constraints, ...], PresenceFormula | None] = field(default_factory=dict)

    def expand(self, branch: Branch) -> list[Branch] | None:
        """Read what is pending; the branches of the next split, None if there is none left."""
        while True:
            while branch.pending and not branch.is_closed:
                self._read(branch, *branch.pending.pop())
            if branch.is_closed:
                return []
            if not branch.disjunctions:
                break
            following = self._split(branch)
            if following is not None:
                return following
        branch.settle(self.tableau.document)
        if self.tableau.closed:
            branch.close_objects()
        return None

    def _note(self, pointer: str, keyword: str, why: str) -> None:
        self.notes[pointer, keyword, why] = None

    def _schema(self, pointer: str) -> Subschema:
        document = self.tableau.document
        return Subschema(document, pointer, document.at(pointer), self._note, self._overlap)

    def _overlap(self, one: SchemaLiteral, other: SchemaLiteral) -> bool:
        if self.loose:
            return False
        self.compared = True
        return self.tableau.overlap(one, other)

    def _read(self, branch: Branch, constraint: Constraint, scopes: Scopes, rank: Rank) -> None:
        if isinstance(constraint, Unevaluated) and not constraint.positive:
            scopes = frozenset({constraint.pointer})
            schema = self._schema(constraint.pointer)
            branch.then(assert_schema(schema, evaluating=True), scopes, rank)
        if not isinstance(constraint, SchemaLiteral):
            branch.add(constraint, scopes, rank)
            return
        document = self.tableau.document
        simple = document.simplified(constraint)
        if simple is None:
            branch.kinds = frozenset()
            return
        if scopes and simple and constraint.positive:
            simple = (constraint,)  # what a `not` inside of a `not` evaluates does not count
        if not constraint.positive or constraint.pointer in document.made:
            scopes = NO_SCOPES  # as a constant evaluates nothing
        for literal in simple:
            before = branch.expanded.get(literal, ())
            if scopes in before:
                continue
            if literal.opposite in branch.expanded:
                branch.kinds = frozenset()
                return
            branch.expanded[literal] = (*before, scopes)
            self._replace(branch, literal, scopes, rank)

    def _asserted(self, schema: Subschema) -> Constraints:
        """What a schema says: always the same but for `oneOf`, which depends on what overlaps."""
        known = self.tableau.asserted
        if schema.pointer in known:
            return known[schema.pointer]
        found = assert_schema(schema)
        if "oneOf" not in schema.keywords:
            known[schema.pointer] = found
        return found

    def _replace(self, branch: Branch, literal: SchemaLiteral, scopes: Scopes, rank: Rank) -> None:
        """Read what a literal means next."""
        schema = self._schema(literal.pointer)
        if literal.positive:
            if "unevaluatedProperties" in schema.keywords or "unevaluatedItems" in schema.keywords:
                scopes |= {literal.pointer}
            branch.then(self._asserted(schema), scopes, rank)
            return
        alternatives = deny_schema(schema)
        if len(alternatives) == 1:
            branch.then(alternatives[0], NO_SCOPES, rank)
        else:
            branch.then((Disjunction(alternatives, literal.pointer, "not"),), NO_SCOPES, rank)

    def _meaning(self, literal: SchemaLiteral) -> tuple[Constraints, ...]:
        """The alternatives of a literal, for a formula."""
        simple = self.tableau.document.simplified(literal)
        if simple is None:
            return ()
        if simple == ():
            return ((),)
        schema = self._schema(simple[0].pointer)
        return (self._asserted(schema),) if simple[0].positive else deny_schema(schema)

    def _split(self, branch: Branch) -> list[Branch] | None:
        """Split by the disjunction with the fewest alternatives; None if more is to be read first.

        Those that need no split are decided. While that changes nothing for the others, their
        alternatives remain as they were found.
        """
        found: list[tuple[Constraints, ...]] = []
        kinds = branch.kinds
        while branch.disjunctions and not branch.pending and branch.kinds == kinds:
            index = self._fewest(branch, found)
            following = self._decided(branch, *branch.disjunctions.pop(index), found.pop(index))
            if following is not None:
                return following
        return None

    def _fewest(self, branch: Branch, found: list[tuple[Constraints, ...]]) -> int:
        """The index of the disjunction with the fewest alternatives; the first of one or none.

        `found` has the alternatives of the first disjunctions, and gets those of the next ones.
        """
        for disjunction, scopes, _ in branch.disjunctions[len(found) :]:
            self.tableau.check()
            found.append(self._alternatives(branch, disjunction, scopes))
            if len(found[-1]) <= 1:
                return len(found) - 1
        return min(range(len(found)), key=lambda index: len(found[index]))

    def _decided(
        self,
        branch: Branch,
        disjunction: Disjunction,
        scopes: Scopes,
        rank: Rank,
        alternatives: tuple[Constraints, ...],
    ) -> list[Branch] | None:
        """The branches of alternatives; None if these need no split."""
        count = len(alternatives)
        pointer, keyword = disjunction.pointer, disjunction.keyword
        if not scopes and not all(alternatives):
            return None  # one of the alternatives is true
        if not scopes and count > 1 and self._is_formula(branch, alternatives):
            return None
        if count > 1 and self.most and branch.splits * count > self.most:
            self._note(pointer, keyword, "there are too many ways to satisfy it")
            branch.kinds &= frozenset().union(*(self._kinds(branch, one) for one in alternatives))
            return None
        if self.loose and disjunction.looser and len(disjunction.alternatives) > 1:
            self._note(pointer, keyword, "distinguishing its schemas takes too many cases")
        if count == 1:
            branch.then(alternatives[0], scopes, rank)
            return None
        return [branch.fork(one, scopes, rank, count) for one in alternatives]

    def _is_formula(self, branch: Branch, alternatives: tuple[Constraints, ...]) -> bool:
        """Take alternatives as a formula about keys, if they are one."""
        if alternatives not in self.formulas:
            self.formulas[alternatives] = presence_formula(alternatives, self._meaning)
        found = self.formulas[alternatives]
        if found is None:
            return False
        if not found.others:
            branch.kinds &= frozenset({"object"})
        if frozenset() in found.clauses:
            branch.kinds -= {"object"}
            return True
        branch.then(map(Presence, found.clauses), NO_SCOPES, ())
        return True

    def _alternatives(
        self, branch: Branch, disjunction: Disjunction, scopes: Scopes
    ) -> tuple[Constraints, ...]:
        """The alternatives of a disjunction that the kinds of the branch leave."""
        found = disjunction.alternatives
        if self.loose and disjunction.looser:
            found = disjunction.looser
        found = tuple([one for one in found if self._kinds(branch, one)])
        if scopes and disjunction.keyword == "anyOf" and len(found) > 1:
            return self._combinations(disjunction, found)
        return found

    def _kinds(self, branch: Branch, constraints: Constraints) -> Kinds:
        """The kinds that an alternative leaves."""
        kinds = branch.kinds
        for constraint in constraints:
            if isinstance(constraint, SchemaLiteral):
                if NO_SCOPES in branch.expanded.get(constraint.opposite, ()):
                    return frozenset()
                kinds &= self.tableau.kinds(constraint)
            elif isinstance(constraint, Limit) and constraint.field == "kinds":
                kinds &= constraint.value
            elif refuted := branch.refuted(constraint, constraints):
                kinds -= refuted
        return kinds

    def _combinations(
        self, disjunction: Disjunction, alternatives: tuple[Constraints, ...]
    ) -> tuple[Constraints, ...]:
        """Alternatives that say of each schema of an `anyOf` whether a value satisfies it."""
        literals = [one[0] for one in alternatives if isinstance(one[0], SchemaLiteral)]
        if len(literals) > _MOST_TOLD_APART:
            self._note(
                disjunction.pointer, "anyOf", "too many of its schemas can apply at the same time"
            )
            return alternatives
        return tuple(
            tuple(
                literal if mask >> index & 1 else literal.opposite
                for index, literal in enumerate(literals)
            )
            for mask in range((1 << len(literals)) - 1, 0, -1)
        )
