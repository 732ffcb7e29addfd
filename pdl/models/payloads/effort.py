"""`reasoning_effort` of OpenAI's, as each generation of the others' models takes it.

Gemini: guide "Gemini thinking" and the table of Google's OpenAI compatibility; Anthropic: guides
"Effort" and "Adaptive thinking"; Ollama: "Thinking". `minimal` is the least that a model has, where
it has no such word. What a model has no word for is not sent. Which generation of models a name
means is told here as well, where generations take different things.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.models.exchange import Ignored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json


_GEMINI = re.compile(r"\bgemini-(\d+)(?:\.(\d+))?(?![\d.])")
_CLAUDE = re.compile(r"\bclaude-([a-z]+)-(\d+)(?:[-.](\d{1,2}))?(?!\d)")
_OLD_CLAUDE = re.compile(r"\bclaude-(?:(\d)(?:[-.](\d))?(?!\d)|instant)")


def gemini_version(model: str) -> tuple[int, int] | None:
    """The number of a Gemini; None for names that give none."""
    found = _GEMINI.search(model)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def claude_version(model: str) -> tuple[int, int] | None:
    """The number of a Claude; None for names that give none."""
    found = _OLD_CLAUDE.search(model)
    if found is not None:
        return int(found[1] or 1), int(found[2] or 0)
    found = _CLAUDE.search(model)
    return None if found is None else (int(found[2]), int(found[3] or 0))


def is_gemini_3(model: str) -> bool:
    """Whether a model is Gemini 3 or later; those whose name gives no number are not."""
    version = gemini_version(model)
    return version is not None and version >= (3, 0)


def thinks_by_itself(model: str) -> bool:
    """Whether a model decides how long it thinks, and refuses a budget for that.

    So do Claude Opus 4.7, all that are numbered 5 and later, and those of names that are not known
    yet; models of others that speak Anthropic's language take what they take.
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
"""Tokens for thoughts; Anthropic takes none below 1,024, and bounds them with the answer."""
_GEMINI_BUDGETS = {"low": 1_024, "medium": 8_192, "high": 24_576}
_LEAST_CLAUDE = (3, 7)  # the first that thinks
_EFFORT_CLAUDE = (4, 6)  # the first that has efforts and decides itself how long it thinks
_LEAST_GEMINI = (2, 5)


def with_effort(
    config: Mapping[str, Json],
    model: str,
    own: Callable[[str, str, Mapping[str, Json]], Own | None],
) -> tuple[Mapping[str, Json], tuple[Ignored, ...]]:
    """The settings with the provider's own in place of an effort, and what is not sent."""
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
    """What a setting says itself goes over what an effort makes of it."""
    return {**value, **known} if isinstance(known, dict) else value


def gemini_effort(effort: str, model: str, config: Mapping[str, Json]) -> Own | None:
    """`thinkingConfig`: a budget for Gemini 2.5, a level for later ones; neither for earlier ones.

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
    """`effort` for Claude 4.6 and later, a budget for earlier ones that think.

    Models of others that speak Anthropic's language are sent the effort as it is.
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
    is_asked = version is None or version >= (5, 0)  # they think unless they are told not to
    return said if is_asked else {"thinking": {"type": "adaptive"}, **said}


def _budget(effort: str, version: tuple[int, int], config: Mapping[str, Json]) -> Own | None:
    """A budget below the limit of what is written, of which it is a part."""
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
    """`think`: a level for gpt-oss, which always thinks; yes or no for all others."""
    if "gpt-oss" in model:
        return {"think": effort} if effort in _LEVELS else None
    return {"think": effort != "none"} if effort in {*_LEVELS, "none", "xhigh", "max"} else None
