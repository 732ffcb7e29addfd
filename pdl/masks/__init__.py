"""Token masks: which tokens of a model may come next, if its text is to match a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.errors import TokenError, VocabularyError
    from pdl.masks.batches import fill
    from pdl.masks.masker import Masker, State
    from pdl.masks.saved import load, save
    from pdl.masks.sources.anything import vocabulary_of
    from pdl.masks.trie import Trie
    from pdl.masks.vocabulary import Vocabulary

__all__ = [
    "Masker",
    "State",
    "TokenError",
    "Trie",
    "Vocabulary",
    "VocabularyError",
    "fill",
    "load",
    "save",
    "vocabulary_of",
]

__getattr__ = lazy(
    __name__,
    {
        "Masker": "pdl.masks.masker",
        "State": "pdl.masks.masker",
        "TokenError": "pdl.errors",
        "Trie": "pdl.masks.trie",
        "Vocabulary": "pdl.masks.vocabulary",
        "VocabularyError": "pdl.errors",
        "fill": "pdl.masks.batches",
        "load": "pdl.masks.saved",
        "save": "pdl.masks.saved",
        "vocabulary_of": "pdl.masks.sources.anything",
    },
)
