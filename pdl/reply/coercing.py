"""The allowed changes that make a value fit, if there is exactly one way to make them.

A memoized search over (subschemas, part of the value). Parts are solved before the whole; each way
is checked against the schemas, so a change that does not help is not a way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.reply.coercion_rules import (
    Keys,
    Schemas,
    Shape,
    constants,
    container,
    fold,
    is_single,
    means_answer,
    numeral,
    shapes,
)
from pdl.reply.phrases import brief
from pdl.reply.result import Repair
from pdl.reply.validation.compiled import Validator, validator_of
from pdl.reply.validation.json_types import equal
from pdl.reply.validation.schema_walk import literals, of_index, of_key, root_kinds
from pdl.trampoline import Recur, gather, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.reply.coercions import Coercions
    from pdl.reply.validation.keywords import Memo
    from pdl.reply.validation.schema_walk import Document


class Unsolved(Enum):
    """Why there is not one way."""

    NO_WAY = "no way"
    SEVERAL_WAYS = "several ways, which give different values, or too many to try"


@dataclass(frozen=True, slots=True)
class Way:
    """A value that fits, and the changes that led to it."""

    value: Json
    repairs: tuple[Repair, ...] = ()


Found: TypeAlias = Way | Unsolved
NO_WAY, SEVERAL_WAYS = Unsolved.NO_WAY, Unsolved.SEVERAL_WAYS


def coerce(
    document: Document, value: Json, allowed: Coercions, limits: Limits
) -> tuple[Json, tuple[Repair, ...]]:
    """Return the value with the changes that make it fit; unchanged if it fits, or if none do.

    It is also unchanged if two ways to make it fit lead to different values. Paths of repairs are
    those of the original value, and lead into JSON inside strings; spans are left at (0, 0).
    """
    validator = validator_of(document)
    if not allowed or validator.is_valid(value):
        return value, ()
    found = run(_Solver(validator, allowed, limits).search((document,), value, ()))
    return (found.value, found.repairs) if isinstance(found, Way) else (value, ())


@dataclass
class _Solver:
    validator: Validator
    allowed: Coercions
    limits: Limits
    memo: Memo = field(default_factory=dict)
    known: dict[tuple[object, ...], Found] = field(default_factory=dict)
    alive: list[Json] = field(default_factory=list)
    keys: dict[tuple[int, ...], Keys] = field(default_factory=dict)
    literals: dict[int, tuple[bool, dict[str, list[str]]]] = field(default_factory=dict)

    def fits(self, schemas: Schemas, value: Json) -> bool:
        self.alive.append(value)  # the memo finds it by its identity
        return all(self.validator.fits(schema, value, self.memo) for schema in schemas)

    def solve(self, schemas: Schemas, value: Json, path: JsonPath) -> Recur[Found]:
        """The only way to make a value fit all the schemas that was itself inside another one."""
        if self.fits(schemas, value):
            return Way(value)
        found: Found = yield self.search(schemas, value, path, wraps=False)
        return found

    def search(
        self, schemas: Schemas, value: Json, path: JsonPath, *, wraps: bool = True
    ) -> Recur[Found]:
        """The only way to change a value that does not fit; `wraps`: it can become a list."""
        mark = (*map(id, schemas), id(value), path, wraps)
        if mark not in self.known:
            self.known[mark] = SEVERAL_WAYS  # found again, it could be wrapped forever
            ways: list[Found] = yield gather(self._attempts(schemas, value, path, wraps=wraps))
            self.known[mark] = _only(ways)
        return self.known[mark]

    def _attempts(
        self, schemas: Schemas, value: Json, path: JsonPath, *, wraps: bool
    ) -> Iterator[Recur[Found]]:
        if isinstance(value, str):
            yield self._string(schemas, value, path)
        if isinstance(value, dict | list):
            yield self._parts(schemas, value, path)
            if self.allowed.unwrap and len(value) == 1:
                yield self._unwrapped(schemas, value, path)
        if self.allowed.single_to_list and wraps and is_single(value):
            yield self._wrapped(schemas, value, path)

    # Changes of the parts of a value

    def _parts(
        self, schemas: Schemas, value: dict[str, Json] | list[Json], path: JsonPath
    ) -> Recur[Found]:
        steps = value if isinstance(value, dict) else range(len(value))
        return self._choices(schemas, value, [(*path, step) for step in steps])

    def _choices(
        self, schemas: Schemas, value: dict[str, Json] | list[Json], paths: list[JsonPath]
    ) -> Recur[Found]:
        found = shapes(self.validator.document, schemas, value)
        if found is None:
            return SEVERAL_WAYS
        ways = yield gather(self._composed(schemas, shape, value, paths) for shape in found)
        return _only(ways)

    def _composed(
        self,
        schemas: Schemas,
        shape: Shape,
        value: dict[str, Json] | list[Json],
        paths: list[JsonPath],
    ) -> Recur[Found]:
        """The way that changes the parts of an object or a list, each with its path."""
        keys, names = None, dict[str, str]()
        if isinstance(value, dict):
            keys = self._keys(shape)
            names = keys.renamed(value) if self.allowed.key_case else names
        subschemas: Any = of_key if keys else of_index
        items: Any = value.items() if isinstance(value, dict) else enumerate(value)
        repairs: list[Repair] = []
        made: dict[Any, Json] = {}
        several = False
        for (step, part), place in zip(items, paths, strict=True):
            name = names.get(step, step)
            subs = tuple(chain.from_iterable(subschemas(schema, name) for schema in shape))
            fits = self.fits(subs, part)
            optional = keys is not None and keys.is_optional(name)
            if part is None and not fits and optional and self.allowed.null_to_absent:
                repairs.append(Repair("null_to_absent", (0, 0), place, "null", "nothing"))
                continue
            way = Way(part) if fits else (yield self.search(subs, part, place))
            if way is NO_WAY:
                return way
            if isinstance(way, Way):
                renamed = [_repair("key_case", place, step, name)] if step != name else []
                repairs += [*renamed, *way.repairs]
                made[name] = way.value
            several = several or way is SEVERAL_WAYS
        if several:
            return SEVERAL_WAYS
        return self._way(schemas, made if keys else list(made.values()), repairs)

    def _keys(self, shape: Shape) -> Keys:
        mark = tuple(map(id, shape))
        if mark not in self.keys:
            self.keys[mark] = Keys(shape)
        return self.keys[mark]

    def _way(self, schemas: Schemas, value: Json, repairs: Iterable[Repair]) -> Found:
        return Way(value, tuple(repairs)) if self.fits(schemas, value) else NO_WAY

    # Changes of a value as a whole

    def _wrapped(self, schemas: Schemas, value: Json, path: JsonPath) -> Recur[Found]:
        made = [value]
        self.alive.append(made)
        way = yield self._choices(schemas, made, [path])
        return _after("single_to_list", path, value, made, way)

    def _unwrapped(
        self, schemas: Schemas, value: dict[str, Json] | list[Json], path: JsonPath
    ) -> Recur[Found]:
        [(step, inner)] = value.items() if isinstance(value, dict) else enumerate(value)
        if isinstance(step, str) and not means_answer(step, schemas, path):
            return NO_WAY
        way = yield self.solve(schemas, inner, (*path, step))
        return _after("unwrap", path, value, inner, way)

    def _string(self, schemas: Schemas, text: str, path: JsonPath) -> Recur[Found]:
        found = shapes(self.validator.document, schemas, text)
        if found is None:
            return SEVERAL_WAYS
        free = any(map(_is_free, found))
        ways = [
            self._way(schemas, value, [_repair(kind, path, text, value)])
            for kind, value in self._scalars(schemas, text, free=free)
        ]
        if self.allowed.json_in_strings and not free:
            inner = container(text, self.limits.reply_depth - len(path), self.limits)
            if inner is not None:
                self.alive.append(inner)
                way = yield self.solve(schemas, inner, path)
                ways.append(_after("json_in_strings", path, text, inner, way))
        return _only(ways)

    def _scalars(self, schemas: Schemas, text: str, *, free: bool) -> Iterator[tuple[str, Json]]:
        """The scalars that a string can represent, by the name of the change."""
        if self.allowed.numbers_in_strings and not free:
            whole = any(self._literals(schema)[0] for schema in schemas)
            thousands = self.allowed.thousands
            found = numeral(text, self.limits, whole=whole, thousands=thousands)
            yield from [found] if found else []
        if self.allowed.words_in_strings:
            yield from (("words_in_strings", value) for value in constants(text))
        if self.allowed.enum_case:
            for schema in schemas:
                members = self._literals(schema)[1].get(fold(text), ())
                yield from (("enum_case", member) for member in members)

    def _literals(self, schema: Json) -> tuple[bool, dict[str, list[str]]]:
        """Whether integers are its only numbers, and its strings by what distinguishes them."""
        if id(schema) not in self.literals:
            members: dict[str, list[str]] = {}
            for one in literals(self.validator.document, schema):
                if isinstance(one, str):
                    members.setdefault(fold(one), []).append(one)
            whole = "number" not in root_kinds(self.validator.document, schema)
            self.literals[id(schema)] = whole, members
        return self.literals[id(schema)]


def _is_free(shape: Shape) -> bool:
    """Whether any string is allowed there."""
    return not any("enum" in schema or "const" in schema for schema in shape)


def _repair(kind: str, path: JsonPath, before: Json, after: Json) -> Repair:
    return Repair(kind, (0, 0), path, brief(before), brief(after))


def _after(kind: str, path: JsonPath, before: Json, after: Json, found: Found) -> Found:
    """The way that begins with a change of the whole value."""
    if isinstance(found, Unsolved):
        return found
    return Way(found.value, (_repair(kind, path, before, after), *found.repairs))


def _only(found: Iterable[Found]) -> Found:
    """The one way, if all ways lead to equal values."""
    first: Found = NO_WAY
    for other in found:
        if other is SEVERAL_WAYS:
            return other
        if isinstance(first, Way) and isinstance(other, Way):
            if not equal(first.value, other.value):
                return SEVERAL_WAYS
        elif isinstance(other, Way):
            first = other
    return first
