"""Models in GGUF files, run by llama.cpp in this process: `llama:PATH.gguf`."""

from pdl.models.llama.model import LlamaModel, Settings

__all__ = ["LlamaModel", "Settings"]
