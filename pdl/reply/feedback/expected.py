"""What to answer with, in a sentence that a model can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.forms import form_of
from pdl.reply.phrases import Phrase, row, say
from pdl.reply.validation.references import branches
from pdl.reply.validation.schema_walk import literals, required_names, root_kinds
from pdl.reply.wording import brief, quoted, shown_key

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
_SCALARS = frozenset(["string", "integer", "number", "boolean", "null"])


def wanted(schema: Schema | None, *, alone: bool) -> Phrase:
    """What to answer with; `alone` stresses that it is one thing only."""
    form = form_of(schema)
    if form == "yesno":
        return say("say-yes-or-no")
    if form == "code":
        lang = schema.lang if schema else None
        return say("give-code-in", lang=lang) if lang else say("give-code")
    if form == "tasklist":
        return say("give-tasks")
    if form == "text" or schema is None:
        return say("give-text")
    return _wanted_json(schema.document, alone=alone)


def _wanted_json(document: JsonSchema, *, alone: bool) -> Phrase:
    values = literals(document, document)
    kinds = root_kinds(document, document)
    if values and kinds <= _SCALARS:
        items = row(dict.fromkeys(map(_literal, values)))
        return say("give-choice" if alone else "answer-choice", items=items)
    named = sorted(kind for kind in kinds if not (kind == "integer" and "number" in kinds))
    if named == ["null"]:
        return say("just-null")
    if len(named) != 1:
        return say("give-one") if alone else say("give-fitting")
    [kind] = named
    value = say("a-json", kind=kind) if kind in {"object", "array"} else kind
    details = _details(document, kind)
    return say("give-value" if alone else "answer-value", value=value, details=details)


def _literal(value: Json) -> str:
    return f"`{value if isinstance(value, str) else brief(value)}`"


def _details(document: JsonSchema, kind: str) -> str:
    """The bounds of a number, the items of an array, the keys of an object."""
    if kind == "object":
        names = required_names(document, document)
        items = row(quoted(map(shown_key, names)), "list-and")
        return say("with-fields", items=items, number=len(names)) if names else ""
    if kind == "boolean":
        return say("as-boolean")
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
    return say("with-items", kinds=say(_MANY[named[0]])) if len(named) == 1 else ""


def _range(number: Mapping[str, Any]) -> str:
    low, high = number.get("minimum"), number.get("maximum")
    if low is not None and high is not None:
        return say("in-range", low=brief(low), high=brief(high))
    if low is not None:
        return say("with-least", low=brief(low))
    return say("with-most", high=brief(high)) if high is not None else ""
