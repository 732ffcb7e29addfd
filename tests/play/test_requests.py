"""Where requests go, as the page shows them for a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.play.look import look

if TYPE_CHECKING:
    import pytest


def test_headers_name_the_variable_of_a_key_and_never_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A key in the environment isn't in what the page gets."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-key")
    found = look("<|user|>\nHello\n", options={"parts": ["requests"]})["requests"]
    assert found["openai"]["url"] == "https://api.openai.com/v1/chat/completions"
    assert found["openai"]["headers"] == {"authorization": "Bearer $OPENAI_API_KEY"}
    assert found["anthropic"]["headers"]["x-api-key"] == "$ANTHROPIC_API_KEY"
    assert found["llama-server"]["headers"] == {}
    assert "secret-key" not in str(found)


def test_an_address_that_contains_the_model_has_a_placeholder_without_one() -> None:
    """Gemini's address has the name of the model in it."""
    found = look("<|user|>\nHello\n", options={"parts": ["requests"]})["requests"]["gemini"]
    assert found["url"].endswith("/models/MODEL:generateContent")
