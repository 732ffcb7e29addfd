"""The schemas inside one document: references resolved, spellings normalized, as the author wrote.

A schema becomes its alternatives, each of one kind, with only the keywords that bear on that kind.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.validation.json_types import KINDS
from pdl.schema import Schema
from pdl.schema.dsl.notes import asserts
from pdl.schema.json_values import copy_json, json_line
from pdl.schema.keywords import (
    ANNOTATIONS,
    ASSERTIONS,
    DEFINITIONS,
    DRAFT_4_INTEGER,
    lookup,
    nodes,
    reachable,
    steps,
    types_of,
)
from pdl.schema.parts import spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl._types import Json, JsonSchema
    from pdl.source import Span

ANY: JsonSchema = {}
NEVER: JsonSchema = {"not": {}}
NOTHING = Schema(NEVER)
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
KEYWORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "string": ("minLength", "maxLength", "pattern", "format"),
        "integer": NUMBERS,
        "number": NUMBERS,
        "array": (
            *("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
            *("contains", "minContains", "maxContains", "unevaluatedItems"),
        ),
        "object": (
            *("properties", "required", "additionalProperties", "patternProperties"),
            *("propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"),
            *("dependentRequired", "dependentSchemas"),
        ),
    }
)
"""The keywords that bear on one kind of values."""
GROUPS = (
    *(("allOf",), ("anyOf",), ("oneOf",), ("not",), ("if", "then", "else"), ("enum",)),
    *(("const",), ("$ref",), (DRAFT_4_INTEGER,)),
)
"""The keywords that bear on values of any kind; those of a group are read together."""
_SHARED = frozenset(keyword for group in GROUPS for keyword in group)
_ASSERTIONS = ASSERTIONS | {DRAFT_4_INTEGER}
_KEPT = _ASSERTIONS | {"$defs"}
_TOLD = tuple(sorted(ANNOTATIONS - {"$comment"}))
_LINE = 80  # characters of a type in a message
_QUOTED = 60  # characters of a description or a default in a message
_WHOLE = "whole"
_DEEPEST = 10  # unions inside unions that are flattened


class Place(NamedTuple):
    """A schema without a reference, and where its document has it.

    `name` is that of the definition that led to it, `notes` are its annotations: those next to a
    reference count before those of its target. `own` says whether it had a reference with notes.
    """

    node: JsonSchema
    pointer: str
    name: str
    notes: Mapping[str, Json]
    own: bool


class Branch(NamedTuple):
    """One alternative: `kind` is a type, `enum` for listed values, `any` for all of no one type."""

    kind: str
    node: JsonSchema
    name: str = ""


@dataclass(frozen=True, eq=False)
class Part:
    """A schema that is part of a document, to be compared alone."""

    side: Side
    node: JsonSchema

    @property
    def schema(self) -> Schema:
        """It, with the definitions that it uses."""
        return self.side.schema_of(self.node)


class Side:
    """One of the two schemas that are compared."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.document = schema.document
        self._moved: dict[str, Json] | None = None

    def place(self, node: Json, pointer: str) -> Place:
        """Follow the references of a schema; one that leads to itself stays as it is."""
        name, own = "", False
        notes: dict[str, Json] = {}
        seen: set[str] = set()
        while True:
            if isinstance(node, bool):
                node = ANY if node else NEVER
            told = {key: node[key] for key in _TOLD if key in node and node[key] is not False}
            core = [key for key in node if key in _ASSERTIONS]
            reference = node.get("$ref")
            if core == ["$ref"] and reference not in seen:
                seen.add(reference)
                notes, own = {**told, **notes}, own or bool(told)
                name = str(steps(reference)[-1]) if steps(reference) else ""
                node, pointer = lookup(self.document, reference), reference
            elif core == ["allOf"] and len(node["allOf"]) == 1:
                notes = {**told, **notes}
                node, pointer = node["allOf"][0], f"{pointer}/allOf/0"
            else:
                return Place(node, pointer, name, {**told, **notes}, own)

    def branches(self, node: JsonSchema, name: str = "", depth: int = 0) -> list[Branch]:
        """The alternatives of a schema without a reference; an `anyOf` inside it is flattened."""
        core = assertions(node)
        if core.keys() <= {"enum", "const", "type"} and core.keys() & {"enum", "const"}:
            return _listed(core, name)
        union = next((key for key in ("anyOf", "oneOf") if core.keys() == {key}), None)
        if union and depth < _DEEPEST:
            found: list[Branch] = []
            for inner in core[union]:
                place = self.place(inner, "")
                found += self.branches(place.node, place.name, depth + 1)
            if union == "anyOf" or are_disjoint(found):
                return _merged(found)
        types = types_of(core)
        if not types:
            return [Branch("any", _neutral(core), name)]
        if "number" in types:
            types = [one for one in types if one != "integer"]
        return [Branch(one, of_kind(core, one), name) for one in dict.fromkeys(types)]

    def schema_of(self, node: JsonSchema) -> Schema:
        """A part of the document as a schema of its own."""
        inner = {key: value for key, value in node.items() if key != "$defs"}
        references = [one["$ref"] for one in nodes(inner) if "$ref" in one]
        if not references:
            return Schema(inner)
        definitions = self.document.get("$defs", {})
        used = reachable(inner, definitions)
        kept = {name: one for name, one in definitions.items() if name in used}
        if all(map(_is_plain, _references(inner, kept.values()))):
            return Schema({**inner, "$defs": kept})
        if self._moved is None:
            self._moved = _rewritten(self.document, _within_whole)
        return Schema({**_rewritten(inner, _within_whole), "$defs": {_WHOLE: self._moved}})

    def words(self, node: Json) -> str:
        """A schema as its author would write it, on one line."""
        if node is False or node == NEVER:
            return "nothing"
        if node is True:
            return "any"
        bare = _rewritten(node, lambda reference: reference)
        bare.pop("$defs", None)
        used = dict.fromkeys(one["$ref"] for one in nodes(bare) if "$ref" in one)
        names = {one: _name(one) for one in used}
        for one in nodes(bare):
            if "$ref" in one:
                one["$ref"] = DEFINITIONS + names[one["$ref"]]
            if "format" in one and not asserts(one, "format"):
                one.pop("format", None)
        if names:
            bare["$defs"] = {name: {} for name in names.values()}
        text = _STUB.split(str(Schema(bare)))[0]
        if text.startswith("```"):
            bare.pop("$defs", None)
            text = json_line(bare)
        return cut(_on_one_line(text))

    def spans(self, pointers: Iterable[str]) -> dict[str, Span]:
        """The spans of schemas in the author's text, by their pointers in the document."""
        source_map = self.schema.source_map
        if source_map.source is None:
            return {}
        written = {pointer: source_map.pointer(pointer) for pointer in pointers}
        found = spans(source_map.source, written.values(), source_map.start)
        return {one: found[where] for one, where in written.items() if where in found}


_PARTS = re.compile(r"[/.#:](?=.)")
_STUB = re.compile(r"\n[^\s=]+ = any")


def _on_one_line(text: str) -> str:
    """A type on one line; no literal of it has a line break."""
    found = ""
    for line in map(str.strip, text.split("\n")):
        if line[:1] in ("]", "}"):
            found = found.removesuffix(",") + (" " if line[0] == "}" else "") + line
        else:
            found += ("" if not found or found.endswith("[") else " ") + line
    return found


def cut(text: str, most: int = _LINE) -> str:
    """A text, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def quoted(value: Json) -> str:
    """A value as JSON, or the beginning of that."""
    return cut(json.dumps(value, ensure_ascii=False), _QUOTED)


def _is_plain(reference: str) -> bool:
    """Whether a reference is the name of a definition, without an escaped character."""
    name = reference.removeprefix(DEFINITIONS)
    return name != reference and not set("/~%") & set(name)


def _references(node: JsonSchema, definitions: Iterable[Json]) -> Iterable[str]:
    for whole in (node, *definitions):
        yield from (one["$ref"] for one in nodes(whole) if "$ref" in one)


def _within_whole(reference: str) -> str:
    return f"{DEFINITIONS}{_WHOLE}{reference.removeprefix('#')}"


def _rewritten(node: JsonSchema, reference: Callable[[str], str]) -> dict[str, Json]:
    """A copy with only what values can violate, and with other references."""
    copy: dict[str, Json] = copy_json(dict(node))
    for one in nodes(copy):
        for key in one.keys() - _KEPT:
            del one[key]
        if "$ref" in one:
            one["$ref"] = reference(one["$ref"])
    return copy


def _name(reference: str) -> str:
    """A name that the DSL can write, of the last word of a reference or a URI."""
    word = _PARTS.split(str(steps(reference)[-1]) if steps(reference) else "Answer")[-1]
    letters = "".join(c if c.isalnum() or c in "_-" else "-" for c in word).strip("-_")
    return letters[:1].upper() + letters[1:] if letters[:1].isalpha() else f"T{letters}"


def key(value: Json) -> str:
    """A text that equal JSON values share: 1.0 and 1 do, 1 and true do not."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _listed(core: JsonSchema, name: str) -> list[Branch]:
    """The alternatives of listed values: null is a type, and so are both booleans."""
    values = core.get("enum", [core.get("const")])
    if "enum" in core and "const" in core:
        values = [one for one in values if key(one) == key(core["const"])]
    types = types_of(core)
    if types:
        values = [one for one in values if any(KINDS[kind](one) for kind in types)]
    found = [Branch("null", {"type": "null"})] if None in values else []
    members = {key(one): one for one in values if one is not None}
    if members.keys() >= {"true", "false"}:
        found.append(Branch("boolean", {"type": "boolean"}))
        members = {text: one for text, one in members.items() if text not in ("true", "false")}
    if members or not found:
        found.append(Branch("enum", {"enum": list(members.values())}, name))
    return found


def _merged(found: list[Branch]) -> list[Branch]:
    """The alternatives with all listed values in one, and each type without keywords once."""
    listed = [one for one in found if one.kind == "enum"]
    values = {key(value): value for one in listed for value in one.node["enum"]}
    others: dict[str, Branch] = {}
    for one in found:
        if one.kind != "enum":
            others.setdefault(f"{one.kind} {key(dict(one.node))}", one)
    merged = [Branch("enum", {"enum": list(values.values())})] if values else []
    return [*merged, *others.values()]


def of_kind(core: JsonSchema, kind: str) -> JsonSchema:
    """The keywords that bear on a kind, without those that allow everything."""
    kept = _SHARED | set(KEYWORDS.get(kind, ()))
    found = _neutral({name: value for name, value in core.items() if name in kept})
    return {"type": kind, **_integers(found)} if kind == "integer" else {"type": kind, **found}


_NOTHING_SAID: Mapping[str, tuple[Json, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("minLength", "minItems", "minProperties"), (0,)),
        **dict.fromkeys(("additionalProperties", "items", "propertyNames"), (True, {})),
        **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), ({},)),
        **dict.fromkeys(("dependentRequired",), ({},)),
        **dict.fromkeys(("required", "prefixItems"), ([],)),
        "uniqueItems": (False,),
        DRAFT_4_INTEGER: (False,),
    }
)


def _neutral(core: JsonSchema) -> dict[str, Json]:
    found = {
        name: value
        for name, value in core.items()
        if not any(value == one for one in _NOTHING_SAID.get(name, ()))
    }
    if "if" not in found or not found.keys() & {"then", "else"}:
        found = {k: value for k, value in found.items() if k not in ("if", "then", "else")}
    return found


def _integers(found: dict[str, Json]) -> dict[str, Json]:
    """Bounds of integers as inclusive ones, where they are integers."""
    for inclusive, exclusive, step, outer in (
        ("minimum", "exclusiveMinimum", 1, max),
        ("maximum", "exclusiveMaximum", -1, min),
    ):
        bound = found.get(exclusive)
        if isinstance(bound, int | float) and bound == int(bound):
            moved = int(found.pop(exclusive)) + step
            found[inclusive] = outer(moved, found.get(inclusive, moved))
    if found.get("multipleOf") == 1:
        del found["multipleOf"]
    return found


def constants(branch: Branch) -> dict[str, str]:
    """The keys of an object that must have one constant, as those that distinguish alternatives."""
    required = branch.node.get("required", ())
    return {
        name: key(value["enum"][0] if "enum" in value else value["const"])
        for name, value in branch.node.get("properties", {}).items()
        if isinstance(value, dict)
        and name in required
        and ("const" in value or len(value.get("enum", ())) == 1)
    }


def are_disjoint(found: list[Branch]) -> bool:
    """Whether no value is one of two alternatives, as their types or constants show."""
    kinds: dict[str, list[Branch]] = {}
    for one in found:
        kinds.setdefault("number" if one.kind == "integer" else one.kind, []).append(one)
    if len(found) > 1 and ("any" in kinds or ("enum" in kinds and len(kinds) > 1)):
        return False
    return all(
        len(some) == 1 or (kind == "object" and _told_apart(some)) for kind, some in kinds.items()
    )


def _told_apart(some: list[Branch]) -> bool:
    tags = [constants(one) for one in some]
    common = set(tags[0]).intersection(*tags[1:])
    return any(len({one[name] for one in tags}) == len(tags) for name in common)


def assertions(node: JsonSchema) -> dict[str, Json]:
    """The keywords of a schema that values can violate."""
    return {name: value for name, value in node.items() if name in _ASSERTIONS}
