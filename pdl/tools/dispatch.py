"""Run calls: check and convert the arguments, call the function, return its result as text.

Arguments that match the schema become the values that annotations require. Durations are those of
ISO 8601 (RFC 3339, appendix A).
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import enum
import inspect
import ipaddress
import json
import os
import re
import types
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pdl.errors import Problem, ToolError
from pdl.limits import DEFAULT_LIMITS
from pdl.reply.validation.compiled import validator_of
from pdl.schema import Schema
from pdl.schema.records import is_pydantic, is_record, members
from pdl.tools.check_calls import check_calls
from pdl.tools.functions import hints_of, name_of, target_of
from pdl.tools.tool import ToolResult
from pdl.tools.validate_calls import CallValidator

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from pdl._types import Json
    from pdl.tools.tool import Tool, ToolCall

    Functions: TypeAlias = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]


_DURATION = re.compile(
    r"P(?:(?P<weeks>\d+)W|(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?)?)"
)


def duration(text: str) -> dt.timedelta:
    """`P1DT2H`. Raises ValueError for years and months, which have no fixed length."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration such as `P1DT2H`")
    if match["years"] or match["months"]:
        raise ValueError(f"{text!r} has years or months, which have no fixed length")
    named = ("weeks", "days", "hours", "minutes", "seconds")
    return dt.timedelta(**{name: int(match[name]) for name in named if match[name]})


_FROM_STR: Mapping[Any, Callable[[str], Any]] = types.MappingProxyType(
    {
        dt.datetime: dt.datetime.fromisoformat,
        dt.date: dt.date.fromisoformat,
        dt.time: dt.time.fromisoformat,
        dt.timedelta: duration,
        UUID: UUID,
    }
)
_COLLECTIONS: Mapping[Any, Callable[[Any], Any]] = types.MappingProxyType(
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
"""Containers that are a list or an object in JSON, and their constructors."""


class ConversionError(ValueError):
    """A value matches the schema but is not of the type, such as a date in year 0."""


def convert(form: Any, value: Json) -> Any:
    """Convert a JSON value to a value of a type: dates, enums, dataclasses, pydantic models.

    Parts without a type are unchanged. Raises ConversionError.
    """
    try:
        return _convert(form, value)
    except ConversionError:
        raise
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ConversionError(str(error)) from error


def _convert(form: Any, value: Json) -> Any:
    form = _unwrapped(form)
    origin, arguments = get_origin(form), get_args(form)
    if origin in (Union, types.UnionType):
        return _convert(_branch(arguments, value), value)
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
    """A form without its aliases, new types and annotations."""
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
    """The first type of a union that a value matches; those that keep it unchanged come last."""
    order = sorted(branches, key=lambda one: _unwrapped(one) in (str, Any, object))
    return next((one for one in order if _fits(one, value)), Any)


def _fits(form: Any, value: Json) -> bool:
    return validator_of(_schema(form).document).is_valid(value)


@lru_cache(maxsize=256)
def _schema(form: Any) -> Schema:
    return Schema.from_type(form)


def _literal(choices: tuple[Any, ...], value: Json) -> Any:
    """The member that equals a value: of its own type if there is one, else 1 for 1.0."""
    equal = [one for one in choices if _is_same(getattr(one, "value", one), value)]
    return next((one for one in equal if type(one) is type(value)), equal[0] if equal else value)


def _is_same(one: Any, value: Json) -> bool:
    return bool(one == value) and isinstance(one, bool) == isinstance(value, bool)


def _of_text(form: Any, value: str) -> Any:
    if form in _FROM_STR:
        return _FROM_STR[form](value)
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
        return tuple(_convert(one, item) for one, item in zip(arguments, value, strict=True))
    made = [_convert(arguments[0] if arguments else Any, item) for item in value]
    if kind is tuple:
        return tuple(made)
    return _COLLECTIONS.get(kind, list)(made)


def _object(cls: Any, arguments: tuple[Any, ...], value: dict[str, Json]) -> Any:
    if not is_record(cls):
        values = arguments[1] if len(arguments) > 1 else Any
        inside = {key: _convert(values, inner) for key, inner in value.items()}
        return _COLLECTIONS.get(cls, dict)(inside)
    forms = {one.key: one.form for one in members(cls)}
    made = {key: _convert(forms.get(key, Any), inner) for key, inner in value.items()}
    return made if issubclass(cls, dict) else cls(**made)


@lru_cache(maxsize=256)
def _adapter(form: Any) -> Any:
    import pydantic  # noqa: PLC0415  (there only where a type is one of its)

    return pydantic.TypeAdapter(form)


_LONGEST = 500  # characters of an error that the model gets
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class ResultError(Exception):
    """A function returned a value that is neither text nor JSON."""


def as_text(value: Any) -> str:
    """Return a string unchanged, and other values as JSON. Raises ResultError if that fails.

    Surrogate pairs become characters; lone surrogates are replaced.
    """
    if isinstance(value, str):
        return _whole(str(value))
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_other)
    except (ValueError, TypeError, RecursionError) as error:
        raise ResultError(f"the result cannot be written as JSON: {_message_of(error)}") from error
    return _whole(text)


def _whole(text: str) -> str:
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _other(value: Any) -> Any:
    """The JSON value of a value that `json.dumps` does not know."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    for kinds, read in _RESULT_KINDS:
        if isinstance(value, kinds):
            return read(value)
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    raise ResultError(f"the result contains a value of type {kind}, which is neither text nor JSON")


def _refused(value: Any) -> Any:
    raise ResultError(f"the result contains {type(value).__name__}, not text or JSON")


_ADDRESSES = (
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
    ipaddress.IPv4Interface,
    ipaddress.IPv6Interface,
)
_AS_STR = (Decimal, Fraction, UUID, dt.timedelta, dt.tzinfo, *_ADDRESSES)
"""Types whose values are written by `str`."""
_RESULT_KINDS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((bytes, bytearray, memoryview), _refused),
    (Mapping, lambda value: {str(key): inner for key, inner in value.items()}),
    (AbstractSet, lambda value: sorted(value, key=str)),
    ((dt.date, dt.time), lambda value: value.isoformat()),
    (enum.Enum, lambda value: value.value),
    (_AS_STR, str),
    (os.PathLike, os.fspath),
    (Iterable, list),
)


def error_text(error: BaseException) -> str:
    """Return one line that says what failed, without a traceback."""
    said = _message_of(error)
    if isinstance(error, ResultError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _message_of(error: BaseException) -> str:
    """The message of an error, or an empty string: `str` of it runs foreign code that can fail."""
    try:
        said = " ".join(_whole(str(error)).split())
    except (Exception, SystemExit):  # noqa: BLE001 - only the first error is reported
        return ""
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"


_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY


def _check_functions(given: object) -> None:
    if not isinstance(given, Iterable):
        kind = type(given).__name__
        raise TypeError(f"functions must be a mapping or an iterable of functions, not {kind}")


@dataclass(frozen=True)
class Dispatcher:
    """Runs calls with the functions of the tools."""

    validator: CallValidator
    functions: Mapping[str, Callable[..., Any]]
    raise_errors: bool

    @classmethod
    def of(
        cls, tools: Iterable[Tool], functions: Functions | None, *, raise_errors: bool
    ) -> Dispatcher:
        """With the functions of the tools, and others that replace them by name."""
        named = {tool.name: tool.function for tool in tools if tool.function is not None}
        if isinstance(functions, Mapping):
            named |= functions
        elif functions is not None:
            _check_functions(functions)
            named |= {name_of(one): one for one in functions}
        validator = CallValidator.of({tool.name: tool for tool in tools}, None, DEFAULT_LIMITS)
        return cls(validator, named, raise_errors)

    def run(self, call: ToolCall) -> ToolResult:
        """Run one call."""
        prepared = self._prepared(call)
        if isinstance(prepared, ToolResult):
            return prepared
        function, positional, named = prepared
        if inspect.iscoroutinefunction(target_of(function)):
            message = f"the function of the tool `{call.name}` is async: use `dispatch_async`"
            raise ToolError(Problem("tool/async", message))
        try:
            return ToolResult(call, as_text(function(*positional, **named)))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool can fail in any way; the model gets the reason
            return self._failed(call, error)

    async def run_async(self, call: ToolCall) -> ToolResult:
        """Run one call, and await its result if it is awaitable."""
        prepared = self._prepared(call)
        if isinstance(prepared, ToolResult):
            return prepared
        function, positional, named = prepared
        try:
            given: Any | Awaitable[Any] = function(*positional, **named)
            return ToolResult(call, as_text(await given if inspect.isawaitable(given) else given))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool can fail in any way; the model gets the reason
            return self._failed(call, error)

    def _failed(self, call: ToolCall, error: BaseException) -> ToolResult:
        if self.raise_errors:
            raise error
        return ToolResult(call, error_text(error), failed=True)

    def _prepared(
        self, call: ToolCall
    ) -> ToolResult | tuple[Callable[..., Any], list[Any], dict[str, Any]]:
        """The function and its arguments, or a result that says why the call is invalid."""
        check = check_calls([call], self.validator, "any")
        if not check.ok:
            return ToolResult(call, check.feedback, failed=True)
        function = self.functions.get(call.name)
        if function is None:
            message = f"the tool `{call.name}` has no function"
            hint = f"pass it: `dispatch(call, {{'{call.name}': …}})`"
            raise ToolError(Problem("tool/no-function", message, hint=hint))
        hints = hints_of(function)
        try:
            made = {
                key: convert(hints.get(key, Any), value)
                for key, value in check.calls[0].arguments.items()
            }
        except ConversionError as error:
            return ToolResult(call, f"The arguments of `{call.name}`: {error}", failed=True)
        return function, _positional(function, made), made


def _positional(function: Callable[..., Any], made: dict[str, Any]) -> list[Any]:
    """The values of positional-only parameters, removed from the others."""
    parameters = inspect.signature(function).parameters.items()
    nameless = {key: one.default for key, one in parameters if one.kind is _POSITIONAL}
    return [made.pop(key, default) for key, default in nameless.items()]
