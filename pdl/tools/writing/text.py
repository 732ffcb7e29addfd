"""Tools as a text that `ToolSet.parse` reads, whatever their schemas are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl.errors import SchemaError
from pdl.tools.writing.dicts import to_openai
from pdl.tools.writing.signatures import write as write_signatures

if TYPE_CHECKING:
    from pdl.tools.toolset import ToolSet


def write(tools: ToolSet) -> str:
    """Signatures, or a ```json fence with the dicts of OpenAI where the notation lacks words."""
    try:
        return write_signatures(tools.tools)
    except SchemaError:
        dicts = [to_openai(tool) for tool in tools.tools]
        return f"```json\n{json.dumps(dicts, ensure_ascii=False, indent=2)}\n```"
