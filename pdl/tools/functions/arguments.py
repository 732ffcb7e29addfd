"""JSON values as the Python values that annotations ask for; they fit its schema already."""

from __future__ import annotations

import collections
import datetime as dt
import enum
import json
import os
import types
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pdl.reply.validation.compiled import validator_of
from pdl.schema import Schema
from pdl.schema.typed.records import is_pydantic, is_record, members
from pdl.tools.functions.durations import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json

_TEXTS: Mapping[Any, Callable[[str], Any]] = types.MappingProxyType(
    {
        dt.datetime: dt.datetime.fromisoformat,
        dt.date: dt.date.fromisoformat,
        dt.time: dt.time.fromisoformat,
        dt.timedelta: duration,
        UUID: UUID,
    }
)
_KINDS: Mapping[Any, Callable[[Any], Any]] = types.MappingProxyType(
    {
        set: set,
        frozenset: frozenset,
        collections.deque: collections.deque,
        collections.abc.Set: frozenset,
        collections.abc.MutableSet: set,
        collections.OrderedDict: collections.OrderedDict,
        collections.Counter: collections.Counter,
    }
)
"""Containers that JSON has as a list or an object, and what makes one of these."""


class ConversionError(ValueError):
    """A value that fits the schema is none of its type all the same, say a date in year 0."""


def converted(form: Any, value: Json) -> Any:
    """A JSON value as a value of a type: dates, enums, dataclasses, pydantic models, and so on.

    What the type says nothing of stays as it is. Raises ConversionError.
    """
    try:
        return _converted(form, value)
    except ConversionError:
        raise
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ConversionError(str(error)) from error


def _converted(form: Any, value: Json) -> Any:
    form = _unwrapped(form)
    origin, arguments = get_origin(form), get_args(form)
    if origin in (Union, types.UnionType):
        return _converted(_branch(arguments, value), value)
    if origin is Literal:
        return _literal(arguments, value)
    if is_pydantic(form):
        return _adapter(form).validate_json(json.dumps(value))
    if isinstance(value, dict):
        return _object(origin or form, arguments, value)
    if isinstance(value, list):
        return _list(origin or form, arguments, value)
    return _of_text(form, value) if isinstance(value, str) else _of_scalar(form, value)


def _unwrapped(form: Any) -> Any:
    """A form without aliases, new names and annotations around it."""
    while True:
        if getattr(form, "__metadata__", None) is not None:
            form = form.__origin__
        elif hasattr(form, "__supertype__"):
            form = form.__supertype__
        elif type(form).__name__ == "TypeAliasType":
            form = form.__value__
        elif getattr(get_origin(form), "_name", "") in ("Required", "NotRequired", "ReadOnly"):
            form = get_args(form)[0]
        elif isinstance(form, TypeVar):
            form = form.__bound__ or Any
        else:
            return form


def _branch(branches: tuple[Any, ...], value: Json) -> Any:
    """The first type of a union that a value fits; those that keep it as it is come last."""
    order = sorted(branches, key=lambda one: _unwrapped(one) in (str, Any, object))
    return next((one for one in order if _fits(one, value)), Any)


def _fits(form: Any, value: Json) -> bool:
    return validator_of(_schema(form).document).is_valid(value)


@lru_cache(maxsize=256)
def _schema(form: Any) -> Schema:
    return Schema.from_type(form)


def _literal(choices: tuple[Any, ...], value: Json) -> Any:
    """The member that a value is: of its own type if there is one, else 1 for 1.0."""
    equal = [one for one in choices if _is_same(getattr(one, "value", one), value)]
    return next((one for one in equal if type(one) is type(value)), equal[0] if equal else value)


def _is_same(one: Any, value: Json) -> bool:
    return bool(one == value) and isinstance(one, bool) == isinstance(value, bool)


def _of_text(form: Any, value: str) -> Any:
    if form in _TEXTS:
        return _TEXTS[form](value)
    if isinstance(form, type) and issubclass(form, enum.Enum):
        return form(value)
    is_path = isinstance(form, type) and issubclass(form, os.PathLike)
    if is_path or getattr(form, "__module__", "") == "ipaddress":
        return (os.fspath if is_path and form is os.PathLike else form)(value)
    return value


def _of_scalar(form: Any, value: Json) -> Any:
    if isinstance(form, type) and issubclass(form, enum.Enum):
        return form(value)
    if form is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if form is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if form is Decimal and not isinstance(value, bool) and value is not None:
        return Decimal(str(value))
    return value


def _list(kind: Any, arguments: tuple[Any, ...], value: list[Json]) -> Any:
    if kind is tuple and len(arguments) == len(value) and Ellipsis not in arguments:
        return tuple(_converted(one, item) for one, item in zip(arguments, value, strict=True))
    made = [_converted(arguments[0] if arguments else Any, item) for item in value]
    if kind is tuple:
        return tuple(made)
    return _KINDS.get(kind, list)(made)


def _object(cls: Any, arguments: tuple[Any, ...], value: dict[str, Json]) -> Any:
    if not is_record(cls):
        values = arguments[1] if len(arguments) > 1 else Any
        inside = {key: _converted(values, inner) for key, inner in value.items()}
        return _KINDS.get(cls, dict)(inside)
    forms = {one.name: one.form for one in members(cls)}
    made = {key: _converted(forms.get(key, Any), inner) for key, inner in value.items()}
    return made if issubclass(cls, dict) else cls(**made)


@lru_cache(maxsize=256)
def _adapter(form: Any) -> Any:
    import pydantic  # noqa: PLC0415  (there only where a type is one of its)

    return pydantic.TypeAdapter(form)
