"""Calls run: arguments checked and converted, the function called, its result as text."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, ToolError
from pdl.tools.calls import ToolCall, ToolResult, several
from pdl.tools.functions.arguments import ConversionError, converted
from pdl.tools.functions.read import hints_of, name_of, target_of
from pdl.tools.functions.results import as_text, error_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import TypeAlias

    from pdl.tools.toolset import ToolSet

    Functions: TypeAlias = Mapping[str, Callable[..., Any]] | Iterable[Callable[..., Any]]

_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY


@dataclass(frozen=True)
class Runner:
    """Runs calls of a set's tools by functions."""

    tools: ToolSet
    functions: Mapping[str, Callable[..., Any]]
    raise_errors: bool

    @classmethod
    def of(cls, tools: ToolSet, functions: Functions | None, *, raise_errors: bool) -> Runner:
        """With the functions of the tools, and others that stand in for them by name."""
        named = {tool.name: tool.function for tool in tools if tool.function is not None}
        if isinstance(functions, Mapping):
            named |= functions
        elif functions is not None:
            named |= {name_of(one): one for one in functions}
        return cls(tools, named, raise_errors)

    def run_all(self, call: ToolCall | Iterable[ToolCall]) -> ToolResult | tuple[ToolResult, ...]:
        """Run a call, or several one after the other."""
        if isinstance(call, ToolCall):
            return self.run(call)
        return tuple(self.run(one) for one in several(call, "dispatch"))

    async def run_all_async(
        self, call: ToolCall | Iterable[ToolCall]
    ) -> ToolResult | tuple[ToolResult, ...]:
        """The same for functions of which some are async."""
        if isinstance(call, ToolCall):
            return await self.run_async(call)
        return tuple([await self.run_async(one) for one in several(call, "dispatch_async")])

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
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool may fail in any way, and the model is told
            return self._failed(call, error)

    async def run_async(self, call: ToolCall) -> ToolResult:
        """Run one call, and wait for what it gives if that can be waited for."""
        prepared = self._prepared(call)
        if isinstance(prepared, ToolResult):
            return prepared
        function, positional, named = prepared
        try:
            given: Any | Awaitable[Any] = function(*positional, **named)
            return ToolResult(call, as_text(await given if inspect.isawaitable(given) else given))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool may fail in any way, and the model is told
            return self._failed(call, error)

    def _failed(self, call: ToolCall, error: BaseException) -> ToolResult:
        if self.raise_errors:
            raise error
        return ToolResult(call, error_text(error), failed=True)

    def _prepared(
        self, call: ToolCall
    ) -> ToolResult | tuple[Callable[..., Any], list[Any], dict[str, Any]]:
        """The function and its arguments; a result that says what is wrong with the call."""
        check = self.tools.check_calls([call])
        if not check.ok:
            return ToolResult(call, check.feedback, failed=True)
        function = self.functions.get(call.name)
        if function is None:
            message = f"there is no function for the tool `{call.name}`"
            hint = f"pass it: `dispatch(call, {{'{call.name}': …}})`"
            raise ToolError(Problem("tool/no-function", message, hint=hint))
        hints = hints_of(function)
        try:
            made = {
                key: converted(hints.get(key, Any), value)
                for key, value in check.calls[0].arguments.items()
            }
        except ConversionError as error:
            return ToolResult(call, f"The arguments of `{call.name}`: {error}", failed=True)
        return function, _positional(function, made), made


def _positional(function: Callable[..., Any], made: dict[str, Any]) -> list[Any]:
    """The values of parameters that have no name in a call, taken out of the others."""
    parameters = inspect.signature(function).parameters.items()
    nameless = {key: one.default for key, one in parameters if one.kind is _POSITIONAL}
    return [made.pop(key, default) for key, default in nameless.items()]
