"""`Way`: one conjunction of facts on its way to become a shape; and what it has not looked at.

`settle` is for `unevaluatedProperties` and `unevaluatedItems`, which are about what no other
keyword has looked at. Source: JSON Schema Core 2020-12, section 11. A shape has decided which
schemas a value satisfies, so that the keys and items that they look at are known.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.compiling.claims import (
    KINDS,
    LOOKED,
    ArrayShape,
    Branch,
    Claim,
    Clause,
    Contains,
    Declares,
    Fact,
    Facts,
    ItemRule,
    KeyRule,
    Keys,
    Kind,
    Length,
    Members,
    NumberAtom,
    ObjectShape,
    OnlyBooleans,
    OnlyKinds,
    Presence,
    Shape,
    Some,
    TextAtom,
    Unevaluated,
    Unique,
    Written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.compiling.document import Document


Scopes: TypeAlias = frozenset[str]
"""The schemas with `unevaluated…` for which it counts what a fact has looked at."""

NO_SCOPES: Scopes = frozenset()

Rank: TypeAlias = tuple[int, ...]
"""Where something is said, as one reads the schema; ranks compare in that order."""


@dataclass(slots=True)
class Way:
    """What is known of a value, what is still to be read, and what is to be decided.

    `looked` holds, for each scope, the keys and items that facts have looked at.
    """

    pending: list[tuple[Fact, Scopes, Rank]]
    kinds: frozenset[Kind] = frozenset(KINDS)
    booleans: frozenset[bool] = frozenset({True, False})
    numbers: dict[NumberAtom, None] = field(default_factory=dict)
    texts: dict[TextAtom, None] = field(default_factory=dict)
    order: dict[str, Rank] = field(default_factory=dict)
    rules: dict[KeyRule, None] = field(default_factory=dict)
    some: dict[Some, None] = field(default_factory=dict)
    clauses: dict[Clause, None] = field(default_factory=dict)
    members: tuple[int, int | None] = (0, None)
    items: dict[ItemRule, None] = field(default_factory=dict)
    contains: dict[Contains, None] = field(default_factory=dict)
    length: tuple[int, int | None] = (0, None)
    unique: bool = False
    branches: list[tuple[Branch, Scopes, Rank]] = field(default_factory=list)
    done: dict[tuple[Claim, Scopes], None] = field(default_factory=dict)
    written: dict[Written, None] = field(default_factory=dict)
    unevaluated: list[tuple[Unevaluated, Scopes]] = field(default_factory=list)
    looked: list[tuple[Scopes, KeyRule | ItemRule | Contains]] = field(default_factory=list)
    decided: int = 1

    def fork(self, facts: Facts, scopes: Scopes, rank: Rank, alternatives: int) -> Way:
        """The same with more facts, for one of some alternatives."""
        copies = {
            name: getattr(self, name).copy()
            for name in (
                *("numbers", "texts", "order", "rules", "some", "clauses", "items", "contains"),
                *("branches", "done", "written", "unevaluated", "looked"),
            )
        }
        pending = list(_ranked(facts, scopes, rank))
        decided = self.decided * alternatives
        return replace(self, pending=pending, decided=decided, **copies)

    def then(self, facts: Iterable[Fact], scopes: Scopes, rank: Rank) -> None:
        """Read these facts next, in their order."""
        self.pending += _ranked(tuple(facts), scopes, rank)

    def add(self, fact: Fact, scopes: Scopes, rank: Rank = ()) -> None:  # noqa: C901, PLR0912 - one case a fact
        """Take a fact that is neither a claim nor a presence formula."""
        match fact:
            case OnlyKinds():
                self.kinds &= fact.kinds
            case OnlyBooleans():
                self.booleans &= fact.values
            case NumberAtom():
                self.numbers[fact] = None
            case TextAtom():
                self.texts[fact] = None
            case Declares():
                for index, name in enumerate(fact.names):
                    place = (*rank, index)
                    self.order[name] = min(self.order.get(name, place), place)
            case KeyRule():
                self.rules[fact] = None
            case Some():
                self.some[fact] = None
            case Presence():
                self.clauses[fact.clause] = None
            case Members():
                self.members = both(self.members, (fact.least, fact.most))
            case ItemRule():
                self.items[fact] = None
            case Contains():
                self.contains[fact] = None
            case Length():
                self.length = both(self.length, (fact.least, fact.most))
            case Unique():
                self.unique = True
            case Written():
                self.written[fact] = None
            case Unevaluated():
                self.unevaluated.append((fact, scopes))
            case Branch():
                if scopes or fact.keyword != LOOKED:
                    self.branches.append((fact, scopes, rank))
            case _:
                raise AssertionError(fact)
        if scopes and isinstance(fact, KeyRule | ItemRule | Contains):
            self.looked.append((scopes, fact))

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

    def shape(self) -> Shape:
        """What is known, once nothing is left to be read or decided."""
        needed = (
            key for clause in self.clauses if len(clause) == 1 for key, there in clause if there
        )
        declared = sorted(self.order, key=self.order.__getitem__)
        order = tuple(dict.fromkeys((*declared, *needed)))
        rules, some = tuple(self.rules), tuple(self.some)
        clauses = frozenset(self.clauses)
        least, most = self.length
        objects = ObjectShape(order, rules, some, clauses, *self.members)
        contains = tuple(one for one in self.contains if one.least or one.most is not None)
        arrays = ArrayShape(tuple(self.items), contains, least, most, self.unique)
        numbers, texts = tuple(self.numbers), tuple(self.texts)
        written = tuple(self.written)
        said = tuple(dict.fromkeys(claim for claim, _ in self.done)) if written else ()
        return Shape(self.kinds, self.booleans, numbers, texts, objects, arrays, written, said)


def _ranked(facts: Facts, scopes: Scopes, rank: Rank) -> list[tuple[Fact, Scopes, Rank]]:
    """Facts to be read, the first one last."""
    found = [(fact, scopes, (*rank, index)) for index, fact in enumerate(facts)]
    found.reverse()
    return found


def both(one: tuple[int, int | None], other: tuple[int, int | None]) -> tuple[int, int | None]:
    """The bounds that hold if two pairs of bounds do."""
    mosts = [most for most in (one[1], other[1]) if most is not None]
    return max(one[0], other[0]), min(mosts, default=None)


def settle(way: Way, document: Document) -> None:
    """Turn what a way says of unevaluated parts into rules, the innermost schemas first."""
    for fact, scopes in sorted(way.unevaluated, key=lambda one: -len(one[1])):
        looked = [one for within, one in way.looked if fact.pointer in within]
        if fact.what == "properties":
            _properties(way, looked, fact.claim, scopes - {fact.pointer})
        else:
            _items(way, looked, fact.claim, scopes - {fact.pointer}, document)
    way.unevaluated.clear()


def _properties(way: Way, looked: Iterable[object], claim: Claim | None, scopes: Scopes) -> None:
    keys = [one.keys for one in looked if isinstance(one, KeyRule) and one.keys.unlike is None]
    names = frozenset(name for one in keys if one.among for name in one.names)
    patterns = tuple(
        dict.fromkeys(pattern for one in keys if one.among for pattern in one.patterns)
    )
    if all(one.among for one in keys):
        way.add(KeyRule(Keys(names, patterns, among=False), claim), scopes)


def _items(
    way: Way,
    looked: Iterable[object],
    claim: Claim | None,
    scopes: Scopes,
    document: Document,
) -> None:
    rules = [one for one in looked if isinstance(one, ItemRule)]
    if any(one.stop is None for one in rules):
        return
    start = max((one.stop or 0 for one in rules), default=0)
    contained = [one.claim for one in looked if isinstance(one, Contains) and one.claim.holds]
    if contained:
        rest = [{"$ref": one.pointer} for one in contained]
        rest += [] if claim is None else [{"$ref": claim.pointer}]
        claim = Claim(document.add("#/unevaluatedItems", {"anyOf": rest}))
    way.add(ItemRule(start, None, claim), scopes)
