"""A JSON value's form as models have seen it often: the types of TypeScript, comments in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.schema.deep import Deep, call, each, run
from pdl.schema.notation.unions import NULL
from pdl.schema.prose import lines_of
from pdl.schema.writing.phrases import default_phrase, phrases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonSchema

_STEP = "  "


def skeleton(root: JsonSchema, definitions: Mapping[str, JsonSchema]) -> str:
    """The form of a schema in normal form and of the names that it uses."""
    page = _Page()
    form = run(page.form(root, ""))
    lines = ["Answer with one JSON value of this form, and nothing else:"]
    lines += [*_comments(root), form]
    for name, schema in definitions.items():
        lines += [*_comments(schema), f"{name} = {run(page.form(schema, ''))}"]
    return "\n".join([*lines, *page.remarks()])


def _comments(schema: JsonSchema) -> list[str]:
    said = [*lines_of(schema.get("description", "")), *_notes(schema)]
    return [f"// {line}".rstrip() for line in said]


class _Page:
    """Writes forms, and remembers what must be explained below them."""

    def __init__(self) -> None:
        self._has_optional = False
        self._has_closed = False

    def remarks(self) -> list[str]:
        """How to read the keys."""
        said = ["A key with `?` may be left out."] if self._has_optional else []
        said += ["No other keys are allowed."] if self._has_closed else []
        return [" ".join(said)] if said else []

    def form(self, schema: JsonSchema, indent: str) -> Deep[str]:
        """The type of a schema, with the lines behind the first indented."""
        if "$ref" in schema:
            return str(schema["$ref"].rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        if "anyOf" in schema:
            branches = schema["anyOf"]
            return " | ".join((yield from each(self.form(branch, indent) for branch in branches)))
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            return (yield from self._typed(schema, kind[0], indent)) + " | null"
        return (yield from self._typed(schema, kind, indent))

    def _typed(self, schema: JsonSchema, kind: str, indent: str) -> Deep[str]:
        if kind == "array":
            return (yield from self._array(schema, indent))
        if kind == "object":
            return (yield from self._object(schema, indent))
        return kind

    def _array(self, schema: JsonSchema, indent: str) -> Deep[str]:
        if "prefixItems" in schema:
            items = schema["prefixItems"]
            forms = yield from each(self.form(item, indent) for item in items)
            return f"[{', '.join(forms)}]"
        item = schema.get("items", {})
        form = yield from call(self.form(item, indent))
        is_union = "anyOf" in item or "enum" in item or isinstance(item.get("type"), list)
        return f"({form})[]" if is_union else f"{form}[]"

    def _object(self, schema: JsonSchema, indent: str) -> Deep[str]:
        deeper = indent + _STEP
        required = frozenset(schema.get("required", ()))
        entries: list[tuple[str, JsonSchema]] = []
        for key, field in schema.get("properties", {}).items():
            mark = "" if key in required else "?"
            self._has_optional = self._has_optional or bool(mark)
            form = yield from call(self.form(field, deeper))
            entries.append((f"{json.dumps(key, ensure_ascii=False)}{mark}: {form}", field))
        rest = schema["additionalProperties"]
        if rest is False:
            self._has_closed = True
        else:
            rest = {} if rest is True else rest
            entries.append((f"[key: string]: {(yield from call(self.form(rest, deeper)))}", rest))
        return _braces(entries, indent)


def _braces(entries: list[tuple[str, JsonSchema]], indent: str) -> str:
    if not entries:
        return "{}"
    deeper = indent + _STEP
    lines = ["{"]
    for index, (text, field) in enumerate(entries):
        comma = "," if index < len(entries) - 1 else ""
        described = lines_of(field.get("description", ""))
        if described[1:]:
            lines += [f"{deeper}// {line}".rstrip() for line in described]
            described = []
        said = "; ".join([*_notes(field), *described])
        lines.append(f"{deeper}{text}{comma}{said and ' // '}{said}")
    return "\n".join([*lines, f"{indent}}}"])


def _notes(schema: JsonSchema) -> list[str]:
    """The bounds of a value and of its parts, as far as no line of their own says them."""
    said = run(_bounds(schema))
    return said + ([default_phrase(schema["default"])] if "default" in schema else [])


def _bounds(schema: JsonSchema) -> Deep[list[str]]:
    said = phrases(schema)
    for name, part in _parts(schema):
        inner = yield from call(_bounds(part))
        said += [f"{name} {', '.join(inner)}"] if inner else []
    return said


def _parts(schema: JsonSchema) -> list[tuple[str, Json]]:
    if "anyOf" in schema:
        branches = [branch for branch in schema["anyOf"] if branch != NULL]
        if len(branches) == 1:
            return [("", branches[0])]
        return [(f"if {_kind(branch)}:", branch) for branch in branches]
    if "prefixItems" in schema:
        return [(f"item {n}:", item) for n, item in enumerate(schema["prefixItems"], 1)]
    return [("each:", schema["items"])] if "items" in schema else []


def _kind(schema: JsonSchema) -> str:
    kind = schema.get("type", "any")
    return str(kind[0] if isinstance(kind, list) else kind)
