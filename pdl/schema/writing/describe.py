"""What to answer with, in words and a skeleton that models read well."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.errors import SchemaError
from pdl.schema.json_schema.copying import copied
from pdl.schema.keywords import DIGITS, subschemas
from pdl.schema.prose import lines_of
from pdl.schema.writing.canonical import canonical
from pdl.schema.writing.phrases import counted, phrases
from pdl.schema.writing.skeleton import skeleton

if TYPE_CHECKING:
    from pdl._types import Json, JsonSchema
    from pdl.schema.parts import Parts


def describe(parts: Parts) -> str:
    """The text that `{{ schema }}` prints, without a final newline.

    It says the same as the schema: what a skeleton cannot show is given as JSON Schema.
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
    said = phrases(document)
    ending = f": {', '.join(said)}" if said else ""
    return f"Answer with plain text{ending}."


def _code(parts: Parts) -> str:
    lang = f"```{parts.lang}" if parts.lang else "```"
    text = f"Answer with one fenced code block, which begins with {lang}, and nothing else."
    said = phrases(parts.document)
    return f"{text} The code has {', '.join(said)}." if said else text


def _tasklist(parts: Parts) -> str:
    size = counted(*parts.tasks, "task")
    text = (
        "Answer with a Markdown task list, and nothing else: "
        "a line `- [ ] …` for each task, `- [x] …` for one that is done."
    )
    return f"{text} It has {size}." if size else text


def _json(document: JsonSchema) -> str:
    try:
        whole = canonical(document, whole=False)
    except SchemaError:
        text = json.dumps(_without_rules(document), ensure_ascii=False, indent=2)
        return f"Answer with one JSON value that fits this JSON Schema, and nothing else:\n{text}"
    if _is_plain(whole.root):
        return _scalar(whole.root)
    return skeleton(whole.root, whole.definitions)


def _without_rules(document: JsonSchema) -> Json:
    """A copy without the rules of grammars, which say nothing to a model that they do not hold."""
    found = copied(document)
    pending = [found]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            node.pop("x-gbnf", None)
            node.pop(DIGITS, None)
            pending += (inner for _, inner in subschemas(node))
    return found


def _is_plain(root: JsonSchema) -> bool:
    scalars = ("string", "integer", "number", "boolean", "null")
    types = root.get("type", [])
    types = [types] if isinstance(types, str) else types
    constants = "const" in root or "enum" in root
    return constants or (bool(types) and all(name in scalars for name in types))


def _scalar(root: JsonSchema) -> str:
    """A sentence for an answer that is one word or number."""
    values = root.get("enum", [root.get("const")] if "const" in root else None)
    if values is not None:
        shown = ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
        text = f"Answer with one of these, and nothing else: {shown}"
        if len(values) == 1:
            text = f"Answer with {shown}, and nothing else."
        return "\n".join([text, *lines_of(root.get("description", ""))])
    names = {
        "integer": "an integer",
        "number": "a number",
        "boolean": "true or false",
        "null": "null",
        "string": "a JSON string",
    }
    types = root["type"] if isinstance(root["type"], list) else [root["type"]]
    said = "".join(f", {phrase}" for phrase in phrases(root))
    text = f"Answer with {' or '.join(names[name] for name in types)}{said}, and nothing else."
    return "\n".join([text, *lines_of(root.get("description", ""))])
