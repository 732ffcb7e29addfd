"""Schemas compiled to closures (Feeley and Lapalme 1987) that decide whether a value fits.

Each subschema becomes one test in a cell, which can be filled in after others refer to it:
references are shared cells, and following one costs no frame.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pdl.reply.validation.json_types import KINDS
from pdl.reply.validation.keywords import (
    ANY_TYPE,
    ARRAY_WORDS,
    ASSERTIONS,
    FLOAT_MET,
    OBJECT_WORDS,
    Cell,
    CellOf,
    Memo,
    Test,
    always,
    assertion,
    every,
    never,
    of_array,
    of_object,
    of_types,
    only_type,
)
from pdl.reply.validation.schema_walk import Document, compile_pattern, resolve
from pdl.schema.keywords import ANNOTATIONS, IN_PLACE_APPLICATORS

if TYPE_CHECKING:
    from pdl._types import Json

_TWICE = (*IN_PLACE_APPLICATORS, "patternProperties", "contains")
_SILENT = ANNOTATIONS | {"$ref", "$defs", "definitions", "$schema"}
_CACHED = 64


class Validator:
    """The compiled tests of one document, which keep no state between calls."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._cells: dict[int, Cell] = {}
        self._queue: list[tuple[Mapping[str, Any], Cell]] = []
        self._shared = _shared(document)
        self._root = self.cell(document)

    def is_valid(self, value: Json) -> bool:
        """Whether the value fits. Raises RecursionError for values nested beyond all limits."""
        return self._root[0](value, {})

    def look(self, value: Json) -> tuple[bool, bool]:
        """Whether the value fits, and whether a float was found where an integer is expected."""
        memo: Memo = {}
        return self._root[0](value, memo), FLOAT_MET in memo

    def fits(self, schema: Json, value: Json, memo: Memo) -> bool:
        """Whether a value fits a subschema of the document.

        The memo knows parts of values by their identity: they must live as long as it is used.
        """
        return self.cell(schema)[0](value, memo)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The types that the document allows at its root."""
        from pdl.reply.validation.schema_walk import root_kinds  # noqa: PLC0415 - often not needed

        return root_kinds(self.document, self.document)

    def cell(self, schema: Json) -> Cell:
        """The cell of a subschema, compiled with everything that it refers to."""
        cell = self._cells.get(id(schema)) or self._cell(schema)
        while self._queue:
            waiting, its_cell = self._queue.pop()
            test = every(self._tests(waiting))
            remembers = id(waiting) in self._shared
            scalars = "$ref" in waiting or not IN_PLACE_APPLICATORS.isdisjoint(waiting)
            its_cell[0] = _remembered(test, scalars=scalars) if remembers else test
        return cell

    def _cell(self, schema: Json) -> Cell:
        """The cell of a subschema: that of its target if it is only a reference."""
        chain: list[int] = []
        while isinstance(schema, Mapping) and id(schema) not in self._cells and _is_bare(schema):
            if id(schema) in chain:
                return [never]  # a cycle of references, which nothing satisfies
            chain.append(id(schema))
            schema = resolve(self.document, schema["$ref"])
        cell = self._own_cell(schema)
        self._cells.update(dict.fromkeys(chain, cell))
        return cell

    def _own_cell(self, schema: Json) -> Cell:
        if isinstance(schema, bool):
            return [always if schema else never]
        if id(schema) not in self._cells:
            self._cells[id(schema)] = [never]
            self._queue.append((schema, self._cells[id(schema)]))
        return self._cells[id(schema)]

    def _tests(self, schema: Mapping[str, Any]) -> Iterator[Test]:
        """Tests of all keywords, the quickest first; those of objects and arrays cover `type`."""
        only = only_type(schema)
        has_object = only == "object" or not OBJECT_WORDS.isdisjoint(schema)
        has_array = only == "array" or not ARRAY_WORDS.isdisjoint(schema)
        if "type" in schema and only not in ("object", "array"):
            yield of_types(schema["type"])
        if has_object:
            yield of_object(self._cell, schema)
        if has_array:
            yield of_array(self._cell, schema)
        yield from (assertion(word, schema[word]) for word in ASSERTIONS if word in schema)
        if "$ref" in schema:
            target = self._cell(resolve(self.document, schema["$ref"]))
            yield lambda value, memo: target[0](value, memo)  # noqa: PLW0108 - filled in later
        yield from (build(self._cell, schema) for word, build in ANY_TYPE.items() if word in schema)
        yield from _unevaluated(self.document, self._cell, schema)


_cache: OrderedDict[int, Validator] = OrderedDict()


def validator_of(document: Document) -> Validator:
    """The compiled tests of a document; those of the last few documents are kept.

    A document is known by its identity, and the cache holds it, so an identity never means another.
    """
    known = _cache.get(id(document))
    if known is not None and known.document is document:
        return known
    made = _cache[id(document)] = Validator(document)
    while len(_cache) > _CACHED:
        _cache.popitem(last=False)
    return made


def _is_bare(schema: Mapping[str, Any]) -> bool:
    """Whether `$ref` is the only keyword that asserts something."""
    return "$ref" in schema and _SILENT.issuperset(schema)


def _shared(document: Json) -> frozenset[int]:
    """The identities of the subschemas whose results are cached during a run.

    They are the targets of references, if any keyword of the document can look at one value twice:
    then each level of a recursive value would double the work.
    """
    targets: list[int] = []
    twice = False
    pending = [document]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            ref = part.get("$ref")
            if isinstance(ref, str):
                twice = twice or not _is_bare(part)
                # Others are a `$ref` in the values of an enum, or a property of that name.
                with suppress(LookupError, TypeError, ValueError):
                    targets.append(id(resolve(document, ref)))
            twice = twice or any(word in part for word in _TWICE)
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return frozenset(targets) if twice else frozenset()


def _remembered(test: Test, *, scalars: bool) -> Test:
    """A test that runs once for each object and array, and optionally for each scalar."""

    def remember(value: Json, memo: Memo) -> bool:
        if not scalars and not isinstance(value, (dict, list)):
            return test(value, memo)
        mark = (id(test), id(value))
        known = memo.get(mark)
        if known is None:
            known = memo[mark] = test(value, memo)
        return known

    return remember


# `unevaluatedProperties`, `unevaluatedItems` (2020-12 core, 11): what no keyword looked at


def _unevaluated(document: Document, cell_of: CellOf, schema: Mapping[str, Any]) -> Iterator[Test]:
    """The compiled tests of the two keywords, where the schema has them."""
    for word, kind in (("unevaluatedProperties", "object"), ("unevaluatedItems", "array")):
        if word in schema:
            yield _test(document, cell_of, schema, word, kind)


def _test(
    document: Document, cell_of: CellOf, schema: Mapping[str, Any], word: str, kind: str
) -> Test:
    rest, is_kind = cell_of(schema[word]), KINDS[kind]

    def test(value: Json, memo: Memo) -> bool:
        if is_kind(value):
            for step in rest_of(document, cell_of, schema, value, memo):
                if not rest[0](value[step], memo):
                    return False
        return True

    return test


def rest_of(
    document: Document, cell_of: CellOf, schema: Mapping[str, Any], value: Json, memo: Memo
) -> list[Any]:
    """The keys or indices that no keyword evaluated, here or in subschemas in place."""
    rest = dict.fromkeys(value if isinstance(value, dict) else range(len(value)))
    look = _properties if isinstance(value, dict) else _items
    word = "unevaluatedProperties" if isinstance(value, dict) else "unevaluatedItems"
    pending: list[Any] = [schema]
    seen: set[int] = set()
    while pending and rest:
        current = pending.pop()
        if not isinstance(current, Mapping) or id(current) in seen:
            continue
        seen.add(id(current))
        if word in current and current is not schema:
            return []
        for step in look(cell_of, current, value, memo):
            rest.pop(step, None)
        pending += _in_place(document, cell_of, current, value, memo)
    return list(rest)


def _in_place(
    document: Document, cell_of: CellOf, schema: Mapping[str, Any], value: Json, memo: Memo
) -> Iterator[Any]:
    """The subschemas that apply to the same value and that it fits."""
    if "$ref" in schema:
        yield resolve(document, schema["$ref"])
    yield from schema.get("allOf", ())
    for word in ("anyOf", "oneOf"):
        yield from (sub for sub in schema.get(word, ()) if cell_of(sub)[0](value, memo))
    if "if" in schema:
        fits = cell_of(schema["if"])[0](value, memo)
        yield from (schema["if"], schema.get("then", True)) if fits else (schema.get("else", True),)
    if isinstance(value, dict):
        dependent = schema.get("dependentSchemas", {})
        yield from (sub for name, sub in dependent.items() if name in value)


def _properties(_cell_of: CellOf, schema: Mapping[str, Any], value: Json, _memo: Memo) -> list[str]:
    if "additionalProperties" in schema:
        return list(value)
    known = schema.get("properties", {})
    matchers = [compile_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    return [name for name in value if name in known or any(fits(name) for fits in matchers)]


def _items(cell_of: CellOf, schema: Mapping[str, Any], value: Json, memo: Memo) -> list[int]:
    if "items" in schema:
        return list(range(len(value)))
    known = list(range(len(schema.get("prefixItems", ()))))
    if "contains" in schema:
        cell = cell_of(schema["contains"])
        known += [index for index, part in enumerate(value) if cell[0](part, memo)]
    return known
