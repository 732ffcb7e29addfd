"""The text of a schema: the schema DSL, or JSON Schema in a fenced code block or in a file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import PdlError, Problem, error_from, quoted
from pdl.schema.dsl.to_json_schema import read
from pdl.schema.keywords import JSON_TYPES
from pdl.schema.parts import located
from pdl.source import Source

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.schema.parts import SchemaParts
    from pdl.source import Span


Resolve: TypeAlias = Callable[[str], tuple[str, str]]
"""From what follows the `@` to the text of that file and its name."""

_SPACES = "\ufeff \t\r\n"
_LIKE_JSON = re.compile(r"\{\s*\"")
_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n`]*)(?:\r\n?|\n|$)")
_INFOS = ("", "json", "jsonschema", "json-schema", "json schema", "schema+json")
_PIECES = re.compile(r'"(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
_TELLING = ("$ref", "$schema", "allOf", "anyOf", "oneOf", "properties")
_DEPTH_FACTOR = 4


def parse(source: Source, limits: Limits, resolve: Resolve | None) -> SchemaParts:
    """Parse the text of a schema. Raises SchemaError or LimitError, each with a position."""
    start = len(source.text) - len(source.text.lstrip(_SPACES))
    if source.text.startswith("@", start):
        return _from_file(source, start, limits, resolve)
    if source.text.startswith(("```", "~~~"), start):
        return _from_fence(source, start, limits)
    if _LIKE_JSON.match(source.text, start) and _looks_like_schema(source.text, limits):
        message = "this is a JSON Schema, which the schema DSL would read as an object of constants"
        hint = "put it into a ```json fence, or call Schema.from_json_schema"
        raise error_from([Problem("schema/bare-json-schema", message, source.span(start), hint)])
    return read(source, limits)


def _from_file(source: Source, start: int, limits: Limits, resolve: Resolve | None) -> SchemaParts:
    """@file.json | @package:path."""
    words = source.text[start + 1 :].strip()
    span = source.span(start, start + 1 + len(words))
    if not words or "\n" in words:
        message = "expected one line with the name of a file: `@file.json` or `@package:path`"
        raise error_from([Problem("schema/bad-file", message, span)])
    if resolve is None:
        message = f"the file {quoted(words)} cannot be read here: only a prompt file can name files"
        hint = "load the prompt with `pdl.load`, or pass `resolve=`"
        raise error_from([Problem("schema/bad-file", message, span, hint)])
    text, name = resolve(words)
    try:
        return _convert(Source(text, name), limits, span, f"{name}: ")
    except PdlError as error:
        if _is_one_object(text):
            raise
        raise error_from([_unquoted(one, name, span) for one in error.problems]) from None


def _is_one_object(text: str) -> bool:
    """Whether a text is a JSON object, even one that is cut off or has a mistake."""
    if not text.lstrip(_SPACES).startswith("{"):
        return False
    try:
        json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        return error.msg != "Extra data"  # a line for each of many, as logs have it
    except (ValueError, RecursionError):
        return True
    return True


def _unquoted(problem: Problem, name: str, span: Span) -> Problem:
    """The problem of a file that is not a schema at all, without quoting the file."""
    where = f"{problem.span.source.name}:{problem.span.line}: " if problem.span else f"{name}: "
    told = problem.message if problem.code == "schema/not-json" else "this is not a JSON Schema"
    return Problem(problem.code, where + told, span)


def _from_fence(source: Source, start: int, limits: Limits) -> SchemaParts:
    """A fenced code block (GFM, section 4.5), closed by a fence that is at least as long."""
    inside, offset, span = read_fence(source, start)
    return _convert(inside, limits, span, "", offset)


def read_fence(
    source: Source,
    start: int,
    infos: Collection[str] = _INFOS,
    bad_fence: str = "schema/bad-fence",
    trailing_text: str = "schema/trailing-text",
) -> tuple[Source, int, Span]:
    """Read a fenced code block (GFM, section 4.5) that nothing follows.

    Returns the source up to its closing fence, where its content begins, and the span of its
    opening fence. `infos` are the info strings allowed; the codes are those of the errors.
    """
    fence = _FENCE.match(source.text, start)
    if fence is None:
        message = "invalid fence: its first line has its marks and one word, without backticks"
        hint = "write the content and the closing fence on separate lines"
        raise error_from([Problem(bad_fence, message, source.span(start), hint)])
    info = fence["info"].strip()
    if info.lower() not in infos:
        message = f"info string of the fence: expected `json`, found {quoted(info)}"
        span = source.span(fence.start("info"), fence.end("info"))
        raise error_from([Problem(bad_fence, message, span, "write ```json")])
    mark = fence["mark"]
    closing = re.compile(rf"^[ \t]*{mark[0]}{{{len(mark)},}}[ \t]*\r?$", re.MULTILINE)
    end = closing.search(source.text, fence.end())
    span = source.span(fence.start("mark"), fence.end("mark"))
    if end is None:
        raise error_from([Problem(bad_fence, "unclosed fence", span, "close it as it was opened")])
    rest = source.text[end.end() :]
    if rest.strip():
        at = source.span(end.end() + len(rest) - len(rest.lstrip()))
        raise error_from([Problem(trailing_text, "text after the fence", at)])
    return Source(source.text[: end.start()], source.name, source.anchors), fence.end(), span


def _convert(
    source: Source, limits: Limits, span: Span, prefix: str, start: int = 0
) -> SchemaParts:
    """The JSON Schema of a text; problems without a position get the span."""
    from pdl.schema.json_schema import convert  # noqa: PLC0415 - most schemas are in the DSL

    document = load(source, limits, start)
    try:
        parts = convert(document, limits)
    except PdlError as error:
        placed = [
            one if one.span else replace(one, message=prefix + one.message, span=span)
            for one in located(error.problems, source, start)
        ]
        raise error_from(placed) from error
    return parts._replace(source_map=parts.source_map._replace(source=source, start=start))


def load(source: Source, limits: Limits, start: int = 0) -> Json:
    """Parse the JSON that follows an offset of the text.

    Raises SchemaError for text that is not JSON, with its position, and for a duplicate key;
    LimitError for text that is too long or too deep.
    """
    check_size(source, limits, start)

    def integer(digits: str) -> int:
        if len(digits) > limits.integer_digits:
            message = f"an integer of more than {limits.integer_digits:,} digits"
            raise error_from([Problem("limit/integer-digits", message, source.span(start))])
        return int(digits)

    def constant(name: str) -> Json:
        raise error_from(
            [Problem("schema/not-json", f"{name} is not a JSON value", source.span(start))]
        )

    def pairs(entries: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(entries)
        if len(result) < len(entries):
            counts = Counter(key for key, _ in entries)
            key = next(key for key in result if counts[key] > 1)
            message = f"duplicate key `{key}` in the JSON Schema"
            raise error_from([Problem("schema/duplicate-key", message, source.span(start))])
        return result

    try:
        return json.loads(
            source.text[start:].lstrip("\ufeff"),
            parse_int=integer,
            parse_constant=constant,
            object_pairs_hook=pairs,
        )
    except json.JSONDecodeError as error:
        from pdl.decoding import json_fault  # noqa: PLC0415 - only errors need it

        reason, at = json_fault(error)
        message = f"this is not JSON: {reason}"
        span = source.span(min(start + at, len(source.text.rstrip())))
        raise error_from([Problem("schema/not-json", message, span)]) from error


def _looks_like_schema(text: str, limits: Limits) -> bool:
    """Whether a text as a whole is the JSON of an object that has a JSON Schema's keywords."""
    too_long = len(text) > limits.source_chars
    if too_long or _deepest(text, 0)[0] > limits.schema_depth * _DEPTH_FACTOR:
        return False
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except ValueError:
        return False
    return isinstance(value, dict) and (
        value.get("type") in JSON_TYPES or any(key in value for key in _TELLING)
    )


def check_size(source: Source, limits: Limits, start: int = 0) -> None:
    """Raise LimitError, with a position, for text that is too long or too deep."""
    if len(source.text) > limits.source_chars:
        message = f"text longer than {limits.source_chars:,} characters"
        raise error_from([Problem("limit/source-chars", message, source.span(start))])
    depth, at = _deepest(source.text, start)
    most = limits.schema_depth * _DEPTH_FACTOR
    if depth > most:
        message = f"the JSON nests deeper than {most} levels"
        raise error_from([Problem("limit/schema-depth", message, source.span(at))])


def _deepest(text: str, start: int) -> tuple[int, int]:
    """How deep the brackets outside strings nest, and where they first do."""
    depth = deepest = at = 0
    for match in _PIECES.finditer(text, start):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                deepest, at = depth, match.start()
        elif match[0] in "]}":
            depth -= 1
    return deepest, at
