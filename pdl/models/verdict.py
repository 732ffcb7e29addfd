"""The verdict on a reply: an answer, calls of tools, or what is to be said to the model."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.reply import Check, Coercions, Violation, check, violations
from pdl.reply.feedback import feedback, summary
from pdl.reply.forms import is_quoted
from pdl.reply.spelled import string_of

if TYPE_CHECKING:
    from pdl.models.exchange import Reply, Request
    from pdl.models.terms import Terms
    from pdl.schema import Schema
    from pdl.tools.calls import ToolCall
    from pdl.tools.toolset import ToolSet

_WRONG = "Your output is wrong."
_STOPPED = "I stopped reading there. Give the whole answer again, with this mended."
_CUT = {
    "length": (
        "is cut off by the limit of its length",
        """Your output was cut off by the limit of its length.
Answer more shortly, so that the whole answer fits.""",
    ),
    "filter": (
        "is cut off by a filter of the provider",
        """Your output was cut off by a content filter.
Give the whole answer in other words.""",
    ),
}


@dataclass(frozen=True)
class Verdict:
    """What a reply came to; `complaint` is empty if it is an answer, or `calls` are."""

    check: Check | None = None
    calls: tuple[ToolCall, ...] = ()
    complaint: str = ""


def judge(request: Request, reply: Reply, terms: Terms) -> Verdict:
    """The verdict on a whole reply."""
    if request.tools is not None:
        verdict_on_calls = _of_calls(request.tools, reply, terms)
        if verdict_on_calls is not None:
            return verdict_on_calls
    verdict = check(
        request.schema,
        reply.text,
        coercions=Coercions() if terms.coercions is None else terms.coercions,
        dialects=terms.dialects,
        limits=terms.limits,
    )
    if request.constrain:
        verdict = _unquoted(verdict, request.schema)
    if reply.finish in _CUT:
        verdict = _of_cut(verdict, reply)
    return Verdict(verdict, complaint="" if verdict.ok else verdict.feedback or _WRONG)


def _unquoted(verdict: Check, schema: Schema | None) -> Check:
    """The string without its quotes, where the model was held to write it as JSON.

    A free string that nobody was held to is the text itself, with its quotes.
    """
    if schema is None or not is_quoted(schema) or not verdict.ok:
        return verdict
    assert isinstance(verdict.value, str)
    value = string_of(verdict.value)
    if value is None or violations(schema, value):
        return verdict
    return replace(verdict, value=value)


def _of_calls(tools: ToolSet, reply: Reply, terms: Terms) -> Verdict | None:
    """The verdict on a reply that calls tools, rightly or wrongly; None if it calls none."""
    found = (
        tools.check_calls(reply.calls, coercions=terms.coercions, limits=terms.limits)
        if reply.calls
        else tools.check(
            reply.text, coercions=terms.coercions, dialects=terms.dialects, limits=terms.limits
        )
    )
    if not found.ok:
        return Verdict(complaint=found.feedback or _WRONG)
    if found.calls and reply.finish in _CUT:  # there may have been more of them
        return Verdict(complaint=_CUT[reply.finish][1])
    return Verdict(calls=found.calls) if found.calls else None


def judge_stopped(request: Request, reply: Reply, errors: tuple[Violation, ...]) -> Verdict:
    """The verdict on a reply that was stopped because of errors that are certain."""
    wrong = Check(reason="wrong-schema", errors=errors, span=(0, len(reply.text)))
    told = feedback(request.schema, wrong)
    wrong = replace(wrong, feedback=told, summary=summary(replace(wrong, span=None)))
    return Verdict(wrong, complaint=f"{told}\n{_STOPPED}")


def _of_cut(verdict: Check, reply: Reply) -> Check:
    """The check of a reply that its provider cut off.

    Only brackets tell that an answer is whole: of a text, a number or lines more may have come.
    """
    if verdict.reason == "truncated" or (verdict.ok and _is_whole(verdict, reply.text)):
        return verdict
    message, told = _CUT[reply.finish]
    violation = Violation((), "truncated", "", "", message)
    cut = replace(verdict, value=None, reason="truncated", errors=(violation,), feedback=told)
    return replace(cut, summary=summary(replace(cut, span=None)))


def _is_whole(verdict: Check, text: str) -> bool:
    if verdict.span is None or not isinstance(verdict.value, dict | list):
        return False
    try:
        return isinstance(json.loads(text[slice(*verdict.span)]), dict | list)
    except (ValueError, RecursionError):
        return False
