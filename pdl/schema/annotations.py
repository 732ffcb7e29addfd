"""What annotations say: scalars, constraints, type variables, and why a type has no schema.

The metadata of `Annotated` is read by the attributes that annotated-types, pydantic and msgspec
share.
"""

from __future__ import annotations

import collections
import datetime as dt
import json
import math
import os
import re
import sys
import types
import typing
from collections import abc
from decimal import Decimal
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    NoReturn,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from uuid import UUID

from pdl.errors import Problem, error_from
from pdl.schema.constraints import Constraints
from pdl.schema.dsl.tree import NULL
from pdl.schema.keywords import SIZES, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl._types import Json


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

    A plain string is a description, and the words of a rule are added to it. Unknown metadata is
    ignored, as PEP 593 demands; `refuse` is called with what is wrong with a known constraint that
    JSON Schema cannot express.
    """
    result, rules = dict(schema), []
    for one in metadata:
        if isinstance(one, str):
            result["description"] = one
            continue
        description = getattr(one, "description", None) or getattr(one, "documentation", None)
        if isinstance(description, str):
            result["description"] = description
        rules += [one.rule_words] if hasattr(one, "rule_words") else []
        result |= _notes(one) | _constraints(result, one, refuse)
        inner = getattr(one, "metadata", None)  # a pydantic field holds its constraints in here
        if isinstance(inner, list | tuple):
            result = annotate(result, inner, refuse)
    return result | with_rules(result, rules)


def _notes(one: Any) -> dict[str, Json]:
    """The title, the examples and the like that fields of pydantic and `msgspec.Meta` have."""
    found: dict[str, Json] = {}
    for name, kind in (("title", str), ("examples", list), ("deprecated", bool)):
        value = getattr(one, name, None)
        if isinstance(value, kind) and value and not isinstance(one, type):
            found[name] = json.loads(json.dumps(value, default=str))
    for name in ("extra_json_schema", "json_schema_extra"):
        extra = getattr(one, name, None)
        found |= extra if isinstance(extra, dict) else {}
    return found | (one.further() if isinstance(one, Constraints) else {})


RULES = "x-pdl-rules"
"""The keyword with which rules tell their words through pydantic."""


def with_rules(schema: Mapping[str, Json], rules: Iterable[str]) -> dict[str, Json]:
    """A description of a schema to which the words of rules are added, if they have any."""
    base = str(schema.get("description", "")).rstrip().removesuffix(".")
    said = [one for one in rules if one]
    return {"description": "; ".join([base, *said] if base else said)} if said else {}


def rules_of(form: Any) -> list[str]:
    """The words of the rules in the metadata of an annotated type."""
    return [
        one.rule_words for one in getattr(form, "__metadata__", ()) if hasattr(one, "rule_words")
    ]


def has_pydantic(metadata: Iterable[Any]) -> bool:
    """Whether pydantic must validate what has such metadata: it includes something of pydantic's.

    Fields are an exception: what they say of a type can be read without pydantic.
    """
    return any(
        not hasattr(one, "rule_words")
        and (hasattr(one, "__get_pydantic_core_schema__") or _is_of_pydantic(type(one)))
        for one in metadata
    )


def _is_of_pydantic(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "pydantic" and kind.__name__ != "FieldInfo"


def _constraints(
    schema: dict[str, Json], one: Any, refuse: Callable[[str], None]
) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, keyword in _NUMBERS.items():
        bound = getattr(one, name, None)
        if bound is not None:
            number = json_number(bound)
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


def json_number(value: Any) -> int | float | None:
    """The JSON number of a Python number, or None."""
    if isinstance(value, Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _size(schema: dict[str, Json]) -> str:
    sizes = [SIZES[kind] for kind in types_of(schema) if kind in SIZES]
    return sizes[0] if len(sizes) == 1 else ""


def bind(form: Any, bound: Mapping[Any, Any]) -> Any:
    """Return a form in which the type variables are replaced that are bound."""
    if isinstance(form, TypeVar):
        return bound.get(form, form)
    parameters = getattr(form, "__parameters__", ())
    if not get_args(form) or not bound.keys() & set(parameters):
        return form
    return form[tuple(bound.get(one, one) for one in parameters)]


def unwrapped(form: Any) -> Any:
    """Return a form without the aliases, new types, qualifiers and variables around it."""
    while True:
        form = unqualified(form)
        if not is_alias(form):
            return form
        form = alias_value(form)


def unqualified(form: Any) -> Any:
    """Return a form without the new types, qualifiers and variables around it."""
    while True:
        if isinstance(form, TypeVar):
            form = _default(form)
        elif get_origin(form) in (Final, ClassVar) or _is_read_only(form):
            form = get_args(form)[0]
        elif hasattr(form, "__supertype__"):
            form = form.__supertype__
        else:
            return form


def is_alias(form: Any) -> bool:
    """Whether it is the name of a `type` statement (PEP 695), perhaps with brackets."""
    return type(get_origin(form) or form).__name__ == "TypeAliasType"


def alias_value(form: Any) -> Any:
    """Return the type that an alias names. Raises NameError if it uses an undefined name."""
    alias: Any = get_origin(form) or form
    value = alias.__value__
    if isinstance(value, str):  # of typing_extensions, since Python 3.11 has no `type` statement
        value = eval(value, vars(sys.modules[alias.__module__]))  # noqa: S307 - the program's own
    return bind(value, dict(zip(alias.__type_params__, get_args(form), strict=False)))


def resolved(form: Any, module: str) -> Any:
    """Return a type in which strings are replaced by the types of the module that they name.

    Raises NameError for a name that is not defined there.
    """
    holder = types.SimpleNamespace(__annotations__={"it": form})
    names = vars(sys.modules[module]) if module in sys.modules else {}
    return typing.get_type_hints(holder, names, include_extras=True)["it"]


def _is_read_only(form: Any) -> bool:
    """Whether it is `ReadOnly[…]` (PEP 705), which Python 3.11 has only in `typing_extensions`."""
    return getattr(get_origin(form), "_name", "") == "ReadOnly"


def _default(variable: TypeVar) -> Any:
    """The type of an unbound type variable: its default (PEP 696), or what bounds it."""
    if getattr(variable, "has_default", bool)():
        return variable.__default__  # type: ignore[attr-defined]  # of Python 3.13 and typing_extensions
    if variable.__constraints__:
        return Union[variable.__constraints__]  # noqa: UP007 - made of a tuple
    return variable.__bound__ if variable.__bound__ is not None else Any
