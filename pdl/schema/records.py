"""Classes with named fields: dataclasses, TypedDicts, NamedTuples; and which are pydantic's.

Also what their fields need: Python types without parts, and what JSON has for them;
defaults as JSON values; what `Annotated` says of a type, read by the names that annotated-types and
pydantic share; what is said of values that are not types, and of types that no schema can have.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import inspect
import math
import os
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    NoReturn,
    NotRequired,
    Required,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

from pdl.errors import Problem, error_from
from pdl.schema.dsl.tree import NULL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json


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


_SCALARS: MappingProxyType[Any, dict[str, Json]] = MappingProxyType(
    {
        str: {"type": "string"},
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        float: {"type": "number"},
        Decimal: {"type": "number"},
        None: dict(NULL),
        type(None): dict(NULL),
        Any: {},
        object: {},
        dt.datetime: {"type": "string", "format": "x-date-time"},
        dt.date: {"type": "string", "format": "date"},
        dt.time: {"type": "string", "format": "x-time"},
        dt.timedelta: {"type": "string", "format": "duration"},
        UUID: {"type": "string", "format": "uuid"},
    }
)
_ADDRESSES: MappingProxyType[str, dict[str, Json]] = MappingProxyType(
    {
        "IPv4Address": {"type": "string", "format": "ipv4"},
        "IPv6Address": {"type": "string", "format": "ipv6"},
    }
)


def scalar_schema(form: Any) -> dict[str, Json] | None:
    """The schema of a type without parts; those of modules that few import go by their names."""
    if form in _SCALARS:
        return _SCALARS[form]
    if isinstance(form, type) and issubclass(form, os.PathLike):
        return {"type": "string"}
    if isinstance(form, type) and form.__module__ == "ipaddress":
        return _ADDRESSES.get(form.__name__)
    return None


_NUMBERS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
}
_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}


def annotate(
    schema: dict[str, Json], metadata: Iterable[Any], refuse: Callable[[str], None]
) -> dict[str, Json]:
    """The schema with the constraints and the description that the metadata has.

    A plain string is a description. What is unknown is passed over, as PEP 593 demands; `refuse` is
    called with what is wrong with a constraint that is known but cannot be said.
    """
    result = dict(schema)
    for one in metadata:
        if isinstance(one, str):
            result["description"] = one
            continue
        description = getattr(one, "description", None) or getattr(one, "documentation", None)
        if isinstance(description, str):
            result["description"] = description
        result |= _constraints(result, one, refuse)
        inner = getattr(one, "metadata", None)  # a pydantic field holds its constraints in here
        if isinstance(inner, list | tuple):
            result = annotate(result, inner, refuse)
    return result


def _constraints(
    schema: dict[str, Json], one: Any, refuse: Callable[[str], None]
) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, keyword in _NUMBERS.items():
        bound = getattr(one, name, None)
        if bound is not None:
            number = _bound(bound)
            found |= {} if number is None else {keyword: number}
            if number is None:
                refuse(f"the bound {bound!r} is no JSON number")
    for name, end in (("min_length", "min"), ("max_length", "max")):
        length = getattr(one, name, None)
        if isinstance(length, int) and not (end == "min" and length == 0):
            size = _size(schema)
            found |= {end + size: length} if size else {}
            if not size:
                refuse(f"the length {length} has no meaning for it")
    pattern = getattr(one, "pattern", None)
    pattern = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    return found | ({"pattern": pattern} if isinstance(pattern, str) else {})


def _bound(bound: Any) -> int | float | None:
    if isinstance(bound, Decimal):
        return int(bound) if bound == bound.to_integral_value() else float(bound)
    is_number = isinstance(bound, int | float) and not isinstance(bound, bool)
    return bound if is_number and math.isfinite(bound) else None


def _size(schema: dict[str, Json]) -> str:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    sizes = [_SIZES[kind] for kind in kinds if kind in _SIZES]
    return sizes[0] if len(sizes) == 1 else ""


NO_DEFAULT: Any = object()
"""Stands for a default that JSON cannot hold, or that there is none."""

_EMPTY = (list, dict, set, frozenset, tuple, str, int, float, bool)


def json_default(value: Any) -> Json:
    """The JSON value of a default, or NO_DEFAULT."""
    if isinstance(value, enum.Enum):
        return json_default(value.value)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | Decimal):
        return _default_number(value)
    text = _text(value)
    return _collection(value) if text is NO_DEFAULT else text


def _text(value: Any) -> Json:
    """The text of a value that JSON has as a string, or NO_DEFAULT."""
    if isinstance(value, dt.datetime | dt.time) and value.tzinfo is None:
        return NO_DEFAULT  # RFC 3339 has no times without an offset
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, UUID | PurePath) or type(value).__module__ == "ipaddress":
        return str(value)
    return NO_DEFAULT


def _collection(value: Any) -> Json:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return _mapping({field.name: getattr(value, field.name) for field in fields})
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list | tuple | set | frozenset):
        items = [json_default(item) for item in value]
        return NO_DEFAULT if any(item is NO_DEFAULT for item in items) else items
    return NO_DEFAULT


def made_default(factory: Any) -> Json:
    """What a factory makes, if it is a plain type; others may do anything, so are not run."""
    return json_default(factory()) if factory in _EMPTY else NO_DEFAULT


def _default_number(value: float | Decimal) -> Json:
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    return value if math.isfinite(value) else NO_DEFAULT


def _mapping(value: Mapping[Any, Any]) -> Json:
    found = {key: json_default(inner) for key, inner in value.items()}
    wrong = any(inner is NO_DEFAULT or not isinstance(key, str) for key, inner in found.items())
    return NO_DEFAULT if wrong else found


@dataclass(frozen=True)
class Member:
    """One field: its type as annotated, and what else its class says of it."""

    name: str
    form: Any
    required: bool = True
    default: Json = NO_DEFAULT
    description: str = ""


def is_record(form: Any) -> bool:
    """Whether a class has named fields that this module can list."""
    return isinstance(form, type) and (
        dataclasses.is_dataclass(form) or _is_typed_dict(form) or _is_named_tuple(form)
    )


def is_pydantic(form: Any) -> bool:
    """Whether pydantic knows what values a class has: a model, or one with a schema for it."""
    names = ("__get_pydantic_core_schema__", "__pydantic_core_schema__")
    return isinstance(form, type) and any(hasattr(form, name) for name in names)


def members(cls: Any) -> Iterator[Member]:
    """The fields in their order. Raises NameError if an annotation names what does not exist."""
    hints = get_type_hints(cls, include_extras=True)
    if dataclasses.is_dataclass(cls):
        for field in dataclasses.fields(cls):
            if field.init:
                yield _dataclass_member(field, hints[field.name])
    elif _is_typed_dict(cls):
        for name, form in hints.items():
            yield _typed_dict_member(name, form, name in cls.__required_keys__)
    else:
        for name in cls._fields:
            has_default = name in cls._field_defaults
            default = json_default(cls._field_defaults[name]) if has_default else NO_DEFAULT
            yield Member(name, hints.get(name, Any), not has_default, default)


def docstring(cls: Any) -> str:
    """The class's own docstring; not the one that a dataclass or a NamedTuple writes for itself."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return ""
    return inspect.cleandoc(text)


def _is_typed_dict(form: type) -> bool:
    """Also one of `typing_extensions`, which may be absent, and has a metaclass of its own."""
    return is_typeddict(form) or (
        issubclass(form, dict) and hasattr(form, "__required_keys__") and hasattr(form, "__total__")
    )


def _is_named_tuple(form: type) -> bool:
    return issubclass(form, tuple) and hasattr(form, "_fields") and hasattr(form, "_field_defaults")


def _dataclass_member(field: dataclasses.Field[Any], form: Any) -> Member:
    default: Json = NO_DEFAULT
    if field.default is not dataclasses.MISSING:
        default = json_default(field.default)
    elif field.default_factory is not dataclasses.MISSING:
        default = made_default(field.default_factory)
    is_set = (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
    description = field.metadata.get("description", "")
    return Member(field.name, form, not is_set, default, str(description))


def _typed_dict_member(name: str, form: Any, required: bool) -> Member:  # noqa: FBT001 - its own field
    """`Required` and `NotRequired` also count where annotations are strings (PEP 563)."""
    marks = {Required: True, NotRequired: False}
    if get_origin(form) in marks:
        return Member(name, get_args(form)[0], marks[get_origin(form)])
    return Member(name, form, required)
