"""What a prompt takes, for a form, and the data with its defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pdl._types import format_path
from pdl.edit.template.types import Type, name_of
from pdl.errors import PdlError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.play.looking.subject import Filled, Subject
    from pdl.prompt import Inputs

_NOTATION = 200  # characters of a type in one line


def inputs(subject: Subject) -> Json:
    """Return the variables, the data without and with defaults, and what was made up."""
    filled = subject.filled
    declared = filled.draft.prompt.inputs
    document = declared.schema.to_json_schema() if declared is not None else None
    given, data, found = _data(filled, declared)
    try:
        invented = filled.rendering.stand_ins
    except PdlError:  # of which the turns tell
        invented = {}
    return {
        "declared": declared is not None,
        "names": list(declared.names if declared is not None else filled.draft.prompt.variables),
        "schema": document,
        "fields": _fields(document) if document is not None else [],
        "given": given,
        "data": data,
        "problems": found,
        "stand_ins": invented,
    }


def _data(filled: Filled, declared: Inputs | None) -> tuple[Json, Json, list[Json]]:
    """The data as they are written, those with defaults, and what is wrong with them."""
    given = None
    try:
        given = filled.values
        return given, (given if declared is None else declared.filled(given)), []
    except PdlError as error:
        return given, None, [_problem(filled, one) for one in error.problems]


def _problem(filled: Filled, one: Problem) -> Json:
    """A problem: with the path of a value, or its place in the text of the data."""
    place = one.location
    line = column = None
    if place is not None and place.source.name == "data":
        line, column, *_ = filled.places.range(place)
    return {
        "path": _path(one.pointer) if one.pointer else "",
        "message": one.message,
        "hint": one.hint,
        "line": line,
        "column": column,
    }


def _path(pointer: str) -> str:
    """The path that a JSON pointer names."""
    steps = [unquote(one).replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:]]
    return format_path(tuple(int(one) if one.isdecimal() else one for one in steps))


def _fields(document: Mapping[str, Any]) -> list[Json]:
    """The variables that are declared, each with its type in the notation and in JSON Schema."""
    required = document.get("required", ())
    shared = {"$defs": document["$defs"]} if "$defs" in document else {}
    return [
        {
            "name": name,
            "type": name_of(Type(field, document), _NOTATION),
            "schema": {**field, **shared},
            "required": name in required and "default" not in field,
            **({"default": field["default"]} if "default" in field else {}),
            "description": field.get("description", ""),
        }
        for name, field in document.get("properties", {}).items()
        if isinstance(field, dict)
    ]
