"""From a reply that is more than one clean JSON value to a reading of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply import late
from pdl.reply.asked import Asked
from pdl.reply.compiled import PatternTimeout, UnusablePattern
from pdl.reply.feedback import feedback, summary
from pdl.reply.outcome import Check, Reading, Segment, failed
from pdl.reply.segment import cut
from pdl.reply.wholeness import half_character
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.coercions import Coercions
    from pdl.schema import Schema

_CONTAINERS = frozenset(["object", "array"])
_LINE = 200  # characters in front of a tag that are looked at
_OPENERS = " \t\r>*_`#|"  # what may stand in front of a tag at the start of a line


def search(schema: Schema | None, reply: str, coercions: Coercions, limits: Limits) -> Check:
    """Cut the reply into parts, find the answer in them, and check it."""
    if len(reply) > limits.reply_chars:
        message = f"is longer than {limits.reply_chars} characters"
        return _check(schema, failed("limit", message, found=str(len(reply))), ())
    parts = cut(reply, limits.reply_depth)
    asked = Asked(reply, parts, {}, limits, coercions)
    if schema is not None:
        asked = Asked(reply, parts, schema.document, limits, coercions, schema.lang, schema.tasks)
    try:
        reading = _unfinished(reply, parts.segments) or _encodable(
            _read("text" if schema is None else schema.form, asked)
        )
    except RecursionError:
        reading = failed("limit", "is nested too deeply")
    except PatternTimeout:
        reading = failed("limit", "takes too long to check against a pattern of the schema")
    except UnusablePattern as error:
        message = f"cannot be checked, for the schema has a pattern that is none: {error}"
        reading = failed("wrong-schema", shorten(message, 200))
    return _check(schema, reading, parts.segments)


def _encodable(reading: Reading) -> Reading:
    """A value without lone surrogates, which no program could write to a file."""
    half = "" if reading.reason else half_character(reading.value)
    if not half:
        return reading
    message = f"holds half of a character: `{half}` needs its other half, a surrogate"
    return failed("unparsable", message, span=reading.span, found=half)


def _unfinished(reply: str, segments: tuple[Segment, ...]) -> Reading | None:
    """Reasoning that never ends: what stands in it is no answer yet.

    An opener amid a line may be no more than a word of the text; then the answer is not known.
    """
    for segment in segments:
        if segment.kind == "reasoning" and not segment.closed:
            start = segment.span[0]
            if reply[max(0, start - _LINE) : start].rpartition("\n")[2].strip(_OPENERS):
                message = f"has a reasoning tag, `{segment.label}`, amid a line, and never ends it"
                return failed("ambiguous", message, span=segment.span, wanted="an answer alone")
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
    if not asked.kinds:
        return failed("wrong-schema", "cannot fit: the schema allows no value at all")
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
    told, line = feedback(schema, made), summary(made)
    return replace(made, value=None, feedback=_printable(told), summary=_printable(line))


def _printable(text: str) -> str:
    """A text that quotes from the reply, with escapes for lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
