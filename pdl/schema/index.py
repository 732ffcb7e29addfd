"""All schemas of a document, with their base URIs, anchors, references and invalid keywords.

JSON Schema Core 2020-12, sections 8 and 9; the keywords take the values that Core and Validation
2020-12 and the older drafts define.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

from pdl.errors import Problem, quoted, visible
from pdl.schema.keywords import (
    JSON_TYPES,
    ONE_SCHEMA,
    SCHEMA_ARRAYS,
    SCHEMA_MAPS,
    parse_step,
    pointer,
    subschemas,
)
from pdl.schema.patterns import DIALECT, pattern_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath, JsonSchema


REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
"""Keywords that name a schema."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_LAST_WITH_RECURSIVE = 2019
_NEWEST = 2020


@dataclass(frozen=True, eq=False)
class SchemaLocation:
    """A schema, its path, and the URI of the resource that it is part of.

    `file` is the URI of another document that contains it; empty for the document itself.
    """

    node: Json
    path: JsonPath
    base: str
    draft: int | None
    file: str = ""

    @property
    def pointer(self) -> str:
        """Its JSON pointer, after the URI of another document."""
        return self.file + pointer(self.path)


class SchemaIndex:
    """The schemas of a document; `targets` maps a schema and a keyword to the schema referred to.

    The keys of `locations` are identities of the document's dicts, which the index keeps alive.
    """

    def __init__(
        self, document: JsonSchema, draft: int | None, remote: Callable[[str], Json] | None = None
    ) -> None:
        """`remote` returns a copy of the schema that other documents have under a URI, or None."""
        self.document = document
        self._remote = remote
        self.problems: list[Problem] = []
        self.locations: dict[int, SchemaLocation] = {}
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
            location = self._with_base(pending.pop())
            node = location.node
            if not isinstance(node, dict) or id(node) in self.locations:
                continue
            self.locations[id(node)] = location
            self._pending.append(location)
            self.problems += _bad_keywords(location)
            self._anchor(location)
            base, draft, file = location.base, location.draft, location.file
            pending += [
                SchemaLocation(inner, location.path + steps, base, draft, file)
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

    def _with_base(self, location: SchemaLocation) -> SchemaLocation:
        """The location inside the resource that its `$id` begins, if it has one."""
        node = location.node
        own = _identifier(node, location.draft) if isinstance(node, dict) else ""
        if not own:
            return location
        uri, fragment = urldefrag(own)
        if fragment and not uri:  # drafts 4 to 7 name anchors so
            self._anchors.setdefault((location.base, fragment), location)
        if not uri:
            return location
        draft = dialect(node) or location.draft
        inside = replace(location, base=urljoin(location.base, uri), draft=draft)
        self._resources.setdefault(inside.base, inside)
        return inside

    def _anchor(self, location: SchemaLocation) -> None:
        for key in ("$anchor", "$dynamicAnchor"):
            name = location.node.get(key)
            if isinstance(name, str):
                self._anchors.setdefault((location.base, name), location)
        dynamic = location.node.get("$dynamicAnchor")
        if isinstance(dynamic, str):
            self._dynamic.setdefault(dynamic, []).append(location)
        if location.node.get("$recursiveAnchor") is True:
            self._dynamic.setdefault("$recursive", []).append(location)

    def _resolve_all(self, location: SchemaLocation) -> None:
        for key in REFERENCES:
            reference = location.node.get(key)
            if key == "$recursiveRef" and location.draft not in (None, _LAST_WITH_RECURSIVE):
                continue
            if not isinstance(reference, str):
                continue
            target = self._target(location, key, reference)
            if target is not None:
                self.targets[id(location.node), key] = target
                self._visit(target)

    def _target(self, location: SchemaLocation, key: str, reference: str) -> SchemaLocation | None:
        is_local = reference.startswith("#")
        base, fragment = urldefrag(
            location.base + reference if is_local else urljoin(location.base, reference)
        )
        resource = self._resources.get(base) or self._fetched(base)
        if resource is None:
            why = "points outside the document, and nothing is fetched"
            self._refuse(location, key, reference, why, _elsewhere(base))
            return None
        if key != "$ref" and self._is_open(key, fragment):
            why = "has several targets that only a validation picks"
            self._refuse(location, key, reference, why)
            return None
        target = self._inside(resource, unquote(fragment))
        if target is None and is_local:
            # Before `$id` was understood to begin a resource, such references meant the document.
            target = self._inside(self._resources[""], unquote(fragment))
        if target is None:
            self._refuse(location, key, reference, "doesn't exist in the document")
        elif not isinstance(target.node, dict | bool):
            self._refuse(location, key, reference, "names something that is not a schema")
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
        for step in map(parse_step, fragment.split("/")[1:]):
            if isinstance(node, list) and _INDEX.fullmatch(step) and int(step) < len(node):
                node, path = node[int(step)], (*path, int(step))
            elif isinstance(node, dict) and step in node:
                node, path = node[step], (*path, step)
            else:
                return None
        known = self.locations.get(id(node))
        return known or replace(resource, node=node, path=path)

    def _refuse(
        self, location: SchemaLocation, key: str, reference: str, why: str, hint: str = ""
    ) -> None:
        message = f"the reference {quoted(reference)} {why}"
        self.problems.append(_problem("schema/bad-reference", message, hint, location, key))


def _elsewhere(uri: str) -> str:
    """How to provide a schema that a reference names."""
    if not uri:
        return "no schema of this document has that `$id`"
    return f"pass that schema in `registry=`, in the shell by --registry, as {quoted(uri)}"


_DRAFTS = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019, "2020-12": 2020}
_DIALECT = re.compile(r"https?://json-schema\.org/(?:draft/)?(draft-0[467]|2019-09|2020-12)/")
_TOO_OLD = re.compile(r"https?://json-schema\.org/(?:draft/)?draft-0[0-3]/")


def dialect(document: JsonSchema) -> int | None:
    """Return the draft that `$schema` names; None if it is absent or unknown."""
    name = document.get("$schema")
    match = _DIALECT.match(name) if isinstance(name, str) else None
    return _DRAFTS[match[1]] if match else None


def _identifier(node: JsonSchema, draft: int | None) -> str:
    """The URI that a schema gives itself, or an empty string."""
    for key in ("$id", "id") if draft in (None, 4) else ("$id",):
        value = node.get(key)
        if isinstance(value, str):
            return value
    return ""


_Test: TypeAlias = Callable[["Json"], bool]
_Form: TypeAlias = tuple[_Test, str]


def _is(*kinds: type) -> _Test:
    """Whether a value is of one of the types; a boolean is not a number."""
    return lambda value: isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _list_of(test: _Test) -> _Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _map_of(test: _Test) -> _Test:
    return lambda value: isinstance(value, dict) and all(map(test, value.values()))


_is_number, _is_string, _is_schema = _is(int, float), _is(str), _is(dict, bool)
_are_names, _are_schemas = _list_of(_is_string), _list_of(_is_schema)


def _is_type(value: Json) -> bool:
    names = value if isinstance(value, list) and value else [value]
    return all(map(_is_type_name, names)) and len(set(names)) == len(names)


def _is_type_name(value: Json) -> bool:
    return isinstance(value, str) and value in JSON_TYPES


def _is_count(value: Json) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_anchor(value: Json) -> bool:
    """Core 2020-12, section 8.2.2, and 2019-09."""
    return isinstance(value, str) and _ANCHOR.fullmatch(value) is not None


_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._:]*")
_STRING: _Form = (_is_string, "a string")
_NAME: _Form = (
    _is_anchor,
    "a name of letters, digits, `-`, `_`, `.` and `:` that begins with a letter",
)
_COUNT: _Form = (_is_count, "an integer of at least 0")
_COUNTED = ("Contains", "Items", "Length", "Properties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_STRINGS = ("$comment", "$dynamicRef", "$id", "$ref", "$schema")
_TEXTS = ("description", "format", "pattern", "title", "x-gbnf")

_FORMS: MappingProxyType[str, _Form] = MappingProxyType(
    {
        **{f"{end}{name}": _COUNT for name in _COUNTED for end in ("min", "max")},
        **dict.fromkeys(_BOUNDS, (_is_number, "a number")),
        **dict.fromkeys((*_STRINGS, *_TEXTS), _STRING),
        **dict.fromkeys(("$anchor", "$dynamicAnchor"), _NAME),
        **dict.fromkeys(("uniqueItems", "deprecated"), (_is(bool), "true or false")),
        **dict.fromkeys(ONE_SCHEMA, (_is_schema, "a schema")),
        **dict.fromkeys(
            SCHEMA_ARRAYS,
            (lambda value: bool(value) and _are_schemas(value), "an array of one or more schemas"),
        ),
        **dict.fromkeys(SCHEMA_MAPS, (_map_of(_is_schema), "an object of schemas")),
        "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
        "enum": (_is(list), "an array"),
        "required": (_are_names, "an array of strings"),
        "dependentRequired": (_map_of(_are_names), "an object of arrays of strings"),
        "type": (_is_type, f"one of {', '.join(JSON_TYPES)}, or an array of them, each once"),
    }
)
_PARTS: MappingProxyType[str, _Form] = MappingProxyType(
    {
        **dict.fromkeys((SCHEMA_MAPS | SCHEMA_ARRAYS) - {"dependencies"}, (_is_schema, "a schema")),
        "required": _STRING,
        "dependentRequired": (_are_names, "an array of strings"),
        "type": (_is_type_name, f"one of {', '.join(JSON_TYPES)}"),
    }
)
"""What the values in the objects and arrays of keywords must be."""


def _bad_keywords(location: SchemaLocation) -> Iterator[Problem]:
    """What is wrong with the keywords of one schema, aside from the schemas in it.

    Where no draft is named, the forms of all drafts are accepted.
    """
    for key, value in location.node.items():
        test, wanted = _FORMS.get(key, (None, ""))
        if test is None or test(value) or _fits_older(key, value, location.draft):
            continue
        inside = list(_wrong_inside(key, value))
        for step, part, inner in inside:
            message = f"value in `{key}`: expected {part}, found {shown(inner)}"
            yield _problem("schema/bad-keyword", message, "", location, key, step)
        if not inside:
            message = f"`{key}`: expected {wanted}, found {shown(value)}"
            yield _problem("schema/bad-keyword", message, _hint(key, value), location, key)
    yield from _bad_patterns(location)


def _wrong_inside(key: str, value: Json) -> Iterator[tuple[str | int, str, Json]]:
    """The invalid parts of a keyword's value: the step to each, what it must be, and it."""
    if key not in _PARTS or not isinstance(value, list | dict):
        return
    test, wanted = _PARTS[key]
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if not test(inner):
            yield step, wanted, inner


def _problem(
    code: str, message: str, hint: str, location: SchemaLocation, *steps: str | int
) -> Problem:
    where = f"{location.pointer}{pointer(steps)[1:]}"
    return Problem(code, f"{message} (at {visible(where)})", None, hint, where)


def _bad_patterns(location: SchemaLocation) -> Iterator[Problem]:
    own, of_keys = location.node.get("pattern"), location.node.get("patternProperties")
    patterns: list[tuple[str, tuple[str, ...]]] = []
    if isinstance(own, str):
        patterns.append((own, ("pattern",)))
    if isinstance(of_keys, dict):
        patterns += [(key, ("patternProperties", key)) for key in of_keys]
    for pattern, steps in patterns:
        wrong = pattern_error(pattern)
        if wrong:
            message = f"invalid regular expression {quoted(pattern)}: {wrong}"
            yield _problem("schema/bad-pattern", message, DIALECT, location, *steps)


def _fits_older(key: str, value: Json, draft: int | None) -> bool:
    """Whether an older draft, which the schema might be of, accepts the value."""
    if key in ("exclusiveMinimum", "exclusiveMaximum"):
        return draft in (None, 4) and isinstance(value, bool)
    if key == "items":
        return draft != _NEWEST and _are_schemas(value)
    if key == "dependencies":
        return _map_of(lambda one: _is_schema(one) or _are_names(one))(value)
    return False


def _hint(key: str, value: Json) -> str:
    if key == "required" and isinstance(value, bool):
        return "list the names in a `required` next to `properties`, as in draft 4 and later"
    if key == "type" and value == "any":
        return "leave `type` out for any value"
    if key == "exclusiveMinimum" and isinstance(value, bool):
        return "write the bound itself, as in draft 6 and later"
    return ""


def shown(value: Json) -> str:
    """A value as an error quotes it."""
    if isinstance(value, dict | list):
        kind = "array" if isinstance(value, list) else "object"
        return f"an {kind}" if value else f"an empty {kind}"
    return quoted(json.dumps(value, ensure_ascii=False))
