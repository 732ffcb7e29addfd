"""The normal form of a document: the one that reading its DSL text returns.

An assertion that the DSL cannot express is an error. An annotation without a place of its own joins
the description of what contains it.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl._types import Json, JsonPath, JsonSchema, format_path
from pdl.errors import Problem, error_from
from pdl.schema.dsl.notes import DROPPED, Owner, asserts, note
from pdl.schema.dsl.tree import NULL, join
from pdl.schema.dsl.typecheck import TypeChecker, alias_cycle, endless_cycle, is_type
from pdl.schema.formats import FORMATS, has_no_number, has_no_size
from pdl.schema.keywords import (
    DEFINITIONS,
    IN_PLACE_APPLICATORS,
    ONE_SCHEMA,
    SCHEMA_ARRAYS,
    SCHEMA_MAPS,
    lookup,
    nodes,
    steps,
    types_of,
)
from pdl.trampoline import Recur, call, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json, JsonSchema


_KEYWORDS = IN_PLACE_APPLICATORS | SCHEMA_ARRAYS | SCHEMA_MAPS | ONE_SCHEMA


class _Names(dict[str, str]):
    """The name of each reference; names in `$defs` that the DSL can write stay what they are."""

    def __init__(self, document: JsonSchema) -> None:
        super().__init__()
        self._taken = {name for name in document.get("$defs", ()) if _is_name(name)}
        self._next: dict[str, int] = {}

    def __missing__(self, reference: str) -> str:
        path = steps(reference)
        if path[:1] == ("$defs",) and path[1:] and not path[2:] and _is_name(str(path[1])):
            return self.setdefault(reference, str(path[1]))
        words = [step for step in map(str, path) if step not in _KEYWORDS and not step.isdigit()]
        wanted = _capitalized(words[-1] if words else "Answer")
        name = wanted
        while name in self._taken:
            number = self._next[wanted] = self._next.get(wanted, 1) + 1
            name = f"{wanted}{number}"
        self._taken.add(name)
        return self.setdefault(reference, name)


def _is_name(word: str) -> bool:
    """Whether the word is a name in the DSL."""
    return word[:1].isupper() and all(c.isalnum() or c in "_-" for c in word)


def _capitalized(word: str) -> str:
    """A name of the letters and digits of a word: `MyNode` for `my node`."""
    parts = "".join(c if c.isalnum() else " " for c in word).split()
    name = "".join(part[:1].upper() + part[1:] for part in parts)
    return name if _is_name(name) else f"T{name}"


class _Unwritable(Exception):  # noqa: N818 - it never leaves this package
    """A keyword has a value that the DSL cannot express: its name, and what follows that."""


def _string(schema: JsonSchema) -> dict[str, Json]:
    """`str`, or a word for a format, with lengths and pattern."""
    found: dict[str, Json] = {"type": "string"}
    if "format" in schema:
        if schema["format"] not in FORMATS:
            raise _Unwritable("format", f"of `{schema['format']}`")
        found["format"] = schema["format"]
    found |= _sizes(schema, "Length")
    if "pattern" in schema:
        from pdl.schema.patterns import pattern_error  # noqa: PLC0415 - few schemas have patterns

        if pattern_error(schema["pattern"]):
            raise _Unwritable("pattern", "that is not a valid regular expression")
    return found | {key: schema[key] for key in ("pattern", "x-gbnf") if key in schema}


def _number(schema: JsonSchema, kind: str) -> dict[str, Json]:
    """`int` or `float` with bounds; those of an `int` become integers."""
    found = {key: _plain(schema[key]) for key in _BOUNDS if key in schema}
    if kind == "integer":
        _make_whole(found)
    if "multipleOf" in schema:
        found["multipleOf"] = _plain(schema["multipleOf"])
        if kind == "integer" and isinstance(found["multipleOf"], float):
            raise _Unwritable("multipleOf", f"of {found['multipleOf']} for integers")
    if has_no_number(found, kind):
        name = next(key for key in ("exclusiveMaximum", "maximum") if key in found)
        raise _Unwritable(name, "below the minimum, which nothing fits")
    return {"type": kind, **found}


def _sizes(schema: JsonSchema, name: str) -> dict[str, Json]:
    """`minName` and `maxName`."""
    found = {key: int(schema[key]) for key in (f"min{name}", f"max{name}") if key in schema}
    if has_no_size({**schema, **found}, name):
        raise _Unwritable(next(iter(found)), "that nothing fits")
    return found


_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def _plain(value: Json) -> Json:
    """An integer for a value such as 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _make_whole(bounds: dict[str, Json]) -> None:
    """No integer is lost when a bound moves to the next one inside the range."""
    for inclusive, exclusive, inner, outer in (
        ("minimum", "exclusiveMinimum", math.ceil, max),
        ("maximum", "exclusiveMaximum", math.floor, min),
    ):
        if inclusive in bounds:
            bounds[inclusive] = inner(bounds[inclusive])
        if isinstance(bounds.get(exclusive), float):
            moved = inner(bounds.pop(exclusive))
            bounds[inclusive] = outer(moved, bounds.get(inclusive, moved))


_NOWHERE: frozenset[str] = frozenset()
_DESCRIBED = frozenset({"description"})
_NOTES = frozenset({"description", "default"})
_NUMBER = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_KEYWORDS_OF = MappingProxyType(
    {
        "string": frozenset({"format", "minLength", "maxLength", "pattern", "x-gbnf"}),
        "integer": _NUMBER,
        "number": _NUMBER,
        "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}),
        "object": frozenset(
            {"properties", "required", "additionalProperties", "minProperties", "maxProperties"}
        ),
    }
)
_TYPED = frozenset[str]().union(*_KEYWORDS_OF.values())


@dataclass(frozen=True)
class NormalForm:
    """A root and the definitions that it uses, in normal form."""

    root: JsonSchema
    definitions: dict[str, JsonSchema]


def normal_form(document: JsonSchema, *, whole: bool = True, exact: bool = False) -> NormalForm:
    """Return the normal form of a document, or only of what validates and describes.

    `exact` also refuses the annotations that are notes in it.

    Raises SchemaError with each assertion that the DSL cannot express and its JSONPath.
    """
    normalizer = _Normalizer(document, whole=whole)
    found = normalizer.normal_form()
    dropped = exact and any(DROPPED & one.keys() for one in nodes(document))
    if dropped or (exact and any(owner.notes for owner in normalizer.owners)):
        raise error_from([Problem("schema/unwritable", "the schema DSL has only notes for this")])
    return found


class _Normalizer:
    """Normalizes one document, gathering what cannot be written."""

    def __init__(self, document: JsonSchema, *, whole: bool) -> None:
        self._document = document
        self._whole = whole
        self._names = _Names(document)
        self._problems: list[Problem] = []
        self._pending: deque[str] = deque()
        self._found: dict[str, JsonSchema] = {}
        self.owners: list[Owner] = []
        self._owners: list[Owner] = []
        self._defaults: list[tuple[dict[str, Json], JsonSchema, Owner]] = []

    def normal_form(self) -> NormalForm:
        """The whole document."""
        root = run(self._normal(self._document, (), _DESCRIBED))
        while self._pending:
            reference = self._pending.popleft()
            if reference == "#":
                self._found[self._names["#"]] = root
            else:
                target = lookup(self._document, reference)
                normal = run(self._normal(target, steps(reference), _DESCRIBED))
                self._found[self._names[reference]] = normal
        if "#" in self._names:
            root = {"$ref": DEFINITIONS + self._names["#"]}
        self._check()
        return NormalForm(root, self._ordered())

    def _ordered(self) -> dict[str, JsonSchema]:
        """The definitions, those in `$defs` first and in its order."""
        first = [
            self._names.get(f"{DEFINITIONS}{key}")
            for key in map(_escaped, self._document.get("$defs", ()))
        ]
        names = dict.fromkeys([*(name for name in first if name), *self._found])
        return {name: self._found[name] for name in names}

    def _check(self) -> None:
        """Check what concerns all definitions together."""
        checker = TypeChecker(self._found)
        for written, schema, owner in self._defaults if not self._problems else ():
            if not checker.accepts(written["default"], schema):  # an annotation, so it may not fit
                owner.notes.append(note("default", written.pop("default")))
                written["description"] = owner.description()
        cycle = alias_cycle(self._found) or endless_cycle(self._found)
        if cycle and not self._problems:
            message = f"the schema DSL cannot express `{cycle[0]}`: no value of it can be complete"
            self._problems.append(Problem("schema/unwritable", message))
        if self._problems:
            raise error_from(self._problems)

    def _normal(self, node: Json, path: JsonPath, notes: frozenset[str]) -> Recur[JsonSchema]:
        """A schema, with those of its annotations that can be written at its position."""
        if not (notes and isinstance(node, dict)):
            return join((yield from call(self._parts(node, path, notes))))
        owner = Owner(node, path, str(path[-1]) if path else "", [])
        self.owners.append(owner)
        self._owners.append(owner)
        schema = join((yield from call(self._parts(node, path, notes))))
        self._owners.pop()
        written = dict(schema)
        if description := owner.description():
            written["description"] = description
        if "default" in notes and "default" in node:
            written["default"] = node["default"]
            self._defaults.append((written, schema, owner))
        return written

    def _parts(self, node: Json, path: JsonPath, notes: frozenset[str]) -> Recur[list[JsonSchema]]:
        """The alternatives of a schema, none of which is a union."""
        if isinstance(node, bool):
            if not node:
                self._problems.append(_problem("a schema that nothing fits", path))
            return [{}]
        self._owners[-1].add(node, path, whole=self._whole, default="default" in notes)
        core = {key: value for key, value in node.items() if self._counts(node, key)}
        if "$ref" in core:
            self._refuse_all(core.keys() - {"$ref"}, "next to `$ref`", path)
            return [self._reference(core["$ref"])]
        if "enum" in core or "const" in core:
            return self._constants(core, path)
        if "anyOf" in core:
            return (yield from self._union(core, path))
        if "allOf" in core and len(core["allOf"]) == 1 and len(core) == 1:
            return (yield from call(self._parts(core["allOf"][0], (*path, "allOf", 0), _NOWHERE)))
        return (yield from self._types(core, path))

    def _counts(self, node: JsonSchema, keyword: str) -> bool:
        return asserts(node, keyword) or (keyword == "x-gbnf" and self._whole)

    def _reference(self, reference: str) -> JsonSchema:
        if reference not in self._names:
            self._pending.append(reference)
        return {"$ref": DEFINITIONS + self._names[reference]}

    def _constants(self, core: JsonSchema, path: JsonPath) -> list[JsonSchema]:
        key = "enum" if "enum" in core else "const"
        values = core["enum"] if key == "enum" else [core["const"]]
        self._refuse_all(core.keys() - {key, "type"}, f"next to `{key}`", path)
        types = types_of(core)
        if types and not all(any(is_type(value, name) for name in types) for value in values):
            self._refuse(key, "of values that are not of the `type` next to it", path)
        if not values:
            self._refuse(key, "without values, which nothing fits", path)
        scalars = [value for value in values if not isinstance(value, list | dict)]
        if len(scalars) < len(values):
            self._refuse(key, "of an array or an object", path)
        return [NULL if value is None else {"const": value} for value in scalars]

    def _union(self, core: JsonSchema, path: JsonPath) -> Recur[list[JsonSchema]]:
        self._refuse_all(core.keys() - {"anyOf"}, "next to `anyOf`", path)
        parts = []
        for index, branch in enumerate(core["anyOf"]):
            parts += yield from call(self._parts(branch, (*path, "anyOf", index), _NOWHERE))
        return parts

    def _types(self, core: JsonSchema, path: JsonPath) -> Recur[list[JsonSchema]]:
        if "type" not in core:
            bounds = core.keys() & _TYPED
            self._refuse_all(core.keys() - bounds, "", path)
            self._refuse_all(bounds, "without a `type`", path)
            return [{}]
        types = types_of(core)
        used = frozenset[str]().union(*(_KEYWORDS_OF.get(name, _NOWHERE) for name in types))
        self._refuse_all(core.keys() - used - {"type"}, "", path)
        parts = []
        for name in types:
            try:
                parts.append((yield from self._typed(name, core, path)))
            except _Unwritable as error:
                keyword, why = error.args
                self._refuse(keyword, why, path)
        return parts

    def _typed(self, name: str, core: JsonSchema, path: JsonPath) -> Recur[JsonSchema]:
        match name:
            case "string":
                return _string(core)
            case "integer" | "number":
                return _number(core, name)
            case "array":
                return (yield from self._array(core, path))
            case "object":
                return (yield from self._object(core, path))
        return {"type": name}

    def _array(self, core: JsonSchema, path: JsonPath) -> Recur[JsonSchema]:
        prefix = core.get("prefixItems", [])
        unique = {"uniqueItems": True} if core.get("uniqueItems") else {}
        if prefix:
            found = yield from self._tuple(prefix, core, path)
            return {**found, **unique}
        rest = core.get("items", True)
        found = {"type": "array"}
        items = yield from call(self._normal(rest, (*path, "items"), _NOWHERE))
        if items:
            found["items"] = items
        return found | _sizes(core, "Items") | unique

    def _tuple(
        self, prefix: list[Json], core: JsonSchema, path: JsonPath
    ) -> Recur[dict[str, Json]]:
        length = len(prefix)
        most = core.get("maxItems", length if core.get("items") is False else None)
        if core.get("minItems") != length or most is None or most < length:
            raise _Unwritable("prefixItems", "of an array whose length is open")
        if core.get("items", True) is not False and most > length:
            raise _Unwritable("prefixItems", "of an array whose length is open")
        items = []
        for index, one in enumerate(prefix):
            items.append(
                (yield from call(self._normal(one, (*path, "prefixItems", index), _NOWHERE)))
            )
        if length == 1:  # `[T]<1>` says the same, and `[T]` alone is an array of any length
            inner = {"items": items[0]} if items[0] else {}
            return {"type": "array", **inner, "minItems": 1, "maxItems": 1}
        return {"type": "array", "prefixItems": items, "items": False, "minItems": length}

    def _object(self, core: JsonSchema, path: JsonPath) -> Recur[JsonSchema]:
        rest: JsonSchema | bool = core.get("additionalProperties", True)
        if isinstance(rest, dict):
            below = (*path, "additionalProperties")
            rest = (yield from call(self._normal(rest, below, _DESCRIBED))) or True
        fields: dict[str, JsonSchema] = {}
        for key, inner in core.get("properties", {}).items():
            fields[key] = yield from call(self._normal(inner, (*path, "properties", key), _NOTES))
        required = frozenset(core.get("required", ()))
        for key in dict.fromkeys(core.get("required", ())):
            if key not in fields:
                fields[key] = _rest_field(rest)
        found: dict[str, Json] = {"type": "object"}
        if fields:
            found["properties"] = fields
        if required:
            found["required"] = [key for key in fields if key in required]
        found["additionalProperties"] = rest
        return found | _sizes(core, "Properties")

    def _refuse_all(self, keywords: Iterable[str], why: str, path: JsonPath) -> None:
        for keyword in sorted(keywords):
            self._refuse(keyword, why, path)

    def _refuse(self, keyword: str, why: str, path: JsonPath) -> None:
        self._problems.append(_problem(f"`{keyword}`{why and ' '}{why}", path))


def _rest_field(rest: JsonSchema | bool) -> JsonSchema:  # noqa: FBT001 - a schema may be a boolean
    """The type of a required key that is among the other keys."""
    if rest is False:
        raise _Unwritable("required", "of a key that `additionalProperties` forbids")
    return (
        {key: value for key, value in rest.items() if key != "description"}
        if isinstance(rest, dict)
        else {}
    )


def _problem(what: str, path: JsonPath) -> Problem:
    message = f"the schema DSL cannot express {what} (at {format_path(path)})"
    return Problem("schema/unwritable", message)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25")
