"""Tools in the forms that providers take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.models.payloads.form import narrowed
from pdl.models.payloads.unheld import UnheldError

if TYPE_CHECKING:
    from pdl.models.payloads.subset import Subset
    from pdl.tools.tool import Tool


def function(tool: Tool) -> dict[str, Any]:
    """The name, the description if there is one, and the JSON Schema of the arguments."""
    words = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **words, "parameters": tool.schema.to_json_schema()}


def strict_function(tool: Tool, subset: Subset) -> dict[str, Any]:
    """The same, with `strict` where the subset holds all that the schema says, as it says it.

    Otherwise the schema goes as it is and only advises the model: the arguments are checked anyway.
    """
    try:
        form = narrowed(tool.schema.document, subset)
    except UnheldError:
        return {**function(tool), "strict": False}
    if form.dropped or form.undo is not None:
        return {**function(tool), "strict": False}
    return {**function(tool), "parameters": form.schema, "strict": True}
