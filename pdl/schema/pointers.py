"""JSON Pointers (RFC 6901): what one names in a document, and where that stands in its text.

`lookup` goes from a reference of a schema's document to what it names.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pdl.schema.keywords import pointer, subschemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonPath, JsonSchema
    from pdl.errors import Problem
    from pdl.source import Source, Span


def steps(reference: str) -> JsonPath:
    """The keys that a reference within a document leads through (RFC 6901, section 6).

    Indices of arrays are strings too: only the document tells them from keys.
    """
    tokens = unquote(reference.removeprefix("#")).split("/")[1:]
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def lookup(document: JsonSchema, reference: str) -> Json:
    """The schema that a reference of a `Schema.document` names; KeyError if there is none."""
    node: Json = document
    for step in steps(reference):
        try:
            node = node[int(step)] if isinstance(node, list) else node[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise KeyError(reference) from None
    return node


def schemas(document: Json) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """All schemas of a document that are objects, in its order.

    Behind them come those that only a reference tells from other values, as
    `#/components/schemas/a` does.
    """
    pending: list[tuple[JsonPath, Json]] = [((), document)]
    named: dict[str, None] = {}
    seen: set[int] = set()
    while pending or named:
        if not pending:
            path = steps(next(iter(named)))
            del named[next(iter(named))]
            pending = [_found(document, path)]
        path, schema = pending.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield path, schema
        if isinstance(schema.get("$ref"), str):
            named[schema["$ref"]] = None
        inside = [((*path, *inner_path), inner) for inner_path, inner in subschemas(schema)]
        pending += reversed(inside)


def _found(document: Json, path: JsonPath) -> tuple[JsonPath, Json]:
    """What stands at a path, which names indices by their digits, and its path with indices."""
    found: list[str | int] = []
    for step in path:
        found.append(int(step) if isinstance(document, list) else step)
        document = document[found[-1]]
    return tuple(found), document


_TOKEN = re.compile(
    r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)(?:"|\\?\Z)|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL
)


def spans(source: Source, wanted: Iterable[str], start: int = 0) -> dict[str, Span]:
    """The spans of values, by their pointers, in a text that is JSON from an offset on.

    That of an array or an object is its opening bracket; what is not found has none.
    """
    left = set(wanted)
    found: dict[str, Span] = {}
    for place, begin, end in _values(source.text, start):
        if place in left:
            found[place] = source.span(begin, end)
            left.discard(place)
            if not left:
                break
    return found


def located(problems: Iterable[Problem], source: Source, start: int = 0) -> list[Problem]:
    """Problems with the spans of their pointers, where they have pointers and no spans.

    Those that are found come in the order of the text, behind the others.
    """
    told = list(problems)
    wanted = [one.pointer for one in told if one.span is None and one.pointer]
    found = spans(source, wanted, start) if wanted else {}
    order = {place: number for number, place in enumerate(found)}
    told.sort(key=lambda one: -1 if one.span else order.get(one.pointer, -1))
    return [
        replace(one, span=found[one.pointer]) if one.span is None and one.pointer in found else one
        for one in told
    ]


def _values(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """All values of a JSON text: pointer, start, end (of brackets, those that open)."""
    stack: list[str] = []
    steps: list[str | int] = []
    is_key = False
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == ":":
            continue
        if mark in "]}":
            if not stack:
                return
            stack.pop()
            steps.pop()
            is_key = False
        elif mark == ",":
            is_key = bool(steps) and isinstance(steps[-1], str)
            if steps and isinstance(steps[-1], int):
                steps[-1] += 1
        elif is_key:
            steps[-1] = json.loads(mark, strict=False)
            is_key = False
        else:
            place = stack[-1] + pointer((steps[-1],))[1:] if stack else "#"
            yield place, token.start(), token.end()
            if mark in "[{":
                stack.append(place)
                steps.append(0 if mark == "[" else "")
                is_key = mark == "{"
