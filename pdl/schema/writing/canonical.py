"""A document in the form that reading its text gives, or what the notation cannot say of it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl._types import Json, JsonPath, JsonSchema, format_path
from pdl.errors import Problem, error_from
from pdl.schema.deep import Deep, call, run
from pdl.schema.keywords import ASSERTIONS, DIGITS
from pdl.schema.notation.fits import Fits, is_type
from pdl.schema.notation.names import PREFIX, alias_cycle, endless_cycle
from pdl.schema.notation.unions import NULL, join
from pdl.schema.prose import joined
from pdl.schema.references import lookup, steps
from pdl.schema.writing import ranges
from pdl.schema.writing.naming import Names

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOWHERE: frozenset[str] = frozenset()
_DESCRIBED = frozenset({"description"})
_NOTES = frozenset({"description", "default"})
_IGNORED = _NOTES | {"$defs", DIGITS}
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
class Canonical:
    """A root and the definitions that it uses, in the normal form of the notation."""

    root: JsonSchema
    definitions: dict[str, JsonSchema]


def canonical(document: JsonSchema, *, whole: bool = True) -> Canonical:
    """The normal form of a document; if not the whole, then only of what validates and describes.

    Raises SchemaError with every keyword that the notation has no way to write and its JSON path.
    """
    return _Normaliser(document, whole=whole).canonical()


class _Normaliser:
    """Normalises one document, gathering what cannot be written."""

    def __init__(self, document: JsonSchema, *, whole: bool) -> None:
        self._document = document
        self._whole = whole
        self._names = Names(document)
        self._problems: list[Problem] = []
        self._pending: deque[str] = deque()
        self._found: dict[str, JsonSchema] = {}
        self._defaults: list[tuple[Json, JsonSchema, JsonPath]] = []

    def canonical(self) -> Canonical:
        """The whole document."""
        root = run(self._normal(self._document, (), _DESCRIBED))
        while self._pending:
            reference = self._pending.popleft()
            if reference == "#":
                self._found[self._names.name("#")] = root
            else:
                target = lookup(self._document, reference)
                normal = run(self._normal(target, steps(reference), _DESCRIBED))
                self._found[self._names.name(reference)] = normal
        if "#" in self._names:
            root = {"$ref": PREFIX + self._names.name("#")}
        self._check()
        return Canonical(root, self._ordered())

    def _ordered(self) -> dict[str, JsonSchema]:
        """The definitions, those in `$defs` first and in its order."""
        first = [
            self._names.get(f"{PREFIX}{key}")
            for key in map(_escaped, self._document.get("$defs", ()))
        ]
        names = dict.fromkeys([*(name for name in first if name), *self._found])
        return {name: self._found[name] for name in names}

    def _check(self) -> None:
        """What can be told only of all definitions together."""
        fits = Fits(self._found)
        for value, schema, path in self._defaults if not self._problems else ():
            if not fits(value, schema):
                self._refuse("default", "that does not fit its type", path)
        cycle = alias_cycle(self._found) or endless_cycle(self._found)
        if cycle and not self._problems:
            message = (
                f"no value of `{cycle[0]}` is ever complete, so the notation has no way to write it"
            )
            self._problems.append(Problem("schema/unwritable", message))
        if self._problems:
            raise error_from(self._problems)

    def _normal(self, node: Json, path: JsonPath, notes: frozenset[str]) -> Deep[JsonSchema]:
        """A schema, with those of its annotations that can be written where it stands."""
        schema = join((yield from call(self._parts(node, path, notes))))
        if not isinstance(node, dict):
            return schema
        written = dict(schema)
        if "description" in notes and joined([node.get("description", "")]):
            written["description"] = joined([node["description"]])
        if "default" in notes and "default" in node:
            self._defaults.append((node["default"], schema, path))
            written["default"] = node["default"]
        return written

    def _parts(self, node: Json, path: JsonPath, notes: frozenset[str]) -> Deep[list[JsonSchema]]:
        """The alternatives of a schema, which are no unions themselves."""
        if isinstance(node, bool):
            if not node:
                self._problems.append(_problem("a schema that nothing fits", path))
            return [{}]
        for key in sorted(_NOTES - notes):
            if node.get(key, "") != "":
                self._refuse(key, "here", path)
        core = {key: value for key, value in node.items() if self._counts(key)}
        if "$ref" in core:
            self._refuse_all(core.keys() - {"$ref"}, "beside `$ref`", path)
            return [self._reference(core["$ref"])]
        if "enum" in core or "const" in core:
            return self._constants(core, path)
        if "anyOf" in core:
            return (yield from self._union(core, path))
        if "allOf" in core and len(core["allOf"]) == 1 and len(core) == 1:
            return (yield from call(self._parts(core["allOf"][0], (*path, "allOf", 0), _NOWHERE)))
        return (yield from self._types(core, path))

    def _counts(self, keyword: str) -> bool:
        return keyword not in _IGNORED if self._whole else keyword in ASSERTIONS

    def _reference(self, reference: str) -> JsonSchema:
        if reference not in self._names:
            self._pending.append(reference)
        return {"$ref": PREFIX + self._names.name(reference)}

    def _constants(self, core: JsonSchema, path: JsonPath) -> list[JsonSchema]:
        key = "enum" if "enum" in core else "const"
        values = core["enum"] if key == "enum" else [core["const"]]
        self._refuse_all(core.keys() - {key, "type"}, f"beside `{key}`", path)
        types = core.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not all(any(is_type(value, name) for name in types) for value in values):
            self._refuse(key, "of values that are not of the `type` beside it", path)
        if not values:
            self._refuse(key, "without values, which nothing fits", path)
        scalars = [value for value in values if not isinstance(value, list | dict)]
        if len(scalars) < len(values):
            self._refuse(key, "of an array or an object", path)
        return [NULL if value is None else {"const": value} for value in scalars]

    def _union(self, core: JsonSchema, path: JsonPath) -> Deep[list[JsonSchema]]:
        self._refuse_all(core.keys() - {"anyOf"}, "beside `anyOf`", path)
        parts = []
        for index, branch in enumerate(core["anyOf"]):
            parts += yield from call(self._parts(branch, (*path, "anyOf", index), _NOWHERE))
        return parts

    def _types(self, core: JsonSchema, path: JsonPath) -> Deep[list[JsonSchema]]:
        if "type" not in core:
            bounds = core.keys() & _TYPED
            self._refuse_all(core.keys() - bounds, "", path)
            self._refuse_all(bounds, "without a `type`", path)
            return [{}]
        types = core["type"] if isinstance(core["type"], list) else [core["type"]]
        used = frozenset[str]().union(*(_KEYWORDS_OF.get(name, _NOWHERE) for name in types))
        self._refuse_all(core.keys() - used - {"type"}, "", path)
        parts = []
        for name in types:
            try:
                parts.append((yield from self._typed(name, core, path)))
            except ranges.Unwritable as error:
                self._refuse(error.keyword, error.why, path)
        return parts

    def _typed(self, name: str, core: JsonSchema, path: JsonPath) -> Deep[JsonSchema]:
        match name:
            case "string":
                return ranges.string(core)
            case "integer" | "number":
                return ranges.number(core, name)
            case "array":
                return (yield from self._array(core, path))
            case "object":
                return (yield from self._object(core, path))
        return {"type": name}

    def _array(self, core: JsonSchema, path: JsonPath) -> Deep[JsonSchema]:
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
        return found | ranges.sizes(core, "Items") | unique

    def _tuple(self, prefix: list[Json], core: JsonSchema, path: JsonPath) -> Deep[dict[str, Json]]:
        length = len(prefix)
        most = core.get("maxItems", length if core.get("items") is False else None)
        if core.get("minItems") != length or most is None or most < length:
            raise ranges.Unwritable("prefixItems", "of an array whose length is open")
        if core.get("items", True) is not False and most > length:
            raise ranges.Unwritable("prefixItems", "of an array whose length is open")
        items = []
        for index, one in enumerate(prefix):
            items.append(
                (yield from call(self._normal(one, (*path, "prefixItems", index), _NOWHERE)))
            )
        if length == 1:  # `[T]<1>` says the same, and `[T]` alone is an array of any length
            inner = {"items": items[0]} if items[0] else {}
            return {"type": "array", **inner, "minItems": 1, "maxItems": 1}
        return {"type": "array", "prefixItems": items, "items": False, "minItems": length}

    def _object(self, core: JsonSchema, path: JsonPath) -> Deep[JsonSchema]:
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
        return found | ranges.sizes(core, "Properties")

    def _refuse_all(self, keywords: Iterable[str], why: str, path: JsonPath) -> None:
        for keyword in sorted(keywords):
            self._refuse(keyword, why, path)

    def _refuse(self, keyword: str, why: str, path: JsonPath) -> None:
        self._problems.append(_problem(f"`{keyword}`{why and ' '}{why}", path))


def _rest_field(rest: JsonSchema | bool) -> JsonSchema:  # noqa: FBT001 - a schema may be a boolean
    """The type of a required key that is among the other keys."""
    if rest is False:
        raise ranges.Unwritable("required", "of a key that `additionalProperties` forbids")
    return (
        {key: value for key, value in rest.items() if key != "description"}
        if isinstance(rest, dict)
        else {}
    )


def _problem(what: str, path: JsonPath) -> Problem:
    message = f"the notation has no way to write {what} (at {format_path(path)})"
    return Problem("schema/unwritable", message)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25")
