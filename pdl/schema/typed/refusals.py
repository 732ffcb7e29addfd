"""What is said of values that are no types, and of types that no schema can have."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any, NoReturn

from pdl.errors import Problem, error_from

_VALUES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str, typing.ForwardRef), "it is only the name of a type, so pass the type itself"),
    ((list,), "it is a list, not a type: write `list[int]`"),
    ((dict,), "it is a dict, not a type: write `dict[str, int]`, a TypedDict or a dataclass"),
    ((tuple,), "it is a tuple, not a type: write `tuple[int, str]`, or `int | str`"),
    ((int, float), "it is a value, not a type: write `Literal[…]` for a fixed value"),
)
_SHOWN = 60  # characters of a type or of a place in an error


def refuse(form: Any, where: str, why: str) -> NoReturn:
    """Raise the SchemaError for a type at a place."""
    shown = name_of(form)
    message = f"the type `{_cut(shown)}` at {_cut(where)} cannot be a schema: {why}"
    raise error_from([Problem("schema/unsupported-type", message)])


def is_form(form: Any) -> bool:
    """Whether it may be a type: all types have a hash, and values that have one too are known."""
    try:
        hash(form)
    except TypeError:
        return False
    return not (
        isinstance(form, str | int | float | tuple | typing.ForwardRef)
        or hasattr(type(form), "__dataclass_fields__")
        or hasattr(type(form), "__pydantic_core_schema__")
    )


def why_not(form: Any) -> str:
    """Why something that is none of the known types has no schema, and what to write instead."""
    for kinds, why in _VALUES:
        if isinstance(form, kinds):
            return why
    if dataclasses.is_dataclass(form) or hasattr(type(form), "__pydantic_core_schema__"):
        return f"it is an instance: pass the class `{type(form).__name__}`"
    if any(form is one for one in (typing.Union, typing.Optional, typing.Literal)):
        return "it says nothing without its brackets"
    if isinstance(form, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        return "it is a function: pdl.tools.ToolSet.from_functions makes a tool of it"
    if type(form).__name__ == "TypeAdapter":
        return "it is an adapter: pass the type that it was made of"
    return "it has no JSON Schema"


def name_of(form: Any) -> str:
    """What a type is called; a value whose text would be an address, by its class."""
    if name := getattr(form, "__name__", ""):
        return str(name)
    return type(form).__name__ if " at 0x" in repr(form) else str(form)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
