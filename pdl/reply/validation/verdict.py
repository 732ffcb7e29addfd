"""Does a value fit a schema? Compiled to closures, for most replies do and need no more than a yes.

Each subschema becomes one test in a cell. References are cells that are shared, so that following
one costs no frame, and a value nested as deep as the limit allows stays far from Python's recursion
limit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pdl.reply import late
from pdl.reply.validation.by_type import BY_TYPE, only_type
from pdl.reply.validation.columns import column, each
from pdl.reply.validation.combine import COMBINED
from pdl.reply.validation.compiled import FLOAT_MET, Cell, Memo, Test, always, never, nothing
from pdl.reply.validation.json_types import KINDS
from pdl.reply.validation.references import Document, resolve

if TYPE_CHECKING:
    from pdl._types import Json

_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas")
_TWICE = (*_IN_PLACE, "patternProperties", "contains")
_ANNOTATIONS = frozenset(
    (
        *("$defs", "definitions", "title", "description", "default", "examples", "deprecated"),
        *("readOnly", "writeOnly", "$comment", "$schema"),
    )
)
_CACHED = 64


class Verdict:
    """The compiled tests of one document. Call it with a value; it holds no state between calls."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._cells: dict[int, Cell] = {}
        self._queue: list[tuple[Mapping[str, Any], Cell]] = []
        self._shared = _shared(document)
        self._root = self.cell(document)
        while self._queue:
            schema, cell = self._queue.pop()
            test = self._node(schema)
            if id(schema) in self._shared:
                test = _remembered(test, scalars=_looks_further(schema))
                cell[:] = test, each(test)
            else:
                cell[:] = test, column(self.cell, schema, test)

    def __call__(self, value: Json) -> bool:
        """Whether the value fits. Raises RecursionError for values nested beyond all limits."""
        return self._root[0](value, {})

    def look(self, value: Json) -> tuple[bool, bool]:
        """Whether the value fits, and whether a float was met where an integer is wanted."""
        memo: Memo = {}
        return self._root[0](value, memo), FLOAT_MET in memo

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The types that the document allows at its root."""
        return late.root_kinds(self.document)

    def cell(self, schema: Json) -> Cell:
        """The cell of a subschema: the one of its target if it is no more than a reference."""
        chain: list[int] = []
        current = schema
        while isinstance(current, Mapping) and id(current) not in self._cells and _bare(current):
            if id(current) in chain:
                return [never, nothing]  # references in a circle, which nothing satisfies
            chain.append(id(current))
            current = resolve(self.document, current["$ref"])
        cell = self._own_cell(current)
        for link in chain:
            self._cells[link] = cell
        return cell

    def _own_cell(self, schema: Json) -> Cell:
        if isinstance(schema, bool):
            return [always, always] if schema else [never, nothing]
        known = self._cells.get(id(schema))
        if known is not None:
            return known
        cell = self._cells[id(schema)] = [never, nothing]
        self._queue.append((schema, cell))
        return cell

    def _node(self, schema: Mapping[str, Any]) -> Test:
        tests = list(self._tests(schema))
        if not tests:
            return always
        return tests[0] if len(tests) == 1 else _every(tests)

    def _tests(self, schema: Mapping[str, Any]) -> Iterator[Test]:
        kinds, only = schema.get("type"), only_type(schema)
        tests = {kind: build(self.cell, schema) for kind, build in BY_TYPE.items()}
        if kinds and tests.get(only) is None:
            yield _type(kinds)
        yield from (test for test in tests.values() if test)
        if "$ref" in schema:
            target = self.cell(resolve(self.document, schema["$ref"]))
            yield lambda value, memo: target[0](value, memo)  # noqa: PLW0108 - filled in later
        yield from (build(self.cell, schema) for word, build in COMBINED.items() if word in schema)
        if "unevaluatedProperties" in schema or "unevaluatedItems" in schema:
            yield from late.unevaluated(self.document, self.cell, schema)


_cache: OrderedDict[int, Verdict] = OrderedDict()


def verdict_of(document: Document) -> Verdict:
    """The compiled tests of a document; those of the last few documents are kept.

    A document is known by its identity, and the cache holds it, so an identity never means another.
    """
    known = _cache.get(id(document))
    if known is not None and known.document is document:
        return known
    verdict = _cache[id(document)] = Verdict(document)
    while len(_cache) > _CACHED:
        _cache.popitem(last=False)
    return verdict


def _bare(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says nothing but `$ref`."""
    return "$ref" in schema and all(word == "$ref" or word in _ANNOTATIONS for word in schema)


def _shared(document: Json) -> frozenset[int]:
    """The identities of the subschemas whose tests are worth remembering.

    They are the targets of references, if anything in the document may look at one value twice:
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
                twice = twice or not _bare(part)
                targets += _identity(document, ref)
            twice = twice or any(word in part for word in _TWICE)
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return frozenset(targets) if twice else frozenset()


def _identity(document: Json, ref: str) -> list[int]:
    try:
        return [id(resolve(document, ref))]
    except (LookupError, TypeError, ValueError):
        return []  # no reference: a `$ref` in the values of an enum, or a property of that name


def _looks_further(schema: Mapping[str, Any]) -> bool:
    """Whether the test of a schema asks others about the same value, which may ask further ones."""
    return any(word in schema for word in ("$ref", *_IN_PLACE))


def _remembered(test: Test, *, scalars: bool) -> Test:
    """A test that is asked once a run for each object and array, and perhaps for each scalar."""

    def remember(value: Json, memo: Memo) -> bool:
        if not scalars and not isinstance(value, dict | list):
            return test(value, memo)
        mark = (id(test), id(value))
        known = memo.get(mark)
        if known is None:
            known = memo[mark] = test(value, memo)
        return known

    return remember


def _every(tests: list[Test]) -> Test:
    def every(value: Json, memo: Memo) -> bool:
        for test in tests:  # noqa: SIM110 - a generator would be a second frame
            if not test(value, memo):
                return False
        return True

    return every


def _type(kinds: str | list[str]) -> Test:
    fits = [KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if "integer" in kinds and "number" not in kinds:
        return _integer(fits)
    if len(fits) == 1:
        one = fits[0]
        return lambda value, _memo: one(value)
    return lambda value, _memo: any(fit(value) for fit in fits)


def _integer(fits: list[Callable[[Json], bool]]) -> Test:
    """The test of `integer`, perhaps among other types: notes the floats that are such ones."""

    def test(value: Json, memo: Memo) -> bool:
        if type(value) is float and value.is_integer():
            memo[FLOAT_MET] = True
        return any(fit(value) for fit in fits)

    return test
