"""The answer inside a tool call: models that are trained on tools wrap what they say in one.

The shapes are those of OpenAI's chat and responses formats, Anthropic's `tool_use` blocks, Gemini's
`functionCall`, and the JSON that Hermes, Llama 3 and ReAct prompts make models write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing.parsed import Parsed, parse
from pdl.reply.prose.signs import taken_back
from pdl.reply.prose.words import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.limits import Limits

NAMES = frozenset(["name", "tool", "tool_name", "function", "function_name", "action"])
ARGUMENTS = frozenset(["arguments", "args", "parameters", "params", "input", "tool_input"])
ARGUMENTS |= {"action_input", "kwargs"}
OTHERS = frozenset(["id", "type", "index", "call_id", "tool_call_id", "thought", "status"])
WRAPPERS = frozenset(["function", "function_call", "functionCall", "tool_call", "tool_use"])
LISTS = frozenset(["tool_calls", "function_calls"])
TYPES = frozenset(["function", "tool", "tool_use", "tool_call", "function_call", "functioncall"])
STATES = frozenset(["completed", "complete", "success", "succeeded", "ok", "done", "pending"])
STATES |= {"in_progress", "queued", "running", "requested", "created", "incomplete", "ready"}
SPEAKERS = frozenset(["assistant", "model", "ai"])
_SEPARATORS = re.compile(r"[_.\s-]+")
_DEEPEST = 3  # envelopes in envelopes


def payload(value: Json, limits: Limits) -> tuple[Json] | None:
    """The arguments of the one tool call that a value is, in a tuple; None if it is none."""
    for _ in range(_DEEPEST):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return None
        found = _arguments(value)
        if found is not None and _speaks_for_itself(value):
            return _opened(value[found], limits)
        inner = _inner(value) if found is None else None
        if inner is None or not _speaks_for_itself(value):
            return None
        value = inner
    return None


def _speaks_for_itself(value: Mapping[str, Json]) -> bool:
    """Whether nothing in an envelope speaks against what is in it: that it failed, or a thought."""
    expected = (("type", TYPES), ("status", STATES), ("role", SPEAKERS))
    for key, known in expected:
        said = value.get(key)
        if said is not None and not (isinstance(said, str) and said.lower() in known):
            return False
    thought = value.get("thought")
    if isinstance(thought, str) and taken_back(thought):
        return False
    called = (value.get(key) for key in NAMES)
    names = (_SEPARATORS.sub(" ", name) for name in called if isinstance(name, str))
    return not any(Text(name).says("no_call") for name in names)


def _arguments(value: Mapping[str, Json]) -> str | None:
    """The key of the arguments, of an object that has a name, arguments, and little else."""
    names, arguments = NAMES & set(value), ARGUMENTS & set(value)
    if len(names) != 1 or len(arguments) != 1:
        return None
    named = all(isinstance(value[name], str) for name in names)
    rest = set(value) - names - arguments - OTHERS
    return next(iter(arguments)) if named and not rest else None


def _inner(value: Mapping[str, Json]) -> Json | None:
    """What is inside an object that says of itself that it holds a call, or a list of one."""
    keys = set(value) - OTHERS - {"role", "content"}
    if len(keys) != 1 or (value.get("content") or "") != "":
        return None
    key = keys.pop()
    return value[key] if key in WRAPPERS | LISTS else None


def _opened(arguments: Json, limits: Limits) -> tuple[Json] | None:
    """The arguments, which OpenAI writes as JSON inside a string."""
    if not isinstance(arguments, str):
        return (arguments,)
    made = parse(arguments, limits)
    return (made.value,) if isinstance(made, Parsed) else None
