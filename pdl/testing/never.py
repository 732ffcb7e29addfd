"""Whether no answer of a prompt can be as a case expects it, where that is certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.reply import violations
from pdl.schema.keywords import schemas

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.schema import Schema
    from pdl.testing.cases import Expectation

_DEPTH = 50
_DEFINED = "#/$defs/"
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_NUMBERS = frozenset({"integer", "number"})
_ARTICLES = {
    "array": "an array",
    "boolean": "a boolean",
    "number": "a number",
    "integer": "an integer",
    "object": "an object",
    "string": "a string",
}


def never(expectation: Expectation, schema: Schema[Any]) -> str:
    """Return why nothing that matches the schema is as expected; empty if something may be.

    Compares values, types, and required fields; all else may be.
    """
    if schema.form != "json" or expectation.schema.form != "json":
        return ""
    if expectation.exact is not None:
        found = violations(schema, expectation.exact[0])
        return f"`{format_path(found[0].path)}` {found[0].message}" if found else ""
    return _Pair(schema, expectation.schema).why(
        expectation.schema.document, schema.document, "$", 0
    )


class _Pair:
    """The schema of a prompt, and that of an expectation."""

    def __init__(self, schema: Schema[Any], expected: Schema[Any]) -> None:
        self.schema = schema
        self.expected = expected
        self.has_parts = not any(_names_others(one) for _, one in schemas(schema.document))
        """Whether a part of the schema, with the definitions, means what it does in the schema."""

    def why(self, expected: Any, answered: Any, path: str, depth: int) -> str:
        """Why no value matches two parts of the schemas."""
        expected, answered = _resolved(self.expected, expected), _resolved(self.schema, answered)
        if not (isinstance(expected, Mapping) and isinstance(answered, Mapping)) or depth > _DEPTH:
            return ""
        values = _values(expected)
        if values is not None and self.has_parts:
            part = replace(self.schema, document=_with_definitions(self.schema, answered))
            found = [violations(part, value) for value in values]
            return f"`{path}` {found[0][0].message}" if found and all(found) else ""
        own, other = _types(expected), _types(answered)
        if own and other and not own & other:
            return f"`{path}` is {_listed(other)}, not {_listed(own)}"
        if own == other == {"object"}:
            return self._fields(expected, answered, path, depth)
        return ""

    def _fields(self, expected: Any, answered: Any, path: str, depth: int) -> str:
        """Why no object has the fields that one of two parts requires."""
        wanted, known = expected.get("properties", {}), answered.get("properties", {})
        is_closed = answered.get("additionalProperties") is False
        for name in expected.get("required", ()):
            inner = f"{path}.{name}"
            if name not in known and is_closed and "patternProperties" not in answered:
                return f"there is no `{inner}`"
            if name in wanted and name in known:
                why = self.why(wanted[name], known[name], inner, depth + 1)
                if why:
                    return why
        is_closed = expected.get("additionalProperties") is False
        for name in answered.get("required", ()):
            if name not in wanted and is_closed and "patternProperties" not in expected:
                return f"each answer has `{path}.{name}` (`[str]: any` allows further fields)"
        return ""


def _names_others(part: Mapping[str, Any]) -> bool:
    """Whether a part refers to anything but a definition."""
    named = [part.get(keyword, _DEFINED) for keyword in _REFERENCES]
    return not all(isinstance(one, str) and one.startswith(_DEFINED) for one in named)


def _resolved(schema: Schema[Any], part: Any) -> Any:
    """A part of a schema, or the definition that it only refers to."""
    for _ in range(_DEPTH):
        reference = part.get("$ref") if isinstance(part, Mapping) else None
        if not isinstance(reference, str):
            break
        name = reference.removeprefix(_DEFINED)
        part = schema.document.get("$defs", {}).get(name)
    return part


def _with_definitions(schema: Schema[Any], part: Any) -> dict[str, Any]:
    definitions = schema.document.get("$defs")
    return {**part, "$defs": definitions} if definitions else dict(part)


def _values(part: Mapping[str, Any]) -> list[Json] | None:
    """The only values that match a part of a schema, if it lists them."""
    if "const" in part:
        return [part["const"]]
    found = part.get("enum")
    return found if isinstance(found, list) else None


def _types(part: Mapping[str, Any]) -> set[str]:
    """The types that match a part of a schema; none if it doesn't say."""
    given = part.get("type", ())
    found = {given} if isinstance(given, str) else set(given)
    return found | _NUMBERS if found & _NUMBERS else found


def _listed(types: set[str]) -> str:
    names = types - {"integer"} if types >= _NUMBERS else types
    return " or ".join(_ARTICLES.get(name, name) for name in sorted(names))
