"""Values as JSON text, and texts as errors show them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pdl import reply as replies
from pdl.reply.parsing.parsed import refuse_constant
from pdl.reply.wording import quoted
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.tools.calls import ToolCall

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
