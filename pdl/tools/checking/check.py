"""`check`: from what a model said to the calls that it asks for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from pdl import reply as replies
from pdl.reply.prose.signs import exemplified, taken_back, unmeant
from pdl.reply.prose.visible import silent_spans
from pdl.reply.segments.spans import Spans
from pdl.tools.checking.alone import Lines, escaped_mark, lines_of, others, spoken_of
from pdl.tools.checking.find import Place, Search, Stub, holds_calls, rest
from pdl.tools.checking.judge import (
    CallError,
    CallsCheck,
    Judge,
    Judged,
    as_json,
    given_text,
    listed,
    shown,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply import Coercions, Dialects, Repair
    from pdl.reply.result import Span
    from pdl.tools.formats import Found, Shapes
    from pdl.tools.tool import Tool, ToolCall

Wanted: TypeAlias = Literal["one", "several", "any"]
"""How many calls a reply must hold: exactly one; one or more; any number, or none."""

MOST_CALLS = 1_000
"""Calls in one reply, right ones and wrong ones, at most."""
_BEHIND = 2_000  # characters behind a call in which it may be taken back
_LISTED = 10  # calls that an error lists
_LONG = "Your output is too long.\nGive a shorter answer so that all of it fits."
_AS_JSON = "Write the name and the arguments of each call as JSON."
_MANY = f"Your output contains more than {MOST_CALLS:,} tool calls.\nCall fewer tools at a time."


def check_calls(calls: Iterable[ToolCall], judge: Judge, wanted: Wanted) -> CallsCheck:
    """Calls that a provider gave, held against the tools."""
    found: list[ToolCall] = []
    errors: list[CallError] = []
    for call in calls:
        if len(found) + len(errors) >= MOST_CALLS:
            return CallsCheck(errors=(_too_many(),))
        text = given_text(call)
        if text is None:
            errors.append(_no_json(call.name))
            continue
        judged = judge.arguments(call.name, text, None, id_=call.id)
        found += [judged.call] if judged.call else []
        errors += [judged.error] if judged.error else []
    return _counted(CallsCheck(tuple(found), "", tuple(errors)), wanted)


def check(
    reply: str, shapes: Shapes, judge: Judge, wanted: Wanted, dialects: Dialects
) -> CallsCheck:
    """The calls in a reply, held against the tools. Never raises for a bad reply."""
    if len(reply) > judge.limits.reply_chars:
        message = f"the reply has more than {judge.limits.reply_chars:,} characters"
        return CallsCheck(text=reply, errors=(CallError("limit", _LONG, message),))
    search = Search(reply, shapes, judge.tools, judge.limits, dialects).run()
    if len(search.places) > judge.limits.reply_candidates:
        message = f"the reply has more than {judge.limits.reply_candidates:,} objects"
        return CallsCheck(text=reply, errors=(CallError("limit", _LONG, message),))
    if search.endless is not None:
        return CallsCheck(errors=(_endless(search.endless.span),))
    return _counted(_Checker(search, shapes, judge).run(), wanted)


@dataclass
class _Checker:
    search: Search
    shapes: Shapes
    judge: Judge
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[CallError] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)

    def run(self) -> CallsCheck:
        """Look at each place of the reply."""
        found: list[tuple[Place, list[Judged]]] = []
        number = len(self.search.stubs)
        for place in self.search.places:
            judged = list(self._judged(place)) if number <= MOST_CALLS else []
            if judged:
                found.append((place, judged))
                number += len(judged)
        if number > MOST_CALLS:
            return CallsCheck(text=self.search.reply, errors=(_too_many(),))
        spans = [place.outer for place, _ in found]
        lines = lines_of(self.search.reply, [*self.search.silent, *spans])
        for place, judged in found:
            for one in self._certain(place, judged, lines):
                self.calls += [one.call] if one.call else []
                self.errors += [one.error] if one.error else []
                self.repairs += one.repairs
        self.errors += map(_stub, self.search.stubs)
        text = rest(self.search, spans)
        return CallsCheck(tuple(self.calls), text, tuple(self.errors), tuple(self.repairs))

    def _judged(self, place: Place) -> Iterator[Judged]:
        """The calls at one place; none if it is data, or a part of a text."""
        raw = self.search.reply[slice(*place.span)]
        if place.name:
            yield self.judge.arguments(place.name, raw, place.span, written=True, id_=place.id)
            return
        tools = self.judge.tools
        value = value_of(raw, self.judge.limits) if place.closed else None
        if value is None:
            yield from self._broken(place, raw)
            return
        found = self.shapes.calls(value, tools, marked=place.marked)
        if place.marked and not found:
            yield Judged(None, _stub(Stub(place.span, cut=False)))
        for one in found:
            if one is None:
                yield Judged(None, _no_call(place.span))
            else:
                yield self._found(one, value, raw, place.span)

    def _broken(self, place: Place, raw: str) -> Iterator[Judged]:
        """What cannot be read, or never ends."""
        begun = self.shapes.begun(raw, self.judge.tools, marked=place.marked)
        if begun is not None:
            yield self.judge.whole(begun, raw, place.span, written=True)
        elif place.marked or (not place.closed and self.shapes.is_cut(raw, self.judge.tools)):
            yield Judged(None, _stub(Stub(place.span, cut=not place.closed)))

    def _found(self, found: Found, value: Json, raw: str, span: Span) -> Judged:
        arguments = found.value.get(found.shape.arguments_key)
        if found.shape.json_text and isinstance(arguments, str):
            return self.judge.arguments(found.name, arguments, span, id_=found.id)
        written = found.value is value
        text = raw if written else as_json(found.value)
        assert text is not None, "it was read from JSON"
        keys = found.name, found.shape
        return self.judge.whole(keys, text, span, written=written, id_=found.id)

    @cached_property
    def _silent(self) -> Spans:
        """Comments, and elements such as `<document>`, in which nothing is called."""
        return Spans(silent_spans(self.search.reply))

    def _certain(self, place: Place, judged: list[Judged], lines: Lines) -> list[Judged]:
        """The same, unless the reply speaks of a call rather than making it."""
        why = self._doubt(place, lines) if any(one.call for one in judged) else ""
        if not why:
            return judged
        return [Judged(None, _doubtful(one.call.name, why, place)) for one in judged if one.call]

    def _doubt(self, place: Place, lines: Lines) -> str:
        """Why a call may be none; empty if nothing says so."""
        fence, reply = place.fence, self.search.reply
        if fence is not None and not holds_calls(fence):
            return "is inside a code block"
        if place.nested:
            return "is inside an object that is not closed"
        if said := others(lines, place.outer):
            return said
        if place.marked:
            return spoken_of(reply, place.outer) or _beside(place, lines)
        return self._said_of(place) or _spoken_of(place, lines)

    def _said_of(self, place: Place) -> str:
        """What the words around a call say against it."""
        fence, reply = place.fence, self.search.reply
        outside = fence.span[0] if fence and fence.span[0] >= place.since else place.span[0]
        behind = reply[place.outer[1] : place.outer[1] + _BEHIND]
        if place.span[0] in self._silent:
            return "is in a comment, or in an element that makes no calls"
        if exemplified(reply, place.since, outside) or unmeant(reply, place.since, outside):
            return "is said to be an example, or another's words"
        return "is taken back by the words after it" if taken_back(behind) else ""


def _spoken_of(place: Place, lines: Lines) -> str:
    """Why a call without a mark may be none."""
    if escaped_mark(lines.text, place.span[0]):
        return "follows an escaped tool call marker"
    found = spoken_of(lines.text, place.outer) or _beside(place, lines)
    if found or lines.alone(place.span):
        return found
    return "is in a line with other text"


def _beside(place: Place, lines: Lines) -> str:
    """Whether something else is in the block that a call without a mark of its own stands in."""
    is_marked = place.outer[0] < place.span[0]
    if is_marked or place.fence is None or not place.fence.closed or lines.fills(place.fence):
        return ""
    return "is in a code block with other text"


def _doubtful(name: str, why: str, place: Place) -> CallError:
    told = f"It is unclear whether you want to call `{name}`: the call {why}."
    told += "\nTo call a tool, write the call alone. If you want no call, leave it out."
    return CallError("ambiguous", told, f"the call to `{name}` {why}", name, (), place.span)


def _stub(stub: Stub) -> CallError:
    if stub.cut:
        told = "Your output is cut off at the beginning of a tool call.\n"
        told += "Give a shorter answer so that all of it fits."
        return CallError(
            "truncated", told, "a tool call is cut off at its beginning", span=stub.span
        )
    if stub.name:
        told = f"The call to `{stub.name}` is not valid JSON.\n{_AS_JSON}"
        message = f"the call to `{stub.name}` is not valid JSON"
        return CallError("unparsable", told, message, stub.name, span=stub.span)
    told = f"Your output has a tool call marker without a valid call after it.\n{_AS_JSON}"
    return CallError(
        "unparsable", told, "a tool call marker has no valid call after it", span=stub.span
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


def _counted(found: CallsCheck, wanted: Wanted) -> CallsCheck:
    """The same, with an error if there are too few calls or too many."""
    if wanted not in get_args(Wanted):
        known = ", ".join(map(repr, get_args(Wanted)))
        raise ValueError(f"calls must be one of {known}, not {wanted!r}")
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


def judge_of(tools: Mapping[str, Tool], coercions: Coercions | None, limits: Limits) -> Judge:
    """What holds calls against tools."""
    return Judge(tools, replies.Coercions() if coercions is None else coercions, limits)
