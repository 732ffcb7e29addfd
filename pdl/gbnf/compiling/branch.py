"""`Branch`: what is known on one branch of the tableau, until it is frozen to a `Conjunct`.

`settle` is for `unevaluatedProperties` and `unevaluatedItems`, which are about the parts that no
other keyword evaluates. A branch has decided which schemas a value satisfies, so that the keys and
items that they evaluate are known. Source: JSON Schema Core 2020-12, section 11.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from operator import and_, or_
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.gbnf.compiling.constraints import (
    EVALUATED_ONLY,
    KINDS,
    ArrayConjunct,
    Bounds,
    Clause,
    Conjunct,
    Constraint,
    Constraints,
    Contains,
    CustomRule,
    Declares,
    Disjunction,
    ItemRule,
    KeyRule,
    Keys,
    Kinds,
    Limit,
    NumberAtom,
    ObjectConjunct,
    Presence,
    SchemaLiteral,
    Some,
    StringAtom,
    Unevaluated,
    lacks,
    length,
    requires,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.compiling.document import Document


Scopes: TypeAlias = frozenset[str]
"""The schemas with `unevaluated…` for which it counts what a constraint evaluates."""

NO_SCOPES: Scopes = frozenset()

Rank: TypeAlias = tuple[int, ...]
"""Where something is said, as one reads the schema; ranks compare in that order."""


def _meet(one: Bounds, other: Bounds) -> Bounds:
    """The bounds that both pairs of bounds leave."""
    mosts = [most for most in (one[1], other[1]) if most is not None]
    return max(one[0], other[0]), min(mosts, default=None)


def _less(most: int | None, least: int) -> bool:
    return most is not None and most < least


_NO_KINDS: Kinds = frozenset()
_ARRAY: Kinds = frozenset({"array"})
_OBJECT: Kinds = frozenset({"object"})

_MEET: dict[str, Callable[[Any, Any], Any]] = {
    "kinds": and_,
    "booleans": and_,
    "members": _meet,
    "length": _meet,
    "unique": or_,
    "repeated": or_,
}


@dataclass(slots=True)
class Branch:
    """What is known of a value, the constraints still to be read, and what is to be decided.

    `atoms` are those of each class, in order; `evaluated` are, with their scopes, the ones that
    evaluate keys or items; `expanded` are the literals that were replaced by what they mean, each
    with the scopes in which it was; `splits` is how many branches there are if each disjunction
    before was split alike.
    """

    pending: list[tuple[Constraint, Scopes, Rank]]
    kinds: Kinds = frozenset(KINDS)
    booleans: frozenset[bool] = frozenset({True, False})
    members: Bounds = (0, None)
    length: Bounds = (0, None)
    unique: bool = False
    repeated: bool = False
    atoms: defaultdict[type, dict[Any, None]] = field(default_factory=lambda: defaultdict(dict))
    order: dict[str, Rank] = field(default_factory=dict)
    disjunctions: list[tuple[Disjunction, Scopes, Rank]] = field(default_factory=list)
    expanded: dict[SchemaLiteral, tuple[Scopes, ...]] = field(default_factory=dict)
    unevaluated: list[tuple[Unevaluated, Scopes]] = field(default_factory=list)
    evaluated: list[tuple[Scopes, KeyRule | ItemRule | Contains]] = field(default_factory=list)
    splits: int = 1

    def fork(self, constraints: Constraints, scopes: Scopes, rank: Rank, splits: int) -> Branch:
        """The same with more constraints, for one of some alternatives."""
        return Branch(
            _ranked(constraints, scopes, rank),
            self.kinds,
            self.booleans,
            self.members,
            self.length,
            self.unique,
            self.repeated,
            defaultdict(dict, {kind: found.copy() for kind, found in self.atoms.items()}),
            self.order.copy(),
            self.disjunctions.copy(),
            self.expanded.copy(),
            self.unevaluated.copy(),
            self.evaluated.copy(),
            self.splits * splits,
        )

    def then(self, constraints: Iterable[Constraint], scopes: Scopes, rank: Rank) -> None:
        """Read these constraints next, in their order."""
        self.pending += _ranked(tuple(constraints), scopes, rank)

    def add(self, constraint: Constraint, scopes: Scopes, rank: Rank = ()) -> None:
        """Take a constraint that is not a literal."""
        match constraint:
            case Limit(limited, value):
                setattr(self, limited, _MEET[limited](getattr(self, limited), value))
            case Declares(names):
                for index, name in enumerate(names):
                    place = (*rank, index)
                    self.order[name] = min(self.order.get(name, place), place)
            case Unevaluated():
                self.unevaluated.append((constraint, scopes))
            case Disjunction(keyword=keyword):
                if scopes or keyword != EVALUATED_ONLY:
                    self.disjunctions.append((constraint, scopes, rank))
            case _:
                self.atoms[type(constraint)][constraint] = None
        if scopes and isinstance(constraint, KeyRule | ItemRule | Contains):
            self.evaluated.append((scopes, constraint))

    def refuted(self, constraint: Constraint, others: Constraints) -> Kinds:
        """The kinds of whose values it is known right away that none satisfies a constraint.

        `others` are satisfied as well.
        """
        kinds, refutes = _REFUTES.get(type(constraint), _NEVER)
        return kinds if refutes(self, constraint, others) else _NO_KINDS

    @property
    def is_closed(self) -> bool:
        """Whether no value is left."""
        return not self.kinds

    def freeze(self) -> Conjunct:
        """What is known, once nothing is left to be read or decided."""
        atoms = {kind: tuple(found) for kind, found in self.atoms.items()}
        clauses = self._clauses()
        needed = [key for one in clauses if len(one) == 1 for key, there in one if there]
        declared = sorted(self.order, key=self.order.__getitem__)
        contains = atoms.get(Contains, ())
        custom = atoms.get(CustomRule, ())
        return Conjunct(
            self.kinds - _ARRAY if self.unique and self.repeated else self.kinds,
            self.booleans,
            atoms.get(NumberAtom, ()),
            atoms.get(StringAtom, ()),
            ObjectConjunct(
                tuple(dict.fromkeys((*declared, *needed))),
                atoms.get(KeyRule, ()),
                atoms.get(Some, ()),
                frozenset(clauses),
                *self.members,
            ),
            ArrayConjunct(
                atoms.get(ItemRule, ()),
                tuple(one for one in contains if one.least or one.most is not None),
                *self.length,
                self.unique,
                self.repeated,
            ),
            custom,
            tuple(self.expanded) if custom else (),
        )

    def _clauses(self) -> list[Clause]:
        return [one.clause for one in self.atoms[Presence]]

    def close_objects(self) -> None:
        """Refuse keys that are not named, unless a rule says what values they have."""
        keys = [rule.keys for rule in self.atoms[KeyRule] if rule.keys.unlike is None]
        if self.order and all(one.among for one in keys):
            asked = {key for clause in self._clauses() for key, _ in clause}
            self.add(_others(keys, None, asked.union(self.order)), NO_SCOPES)

    def settle(self, document: Document) -> None:
        """Turn what is said of unevaluated parts into rules, the innermost schemas first."""
        for constraint, scopes in sorted(self.unevaluated, key=lambda one: -len(one[1])):
            evaluated = [one for within, one in self.evaluated if constraint.pointer in within]
            outer = scopes - {constraint.pointer}
            rest: KeyRule | ItemRule | None = None
            if constraint.parts == "properties":
                found = [one.keys for one in evaluated if isinstance(one, KeyRule)]
                keys = [one for one in found if one.unlike is None]
                if all(one.among for one in keys):
                    rest = _others(keys, constraint.literal)
            else:
                rest = _other_items(evaluated, constraint.literal, document)
            if not constraint.positive:
                self._except(rest, _OBJECT if constraint.parts == "properties" else _ARRAY)
            elif rest is not None:
                self.add(rest, outer)
        self.unevaluated.clear()

    def _except(self, rule: KeyRule | ItemRule | None, kind: Kinds) -> None:
        """Take it that some part does not satisfy a rule; None: there are no such parts."""
        goal = () if rule is None or rule.literal is None else (rule.literal.opposite,)
        if rule is None:
            self.kinds -= kind
        elif isinstance(rule, KeyRule):
            self.add(Some(rule.keys, goal), NO_SCOPES)
        else:
            self.add(Limit("length", (rule.start + 1, None)), NO_SCOPES)
            for literal in goal:
                self.add(Contains(literal, start=rule.start), NO_SCOPES)


def _lacks_atom(branch: Branch, atom: NumberAtom | StringAtom, _others: Constraints) -> bool:
    return atom._replace(positive=not atom.positive) in branch.atoms[type(atom)]


def _lacks_presence(branch: Branch, constraint: Presence, _others: Constraints) -> bool:
    return all(map(branch.atoms[Presence].__contains__, _opposites(constraint.clause)))


@lru_cache(maxsize=1024)
def _opposites(clause: Clause) -> Constraints:
    """That none of the literals of a clause is true."""
    return tuple(lacks(key) if there else requires(key) for key, there in clause)


def _lacks_value(branch: Branch, rule: KeyRule, others: Constraints) -> bool:
    """Whether one of some keys, which are there, has no such value."""
    keys, literal = rule
    if literal is None or not keys.are_listed:
        return False
    return KeyRule(keys, literal.opposite) in branch.atoms[KeyRule] and all(
        requires(key) in others for key in keys.names
    )


def _lacks_some(branch: Branch, some: Some, _others: Constraints) -> bool:
    opposites = (None, *(literal.opposite for literal in some.goal))
    return any(KeyRule(some.keys, one) in branch.atoms[KeyRule] for one in opposites)


def _lacks_item(branch: Branch, rule: ItemRule, others: Constraints) -> bool:
    """Whether an item, which is there, is no such value."""
    start, stop, literal = rule
    if literal is None or stop != start + 1 or length(stop) not in others:
        return False
    return ItemRule(start, stop, literal.opposite) in branch.atoms[ItemRule]


def _lacks_repeated(branch: Branch, limit: Limit, _others: Constraints) -> bool:
    return limit.field == "repeated" and branch.unique


def _lacks_items(branch: Branch, wanted: Contains, _others: Constraints) -> bool:
    """Whether an array does not have the items that are counted."""
    rule = ItemRule(wanted.start, None, wanted.literal.opposite)
    if wanted.least and rule in branch.atoms[ItemRule]:
        return True
    return any(
        one.literal == wanted.literal
        and one.start == wanted.start
        and (_less(one.most, wanted.least) or _less(wanted.most, one.least))
        for one in branch.atoms[Contains]
    )


_Refutes: TypeAlias = "Callable[[Branch, Any, Constraints], bool]"
_NEVER: tuple[Kinds, _Refutes] = _NO_KINDS, lambda *_: False
_REFUTES: dict[type, tuple[Kinds, _Refutes]] = {
    NumberAtom: (frozenset({"number"}), _lacks_atom),
    StringAtom: (frozenset({"string"}), _lacks_atom),
    Presence: (_OBJECT, _lacks_presence),
    KeyRule: (_OBJECT, _lacks_value),
    Some: (_OBJECT, _lacks_some),
    ItemRule: (_ARRAY, _lacks_item),
    Contains: (_ARRAY, _lacks_items),
    Limit: (_ARRAY, _lacks_repeated),
}
"""The kind of values that a constraint is about, and whether a branch is known to have none."""


def _other_items(
    evaluated: Iterable[object], literal: SchemaLiteral | None, document: Document
) -> ItemRule | None:
    """The rule for the items that are not evaluated; None if all are."""
    rules = [one for one in evaluated if isinstance(one, ItemRule)]
    if any(one.stop is None for one in rules):
        return None
    start = max((one.stop or 0 for one in rules), default=0)
    contained = [one.literal for one in evaluated if isinstance(one, Contains)]
    contained = [one for one in contained if one.positive]
    if contained:
        rest = [{"$ref": one.pointer} for one in contained]
        rest += [] if literal is None else [{"$ref": literal.pointer}]
        literal = SchemaLiteral(document.add("#/unevaluatedItems", {"anyOf": rest}))
    return ItemRule(start, None, literal)


def _others(
    keys: Iterable[Keys], literal: SchemaLiteral | None, names: Iterable[str] = ()
) -> KeyRule:
    """A rule for all keys but some."""
    found = [one for one in keys if one.among]
    patterns = tuple(dict.fromkeys(pattern for one in found for pattern in one.patterns))
    named = frozenset(names).union(*(one.names for one in found))
    return KeyRule(Keys(named, patterns, among=False), literal)


def _ranked(
    constraints: Constraints, scopes: Scopes, rank: Rank
) -> list[tuple[Constraint, Scopes, Rank]]:
    """Constraints to be read, the first one last."""
    found = [(one, scopes, (*rank, index)) for index, one in enumerate(constraints)]
    found.reverse()
    return found
