"""`Tool`: a name, a description, and the schema of its arguments; `ToolCall` and `ToolResult`.

Tool names are checked here: providers must accept them, and each must be unique. The schemas of
several tools become one document, and its parts schemas again (bundling: JSON Schema Core 9.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, TypeVar, get_args

from pdl.errors import PdlError, Problem, error_from
from pdl.schema import Schema
from pdl.schema.keywords import reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pdl._types import Json, JsonSchema
    from pdl.source import Span


_T = TypeVar("_T")

Calls: TypeAlias = Literal["one", "several", "any"]
"""How many calls a reply contains: exactly one; one or more; any number, or none."""


def check_number(calls: str) -> None:
    """Raise ValueError for a word that is not in `Calls`."""
    if calls not in get_args(Calls):
        known = ", ".join(map(repr, get_args(Calls)))
        raise ValueError(f"calls must be one of {known}, not {calls!r}")


@dataclass(frozen=True)
class Tool:
    """A tool that a model can call by name, with arguments that match a schema.

    `schema` describes the object of the arguments, without the tool's description. `function` is
    what `ToolSet.dispatch` calls; tools that are only described have none. Comparisons ignore it.
    """

    name: str
    schema: Schema
    description: str = ""
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)


def convert_all(given: Iterable[_T], convert: Callable[[_T], Tool]) -> tuple[Tool, ...]:
    """Make a tool of each. Raises an error with the problems of all."""
    found: list[Tool] = []
    problems: list[Problem] = []
    for one in given:
        try:
            found.append(convert(one))
        except PdlError as error:
            problems += error.problems
    if problems:
        raise error_from(problems)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call requested by the model: the tool's name and its arguments.

    `id` is the provider's ID of this call, which the result refers to; it is empty if the call was
    written into the text of the reply. `check_calls` and `dispatch` also accept arguments as the
    text of a JSON object, as providers send them. `value` is the instance that a check makes of the
    arguments if the tool was made of a type (`ToolSet.from_types`), else None.
    """

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""
    value: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call, as text for the model; `failed` if the tool did not succeed."""

    call: ToolCall
    text: str
    failed: bool = False


def several(calls: Any, taker: str) -> tuple[ToolCall, ...]:
    """Return the calls that were passed to a method. Raises TypeError for other values."""
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
"""Function names that OpenAI, Anthropic and most others accept."""
_ODD = re.compile(r"[^a-zA-Z0-9_-]+")


def name_problems(names: Iterable[tuple[Any, Span | None]]) -> Iterator[Problem]:
    """Yield the problems of names, each given with its span."""
    seen: set[Any] = set()
    for name, span in names:
        problem = _odd(name, span)
        if problem is not None:
            yield problem
        elif name in seen:
            message = f"duplicate tool name `{name}`"
            yield Problem("tool/duplicate-name", message, span, "rename one of them")
        else:
            seen.add(name)


def of_parameters(name: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield problems of the schema of a tool's parameters, with the tool's name."""
    for problem in problems:
        message = f"the parameters of the tool `{name}`: {problem.message}"
        yield Problem(problem.code, message, problem.span, problem.hint)


def _odd(name: Any, span: Span | None) -> Problem | None:
    if not isinstance(name, str):
        message = f"a tool's name must be a string, not {type(name).__name__}"
        return Problem("tool/bad-name", message, span)
    if not name:
        return Problem("tool/bad-name", "a tool has no name", span)
    if len(name) > _LONGEST:
        message = f"the name `{name[:20]}…` of a tool has {len(name)} characters"
        return Problem("tool/bad-name", message, span, f"use at most {_LONGEST} characters")
    if not _TAKEN.fullmatch(name):
        message = f"invalid tool name `{name}`: use only a-z, A-Z, 0-9, `_` and `-`"
        better = _ODD.sub("_", name).strip("_")
        return Problem("tool/bad-name", message, span, f"write `{better}`" if better else "")
    return None


def part_of(whole: JsonSchema, part: dict[str, Json]) -> Schema:
    """Return a schema inside a document, with the definitions that it uses."""
    definitions = whole.get("$defs", {})
    used = reachable(part, definitions)
    kept = {name: schema for name, schema in definitions.items() if name in used}
    return Schema({**part, "$defs": kept} if kept else part)
