"""Tools in the forms that providers take."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

from pdl.models.payloads.form import narrowed
from pdl.models.payloads.subset import UnheldError
from pdl.schema.formats import standard
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import lookup, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl._types import Json, JsonSchema
    from pdl.models.payloads.subset import Subset
    from pdl.tools.tool import Tool

_JOINS = frozenset(
    {
        *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"),
        "dependentSchemas",
    }
)
"""What OpenAI and Anthropic refuse at the top of a tool's schema, or may do."""


def function(tool: Tool) -> dict[str, Any]:
    """The name, the description if there is one, and the JSON Schema of the arguments."""
    return _named(tool, tool.schema.to_json_schema())


def plain_function(tool: Tool) -> dict[str, Any]:
    """The same, where the schema must be an object that lists its keys."""
    return _named(tool, plain_object(tool.schema.document))


def strict_function(
    tool: Tool, subset: Subset, refuse: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """The same, with `strict` where the subset holds all that the schema says, as it says it.

    Otherwise the schema only advises the model: the arguments are checked anyway. `refuse` raises
    UnheldError for a form that is too large.
    """
    try:
        form = narrowed(tool.schema.document, subset)
        if refuse is not None:
            refuse(form.schema)
    except UnheldError:
        return {**plain_function(tool), "strict": False}
    if form.dropped or form.undo is not None or form.schema.get("type") != "object":
        return {**plain_function(tool), "strict": False}
    return {**_named(tool, form.schema), "strict": True}


def _named(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    words = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **words, "parameters": standard(parameters)}


def plain_object(document: JsonSchema) -> dict[str, Any]:
    """A schema of objects with `type` and `properties` at its top, and no unions or references.

    The keys of all branches are listed, those required that all of them require. Whatever else the
    branches say is left to the check. All that they list is allowed.
    """
    form: dict[str, Any] = copy_json(document)
    if form.get("type") == "object" and not _JOINS & form.keys():
        return form
    listed, required = _Keys(form).of(form)
    if form.get("additionalProperties") is False:
        own = form.get("properties", {})
        listed = {name: forms for name, forms in listed.items() if name in own}
    kept = {key: one for key, one in form.items() if key not in _JOINS}
    kept |= {"type": "object", "properties": {name: _any(one) for name, one in listed.items()}}
    kept["required"] = [name for name in listed if name in required]
    _bring(kept, document)
    return kept


class _Keys:
    """Collects the keys of the objects of a schema; each reference is followed once."""

    def __init__(self, document: JsonSchema) -> None:
        self._document = document
        self._seen: set[str] = set()

    def of(self, node: Json) -> tuple[dict[str, list[Json]], set[str]]:
        """The forms of each key, and the keys that must be there."""
        if not isinstance(node, dict):
            return {}, set()
        listed = {name: [form] for name, form in node.get("properties", {}).items()}
        required = set(node.get("required", ()))
        for branch in self._joined(node):
            required |= self._add(listed, branch)
        for keyword in ("anyOf", "oneOf"):
            branches = [one for one in node.get(keyword, ()) if one is not False]
            wanted = [self._add(listed, branch) for branch in branches]
            required |= set.intersection(*wanted) if wanted else set()
        for branch in (
            node.get("then"),
            node.get("else"),
            *node.get("dependentSchemas", {}).values(),
        ):
            self._add(listed, branch)
        return listed, required

    def _joined(self, node: JsonSchema) -> Iterable[Json]:
        """What holds beside the rest of a schema."""
        yield from node.get("allOf", ())
        reference = node.get("$ref")
        if reference is not None and reference not in self._seen:
            self._seen.add(reference)
            yield lookup(self._document, reference)

    def _add(self, listed: dict[str, list[Json]], branch: Json) -> set[str]:
        more, required = self.of(branch)
        for name, forms in more.items():
            listed.setdefault(name, []).extend(forms)
        return required


def _any(forms: list[Json]) -> Json:
    """A schema for what is in one of several."""
    apart = {json.dumps(form, sort_keys=True): form for form in forms if form is not False}
    return {"anyOf": list(apart.values())} if len(apart) > 1 else next(iter(apart.values()), False)


def _bring(form: dict[str, Any], document: JsonSchema) -> None:
    """Let references lead into `$defs` where what they name stands in the form no more."""
    pending: list[Json] = [form]
    seen: set[int] = set()
    names: dict[str, str] = {}
    free = (f"part{number}" for number in count(1))
    while pending:
        node = pending.pop()
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        pending += [inner for _, inner in subschemas(node)]
        if "$ref" not in node:
            continue
        if not _leads(form, node["$ref"]):
            definitions = form.setdefault("$defs", {})
            if node["$ref"] not in names:
                name = next(name for name in free if name not in definitions)
                names[node["$ref"]] = name
                definitions[name] = copy_json(lookup(document, node["$ref"]))
            node["$ref"] = f"#/$defs/{names[node['$ref']]}"
        pending.append(lookup(form, node["$ref"]))


def _leads(form: dict[str, Any], reference: str) -> bool:
    try:
        lookup(form, reference)
    except KeyError:
        return False
    return True
