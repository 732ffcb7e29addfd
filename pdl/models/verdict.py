"""The verdict on a reply: an answer, tool calls, or feedback to the model.

Also how a conversation continues after a reply, and a reply's text without its reasoning
(`spoken`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.prompt.messages import Message, Part, Text
from pdl.reply import Check, Coercions, Violation, check, violations
from pdl.reply.checker import check_json
from pdl.reply.query import is_quoted, string_of
from pdl.tools.tool import ToolResult

if TYPE_CHECKING:
    from pdl.models.exchange import Flaw, Reply
    from pdl.models.options import AskOptions
    from pdl.models.request import Request
    from pdl.reply import Dialects
    from pdl.schema import Schema
    from pdl.tools.tool import ToolCall
    from pdl.tools.toolset import ToolSet
    from pdl.tools.validate_calls import CallsCheck


_MOST = 50_000  # characters of an invalid reply that go back to the model


def spoken(text: str, dialects: Dialects) -> str:
    """Return the text without its reasoning, and without white space around it."""
    segments = check(None, text, dialects=dialects).segments
    kept = [text[slice(*part.span)] for part in segments if part.kind in {"text", "fence"}]
    return "".join(kept).strip()


def shortened(text: str) -> str:
    """Return a very long text without its middle."""
    if len(text) <= _MOST:
        return text
    half = _MOST // 2
    return f"{text[:half]}\n[…]\n{text[-half:]}"


def is_preamble(text: str, dialects: Dialects) -> bool:
    """Return whether a text says nothing itself, so that the answer follows: an open fence."""
    segments = check(None, text, dialects=dialects).segments
    return all(
        part.kind in {"reasoning", "token"} or not text[slice(*part.body)].strip()
        for part in segments
    )


def with_complaint(
    messages: tuple[Message, ...], reply: Reply, complaint: str, dialects: Dialects
) -> tuple[Message, ...]:
    """Return the messages, the reply without its reasoning, and what is wrong with it.

    Each tool call gets a failed result that says so. An empty reply can't be sent (providers reject
    empty messages), so the complaint then goes to the end of the last message.
    """
    said = assistant(shortened(spoken(reply.text, dialects)), _known(reply.calls))
    before = _without_prefill(messages)
    if said.parts:
        results = [ToolResult(call, complaint, failed=True) for call in _known(reply.calls)]
        told: tuple[Part, ...] = tuple(results) or (Text(complaint),)
        return (*before, said, Message("user", told))
    if before and before[-1].role == "user":
        last = before[-1]
        return (*before[:-1], Message("user", (*last.parts, Text(f"\n\n{complaint}"))))
    return (*before, Message("user", (Text(complaint),)))


def with_reply(
    messages: tuple[Message, ...], reply: Reply, calls: tuple[ToolCall, ...], dialects: Dialects
) -> tuple[Message, ...]:
    """Return the messages and a good reply: a conversation that can continue."""
    said = assistant(spoken(reply.text, dialects), calls if reply.calls else ())
    return (*_without_prefill(messages), said)


def assistant(text: str, calls: tuple[ToolCall, ...]) -> Message:
    """Return the message of what a model said, and of the tool calls that it requests."""
    return Message("assistant", (*((Text(text),) if text else ()), *calls))


def _known(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    return tuple(call for call in calls if call.name)


def _without_prefill(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages without a last one that began the reply, which is now part of the reply."""
    return messages[:-1] if messages and messages[-1].role == "assistant" else messages


_WRONG = "Your output is not a valid answer."
_CUT = {
    "length": (
        "is cut off by its length limit, `max_tokens`",
        """Your output was cut off by its length limit (`max_tokens`).
Give a shorter answer so that all of it fits.""",
    ),
    "filter": (
        "is cut off by a filter of the provider",
        """Your output was cut off by a content filter.
Give the whole answer in other words.""",
    ),
    "thoughts": (
        "is empty: its reasoning used up its length limit, `max_tokens`",
        """Your output is empty: your reasoning used up its length limit (`max_tokens`).
Reason more briefly, then give the whole answer.""",
    ),
    "unfinished": (
        "stopped before its end",
        """Your output stopped before its end.
Give the whole answer again.""",
    ),
}
"""How an incomplete reply ended: the message for a person, and the feedback to the model."""
_ALL = 0.9  # the part of the output that is reasoning where it left no room
_UNREAD = "Call only the declared tools, each with one JSON object of arguments."


@dataclass(frozen=True)
class Verdict:
    """The result of a reply; `complaint` is empty if it is an answer, or has `calls`.

    `told` is the complaint for a person, if the wording differs.
    """

    check: Check | None = None
    calls: tuple[ToolCall, ...] = ()
    complaint: str = ""
    told: str = ""


def judge(request: Request, reply: Reply, options: AskOptions) -> Verdict:
    """Return the verdict on a whole reply."""
    if reply.flaw is not None and reply.flaw.kind == "call":
        return _of_bad_call(request.tools, reply, reply.flaw, options)
    if request.tools is not None:
        verdict_on_calls = _of_calls(request.tools, reply, options)
        if verdict_on_calls is not None:
            return verdict_on_calls
    verdict = check_json(
        request.schema,
        reply.text,
        coercions=Coercions() if options.coercions is None else options.coercions,
        dialects=options.dialects,
        limits=options.limits,
    )
    if request.constrain and not request.describe:
        verdict = _unquoted(verdict, request.schema)
    cut = _cut(reply, options)
    if cut is not None:
        verdict = _of_cut(verdict, reply, cut)
    if request.schema is not None and request.schema.python_type is not None:
        from pdl.reply.typed import typed  # noqa: PLC0415 - not for JSON

        verdict = typed(verdict, request.schema, reply.text)
    return verdict_of(verdict)


def verdict_of(check: Check) -> Verdict:
    """Return the verdict of a check: an answer, or feedback."""
    return Verdict(check, complaint="" if check.ok else check.feedback or _WRONG)


def _unquoted(verdict: Check, schema: Schema | None) -> Check:
    """The string without its quotes, if the model was constrained to write it as JSON.

    An unconstrained string is the text itself, with its quotes.
    """
    if schema is None or not is_quoted(schema) or not verdict.ok:
        return verdict
    assert isinstance(verdict.value, str)
    value = string_of(verdict.value)
    if value is None or violations(schema, value):
        return verdict
    return replace(verdict, value=value)


def _of_calls(tools: ToolSet, reply: Reply, options: AskOptions) -> Verdict | None:
    """The verdict on a reply that calls tools, validly or not; None if it calls none."""
    found = (
        tools.check_calls(reply.calls, coercions=options.coercions, limits=options.limits)
        if reply.calls
        else tools.check(
            reply.text,
            coercions=options.coercions,
            dialects=options.dialects,
            limits=options.limits,
        )
    )
    if not found.ok:
        return Verdict(complaint=found.feedback or _WRONG, told=_in_short(found))
    cut = _cut(reply, options)
    if found.calls and cut is not None:  # there may have been more of them
        return _of_cut_calls(cut)
    return Verdict(calls=found.calls) if found.calls else None


def _in_short(found: CallsCheck) -> str:
    first, *others = found.errors
    return f"{first.message}{f' (and {len(others)} more)' if others else ''}"


def _of_cut_calls(cut: str) -> Verdict:
    message, told = _CUT[cut]
    return Verdict(complaint=told, told=f"truncated: the reply {message}")


def _of_bad_call(tools: ToolSet | None, reply: Reply, flaw: Flaw, options: AskOptions) -> Verdict:
    """The verdict on a reply whose provider couldn't parse a call, or rejected it.

    The text of a rejected call may be one that can be parsed here.
    """
    cut = _cut(reply, options)
    if cut is not None:
        return _of_cut_calls(cut)
    found = _of_calls(tools, reply, options) if tools is not None else None
    if found is not None and (found.complaint or not reply.calls):
        return found
    advice = "There are no tools. Give the answer." if tools is None else _UNREAD
    return Verdict(complaint=f"A tool call is invalid: {flaw.words}\n{advice}")


def judge_stopped(request: Request, reply: Reply, errors: tuple[Violation, ...]) -> Verdict:
    """Return the verdict on a reply that was stopped because of certain errors."""
    from pdl.reply.feedback import feedback  # noqa: PLC0415 - most replies are right

    wrong = Check(reason="wrong-schema", errors=errors, span=(0, len(reply.text)), reply=reply.text)
    told = feedback(request.schema, wrong)
    wrong = _summarized(replace(wrong, feedback=told))
    return Verdict(wrong, complaint=told)


def filtered(reply: Reply, dialects: Dialects) -> bool:
    """Return whether a filter removed the whole reply."""
    return reply.finish == "filter" and not reply.calls and not spoken(reply.text, dialects)


def used_up(reply: Reply, dialects: Dialects) -> bool:
    """Return whether the reasoning used up the output tokens, so that nothing was said."""
    if reply.finish != "length" or reply.calls or spoken(reply.text, dialects):
        return False
    thoughts, written = reply.usage.reasoning_tokens, reply.usage.output_tokens
    if thoughts and written:
        return thoughts >= _ALL * written
    return bool(reply.reasoning.strip() or reply.text.strip())


def _cut(reply: Reply, options: AskOptions) -> str | None:
    """How a reply is incomplete according to its provider; None if it isn't."""
    if used_up(reply, options.dialects):
        return "thoughts"
    if reply.finish in _CUT:
        return reply.finish
    return "unfinished" if reply.flaw is not None and reply.flaw.kind == "unfinished" else None


def _of_cut(verdict: Check, reply: Reply, cut: str) -> Check:
    """The check of a reply that its provider cut off.

    Only brackets show that an answer is whole: a text, a number or lines might have continued.
    """
    if verdict.ok and _is_whole(verdict, reply.text):
        return verdict
    message, told = _CUT[cut]
    if cut == "unfinished" and reply.flaw is not None:
        message = f"{message}: {reply.flaw.words}"
    if verdict.reason == "truncated" and cut != "thoughts":  # the check says where
        where = verdict.feedback.partition("\n")[0]
        told = f"{where}\n{told}"
        return replace(verdict, summary=f"{verdict.summary}; it {message}", feedback=told)
    violation = Violation((), message, "truncated")
    wrong = replace(verdict, value=None, reason="truncated", errors=(violation,), feedback=told)
    return _summarized(wrong)


def _summarized(wrong: Check) -> Check:
    """The check with a summary that does not say where its answer is."""
    from pdl.reply.feedback import summary  # noqa: PLC0415 - most replies are right

    return replace(wrong, summary=summary(replace(wrong, span=None)))


def _is_whole(verdict: Check, text: str) -> bool:
    if verdict.span is None or not isinstance(verdict.value, dict | list):
        return False
    try:
        return isinstance(json.loads(text[slice(*verdict.span)]), dict | list)
    except (ValueError, RecursionError):
        return False
