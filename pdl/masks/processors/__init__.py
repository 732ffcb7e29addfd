"""Masks in samplers: of `transformers`, llama.cpp, vLLM, or your own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.masks.processors.samplers import (
        LlamaCppProcessor,
        TransformersProcessor,
        VllmProcessor,
        apply,
    )
    from pdl.masks.processors.triggered import Triggered

__all__ = ["LlamaCppProcessor", "TransformersProcessor", "Triggered", "VllmProcessor", "apply"]

__getattr__ = lazy(
    __name__,
    {
        "LlamaCppProcessor": "pdl.masks.processors.samplers",
        "TransformersProcessor": "pdl.masks.processors.samplers",
        "Triggered": "pdl.masks.processors.triggered",
        "VllmProcessor": "pdl.masks.processors.samplers",
        "apply": "pdl.masks.processors.samplers",
    },
)
