"""From a goal to its conjuncts, by an analytic tableau: all that schemas leave open is decided.

Literals are expanded until only constraints about kinds are left; each disjunction splits a branch
into as many as it has alternatives. Where these are too many, a disjunction is loosened or left
out, and reported: conjuncts have all values of the goal, and perhaps more.

Branches that ask only which keys are there become one formula instead of many conjuncts.
`anyOf: [{required: [a]}, {required: [b]}]` is a clause, a or b; so is most of what is written with
`oneOf`, `not`, `if` and `dependentSchemas` around `required`. A formula keeps one conjunct where
alternatives would give one for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from pdl.gbnf.compiling.asserted import asserted
from pdl.gbnf.compiling.branch import NO_SCOPES, Branch, Rank, Scopes, settle
from pdl.gbnf.compiling.constraints import (
    KINDS,
    Clause,
    Conjunct,
    Conjunction,
    Constraint,
    Constraints,
    Declares,
    Disjunction,
    KeyRule,
    OnlyKinds,
    Presence,
    SchemaLiteral,
)
from pdl.gbnf.compiling.denied import denied
from pdl.gbnf.compiling.document import Place, kind_of, kinds_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.compiling.constraints import Kind
    from pdl.gbnf.compiling.document import Document


_MOST = 64  # clauses of one formula
_DEEPEST = 12  # literals inside literals

_OBJECT = frozenset({"object"})


@dataclass(frozen=True, slots=True)
class Formula:
    """What is asked of objects, and whether values of other kinds satisfy it."""

    others: bool
    clauses: frozenset[Clause]


def formula(
    ways: Iterable[Constraints], meaning: Callable[[SchemaLiteral], tuple[Constraints, ...]]
) -> Formula | None:
    """What alternatives ask of keys; None if they ask for anything else, or for too much.

    `meaning` gives the alternatives of a literal.
    """
    return _either(ways, meaning, _DEEPEST)


def _either(
    ways: Iterable[Constraints],
    meaning: Callable[[SchemaLiteral], tuple[Constraints, ...]],
    depth: int,
) -> Formula | None:
    others = False
    found: list[frozenset[Clause]] = []
    for way in ways:
        one = _all(way, meaning, depth)
        if one is None:
            return None
        others |= one.others
        found.append(one.clauses)
    clauses = _disjunction(found)
    return None if clauses is None else Formula(others, clauses)


def _all(
    way: Constraints, meaning: Callable[[SchemaLiteral], tuple[Constraints, ...]], depth: int
) -> Formula | None:
    others = True
    clauses: frozenset[Clause] = frozenset()
    for constraint in way:
        one = _fact(constraint, meaning, depth)
        if one is None:
            return None
        others &= one.others
        clauses |= one.clauses
    return Formula(others, _shortest(clauses)) if len(clauses) <= _MOST else None


def _fact(
    constraint: Constraint, meaning: Callable[[SchemaLiteral], tuple[Constraints, ...]], depth: int
) -> Formula | None:
    if isinstance(constraint, SchemaLiteral | Disjunction):
        ways = (
            meaning(constraint)
            if isinstance(constraint, SchemaLiteral)
            else constraint.alternatives
        )
        return _either(ways, meaning, depth - 1) if depth else None
    others, clauses = True, frozenset[Clause]()
    match constraint:
        case Declares():
            pass
        case Presence():
            clauses = frozenset({constraint.clause})
        case OnlyKinds() if constraint.kinds == _OBJECT:
            others = False
        case OnlyKinds() if not constraint.kinds:
            others, clauses = False, frozenset({frozenset()})
        case KeyRule() if constraint.literal is None and _is_named(constraint):
            clauses = frozenset(frozenset({(name, False)}) for name in constraint.keys.names)
        case _:
            return None
    return Formula(others, clauses)


def _is_named(rule: KeyRule) -> bool:
    keys = rule.keys
    return keys.among and not keys.patterns and keys.unlike is None


def _disjunction(parts: list[frozenset[Clause]]) -> frozenset[Clause] | None:
    """The conjunctive normal form of one or the other; None if it has too many clauses."""
    if not parts:
        return frozenset({frozenset()})
    result = parts[0]
    for part in parts[1:]:
        if len(result) * len(part) > _MOST * _MOST:
            return None
        joined = (one | other for one, other in product(result, part))
        result = _shortest(frozenset(clause for clause in joined if not _is_true(clause)))
        if len(result) > _MOST:
            return None
    return result


def _is_true(clause: Clause) -> bool:
    return any((key, not there) in clause for key, there in clause)


def _shortest(clauses: frozenset[Clause]) -> frozenset[Clause]:
    """The clauses that no shorter one implies."""
    kept: list[Clause] = []
    for clause in sorted(clauses, key=len):
        if not any(one <= clause for one in kept):
            kept.append(clause)
    return frozenset(kept)


MOST_WAYS = 256
"""Shapes of one goal, and alternatives of one branch."""

_MOST_TOLD_APART = 6
"""Alternatives of an `anyOf` for which it is told which of them hold, where that matters."""


class TooManyWaysError(Exception):
    """A goal has more conjuncts than are looked at."""


@dataclass(frozen=True)
class Expander:
    """Expands goals of one document.

    `weaken` is told what is not enforced exactly; `overlap` whether two literals may have a value
    in common. With `closed` objects have other keys only where a schema says what they hold.
    """

    document: Document
    weaken: Callable[[str, str, str], None]
    overlap: Callable[[SchemaLiteral, SchemaLiteral], bool]
    closed: bool = False

    def conjuncts(self, goal: Conjunction) -> tuple[Conjunct, ...]:
        """The conjuncts of a goal; all values of the goal are in one of them."""
        for loose in (False, True):
            try:
                return self._conjuncts(goal, loose=loose)
            except TooManyWaysError:
                continue
        return self._conjuncts(goal, loose=True, most=MOST_WAYS)

    def _conjuncts(
        self, goal: Conjunction, *, loose: bool, most: int | None = None
    ) -> tuple[Conjunct, ...]:
        notes: dict[tuple[str, str, str], None] = {}
        run = _Run(self, loose, most, notes)
        found: dict[Conjunct, None] = {}
        ways = [Branch([])]
        ways[0].then(goal, NO_SCOPES, ())
        steps = 0
        while ways:
            way = ways.pop()
            steps += 1
            if most is None and steps > MOST_WAYS:
                raise TooManyWaysError
            following = run.settled(way)
            if following is None:
                found[way.conjunct()] = None
            else:
                ways += reversed(following)
        for note in notes:
            self.weaken(*note)
        return tuple(found)

    def kinds(self, literal: SchemaLiteral) -> frozenset[Kind]:
        """The kinds that a literal may leave, as far as its schema says so right away."""
        schema = self.document.at(literal.pointer)
        for _ in range(8):
            if not isinstance(schema, dict) or "$ref" not in schema or "type" in schema:
                break
            schema = self.document.at(self.document.target(schema["$ref"]))
        if isinstance(schema, bool):
            return frozenset(KINDS if schema == literal.positive else ())
        if not literal.positive:
            kinds, integers = kinds_named(schema["type"]) if set(schema) == {"type"} else ((), True)
            return frozenset(KINDS) if integers else frozenset(KINDS) - frozenset(kinds)
        if "type" in schema:
            return kinds_named(schema["type"])[0]
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        return frozenset(KINDS) if values is None else frozenset(map(kind_of, values))


@dataclass(frozen=True)
class _Run:
    """One attempt: `loose` takes the looser branches, `most` leaves out what goes beyond it."""

    expander: Expander
    loose: bool
    most: int | None
    notes: dict[tuple[str, str, str], None]

    def settled(self, way: Branch) -> list[Branch] | None:
        """Read what is pending; the ways that the next branch leads to, None if none is left."""
        while True:
            while way.pending and not way.dead:
                self._read(way, *way.pending.pop())
            if way.dead:
                return []
            if not way.branches:
                break
            following = self._branch(way)
            if following is not None:
                return following
        if way.unevaluated:
            settle(way, self.expander.document)
        if self.expander.closed:
            way.close()
        return None

    def _note(self, pointer: str, keyword: str, why: str) -> None:
        self.notes[pointer, keyword, why] = None

    def _place(self, pointer: str) -> Place:
        document = self.expander.document
        return Place(document, pointer, document.at(pointer), self._note, self._overlap)

    def _overlap(self, one: SchemaLiteral, other: SchemaLiteral) -> bool:
        return not self.loose and self.expander.overlap(one, other)

    def _read(self, way: Branch, constraint: Constraint, scopes: Scopes, rank: Rank) -> None:
        if not isinstance(constraint, SchemaLiteral):
            way.add(constraint, scopes, rank)
            return
        simple = self.expander.document.simplified(constraint)
        if simple is None:
            way.kinds = frozenset()
            return
        if scopes and simple and constraint.positive:
            simple = (constraint,)  # what a `not` inside of a `not` looks at does not count
        elif not constraint.positive:
            scopes = NO_SCOPES
        if constraint.pointer in self.expander.document.made:
            scopes = NO_SCOPES  # a constant, which looks at nothing
        for literal in simple:
            opposite = SchemaLiteral(literal.pointer, not literal.positive)
            if (literal, scopes) in way.done:
                continue
            if any(one == opposite for one, _ in way.done):
                way.kinds = frozenset()
                return
            way.done[literal, scopes] = None
            self._claim(way, literal, scopes, rank)

    def _claim(self, way: Branch, literal: SchemaLiteral, scopes: Scopes, rank: Rank) -> None:
        place = self._place(literal.pointer)
        if literal.positive:
            if "unevaluatedProperties" in place.schema or "unevaluatedItems" in place.schema:
                scopes |= {literal.pointer}
            way.then((constraint for _, constraint in asserted(place)), scopes, rank)
            return
        ways = denied(place)
        if len(ways) == 1:
            way.then(ways[0], NO_SCOPES, rank)
        else:
            way.then((Disjunction(ways, literal.pointer, "not"),), NO_SCOPES, rank)

    def _meaning(self, literal: SchemaLiteral) -> tuple[Constraints, ...]:
        """The alternatives of a literal, for a formula."""
        simple = self.expander.document.simplified(literal)
        if simple is None:
            return ()
        if simple == ():
            return ((),)
        place = self._place(simple[0].pointer)
        if not simple[0].positive:
            return denied(place)
        return (tuple(constraint for _, constraint in asserted(place)),)

    def _branch(self, way: Branch) -> list[Branch] | None:
        """Decide the branch with the fewest alternatives; None if that needs no decision."""
        best: tuple[int, tuple[Constraints, ...]] | None = None
        for index, (branch, scopes, _) in enumerate(way.branches):
            ways = self._alternatives(way, branch, scopes)
            if best is None or len(ways) < len(best[1]):
                best = index, ways
            if len(ways) <= 1:
                break
        assert best is not None
        branch, scopes, rank = way.branches.pop(best[0])
        ways = best[1]
        if not scopes and not all(ways):
            return None  # one of the alternatives is true
        if not scopes and len(ways) > 1 and self._formula(way, ways):
            return None
        if len(ways) > 1 and self.most and way.decided * len(ways) > self.most:
            self._note(branch.pointer, branch.keyword, "there are too many ways to satisfy it")
            way.kinds = frozenset().union(*(self._kinds(way, one) for one in ways))
            return None
        if self.loose and branch.looser and len(branch.alternatives) > 1:
            self._note(branch.pointer, branch.keyword, "it is too much to tell its schemas apart")
        if len(ways) == 1:
            way.then(ways[0], scopes, rank)
            return None
        return [way.fork(one, scopes, rank, len(ways)) for one in ways]

    def _formula(self, way: Branch, ways: tuple[Constraints, ...]) -> bool:
        """Take a branch as a formula about keys, if it is one."""
        found = formula(ways, self._meaning)
        if found is None:
            return False
        if not found.others:
            way.kinds &= frozenset({"object"})
        if frozenset() in found.clauses:
            way.kinds -= {"object"}
            return True
        way.then(map(Presence, found.clauses), NO_SCOPES, ())
        return True

    def _alternatives(
        self, way: Branch, branch: Disjunction, scopes: Scopes
    ) -> tuple[Constraints, ...]:
        """The alternatives of a branch that the kinds of the way leave."""
        ways = branch.alternatives
        if self.loose and branch.looser:
            ways = branch.looser
        ways = tuple(one for one in ways if self._kinds(way, one))
        if scopes and branch.keyword == "anyOf" and len(ways) > 1:
            ways = self._told_apart(branch, ways)
        return ways

    def _kinds(self, way: Branch, constraints: Constraints) -> frozenset[Kind]:
        """The kinds that an alternative leaves."""
        kinds = way.kinds
        for constraint in constraints:
            if isinstance(constraint, OnlyKinds):
                kinds &= constraint.kinds
            elif isinstance(constraint, SchemaLiteral):
                opposite = SchemaLiteral(constraint.pointer, not constraint.positive)
                if (opposite, NO_SCOPES) in way.done:
                    return frozenset()
                kinds &= self.expander.kinds(constraint)
        return kinds

    def _told_apart(
        self, branch: Disjunction, ways: tuple[Constraints, ...]
    ) -> tuple[Constraints, ...]:
        """Alternatives that say of each schema of an `anyOf` whether it holds."""
        literals = [one[0] for one in ways if isinstance(one[0], SchemaLiteral)]
        if len(literals) > _MOST_TOLD_APART:
            self._note(branch.pointer, "anyOf", "too many of its schemas may hold at once")
            return ways
        return tuple(
            tuple(
                SchemaLiteral(literal.pointer, positive=bool(mask >> index & 1))
                for index, literal in enumerate(literals)
            )
            for mask in range((1 << len(literals)) - 1, 0, -1)
        )
