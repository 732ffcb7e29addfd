"""What annotations say: scalars, constraints, and type variables.

The metadata of `Annotated` is read by the attributes that annotated-types, pydantic and msgspec
share.
"""

from __future__ import annotations

import builtins
import datetime as dt
import inspect
import json
import os
import re
import sys
import types
import typing
from decimal import Decimal
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    get_args,
    get_origin,
)
from uuid import UUID

from pdl.schema.checks import (
    NO_ZONE,
    flattened,
    has_offset,
    json_number,
    own_checks,
    temporal,
    zone_of,
)
from pdl.schema.constraints import Constraints
from pdl.schema.dsl.tree import NULL
from pdl.schema.keywords import SIZES, types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl._types import Json


def name_of(form: Any) -> str:
    """The name of a type; of a value whose repr would be an address, that of its class."""
    if get_origin(form) is Annotated:
        return name_of(get_args(form)[0])
    if name := getattr(form, "__name__", ""):
        return str(name)
    return type(form).__name__ if " at 0x" in repr(form) else str(form)


_SCALARS: MappingProxyType[Any, dict[str, Json]] = MappingProxyType(
    {
        str: {"type": "string"},
        typing.LiteralString: {"type": "string"},
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
    schema: dict[str, Json], metadata: Iterable[Any], refuse: Callable[[str], NoReturn]
) -> dict[str, Json]:
    """Return the schema with the constraints and the description that the metadata has.

    A plain string is a description, and the words of rules and of other demands on the value are
    added to it. Unknown metadata is ignored, as PEP 593 demands; `refuse` is called with what is
    wrong with a known constraint that has no meaning for the type.
    """
    result, pieces = dict(schema), list(flattened(metadata))
    for one in pieces:
        if isinstance(one, str):
            result["description"] = one
            continue
        description = getattr(one, "description", None) or getattr(one, "documentation", None)
        if isinstance(description, str):
            result["description"] = description
        result |= _notes(one) | _constraints(result, one, refuse) | _zone(result, one, refuse)
    return result | with_rules(result, _words(pieces))


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
    """The words of the rules and other demands in the metadata of an annotated type."""
    return _words(flattened(getattr(form, "__metadata__", ())))


def _words(pieces: Iterable[Any]) -> list[str]:
    """The words of rules, and of what else JSON Schema can't express, in order."""
    found: list[str] = []
    for one in pieces:
        rules = [one] if hasattr(one, "rule_words") else own_checks(one)
        found += [rule.rule_words for rule in rules]
    return found


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
    schema: dict[str, Json], one: Any, refuse: Callable[[str], NoReturn]
) -> dict[str, Json]:
    found = _bounds(schema, one, refuse)
    for name, end in (("min_length", "min"), ("max_length", "max")):
        length = getattr(one, name, None)
        if isinstance(length, int) and not (end == "min" and length == 0):
            size = _size(schema)
            found |= {end + size: length} if size else {}
            if not size:
                refuse(f"the length {length} has no meaning for it")
    for name in ("max_digits", "decimal_places"):
        count = getattr(one, name, None)
        if isinstance(count, int) and not _may_be(schema, "number", "integer"):
            refuse(f"`{name}` has no meaning for it")
    pattern = getattr(one, "pattern", None)
    pattern = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    if isinstance(pattern, str) and not _may_be(schema, "string"):
        refuse(f"the pattern {pattern!r} has no meaning for it")
    return found | ({"pattern": pattern} if isinstance(pattern, str) else {})


def _bounds(
    schema: dict[str, Json], one: Any, refuse: Callable[[str], NoReturn]
) -> dict[str, Json]:
    """The keywords of bounds that are numbers; those of dates and the like are checks."""
    found: dict[str, Json] = {}
    for name, keyword in _NUMBERS.items():
        bound = getattr(one, name, None)
        number, kind = json_number(bound), temporal(bound) if name != "multiple_of" else None
        if number is not None:
            found[keyword] = number
        fits = _may_be(schema, "number", "integer") if kind is None else _has_format(schema, kind)
        if bound is not None and number is None and kind is None:
            refuse(f"the bound {bound!r} is not a JSON number")
        elif bound is not None and not fits:
            refuse(f"the bound {bound!r} has no meaning for it")
        if has_offset(bound):
            found |= _demanding_zone(schema)
    return found


_FORMATS: MappingProxyType[Any, tuple[str, ...]] = MappingProxyType(
    {
        dt.datetime: ("x-date-time", "date-time"),
        dt.date: ("date",),
        dt.time: ("x-time", "time"),
        dt.timedelta: ("duration",),
    }
)


def _has_format(schema: dict[str, Json], *kinds: type) -> bool:
    """Whether it is the schema of one of some types of dates and times, or of a union with one."""
    formats = [name for kind in kinds for name in _FORMATS[kind]]
    branches = schema.get("anyOf", [])
    return schema.get("format") in formats or any(_has_format(one, *kinds) for one in branches)


def _may_be(schema: dict[str, Json], *names: str) -> bool:
    """Whether values of one of some types of JSON might fit a schema."""
    if "anyOf" in schema:
        return any(_may_be(one, *names) for one in schema["anyOf"])
    return not types_of(schema) or any(name in names for name in types_of(schema))


def _zone(schema: dict[str, Json], one: Any, refuse: Callable[[str], NoReturn]) -> dict[str, Json]:
    """The format that demands a UTC offset, if metadata demands one."""
    try:
        zone = zone_of(one)
    except ValueError as error:
        refuse(str(error))
    if zone is NO_ZONE:
        return {}
    if not _has_format(schema, dt.datetime, dt.time):
        refuse("a time zone has no meaning for it")
    return {} if zone is None else _demanding_zone(schema)


def _demanding_zone(schema: dict[str, Json]) -> dict[str, Json]:
    name = schema.get("format", "")
    return {"format": name.removeprefix("x-")} if name.startswith("x-") else {}


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


def class_hints(cls: Any) -> dict[str, Any]:
    """Return the annotations of a class and of its bases.

    The name of a class that a function defines is known in its own annotations, although the module
    doesn't have it. Raises NameError for another name that is not defined.
    """
    classes = [one for one in reversed(cls.__mro__) if one is not object]
    local = {one.__name__: one for one in classes if _is_local(one)}
    if not local:
        return typing.get_type_hints(cls, include_extras=True)
    found: dict[str, Any] = {}
    for one in classes:
        found |= _hints_with(one, local if one in local.values() else {})
    return found


def _is_local(cls: Any) -> bool:
    """Whether its name means the class inside of it, and means something else in the module."""
    if cls.__qualname__.endswith(f"<locals>.{cls.__name__}"):
        return True
    module = sys.modules.get(cls.__module__)
    return not (hasattr(module, cls.__name__) or hasattr(builtins, cls.__name__))


def _hints_with(cls: Any, local: Mapping[str, Any]) -> dict[str, Any]:
    """The annotations of a class without those of its bases, in which some names are known."""
    module = sys.modules.get(cls.__module__)
    # As in `get_type_hints`, a default can have the name of a type of the module.
    names = {**vars(cls), **(vars(module) if module else {}), **local}
    own = {
        "__annotations__": inspect.get_annotations(cls),
        "__module__": cls.__module__,
        "__type_params__": getattr(cls, "__type_params__", ()),
    }
    return typing.get_type_hints(type(cls.__name__, (), own), names, dict(local), True)  # noqa: FBT003


def with_self(form: Any, cls: Any) -> Any:
    """Return a type in which `Self` is replaced by a class."""
    if form is typing.Self:
        return cls
    kind, arguments = get_origin(form), get_args(form)
    if kind is Annotated:
        inner = with_self(form.__origin__, cls)
        return form if inner is form.__origin__ else Annotated[(inner, *form.__metadata__)]
    if kind is Literal or not any(with_self(one, cls) is not one for one in arguments):
        return form
    made = tuple(with_self(one, cls) for one in arguments)
    if kind in (Union, types.UnionType):
        return Union[made]  # noqa: UP007 - made of a tuple
    return kind[made if len(made) > 1 else made[0]]


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
