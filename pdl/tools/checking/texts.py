"""Values as JSON text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pdl import reply as replies
from pdl.reply.parse import Parsed
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits

_ANY = Schema({"type": ["object", "array"]})


def as_json(value: Json) -> str | None:
    """A value as JSON; None if it is none."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def value_of(text: str, limits: Limits) -> Parsed | None:
    """What an object or array holds, whatever is asked for; None if it cannot be read."""
    made = replies.check(_ANY, text, limits=limits)
    return Parsed(made.value) if made.ok else None
