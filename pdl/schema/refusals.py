"""Why a type has no schema, and what to write instead."""

from __future__ import annotations

import collections
import types
import typing
from collections import abc
from typing import Annotated, Any, NoReturn, get_args, get_origin

from pdl.errors import Problem, error_from
from pdl.schema.annotations import name_of

_VALUES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((str, typing.ForwardRef), "it is only the name of a type, so pass the type itself"),
    ((list,), "it is a list, not a type: write `list[int]`"),
    ((dict,), "it is a dict, not a type: write `dict[str, int]`, a TypedDict or a dataclass"),
    ((tuple,), "it is a tuple, not a type: write `tuple[int, str]`, or `int | str`"),
    ((int, float), "it is a value, not a type: write `Literal[…]` for a fixed value"),
)
_WITHOUT_JSON: tuple[tuple[tuple[Any, ...], str], ...] = (
    ((typing.Union, typing.Optional, typing.Literal), "it says nothing without its brackets"),
    ((typing.NamedTuple, typing.TypedDict), "pass a class that inherits from it"),
    ((bytes, bytearray, memoryview), "JSON has no bytes: write `str`, in base64 for example"),
    ((complex,), "JSON has no complex numbers: write `tuple[float, float]`"),
    ((collections.Counter,), "write `dict[str, int]`"),
    ((abc.Callable, typing.Callable), "JSON has no functions"),
    (
        (abc.Iterator, abc.Generator, abc.AsyncIterator, abc.AsyncGenerator, abc.AsyncIterable),
        "its items exist only once: write `list[…]`",
    ),
    ((typing.Never, typing.NoReturn), "no value fits it"),
    ((typing.Self,), "write the name of the class"),
    ((type,), "JSON has no types"),
)
_CLASS_MARKS = (
    "__dataclass_fields__",
    "__pydantic_core_schema__",
    "__struct_fields__",
    "__attrs_attrs__",
)
_SHOWN = 60  # characters of a type or of a location in an error


def refuse(form: Any, where: str, why: str) -> NoReturn:
    """Raise the SchemaError for a type at a location; the root's is the name of its type."""
    shown = name_of(form)
    place = "" if where == shown else f" at {_cut(where)}"
    message = f"the type `{_cut(shown)}`{place} cannot be a schema: {why}"
    raise error_from([Problem("schema/unsupported-type", message)])


def undefined(error: NameError) -> str:
    """Return the name that an annotation uses and that is not defined, and where it must be."""
    where = "define or import it at the top level of the module, where annotations find it"
    return f"`{error.name}`, which is not defined there: {where}"


def is_form(form: Any) -> bool:
    """Whether it might be a type: types have a hash, and other values with one are known."""
    if get_origin(form) is Annotated:  # its metadata might not have a hash
        return is_form(get_args(form)[0])
    try:
        hash(form)
    except TypeError:
        return False
    return not isinstance(form, str | int | float | tuple | typing.ForwardRef) and not _is_instance(
        form
    )


def _is_instance(form: Any) -> bool:
    """Whether it is a value of a class with fields, not such a class."""
    return not isinstance(form, type) and any(hasattr(type(form), one) for one in _CLASS_MARKS)


def why_not(form: Any) -> str:
    """Why something other than a known type has no schema, and what to write instead."""
    for kinds, why in _VALUES:
        if isinstance(form, kinds):
            return why
    if _is_instance(form):
        return f"it is an instance: pass the class `{type(form).__name__}`"
    kind = get_origin(form) or form
    for known, why in _WITHOUT_JSON:
        if any(kind is one for one in known):
            return why
    if isinstance(form, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        return "it is a function: pdl.tools.ToolSet.from_functions makes a tool of it"
    if type(form).__name__ == "TypeAdapter":
        return "it is an adapter: pass the type that it was made of"
    return "it has no JSON Schema"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
