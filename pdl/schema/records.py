"""What Python's classes and annotations say: scalars, constraints, defaults, named fields.

Classes with named fields are dataclasses, TypedDicts and NamedTuples. What `Annotated` says of a
type is read by the attributes that annotated-types and pydantic share.
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
from pdl.schema.keywords import SIZES, types_of

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
_SHOWN = 60  # characters of a type or of a location in an error


def refuse(form: Any, where: str, why: str) -> NoReturn:
    """Raise the SchemaError for a type at a location; the root's is the name of its type."""
    shown = name_of(form)
    place = "" if where == shown else f" at {_cut(where)}"
    message = f"the type `{_cut(shown)}`{place} cannot be a schema: {why}"
    raise error_from([Problem("schema/unsupported-type", message)])


def is_form(form: Any) -> bool:
    """Whether it might be a type: types have a hash, and other values with one are known."""
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
    """Why something other than a known type has no schema, and what to write instead."""
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
    """The name of a type; of a value whose repr would be an address, that of its class."""
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
    """The schema of a type without parts; types of modules that few import go by their names."""
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


def annotate(
    schema: dict[str, Json], metadata: Iterable[Any], refuse: Callable[[str], None]
) -> dict[str, Json]:
    """Return the schema with the constraints and the description that the metadata has.

    A plain string is a description. Unknown metadata is ignored, as PEP 593 demands; `refuse` is
    called with what is wrong with a known constraint that JSON Schema cannot express.
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
            number = _number(bound)
            found |= {} if number is None else {keyword: number}
            if number is None:
                refuse(f"the bound {bound!r} is not a JSON number")
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


def _number(value: Any) -> int | float | None:
    """The JSON number of a Python number, or None."""
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _size(schema: dict[str, Json]) -> str:
    sizes = [SIZES[kind] for kind in types_of(schema) if kind in SIZES]
    return sizes[0] if len(sizes) == 1 else ""


NO_DEFAULT: Any = object()
"""Represents the absence of a default, or one that JSON does not have."""

_EMPTY = (list, dict, set, frozenset, tuple, str, int, float, bool)


def json_default(value: Any) -> Json:
    """The JSON value of a default, or NO_DEFAULT."""
    try:
        return _to_json(value)
    except TypeError:
        return NO_DEFAULT


def _to_json(value: Any) -> Json:  # noqa: PLR0911 - one for each kind of value
    """The JSON value of a Python value. Raises TypeError if it has none."""
    if isinstance(value, enum.Enum):
        return _to_json(value.value)
    if value is None or isinstance(value, bool | str):
        return value
    if (number := _number(value)) is not None:
        return number
    # RFC 3339 has no times without an offset.
    if isinstance(value, dt.date | dt.time) and getattr(value, "tzinfo", True) is not None:
        return value.isoformat()
    if isinstance(value, UUID | PurePath) or type(value).__module__ == "ipaddress":
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {one.name: _to_json(getattr(value, one.name)) for one in fields}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_to_json(item) for item in value]
    raise TypeError


def made_default(factory: Any) -> Json:
    """What a factory makes, if it is a plain type; others could do anything and are not called."""
    return json_default(factory()) if factory in _EMPTY else NO_DEFAULT


@dataclass(frozen=True)
class Member:
    """One field: its type as annotated, and what else its class declares."""

    name: str
    form: Any
    required: bool = True
    default: Json = NO_DEFAULT
    description: str = ""


def is_record(form: Any) -> bool:
    """Whether a class has named fields that `members` lists."""
    return isinstance(form, type) and (
        dataclasses.is_dataclass(form) or _is_typed_dict(form) or _is_named_tuple(form)
    )


def is_pydantic(form: Any) -> bool:
    """Whether pydantic has a schema of a class: it is a model, or defines one for pydantic."""
    names = ("__get_pydantic_core_schema__", "__pydantic_core_schema__")
    return isinstance(form, type) and any(hasattr(form, name) for name in names)


def members(cls: Any) -> Iterator[Member]:
    """Yield the fields in order. Raises NameError if an annotation uses an undefined name."""
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
    """Also one of `typing_extensions`, which need not be installed and has its own metaclass."""
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
    """`Required` and `NotRequired` also apply where annotations are strings (PEP 563)."""
    marks = {Required: True, NotRequired: False}
    if get_origin(form) in marks:
        return Member(name, get_args(form)[0], marks[get_origin(form)])
    return Member(name, form, required)
