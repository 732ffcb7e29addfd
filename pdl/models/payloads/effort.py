"""OpenAI's `reasoning_effort` for each generation of the other providers' models.

Gemini: guide "Gemini thinking" and the table of Google's OpenAI compatibility; Anthropic: guides
"Effort" and "Adaptive thinking"; Ollama: "Thinking". `minimal` is the lowest effort of a model that
has no such word. An effort that a model doesn't have is not sent. The generation of a model is read
from its name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.models.exchange import Ignored
from pdl.tools.tool import ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.models.request import Request


_GEMINI = re.compile(r"\bgemini-(\d+)(?:\.(\d+))?(?![\d.])")
_CLAUDE = re.compile(r"\bclaude-([a-z]+)-(\d+)(?:[-.](\d{1,2}))?(?!\d)")
_OLD_CLAUDE = re.compile(r"\bclaude-(?:(\d)(?:[-.](\d))?(?!\d)|instant)")


def gemini_version(model: str) -> tuple[int, int] | None:
    """Return the version of a Gemini; None for names without one."""
    found = _GEMINI.search(model)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def claude_version(model: str) -> tuple[int, int] | None:
    """Return the version of a Claude; None for names without one."""
    found = _OLD_CLAUDE.search(model)
    if found is not None:
        return int(found[1] or 1), int(found[2] or 0)
    found = _CLAUDE.search(model)
    return None if found is None else (int(found[2]), int(found[3] or 0))


def is_gemini_3(model: str) -> bool:
    """Return whether a model is Gemini 3 or later; names without a number are not."""
    version = gemini_version(model)
    return version is not None and version >= (3, 0)


def thinks_by_itself(model: str) -> bool:
    """Return whether a model decides how long it thinks, and rejects a budget for that.

    Claude Opus 4.7 does, version 5 and later, and unknown names; models of other vendors with
    Anthropic's interface don't.
    """
    if "claude" not in model or _OLD_CLAUDE.search(model):
        return False
    found = _CLAUDE.search(model)
    if found is None:
        return True
    least = (4, 7) if found[1] == "opus" else (5, 0)
    return found[1] == "mythos" or (int(found[2]), int(found[3] or 0)) >= least


Own: TypeAlias = "dict[str, Any]"
_KEY = "reasoning_effort"
_LEVELS = ("low", "medium", "high")
_BUDGETS = {"low": 1_024, "medium": 8_192, "high": 16_384}
"""Tokens for reasoning; Anthropic's minimum is 1,024, and they count toward the answer's limit."""
_GEMINI_BUDGETS = {"low": 1_024, "medium": 8_192, "high": 24_576}
_LEAST_CLAUDE = (3, 7)  # the first that thinks
_EFFORT_CLAUDE = (4, 6)  # the first that has efforts and decides itself how long it thinks
_LEAST_GEMINI = (2, 5)


def with_effort(
    config: Mapping[str, Json],
    model: str,
    own: Callable[[str, str, Mapping[str, Json]], Own | None],
) -> tuple[Mapping[str, Json], tuple[Ignored, ...]]:
    """Replace an effort by the provider's own settings; return them and what is not sent."""
    effort = config.get(_KEY)
    if not isinstance(effort, str):
        return config, ()
    rest = {name: value for name, value in config.items() if name != _KEY}
    said = own("low" if effort == "minimal" else effort, model, config)
    if said is None:
        return rest, (Ignored(_KEY, f"`{model}` has no effort `{effort}`"),)
    twice = [name for name in said if name in rest and not isinstance(rest[name], dict)]
    if twice:
        return rest, (Ignored(_KEY, f"`{twice[0]}` says it"),)
    return {**rest, **{name: _merged(rest.get(name), value) for name, value in said.items()}}, ()


def _merged(known: Json, value: Any) -> Json:
    """An explicit setting overrides what an effort implies."""
    return {**value, **known} if isinstance(known, dict) else value


def gemini_effort(effort: str, model: str, config: Mapping[str, Json]) -> Own | None:
    """Return `thinkingConfig`: a budget for Gemini 2.5, a level for later ones, else None.

    Gemini 3 always thinks, and so does 2.5 Pro.
    """
    version = gemini_version(model)
    if version is not None and version < _LEAST_GEMINI:
        return None
    if version is None or version >= (3, 0):
        least = config[_KEY] == "minimal" and "pro" not in model
        level = "minimal" if least else effort
        return {"thinkingConfig": {"thinkingLevel": level}} if effort in _LEVELS else None
    if effort == "none" and "pro" not in model:
        return {"thinkingConfig": {"thinkingBudget": 0}}
    budget = _GEMINI_BUDGETS.get(effort)
    return None if budget is None else {"thinkingConfig": {"thinkingBudget": budget}}


def anthropic_effort(effort: str, model: str, config: Mapping[str, Json]) -> Own | None:
    """Return `effort` for Claude 4.6 and later, a budget for earlier ones that think.

    Models of other vendors with Anthropic's interface are sent the effort as it is.
    """
    if "claude" not in model:
        return {"output_config": {"effort": effort}}
    version = claude_version(model)
    if version is not None and version < _EFFORT_CLAUDE:
        return _budget(effort, version, config)
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    known = {*_LEVELS, "max"} | ({"xhigh"} if thinks_by_itself(model) else set())
    if effort not in known:
        return None
    said: Own = {"output_config": {"effort": effort}}
    is_asked = version is None or version >= (5, 0)  # they think by default
    return said if is_asked else {"thinking": {"type": "adaptive"}, **said}


def _budget(effort: str, version: tuple[int, int], config: Mapping[str, Json]) -> Own | None:
    """A budget below the limit of output tokens, of which it is a part."""
    if version < _LEAST_CLAUDE:
        return None
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    most = config.get("max_tokens", config.get("max_completion_tokens"))
    room = most // 2 if isinstance(most, int) else _BUDGETS["high"]
    if effort not in _BUDGETS or room < _BUDGETS["low"]:
        return None
    return {"thinking": {"type": "enabled", "budget_tokens": min(_BUDGETS[effort], room)}}


def ollama_effort(effort: str, model: str, config: Mapping[str, Json]) -> Own | None:  # noqa: ARG001
    """Return `think`: a level for gpt-oss, which always thinks; a boolean for all others."""
    if "gpt-oss" in model:
        return {"think": effort} if effort in _LEVELS else None
    return {"think": effort != "none"} if effort in {*_LEVELS, "none", "xhigh", "max"} else None


def with_thinking(request: Request, model: str) -> tuple[Mapping[str, Json], tuple[Ignored, ...]]:
    """Return the settings with `thinking` as the model accepts it, without it after tool results.

    There Anthropic requires the reasoning that led to the calls, and reasoning is never sent.
    """
    last = request.messages[-1].parts if request.messages else ()
    if "thinking" in request.config and any(isinstance(one, ToolResult) for one in last):
        rest = {name: value for name, value in request.config.items() if name != "thinking"}
        why = "after tool results Anthropic requires the reasoning, which is never sent"
        return rest, (Ignored("thinking", why),)
    thinking = request.config.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return request.config, ()
    return _adaptive(request.config, thinking) if thinks_by_itself(model) else (request.config, ())


def _adaptive(
    config: Mapping[str, Json], thinking: dict[str, Json]
) -> tuple[Mapping[str, Json], tuple[Ignored, ...]]:
    """Replace a budget for reasoning by an effort."""
    kept = {name: value for name, value in thinking.items() if name != "budget_tokens"}
    found: dict[str, Json] = {**config, "thinking": {**kept, "type": "adaptive"}}
    why = "this model decides how long it thinks: `budget_tokens` is not sent"
    output = config.get("output_config", {})
    budget = thinking.get("budget_tokens")
    is_said = "reasoning_effort" in config or not isinstance(output, dict) or "effort" in output
    if is_said or not isinstance(budget, int):
        return found, (Ignored("thinking", why),)
    effort = next((name for most, name in _EFFORTS if budget <= most), "high")
    found["output_config"] = {**output, "effort": effort}
    return found, (Ignored("thinking", f"{why}, but the effort `{effort}`"),)


_EFFORTS = ((4_096, "low"), (16_384, "medium"))
"""Budgets for reasoning, and the nearest efforts."""


def thinking_budget(config: Mapping[str, Json]) -> int:
    """Return the tokens for reasoning, which count as output."""
    thinking = config.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return budget if isinstance(budget, int) else 0
