"""Convert the schema DSL to JSON Schema 2020-12.

`read` parses a whole schema: its answer, its names, and what can be checked only of all of them.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import quoted
from pdl.schema.dsl.comments import descriptions, scan_comments
from pdl.schema.dsl.constraints import Constraints, Report, Values
from pdl.schema.dsl.tree import (
    Array,
    Definition,
    Field,
    Group,
    Item,
    Node,
    Object,
    Rest,
    Scalar,
    Text,
    Type,
    Value,
    alternatives,
    is_literal,
    join,
    parse,
    same,
)
from pdl.schema.dsl.typecheck import TypeChecker, alias_cycle, endless_cycle
from pdl.schema.dsl.words import FORMS, TYPES, advice
from pdl.schema.formats import ZONED, has_no_size, size_limits
from pdl.schema.keywords import DEFINITIONS, reachable
from pdl.schema.parts import Form, SchemaParts, json_form
from pdl.trampoline import Recur, call, gather, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonSchema
    from pdl.limits import Limits
    from pdl.source import Source


_SIZES = MappingProxyType({"string": ("Length", "characters"), "object": ("Properties", "keys")})
_UNKNOWN: JsonSchema = {"not": {}}  # replaces what has a problem, so that no other problem follows


class Default(NamedTuple):
    """A default to be checked against its type."""

    value: Json
    schema: JsonSchema
    node: Value


class Converter:
    """Converts the types of one text; `defaults` gathers what can be checked only at the end."""

    def __init__(
        self,
        report: Report,
        limits: Limits,
        names: frozenset[str],
        descriptions: Mapping[int, str],
    ) -> None:
        self.report = report
        self.values = Values(report, limits)
        self.defaults: list[Default] = []
        self._names = names
        self._descriptions = descriptions

    def convert(self, node: Type, described: Node) -> JsonSchema:
        """The JSON Schema of a type, with the description of the node that contains it."""
        return self.describe(run(self._type(node)), described)

    def keywords(self, item: Item, kind: str, name: str) -> JsonSchema:
        """The keywords of the constraints of a type of that kind, which its author calls `name`."""
        return Constraints(self.report, self.values, kind, name).keywords(item)

    def describe(self, schema: JsonSchema, node: Node) -> JsonSchema:
        """The schema with the description of the node, if comments describe it."""
        description = self._descriptions.get(node.start)
        return {**schema, "description": description} if description else schema

    def _type(self, node: Type) -> Recur[JsonSchema]:
        """type: item ('|' item)*."""
        leaves = alternatives(node)
        self._check_literals(leaves)
        return join((yield from gather(map(self._leaf, leaves))))

    def _check_literals(self, leaves: list[Scalar | Array | Object | Item]) -> None:
        seen: set[tuple[str, Json]] = set()
        for leaf in leaves:
            if isinstance(leaf, Scalar) and is_literal(leaf) and len(leaves) > 1:
                read = self.values.read(leaf)
                if read is None and leaf.text != "null":
                    continue  # an invalid value has been reported as such
                value = same(read)
                if value in seen:
                    message = f"duplicate value {quoted(leaf.text)}"
                    self.report.add("schema/duplicate-value", message, leaf)
                seen.add(value)

    def _leaf(self, leaf: Scalar | Array | Object | Item) -> Recur[JsonSchema]:
        """item: atom bounds? constraints?."""
        if isinstance(leaf, Item):
            schema = yield from call(self._type(leaf.atom))
            if schema is _UNKNOWN:
                return schema
            bounded = {**schema, **self.keywords(leaf, *_kind(leaf.atom, schema))}
            self._check_sizes(bounded, leaf)
            if bounded.pop("zone", False):
                bounded["format"] = ZONED[bounded["format"]]
            return bounded
        if isinstance(leaf, Array):
            return (yield from self._array(leaf))
        if isinstance(leaf, Object):
            return (yield from self._object(leaf))
        return self._scalar(leaf)

    def _check_sizes(self, schema: JsonSchema, leaf: Item) -> None:
        kind = str(schema.get("type"))
        if kind not in _SIZES or not has_no_size(schema, _SIZES[kind][0]):
            return
        low, high = size_limits(schema)
        few = f"{low} or more" if math.isinf(high) else f"{low} to {high}"
        few = str(low) if low == high else few
        message = f"no value of this type has that many {_SIZES[kind][1]}: it has {few}"
        self.report.add("schema/empty-range", message, leaf)

    def _scalar(self, scalar: Scalar) -> JsonSchema:
        """atom: word | literal | NAME."""
        if is_literal(scalar):
            return {"const": self.values.read(scalar)}
        word = scalar.text
        if word in self._names:
            return {"$ref": DEFINITIONS + word}
        if word in TYPES:
            return dict(TYPES[word])
        if word in FORMS:
            message = f"`{word}` is allowed only at the root: it is a form of the whole answer"
            self.report.add("schema/root-only", message, scalar, f"write `{FORMS[word]}` here")
        else:
            self._refuse_word(scalar)
        return _UNKNOWN

    def _refuse_word(self, scalar: Scalar) -> None:
        word = scalar.text
        hint = "" if self.report.is_full else advice(word, self._names)
        if word[:1].isdigit():
            code, message = "schema/bad-number", f"invalid number {quoted(word)}"
            hint = "write a fixed string in quotes"
        elif word[:1].isupper():
            code, message = "schema/undefined-name", f"undefined name {quoted(word)}"
            hint = hint or "define it after the answer's type: `Name = …`"
        else:
            code, message = "schema/unknown-type", f"unknown type {quoted(word)}"
            hint = hint or "write a fixed string in quotes"
        self.report.add(code, message, scalar, hint)

    def _array(self, array: Array) -> Recur[JsonSchema]:
        """array: '[' ']' | '[' type ']' | '[' type ',' type … ']'."""
        items = yield from gather(map(self._type, array.items))
        if len(items) > 1:
            return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
        return {"type": "array", "items": items[0]} if items and items[0] else {"type": "array"}

    def _object(self, node: Object) -> Recur[JsonSchema]:
        """object: '{' (field),* '}'."""
        fields: dict[str, JsonSchema] = {}
        required = []
        rest: JsonSchema | bool | None = None
        for member in node.members:
            if isinstance(member, Field):
                key = self._key(member, fields)
                fields[key] = self.describe((yield from self._field(member)), member)
                required += [] if member.optional else [key]
            else:
                self._check_rest(member, first=rest is None)
                rest = self.describe((yield from call(self._type(member.type))), member) or True
        schema: dict[str, Json] = {"type": "object"}
        if fields:
            schema["properties"] = fields
        if required:
            schema["required"] = required
        schema["additionalProperties"] = rest if rest is not None else False
        return schema

    def _key(self, member: Field, fields: Mapping[str, JsonSchema]) -> str:
        key = self.values.key(member.key)
        if key in fields:
            self.report.add("schema/duplicate-key", f"duplicate key `{key}`", member.key)
        return key

    def _check_rest(self, member: Rest, *, first: bool) -> None:
        if member.key.text not in ("str", "string"):
            message = f"keys of a map: expected `str`, found `{member.key.text}`"
            self.report.add("schema/bad-map-key", message, member.key, "write `[str]: …`")
        elif not first:
            message = "an object can have only one `[str]: …`, and this is the second"
            self.report.add("schema/duplicate-key", message, member)

    def _field(self, member: Field) -> Recur[JsonSchema]:
        """field: key '?'? ':' type ('=' literal)?."""
        schema = yield from call(self._type(member.type))
        if member.default is None:
            return schema
        value = self.values.read(member.default)
        self.defaults.append(Default(value, schema, member.default))
        return {**schema, "default": value}


def _kind(atom: Type, schema: JsonSchema) -> tuple[str, str]:
    """The constraints that an atom takes, and its name for the author."""
    if isinstance(atom, Array):
        return ("tuple", "a tuple") if "prefixItems" in schema else ("array", "an array")
    if isinstance(atom, Object):
        return "object", "an object"
    if not isinstance(atom, Scalar):
        return "group", "a type in parentheses"
    if is_literal(atom):
        return "literal", "a fixed value"
    kind = "name" if "$ref" in schema else str(schema.get("type", "any"))
    kind = "moment" if schema.get("format") in ZONED else kind
    return kind, f"`{atom.text}`"


def read(source: Source, limits: Limits) -> SchemaParts:
    """schema: type (NAME '=' type)*.

    Raises SchemaError with all problems (or one of the syntax alone), LimitError for a text that is
    too long, too deep, or contains too large an integer.
    """
    comments = scan_comments(source, limits)
    text = parse(source)
    report = Report(source)
    described = descriptions(source.text, comments, text)
    names = frozenset(definition.name.text for definition in text.definitions)
    converter = Converter(report, limits, names, described)
    parts = _root(text.root, converter)
    definitions = _definitions(text, converter)
    _check_names(report, text, parts.document, definitions)
    _check_defaults(converter, definitions)
    report.check()
    if not definitions:
        return parts
    return SchemaParts(
        {**parts.document, "$defs": definitions}, parts.form, parts.lang, parts.tasks
    )


def _root(root: Type, converter: Converter) -> SchemaParts:
    bare: Type = root
    while isinstance(bare, Group) or (
        isinstance(bare, Item) and not bare.is_constrained and not bare.nullable
    ):
        bare = bare.inner if isinstance(bare, Group) else bare.atom
    word = bare.atom if isinstance(bare, Item) else bare
    if isinstance(word, Scalar) and word.kind == "word" and word.text in FORMS:
        return _form(bare, word, root, converter)
    document = converter.convert(root, root)
    return SchemaParts(document, json_form(document))


def _form(bare: Type, word: Scalar, root: Node, converter: Converter) -> SchemaParts:
    """A root that is `yesno`, `code constraints?` or `tasklist constraints?`."""
    item = bare if isinstance(bare, Item) else _item(word)
    if item.nullable:
        message = f"`{word.text}` is the form of the whole answer, so it cannot be null"
        converter.report.add("schema/root-only", message, item)
    found = dict(converter.keywords(item, word.text, f"`{word.text}`"))
    lang = found.pop("lang", None)
    tasks = (found.pop("min", None), found.pop("max", None))
    kind = "boolean" if word.text == "yesno" else "string"
    document = converter.describe({"type": kind, **found}, root)
    form: Form = "yesno" if word.text == "yesno" else "code" if word.text == "code" else "tasklist"
    return SchemaParts(document, form, lang, tasks)


def _item(word: Scalar) -> Item:
    return Item(word.start, word.end, word, bounds=None, constraints=(), nullable=False)


def _definitions(text: Text, converter: Converter) -> dict[str, JsonSchema]:
    found: dict[str, JsonSchema] = {}
    for definition in text.definitions:
        _check_name(definition, found, converter.report)
        found[definition.name.text] = converter.convert(definition.type, definition)
    return found


def _check_name(definition: Definition, found: Mapping[str, JsonSchema], report: Report) -> None:
    name = definition.name.text
    if name in found:
        report.add("schema/duplicate-name", f"the name `{name}` is defined twice", definition.name)
    elif name in TYPES or name in FORMS:
        message = f"`{name}` is a type of the schema DSL and cannot be redefined"
        report.add("schema/bad-name", message, definition.name)
    elif not name[:1].isupper() or "." in name:
        hint = f"write `{name[:1].upper()}{name[1:].replace('.', '-')}`"
        message = f"invalid name `{name}`: a name begins with an uppercase letter and has no dots"
        report.add("schema/bad-name", message, definition.name, hint)


def _check_names(
    report: Report, text: Text, root: JsonSchema, definitions: Mapping[str, JsonSchema]
) -> None:
    names = {definition.name.text: definition.name for definition in text.definitions}
    used = reachable(root, definitions)
    for name, node in names.items():
        if name not in used:
            report.add("schema/unused-name", f"unused name `{name}`", node)
    aliases = alias_cycle(definitions)
    if aliases:
        message = f"`{aliases[0]}` is defined only as itself{_formatted(aliases)}"
        report.add("schema/endless-name", message, names[aliases[0]])
    elif endless := endless_cycle(definitions):
        cycle = _formatted(endless)
        message = f"no value of `{endless[0]}` can be complete: each contains another{cycle}"
        hint = "make a field optional (`key?: T`) or nullable (`T?`), or put it in an array"
        report.add("schema/endless-name", message, names[endless[0]], hint)


def _formatted(cycle: list[str]) -> str:
    return f" ({' -> '.join([*cycle, cycle[0]])})" if len(cycle) > 1 else ""


def _check_defaults(converter: Converter, definitions: Mapping[str, JsonSchema]) -> None:
    if converter.report:
        return  # an unknown type has no values to compare with
    checker = TypeChecker(definitions)
    for default in converter.defaults:
        if not checker.accepts(default.value, default.schema):
            node = default.node
            shown = quoted(converter.report.source.text[node.start : node.end])
            message = f"the default {shown} does not fit the field's type"
            converter.report.add("schema/bad-default", message, node)
