"""JSON as every command writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.schema.json_values import json_document, json_line

if TYPE_CHECKING:
    from pdl.errors import PdlError, Problem

__all__ = ["failure_json", "json_document", "json_line", "problem_fields"]


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
