"""Anthropic's `output_config.format` (guide "Structured outputs", section on limitations)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.form import Form, narrowed
from pdl.models.payloads.functions import plain_function, strict_function
from pdl.models.payloads.subset import Subset
from pdl.models.payloads.unheld import UnheldError
from pdl.schema.keywords import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.schema import Schema
    from pdl.tools.tool import Tool

ANTHROPIC = Subset(
    provider="Anthropic",
    keywords=frozenset({"minItems", "pattern"}),
    formats=frozenset(
        {
            *("date", "date-time", "time", "duration"),
            *("email", "hostname", "ipv4", "ipv6", "uri", "uuid"),
        }
    ),
    recursion="none",
    most_min_items=1,
    simple_patterns=True,
)

_MOST_TOOLS = 20
_MOST_OPTIONAL = 24
_MOST_UNIONS = 16


def anthropic_form(schema: Schema) -> Form:
    """A schema as Anthropic takes it. Raises UnheldError for one that has no such form."""
    form = narrowed(schema.document, ANTHROPIC)
    optional, unions = _weight([form.schema])
    for count, most, what in (
        (optional, _MOST_OPTIONAL, "keys that may be absent"),
        (unions, _MOST_UNIONS, "unions"),
    ):
        if count > most:
            raise UnheldError((), "", f"it has {count} {what}, and Anthropic takes {most}")
    return form


def anthropic_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Tools as Anthropic takes them; with `strict` unless they are too many or too large for it."""
    found = [strict_function(tool, ANTHROPIC) for tool in tools]
    strict = [one for one in found if one["strict"]]
    optional, unions = _weight(one["parameters"] for one in strict)
    if len(strict) > _MOST_TOOLS or optional > _MOST_OPTIONAL or unions > _MOST_UNIONS:
        found = [{**plain_function(tool), "strict": False} for tool in tools]
    return list(map(_tool, found))


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    renamed = {"input_schema": function["parameters"], "strict": True}
    left_out = {"parameters"} if function["strict"] else {"parameters", "strict"}
    return {key: one for key, one in {**function, **renamed}.items() if key not in left_out}


def _weight(schemas: Iterable[dict[str, Any]]) -> tuple[int, int]:
    """How many keys may be absent, and how many parts are unions."""
    optional = unions = 0
    pending = list(schemas)
    while pending:
        node = pending.pop()
        optional += len(node.get("properties", ())) - len(node.get("required", ()))
        unions += "anyOf" in node
        pending += [inner for _, inner in subschemas(node) if isinstance(inner, dict)]
    return optional, unions
