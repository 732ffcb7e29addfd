"""What to answer with, in a sentence that a model can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.references import branches
from pdl.reply.shape import literals, required_names, root_kinds
from pdl.reply.wording import brief, listed, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonSchema
    from pdl.schema import Schema

_MANY = {
    "string": "strings",
    "integer": "integers",
    "number": "numbers",
    "boolean": "booleans",
    "object": "objects",
    "array": "arrays",
}


def wanted(schema: Schema | None, *, alone: bool) -> str:
    """What to answer with; `alone` stresses that it is one thing only."""
    form = "text" if schema is None else schema.form
    if form == "yesno":
        return "Just say yes or no."
    if form == "code":
        lang = f" in {schema.lang}" if schema and schema.lang else ""
        return f"Give me just 1 code block{lang}, between lines of three backticks."
    if form == "tasklist":
        return "Give me just 1 task list, each line of which begins with `- [ ]` or `- [x]`."
    if form == "text" or schema is None:
        return "Give me just the text."
    return _wanted_json(schema.document, alone=alone)


def _wanted_json(document: JsonSchema, *, alone: bool) -> str:
    verb = "Give me just" if alone else "Answer with"
    values = literals(document, document)
    kinds = root_kinds(document, document)
    if values and all(kind in {"string", "integer", "number", "boolean", "null"} for kind in kinds):
        return f"{verb} one of: {listed([_literal(value) for value in values])}."
    named = sorted(kind for kind in kinds if not (kind == "integer" and "number" in kinds))
    if len(named) != 1:
        return "Give me just 1 answer." if alone else "Give me 1 JSON value that fits the schema."
    json = "JSON " if named[0] in {"object", "array"} else ""
    return f"{verb} 1 {json}{named[0]}{_details(document, named[0])}."


def _literal(value: Json) -> str:
    return f"`{value}`" if isinstance(value, str) else f"`{brief(value)}`"


def _details(document: JsonSchema, kind: str) -> str:
    """The bounds of a number, the items of an array, the keys of an object."""
    if kind == "object":
        names = required_names(document, document)
        noun = "field" if len(names) == 1 else "fields"
        return f" with the {noun} {listed(quoted(names), ' and ')}" if names else ""
    if kind == "boolean":
        return ", `true` or `false`"
    found = [branch for branch in branches(document, document) if "type" in branch]
    if len(found) != 1:
        return ""
    return _items(document, found[0]) if kind == "array" else _range(found[0])


def _items(document: JsonSchema, array: Mapping[str, Any]) -> str:
    items = array.get("items")
    if not isinstance(items, dict):
        return ""
    kinds = root_kinds(document, items)
    named = [k for k in _MANY if k in kinds and not (k == "integer" and "number" in kinds)]
    return f" of {_MANY[named[0]]}" if len(named) == 1 else ""


def _range(number: Mapping[str, Any]) -> str:
    low, high = number.get("minimum"), number.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" that is at least {low}"
    return f" that is at most {high}" if high is not None else ""
