"""The result of asking: an answer, or an error with every attempt."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

from pdl._types import T
from pdl.errors import PdlError, Problem, count
from pdl.models.exchange import TOKEN_LIMITS, Usage
from pdl.models.faults import UNREACHED, tenths
from pdl.reply.result import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.models.exchange import Dropped, Ignored, Reply
    from pdl.models.faults import Fault
    from pdl.models.request import Request
    from pdl.prompt import Message
    from pdl.prompt.rendered import Origin
    from pdl.reply import Check
    from pdl.tools.tool import ToolCall, ToolResult

Ending: TypeAlias = Literal["attempts", "fault", "tokens", "time", "cost", "length", "steps"]
"""Why there were no more attempts: all were made, a fault that no retry fixes, or a bound.

`length`: the model's reasoning left no room for an answer, and wouldn't the next time. `steps`: the
model still called tools after the last step of `run_tools`.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of a model and its outcome.

    `fault` is the transport error, if there was one; `reply` is what arrived, with a fault the part
    before it (None if nothing arrived). `check` is the verdict on a whole reply, or on one that was
    stopped because it was already invalid (`is_stopped`). `complaint` is why this attempt has no
    answer, in the words that go back to the model; empty if it has one, or if there was a fault.
    `told` is the same for a person, where that wording differs from the complaint and from
    `check.summary`. `is_cached`: no call was made, the reply is from the cache. `model` is the name
    of the model that was asked, `cost` what that cost by the prices of the budget; None if unknown.
    `calls` are the tool calls that the reply requests, checked.
    """

    request: Request = field(repr=False)
    reply: Reply | None = None
    fault: Fault | None = None
    check: Check | None = None
    complaint: str = ""
    seconds: float = 0.0
    is_stopped: bool = False
    is_cached: bool = False
    told: str = ""
    model: str = ""
    cost: float | None = None
    calls: tuple[ToolCall, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether this attempt has the answer."""
        wrong = self.check is not None and not self.check.ok
        return self.fault is None and not self.complaint and not wrong

    @property
    def usage(self) -> Usage:
        """The tokens that this attempt used, where they are known."""
        return Usage() if self.reply is None or self.is_cached else self.reply.usage

    @property
    def reason(self) -> str:
        """Why this attempt has no answer, in one line; empty if it has one."""
        if self.fault is not None:
            return f"{self.fault.kind}: {self.fault.problem.message}"
        if self.told:
            return _of_reply(" ".join(self.told.split()))
        if self.check is not None and not self.check.ok:
            return self.check.summary
        return _of_reply(" ".join(self.complaint.split()))


def _of_reply(words: str) -> str:
    """Feedback to a model about its output, reworded for a person."""
    return re.sub(r"^([\w-]+: )?Your output ", r"\1the reply ", words)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The checked value that a model returned, and how it was obtained.

    `value` is an instance of the schema's Python type, if it was made of one; `data` is its JSON.

    `calls` are the tool calls that the model requests, checked, and then `value` is None. `check`
    is the verdict on the last reply (None for calls and for a default). `usage` sums all attempts,
    `seconds` is the wall-clock time of the whole run. `dropped` lists the constraints that the
    provider doesn't enforce, so that only the check does, and what a function didn't take of its
    request; `ignored` the settings that are not sent, or that this model rejected. `messages` are
    those that were sent and the good reply, so a conversation continues with tool results or
    another question.
    `is_default`: no attempt succeeded, and `value` is the default that was given. `model` is the
    name of the model that answered; empty for a default. `cost` is that of all attempts, by the
    prices of the budget; None if one is unknown. `origin` is the prompt.
    """

    value: T
    check: Check[T] | None
    attempts: tuple[Attempt, ...] = field(repr=False)
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    calls: tuple[ToolCall, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    messages: tuple[Message, ...] = field(default=(), repr=False)
    is_default: bool = False
    model: str = ""
    cost: float | None = None
    origin: Origin | None = field(default=None, repr=False, compare=False)
    _json: tuple[Json] | None = field(default=None, repr=False)
    """The JSON of a default."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the prompt that was asked; empty if none was rendered."""
        return self.origin.fingerprint if self.origin is not None else ""

    @property
    def data(self) -> Json:
        """The JSON of `value`; None for a default that cannot be written as JSON."""
        if self._json is not None:
            return self._json[0]
        return self.value if self.check is None else self.check.data

    def _repr_html_(self) -> str:
        from pdl.models.notebook import answer_html  # noqa: PLC0415 - only notebooks need it

        return answer_html(self)


UNFINISHED = "The call did not finish."
"""The text of the result of a call that was cancelled, or that the run did not wait for."""


@dataclass(frozen=True, slots=True)
class ToolStep:
    """The tool calls of one reply, run: a result for each, in the order of the calls.

    `seconds` is the wall-clock time that all of them took.
    """

    results: tuple[ToolResult, ...]
    seconds: float = 0.0

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of the reply."""
        return tuple(result.call for result in self.results)


class AskError(PdlError):
    """No attempt has a valid answer: `attempts` has each, `ending` why no more were made.

    `model` is the name of the model, or those of several, separated by commas. `is_fault` is
    whether the last attempt failed by a transport error rather than a bad answer. If the last reply
    was checked, the error is also an OutputError, with that `check`. There are no attempts if a
    budget left nothing for the first.
    `steps` are the tool calls that `run_tools` had run, with their results.
    """

    def __init__(
        self,
        model: str,
        attempts: tuple[Attempt, ...],
        ending: Ending,
        *,
        seconds: float = 0.0,
        steps: tuple[ToolStep, ...] = (),
    ) -> None:
        PdlError.__init__(self, Problem(f"ask/{ending}", _message(model, attempts, ending, steps)))
        self.model = model
        self.attempts = attempts
        self.ending = ending
        self.seconds = seconds
        self.steps = steps

    @property
    def usage(self) -> Usage:
        """The tokens of all attempts."""
        return total(self.attempts)

    @property
    def cost(self) -> float | None:
        """The cost of all attempts; None if one is unknown."""
        return total_cost(self.attempts)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the prompt; empty if none was rendered, or no attempt was made."""
        return self.attempts[0].request.fingerprint if self.attempts else ""

    @property
    def is_fault(self) -> bool:
        """Whether the last attempt failed by a transport error; a refusal is not one."""
        last = self.attempts[-1].fault if self.attempts else None
        return last is not None and last.kind != "refusal"

    def __reduce__(self) -> tuple[Callable[..., AskError], tuple[object, ...]]:
        return ask_error, (self.model, self.attempts, self.ending, self.seconds, self.steps)


class AskOutputError(AskError, OutputError):
    """An AskError whose last reply was checked: `check` says what is wrong with it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        check = self.attempts[-1].check
        assert check is not None
        self.check = check


def ask_error(
    model: str,
    attempts: tuple[Attempt, ...],
    ending: Ending,
    seconds: float,
    steps: tuple[ToolStep, ...] = (),
) -> AskError:
    """Return the error of a run that ended so."""
    is_checked = bool(attempts) and attempts[-1].check is not None
    kind = AskOutputError if is_checked else AskError
    return kind(model, attempts, ending, seconds=seconds, steps=steps)


def is_unreached(result: Answer | AskError) -> bool:
    """Return whether no other call of the model is worth trying."""
    last = result.attempts[-1].fault if result.attempts else None
    return last is not None and last.kind in UNREACHED


def total(attempts: tuple[Attempt, ...]) -> Usage:
    """Return the sum of the tokens of attempts."""
    whole = Usage()
    for attempt in attempts:
        whole += attempt.usage
    return whole


def total_cost(attempts: tuple[Attempt, ...]) -> float | None:
    """Return the cost of attempts; None if one is unknown, or there is none."""
    costs = [attempt.cost for attempt in attempts]
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if costs and len(known) == len(costs) else None


_BEFORE = frozenset(
    {"connection", "auth", "quota", "rate_limited", "not_found", "redirect", "unavailable"}
)
"""Kinds of faults that occur before a model is reached."""
_ENDINGS: dict[Ending, str] = {
    "attempts": "",
    "fault": "; another try would not help",
    "tokens": "; the tokens that were allowed are spent",
    "time": "; there is no time left for another",
    "cost": "; the cost that was allowed is spent",
    "length": "; another try under the same limit would not help",
    "steps": "; it still called tools in the last step that was allowed",
}


def _message(
    model: str, attempts: tuple[Attempt, ...], ending: Ending, steps: tuple[ToolStep, ...]
) -> str:
    if not attempts:
        return f"{model} was not asked{_ENDINGS[ending].removesuffix(' for another')}"
    tried = count(len(attempts), "attempt")
    several = len({attempt.model for attempt in attempts}) > 1
    lines = [f"{model} gave no valid answer in {tried}{_reached(attempts)}{_ENDINGS[ending]}"]
    for number, attempt in enumerate(attempts, 1):
        name = f", {attempt.model}" if several else ""
        reason = attempt.reason or _called(attempt)
        lines.append(f"  attempt {number}{name} ({tenths(attempt.seconds)}): {reason}")
    last = steps[-1].results if steps else ()
    lines += [f"  `{one.call.name}` did not finish" for one in last if one.text == UNFINISHED]
    lines += [f"  hint: {hint}" for hint in _hints(attempts, ending)]
    return "\n".join(lines)


def _called(attempt: Attempt) -> str:
    names = dict.fromkeys(call.name for call in attempt.calls)
    return f"it called {', '.join(f'`{name}`' for name in names)}"


def _reached(attempts: tuple[Attempt, ...]) -> str:
    """Whether the model was reached, if no attempt has a reply."""
    faults = [attempt.fault for attempt in attempts if attempt.fault is not None]
    if not faults or len(faults) < len(attempts):
        return ""
    if all(fault.kind == "refusal" for fault in faults):
        alone, several = "which the model refused", "each of which the model refused"
    elif all(fault.kind in _BEFORE for fault in faults):
        alone, several = "which did not reach the model", "none of which reached the model"
    elif any(attempt.reply is not None for attempt in attempts):
        return ""
    else:  # it might have been at work when the time was up
        alone, several = "which brought no reply", "none of which brought a reply"
    return f", {alone if len(faults) == 1 else several}"


def _hints(attempts: tuple[Attempt, ...], ending: Ending) -> list[str]:
    last = attempts[-1] if attempts else None
    if last is None:
        return []
    if ending == "steps":
        return ["raise `steps`, or tell the model when to answer"]
    if last.fault is not None:
        return [last.fault.problem.hint] if last.fault.problem.hint else []
    if last.reply is None or last.reply.finish != "length" or ending == "tokens":
        return []
    return [_raise(last.request.config, ending)]


def _raise(config: Mapping[str, Json], ending: Ending) -> str:
    """Advice against a token limit that is too low."""
    name = next((key for key in TOKEN_LIMITS if key in config), None)
    advice = (
        f"raise `{name}`, which is {config[name]}" if name else f"set `{TOKEN_LIMITS[0]}` higher"
    )
    return f"{advice}, or lower `reasoning_effort`" if ending == "length" else advice
