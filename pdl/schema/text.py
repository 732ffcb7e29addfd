"""A schema's text: the notation, or a JSON Schema that stands in for it, in a fence or a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import PdlError, Problem, error_from
from pdl.schema.json_schema.convert import convert
from pdl.schema.json_schema.load import load
from pdl.schema.notation.lower import read
from pdl.schema.pointers import located
from pdl.schema.prose import quoted
from pdl.source import Source

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.schema.parts import Parts
    from pdl.source import Span


Resolve: TypeAlias = Callable[[str], tuple[str, str]]
"""From what stands behind the `@` to the text of that file and its name."""

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n`]*)(?:\r\n?|\n|$)")
NO_FENCE = (
    "the first line of a fence has its marks and one word, without backticks",
    "put what is in the fence, and the marks that close it, on lines of their own",
)
"""What is wrong with a text that begins like a fence and does not go on like one, and a hint."""

_INFOS = ("", "json", "jsonschema", "json-schema", "json schema", "schema+json")


def from_file(source: Source, start: int, limits: Limits, resolve: Resolve | None) -> Parts:
    """@file.json | @package:path."""
    words = source.text[start + 1 :].strip()
    span = source.span(start, start + 1 + len(words))
    if not words or "\n" in words:
        message = "a schema file is named by one line: `@file.json` or `@package:path`"
        raise error_from([Problem("schema/bad-file", message, span)])
    if resolve is None:
        message = f"the file {quoted(words)} cannot be read here: only a prompt's file names files"
        hint = "load the prompt with `pdl.load`, or pass `resolve=`"
        raise error_from([Problem("schema/bad-file", message, span, hint)])
    text, name = resolve(words)
    try:
        return _convert(Source(text, name), limits, span, f"{name}: ")
    except PdlError as error:
        if _is_one_object(text):
            raise
        raise error_from([_untold(one, name, span) for one in error.problems]) from None


def _is_one_object(text: str) -> bool:
    """Whether a text is an object of JSON, be it cut off or with a mistake in it."""
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return False
    try:
        json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        return error.msg != "Extra data"  # a line for each of many, as logs have it
    except (ValueError, RecursionError):
        return True
    return True


def _untold(problem: Problem, name: str, span: Span) -> Problem:
    """The problem of a file that is no schema at all, told without a word of the file's text."""
    where = f"{problem.span.source.name}:{problem.span.line}: " if problem.span else f"{name}: "
    told = problem.message if problem.code == "schema/not-json" else "this is not a JSON Schema"
    return Problem(problem.code, where + told, span)


def from_fence(source: Source, start: int, limits: Limits) -> Parts:
    """A fence by the rules of GFM (section 4.5): its closer is as long as its opener, or longer."""
    fence = _FENCE.match(source.text, start)
    if fence is None:
        message, hint = NO_FENCE
        raise error_from([Problem("schema/bad-fence", message, source.span(start), hint)])
    info = fence["info"].strip()
    if info.lower() not in _INFOS:
        message = f"a fence in a schema holds a JSON Schema, not {quoted(info)}"
        span = source.span(fence.start("info"), fence.end("info"))
        raise error_from([Problem("schema/bad-fence", message, span, "write ```json")])
    mark = fence["mark"]
    closer = re.compile(rf"^[ \t]*{mark[0]}{{{len(mark)},}}[ \t]*\r?$", re.MULTILINE)
    end = closer.search(source.text, fence.end())
    span = source.span(fence.start("mark"), fence.end("mark"))
    if end is None:
        message = "this fence is never closed"
        raise error_from([Problem("schema/bad-fence", message, span, "close it as it was opened")])
    behind = source.text[end.end() :]
    if behind.strip():
        place = end.end() + len(behind) - len(behind.lstrip())
        message = "text stands behind the fence, where the schema ends"
        raise error_from([Problem("schema/trailing-text", message, source.span(place))])
    inside = Source(source.text[: end.start()], source.name, source.anchors)
    return _convert(inside, limits, span, "", fence.end())


def _convert(source: Source, limits: Limits, span: Span, prefix: str, start: int = 0) -> Parts:
    """The JSON Schema of a text; problems without a place get the span."""
    document = load(source, limits, start)
    try:
        parts = convert(document, limits)
    except PdlError as error:
        placed = [
            one if one.span else replace(one, message=prefix + one.message, span=span)
            for one in located(error.problems, source, start)
        ]
        raise error_from(placed) from error
    return parts._replace(origins=parts.origins._replace(source=source, start=start))


# Most schemas are in the notation, and do not pay for what reads JSON Schema.
# ruff: noqa: PLC0415

_BLANKS = "\ufeff \t\r\n"
_LIKE_JSON = re.compile(r"\{\s*\"")


def parse(source: Source, limits: Limits, resolve: Resolve | None) -> Parts:
    """The schema that the text holds. Raises SchemaError or LimitError, each with a place."""
    start = len(source.text) - len(source.text.lstrip(_BLANKS))
    if source.text.startswith("@", start):
        return from_file(source, start, limits, resolve)
    if source.text.startswith(("```", "~~~"), start):
        return from_fence(source, start, limits)
    if _LIKE_JSON.match(source.text, start):
        _check_bare(source, start, limits)
    return read(source, limits)


def _check_bare(source: Source, start: int, limits: Limits) -> None:
    from pdl.schema.json_schema.load import looks_like_schema

    if looks_like_schema(source.text, limits):
        message = "this is a JSON Schema, which the notation would read as an object of constants"
        hint = "put it into a ```json fence, or call Schema.from_json_schema"
        raise error_from([Problem("schema/bare-json-schema", message, source.span(start), hint)])
