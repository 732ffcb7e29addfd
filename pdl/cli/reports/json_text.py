"""JSON as every command writes it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.errors import PdlError, Problem

_SURROGATE = re.compile("[\ud800-\udfff]")


def json_line(value: Json) -> str:
    """JSON on one line, with characters of all scripts as they are."""
    return _escaped(json.dumps(value, ensure_ascii=False))


def json_document(value: Json) -> str:
    """JSON for people, indented."""
    return _escaped(json.dumps(value, ensure_ascii=False, indent=2))


def _escaped(text: str) -> str:
    # Half of a pair is a string in Python and in JSON, but no text in UTF-8.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def failure_json(error: PdlError) -> str:
    """An error as an object: ok, which is false, and problems."""
    return json_document({"ok": False, "problems": list(map(problem_fields, error.problems))})


def problem_fields(problem: Problem) -> dict[str, Any]:
    """A problem as JSON: path, line, column, end_column (both from 1), code, message, hint.

    `end_column` is behind the last character, on the same line; what has no place has nulls.
    """
    place = problem.location
    path = line = column = end_column = None
    if place is not None:
        path, line, column = place.source.name, place.line, place.column
        length = min(place.end - place.start, len(place.source.line(line)) - column + 1)
        end_column = column + max(length, 1)
    return {
        "path": path,
        "line": line,
        "column": column,
        "end_column": end_column,
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
    }
