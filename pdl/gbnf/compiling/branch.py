"""`Branch`: one branch of the tableau, which becomes a conjunct; and unevaluated parts.

`settle` is for `unevaluatedProperties` and `unevaluatedItems`, which are about what no other
keyword has looked at. Source: JSON Schema Core 2020-12, section 11. A conjunct has decided which
schemas a value satisfies, so that the keys and items that they look at are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.compiling.constraints import (
    KINDS,
    LOOKED,
    ArrayConjunct,
    Clause,
    Conjunct,
    Constraint,
    Constraints,
    Contains,
    Declares,
    Disjunction,
    ItemRule,
    KeyRule,
    Keys,
    Kind,
    Length,
    Members,
    NumberAtom,
    ObjectConjunct,
    OnlyBooleans,
    OnlyKinds,
    Presence,
    SchemaLiteral,
    Some,
    StringAtom,
    Unevaluated,
    Unique,
    Written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.compiling.document import Document


Scopes: TypeAlias = frozenset[str]
"""The schemas with `unevaluated…` for which it counts what a constraint has looked at."""

NO_SCOPES: Scopes = frozenset()

Rank: TypeAlias = tuple[int, ...]
"""Where something is said, as one reads the schema; ranks compare in that order."""


@dataclass(slots=True)
class Branch:
    """What is known of a value, what is still to be read, and what is to be decided.

    `looked` holds, for each scope, the keys and items that constraints have looked at.
    """

    pending: list[tuple[Constraint, Scopes, Rank]]
    kinds: frozenset[Kind] = frozenset(KINDS)
    booleans: frozenset[bool] = frozenset({True, False})
    numbers: dict[NumberAtom, None] = field(default_factory=dict)
    texts: dict[StringAtom, None] = field(default_factory=dict)
    order: dict[str, Rank] = field(default_factory=dict)
    rules: dict[KeyRule, None] = field(default_factory=dict)
    some: dict[Some, None] = field(default_factory=dict)
    clauses: dict[Clause, None] = field(default_factory=dict)
    members: tuple[int, int | None] = (0, None)
    items: dict[ItemRule, None] = field(default_factory=dict)
    contains: dict[Contains, None] = field(default_factory=dict)
    length: tuple[int, int | None] = (0, None)
    unique: bool = False
    branches: list[tuple[Disjunction, Scopes, Rank]] = field(default_factory=list)
    done: dict[tuple[SchemaLiteral, Scopes], None] = field(default_factory=dict)
    written: dict[Written, None] = field(default_factory=dict)
    unevaluated: list[tuple[Unevaluated, Scopes]] = field(default_factory=list)
    looked: list[tuple[Scopes, KeyRule | ItemRule | Contains]] = field(default_factory=list)
    decided: int = 1

    def fork(
        self, constraints: Constraints, scopes: Scopes, rank: Rank, alternatives: int
    ) -> Branch:
        """The same with more constraints, for one of some alternatives."""
        copies = {
            name: getattr(self, name).copy()
            for name in (
                *("numbers", "texts", "order", "rules", "some", "clauses", "items", "contains"),
                *("branches", "done", "written", "unevaluated", "looked"),
            )
        }
        pending = list(_ranked(constraints, scopes, rank))
        decided = self.decided * alternatives
        return replace(self, pending=pending, decided=decided, **copies)

    def then(self, constraints: Iterable[Constraint], scopes: Scopes, rank: Rank) -> None:
        """Read these constraints next, in their order."""
        self.pending += _ranked(tuple(constraints), scopes, rank)

    def add(self, constraint: Constraint, scopes: Scopes, rank: Rank = ()) -> None:  # noqa: C901, PLR0912 - one case a constraint
        """Take a constraint that is neither a literal nor a presence formula."""
        match constraint:
            case OnlyKinds():
                self.kinds &= constraint.kinds
            case OnlyBooleans():
                self.booleans &= constraint.values
            case NumberAtom():
                self.numbers[constraint] = None
            case StringAtom():
                self.texts[constraint] = None
            case Declares():
                for index, name in enumerate(constraint.names):
                    place = (*rank, index)
                    self.order[name] = min(self.order.get(name, place), place)
            case KeyRule():
                self.rules[constraint] = None
            case Some():
                self.some[constraint] = None
            case Presence():
                self.clauses[constraint.clause] = None
            case Members():
                self.members = both(self.members, (constraint.least, constraint.most))
            case ItemRule():
                self.items[constraint] = None
            case Contains():
                self.contains[constraint] = None
            case Length():
                self.length = both(self.length, (constraint.least, constraint.most))
            case Unique():
                self.unique = True
            case Written():
                self.written[constraint] = None
            case Unevaluated():
                self.unevaluated.append((constraint, scopes))
            case Disjunction():
                if scopes or constraint.keyword != LOOKED:
                    self.branches.append((constraint, scopes, rank))
            case _:
                raise AssertionError(constraint)
        if scopes and isinstance(constraint, KeyRule | ItemRule | Contains):
            self.looked.append((scopes, constraint))

    def close(self) -> None:
        """Leave out other keys than those that are named, unless a rule says what they hold."""
        keys = [rule.keys for rule in self.rules if rule.keys.unlike is None]
        if self.order and all(one.among for one in keys):
            asked = {key for clause in self.clauses for key, _ in clause}
            names = frozenset(asked).union(self.order, *(one.names for one in keys))
            patterns = tuple(dict.fromkeys(pattern for one in keys for pattern in one.patterns))
            self.rules[KeyRule(Keys(names, patterns, among=False), None)] = None

    @property
    def dead(self) -> bool:
        """Whether no value is left."""
        return not self.kinds

    def conjunct(self) -> Conjunct:
        """What is known, once nothing is left to be read or decided."""
        needed = (
            key for clause in self.clauses if len(clause) == 1 for key, there in clause if there
        )
        declared = sorted(self.order, key=self.order.__getitem__)
        order = tuple(dict.fromkeys((*declared, *needed)))
        rules, some = tuple(self.rules), tuple(self.some)
        clauses = frozenset(self.clauses)
        least, most = self.length
        objects = ObjectConjunct(order, rules, some, clauses, *self.members)
        contains = tuple(one for one in self.contains if one.least or one.most is not None)
        arrays = ArrayConjunct(tuple(self.items), contains, least, most, self.unique)
        numbers, texts = tuple(self.numbers), tuple(self.texts)
        written = tuple(self.written)
        said = tuple(dict.fromkeys(literal for literal, _ in self.done)) if written else ()
        return Conjunct(self.kinds, self.booleans, numbers, texts, objects, arrays, written, said)


def _ranked(
    constraints: Constraints, scopes: Scopes, rank: Rank
) -> list[tuple[Constraint, Scopes, Rank]]:
    """Constraints to be read, the first one last."""
    found = [(constraint, scopes, (*rank, index)) for index, constraint in enumerate(constraints)]
    found.reverse()
    return found


def both(one: tuple[int, int | None], other: tuple[int, int | None]) -> tuple[int, int | None]:
    """The bounds that hold if two pairs of bounds do."""
    mosts = [most for most in (one[1], other[1]) if most is not None]
    return max(one[0], other[0]), min(mosts, default=None)


def settle(way: Branch, document: Document) -> None:
    """Turn what a way says of unevaluated parts into rules, the innermost schemas first."""
    for constraint, scopes in sorted(way.unevaluated, key=lambda one: -len(one[1])):
        looked = [one for within, one in way.looked if constraint.pointer in within]
        if constraint.what == "properties":
            _properties(way, looked, constraint.literal, scopes - {constraint.pointer})
        else:
            _items(way, looked, constraint.literal, scopes - {constraint.pointer}, document)
    way.unevaluated.clear()


def _properties(
    way: Branch, looked: Iterable[object], literal: SchemaLiteral | None, scopes: Scopes
) -> None:
    keys = [one.keys for one in looked if isinstance(one, KeyRule) and one.keys.unlike is None]
    names = frozenset(name for one in keys if one.among for name in one.names)
    patterns = tuple(
        dict.fromkeys(pattern for one in keys if one.among for pattern in one.patterns)
    )
    if all(one.among for one in keys):
        way.add(KeyRule(Keys(names, patterns, among=False), literal), scopes)


def _items(
    way: Branch,
    looked: Iterable[object],
    literal: SchemaLiteral | None,
    scopes: Scopes,
    document: Document,
) -> None:
    rules = [one for one in looked if isinstance(one, ItemRule)]
    if any(one.stop is None for one in rules):
        return
    start = max((one.stop or 0 for one in rules), default=0)
    contained = [
        one.literal for one in looked if isinstance(one, Contains) and one.literal.positive
    ]
    if contained:
        rest = [{"$ref": one.pointer} for one in contained]
        rest += [] if literal is None else [{"$ref": literal.pointer}]
        literal = SchemaLiteral(document.add("#/unevaluatedItems", {"anyOf": rest}))
    way.add(ItemRule(start, None, literal), scopes)
