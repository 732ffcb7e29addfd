"""What was given as a schema: a `Schema`, a Python type, or something else."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import NewType, get_origin


def no_schema(given: object, wanted: str = "a pdl.Schema", name: str = "schema") -> TypeError:
    """The error, which names the function that makes a schema of what was given, if one does."""
    advice = ""
    if isinstance(given, Mapping | bool):
        advice = ": pdl.Schema.from_json_schema makes one of a JSON Schema"
    elif isinstance(given, str):
        advice = ": pdl.Schema.parse makes one of the notation"
    elif isinstance(given, type) or hasattr(given, "__origin__"):
        advice = ": pdl.Schema.from_type makes one of a Python type"
    kind = given.__name__ if isinstance(given, type) else type(given).__name__
    article = "the type " if isinstance(given, type) else ""
    return TypeError(f"{name} must be {wanted}, not {article}{kind}{advice}")


def is_type(given: object) -> bool:
    """Whether a value is a type: a class, `list[int]`, `int | None`, an alias."""
    forms = (type, UnionType, NewType)
    return isinstance(given, forms) or get_origin(given) is not None or hasattr(given, "__value__")
