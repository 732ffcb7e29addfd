"""A call of a tool that a model asks for, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from typing import Any

    from pdl._types import Json


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool: its name and its arguments.

    `id` is what the provider calls this call, by which the result finds back; empty where a call
    was written into the reply's text. `check_calls` and `dispatch` also take arguments as the text
    of a JSON object, as providers send them.
    """

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call, as text for the model; `failed` if the tool could not do it."""

    call: ToolCall
    text: str
    failed: bool = False


def several(calls: Any, taker: str) -> tuple[ToolCall, ...]:
    """Calls that somebody passed to a method. Raises TypeError for what is none."""
    if not isinstance(calls, Iterable) or isinstance(calls, str | bytes | Mapping):
        _refuse(calls, taker)
    found = tuple(calls)
    for one in found:
        if not isinstance(one, ToolCall):
            _refuse(one, taker)
        if not all(isinstance(text, str) for text in (one.name, one.id)):
            raise TypeError("the name and the id of a ToolCall must be str")
    return found


def _refuse(given: Any, taker: str) -> NoReturn:
    hint = ""
    if isinstance(given, Mapping):
        hint = ": write ToolCall(name, arguments)"
    raise TypeError(f"{taker} takes a ToolCall or several, not {type(given).__name__}{hint}")
