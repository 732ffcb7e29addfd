"""Whether a call is right: its tool is there, and its arguments fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl import reply as replies
from pdl.errors import nearest
from pdl.reply.segments.spans import shifted
from pdl.schema import Schema
from pdl.tools.calls import ToolCall
from pdl.tools.checking.outcome import CallError
from pdl.tools.checking.texts import listed, shown
from pdl.tools.schemata import Collected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply import Check, Coercions, Repair
    from pdl.reply.result import Span
    from pdl.tools.checking.outcome import Reason
    from pdl.tools.checking.shapes import Shape
    from pdl.tools.tool import Tool

_LISTED = 40  # names of tools that a feedback lists


class Judged(NamedTuple):
    """A call that is right, or what is wrong with it."""

    call: ToolCall | None
    error: CallError | None
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class Judge:
    """Holds calls against tools."""

    tools: Mapping[str, Tool]
    coercions: Coercions
    limits: Limits

    def unknown(self, name: str, span: Span | None) -> CallError | None:
        """That there is no tool of a name; None if there is one."""
        if name in self.tools:
            return None
        told = shown(name)
        near = nearest(name, self.tools)
        says = f"There is no tool `{told}`."
        advice = f" Did you mean `{near}`?" if near else ""
        known = f" The tools are: {listed(list(self.tools), _LISTED)}."
        message = f"there is no tool `{told}`{f'; did you mean `{near}`?' if near else ''}"
        return CallError("unknown-tool", says + advice + known, message, told, (), span)

    def whole(
        self, found: tuple[str, Shape], text: str, span: Span, *, written: bool, id_: str = ""
    ) -> Judged:
        """A call as the text of its object, which is `written` so in the reply, at that span."""
        name, shape = found
        missing = self.unknown(name, span)
        if missing is not None:
            return Judged(None, missing)
        check = self._check(_wrapper(name, self.tools[name].schema, shape), text)
        if not check.ok:
            return Judged(None, self._error(name, check, span, written=written))
        arguments = check.value[shape.arguments_key]
        repairs = _moved(check.repairs, span[0]) if written else ()
        return Judged(ToolCall(name, arguments, id_), None, repairs)

    def arguments(
        self, name: str, text: str, span: Span | None, *, written: bool = False, id_: str = ""
    ) -> Judged:
        """A call as its name and the text of its arguments."""
        missing = self.unknown(name, span)
        if missing is not None:
            return Judged(None, missing)
        check = self._check(self.tools[name].schema, text)
        if not check.ok:
            return Judged(None, self._error(name, check, span, written=written))
        repairs = _moved(check.repairs, span[0]) if span and written else ()
        return Judged(ToolCall(name, check.value, id_), None, repairs)

    def _check(self, schema: Schema, text: str) -> Check:
        found: Check = replies.check(schema, text, coercions=self.coercions, limits=self.limits)
        return found

    def _error(self, name: str, check: Check, span: Span | None, *, written: bool) -> CallError:
        reason: Reason = check.reason or "unparsable"
        fault = "cut off" if reason == "truncated" else "invalid"
        feedback = f"The call to `{name}` is {fault}.\n{check.feedback}"
        first, *others = check.errors
        more = f" (and {len(others)} more)" if others else ""
        message = f"the call to `{name}`: {reason}: {first}{more}"
        start = span[0] if span and written else None
        placed = tuple(
            replace(one, span=shifted(one.span, start) if one.span and start is not None else None)
            for one in check.errors
        )
        return CallError(reason, feedback, message, name, placed, span)


def _moved(repairs: tuple[Repair, ...], start: int) -> tuple[Repair, ...]:
    """Repairs of a part of a reply that begins at an offset."""
    return tuple(replace(one, span=shifted(one.span, start)) for one in repairs)


@lru_cache(maxsize=256)
def _wrapper(name: str, schema: Schema, shape: Shape) -> Schema:
    """The schema of a whole call."""
    collected = Collected()
    arguments: Json = collected.add(schema.document, ("properties", shape.arguments_key))
    beside: dict[str, Json] = {key: {} for key in ("id", "type", "index", "call_id")}
    fields = {**beside, shape.name_key: {"const": name}, shape.arguments_key: arguments}
    document = {
        "type": "object",
        "properties": fields,
        "required": [shape.name_key, shape.arguments_key],
        "additionalProperties": False,
    }
    defined = {"$defs": collected.definitions} if collected.definitions else {}
    return Schema({**document, **defined})
