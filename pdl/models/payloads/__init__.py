"""What each provider is sent and what it returns, as pure functions; `FAMILIES` is the registry."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.payloads.provider_api import DONE, DeltaReader, ProviderApi
    from pdl.models.payloads.reading import BadPayload, reported_error

__all__ = ["DONE", "FAMILIES", "BadPayload", "DeltaReader", "ProviderApi", "reported_error"]

__getattr__ = lazy(
    __name__,
    {
        "BadPayload": f"{__name__}.reading",
        "DONE": f"{__name__}.provider_api",
        "DeltaReader": f"{__name__}.provider_api",
        "ProviderApi": f"{__name__}.provider_api",
        "reported_error": f"{__name__}.reading",
    },
)


class _Registry(Mapping[str, "ProviderApi"]):
    """Imports the module of a provider on first use: most programs need only one."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes

    def __getitem__(self, name: str) -> ProviderApi:
        module, _, attribute = self._homes[name].partition(":")
        api: ProviderApi = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        return api

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


FAMILIES: Mapping[str, ProviderApi] = _Registry(
    {
        "openai": "openai_chat:OPENAI",
        "openai-responses": "openai_responses:OPENAI_RESPONSES",
        "litellm": "openai_chat:LITELLM",
        "anthropic": "anthropic:ANTHROPIC_MESSAGES",
        "gemini": "gemini:GEMINI_CONTENT",
        "ollama": "ollama:OLLAMA_CHAT",
        "llama-server": "grammar_servers:LLAMA_SERVER",
        "vllm": "grammar_servers:VLLM",
    }
)
"""The interfaces by name. `litellm` is OpenAI's interface as LiteLLM and other servers implement
it, `llama-server` the server of llama.cpp.
"""
