"""Values to render a prompt with when there are no data: defaults, and stand-ins by type and use.

They are the same for the same prompt, and readable: a string is `«name»` wherever it can be.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from jinja2 import nodes

from pdl import gbnf, reply
from pdl.errors import PdlError
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.prompt import Prompt

_DEPTH = 12  # of objects within objects
_SHORT = 12  # a minimum of items or characters that is still written out
_FORMATS = {
    "date": "2025-01-31",
    "time": "12:30:00",
    "x-time": "12:30:00",
    "x-date-time": "2025-01-31T12:30:00",
    "date-time": "2025-01-31T12:30:00Z",
    "duration": "PT1H30M",
    "email": "name@example.org",
    "uri": "https://example.org/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
_Values: TypeAlias = dict[str, Any]


def stand_ins(prompt: Prompt, *, optional: bool = False) -> _Values:
    """Return values for the inputs of a prompt that need one; `optional` for all of them."""
    if prompt.inputs is None:
        return _by_use(prompt)
    document: Mapping[str, Any] = prompt.inputs.schema.document
    required = document.get("required", ())
    return {
        name: _valid(name, field, document)
        for name, field in document.get("properties", {}).items()
        if not _has_default(field) and (optional or name in required)
    }


def example(schema: Schema[Any]) -> Any:
    """Return a readable value for an answer in JSON; it fits, unless the schema is unusual."""
    return _valid("answer", schema.document, schema.document)


def _has_default(field: object) -> bool:
    return isinstance(field, dict) and "default" in field


def _valid(name: str, field: Any, document: Mapping[str, Any]) -> Any:
    """A readable value if it is valid, else what the grammar of the type generates."""
    whole = {**field, "$defs": document["$defs"]} if "$defs" in document else field
    made = _Maker(document.get("$defs", {})).value(name, field, 0)
    try:
        schema = Schema.from_json_schema(whole)
        if not reply.violations(schema, made):
            return made
        grammar = gbnf.compile(schema).grammar
        return json.loads(grammar.generate(Random(7), size=40))  # noqa: S311 - no secret
    except (PdlError, ValueError):
        return made


class _Maker:
    """Makes values by their types, whose names are `definitions`."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self.suffix = ""
        """What tells the strings of an array's items apart."""

    def value(self, name: str, schema: Any, depth: int) -> Any:
        """A value that fits a schema, unless its constraints are unusual."""
        while isinstance(schema, dict) and "$ref" in schema and depth < _DEPTH:
            schema = self.definitions.get(schema["$ref"].removeprefix("#/$defs/"))
            depth += 1
        if not isinstance(schema, dict) or depth >= _DEPTH:
            return None
        for keyword in ("default", "const"):
            if keyword in schema:
                return schema[keyword]
        if schema.get("enum"):
            return schema["enum"][0]
        for keyword in ("anyOf", "oneOf", "allOf"):
            if schema.get(keyword):
                return self.value(name, schema[keyword][0], depth + 1)
        kind = schema.get("type", "string")
        return _KINDS[kind[0] if isinstance(kind, list) else kind](self, name, schema, depth)

    def object(self, name: str, schema: dict[str, Any], depth: int) -> Any:
        fields = schema.get("properties", {})
        required = schema.get("required", ())
        recursive = depth > 1
        made = {
            key: self.value(key, field, depth + 1)
            for key, field in fields.items()
            if key in required or not recursive
        }
        return made or ({name: f"«{name}»"} if schema.get("additionalProperties") else {})

    def array(self, name: str, schema: dict[str, Any], depth: int) -> Any:
        first = schema.get("prefixItems", ())
        made = [self.value(name, one, depth + 1) for one in first]
        items = schema.get("items", {})
        least = schema.get("minItems", 0)
        if isinstance(items, dict) and least <= _SHORT:
            wanted = max(least, 1 if depth < _DEPTH // 2 else 0)
            outer = self.suffix
            for at in range(len(made), wanted):
                self.suffix = f"{outer} {at + 1}" if at else outer
                made.append(self.value(name, items, depth + 1))
            self.suffix = outer
        return made

    def string(self, name: str, schema: dict[str, Any], _depth: int) -> str:
        text = _FORMATS.get(schema.get("format", ""), f"«{name}{self.suffix}»")
        least = schema.get("minLength", 0)
        if len(text) < least <= 100 * _SHORT:
            text = " ".join([text] * -(-(least + 1) // (len(text) + 1)))
        most = schema.get("maxLength")
        return text if most is None or len(text) <= most else name[:most]

    def number(self, _name: str, schema: dict[str, Any], _depth: int) -> Any:
        step = schema.get("multipleOf", 1)
        for bound, to in (("minimum", 0), ("exclusiveMinimum", step)):
            if bound in schema:
                return schema[bound] + to
        for bound, to in (("maximum", 0), ("exclusiveMaximum", step)):
            if bound in schema and schema[bound] <= step:
                return schema[bound] - to
        return step

    def boolean(self, _name: str, _schema: dict[str, Any], _depth: int) -> bool:
        return True

    def null(self, _name: str, _schema: dict[str, Any], _depth: int) -> None:
        return None


_KINDS: Any = {
    "object": _Maker.object,
    "array": _Maker.array,
    "string": _Maker.string,
    "integer": _Maker.number,
    "number": _Maker.number,
    "boolean": _Maker.boolean,
    "null": _Maker.null,
}


def _by_use(prompt: Prompt) -> _Values:
    """Values for the variables of a prompt that declares none: lists where it loops over them."""
    assert prompt.template is not None
    tree = prompt.template.environment.parse(prompt.source.text)
    shapes: dict[str, _Shape] = {}
    for node in tree.find_all(nodes.Node):
        _note(node, shapes)
    return {
        name: shapes[name].value(name) if name in shapes else f"«{name}»"
        for name in prompt.variables
        if name != "schema"
    }


class _Shape:
    """What a template does with a value: reads its attributes, or loops over it."""

    def __init__(self) -> None:
        self.attributes: dict[str, _Shape] = {}
        self.item: _Shape | None = None

    def value(self, name: str) -> Any:
        if self.item is not None:
            return [self.item.value(name)]
        if self.attributes:
            return {key: shape.value(key) for key, shape in self.attributes.items()}
        return f"«{name}»"


def _note(node: nodes.Node, shapes: dict[str, _Shape]) -> None:
    if isinstance(node, nodes.For) and isinstance(node.target, nodes.Name):
        iterable = node.iter
        while isinstance(iterable, nodes.Filter) and iterable.node is not None:
            iterable = iterable.node
        walked = _shape(iterable, shapes)
        if walked is not None:
            if walked.item is None:
                walked.item = _Shape()
            shapes[node.target.name] = walked.item
    elif isinstance(node, nodes.Getattr):
        _shape(node, shapes)


def _shape(node: nodes.Node, shapes: dict[str, _Shape]) -> _Shape | None:
    """The shape of `name.attribute…`, noted on the way; None for other expressions."""
    names: list[str] = []
    while isinstance(node, nodes.Getattr):
        names.append(node.attr)
        node = node.node
    if not isinstance(node, nodes.Name):
        return None
    shape = shapes.setdefault(node.name, _Shape())
    for name in reversed(names):
        shape = shape.attributes.setdefault(name, _Shape())
    return shape
