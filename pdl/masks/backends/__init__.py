"""Other engines behind the same interface as pdl's own masks, where they are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.masks.backends.llguidance import LlguidanceMasker
    from pdl.masks.backends.xgrammar import XgrammarMasker

__all__ = ["LlguidanceMasker", "XgrammarMasker"]

__getattr__ = lazy(
    __name__,
    {
        "LlguidanceMasker": "pdl.masks.backends.llguidance",
        "XgrammarMasker": "pdl.masks.backends.xgrammar",
    },
)
