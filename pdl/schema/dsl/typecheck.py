"""What can be checked only of a whole schema: names that no value completes, defaults that fit.

Only for schemas that the DSL can express.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl.graphs import find_cycle
from pdl.schema.dsl.tree import same
from pdl.schema.formats import is_like
from pdl.schema.keywords import DEFINITIONS, types_of
from pdl.trampoline import Recur, call, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json, JsonSchema


def alias_cycle(definitions: Mapping[str, JsonSchema]) -> list[str]:
    """Return names that are only names of each other: `A = B  B = A | int`; empty if none are."""
    direct = {
        name: [target for one in (schema, *schema.get("anyOf", ())) if (target := _target(one))]
        for name, schema in definitions.items()
    }
    return find_cycle(direct)


def endless_cycle(definitions: Mapping[str, JsonSchema]) -> list[str]:
    """Return names of which no value can be complete, each needing the next; empty if all can be.

    A name is complete once what it requires is, so completeness spreads from the leaves, and each
    requirement is visited once: unit propagation on Horn clauses (Dowling and Gallier 1984).
    """
    gates = {name: _Gate(1) for name in definitions}
    ready: deque[_Gate] = deque()
    for name, schema in definitions.items():
        _wire(schema, gates[name], gates, ready)
    while ready:
        for parent in ready.popleft().parents:
            parent.missing -= 1
            if parent.missing == 0:
                ready.append(parent)
    endless = {name for name, gate in gates.items() if gate.missing > 0}
    needed = {
        name: [other for other in _required(definitions[name]) if other in endless]
        for name in definitions
        if name in endless
    }
    return find_cycle(needed)


@dataclass(eq=False)
class _Gate:
    """Something that is complete when `missing` more of what it waits for are."""

    missing: int
    parents: list[_Gate] = field(default_factory=list)


def _wire(
    schema: JsonSchema, above: _Gate, gates: Mapping[str, _Gate], ready: deque[_Gate]
) -> None:
    pending = [(schema, above)]
    while pending:
        node, parent = pending.pop()
        target = _target(node)
        needs = [] if target is not None else list(_needs(node))
        gate = _Gate(1 if target is not None or "anyOf" in node else len(needs))
        gate.parents.append(parent)
        if target is not None and target in gates:
            gates[target].parents.append(gate)
        elif not gate.missing or target is not None:
            ready.append(gate)
        pending += [(inner, gate) for inner in needs]


def _needs(node: JsonSchema) -> Iterator[JsonSchema]:
    """The schemas of parts that every value has; of the branches of an `anyOf`, one."""
    if "anyOf" in node:
        yield from node["anyOf"]
    if not isinstance(node.get("type"), str):
        return
    if "prefixItems" in node:
        yield from node["prefixItems"]
    elif node.get("minItems") and "items" in node:
        yield node["items"]
    for key in node.get("required", ()):
        yield node["properties"][key]


def _required(schema: JsonSchema) -> Iterator[str]:
    pending = [schema]
    while pending:
        node = pending.pop()
        target = _target(node)
        if target is not None:
            yield target
        pending += _needs(node)


def _target(node: JsonSchema) -> str | None:
    reference = node.get("$ref")
    return reference.removeprefix(DEFINITIONS) if isinstance(reference, str) else None


_CLASSES: MappingProxyType[str, tuple[type, ...]] = MappingProxyType(
    {
        "array": (list,),
        "boolean": (bool,),
        "null": (type(None),),
        "number": (int, float),
        "object": (dict,),
        "string": (str,),
    }
)


class TypeChecker:
    """Checks defaults against their types; an answer is checked elsewhere, and more fully.

    Many defaults can pass through the same names, so whether a value fits a name is checked once.
    The values must live as long as this does: lists are distinguished by their identity.
    """

    def __init__(self, definitions: JsonSchema) -> None:
        self._definitions = definitions
        self._targets: dict[str, JsonSchema] = {}
        self._known: dict[tuple[int, Json], bool] = {}

    def accepts(self, value: Json, schema: JsonSchema) -> bool:
        """Whether a value fits a schema."""
        return run(self._fits(value, schema))

    def _fits(self, value: Json, schema: JsonSchema) -> Recur[bool]:
        if "$ref" in schema:
            return (yield from self._fits_name(value, schema["$ref"]))
        if "anyOf" in schema:
            for branch in schema["anyOf"]:
                if (yield from call(self._fits(value, branch))):
                    return True
            return False
        if not _fits_itself(value, schema):
            return False
        for inner, inner_schema in _parts(value, schema):
            if not (yield from call(self._fits(inner, inner_schema))):
                return False
        return True

    def _fits_name(self, value: Json, reference: str) -> Recur[bool]:
        target = self._target(reference)
        holder = isinstance(value, list | dict)
        key = (id(target), ("id", id(value)) if holder else (type(value), value))
        if key not in self._known:
            self._known[key] = False  # for a name that refers to itself before anything else
            self._known[key] = yield from call(self._fits(value, target))
        return self._known[key]

    def _target(self, reference: str) -> JsonSchema:
        """The schema of a name, through all names that are only names of others."""
        passed: set[str] = set()
        schema: JsonSchema = {"$ref": reference}
        while "$ref" in schema and schema["$ref"] not in passed:
            reference = schema["$ref"]
            if reference in self._targets:
                schema = self._targets[reference]
                break
            passed.add(reference)
            schema = self._definitions.get(reference.removeprefix(DEFINITIONS), {})
        self._targets.update(dict.fromkeys(passed, schema))
        return schema


def _fits_itself(value: Json, schema: JsonSchema) -> bool:
    if "const" in schema or "enum" in schema:
        allowed = schema.get("enum", [schema.get("const")])
        is_scalar = not isinstance(value, list | dict)
        return is_scalar and same(value) in {same(one) for one in allowed}
    types = types_of(schema)
    if types and not any(is_type(value, name) for name in types):
        return False
    if isinstance(value, bool) or value is None:
        return True
    return _within(value, schema)


def is_type(value: Json, name: str) -> bool:
    """Whether a value is of a JSON Schema type; 1.0 is an integer, true is not a number."""
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _CLASSES[name])


def _within(value: Json, schema: JsonSchema) -> bool:
    match value:
        case str():
            return (
                _sized(value, schema, "Length")
                and is_like(schema.get("format", ""), value)
                and _matches(value, schema.get("pattern"))
            )
        case list():
            return _sized(value, schema, "Items") and _is_unique(value, schema)
        case dict():
            required = set(schema.get("required", ()))
            return _sized(value, schema, "Properties") and required <= value.keys()
    return _in_range(value, schema)


def _sized(value: str | list[Json] | dict[str, Json], schema: JsonSchema, name: str) -> bool:
    low = schema.get(f"min{name}", 0)
    return bool(low <= len(value) <= schema.get(f"max{name}", len(value)))


def _matches(value: str, pattern: str | None) -> bool:
    if pattern is None:
        return True
    from pdl.schema.patterns import matches  # noqa: PLC0415 - few schemas have patterns

    return matches(pattern, value)


def _is_unique(value: list[Json], schema: JsonSchema) -> bool:
    if not schema.get("uniqueItems"):
        return True
    return len({repr(item) for item in value}) == len(value)


def _in_range(value: float, schema: JsonSchema) -> bool:
    step = schema.get("multipleOf")
    return bool(
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and not value <= schema.get("exclusiveMinimum", -float("inf"))
        and not value >= schema.get("exclusiveMaximum", float("inf"))
        and (step is None or _is_multiple(value, step))
    )


def _is_multiple(value: float, step: float) -> bool:
    """Whether it is a multiple in decimal: 0.3 is a multiple of 0.1."""
    number, denominator = Decimal(str(value)).as_integer_ratio()
    step_number, step_denominator = Decimal(str(step)).as_integer_ratio()
    return number * step_denominator % (denominator * step_number) == 0


def _parts(value: Json, schema: JsonSchema) -> list[tuple[Json, JsonSchema]]:
    """The parts of a list or an object with their schemas; that of an extra key matches nothing."""
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        rest = schema.get("items", {})
        return [
            (item, _schema(first[index] if index < len(first) else rest))
            for index, item in enumerate(value)
        ]
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        return [(inner, _schema(fields.get(key, rest))) for key, inner in value.items()]
    return []


def _schema(schema: JsonSchema | bool) -> JsonSchema:  # noqa: FBT001 - a schema may be a boolean
    if isinstance(schema, bool):
        return {} if schema else {"enum": []}
    return schema
