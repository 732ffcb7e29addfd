"""Texts as values of inputs: of a command line, or of a table that has texts only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.decoding import JsonError, strict_json
from pdl.schema.keywords import lookup

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.prompt.inputs import Inputs
    from pdl.schema import Schema


def json_or_string(text: str) -> Json:
    """Return the JSON value of a text, or the text."""
    try:
        return strict_json(text)
    except JsonError:
        return text


def declared_value(inputs: Inputs, keys: tuple[str, ...], text: str) -> Json:
    """Return a text as a value of the type that is declared for a name and the keys below it.

    It is parsed as JSON if that fits, else the string. If neither fits, it is a string where only
    strings can be, so that the error is about it.
    """
    value = json_or_string(text)
    declared: list[Any] = [inputs.schema.document]
    for key in keys:
        declared = [inner for one in declared for inner in _subschemas(one, key, inputs.schema)]
    if not declared or isinstance(value, str):
        return value
    from pdl.reply import violations  # noqa: PLC0415 - no grammar needs the checker

    definitions = inputs.schema.document.get("$defs", {})
    schema = replace(inputs.schema, document={"anyOf": declared, "$defs": definitions})
    if not violations(schema, value):
        return value
    only_strings = all(isinstance(one, dict) and one.get("type") == "string" for one in declared)
    return text if only_strings or not violations(schema, text) else value


def _subschemas(declared: Any, key: str, schema: Schema) -> list[Any]:
    """The subschemas for a key, of all alternatives that have it."""
    if not isinstance(declared, dict):
        return []
    if "$ref" in declared:
        return _subschemas(lookup(schema.document, declared["$ref"]), key, schema)
    branches = [one for word in ("anyOf", "oneOf") for one in declared.get(word, ())]
    found = [inner for one in branches for inner in _subschemas(one, key, schema)]
    own = declared.get("properties", {}).get(key, declared.get("additionalProperties", False))
    return found if own is False else [*found, own]
