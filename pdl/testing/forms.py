"""The forms in which the parts of a case are written, in sections and in tables alike."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from pdl.decoding import JsonError, parse_json, parse_yaml, strict_json
from pdl.errors import CasesError, PdlError, Problem, did_you_mean, nearest, quoted
from pdl.limits import DEFAULT_LIMITS
from pdl.models.exchange import Reply, is_json
from pdl.models.replay import records_in
from pdl.prompt.inputs import as_json
from pdl.prompt.render_budget import TooLargeError, measure_size
from pdl.prompt.template import parse_schema
from pdl.reply.result import Reason
from pdl.schema import Schema
from pdl.schema.keywords import ASSERTIONS
from pdl.source import Source
from pdl.testing.cases import Expectation, Recording
from pdl.testing.content import JSON_LINES, copied, is_comment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.source import Span
    from pdl.testing.content import CaseFolder

REASONS = get_args(Reason)
"""The reasons for which a check refuses a reply."""

_SAID = re.compile(r"(?:[\w-]+[\s:,]+)?[\"'`]?(?:@\S|[{\[])")
_FENCE = re.compile(r"`{3,}|~{3,}")
_KEYWORDS = ASSERTIONS | {"$dynamicRef", "$recursiveRef", "dependencies"}


def data_of(source: Source, span: Span) -> dict[str, Json]:
    """Return the object that a text in JSON or YAML holds. Raises PdlError."""
    begins = source.text.lstrip()[:1]
    value: Any = parse_json(source) if begins == "{" else parse_yaml(source)
    message = ""
    if not isinstance(value, dict):
        message = "the data must be an object: a name and a value in each line"
    elif odd := [key for key in value if not isinstance(key, str)]:
        message = f"the key {odd[0]!r} is not a string; put it in quotes"
    else:
        try:
            measure_size(value)
            value = as_json(value)
        except TooLargeError as error:
            message = f"the data are too large: {error}"
        else:
            message = "" if is_json(value) else "the data must be JSON values"
    if message:
        raise CasesError(Problem("test/data", message, span))
    found: dict[str, Json] = value
    return found


def expectation_in(content: Source, reference: Source, folder: CaseFolder) -> Expectation:
    """Return the expectation of a file that a reference, `@FILE`, names. Raises PdlError.

    JSON that is no object is the value itself; an object is a schema.
    """
    try:
        value = strict_json(content.text)
    except JsonError:
        pass
    else:
        if not isinstance(value, dict):
            return Expectation(content, _constant(content.text), (value,))
        _check_schema(value, reference)
    return Expectation(reference, parse_schema(reference, folder, DEFAULT_LIMITS, types=False))


def _check_schema(value: Json, source: Source) -> None:
    """Raise CasesError for an object that, as a JSON Schema, would accept everything."""
    if isinstance(value, dict) and value.keys().isdisjoint(_KEYWORDS):
        message = "this has no keyword of JSON Schema, and would accept every value"
        hint = 'write a value on the line or below, without a fence; in a file, as `{"const": …}`'
        raise CasesError(Problem("test/expect", message, source.span(0, 1), hint))


def expectation_of(source: Source, folder: CaseFolder) -> Expectation:
    """Return the expectation of a text: a value in JSON, else a schema. Raises PdlError."""
    text = source.text
    try:
        value = strict_json(text)
    except JsonError:
        pass
    else:
        return Expectation(source, _constant(text), (value,))
    lines = text.strip().split("\n")
    if _FENCE.match(lines[0]) and _FENCE.fullmatch(lines[-1].strip()):
        with suppress(JsonError):
            body = "\n".join(lines[1:-1])
            value = strict_json(body)
            if not isinstance(value, dict):
                return Expectation(source, _constant(body), (value,))
            _check_schema(value, source)
    try:
        return Expectation(source, _schema(text))
    except PdlError:  # it names a file, or its errors need their places
        return Expectation(source, parse_schema(source, folder, DEFAULT_LIMITS, types=False))


@lru_cache(maxsize=1_024)
def _constant(text: str) -> Schema:
    return Schema.from_json_schema({"const": strict_json(text)})


@lru_cache(maxsize=1_024)
def _schema(text: str) -> Schema:
    return Schema.parse(text)


def refusal(words: str, mark: Span, span: Span) -> Recording:
    """Return the refusal of a model in its words, or the empty reply of `refused absent`.

    Raises CasesError for words that rather name a reason, a file, or a reply.
    """
    if words == "absent":
        return Recording(mark, Reply(""), words, Source(""))
    message = "there is no reply that is refused: neither below, nor in a file"
    hint = "write the reply below, or name its file: `<|reply|> refused REASON @FILE`"
    if not words or words == "any":
        hint += "; a model that refuses does it in words: `<|reply|> refused I can't help`"
    elif not _is_unclear(words):
        return Recording(mark, None, words)
    elif (near := nearest(words.strip("\"'`"), REASONS, 0.8)) and near not in words:
        message = f"{quoted(words)} is not a reason for which a reply is refused"
        hint = f"did you mean `{near}`? Then {hint}"
    raise CasesError(Problem("test/empty", message, span if words else mark, hint))


def _is_unclear(words: str) -> bool:
    """Whether words rather name reasons, a file, or a reply than say that a model refuses."""
    if _SAID.match(words):
        return True
    each = re.split(r"[\s,;]+", words.strip("\"'`,;"))
    return all(nearest(one, REASONS, 0.8) and not one.endswith(".") for one in each)


def clear_refusal(words: str) -> str:
    """Return the words of a model's refusal in a form that is read as such."""
    if words in {"any", "true", "false", *REASONS}:
        return f"{words}."
    if not words.strip():
        return "(without words)"
    return f"({words})" if _is_unclear(words) else words


def check_reason(refused: str, span: Span) -> None:
    """Raise CasesError for what is not a reason for which a check refuses a reply."""
    if refused and refused not in {"any", *REASONS}:
        message = f"`{refused}` is not a reason for which a reply is refused"
        hint = did_you_mean(refused, REASONS) or f"the reasons are {', '.join(REASONS)}"
        raise CasesError(Problem("test/reason", message, span, hint))


def replies_in(source: Source, span: Span) -> Iterator[Recording]:
    """Yield the replies of a file: one as text, or in JSON Lines a record in each line.

    Raises FileError.
    """
    if source.name.lower().endswith(JSON_LINES):
        for one, place in records_in(source):
            yield Recording(place, one.reply, match=one.match)
    else:
        yield Recording(span, Reply(source.text), text=source)


def expressions(source: Source) -> Iterator[Source]:
    """Yield the expressions of a text: each begins a line, and lines indented more continue it."""
    found: list[tuple[int, int]] = []
    indent = start = 0
    text = ""
    for line in source.text.split("\n"):
        words = line.strip()
        is_dropped = is_comment(line)
        text += (" " * len(line) if is_dropped else line) + "\n"
        begins, end = len(line) - len(line.lstrip()), start + len(line.rstrip())
        if words and not is_dropped:
            if found and begins > indent:
                found[-1] = found[-1][0], end
            else:
                found.append((start + begins, end))
                indent = begins
        start += len(line) + 1
    blanked = Source(text[:-1], source.name, source.anchors)  # comments, where all keeps its place
    for place in found:
        yield copied(blanked, *place)
