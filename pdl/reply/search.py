"""From a reply that is more than one clean JSON value to a reading of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply import late
from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.forms import form_of, is_quoted
from pdl.reply.parsing.strict import may_hold_whole_float
from pdl.reply.phrases import say
from pdl.reply.query import Asked
from pdl.reply.result import Check, Reading, Segment, failed
from pdl.reply.segments.dialects import DIALECTS, Dialects
from pdl.reply.segments.segmenter import Cut, cut
from pdl.reply.validation.patterns import PatternTimeout, UnusablePattern
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.schema import Schema

_CONTAINERS = frozenset(["object", "array"])
_ESCAPES = ("\\u", "\\U", "\\x", "&#")  # of characters, in all spellings that are read
_LINE = 200  # characters in front of a tag that are looked at
_OPENERS = " \t\r>*_`#|"  # what may stand in front of a tag at the start of a line


def search(
    schema: Schema | None,
    reply: str,
    *,
    coercions: Coercions = NO_COERCIONS,
    dialects: Dialects = DIALECTS,
    limits: Limits = DEFAULT_LIMITS,
) -> Check:
    """Cut the reply into parts, find the answer in them, and check it."""
    if len(reply) > limits.reply_chars:
        message = say("too-many-characters", number=limits.reply_chars)
        return _check(schema, failed("limit", message, found=str(len(reply))), ())
    parts = cut(reply, limits, dialects)
    whole = _spelled(schema, reply, parts, limits, dialects)
    parts = whole or parts
    text = parts.unquoted(reply)
    asked = Asked(
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
        reading = _unfinished(reply, parts.segments) or _read(form_of(schema), asked)
    except RecursionError:
        reading = failed("limit", say("nested-too-deep"))
    except PatternTimeout:
        reading = failed("limit", say("takes-too-long"))
    except UnusablePattern as error:
        message = say("unusable-pattern", why=shorten(str(error), 140))
        reading = failed("wrong-schema", message)
    return _check(schema, reading, parts.segments)


def _spelled(
    schema: Schema | None, reply: str, parts: Cut, limits: Limits, dialects: Dialects
) -> Cut | None:
    """The parts of a reply that is a JSON string with marks in it; None for other replies."""
    if '"' not in reply or all(one.kind == "text" for one in parts.segments):
        return None
    from pdl.reply.blocks.text import spelled  # noqa: PLC0415 - seldom needed

    return spelled(schema, reply, limits, dialects)


def _encodable(reply: str, reading: Reading) -> Reading:
    """A value without lone surrogates, which no program could write to a file."""
    if reading.reason or _has_no_halves(reply):
        return reading
    from pdl.reply.validation.wholeness import half_character  # noqa: PLC0415 - seldom needed

    half = half_character(reading.value)
    if not half:
        return reading
    message = say("half-character", found=half)
    return failed("unparsable", message, span=reading.span, found=half)


def _has_no_halves(reply: str) -> bool:
    """Whether neither a surrogate stands in a reply nor an escape that may be one."""
    if ("\\" in reply or "&" in reply) and any(map(reply.__contains__, _ESCAPES)):
        return False
    try:
        reply.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unfinished(reply: str, segments: tuple[Segment, ...]) -> Reading | None:
    """Reasoning that never ends: what stands in it is no answer yet.

    An opener amid a line may be no more than a word of the text; then the answer is not known.
    """
    for segment in segments:
        if segment.kind == "reasoning" and not segment.closed:
            start = segment.span[0]
            if reply[max(0, start - _LINE) : start].rpartition("\n")[2].strip(_OPENERS):
                message = say("tag-amid-line", tag=segment.label)
                return failed("ambiguous", message, span=segment.span, wanted="an answer alone")
            message = say("endless-reasoning", tag=segment.label)
            return failed("truncated", message, span=segment.span, wanted="an answer behind it")
    return None


def _read(form: str, asked: Asked) -> Reading:
    if form == "json":
        found = _encodable(asked.text, _read_json(asked))
        return _settled(asked, found)
    reading = late.reader(form)(asked)
    held = reading if form in {"yesno", "tasklist"} else _held(asked, reading)
    return _encodable(asked.text, held)


def _settled(asked: Asked, reading: Reading) -> Reading:
    """The same with integers where the schema wants them, which may then not fit its bounds."""
    if reading.reason or reading.span is None:
        return reading
    as_written = not reading.repairs
    if as_written and not may_hold_whole_float(asked.text[slice(*reading.span)]):
        return reading
    if not asked.validator.look(reading.value)[1]:
        return reading
    from pdl.reply.validation.schema_walk import settled  # noqa: PLC0415 - seldom needed

    value = settled(asked.document, reading.value)
    return reading if value is reading.value else _held(asked, replace(reading, value=value))


def _held(asked: Asked, reading: Reading) -> Reading:
    """A text that was found, held against the bounds that the schema has for it."""
    if reading.reason or asked.verdict(reading.value):
        return reading
    from pdl.reply.validation.referee import violations_of  # noqa: PLC0415 - seldom needed

    errors = violations_of(asked.document, reading.value)
    placed = tuple(replace(error, span=reading.span) for error in errors)
    return replace(reading, value=None, reason="wrong-schema", errors=placed)


def _read_json(asked: Asked) -> Reading:
    """Objects and arrays are looked for as such; scalars alone first, then in prose."""
    if not asked.kinds:
        return failed("wrong-schema", say("nothing-fits"))
    containers = asked.kinds & _CONTAINERS
    whole = (
        late.reader("literal" if containers else "scalar")(asked)
        if asked.kinds - _CONTAINERS
        else None
    )
    if whole or not containers:
        return whole or _unwrapped(asked) or _spoken(asked)
    return _too_many(asked) or late.reader("brackets")(asked)


def _spoken(asked: Asked) -> Reading:
    """The scalar that the prose of a reply gives; any prose may be a text of one's own choice."""
    from pdl.reply.validation.schema_walk import is_free_text  # noqa: PLC0415 - seldom needed

    return late.reader("formatted" if is_free_text(asked.document) else "prose")(asked)


def _unwrapped(asked: Asked) -> Reading | None:
    """The scalar in the only object of a reply, if the text around it says no other one."""
    if not asked.coercions.unwrap or not asked.cut.brackets:
        return None
    found = late.reader("brackets")(asked)
    if found.reason or found.span is None or asked.text[found.span[0]] != "{":
        return None
    start, end = found.span
    around = asked.text[:start] + " " * (end - start) + asked.text[end:]
    rest = replace(asked, text=around, cut=cut(around, asked.limits, asked.dialects))
    said = _spoken(rest)
    return found if said.reason == "absent" and not said.rejected else None


def _too_many(asked: Asked) -> Reading | None:
    """A reply with so many objects that there is no need to look at each of them.

    They are all candidates; arrays may be none.
    """
    most = asked.limits.reply_candidates
    if len(asked.cut.brackets) <= most:
        return None
    found = sum(one.shaped and asked.text[one.span[0]] == "{" for one, _ in asked.cut.brackets)
    return failed("limit", say("many-candidates", number=most)) if found > most else None


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
    from pdl.reply.feedback.feedback import feedback, summary  # noqa: PLC0415 - seldom needed

    told, line = feedback(schema, made), summary(made)
    return replace(made, value=None, feedback=_printable(told), summary=_printable(line))


def _printable(text: str) -> str:
    """A text that quotes from the reply, with escapes for lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
