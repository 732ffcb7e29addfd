"""Whether a call is right: its tool is there, and its arguments fit.

`CallsCheck` is what a check of calls gives back. Values are written as JSON text here, and texts as
errors show them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pdl import reply as replies
from pdl.errors import nearest
from pdl.reply.parsing.parsed import refuse_constant
from pdl.reply.phrases import quoted
from pdl.reply.segments.spans import shifted
from pdl.schema import Schema
from pdl.tools.tool import Collected, ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply import Check, Coercions, Repair, Violation
    from pdl.reply.result import Span
    from pdl.tools.formats import CallKeys
    from pdl.tools.tool import Tool


_SHOWN = 64  # characters of a name that a model made up
_ANY = Schema({"type": ["object", "array"]})


def as_json(value: Json) -> str | None:
    """A value as JSON; None if it is none."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def value_of(text: str, limits: Limits) -> Json:
    """The object or array that a text holds, whatever is asked for; None if it cannot be read."""
    made = replies.check(_ANY, text, limits=limits)
    return made.value if made.ok else None


def given_text(call: ToolCall) -> str | None:
    """The text of a call's arguments; None if they are no object.

    Text is read as strict JSON: it is no reply, whose spelling one would have to bear with.
    """
    arguments: Any = call.arguments
    if isinstance(arguments, Mapping):
        return as_json(dict(arguments))
    if not isinstance(arguments, str):
        return None
    try:
        value = json.loads(arguments, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(value, dict) else None


def shown(name: str) -> str:
    """A name, of which the end may be left out."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


def listed(names: Sequence[str], most: int) -> str:
    """Names in a row; of those beyond `most` only their number."""
    more = len(names) - most
    row = ", ".join(quoted(names[:most]))
    return f"{row}, and {more} more" if more > 0 else row


_MOST_ERRORS = 10  # errors that a feedback tells
_LONGEST = 4_000  # characters of errors that it tells, but for the first one

Reason: TypeAlias = Literal[
    "unknown-tool",
    "absent",
    "truncated",
    "unparsable",
    "wrong-schema",
    "ambiguous",
    "elided",
    "limit",
]
"""Why something is no call: what `pdl.check` says of its arguments, or that no tool has its name.

absent: a call was wanted and there is none; ambiguous: it is not certain that one is meant.
"""


@dataclass(frozen=True)
class CallError:
    """One call that is wrong, or that is lacking.

    `tool` is the name that it has in the reply, 64 characters of it at most; `violations` what is
    wrong with its arguments, with paths from the call's own object on. `feedback` is for the model,
    `message` one line for a person or a log; `span` is where it stands in the reply.
    """

    reason: Reason
    feedback: str
    message: str
    tool: str = ""
    violations: tuple[Violation, ...] = ()
    span: Span | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class CallsCheck:
    """The calls in a reply, and what is wrong with others.

    `calls` are those that are right, in their order, with arguments that fit; where `errors` is
    not empty, nothing should be run, for the model will write all of them anew. `text` is the reply
    without calls, reasoning and tokens. `repairs` are the changes of spelling that reading took,
    with spans in the reply where they are known.
    """

    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    errors: tuple[CallError, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no call is wrong; there may be none at all."""
        return not self.errors

    @property
    def feedback(self) -> str:
        """What to tell the model, in short sentences; empty if all is well.

        What is the same of several calls is said once. Of many errors the first are told, and how
        many more there are.
        """
        counts = Counter(error.feedback for error in self.errors)
        told: list[str] = []
        length = left = 0
        for text, number in counts.items():
            length += len(text)
            if told and (length > _LONGEST or len(told) == _MOST_ERRORS):
                left += number
            else:
                told.append(text if number == 1 else f"{text}\n(This applies to {number} calls.)")
        if left:
            told.append(f"Your tool calls have {left} more error{'' if left == 1 else 's'}.")
        if told and self.calls:
            told.append("Write all calls again, including the correct ones.")
        return "\n".join(told)


_MOST_TOOLS = 40  # names of tools that a feedback lists


class Validated(NamedTuple):
    """A call that is right, or what is wrong with it."""

    call: ToolCall | None
    error: CallError | None
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class CallValidator:
    """Holds calls against tools."""

    tools: Mapping[str, Tool]
    coercions: Coercions
    limits: Limits

    @classmethod
    def of(
        cls, tools: Mapping[str, Tool], coercions: Coercions | None, limits: Limits
    ) -> CallValidator:
        """With no coercions if none are given."""
        return cls(tools, replies.Coercions() if coercions is None else coercions, limits)

    def unknown(self, name: str, span: Span | None) -> CallError | None:
        """That there is no tool of a name; None if there is one."""
        if name in self.tools:
            return None
        told = shown(name)
        near = nearest(name, self.tools)
        says = f"There is no tool `{told}`."
        advice = f" Did you mean `{near}`?" if near else ""
        known = f" The tools are: {listed(list(self.tools), _MOST_TOOLS)}."
        message = f"there is no tool `{told}`{f'; did you mean `{near}`?' if near else ''}"
        return CallError("unknown-tool", says + advice + known, message, told, (), span)

    def whole(
        self, found: tuple[str, CallKeys], text: str, span: Span, *, written: bool, id_: str = ""
    ) -> Validated:
        """A call as the text of its object, which is `written` so in the reply, at that span."""
        name, shape = found
        missing = self.unknown(name, span)
        if missing is not None:
            return Validated(None, missing)
        check = self._check(_wrapper(name, self.tools[name].schema, shape), text)
        if not check.ok:
            return Validated(None, self._error(name, check, span, written=written))
        arguments = check.value[shape.arguments_key]
        repairs = _moved(check.repairs, span[0]) if written else ()
        return Validated(ToolCall(name, arguments, id_), None, repairs)

    def arguments(
        self, name: str, text: str, span: Span | None, *, written: bool = False, id_: str = ""
    ) -> Validated:
        """A call as its name and the text of its arguments."""
        missing = self.unknown(name, span)
        if missing is not None:
            return Validated(None, missing)
        check = self._check(self.tools[name].schema, text)
        if not check.ok:
            return Validated(None, self._error(name, check, span, written=written))
        repairs = _moved(check.repairs, span[0]) if span and written else ()
        return Validated(ToolCall(name, check.value, id_), None, repairs)

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
def _wrapper(name: str, schema: Schema, shape: CallKeys) -> Schema:
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
