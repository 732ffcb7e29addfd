"""Read schemas as named types."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import Problem, error_from
from pdl.schema.code.named_types import Field, Kind, Named, Section, Type
from pdl.schema.code.type_names import TypeNames, class_name
from pdl.schema.dsl.tree import same
from pdl.schema.dsl.typecheck import is_type
from pdl.schema.keywords import (
    ASSERTIONS,
    DRAFT_4_INTEGER,
    lookup,
    nodes,
    steps,
    types_of,
)
from pdl.schema.parts import json_form
from pdl.schema.records import NO_DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pdl._types import Json, JsonSchema
    from pdl.schema.code.named_types import PromptTypes
    from pdl.schema.model import Schema


def name_types(prompts: Sequence[PromptTypes], reserved: Iterable[str]) -> list[Section]:
    """Return the named types of prompts; no type gets a reserved name.

    A definition that several prompts share, equal and of the same name, is one type; different
    definitions of one name get the names of their prompts in front.
    """
    prompts = [one for one in prompts if one.inputs or one.answer or one.unknown]
    names = TypeNames(reserved, prompts)
    sections = []
    for prompt, base, roots in zip(prompts, names.bases, names.roots, strict=True):
        types: list[Named] = []
        for schema, name in zip((prompt.inputs, prompt.answer), roots, strict=True):
            if schema is not None:
                reader = _Reader(schema.document, base, names, is_input=schema is prompt.inputs)
                is_json = schema.form == json_form(schema.document)
                types += reader.read(name, None if is_json else schema)
        unknown = [f"no type for {prompt.unknown}"] if prompt.unknown else []
        sections.append(Section(prompt.source, tuple(types), (*unknown, *names.notes[base])))
    return sections


_DEEPEST = 80  # types inside types; Python reads at most 200 brackets
_NUMBER = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_KEYWORDS_OF = {
    "string": frozenset({"format", "minLength", "maxLength", "pattern", "x-gbnf"}),
    "integer": _NUMBER | {DRAFT_4_INTEGER},
    "number": _NUMBER,
    "array": frozenset(
        {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}
        | {"minContains", "maxContains", "unevaluatedItems"}
    ),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "minProperties", "maxProperties"}
        | {"patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"}
        | {"unevaluatedProperties"}
    ),
}
"""The keywords that say something of the values of one JSON type only."""
_KINDS: dict[str, Kind] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "null",
}
_GROUPS = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"prefixItems", "items"}),
    frozenset({"contains", "minContains", "maxContains"}),
    frozenset({"if", "then", "else"}),
)
"""Keywords of which each says something else without the others."""

_UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
"""The keywords that depend on the other keywords of a schema, which no type has."""

_COUNTED = ASSERTIONS | {"x-gbnf", DRAFT_4_INTEGER}
_IDLE = (("minLength", 0), ("minItems", 0), ("minProperties", 0), ("uniqueItems", False))


class _Place(NamedTuple):
    """Where a type is: inside a named type, at a depth; `hint` is the name for a record there."""

    owner: Named
    hint: str
    depth: int = 0

    def inside(self, name: str) -> _Place:
        return _Place(self.owner, self.hint + name, self.depth + 1)


class _Reader:
    """Reads one document; `_types` gathers its named types, those that others use first."""

    def __init__(
        self, document: JsonSchema, base: str, names: TypeNames, *, is_input: bool
    ) -> None:
        self._document = document
        self._base = base
        self._names = names
        self._is_input = is_input
        self._known: dict[str, str] = {}
        self._types: list[Named] = []

    def read(self, name: str, form: Schema | None) -> list[Named]:
        """The types of the document, the last of which has the name."""
        self._known["#"] = name
        self._define(name, self._document, name, 0).form = form
        return self._types

    def _define(self, name: str, node: Json, hint: str, depth: int) -> Named:
        """Add a named type."""
        if depth > _DEEPEST:
            message = f"`{name}` nests too deep to be code"
            raise error_from([Problem("limit/schema-depth", message)])
        named = Named(name)
        place = _Place(named, hint, depth)
        if _is_record(node):
            self._record(named, node, place)
        else:
            named.type = self._type(node, place)
        self._types.append(named)
        return named

    def _type(self, node: Json, place: _Place) -> Type:
        if place.depth > _DEEPEST:
            message = f"`{place.owner.name}` nests too deep to be code"
            raise error_from([Problem("limit/schema-depth", message)])
        if isinstance(node, bool):
            return Type("any", keywords={} if node else {"not": {}})
        if _is_record(node):
            name = self._names.new(place.hint, self._base)
            self._define(name, node, place.hint, place.depth)
            return Type("name", name=name)
        found = self._core(_counted(node), place)
        return replace(found, description=_described(node)) if _described(node) else found

    def _core(self, core: dict[str, Json], place: _Place) -> Type:  # noqa: PLR0911 - one for each kind
        if "$ref" in core:
            name = self._reference(core.pop("$ref"))
            kept = self._kept(core, place)
            # An alias has constraints of its own, which those here add to.
            return Type("name", name=name, keywords={"allOf": [kept]} if kept else {})
        if core.keys() & _UNEVALUATED:
            return Type("any", keywords=self._kept(core, place))
        if "enum" in core or "const" in core:
            return self._choice(core, place)
        types = types_of(core)
        if len(types) == 1:
            return self._typed(types[0], core, place)
        if types:
            return self._several(types, core, place)
        for key in ("anyOf", "oneOf"):
            if key in core:
                branches = core[key] if key == "oneOf" else core.pop(key)
                if key == "oneOf" and self._are_disjoint(branches):
                    del core[key]
                return self._union(branches, core, place)
        if len(core.get("allOf", ())) == 1 == len(core):
            return self._type(core["allOf"][0], place)
        return Type("any", keywords=self._kept(core, place))

    def _kept(self, core: Mapping[str, Json], place: _Place) -> dict[str, Json]:
        """The keywords that are kept as they are: those that do not refer to definitions."""
        refer = {key for key, value in core.items() if _refers(key, value)}
        refer |= {key for group in _GROUPS for key in group if group & refer}
        refer |= _UNEVALUATED & core.keys() if refer else set()
        kept = {key: value for key, value in core.items() if key not in refer}
        place.owner.notes += [f"`{key}` is not part of the type" for key in sorted(refer)]
        return kept

    def _reference(self, reference: str) -> str:
        """The name of a definition, which is read when it is first named."""
        if reference in self._known:
            return self._known[reference]
        path = steps(reference)
        if path[:1] == ("$defs",) and len(path) == 2:  # noqa: PLR2004
            name, is_new = self._names.of_definition(
                self._document, str(path[1]), self._base, is_input=self._is_input
            )
        else:
            words = [str(step) for step in path if not str(step).isdigit()]
            wanted = self._base + class_name(words[-1])
            name, is_new = self._names.new(wanted, self._base), True
        self._known[reference] = name
        if is_new:
            self._define(name, lookup(self._document, reference), name, 0)
        return name

    def _choice(self, core: dict[str, Json], place: _Place) -> Type:
        """A choice of constants; arrays and objects stay keywords."""
        key = "enum" if "enum" in core else "const"
        known = [_whole(value) for value in (core[key] if key == "enum" else [core[key]])]
        if any(isinstance(value, list | dict) for value in known):
            return Type("any", keywords=self._kept(core, place))
        del core[key]
        kept = self._kept({} if _are_of(known, core) else core, place)
        kept = {"allOf": [kept]} if kept else {}
        if known == [None]:
            return Type("null", keywords=kept)
        return Type("choice", values=tuple(known), keywords=kept)

    def _several(self, types: list[str], core: dict[str, Json], place: _Place) -> Type:
        """A union of JSON types, each with the keywords that concern it."""
        used: set[str] = {"type"}
        branches = []
        for name in types:
            own = {key: core[key] for key in core if key in _KEYWORDS_OF.get(name, ())}
            branches.append({"type": name, **own})
            used |= own.keys()
        rest = {key: value for key, value in core.items() if key not in used}
        return self._union(branches, rest, place)

    def _union(self, branches: list[Json], rest: Mapping[str, Json], place: _Place) -> Type:
        parts: list[Type] = []
        for branch in branches:
            part = self._type(branch, place.inside(_tag(branch)))
            is_plain = part.kind == "union" and not part.keywords and not part.description
            parts += part.parts if is_plain else [part]
        kept = self._kept(rest, place)
        unique = tuple(part for index, part in enumerate(parts) if part not in parts[:index])
        if len(unique) == 1 and not kept:
            return unique[0]
        # The keywords of a union are not those of its branches, which some of them could replace.
        return Type("union", unique, keywords={"allOf": [kept]} if kept else {})

    def _typed(self, name: str, core: dict[str, Json], place: _Place) -> Type:
        del core["type"]
        if name == "array":
            return self._array(core, place)
        if name == "object":
            value = core.pop("additionalProperties", True)
            part = self._type(value, place.inside("Value"))
            return Type("map", (part,), keywords=self._kept(core, place))
        return Type(_KINDS[name], keywords=self._kept(core, place))

    def _array(self, core: dict[str, Json], place: _Place) -> Type:
        prefix = core.get("prefixItems", [])
        size = len(prefix)
        is_closed = core.get("items", True) is False or core.get("maxItems") == size
        if prefix and is_closed and core.get("minItems") == size:
            for key in ("prefixItems", "items", "minItems", "maxItems"):
                core.pop(key, None)
            inside = (place.inside(f"Item{number}") for number in range(1, size + 1))
            parts = tuple(map(self._type, prefix, inside))
            return Type("tuple", parts, keywords=self._kept(core, place))
        item: Json = True if prefix else core.pop("items", True)
        part = self._type(item, place.inside("Item"))
        return Type("list", (part,), keywords=self._kept(core, place))

    def _record(self, named: Named, node: JsonSchema, place: _Place) -> None:
        """Fill a named type with the fields of an object."""
        core = _counted(node)
        del core["type"]
        rest = core.pop("additionalProperties", True)
        required = core.pop("required", ())
        given = core.pop("properties", {})
        if rest is not False:
            named.extra = self._type(rest, place.inside("Value"))
        if rest is False or "patternProperties" in core:  # which say what a key without type is
            core |= {"required": list(required)} if set(required) - given.keys() else {}
            required = [key for key in required if key in given]
        fields = []
        for key in dict.fromkeys([*given, *required]):
            one = given.get(key, rest)
            default = one.get("default", NO_DEFAULT) if isinstance(one, dict) else NO_DEFAULT
            filled = self._is_input and default is not NO_DEFAULT
            type_ = self._type(one, place.inside(class_name(key) if key else "Empty"))
            fields.append(Field(key, type_, key in required and not filled, default))
        named.fields = tuple(fields)
        named.type = Type("any", keywords=self._kept(core, place), description=_described(node))

    def _are_disjoint(self, branches: list[Json]) -> bool:
        """Whether no value fits two branches, as far as their types and tags say."""
        found = [self._target(one) for one in branches]
        pairs = ((one, other) for index, one in enumerate(found) for other in found[:index])
        return all(_differ(one, other) for one, other in pairs)

    def _target(self, node: Json) -> JsonSchema:
        passed: set[str] = set()
        while isinstance(node, dict) and node.keys() == {"$ref"} and node["$ref"] not in passed:
            passed.add(node["$ref"])
            node = lookup(self._document, node["$ref"])
        return node if isinstance(node, dict) else {}


def _is_record(node: Json) -> bool:
    """Whether a schema is that of an object with named fields, and of nothing else."""
    if not isinstance(node, dict) or node.get("type") not in ("object", ["object"]):
        return False
    if node.keys() & ({"$ref", "enum", "const"} | _UNEVALUATED):
        return False
    is_closed = node.get("additionalProperties", True) is False
    return is_closed or bool(node.get("properties") or node.get("required"))


def _described(node: JsonSchema) -> str:
    text = node.get("description", "")
    return text if isinstance(text, str) else ""


def _counted(node: JsonSchema) -> dict[str, Json]:
    """The keywords that an instance can violate."""
    return {
        key: value for key, value in node.items() if key in _COUNTED and (key, value) not in _IDLE
    }


def _refers(key: str, value: Json) -> bool:
    return any("$ref" in node for node in nodes({key: value}))


def _whole(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _are_of(values: list[Json], core: Mapping[str, Json]) -> bool:
    """Whether constants are of the type that is named with them, so that it says nothing more."""
    types = types_of(core)
    return core.keys() == {"type"} and all(
        any(is_type(value, name) for name in types) for value in values
    )


def _tag(node: Json) -> str:
    """What names a branch of a union: the constant of its first key that has one."""
    properties = node.get("properties", {}) if isinstance(node, dict) else {}
    for one in properties.values():
        if isinstance(one, dict) and isinstance(one.get("const"), str) and one["const"]:
            return class_name(one["const"])
    return ""


def _differ(one: JsonSchema, other: JsonSchema) -> bool:
    """Whether no value fits both schemas, because of types, constants, or constants of keys."""
    values, others = _constants(one), _constants(other)
    if values and others:
        return not any(value in others for value in values)
    types, more = (set(types_of(schema)) for schema in (one, other))
    if types and more and not types & more:
        return not {"integer", "number"} <= types | more
    shared = one.get("properties", {}).keys() & other.get("properties", {}).keys()
    for key in shared & set(one.get("required", ())) & set(other.get("required", ())):
        tags = [_constants(schema["properties"][key]) for schema in (one, other)]
        if all(tags) and not any(tag in tags[1] for tag in tags[0]):
            return types == more == {"object"}
    return False


def _constants(node: Json) -> list[tuple[str, Json]]:
    if not isinstance(node, dict):
        return []
    values = node["enum"] if "enum" in node else [node["const"]] if "const" in node else []
    return [same(value) for value in values]
