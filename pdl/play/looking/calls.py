"""The tools of a prompt as providers take them, and the calls in a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.errors import PdlError
from pdl.play.looking.bounds import MOST_LISTED, PAGE_LIMITS
from pdl.play.looking.offsets import Offsets
from pdl.tools import ToolSet

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.play.looking.subject import Filled, Subject
    from pdl.tools.validate_calls import CallError, CallsCheck


def tools(subject: Subject) -> Json:
    """Return the tools, and the calls of the reply; null for a prompt without tools."""
    known = subject.filled.rendered.tools
    if known is None:
        return None
    views = subject.filled.views
    key = ("tools' own",)
    if key not in views:
        views[key] = _described(subject.filled, known)
    own: Any = views[key]
    calls: dict[str, Json] = {"calls": [], "feedback": "", "more": 0}
    if subject.reply is not None:
        coercions = subject.options.coercions
        found = known.check(subject.reply, coercions=coercions, limits=PAGE_LIMITS)
        calls = _calls(found, Offsets(subject.reply))
    return {**own, **calls}


def _described(filled: Filled, known: ToolSet) -> Json:
    listed = [
        {
            "name": one.name,
            "notation": _notation(ToolSet((one,))),
            "description": one.description,
            "json_schema": one.schema.to_json_schema(),
        }
        for one in known.tools
    ]
    return {"tools": listed, "formats": {**_formats(filled), "mcp": known.to_mcp()}}


def _notation(alone: ToolSet) -> str:
    """A tool as its turn has it, or its dict where signatures can't say it all."""
    try:
        return alone.to_dsl()
    except PdlError:
        return alone.to_text()


def _formats(filled: Filled) -> dict[str, Json]:
    """The tools as each family takes them natively."""
    from pdl.models.payloads import FAMILIES  # noqa: PLC0415 - slow to load
    from pdl.models.request import Request  # noqa: PLC0415

    request = Request.of(filled.rendered)
    found: dict[str, Json] = {}
    for family in FAMILIES:
        try:
            body = request.body(family)
        except PdlError:  # of which the requests tell
            continue
        if "tools" in body:
            found[family] = body["tools"]
    return found


def _calls(found: CallsCheck, at: Offsets) -> dict[str, Json]:
    """The valid calls, then the others with their errors."""
    valid: list[Json] = [
        {
            "name": one.name,
            "arguments": dict(one.arguments),
            "ok": True,
            "errors": [],
            "span": None,
        }
        for one in found.calls
    ]
    listed = [*valid, *(_error(one, at) for one in found.errors)]
    more = max(len(listed) - MOST_LISTED, 0)
    return {"calls": listed[:MOST_LISTED], "feedback": found.feedback, "more": more}


def _error(one: CallError, at: Offsets) -> Json:
    errors: list[Json] = [
        {"path": format_path(each.path), "message": each.message, "keyword": each.keyword}
        for each in one.violations
    ]
    told: Json = {"path": "$", "message": one.message, "keyword": one.reason}
    return {
        "name": one.tool,
        "arguments": None,
        "ok": False,
        "errors": errors or [told],
        "span": at.span(one.span),
    }
