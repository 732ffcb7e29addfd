"""Names for the shapes that every layer passes around."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value as `json.loads` gives it: None, bool, int, float, str, list, dict."""

JsonSchema: TypeAlias = Mapping[str, Any]
"""A JSON Schema 2020-12 object. Treated as immutable everywhere."""

JsonPath: TypeAlias = tuple[str | int, ...]
"""The keys and indices that lead from the root of a JSON value to a part of it."""


def format_path(path: JsonPath) -> str:
    """Write a path as people and models read it: `$.items[2].price`, `$["odd key"]`."""
    return "$" + "".join(_format_step(step) for step in path)


def _format_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.replace("-", "_").isidentifier():
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'["{escaped}"]'
