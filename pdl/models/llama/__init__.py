"""Models in GGUF files, run by llama.cpp in this process: `llama:PATH.gguf`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.models.llama.model import LlamaModel, Settings

__all__ = ["LlamaModel", "Settings"]

__getattr__ = lazy(
    __name__,
    {"LlamaModel": "pdl.models.llama.model", "Settings": "pdl.models.llama.model"},
)
