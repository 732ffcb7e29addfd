"""Masks in samplers: of `transformers`, llama.cpp, vLLM, or your own."""

from pdl.masks.processors.samplers import (
    LlamaCppProcessor,
    TransformersProcessor,
    VllmProcessor,
    apply,
)
from pdl.masks.processors.triggered import Triggered

__all__ = ["LlamaCppProcessor", "TransformersProcessor", "Triggered", "VllmProcessor", "apply"]
