"""Modules of generated types, and what two schemas have to share to mean the same."""

from __future__ import annotations

import itertools
import sys
import types
from typing import TYPE_CHECKING, Any

from pdl.schema.keywords import lookup

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pdl

_NUMBERS = itertools.count()
_ANNOTATIONS = ("$comment", "deprecated", "example", "examples", "readOnly", "title", "writeOnly")
_NOTES = {"description", "default", "$defs", *_ANNOTATIONS}
_IDLE: tuple[tuple[str, Any], ...] = (
    *(("minLength", 0), ("minItems", 0), ("minProperties", 0), ("uniqueItems", False)),
    *(("items", True), ("items", {}), ("additionalProperties", True)),
)


def module_of(text: str) -> types.ModuleType:
    """The module of generated Python; types of classes look up names in it."""
    module = types.ModuleType(f"generated_{next(_NUMBERS)}")
    sys.modules[module.__name__] = module
    exec(compile(text, module.__name__, "exec", dont_inherit=True), vars(module))  # noqa: S102
    return module


def same(one: pdl.Schema, other: pdl.Schema) -> bool:
    """Whether schemas differ at most in the names of definitions and in spelling."""
    forms = {one.form, other.form}  # `str | str` is JSON, though `str` is text
    if len(forms) > 1 and forms != {"json", "text"}:
        return False
    if (one.lang, one.tasks) != (other.lang, other.tasks):
        return False
    return _Comparison(one.document, other.document).same(one.document, other.document)


class _Comparison:
    """A bisimulation: nodes that are being compared are taken to be the same."""

    def __init__(self, one: Any, other: Any) -> None:
        self._documents = one, other
        self._assumed: set[tuple[int, int]] = set()
        self._kept: list[Any] = []

    def same(self, one: Any, other: Any) -> bool:
        pair = (id(one), id(other))
        if pair in self._assumed:
            return True
        self._assumed.add(pair)
        self._kept += [one, other]  # so that no id is used twice
        nodes = [*zip((one, other), self._documents, strict=True)]
        for note in ("description", "default"):
            said = [_said(node, document, note) for node, document in nodes]
            if not _equal(*said):
                return False
        left, right = (list(_branches(node, document)) for node, document in nodes)
        forth = all(any(self._fits(a, b) for b in right) for a in left)
        return forth and all(any(self._fits(a, b) for a in left) for b in right)

    def _fits(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        if one.keys() != other.keys():
            return False
        before = set(self._assumed)
        if all(self._part(key, one[key], other[key]) for key in one):
            return True
        self._assumed = before
        return False

    def _part(self, key: str, one: Any, other: Any) -> bool:
        if key == "properties":
            return one.keys() == other.keys() and all(self.same(one[k], other[k]) for k in one)
        if key in ("items", "additionalProperties"):
            return self.same(one, other)
        if key == "prefixItems":
            return len(one) == len(other) and all(map(self.same, one, other))
        return _equal(one, other)


def _said(node: Any, document: Any, note: str) -> Any:
    while isinstance(node, dict):
        if note in node:
            return node[note]
        if "$ref" not in node:
            return None
        node = lookup(document, node["$ref"])
    return None


def _branches(node: Any, document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, bool):
        yield {} if node else {"not": {}}
        return
    core = {key: value for key, value in node.items() if key not in _NOTES}
    while core.keys() == {"$ref"}:
        target = lookup(document, core["$ref"])
        core = {key: value for key, value in target.items() if key not in _NOTES}
    if "const" in core or "enum" in core:
        for value in core.get("enum", [core.get("const")]):
            yield {"type": "null"} if value is None else {"const": value}
    elif core.keys() == {"anyOf"}:
        for branch in core["anyOf"]:
            yield from _branches(branch, document)
    elif isinstance(core.get("type"), list):
        for kind in core["type"]:
            yield _tidy({**core, "type": kind})
    else:
        yield _tidy(core)


_OF = {
    "string": {"minLength", "maxLength", "pattern", "format"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"},
    "object": {"properties", "required", "additionalProperties", "minProperties", "maxProperties"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}
_OF["integer"] = _OF["number"]


def _tidy(core: dict[str, Any]) -> dict[str, Any]:
    foreign = set().union(*_OF.values()) - _OF.get(core.get("type", ""), set())
    found = {
        key: value
        for key, value in core.items()
        if (key, value) not in _IDLE and not ("type" in core and key in foreign)
    }
    if "required" in found:
        rest = found.get("additionalProperties", True)
        absent = {key: rest for key in found["required"] if key not in found.get("properties", {})}
        found["properties"] = {**found.get("properties", {}), **absent}
        found["required"] = sorted(set(found["required"]))
    if not found.get("properties", True):
        del found["properties"]
    if not found.get("required", True):
        del found["required"]
    size = len(found.get("prefixItems", ()))
    is_closed = found.get("items", 0) is False or found.get("maxItems") == size
    if size and found.get("minItems") == size and is_closed:
        del found["minItems"]
        found.pop("maxItems", None)
        found["items"] = False
    return found


def _equal(one: Any, other: Any) -> bool:
    """Equality of JSON, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return bool(one == other)
