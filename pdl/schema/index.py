"""All schemas of a document, with their base URIs, anchors and references."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin

from pdl.errors import Problem, quoted, visible
from pdl.schema.keywords import (
    JSON_TYPES,
    ONE_SCHEMA,
    SCHEMA_ARRAYS,
    SCHEMA_MAPS,
    pointer,
    subschemas,
)
from pdl.schema.patterns import DIALECT, pattern_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json, JsonPath, JsonSchema


_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that name a schema."""

_NEWEST_WITH_RECURSIVE = 2019


@dataclass(frozen=True, eq=False)
class SchemaLocation:
    """A schema, where it stands, and the URI of the resource that it is part of.

    `file` is the URI of another document that it stands in; none for the document itself.
    """

    node: Json
    path: JsonPath
    base: str
    draft: int | None
    file: str = ""

    @property
    def pointer(self) -> str:
        """Where it stands, with the URI of another document in front."""
        return self.file + pointer(self.path)


class SchemaIndex:
    """What is known of a document's schemas. `targets` maps a schema's reference to its target.

    The keys of `places` are identities of the document's dicts, which the survey keeps alive.
    """

    def __init__(
        self, document: JsonSchema, draft: int | None, remote: Callable[[str], Json] | None = None
    ) -> None:
        """`remote` gives a copy of the schema that other documents know by a URI, or None."""
        self.document = document
        self._remote = remote
        self.problems: list[Problem] = []
        self.places: dict[int, SchemaLocation] = {}
        self.targets: dict[tuple[int, str], SchemaLocation] = {}
        self._resources: dict[str, SchemaLocation] = {"": SchemaLocation(document, (), "", draft)}
        self._anchors: dict[tuple[str, str], SchemaLocation] = {}
        self._dynamic: dict[str, list[SchemaLocation]] = {}
        self._pending: list[SchemaLocation] = []
        self._visit(self._resources[""])
        self._refuse_old(document)
        while self._pending:
            self._resolve_all(self._pending.pop())

    def _visit(self, start: SchemaLocation) -> None:
        """Take in a schema and all schemas inside it."""
        pending = [start]
        while pending:
            place = self._with_base(pending.pop())
            node = place.node
            if not isinstance(node, dict) or id(node) in self.places:
                continue
            self.places[id(node)] = place
            self._pending.append(place)
            self.problems += problems(place)
            self._anchor(place)
            pending += [
                replace(place, node=inner, path=place.path + steps)
                for steps, inner in subschemas(node)
            ]

    def _refuse_old(self, document: JsonSchema) -> None:
        name = document.get("$schema")
        if isinstance(name, str) and _TOO_OLD.match(name):
            message = f"the draft {quoted(name)} is older than draft 4, with other keywords"
            hint = "rewrite the schema for draft 4 or a later one"
            self.problems.append(
                Problem("schema/old-draft", f"{message} (at #/$schema)", None, hint, "#/$schema")
            )

    def _with_base(self, place: SchemaLocation) -> SchemaLocation:
        """The place inside the resource that its `$id` begins, if it has one."""
        node = place.node
        own = identifier(node, place.draft) if isinstance(node, dict) else ""
        uri, fragment = urldefrag(own)
        if fragment and not uri:  # drafts 4 to 7 name anchors so
            self._anchors.setdefault((place.base, fragment), place)
        if not uri:
            return place
        draft = dialect(node) or place.draft
        inside = replace(place, base=urljoin(place.base, uri), draft=draft)
        self._resources.setdefault(inside.base, inside)
        return inside

    def _anchor(self, place: SchemaLocation) -> None:
        for key in ("$anchor", "$dynamicAnchor"):
            name = place.node.get(key)
            if isinstance(name, str):
                self._anchors.setdefault((place.base, name), place)
        dynamic = place.node.get("$dynamicAnchor")
        if isinstance(dynamic, str):
            self._dynamic.setdefault(dynamic, []).append(place)
        if place.node.get("$recursiveAnchor") is True:
            self._dynamic.setdefault("$recursive", []).append(place)

    def _resolve_all(self, place: SchemaLocation) -> None:
        for key in REFERENCES:
            reference = place.node.get(key)
            if key == "$recursiveRef" and place.draft not in (None, _NEWEST_WITH_RECURSIVE):
                continue
            if not isinstance(reference, str):
                continue
            target = self._target(place, key, reference)
            if target is not None:
                self.targets[id(place.node), key] = target
                self._visit(target)

    def _target(self, place: SchemaLocation, key: str, reference: str) -> SchemaLocation | None:
        base, fragment = urldefrag(
            place.base + reference if reference.startswith("#") else urljoin(place.base, reference)
        )
        resource = self._resources.get(base) or self._fetched(base)
        if resource is None:
            why = "leads out of the document, and nothing is fetched"
            self._refuse(place, key, reference, why, _elsewhere(base))
            return None
        if key != "$ref" and self._is_open(key, fragment):
            self._refuse(place, key, reference, "has several targets that only a validation picks")
            return None
        target = self._inside(resource, unquote(fragment))
        if target is None and reference.startswith("#"):
            # Before `$id` was understood to begin a resource, such references meant the document.
            target = self._inside(self._resources[""], unquote(fragment))
        if target is None:
            self._refuse(place, key, reference, "names nothing in the document")
        elif not isinstance(target.node, dict | bool):
            self._refuse(place, key, reference, "names something that is no schema")
            return None
        return target

    def _fetched(self, uri: str) -> SchemaLocation | None:
        """The resource that the registry has for a URI."""
        node = self._remote(uri) if self._remote else None
        if node is None:
            return None
        draft = dialect(node) if isinstance(node, dict) else None
        found = self._resources[uri] = SchemaLocation(node, (), uri, draft, uri)
        self._visit(found)
        return found

    def _is_open(self, key: str, fragment: str) -> bool:
        name = "$recursive" if key == "$recursiveRef" else fragment
        return len(self._dynamic.get(name, ())) > 1

    def _inside(self, resource: SchemaLocation, fragment: str) -> SchemaLocation | None:
        if fragment and not fragment.startswith("/"):
            return self._anchors.get((resource.base, fragment))
        node, path = resource.node, resource.path
        for token in fragment.split("/")[1:]:
            step = token.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and _INDEX.fullmatch(step) and int(step) < len(node):
                node, path = node[int(step)], (*path, int(step))
            elif isinstance(node, dict) and step in node:
                node, path = node[step], (*path, step)
            else:
                return None
        known = self.places.get(id(node))
        return known or replace(resource, node=node, path=path)

    def _refuse(
        self, place: SchemaLocation, key: str, reference: str, why: str, hint: str = ""
    ) -> None:
        where = f"{place.pointer}/{key}"
        message = f"the reference {quoted(reference)} {why} (at {visible(where)})"
        self.problems.append(Problem("schema/bad-reference", message, None, hint, where))


def _elsewhere(uri: str) -> str:
    """How to give a schema that a reference leads to."""
    if not uri:
        return "no schema of this document has that `$id`"
    return f"pass that schema in `registry=`, in the shell by --registry, as {quoted(uri)}"


_DRAFTS = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019, "2020-12": 2020}
_DIALECT = re.compile(r"https?://json-schema\.org/(?:draft/)?(draft-0[467]|2019-09|2020-12)/")
_TOO_OLD = re.compile(r"https?://json-schema\.org/(?:draft/)?draft-0[0-3]/")


def dialect(document: JsonSchema) -> int | None:
    """The draft that `$schema` names; None for none, or one that is not known."""
    name = document.get("$schema")
    match = _DIALECT.match(name) if isinstance(name, str) else None
    return _DRAFTS[match[1]] if match else None


def identifier(node: JsonSchema, draft: int | None) -> str:
    """The URI that a schema gives itself, or an empty string."""
    for key in ("$id", "id") if draft in (None, 4) else ("$id",):
        value = node.get(key)
        if isinstance(value, str):
            return value
    return ""


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Json) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_step(value: Json) -> bool:
    return _is_number(value) and value > 0


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_string(value: Json) -> bool:
    return isinstance(value, str)


def _is_array(value: Json) -> bool:
    return isinstance(value, list)


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_string, value))


def _are_named_names(value: Json) -> bool:
    return isinstance(value, dict) and all(map(_are_names, value.values()))


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_schema, value))


def _are_some_schemas(value: Json) -> bool:
    return bool(value) and _are_schemas(value)


def _are_named_schemas(value: Json) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


def _is_type(value: Json) -> bool:
    names = value if isinstance(value, list) and value else [value]
    return all(map(_is_type_name, names)) and len(set(names)) == len(names)


def _is_type_name(value: Json) -> bool:
    return isinstance(value, str) and value in JSON_TYPES


def _is_anchor(value: Json) -> bool:
    """Core 2020-12, section 8.2.2, and 2019-09."""
    return isinstance(value, str) and _ANCHOR.fullmatch(value) is not None


_NEWEST = 2020
_COUNTS = ("Contains", "Items", "Length", "Properties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_STRINGS = ("$comment", "$dynamicRef", "$id", "$ref", "$schema")
_TEXTS = ("description", "format", "pattern", "title", "x-gbnf")
_COUNT = (_is_count, "a whole number from 0 on")
_STRING = (_is_string, "a string")
_NAME = (_is_anchor, "a name of letters, digits, `-`, `_`, `.` and `:` that begins with a letter")
_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._:]*")

_SHAPES: MappingProxyType[str, tuple[Callable[[Json], bool], str]] = MappingProxyType(
    {
        **{f"{end}{name}": _COUNT for name in _COUNTS for end in ("min", "max")},
        **dict.fromkeys(_BOUNDS, (_is_number, "a number")),
        **dict.fromkeys((*_STRINGS, *_TEXTS), _STRING),
        **dict.fromkeys(("$anchor", "$dynamicAnchor"), _NAME),
        **dict.fromkeys(("uniqueItems", "deprecated"), (_is_flag, "true or false")),
        **dict.fromkeys(ONE_SCHEMA, (_is_schema, "a schema")),
        **dict.fromkeys(SCHEMA_ARRAYS, (_are_some_schemas, "an array of one or more schemas")),
        **dict.fromkeys(SCHEMA_MAPS, (_are_named_schemas, "an object of schemas")),
        "multipleOf": (_is_step, "a number above 0"),
        "enum": (_is_array, "an array"),
        "required": (_are_names, "an array of strings"),
        "dependentRequired": (_are_named_names, "an object of arrays of strings"),
        "type": (_is_type, f"one of {', '.join(JSON_TYPES)}, or an array of them, each once"),
    }
)


def problems(place: SchemaLocation) -> Iterator[Problem]:
    """What is wrong with the keywords of one schema, aside from the schemas in it.

    Where no draft is named, the forms of all drafts are taken.
    """
    for key, value in place.node.items():
        test, wanted = _SHAPES.get(key, (None, ""))
        if test is None or test(value) or _fits_older(key, value, place.draft):
            continue
        inside = list(_wrong_inside(key, value))
        for steps, part, inner in inside:
            message = f"each value in `{key}` is {part}, not {shown(inner)}"
            yield _problem("schema/bad-keyword", message, "", place, key, *steps)
        if not inside:
            message = f"the value of `{key}` is {wanted}, not {shown(value)}"
            yield _problem("schema/bad-keyword", message, _hint(key, value), place, key)
    yield from _bad_patterns(place)


def _wrong_inside(key: str, value: Json) -> Iterator[tuple[JsonPath, str, Json]]:
    """The parts of a keyword's value that are to blame: the steps to each, what it is to be, it."""
    wanted = next((part for keys, part in _PARTS if key in keys), None)
    if wanted is None or not isinstance(value, list | dict):
        return
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if not wanted[0](inner):
            yield (step,), wanted[1], inner


_PARTS = (
    ((SCHEMA_MAPS | SCHEMA_ARRAYS) - {"dependencies"}, (_is_schema, "a schema")),
    (frozenset({"required"}), _STRING),
    (frozenset({"dependentRequired"}), (_are_names, "an array of strings")),
    (frozenset({"type"}), (_is_type_name, f"one of {', '.join(JSON_TYPES)}")),
)
"""What the values in the objects and arrays of keywords are."""


def _problem(
    code: str, message: str, hint: str, place: SchemaLocation, *steps: str | int
) -> Problem:
    where = f"{place.pointer}{pointer(steps)[1:]}"
    return Problem(code, f"{message} (at {visible(where)})", None, hint, where)


def _bad_patterns(place: SchemaLocation) -> Iterator[Problem]:
    own, of_keys = place.node.get("pattern"), place.node.get("patternProperties")
    patterns: list[tuple[str, tuple[str, ...]]] = []
    if isinstance(own, str):
        patterns.append((own, ("pattern",)))
    if isinstance(of_keys, dict):
        patterns += [(key, ("patternProperties", key)) for key in of_keys]
    for pattern, steps in patterns:
        wrong = pattern_error(pattern)
        if wrong:
            message = f"the pattern {quoted(pattern)} is no regular expression: {wrong}"
            yield _problem("schema/bad-pattern", message, DIALECT, place, *steps)


def _fits_older(key: str, value: Json, draft: int | None) -> bool:
    """Whether an older draft, that the schema may be of, takes the value."""
    if key in ("exclusiveMinimum", "exclusiveMaximum"):
        return draft in (None, 4) and isinstance(value, bool)
    if key == "items":
        return draft != _NEWEST and _are_schemas(value)
    if key == "dependencies":
        return isinstance(value, dict) and all(
            isinstance(one, dict | bool) or _are_names(one) for one in value.values()
        )
    return False


def _hint(key: str, value: Json) -> str:
    if key == "required" and isinstance(value, bool):
        return "`required` stands beside `properties` and lists their names, from draft 4 on"
    if key == "type" and value == "any":
        return "leave `type` out for any value"
    if key == "exclusiveMinimum" and isinstance(value, bool):
        return "from draft 6 on, it is the bound itself"
    return ""


def shown(value: Json) -> str:
    """A value as an error quotes it, in the words of JSON."""
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, dict | list) else ""
    if not text:
        kind = "array" if isinstance(value, list) else "object"
        return f"an {kind}" if value else f"an empty {kind}"
    return quoted(text)
