"""The description of a schema for models.

`outline` writes the form of a JSON value as models have often seen it: types of TypeScript with
comments. `wording` describes the bounds of a value in words.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.errors import SchemaError, count
from pdl.schema.dsl.normal_form import normal_form
from pdl.schema.dsl.tree import NULL, lines_of
from pdl.schema.formats import FORMATS
from pdl.schema.keywords import DRAFT_4_INTEGER, schemas, types_of
from pdl.trampoline import Recur, call, gather, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonSchema
    from pdl.schema.parts import SchemaParts


def wording(schema: JsonSchema) -> list[str]:
    """What a typed schema in normal form demands of a value besides its type, its parts aside."""
    if "prefixItems" in schema:
        return _unique(schema)
    said = [FORMATS[schema["format"]].name] if "format" in schema else []
    said += _sized(schema, "Length", "character")
    said += [f"matching the regular expression {schema['pattern']}"] if "pattern" in schema else []
    said += _range(schema)
    said += [f"a multiple of {schema['multipleOf']}"] if "multipleOf" in schema else []
    said += _sized(schema, "Items", "item") + _unique(schema)
    return said + _sized(schema, "Properties", "key")


def counted(low: int | None, high: int | None, noun: str) -> str:
    """A count in words: "1 to 5 items"; empty if it has no bounds."""
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {count(low, noun)}" if low else ""
    if not low:
        return f"at most {count(high, noun)}"
    return count(high, noun) if low == high else f"{low} to {count(high, noun)}"


def default_phrase(value: Json) -> str:
    """The value of a key that is left out."""
    return f"default {json.dumps(value, ensure_ascii=False)}"


def _sized(schema: JsonSchema, name: str, noun: str) -> list[str]:
    said = counted(schema.get(f"min{name}"), schema.get(f"max{name}"), noun)
    return [said] if said else []


def _unique(schema: JsonSchema) -> list[str]:
    return ["no duplicates"] if schema.get("uniqueItems") else []


def _range(schema: JsonSchema) -> list[str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        said = [f"from {low} to {high}"]
    else:
        said = [f"at least {low}"] if low is not None else []
        said += [f"at most {high}"] if high is not None else []
    over, under = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    said += [f"more than {over}"] if over is not None else []
    return said + ([f"less than {under}"] if under is not None else [])


_STEP = "  "


def outline(root: JsonSchema, definitions: Mapping[str, JsonSchema]) -> str:
    """Write the form of a schema in normal form and of the names that it uses."""
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

    def form(self, schema: JsonSchema, indent: str) -> Recur[str]:
        """The type of a schema, with the lines after the first indented."""
        if "$ref" in schema:
            return str(schema["$ref"].rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        if "anyOf" in schema:
            branches = schema["anyOf"]
            return " | ".join((yield from gather(self.form(branch, indent) for branch in branches)))
        kind = schema.get("type", "any")
        if isinstance(kind, list):
            return (yield from self._typed(schema, kind[0], indent)) + " | null"
        return (yield from self._typed(schema, kind, indent))

    def _typed(self, schema: JsonSchema, kind: str, indent: str) -> Recur[str]:
        if kind == "array":
            return (yield from self._array(schema, indent))
        if kind == "object":
            return (yield from self._object(schema, indent))
        return kind

    def _array(self, schema: JsonSchema, indent: str) -> Recur[str]:
        if "prefixItems" in schema:
            items = schema["prefixItems"]
            forms = yield from gather(self.form(item, indent) for item in items)
            return f"[{', '.join(forms)}]"
        item = schema.get("items", {})
        form = yield from call(self.form(item, indent))
        is_union = "anyOf" in item or "enum" in item or isinstance(item.get("type"), list)
        return f"({form})[]" if is_union else f"{form}[]"

    def _object(self, schema: JsonSchema, indent: str) -> Recur[str]:
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
    """The bounds of a value and of those of its parts that have no line of their own."""
    said = run(_bounds(schema))
    return said + ([default_phrase(schema["default"])] if "default" in schema else [])


def _bounds(schema: JsonSchema) -> Recur[list[str]]:
    said = wording(schema)
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


def describe(parts: SchemaParts) -> str:
    """Return the text that `{{ schema }}` prints, without a final newline.

    It is equivalent to the schema: where an outline cannot show it, it is JSON Schema.
    """
    match parts.form:
        case "text":
            text = _text(parts.document)
        case "yesno":
            text = "Answer with yes or no, and nothing else."
        case "code":
            text = _code(parts)
        case "tasklist":
            text = _tasklist(parts)
        case _:
            return _json(parts.document)
    return "\n".join([text, *lines_of(parts.document.get("description", ""))])


def _text(document: JsonSchema) -> str:
    said = wording(document)
    ending = f": {', '.join(said)}" if said else ""
    return f"Answer with plain text{ending}."


def _code(parts: SchemaParts) -> str:
    lang = f"```{parts.lang}" if parts.lang else "```"
    text = f"Answer with one fenced code block, which begins with {lang}, and nothing else."
    said = wording(parts.document)
    return f"{text} The code has {', '.join(said)}." if said else text


def _tasklist(parts: SchemaParts) -> str:
    size = counted(*parts.tasks, "task")
    text = (
        "Answer with a Markdown task list, and nothing else: "
        "a line `- [ ] …` for each task, `- [x] …` for one that is done."
    )
    return f"{text} It has {size}." if size else text


def _json(document: JsonSchema) -> str:
    try:
        whole = normal_form(document, whole=False)
    except SchemaError:
        text = json.dumps(_without_rules(document), ensure_ascii=False, indent=2)
        return f"Answer with one JSON value that fits this JSON Schema, and nothing else:\n{text}"
    if _is_plain(whole.root):
        return _scalar(whole.root)
    return outline(whole.root, whole.definitions)


def _without_rules(document: JsonSchema) -> Json:
    """A copy without custom grammar rules, which mean nothing to an unconstrained model."""
    from pdl.schema.json_values import copy_json  # noqa: PLC0415 - most schemas have an outline

    found: dict[str, Json] = copy_json(document)
    for _, node in list(schemas(found)):
        node.pop("x-gbnf", None)
        node.pop(DRAFT_4_INTEGER, None)
    return found


_SCALARS = {
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "string": "a JSON string",
}


def _is_plain(root: JsonSchema) -> bool:
    types = types_of(root)
    constants = "const" in root or "enum" in root
    return constants or (bool(types) and all(name in _SCALARS for name in types))


def _scalar(root: JsonSchema) -> str:
    """A sentence for an answer that is one word or number."""
    values = root.get("enum", [root.get("const")] if "const" in root else None)
    if values is None:
        names = " or ".join(_SCALARS[name] for name in types_of(root))
        said = "".join(f", {phrase}" for phrase in wording(root))
        text = f"Answer with {names}{said}, and nothing else."
    else:
        shown = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
        text = f"Answer with one of these, and nothing else: {shown}"
        if len(values) == 1:
            text = f"Answer with {shown}, and nothing else."
    return "\n".join([text, *lines_of(root.get("description", ""))])
