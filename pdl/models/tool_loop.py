"""`run_tools` and `run_tools_async`: a model calls tools until it has an answer.

As in `ask_loop`, the loop itself does no I/O: `ToolLoop.events` yields what is to be done and
receives its outcome, so that one loop serves both functions.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Unpack, overload

from pdl._types import T
from pdl.errors import Problem, ToolError, did_you_mean
from pdl.models.answer import Answer, AskError, ToolStep, ask_error, total, total_cost
from pdl.models.arguments import check_rendered, loop_of
from pdl.models.call_runner import CallRunner, FunctionThread, RunCalls, results_of, run_calls
from pdl.models.faults import tenths
from pdl.models.ledger import Ledger
from pdl.models.options import AskKwargs, check_count
from pdl.models.runner import ask, ask_async
from pdl.prompt.messages import Message
from pdl.schema.model import schema_of
from pdl.tools.dispatch import Dispatcher
from pdl.tools.tool import Tool
from pdl.tools.toolset import ToolSet

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pdl.models.answer import Ending
    from pdl.models.arguments import Models
    from pdl.models.ask_loop import AskLoop
    from pdl.prompt import Rendered
    from pdl.schema import Schema
    from pdl.tools.dispatch import Functions
    from pdl.tools.tool import ToolResult

V = TypeVar("V")

Kit: TypeAlias = "ToolSet | Iterable[Callable[..., Any] | Tool]"
"""A ToolSet, or functions and single tools that become one."""
Outcome: TypeAlias = "Answer[Any] | AskError | tuple[ToolResult, ...]"

_LOG = logging.getLogger("pdl")


@dataclass(frozen=True)
class ToolRun(Answer[T]):
    """The answer of a model that could call tools, and the calls that it made before.

    `steps` are the calls of each reply with their results. `attempts`, `usage`, `cost`, and
    `seconds` are those of the whole run, `messages` is the whole conversation, `calls` is empty.
    """

    steps: tuple[ToolStep, ...] = ()


class ToolKwargs(AskKwargs, total=False):
    """The keywords of `run_tools`, for type checkers."""

    functions: Functions | None
    steps: int
    raise_errors: bool


@overload
def run_tools(
    rendered: Rendered,
    model: Models | None,
    kit: Kit | None,
    schema: Schema[V] | type[V],
    **options: Unpack[ToolKwargs],
) -> ToolRun[V]: ...
@overload
def run_tools(
    rendered: Rendered,
    model: Models | None = None,
    kit: Kit | None = None,
    *,
    schema: Schema[V] | type[V],
    **options: Unpack[ToolKwargs],
) -> ToolRun[V]: ...
@overload
def run_tools(
    rendered: Rendered[T],
    model: Models | None = None,
    kit: Kit | None = None,
    schema: None = None,
    **options: Unpack[ToolKwargs],
) -> ToolRun[T]: ...
@overload
def run_tools(
    rendered: Rendered,
    model: Models | None = None,
    kit: Kit | None = None,
    schema: Any = None,
    **options: Unpack[ToolKwargs],
) -> ToolRun[Any]: ...
def run_tools(
    rendered: Rendered,
    model: Models | None = None,
    kit: Kit | None = None,
    schema: Any = None,
    **options: Unpack[ToolKwargs],
) -> ToolRun:
    """Ask a model, run the tools that it calls, and ask again with the results, until it answers.

    `kit` is a ToolSet, or functions (and single tools) that become one; without it the tools are
    those of the prompt. `model` and `schema` are as in `pdl.ask`, and so are the options, except
    `tools`: `timeout`, `max_output_tokens`, and `budget` bound the whole run, `retries` and hooks
    are for each step. The options besides those:

    - `functions` (functions by name, None): what tools call that were not made of functions.
    - `steps` (int, 8): how often the model is asked, retries aside; calls of the last aren't run.
    - `raise_errors` (bool, False): raise what a function raises, instead of telling the model.

    An invalid call is an invalid reply; what a function raises is a failed result, which the model
    sees. The async functions of one reply run concurrently, the others one after another, in a
    thread of their own. When the time is over, async functions are cancelled; others can't be
    stopped, so the run ends without them. With `timeout=None` they run in the caller's thread.

    Raises AskError with all attempts and steps if there is no answer within the bounds and no
    default; ToolError for a tool without a function, a function without a tool, and one that a
    function raises; TypeError for a kit that is not one; and what `pdl.ask` raises.
    """
    loop = ToolLoop.of(rendered, model, kit, schema, options, is_async=False)
    with ExitStack() as stack:
        runner: CallRunner | None = None
        events = loop.events()
        event = _advance(events, None)
        outcome: Outcome
        while not isinstance(event, ToolRun):
            if isinstance(event, AskNext):
                outcome = _asked(event)
            else:
                if runner is None:
                    runner = CallRunner(loop.dispatcher, in_caller=loop.is_unbounded)
                    stack.enter_context(runner)
                outcome = runner.results(event)
            event = _advance(events, outcome)
    return event


@overload
async def run_tools_async(
    rendered: Rendered,
    model: Models | None,
    kit: Kit | None,
    schema: Schema[V] | type[V],
    **options: Unpack[ToolKwargs],
) -> ToolRun[V]: ...
@overload
async def run_tools_async(
    rendered: Rendered,
    model: Models | None = None,
    kit: Kit | None = None,
    *,
    schema: Schema[V] | type[V],
    **options: Unpack[ToolKwargs],
) -> ToolRun[V]: ...
@overload
async def run_tools_async(
    rendered: Rendered[T],
    model: Models | None = None,
    kit: Kit | None = None,
    schema: None = None,
    **options: Unpack[ToolKwargs],
) -> ToolRun[T]: ...
@overload
async def run_tools_async(
    rendered: Rendered,
    model: Models | None = None,
    kit: Kit | None = None,
    schema: Any = None,
    **options: Unpack[ToolKwargs],
) -> ToolRun[Any]: ...
async def run_tools_async(
    rendered: Rendered,
    model: Models | None = None,
    kit: Kit | None = None,
    schema: Any = None,
    **options: Unpack[ToolKwargs],
) -> ToolRun:
    """Do the same as `run_tools` in an asynchronous program, whose event loop is never blocked."""
    loop = ToolLoop.of(rendered, model, kit, schema, options, is_async=True)
    with closing(FunctionThread()) as thread:
        events = loop.events()
        event = _advance(events, None)
        outcome: Outcome
        while not isinstance(event, ToolRun):
            if isinstance(event, AskNext):
                outcome = await _asked_async(event)
            else:
                outcome = results_of(await run_calls(loop.dispatcher, event, thread))
            event = _advance(events, outcome)
    return event


@dataclass(frozen=True, slots=True)
class AskNext:
    """Ask the models this now, with these options, and send the answer or the AskError."""

    rendered: Rendered
    models: Models
    options: AskKwargs


@dataclass
class ToolLoop:
    """One run of `run_tools`; `ask` has the models, the options, and the default."""

    ask: AskLoop
    rendered: Rendered
    dispatcher: Dispatcher
    given: AskKwargs
    most: int
    steps: list[ToolStep] = field(default_factory=list)

    @classmethod
    def of(  # noqa: PLR0913 - those of `run_tools`
        cls,
        rendered: object,
        model: Models | None,
        kit: object,
        schema: object,
        given: ToolKwargs,
        *,
        is_async: bool,
    ) -> ToolLoop:
        """Check the arguments of `run_tools`. Raises what that raises for them."""
        options: dict[str, Any] = {**given}
        steps = options.pop("steps", 8)
        check_count("steps", steps, 1)
        if "tools" in options:
            raise TypeError("run_tools has no option `tools`: pass them as `kit`")
        functions, raises = options.pop("functions", None), options.pop("raise_errors", False)
        prompt = check_rendered(rendered)
        tools = _tools(prompt.tools if kit is None else kit)
        wanted = prompt.schema if schema is None else schema_of(schema)
        prompt = replace(prompt, schema=wanted, tools=tools if len(tools) else None)
        dispatcher = _dispatcher(tools, functions, raise_errors=raises)
        asked: AskKwargs = options  # type: ignore[assignment]  # the others were taken out
        loop = loop_of(prompt, model, None, asked, is_async=is_async)
        return cls(loop, prompt, dispatcher, asked, steps)

    @property
    def is_unbounded(self) -> bool:
        """Whether nothing bounds the time."""
        budget = self.ask.options.budget
        is_budgeted = budget is not None and budget.seconds is not None
        return self.given.get("timeout", 0) is None and not is_budgeted

    def events(self) -> Generator[AskNext | RunCalls, Outcome | None, ToolRun]:
        """Yield the questions and calls, and return the run. Raises AskError."""
        self.ledger = Ledger(self.ask.options, self.ask.clock)
        while True:
            outcome = yield AskNext(self.rendered, [*self.ask.models], self._options())
            if isinstance(outcome, AskError):
                self.ledger.attempts += outcome.attempts
                raise self._error(outcome.ending, outcome.model) from outcome.__cause__
            assert isinstance(outcome, Answer)
            self.ledger.attempts += outcome.attempts
            if not outcome.calls:
                return self._run(outcome)
            ending = "steps" if len(self.steps) + 1 == self.most else self._ending()
            if ending is None:
                yield from self._step(outcome)
                ending = self._ending()
            if ending is not None:
                return self._unanswered(ending)

    def _step(self, answer: Answer) -> Generator[RunCalls, Outcome | None, None]:
        """Run the calls of a reply; the next question has their results."""
        began = self.ledger.seconds
        results = yield RunCalls(answer.calls, self.ledger.seconds_left)
        assert isinstance(results, tuple)
        step = ToolStep(results, self.ledger.seconds - began)
        self.steps.append(step)
        _LOG.debug("step %d: %s in %s", len(self.steps), _outcomes(step), tenths(step.seconds))
        messages = (*answer.messages, Message("user", results))
        self.rendered = replace(self.rendered, messages=messages)

    def _options(self) -> AskKwargs:
        """Those of the next question: its bounds are what is left."""
        options: AskKwargs = {**self.given, "cache": self.ask.options.cache}
        options["timeout"] = max(self.ledger.seconds_left, 0.001)
        if self.ask.options.max_output_tokens is not None:
            options["max_output_tokens"] = int(self.ledger.output_left)
        return options

    def _ending(self) -> Ending | None:
        """The bound that was reached, if any; `ask` knows those of a budget."""
        if self.ledger.output_left < 1:
            return "tokens"
        return "time" if self.ledger.seconds_left <= 0 else None

    def _run(self, answer: Answer) -> ToolRun:
        whole = {one.name: getattr(answer, one.name) for one in fields(Answer)}
        made = tuple(self.ledger.attempts)
        whole |= {"attempts": made, "usage": total(made), "cost": total_cost(made)}
        whole["seconds"] = self.ledger.seconds
        return ToolRun(**whole, steps=tuple(self.steps))

    def _unanswered(self, ending: Ending) -> ToolRun:
        """The default, if there is one. Raises AskError."""
        default = self.ask.default
        names = ", ".join(dict.fromkeys(one.model for one in self.ledger.attempts))
        self.ledger.log_failure(names, ending, has_default=default is not None)
        if default is None:
            raise self._error(ending, names)
        answer: Answer[Any] = Answer(
            default.value, None, (), is_default=True, messages=self.rendered.messages,
            origin=self.rendered.origin, _json=(default.data,),
        )  # fmt: skip
        return self._run(answer)

    def _error(self, ending: Ending, names: str) -> AskError:
        made, steps = tuple(self.ledger.attempts), tuple(self.steps)
        return ask_error(names, made, ending, self.ledger.seconds, steps)


def _outcomes(step: ToolStep) -> str:
    return ", ".join(f"{one.call.name}{' failed' * one.failed}" for one in step.results)


def _tools(kit: object) -> ToolSet:
    if isinstance(kit, ToolSet):
        return kit
    if isinstance(kit, Iterable) and not isinstance(kit, str | bytes | Mapping):
        given = tuple(kit)
        made = iter(ToolSet.from_functions(*(one for one in given if not isinstance(one, Tool))))
        return ToolSet(tuple(one if isinstance(one, Tool) else next(made) for one in given))
    if kit is None:
        raise TypeError("run_tools needs a kit of tools: the prompt has no tools turn")
    hint = ": write [function]" if callable(kit) else ""
    kind = type(kit).__name__
    raise TypeError(f"kit must be a pdl.tools.ToolSet or a list of functions, not {kind}{hint}")


def _dispatcher(tools: ToolSet, functions: Functions | None, *, raise_errors: bool) -> Dispatcher:
    """Raise ToolError for tools that nothing runs, and for functions of no tool.

    That is before the model is asked.
    """
    dispatcher = Dispatcher.of(tools, functions, raise_errors=raise_errors)
    problems = [
        Problem(
            "tool/no-function",
            f"the tool `{name}` has no function",
            hint=f"pass it: `functions={{'{name}': …}}`",
        )
        for name in tools.names
        if name not in dispatcher.functions
    ]
    problems += [
        Problem(
            "tool/unknown",
            f"there is no tool `{name}` for the function of that name",
            hint=did_you_mean(name, tools.names) or f"the tools are {', '.join(tools.names)}",
        )
        for name in dispatcher.functions
        if name not in tools.names
    ]
    if problems:
        raise ToolError(*problems)
    return dispatcher


def _advance(
    events: Generator[AskNext | RunCalls, Outcome | None, ToolRun], outcome: Outcome | None
) -> AskNext | RunCalls | ToolRun:
    try:
        return events.send(outcome)
    except StopIteration as stop:
        run: ToolRun = stop.value
        return run


def _asked(event: AskNext) -> Answer | AskError:
    try:
        return ask(event.rendered, event.models, **event.options)
    except AskError as error:
        return error


async def _asked_async(event: AskNext) -> Answer | AskError:
    try:
        return await ask_async(event.rendered, event.models, **event.options)
    except AskError as error:
        return error
