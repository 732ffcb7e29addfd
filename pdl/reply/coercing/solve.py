"""The one way in which allowed changes make a value fit, if there is exactly one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from pdl.reply.coercing import strings
from pdl.reply.coercing.keys import may_be_absent, means_answer, renamed
from pdl.reply.coercing.shapes import Schemas, Shape, TooManyError, shapes
from pdl.reply.coercing.strings import is_single
from pdl.reply.result import Repair
from pdl.reply.validation.compiled import Validator, validator_of
from pdl.reply.validation.json_types import equal
from pdl.reply.validation.schema_walk import literals, of_index, of_key, root_kinds
from pdl.reply.wording import brief
from pdl.schema.deep import Deep, each, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.reply.coercions import Coercions
    from pdl.reply.validation.keywords import Memo
    from pdl.reply.validation.references import Document


class No(Enum):
    """Why there is not one way."""

    WAY = "no way"
    SINGLE_WAY = "several ways, which give different values"


@dataclass(frozen=True, slots=True)
class Way:
    """A value that fits, and the changes that led to it."""

    value: Json
    repairs: tuple[Repair, ...] = ()


Found: TypeAlias = Way | No


def coerce(
    document: Document, value: Json, allowed: Coercions, limits: Limits
) -> tuple[Json, tuple[Repair, ...]]:
    """The value with the changes that make it fit; as it is if it fits, or if none do.

    Nor is it changed where two ways to make it fit give different values. Paths of repairs are
    those of the value as it came, and lead into JSON inside strings; spans are left at (0, 0).
    """
    validator = validator_of(document)
    if not allowed or validator.is_valid(value):
        return value, ()
    found = run(_Solver(validator, allowed, limits).solve((document,), value, (), wraps=True))
    return (found.value, found.repairs) if isinstance(found, Way) else (value, ())


@dataclass
class _Solver:
    validator: Validator
    allowed: Coercions
    limits: Limits
    memo: Memo = field(default_factory=dict)
    known: dict[tuple[object, ...], Found] = field(default_factory=dict)
    alive: list[Json] = field(default_factory=list)
    containers: dict[int, Json] = field(default_factory=dict)

    def fits(self, schemas: Schemas, value: Json) -> bool:
        self.alive.append(value)  # what is remembered of it is found by its identity
        return all(self.validator.fits(schema, value, self.memo) for schema in schemas)

    def solve(self, schemas: Schemas, value: Json, path: JsonPath, *, wraps: bool) -> Deep[Found]:
        """The only way to make the value fit all the schemas; `wraps`: a list may be made of it."""
        mark = (*map(id, schemas), id(value), path, wraps)
        if mark not in self.known:
            # Met again on the way, it could be wrapped without end.
            self.known[mark] = No.SINGLE_WAY
            if self.fits(schemas, value):
                self.known[mark] = Way(value)
            else:
                self.known[mark] = yield self._changed(schemas, value, path, wraps=wraps)
        return self.known[mark]

    def _changed(
        self, schemas: Schemas, value: Json, path: JsonPath, *, wraps: bool
    ) -> Deep[Found]:
        try:
            found = shapes(self.validator.document, schemas, value)
        except TooManyError:
            return No.SINGLE_WAY
        tasks: list[Deep[Found]] = []
        if isinstance(value, dict):
            tasks += [self._object(schemas, shape, value, path) for shape in found]
        elif isinstance(value, list):
            tasks += [self._array(schemas, shape, value, path) for shape in found]
        elif isinstance(value, str):
            tasks.append(self._string(schemas, found, value, path))
        if self.allowed.unwrap and isinstance(value, dict | list) and len(value) == 1:
            tasks.append(self._unwrapped(schemas, value, path))
        if self.allowed.single_to_list and wraps and is_single(value):
            tasks.append(self._wrapped(schemas, value, path))
        ways: list[Found] = yield each(tasks)
        return _only(ways)

    # Changes of the parts of a value

    def _object(
        self, schemas: Schemas, shape: Shape, value: dict[str, Json], path: JsonPath
    ) -> Deep[Found]:
        names = renamed(shape, value) if self.allowed.key_case else {}
        steps = [(key, names.get(key, key)) for key in value]
        absent = [
            step for step in steps if value[step[0]] is None and self._is_absent(shape, step[1])
        ]
        steps = [step for step in steps if step not in absent]
        tasks = []
        for key, name in steps:
            subs = chain.from_iterable(of_key(schema, name) for schema in shape)
            tasks.append((tuple(subs), value[key], (*path, key)))
        ways = yield from self._parts(tasks)
        if isinstance(ways, No):
            return ways
        repairs = [
            Repair("null_to_absent", (0, 0), (*path, key), "null", "nothing") for key, _ in absent
        ]
        for (key, name), way in zip(steps, ways, strict=True):
            if key != name:
                repairs.append(_repair("key_case", (*path, key), key, name))
            repairs += way.repairs
        made = {name: way.value for (_, name), way in zip(steps, ways, strict=True)}
        return self._held(schemas, made, repairs)

    def _is_absent(self, shape: Shape, name: str) -> bool:
        """Whether null for a declared key can only mean that it is not there."""
        if not self.allowed.null_to_absent or not may_be_absent(shape, name):
            return False
        subs = tuple(chain.from_iterable(of_key(schema, name) for schema in shape))
        return not self.fits(subs, None)

    def _array(
        self, schemas: Schemas, shape: Shape, value: list[Json], path: JsonPath
    ) -> Deep[Found]:
        paths = [(*path, index) for index in range(len(value))]
        return (yield from self._items(schemas, shape, value, paths))

    def _items(
        self, schemas: Schemas, shape: Shape, value: list[Json], paths: list[JsonPath]
    ) -> Deep[Found]:
        tasks = []
        for index, part in enumerate(value):
            subs = chain.from_iterable(of_index(schema, index) for schema in shape)
            tasks.append((tuple(subs), part, paths[index]))
        ways = yield from self._parts(tasks)
        if isinstance(ways, No):
            return ways
        repairs = [repair for way in ways for repair in way.repairs]
        return self._held(schemas, [way.value for way in ways], repairs)

    def _parts(self, tasks: Iterable[tuple[Schemas, Json, JsonPath]]) -> Deep[list[Way] | No]:
        """A way for each part; none if one of them has none."""
        ways: list[Way] = []
        several = False
        for schemas, value, path in tasks:
            found: Found = Way(value)
            if not self.fits(schemas, value):
                found = yield self.solve(schemas, value, path, wraps=True)
            if found is No.WAY:
                return found
            if isinstance(found, Way):
                ways.append(found)
            several = several or found is No.SINGLE_WAY
        return No.SINGLE_WAY if several else ways

    def _held(self, schemas: Schemas, value: Json, repairs: Iterable[Repair]) -> Found:
        return Way(value, tuple(repairs)) if self.fits(schemas, value) else No.WAY

    # Changes of a value as a whole

    def _wrapped(self, schemas: Schemas, value: Json, path: JsonPath) -> Deep[Found]:
        made = [value]
        self.alive.append(made)
        repair = _repair("single_to_list", path, value, made)
        try:
            found = shapes(self.validator.document, schemas, made)
        except TooManyError:
            return No.SINGLE_WAY
        ways = yield each([self._items(schemas, shape, made, [path]) for shape in found])
        return _behind(repair, _only(ways))

    def _unwrapped(
        self, schemas: Schemas, value: dict[str, Json] | list[Json], path: JsonPath
    ) -> Deep[Found]:
        [(step, inner)] = value.items() if isinstance(value, dict) else enumerate(value)
        if isinstance(step, str) and not means_answer(step, schemas, path):
            return No.WAY
        repair = _repair("unwrap", path, value, inner)
        way = yield self.solve(schemas, inner, (*path, step), wraps=False)
        return _behind(repair, way)

    def _string(
        self, schemas: Schemas, found: list[Shape], text: str, path: JsonPath
    ) -> Deep[Found]:
        ways = [
            self._held(schemas, value, [_repair(kind, path, text, value)])
            for kind, value in self._meant(schemas, text, free=any(map(_is_free, found)))
        ]
        if self.allowed.json_in_strings and not any(map(_is_free, found)):
            inner = self._container(text, path)
            if inner is not None:
                repair = _repair("json_in_strings", path, text, inner)
                way = yield self.solve(schemas, inner, path, wraps=False)
                ways.append(_behind(repair, way))
        return _only(ways)

    def _meant(self, schemas: Schemas, text: str, *, free: bool) -> Iterator[tuple[str, Json]]:
        """The scalars that a string may stand for, by the name of the change."""
        if self.allowed.numbers_in_strings and not free:
            whole = self._wants_integers(schemas)
            groups = whole or self.allowed.thousands
            value = strings.number(text, self.limits, whole=whole, groups=groups)
            if value is not None:
                yield "numbers_in_strings", value
            grouped = strings.grouped(text, self.limits, whole=whole)
            if grouped is not None and self.allowed.thousands:
                yield "thousands", grouped
        if self.allowed.words_in_strings and strings.is_word(text):
            yield "words_in_strings", strings.word(text)
        if self.allowed.enum_case:
            for schema in schemas:
                for member in strings.members(text, literals(self.validator.document, schema)):
                    yield "enum_case", member

    def _wants_integers(self, schemas: Schemas) -> bool:
        """Whether no other numbers than integers are wanted."""
        wanted = (root_kinds(self.validator.document, schema) for schema in schemas)
        return any("number" not in kinds for kinds in wanted)

    def _container(self, text: str, path: JsonPath) -> Json:
        """The JSON in a string, which is parsed once."""
        if id(text) not in self.containers:
            self.alive.append(text)
            depth = self.limits.reply_depth - len(path)
            self.containers[id(text)] = strings.container(text, depth, self.limits)
        return self.containers[id(text)]


def _is_free(shape: Shape) -> bool:
    """Whether a string of one's own choice may stand there."""
    return not any("enum" in schema or "const" in schema for schema in shape)


def _repair(kind: str, path: JsonPath, before: Json, after: Json) -> Repair:
    return Repair(kind, (0, 0), path, brief(before), brief(after))


def _behind(repair: Repair, found: Found) -> Found:
    return found if isinstance(found, No) else Way(found.value, (repair, *found.repairs))


def _only(found: Iterable[Found]) -> Found:
    """The one way, if all that are ways give equal values."""
    first: Found = No.WAY
    for other in found:
        if other is No.SINGLE_WAY:
            return other
        if isinstance(first, Way) and isinstance(other, Way):
            if not equal(first.value, other.value):
                return No.SINGLE_WAY
        elif isinstance(other, Way):
            first = other
    return first
