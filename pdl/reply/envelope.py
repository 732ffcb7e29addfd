"""The answer inside a tool call: models that are trained on tools wrap what they say in one.

The shapes are those of OpenAI's chat and responses formats, Anthropic's `tool_use` blocks, Gemini's
`functionCall`, and the JSON that Hermes, Llama 3 and ReAct prompts make models write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.parse import Parsed, parse

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
_DEEPEST = 3  # envelopes in envelopes


def payload(value: Json, limits: Limits) -> tuple[Json] | None:
    """The arguments of the one tool call that a value is, in a tuple; None if it is none."""
    for _ in range(_DEEPEST):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return None
        found = _arguments(value)
        if found is not None:
            return _opened(value[found], limits)
        inner = _inner(value)
        if inner is None:
            return None
        value = inner
    return None


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
