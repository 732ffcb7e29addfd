"""`Tool`: a name, a description, and the schema of its arguments; `ToolCall` and `ToolResult`.

Tool names are checked here: providers must accept them, and each must be unique. The schemas of
several tools become one document, and its parts schemas again (bundling: JSON Schema Core 9.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from pdl.errors import Problem
from pdl.schema import Schema
from pdl.schema.keywords import pointer, subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pdl._types import Json, JsonSchema
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


_DEFINITIONS = "#/$defs/"


def part_of(whole: JsonSchema, part: dict[str, Json]) -> Schema:
    """A schema that stands in a document, with those of its definitions that it uses."""
    definitions = whole.get("$defs", {})
    used: set[str] = set()
    pending: list[Json] = [part]
    while pending:
        new = {name for name in _named(pending.pop()) if name in definitions} - used
        used |= new
        pending += (definitions[name] for name in new)
    kept = {name: schema for name, schema in definitions.items() if name in used}
    return Schema({**part, "$defs": kept} if kept else part)


def _named(schema: Json) -> Iterator[str]:
    """The names of the definitions that a schema refers to."""
    for node in _nodes(schema):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith(_DEFINITIONS):
            yield reference.removeprefix(_DEFINITIONS).split("/")[0]


def _nodes(schema: Json) -> Iterator[dict[str, Json]]:
    """A schema and all those inside of it that are objects."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending += [inner for _, inner in subschemas(node)]


class Collected:
    """Documents that become parts of one; definitions of one name that mean the same are one."""

    def __init__(self) -> None:
        self.definitions: dict[str, Json] = {}

    def add(self, document: JsonSchema, place: tuple[str, ...]) -> dict[str, Json]:
        """A copy of a document that is to stand at a path of the whole, without its definitions.

        Its references lead to where it stands, and to the definitions of the whole.
        """
        from pdl.schema.json_values import copy_json  # noqa: PLC0415 - many prompts have no tools

        node: dict[str, Json] = copy_json(document)
        own = node.pop("$defs", {})
        if not own and not any("$ref" in inner for inner in _nodes(node)):
            return node
        names = self._adopted(own)
        here = pointer(place)
        for one in _nodes({"allOf": [node, *own.values()]}):
            reference = one.get("$ref")
            if isinstance(reference, str):
                one["$ref"] = _moved(reference, names, here)
        for name, schema in own.items():
            self.definitions[names[name]] = schema
        return node

    def _adopted(self, own: dict[str, Json]) -> dict[str, str]:
        """The names of a document's definitions in the whole; all keep theirs if all can."""
        taken = self.definitions
        if all(name not in taken or taken[name] == schema for name, schema in own.items()):
            return {name: name for name in own}
        return dict(_fresh(own, taken))


def _fresh(own: Iterable[str], taken: Iterable[str]) -> Iterator[tuple[str, str]]:
    used = {*taken}
    for name in own:
        number, free = 1, name
        while free in used:
            number += 1
            free = f"{name}{number}"
        used.add(free)
        yield name, free


def _moved(reference: str, names: dict[str, str], here: str) -> str:
    """A reference within a document that now stands at the place `here`."""
    if not reference.startswith(_DEFINITIONS):
        return here + reference.removeprefix("#")
    name, slash, rest = reference.removeprefix(_DEFINITIONS).partition("/")
    return f"{_DEFINITIONS}{names.get(name, name)}{slash}{rest}"
