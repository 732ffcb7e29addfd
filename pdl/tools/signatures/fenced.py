"""Tools in a ```json fence: the list of dicts that a provider takes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import PdlError, Problem, error_from
from pdl.schema.embedded import NO_FENCE
from pdl.schema.json_schema.load import load
from pdl.source import Source
from pdl.tools.names import name_problems
from pdl.tools.writing.dicts import read as read_dicts

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.tools.tool import Tool

FENCES = ("```", "~~~")
_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n`]*)(?:\r\n?|\n|$)")


def read(source: Source, start: int, limits: Limits) -> tuple[Tool, ...]:
    """A fence by the rules of GFM (section 4.5) that holds a JSON array of tools, and no more.

    Raises ToolError, SchemaError and LimitError; what is wrong with a tool is told at the fence.
    """
    fence = _FENCE.match(source.text, start)
    if fence is None:
        message, hint = NO_FENCE
        raise error_from([Problem("tool/bad-fence", message, source.span(start), hint)])
    span = source.span(fence.start("mark"), fence.end("mark"))
    if fence["info"].strip().lower() not in ("", "json"):
        message = f"a fence of tools holds JSON, not `{fence['info'].strip()[:40]}`"
        raise error_from([Problem("tool/bad-fence", message, span, "write ```json")])
    mark = fence["mark"]
    closer = re.compile(rf"^[ \t]*{mark[0]}{{{len(mark)},}}[ \t]*\r?$", re.MULTILINE)
    end = closer.search(source.text, fence.end())
    if end is None:
        raise error_from([Problem("tool/bad-fence", "this fence is never closed", span)])
    behind = source.text[end.end() :]
    if behind.strip():
        place = source.span(end.end() + len(behind) - len(behind.lstrip()))
        raise error_from([Problem("tool/bad-fence", "text stands behind the fence", place)])
    inside = Source(source.text[: end.start()], source.name, source.anchors)
    listed = load(inside, limits, fence.end())
    try:
        tools = read_dicts(listed)
    except PdlError as error:
        placed = (replace(one, span=one.span or span) for one in error.problems)
        raise error_from(placed) from error
    problems = list(name_problems((tool.name, span) for tool in tools))
    if problems:
        raise error_from(problems)
    return tools
