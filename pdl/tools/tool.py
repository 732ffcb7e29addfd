"""`Tool`: a name, what it is for, and the schema of its arguments; and calls of tools.

`ToolCall` is a call that a model asks for, `ToolResult` what came of it. Names of tools are checked
here as well: that providers take them, and that each stands for one tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from pdl.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pdl._types import Json
    from pdl.schema import Schema
    from pdl.source import Span


@dataclass(frozen=True)
class Tool:
    """Something that a model may call by its name, with arguments that fit a schema.

    `schema` is that of the object that holds the arguments, without the tool's description.
    `function` is what `ToolSet.dispatch` calls; tools that are only described have none. It has no
    part in comparisons.
    """

    name: str
    schema: Schema
    description: str = ""
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)


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


_LONGEST = 64
_TAKEN = re.compile(rf"[a-zA-Z0-9_-]{{1,{_LONGEST}}}")
"""What OpenAI, Anthropic and most others take as the name of a function."""
_ODD = re.compile(r"[^a-zA-Z0-9_-]+")


def name_problems(names: Iterable[tuple[Any, Span | None]]) -> Iterator[Problem]:
    """What is wrong with names, each beside the place where it stands."""
    seen: set[Any] = set()
    for name, span in names:
        problem = _odd(name, span)
        if problem is not None:
            yield problem
        elif name in seen:
            message = f"there are two tools named `{name}`"
            yield Problem("tool/duplicate-name", message, span, "rename one of them")
        else:
            seen.add(name)


def of_parameters(name: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of the schema of a tool's parameters, which say whose it is."""
    for problem in problems:
        message = f"the parameters of the tool `{name}`: {problem.message}"
        yield Problem(problem.code, message, problem.span, problem.hint)


def _odd(name: Any, span: Span | None) -> Problem | None:
    if not isinstance(name, str):
        message = f"a tool's name is a text, not {type(name).__name__}"
        return Problem("tool/bad-name", message, span)
    if not name:
        return Problem("tool/bad-name", "a tool has no name", span)
    if len(name) > _LONGEST:
        message = f"the name `{name[:20]}…` of a tool has {len(name)} characters"
        return Problem("tool/bad-name", message, span, f"models' providers take {_LONGEST} at most")
    if not _TAKEN.fullmatch(name):
        message = f"`{name}` is no name for a tool: a-z, A-Z, 0-9, `_` and `-` may stand in it"
        better = _ODD.sub("_", name).strip("_")
        return Problem("tool/bad-name", message, span, f"write `{better}`" if better else "")
    return None
