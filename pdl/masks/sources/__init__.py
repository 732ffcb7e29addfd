"""Vocabularies from the tokenizers that people have: objects of libraries, and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.masks.sources.anything import vocabulary_of

__all__ = ["vocabulary_of"]

__getattr__ = lazy(__name__, {"vocabulary_of": "pdl.masks.sources.anything"})
