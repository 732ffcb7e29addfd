"""`check`: from a reply to the tool calls that it makes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.reply.prose.signs import Lead, taken_back
from pdl.reply.prose.visible import silent_spans
from pdl.reply.segments.spans import Spans
from pdl.tools.bare_calls import Lines, attributed_to_others, escaped_marker, mentioned
from pdl.tools.locate_calls import CallCandidate, CallLocator, UnreadableCall, holds_calls, rest
from pdl.tools.tool import check_number
from pdl.tools.validate_calls import (
    CallError,
    CallsCheck,
    CallValidator,
    Validated,
    as_json,
    given_text,
    listed,
    shown,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json
    from pdl.reply import Dialects, Repair
    from pdl.reply.result import Span
    from pdl.tools.formats import CallObject, CallPatterns
    from pdl.tools.tool import Calls, ToolCall

MOST_CALLS = 1_000
"""The most calls in one reply, valid and invalid."""
_AFTER = 2_000  # characters after a call in which it can be taken back
_LISTED = 10  # calls that an error lists
_LONG = "Your output is too long.\nGive a shorter answer so that all of it fits."
_AS_JSON = "Write the name and the arguments of each call as JSON."
_MANY = f"Your output contains more than {MOST_CALLS:,} tool calls.\nCall fewer tools at a time."


def check_calls(calls: Iterable[ToolCall], validator: CallValidator, wanted: Calls) -> CallsCheck:
    """Check calls that a provider returned against the tools."""
    found: list[ToolCall] = []
    errors: list[CallError] = []
    for call in calls:
        if len(found) + len(errors) >= MOST_CALLS:
            return CallsCheck(errors=(_too_many(),))
        text = given_text(call)
        if text is None:
            errors.append(_no_json(call.name))
            continue
        validated = validator.check(call.name, text, None, id_=call.id)
        found += [validated.call] if validated.call else []
        errors += [validated.error] if validated.error else []
    return _counted(CallsCheck(tuple(found), "", tuple(errors)), wanted)


def check(
    reply: str, patterns: CallPatterns, validator: CallValidator, wanted: Calls, dialects: Dialects
) -> CallsCheck:
    """Check the calls in a reply against the tools. Never raises for a bad reply."""
    if len(reply) > validator.limits.reply_chars:
        message = f"the reply has more than {validator.limits.reply_chars:,} characters"
        return CallsCheck(text=reply, errors=(CallError("limit", _LONG, message),))
    search = CallLocator(reply, patterns, validator.tools, validator.limits, dialects).run()
    if len(search.candidates) > validator.limits.reply_candidates:
        message = f"the reply has more than {validator.limits.reply_candidates:,} objects"
        return CallsCheck(text=reply, errors=(CallError("limit", _LONG, message),))
    if search.endless is not None:
        return CallsCheck(errors=(_endless(search.endless.span),))
    return _counted(_Checker(search, validator).run(), wanted)


@dataclass
class _Checker:
    search: CallLocator
    validator: CallValidator
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[CallError] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)

    def run(self) -> CallsCheck:
        """Check each candidate of the reply."""
        found: list[tuple[CallCandidate, list[Validated]]] = []
        number = len(self.search.unreadable)
        for candidate in self.search.candidates:
            validated = list(self._validated(candidate)) if number <= MOST_CALLS else []
            if validated:
                found.append((candidate, validated))
                number += len(validated)
        if number > MOST_CALLS:
            return CallsCheck(text=self.search.reply, errors=(_too_many(),))
        spans = [candidate.outer for candidate, _ in found]
        lines = Lines(self.search.reply, [*self.search.silent, *spans])
        for candidate, validated in found:
            for one in self._certain(candidate, validated, lines):
                self.calls += [one.call] if one.call else []
                self.errors += [one.error] if one.error else []
                self.repairs += one.repairs
        self.errors += map(_unreadable, self.search.unreadable)
        text = rest(self.search, spans)
        return CallsCheck(tuple(self.calls), text, tuple(self.errors), tuple(self.repairs))

    def _validated(self, candidate: CallCandidate) -> Iterator[Validated]:
        """The calls of one candidate; none if it is data, or part of a text."""
        raw = self.search.reply[slice(*candidate.span)]
        if candidate.name:
            yield self.validator.check(
                candidate.name, raw, candidate.span, written=True, id_=candidate.id
            )
            return
        value = value_of(raw, self.validator.limits) if candidate.closed else None
        if value is None:
            yield from self._broken(candidate, raw)
            return
        found = self.search.patterns.calls(value, self.validator.tools, marked=candidate.marked)
        if candidate.marked and not found:
            yield Validated(error=_unreadable(UnreadableCall(candidate.span, cut=False)))
        for one in found:
            if one is None:
                yield Validated(error=_no_call(candidate.span))
            else:
                yield self._found(one, value, raw, candidate.span)

    def _broken(self, candidate: CallCandidate, raw: str) -> Iterator[Validated]:
        """A candidate that is unreadable or not closed."""
        patterns, tools = self.search.patterns, self.validator.tools
        begun = patterns.begun(raw, tools, marked=candidate.marked)
        listed = self.validator.unreadable_list(raw, candidate.span) if begun else None
        if listed is not None:
            yield Validated(error=listed)
        elif begun is not None:
            name, form = begun
            yield self.validator.check(name, raw, candidate.span, form=form, written=True)
        elif candidate.marked or (not candidate.closed and patterns.is_cut(raw, tools)):
            unreadable = UnreadableCall(candidate.span, cut=not candidate.closed)
            yield Validated(error=_unreadable(unreadable))

    def _found(self, found: CallObject, value: Json, raw: str, span: Span) -> Validated:
        arguments = found.value.get(found.form.arguments_key)
        if found.form.json_text and isinstance(arguments, str):
            return self.validator.check(found.name, arguments, span, id_=found.id)
        written = found.value is value
        text = raw if written else as_json(found.value)
        assert text is not None, "it was read from JSON"
        return self.validator.check(
            found.name, text, span, form=found.form, written=written, id_=found.id
        )

    @cached_property
    def _silent(self) -> Spans:
        """Comments, and elements such as `<document>`, in which no call is made."""
        return Spans(silent_spans(self.search.reply))

    def _certain(
        self, candidate: CallCandidate, validated: list[Validated], lines: Lines
    ) -> list[Validated]:
        """The same, unless the reply mentions a call rather than making it."""
        why = self._doubt(candidate, lines) if any(one.call for one in validated) else ""
        if not why:
            return validated
        return [
            Validated(error=_doubtful(one.call.name, why, candidate))
            for one in validated
            if one.call
        ]

    def _doubt(self, candidate: CallCandidate, lines: Lines) -> str:
        """Why it is unclear that a call is made; empty if it is clear."""
        fence, reply = candidate.fence, self.search.reply
        if fence is not None and not holds_calls(fence):
            return "is inside a code block"
        if candidate.nested:
            return "is inside an object that is not closed"
        if said := attributed_to_others(lines, candidate.outer):
            return said
        if candidate.marked:
            return mentioned(reply, candidate.outer) or _beside(candidate, lines)
        return self._against(candidate) or _mentioned(candidate, lines)

    def _against(self, candidate: CallCandidate) -> str:
        """Why the words around a call speak against it; empty if they don't."""
        fence, reply = candidate.fence, self.search.reply
        outside = fence.span[0] if fence and fence.span[0] >= candidate.since else candidate.span[0]
        after = reply[candidate.outer[1] : candidate.outer[1] + _AFTER]
        if candidate.span[0] in self._silent:
            return "is in a comment, or in an element that makes no calls"
        lead = Lead(reply, candidate.since, outside)
        if lead.exemplifies() or lead.disowns():
            return "is said to be an example, or another's words"
        return "is taken back by the words after it" if taken_back(after) else ""


def _mentioned(candidate: CallCandidate, lines: Lines) -> str:
    """Why it is unclear that a call without a marker is made."""
    if escaped_marker(lines.text, candidate.span[0]):
        return "follows an escaped tool call marker"
    found = mentioned(lines.text, candidate.outer) or _beside(candidate, lines)
    if found or lines.alone(candidate.span):
        return found
    return "is in a line with other text"


def _beside(candidate: CallCandidate, lines: Lines) -> str:
    """Why the code block of a call without its own marker speaks against it."""
    is_marked = candidate.outer[0] < candidate.span[0]
    if (
        is_marked
        or candidate.fence is None
        or not candidate.fence.closed
        or lines.fills(candidate.fence)
    ):
        return ""
    return "is in a code block with other text"


def _doubtful(name: str, why: str, candidate: CallCandidate) -> CallError:
    told = f"It is unclear whether you want to call `{name}`: the call {why}."
    told += "\nTo call a tool, write the call alone. If you want no call, leave it out."
    return CallError("ambiguous", told, f"the call to `{name}` {why}", name, (), candidate.span)


def _unreadable(unreadable: UnreadableCall) -> CallError:
    if unreadable.cut:
        told = "Your output is cut off at the beginning of a tool call.\n"
        told += "Give a shorter answer so that all of it fits."
        return CallError(
            "truncated", told, "a tool call is cut off at its beginning", span=unreadable.span
        )
    if unreadable.name:
        told = f"The call to `{unreadable.name}` is not valid JSON.\n{_AS_JSON}"
        message = f"the call to `{unreadable.name}` is not valid JSON"
        return CallError("unparsable", told, message, unreadable.name, span=unreadable.span)
    told = f"Your output has a tool call marker without a valid call after it.\n{_AS_JSON}"
    return CallError(
        "unparsable", told, "a tool call marker has no valid call after it", span=unreadable.span
    )


def _no_call(span: Span) -> CallError:
    told = "An item in your list of tool calls is not a call.\n"
    told += "Give each call its name and its arguments."
    return CallError("unparsable", told, "an item in a list of tool calls is not a call", span=span)


def _endless(span: Span) -> CallError:
    told = (
        "Your output ends inside your reasoning.\nReason more briefly so that the tool calls fit."
    )
    return CallError("truncated", told, "the reasoning is not closed", span=span)


def _no_json(name: str) -> CallError:
    told = (
        f"The arguments of `{shown(name)}` are not a JSON object.\nWrite them as one JSON object."
    )
    message = f"the arguments of `{shown(name)}` are not a JSON object"
    return CallError("unparsable", told, message, shown(name))


def _too_many() -> CallError:
    return CallError("limit", _MANY, f"the reply contains more than {MOST_CALLS:,} tool calls")


def _same_id(id_: str) -> CallError:
    told = f"Two of your tool calls have the ID `{shown(id_)}`.\nGive each call a different ID."
    return CallError("ambiguous", told, f"two tool calls have the ID `{shown(id_)}`")


def _counted(found: CallsCheck, wanted: Calls) -> CallsCheck:
    """The same, with an error for too few or too many calls."""
    check_number(wanted)
    twice = [one for one, number in Counter(call.id for call in found.calls).items() if number > 1]
    errors = (*found.errors, *(_same_id(one) for one in twice if one))
    found = replace(found, errors=errors)
    if found.errors or wanted == "any":
        return found
    number = len(found.calls)
    if not number:
        told = "Your output contains no tool call.\nCall a tool."
        error = CallError("absent", told, "the reply contains no tool call")
    elif number > 1 and wanted == "one":
        names = listed([call.name for call in found.calls], _LISTED)
        told = f"Your output contains {number} tool calls: {names}.\nCall only one tool."
        error = CallError(
            "ambiguous", told, f"the reply contains {number} tool calls, but only one is allowed"
        )
    else:
        return found
    return CallsCheck((), found.text, (error,), found.repairs)
