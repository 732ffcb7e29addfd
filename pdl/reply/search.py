"""Searching a reply that is not just one clean JSON value."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from pdl.reply.parsing.parsed import may_hold_whole_float
from pdl.reply.phrases import line_before, say, shorten
from pdl.reply.query import Query, form_of, is_quoted
from pdl.reply.result import Check, Reading, Segment, failed
from pdl.reply.segments.segmenter import segmented
from pdl.reply.validation.json_types import lone_surrogate
from pdl.reply.validation.schema_walk import PatternTimeout, UnusablePattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.limits import Limits
    from pdl.reply.coercions import Coercions
    from pdl.reply.segments.dialects import Dialects
    from pdl.reply.segments.spans import Segmented
    from pdl.schema import Schema

_READERS = {
    "brackets": ("choosing.choose", "read"),
    "literal": ("prose.literals", "literal"),
    "scalar": ("prose.literals", "read"),
    "prose": ("prose.scalars", "read"),
    "formatted": ("prose.formatted", "scalar"),
    "text": ("blocks.text", "read"),
    "yesno": ("prose.scalars", "read_yesno"),
    "code": ("blocks.code", "read"),
    "tasklist": ("blocks.tasklist", "read"),
}
"""Form -> the module and name of its reader: imported when first used, as it compiles patterns."""
_CONTAINERS = frozenset(["object", "array"])
_ESCAPES = ("\\u", "\\U", "\\x")  # of characters, in all spellings that are read
_OPENERS = " \t\r>*_`#|"  # characters that can come before a tag at the start of a line


def search(
    schema: Schema | None, reply: str, *, coercions: Coercions, dialects: Dialects, limits: Limits
) -> Check:
    """Segment the reply, find the answer in its parts, and check it."""
    if len(reply) > limits.reply_chars:
        message = say("too-many-characters", number=limits.reply_chars)
        return _check(schema, reply, failed("limit", message, found=str(len(reply))), ())
    parts = segmented(reply, limits, dialects)
    whole = _spelled(schema, reply, parts, limits, dialects)
    parts = whole or parts
    text = parts.unquoted(reply)
    query = Query(
        text,
        parts,
        {} if schema is None else schema.document,
        limits,
        coercions,
        lang=None if schema is None else schema.lang,
        tasks=(None, None) if schema is None else schema.tasks,
        dialects=dialects,
        quoted=is_quoted(schema),
        spelled=whole is not None,
    )
    try:
        reading = _unfinished(reply, parts.segments) or _read(form_of(schema), query)
    except RecursionError:
        reading = failed("limit", say("nested-too-deep"))
    except PatternTimeout:
        reading = failed("limit", say("takes-too-long"))
    except UnusablePattern as error:
        message = say("unusable-pattern", why=shorten(str(error), 140))
        reading = failed("wrong-schema", message)
    return _check(schema, reply, reading, parts.segments)


def _spelled(
    schema: Schema | None, reply: str, parts: Segmented, limits: Limits, dialects: Dialects
) -> Segmented | None:
    """The parts of a reply that is a JSON string with marks in it; None for other replies."""
    kinds = {one.kind for one in parts.segments}
    if '"' not in reply or kinds == {"text"} or "fence" in kinds:
        return None
    from pdl.reply.blocks.text import spelled  # noqa: PLC0415 - seldom needed

    return spelled(schema, reply, limits, dialects)


def _encodable(reply: str, reading: Reading) -> Reading:
    """A value without lone surrogates, which no program could write to a file."""
    if reading.reason or _has_no_surrogates(reply):
        return reading
    found = lone_surrogate(reading.value)
    if not found:
        return reading
    message = say("half-character", found=found)
    return failed("unparsable", message, span=reading.span, found=found)


def _has_no_surrogates(reply: str) -> bool:
    """Whether a reply contains neither a surrogate nor an escape that might be one."""
    if "\\" in reply and any(map(reply.__contains__, _ESCAPES)):
        return False
    try:
        reply.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unfinished(reply: str, segments: tuple[Segment, ...]) -> Reading | None:
    """Reasoning that is not closed, whose content is not an answer yet.

    An opening tag inside a line might be only a word of the text; then the answer is unclear.
    """
    for segment in segments:
        if segment.kind == "reasoning" and not segment.closed:
            start = segment.span[0]
            if line_before(reply, start).strip(_OPENERS):
                message = say("tag-amid-line", tag=segment.label)
                return failed("ambiguous", message, span=segment.span, wanted="an answer alone")
            message = say("endless-reasoning", tag=segment.label)
            return failed("truncated", message, span=segment.span, wanted="an answer after it")
    return None


def _read(form: str, query: Query) -> Reading:
    if form == "json":
        found = _encodable(query.text, _read_json(query))
        return _settled(query, found)
    reading = _reader(form)(query)
    held = reading if form in {"yesno", "tasklist"} else _held(query, reading)
    return _encodable(query.text, held)


@lru_cache
def _reader(form: str) -> Callable[[Query], Reading]:
    home, name = _READERS[form]
    read: Callable[[Query], Reading] = getattr(import_module(f"pdl.reply.{home}"), name)
    return read


def _settled(query: Query, reading: Reading) -> Reading:
    """The same with integers where the schema expects them, which might then violate its bounds."""
    if reading.reason or reading.span is None:
        return reading
    as_written = not reading.repairs
    if as_written and not may_hold_whole_float(query.text[slice(*reading.span)]):
        return reading
    if not query.validator.look(reading.value)[1]:
        return reading
    from pdl.reply.validation.schema_walk import with_integers  # noqa: PLC0415 - seldom needed

    value = with_integers(query.document, reading.value)
    return reading if value is reading.value else _held(query, replace(reading, value=value))


def _held(query: Query, reading: Reading) -> Reading:
    """A reading whose value is checked against the bounds of the schema."""
    if reading.reason or query.is_valid(reading.value):
        return reading
    errors = query.violations(reading.value, reading.span)
    return replace(reading, value=None, reason="wrong-schema", errors=errors)


def _read_json(query: Query) -> Reading:
    """Look for objects and arrays as such; for scalars first alone, then in prose."""
    if not query.kinds:
        return failed("wrong-schema", say("nothing-fits"))
    containers = query.kinds & _CONTAINERS
    whole = (
        _reader("literal" if containers else "scalar")(query) if query.kinds - _CONTAINERS else None
    )
    if whole or not containers:
        return whole or _unwrapped(query) or _spoken(query)
    return _too_many(query) or _reader("brackets")(query)


def _spoken(query: Query) -> Reading:
    """The scalar that the prose of a reply states; if any string is allowed, by its format."""
    from pdl.reply.validation.schema_walk import is_free_text  # noqa: PLC0415 - seldom needed

    return _reader("formatted" if is_free_text(query.document) else "prose")(query)


def _unwrapped(query: Query) -> Reading | None:
    """The scalar in the only object of a reply, if the text around it states no other one."""
    if not query.coercions.unwrap or not query.parts.brackets:
        return None
    found = _reader("brackets")(query)
    if found.reason or found.span is None or query.text[found.span[0]] != "{":
        return None
    start, end = found.span
    around = query.text[:start] + " " * (end - start) + query.text[end:]
    rest = replace(query, text=around, parts=segmented(around, query.limits, query.dialects))
    said = _spoken(rest)
    return found if said.reason == "absent" and not said.rejected else None


def _too_many(query: Query) -> Reading | None:
    """The refusal of a reply with more objects than the limit of candidates.

    All objects are candidates; arrays might not be.
    """
    most = query.limits.reply_candidates
    if len(query.parts.brackets) <= most:
        return None
    found = sum(one.shaped and query.text[one.span[0]] == "{" for one, _ in query.parts.brackets)
    return failed("limit", say("many-candidates", number=most)) if found > most else None


def _check(
    schema: Schema | None, reply: str, reading: Reading, segments: tuple[Segment, ...]
) -> Check:
    made = Check(**vars(reading), segments=segments, reply=reply)
    if made.ok:
        return made
    from pdl.reply.feedback import feedback, summary  # noqa: PLC0415 - seldom needed

    words, line = feedback(schema, made), summary(made)
    return replace(made, value=None, feedback=_printable(words), summary=_printable(line))


def _printable(text: str) -> str:
    """A text with excerpts of the reply, with escapes for lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
