"""Parts that are imported when they are first needed: a good reply to a plain schema needs none.

Each of them costs as much time as checking dozens of replies, most of it for compiling patterns.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdl.reply.parsing.parsed import Broken, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.coercions import Coercions
    from pdl.reply.parsing.events import Made
    from pdl.reply.parsing.parsed import Parsed
    from pdl.reply.query import Asked
    from pdl.reply.result import Check, Reading, Repair
    from pdl.reply.segments.dialects import Dialects
    from pdl.reply.validation.references import Document
    from pdl.schema import Schema


_READERS = {
    "brackets": ("pdl.reply.choosing.choose", "read"),
    "literal": ("pdl.reply.prose.literals", "literal"),
    "scalar": ("pdl.reply.prose.literals", "read"),
    "prose": ("pdl.reply.prose.scalars", "read"),
    "formatted": ("pdl.reply.prose.formatted", "scalar"),
    "text": ("pdl.reply.blocks.text", "read"),
    "yesno": ("pdl.reply.prose.yesno", "read"),
    "code": ("pdl.reply.blocks.code", "read"),
    "tasklist": ("pdl.reply.blocks.tasklist", "read"),
}


def reader(form: str) -> Callable[[Asked], Reading]:
    """The function that reads answers of a form."""
    read: Callable[[Asked], Reading] = _named(*_READERS[form])
    return read


@lru_cache(maxsize=16)
def _named(home: str, name: str) -> Any:
    return getattr(import_module(home), name)


def search(
    schema: Schema | None,
    reply: str,
    *,
    coercions: Coercions,
    dialects: Dialects,
    limits: Limits,
) -> Check:
    """`search.search`."""
    look = _named("pdl.reply.search", "search")
    found: Check = look(schema, reply, coercions=coercions, dialects=dialects, limits=limits)
    return found


def is_whole(document: Document, value: Json) -> bool:
    """`wholeness.is_whole`."""
    found: bool = import_module("pdl.reply.validation.wholeness").is_whole(document, value)
    return found


def is_certain(asked: Asked, body: str, made: Parsed, surplus: str) -> bool:
    """`surplus.certain`."""
    found: bool = import_module("pdl.reply.choosing.surplus").certain(asked, body, made, surplus)
    return found


def coerce(
    document: Document, value: Json, allowed: Coercions, limits: Limits
) -> tuple[Json, tuple[Repair, ...]]:
    """`coerce.coerce`."""
    change = import_module("pdl.reply.coercing").coerce
    found: tuple[Json, tuple[Repair, ...]] = change(document, value, allowed, limits)
    return found


def read_tolerantly(
    text: str,
    document: Document,
    fits: Callable[[Json], bool],
    limits: Limits,
    *,
    fenced: bool,
) -> Made | Broken:
    """`tolerant.read`, or why and where that has no certain reading."""
    tolerant = import_module("pdl.reply.parsing.tolerant")
    try:
        found: Made = tolerant.read(text, document, fits, limits, fenced=fenced)
    except tolerant.UnreadableError as error:
        return told(text, error.at, error.why, error.expected)
    return found
