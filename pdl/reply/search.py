"""From a reply that is more than one clean JSON value to a reading of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.asked import Asked
from pdl.reply.compiled import PatternTimeout
from pdl.reply.feedback import feedback, summary
from pdl.reply.outcome import Check, Reading, Segment, failed
from pdl.reply.segment import cut

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.schema import Schema

_CONTAINERS = frozenset(["object", "array"])


def search(schema: Schema | None, reply: str, limits: Limits) -> Check:
    """Cut the reply into parts, find the answer in them, and check it."""
    if len(reply) > limits.reply_chars:
        message = f"is longer than {limits.reply_chars} characters"
        return _check(schema, failed("limit", message, found=str(len(reply))), ())
    parts = cut(reply, limits.reply_depth)
    asked = Asked(reply, parts, {}, limits)
    if schema is not None:
        asked = Asked(reply, parts, schema.document, limits, schema.lang, schema.tasks)
    try:
        reading = _unfinished(parts.segments) or _read(
            "text" if schema is None else schema.form, asked
        )
    except RecursionError:
        reading = failed("limit", "is nested too deeply")
    except PatternTimeout:
        reading = failed("limit", "takes too long to check against a pattern of the schema")
    return _check(schema, reading, parts.segments)


def _unfinished(segments: tuple[Segment, ...]) -> Reading | None:
    """Reasoning that never ends: what stands in it is no answer yet."""
    for segment in segments:
        if segment.kind == "reasoning" and not segment.closed:
            message = f"never ends its reasoning, which `{segment.label}` begins"
            return failed("truncated", message, span=segment.span, wanted="an answer behind it")
    return None


def _read(form: str, asked: Asked) -> Reading:
    if form == "json":
        return _read_json(asked)
    reading = late.reader(form)(asked)
    return reading if form in {"yesno", "tasklist"} else _held(asked, reading)


def _held(asked: Asked, reading: Reading) -> Reading:
    """A text that was found, held against the bounds that the schema has for it."""
    if reading.reason or asked.verdict(reading.value):
        return reading
    errors = late.violations_of(asked.document, reading.value)
    placed = tuple(replace(error, span=reading.span) for error in errors)
    return replace(reading, value=None, reason="wrong-schema", errors=placed)


def _read_json(asked: Asked) -> Reading:
    """Objects and arrays are looked for as such; scalars alone first, then in prose."""
    containers = asked.kinds & _CONTAINERS
    whole = (
        late.reader("literal" if containers else "scalar")(asked)
        if asked.kinds - _CONTAINERS
        else None
    )
    return whole or late.reader("brackets" if containers else "prose")(asked)


def _check(schema: Schema | None, reading: Reading, segments: tuple[Segment, ...]) -> Check:
    made = Check(
        reading.value,
        reading.reason,
        reading.errors,
        reading.repairs,
        reading.span,
        reading.rejected,
        segments,
    )
    if made.ok:
        return made
    return replace(made, value=None, feedback=feedback(schema, made), summary=summary(made))
