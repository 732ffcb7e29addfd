"""Run calls: check and convert the arguments, call the function, return its result as text.

Arguments that match the schema become the values that annotations require.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import inspect
import ipaddress
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pdl.errors import Problem, ToolError
from pdl.limits import DEFAULT_LIMITS
from pdl.reply.instances import convert
from pdl.reply.rules import ConversionError
from pdl.tools.check_calls import check_calls
from pdl.tools.functions import hints_of, name_of, target_of
from pdl.tools.tool import ToolResult
from pdl.tools.validate_calls import CallValidator

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from pdl._types import Json
    from pdl.reply import Violation
    from pdl.tools.tool import Tool, ToolCall

    Functions: TypeAlias = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]
    Elsewhere: TypeAlias = Callable[
        [Callable[[], ToolResult | Awaitable[Any]]], Awaitable[ToolResult | Awaitable[Any]]
    ]
    """Calls a function outside the event loop, and returns what it returns."""


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
        function = prepared[0]
        outcome: ToolResult | Awaitable[Any] | None = None
        if not inspect.iscoroutinefunction(target_of(function)):
            outcome = self._called(call, *prepared)
        if isinstance(outcome, ToolResult):
            return outcome
        if inspect.iscoroutine(outcome):
            outcome.close()
        message = f"the function of the tool `{call.name}` is async: use `dispatch_async`"
        raise ToolError(Problem("tool/async", message))

    async def run_async(self, call: ToolCall, elsewhere: Elsewhere | None = None) -> ToolResult:
        """Run one call, and await its result if it is awaitable.

        Functions that are not async are called by `elsewhere`, if it is given.
        """
        prepared = self._prepared(call)
        if isinstance(prepared, ToolResult):
            return prepared
        work = partial(self._called, call, *prepared)
        is_async = inspect.iscoroutinefunction(prepared[0])
        outcome = work() if is_async or elsewhere is None else await elsewhere(work)
        if isinstance(outcome, ToolResult):
            return outcome
        try:
            return _result(call, await outcome)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool can fail in any way; the model gets the reason
            return self._failed(call, error)

    def _called(
        self,
        call: ToolCall,
        function: Callable[..., Any],
        positional: list[Any],
        named: dict[str, Any],
    ) -> ToolResult | Awaitable[Any]:
        """Call a function: its result, or what is to be awaited for it."""
        try:
            given = function(*positional, **named)
            return given if inspect.isawaitable(given) else _result(call, given)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool can fail in any way; the model gets the reason
            return self._failed(call, error)

    def _failed(self, call: ToolCall, error: BaseException) -> ToolResult:
        if self.raise_errors or isinstance(error, ToolError):  # which is an error of the program
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
        try:
            made = _converted(hints_of(function, takes_others=True), check.calls[0].arguments)
        except ConversionError as error:
            lines = [f"The call to `{call.name}` is invalid.", *map(str, error.violations)]
            return ToolResult(call, "\n".join(lines), failed=True)
        except Exception as error:  # noqa: BLE001 - a type's own code can fail in any way; the model gets the reason
            return self._failed(call, error)
        return function, _positional(function, made), made


def _converted(hints: Mapping[str, Any], arguments: Mapping[str, Json]) -> dict[str, Any]:
    """The arguments as their annotations say. Raises ConversionError with all that are invalid."""
    made: dict[str, Any] = {}
    violations: list[Violation] = []
    for key, value in arguments.items():
        try:
            made[key] = convert(hints.get(key, Any), value)
        except ConversionError as error:
            violations += [replace(one, path=(key, *one.path)) for one in error.violations]
    if violations:
        raise ConversionError(tuple(violations))
    return made


def _result(call: ToolCall, given: Any) -> ToolResult:
    """The result of what a function returned; one that it made itself keeps text and failure."""
    if isinstance(given, ToolResult):
        return ToolResult(call, as_text(given.text), given.failed)
    return ToolResult(call, as_text(given))


def _positional(function: Callable[..., Any], made: dict[str, Any]) -> list[Any]:
    """The values of positional-only parameters, removed from the others."""
    parameters = inspect.signature(function).parameters.items()
    nameless = {key: one.default for key, one in parameters if one.kind is _POSITIONAL}
    return [made.pop(key, default) for key, default in nameless.items()]
