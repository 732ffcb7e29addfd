"""Checking a reply: at once if it is one clean JSON value that fits, else by searching it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import OutputError
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply import late
from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.compiled import PatternTimeout, UnusablePattern
from pdl.reply.outcome import Check, Segment
from pdl.reply.parse import Parsed, is_deep, parse
from pdl.reply.verdict import verdict_of
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl._types import Json

_BLANKS = " \t\r\n"
_SIGNS = ("...", "…", "more", "More", "other", "rest", "remaining", '"<', "\\ud", "\\uD")
"""One of them stands in each text that parses and may all the same be no whole answer."""


def check(
    schema: Schema | None,
    reply: str,
    *,
    coercions: Coercions = NO_COERCIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Check:
    """Find the one answer in a reply and hold it against the schema.

    Without a schema the whole reply is the answer, less its reasoning. Never raises for a bad
    reply: `Check` says what was wrong with it. Raises TypeError for arguments of other types.
    """
    if not (schema is None or isinstance(schema, Schema)):
        raise TypeError(f"schema must be a pdl.Schema or None, not {type(schema).__name__}")
    if not isinstance(reply, str):
        raise TypeError(f"reply must be a str, not {type(reply).__name__}")
    return _clean(schema, reply, limits) or late.search(schema, reply, coercions, limits)


def extract(
    schema: Schema | None,
    reply: str,
    *,
    coercions: Coercions = NO_COERCIONS,
    limits: Limits = DEFAULT_LIMITS,
) -> Json:
    """The value of the one answer in a reply. Raises OutputError, which carries the `Check`."""
    result = check(schema, reply, coercions=coercions, limits=limits)
    if not result.ok:
        raise OutputError(result)
    return result.value


def _clean(schema: Schema | None, reply: str, limits: Limits) -> Check | None:
    """The check of a reply that is one JSON object or array and fits, which most are."""
    if schema is None or schema.form != "json" or len(reply) > limits.reply_chars:
        return None
    body = reply.strip(_BLANKS)
    if body[:1] not in {"{", "["} or is_deep(body, limits.reply_depth):
        return None
    made = parse(body, limits)
    try:
        if not isinstance(made, Parsed) or not verdict_of(schema.document)(made.value):
            return None
        if _has_signs(body) and not late.is_whole(schema.document, made.value):
            return None
    except (RecursionError, PatternTimeout, UnusablePattern):
        return None
    start = len(reply) - len(reply.lstrip(_BLANKS))
    whole = (0, len(reply))
    return Check(
        made.value, span=(start, start + len(body)), segments=(Segment("text", whole, whole),)
    )


def _has_signs(body: str) -> bool:
    """Whether a closer look is needed, which costs more than the parsing did."""
    if any(sign in body for sign in _SIGNS):
        return True
    try:
        body.encode()
    except UnicodeEncodeError:
        return True
    return False
