"""What a schema asks for, as one imperative that a model can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.forms import form_of
from pdl.reply.phrases import Phrase, kinds, row, say
from pdl.reply.validation.schema_walk import branches, literals, required_names, root_kinds
from pdl.reply.wording import brief, quoted, shown_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonSchema
    from pdl.schema import Schema

_ALONE = {"null": "give-null", "boolean": "give-boolean"}
_FORMS = {"yesno": "say-yes-or-no", "tasklist": "give-tasks", "text": "give-text"}
_SCALARS = frozenset(["string", "integer", "number", "boolean", "null"])
_LITERAL = frozenset(["enum", "const"])
_FEW = 3  # types that are named one by one


def is_scalar(schema: Schema | None) -> bool:
    """Whether the answer is JSON, and neither an object nor an array."""
    if schema is None or form_of(schema) != "json":
        return False
    return root_kinds(schema.document, schema.document) <= _SCALARS


def instruction(schema: Schema | None) -> Phrase:
    """Return the sentence that tells a model what to return."""
    form = form_of(schema)
    if schema is None or form in _FORMS:
        return say(_FORMS[form])
    if form == "code":
        return say("give-code-in", lang=schema.lang) if schema.lang else say("give-code")
    return _json(schema.document)


def _json(document: JsonSchema) -> Phrase:
    names = _named(document, document)
    values = _choices(document) if _SCALARS.issuperset(names) else []
    if values:
        return say("give-choice", items=row(dict.fromkeys(map(_literal, values)), "list-or"))
    if len(names) != 1:
        few = 1 < len(names) <= _FEW
        return say("give-choice", items=kinds(names)) if few else say("give-fitting")
    [kind] = names
    if kind in _ALONE:
        return say(_ALONE[kind])
    return say("give-value", value=say(f"one-{kind}"), details=_details(document, kind))


def _choices(document: JsonSchema) -> list[Json]:
    """The literals that a schema allows, if it allows no other values."""
    typed = [one for one in branches(document, document) if "type" in one]
    free = [one["type"] for one in typed if _LITERAL.isdisjoint(one)]
    if any(names != "null" for names in free):
        return []
    return [*literals(document, document), *([None] if free else [])]


def _named(document: JsonSchema, schema: Json) -> list[str]:
    """The types that a schema allows, an integer among numbers not by itself."""
    found = root_kinds(document, schema)
    return sorted(kind for kind in found if not (kind == "integer" and "number" in found))


def _literal(value: Json) -> str:
    return f"`{value if isinstance(value, str) else brief(value)}`"


def _details(document: JsonSchema, kind: str) -> str:
    """The bounds of a number, the items of an array, the fields of an object."""
    if kind == "object":
        names = required_names(document, document)
        items = row(quoted(map(shown_key, names)))
        return say("with-fields", items=items, number=len(names)) if names else ""
    found = [branch for branch in branches(document, document) if "type" in branch]
    if len(found) != 1:
        return ""
    return _items(document, found[0]) if kind == "array" else _range(found[0])


def _items(document: JsonSchema, array: Mapping[str, Any]) -> str:
    items = array.get("items")
    found = _named(document, items) if isinstance(items, dict) else []
    if len(found) != 1 or found == ["null"]:
        return ""
    return say("with-items", kinds=say(f"many-{found[0]}"))


def _range(number: Mapping[str, Any]) -> str:
    low, high = number.get("minimum"), number.get("maximum")
    if low is not None and high is not None:
        return say("in-range", low=brief(low), high=brief(high))
    if low is not None:
        return say("with-least", low=brief(low))
    return say("with-most", high=brief(high)) if high is not None else ""
