"""Names for the shapes that every layer passes around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from typing import ClassVar, Protocol

    from typing_extensions import TypeVar

    T = TypeVar("T", default=Any)

    class DataclassInstance(Protocol):
        """An instance of any dataclass."""

        __dataclass_fields__: ClassVar[dict[str, Any]]

    class PydanticInstance(Protocol):
        """An instance of any pydantic model."""

        __pydantic_fields__: ClassVar[dict[str, Any]]

    Values: TypeAlias = Mapping[str, Any] | DataclassInstance | PydanticInstance
else:
    from typing import TypeVar

    T = TypeVar("T")
"""The Python type of an answer; Any where none is given, so that `Schema` alone stays valid."""

CASES_SUFFIX: Final = ".tests.pdl"
"""How the name of a file of cases ends, which is no prompt: `NAME.tests.pdl` beside `NAME.pdl`."""

Json: TypeAlias = Any
"""A JSON value as `json.loads` returns it: None, bool, int, float, str, list, dict."""

JsonSchema: TypeAlias = Mapping[str, Any]
"""A JSON Schema 2020-12 object. Treated as immutable everywhere."""

JsonPath: TypeAlias = tuple[str | int, ...]
"""The keys and indices from the root of a JSON value to a part of it."""


def format_path(path: JsonPath) -> str:
    """Write a path as JSONPath: `$.items[2].price`, `$["odd key"]`."""
    return "$" + "".join(_format_step(step) for step in path)


def _format_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.replace("-", "_").isidentifier():
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'["{escaped}"]'


def options_repr(options: Any) -> str:
    """Return the repr of a dataclass of options, without those that have their defaults.

    Such values are defaults of arguments, and help and editors show them in every signature.
    """
    changed = []
    for one in fields(options):
        value = getattr(options, one.name)
        factory = one.default_factory
        default = one.default if factory is MISSING else factory()
        if default is MISSING or value != default:
            changed.append(f"{one.name}={value!r}")
    return f"{type(options).__name__}({', '.join(changed)})"
