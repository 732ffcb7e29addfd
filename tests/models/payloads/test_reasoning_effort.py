"""How much a model is to think, in the words of its generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl.models.payloads import FAMILIES
from pdl.models.request import Request
from pdl.prompt.messages import Message, Text

if TYPE_CHECKING:
    from pdl.models.payloads.provider_api import Payload

ASKED = (Message("user", (Text("?"),)),)


def sent(family: str, model: str, effort: str, **config: Any) -> Payload:
    return FAMILIES[family].payload(
        Request(ASKED, config={"reasoning_effort": effort, **config}), model
    )


def level(name: str) -> dict[str, Any]:
    return {"generationConfig": {"thinkingConfig": {"thinkingLevel": name}}}


def tokens(number: int) -> dict[str, Any]:
    return {"generationConfig": {"thinkingConfig": {"thinkingBudget": number}}}


def enabled(number: int) -> dict[str, Any]:
    return {"thinking": {"type": "enabled", "budget_tokens": number}}


def effort(name: str, thinking: str = "") -> dict[str, Any]:
    return {
        "output_config": {"effort": name},
        **({"thinking": {"type": thinking}} if thinking else {}),
    }


OFF = {"thinking": {"type": "disabled"}}
SAID = [
    ("gemini", "gemini-2.5-flash", "none", tokens(0)),
    ("gemini", "gemini-2.5-flash", "minimal", tokens(1_024)),
    ("gemini", "gemini-2.5-pro", "high", tokens(24_576)),
    ("gemini", "gemini-3-flash-preview", "minimal", level("minimal")),
    ("gemini", "gemini-3.1-pro", "minimal", level("low")),
    ("gemini", "gemini-3.1-pro", "medium", level("medium")),
    ("gemini", "models/gemini-3.8-flash", "high", level("high")),
    ("gemini", "gemini-flash-latest", "low", level("low")),
    ("anthropic", "claude-3-7-sonnet-latest", "low", enabled(1_024)),
    ("anthropic", "claude-sonnet-4-20250514", "medium", enabled(8_192)),
    ("anthropic", "claude-haiku-4-5", "high", enabled(16_384)),
    ("anthropic", "claude-opus-4-5-20251101", "none", OFF),
    ("anthropic", "claude-sonnet-4-6", "max", effort("max", "adaptive")),
    ("anthropic", "claude-opus-4-7", "xhigh", effort("xhigh", "adaptive")),
    ("anthropic", "claude-sonnet-5-5", "minimal", effort("low")),
    ("anthropic", "claude-opus-5", "none", OFF),
    ("anthropic", "claude-next", "high", effort("high")),
    ("anthropic", "tiny-1", "minimal", effort("low")),
    ("ollama", "gpt-oss:20b", "minimal", {"think": "low"}),
    ("ollama", "qwen3:8b", "medium", {"think": True}),
    ("ollama", "qwen3:8b", "none", {"think": False}),
    ("openai", "gpt-6.1-sol", "minimal", {"reasoning_effort": "minimal"}),
    ("openai-responses", "gpt-6.1-sol", "none", {"reasoning": {"effort": "none"}}),
]
UNSAID = [
    ("gemini", "gemini-2.5-pro", "none"),
    ("gemini", "gemini-3-flash", "none"),
    ("gemini", "gemini-3.1-pro", "xhigh"),
    ("gemini", "gemini-2.0-flash", "low"),
    ("anthropic", "claude-3-5-haiku-latest", "low"),
    ("anthropic", "claude-haiku-4-5", "xhigh"),
    ("anthropic", "claude-sonnet-4-6", "xhigh"),
    ("anthropic", "claude-opus-5", "hgih"),
    ("ollama", "gpt-oss:20b", "none"),
    ("ollama", "qwen3:8b", "hgih"),
]


@pytest.mark.parametrize(("family", "model", "word", "wanted"), SAID)
def test_it_is_said(family: str, model: str, word: str, wanted: dict[str, Any]) -> None:
    payload = sent(family, model, word)
    plain = FAMILIES[family].payload(Request(ASKED), model).body
    told = {key: value for key, value in payload.body.items() if plain.get(key) != value}
    told.pop("max_tokens", None)  # grows by the budget
    assert told == wanted
    assert payload.ignored == ()


@pytest.mark.parametrize(("family", "model", "word"), UNSAID)
def test_what_a_model_has_no_word_for(family: str, model: str, word: str) -> None:
    """It is not sent, and that is told."""
    payload = sent(family, model, word)
    assert payload.body == FAMILIES[family].payload(Request(ASKED), model).body
    [ignored] = payload.ignored
    assert ignored.key == "reasoning_effort"
    assert f"`{word}`" in ignored.why


def test_a_budget_is_below_the_limit() -> None:
    """It is a part of what may be written; below 1,024 Anthropic takes none."""
    payload = sent("anthropic", "claude-haiku-4-5", "high", max_tokens=5_000)
    assert payload.body["thinking"]["budget_tokens"] == 2_500
    assert payload.body["max_tokens"] == 5_000
    assert sent("anthropic", "claude-haiku-4-5", "low", max_tokens=900).ignored
    assert sent("anthropic", "claude-haiku-4-5", "high").body["max_tokens"] == 8_192 + 16_384


def test_own_words_go_before() -> None:
    """What is set in the provider's own words is not changed by an effort."""
    own = {"thinkingConfig": {"thinkingBudget": 99, "includeThoughts": True}}
    payload = sent("gemini", "gemini-2.5-flash", "high", **own)
    assert payload.body["generationConfig"] == own
    assert sent("ollama", "qwen3:8b", "low", think=False).body["think"] is False
    assert [one.key for one in sent("ollama", "qwen3:8b", "low", think=False).ignored] == [
        "reasoning_effort"
    ]


def test_it_stands_beside_a_schema() -> None:
    schema = pdl.Schema.parse("{ a: int }")
    config = {"reasoning_effort": "high"}
    body = (
        FAMILIES["anthropic"].payload(Request(ASKED, schema, config=config), "claude-opus-5").body
    )
    assert set(body["output_config"]) == {"effort", "format"}
