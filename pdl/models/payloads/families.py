"""The providers, by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.payloads.family import Family


class _Families(Mapping[str, "Family"]):
    """Loads the module of a provider when it is asked for: a program mostly needs one."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes

    def __getitem__(self, name: str) -> Family:
        module, _, there = self._homes[name].partition(":")
        found: Family = getattr(importlib.import_module(module), there)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


FAMILIES: Mapping[str, Family] = _Families(
    {
        "openai": "pdl.models.payloads.openai_chat:OPENAI",
        "openai-responses": "pdl.models.payloads.openai_responses:OPENAI_RESPONSES",
        "litellm": "pdl.models.payloads.openai_chat:LITELLM",
        "anthropic": "pdl.models.payloads.anthropic:ANTHROPIC_MESSAGES",
        "gemini": "pdl.models.payloads.gemini:GEMINI_CONTENT",
        "ollama": "pdl.models.payloads.ollama:OLLAMA_CHAT",
        "llama-server": "pdl.models.payloads.grammar_servers:LLAMA_SERVER",
        "vllm": "pdl.models.payloads.grammar_servers:VLLM",
    }
)
"""The interfaces by name. `litellm` is OpenAI's shape as LiteLLM and other servers take it,
`llama-server` llama.cpp's server.
"""
