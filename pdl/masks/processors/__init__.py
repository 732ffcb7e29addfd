"""Masks where people sample: in `transformers`, llama.cpp, vLLM, a sampler of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.masks.processors.llama_cpp import LlamaCppProcessor
    from pdl.masks.processors.logits import apply
    from pdl.masks.processors.transformers import TransformersProcessor
    from pdl.masks.processors.triggered import Triggered
    from pdl.masks.processors.vllm import VllmProcessor

__all__ = ["LlamaCppProcessor", "TransformersProcessor", "Triggered", "VllmProcessor", "apply"]

__getattr__ = lazy(
    __name__,
    {
        "LlamaCppProcessor": "pdl.masks.processors.llama_cpp",
        "TransformersProcessor": "pdl.masks.processors.transformers",
        "Triggered": "pdl.masks.processors.triggered",
        "VllmProcessor": "pdl.masks.processors.vllm",
        "apply": "pdl.masks.processors.logits",
    },
)
