"""Whether a call is valid: its tool is known, and its arguments match.

`CallsCheck` is the result of a check of calls.
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
from pdl.reply.checker import check_json
from pdl.reply.parsing.parsed import refuse_constant
from pdl.reply.phrases import quoted
from pdl.reply.segments.spans import shifted
from pdl.reply.typed import typed
from pdl.schema import Schema
from pdl.schema.json_schema import Bundle
from pdl.tools.formats import begins_list
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply import Check, Coercions, Repair, Violation
    from pdl.reply.result import Span
    from pdl.tools.formats import Format
    from pdl.tools.tool import Tool


_SHOWN = 64  # characters of a name that a model made up
_ANY = Schema({"type": ["object", "array"]})
_ARRAY = Schema({"type": "array"})
_OBJECT = Schema({"type": "object"})


def as_json(value: Json) -> str | None:
    """Return a value as JSON; None if it isn't JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def value_of(text: str, limits: Limits) -> Json:
    """Return the object or array in a text; None if it cannot be read."""
    made = replies.check(_ANY, text, limits=limits)
    return made.value if made.ok else None


def given_text(call: ToolCall) -> str | None:
    """Return the text of a call's arguments; None if they are not an object.

    Text is read as strict JSON: it is not a reply, so its spelling is not repaired.
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
    """Return a name, shortened if it is long."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


def listed(names: Sequence[str], most: int) -> str:
    """Return a list of names; only the number of those beyond `most`."""
    more = len(names) - most
    row = ", ".join(quoted(names[:most]))
    return f"{row}, and {more} more" if more > 0 else row


_MOST_ERRORS = 10  # errors that a feedback lists
_LONGEST = 4_000  # characters of the errors that it lists, except for the first one

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
"""Why a call is invalid: the reason of `pdl.check` for its arguments, or that its tool is unknown.

absent: a call was required and there isn't one; ambiguous: it is unclear whether one is intended.
"""


@dataclass(frozen=True)
class CallError:
    """One call that is invalid or missing.

    `tool` is its name in the reply, at most 64 characters; `violations` are the problems of its
    arguments, with paths that begin at the call's own object. `feedback` is for the model,
    `message` is one line for a person or a log; `span` is its position in the reply.
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
    """The calls in a reply, and the errors of others.

    `calls` are the valid ones, in order, with arguments that match; if there are `errors`, run none
    of them, since the model will write all of them again. `text` is the reply without calls,
    reasoning and tokens. `repairs` are the changes of spelling that reading needed, with spans in
    the reply where they are known.
    """

    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    errors: tuple[CallError, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no call is invalid; there might be none at all."""
        return not self.errors

    @property
    def feedback(self) -> str:
        """Feedback for the model in short sentences; empty if all is well.

        An error that several calls share is listed once. Of many errors only the first are listed,
        with the number of the others.
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


_MOST_TOOLS = 40  # tool names that a feedback lists


class Validated(NamedTuple):
    """A valid call, or its error."""

    call: ToolCall | None = None
    error: CallError | None = None
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class CallValidator:
    """Checks calls against tools."""

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
        """The error of an unknown tool; None if there is one of that name."""
        if name in self.tools:
            return None
        told = shown(name)
        near = nearest(name, self.tools)
        says = f"There is no tool `{told}`."
        advice = f" Did you mean `{near}`?" if near else ""
        known = f" The tools are: {listed(list(self.tools), _MOST_TOOLS)}."
        message = f"unknown tool `{told}`{f'; did you mean `{near}`?' if near else ''}"
        return CallError("unknown-tool", says + advice + known, message, told, (), span)

    def check(  # noqa: PLR0913 - a call has that many parts
        self,
        name: str,
        text: str,
        span: Span | None,
        *,
        form: Format | None = None,
        written: bool = False,
        id_: str = "",
    ) -> Validated:
        """Check a call given as the text of its arguments, or of its object in a format.

        `written` means that the reply has that text at that span.
        """
        missing = self.unknown(name, span)
        if missing is not None:
            return Validated(error=missing)
        schema = self.tools[name].schema
        check = check_json(
            schema if form is None else _wrapper(name, schema, form),
            text,
            coercions=self.coercions,
            limits=self.limits,
        )
        if check.ok and form is not None:
            check = replace(check, value=check.value[form.arguments_key], span=None)
        if schema.python_type is not None:
            check = typed(check, schema, text)
        if not check.ok:
            return Validated(error=self._error(name, check, span, written=written))
        repairs = _moved(check.repairs, span[0]) if span and written else ()
        value = None if schema.python_type is None else check.value
        return Validated(ToolCall(name, check.data, id_, value), None, repairs)

    def unreadable_list(self, text: str, span: Span) -> CallError | None:
        """Return the error of a list of calls that can't be read; None if the text isn't one.

        As the text of one call it would be refused for being a list.
        """
        if not begins_list(text):
            return None
        schema = _OBJECT if text.lstrip().startswith("{") else _ARRAY
        check = check_json(schema, text, limits=self.limits)
        return None if check.ok else self._error("", check, span, written=True)

    def _error(self, name: str, check: Check, span: Span | None, *, written: bool) -> CallError:
        """The error of the call to a tool, or of a list of calls where there is no name."""
        reason: Reason = check.reason or "unparsable"
        fault = "cut off" if reason == "truncated" else "invalid"
        what = f"call to `{name}`" if name else "list of tool calls"
        feedback = f"The {what} is {fault}.\n{check.feedback}"
        first, *others = check.errors
        more = f" (and {len(others)} more)" if others else ""
        message = f"the {what}: {reason}: {first}{more}"
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
def _wrapper(name: str, schema: Schema, form: Format) -> Schema:
    """The schema of a whole call."""
    bundle = Bundle()
    arguments: Json = bundle.add(schema.document, ("properties", form.arguments_key))
    optional: dict[str, Json] = {key: {} for key in ("id", "type", "index", "call_id")}
    fields = {**optional, form.name_key: {"const": name}, form.arguments_key: arguments}
    document = {
        "type": "object",
        "properties": fields,
        "required": [form.name_key, form.arguments_key],
        "additionalProperties": False,
    }
    defined = {"$defs": bundle.definitions} if bundle.definitions else {}
    return Schema({**document, **defined})
