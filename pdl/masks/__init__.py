"""Token masks: which tokens of a model may come next, if its text is to match a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._lazy import lazy
from pdl.errors import missing_package

if TYPE_CHECKING:
    from pdl.errors import TokenError, VocabularyError
    from pdl.masks.masker import Masker, State, fill_bitmasks
    from pdl.masks.sources import vocabulary_of
    from pdl.masks.sources.saved import load, save
    from pdl.masks.vocabulary import Trie, Vocabulary

__all__ = [
    "Masker",
    "State",
    "TokenError",
    "Trie",
    "Vocabulary",
    "VocabularyError",
    "fill_bitmasks",
    "load",
    "save",
    "vocabulary_of",
]

_load = lazy(
    __name__,
    {
        "Masker": "pdl.masks.masker",
        "State": "pdl.masks.masker",
        "TokenError": "pdl.errors",
        "Trie": "pdl.masks.vocabulary",
        "Vocabulary": "pdl.masks.vocabulary",
        "VocabularyError": "pdl.errors",
        "fill_bitmasks": "pdl.masks.masker",
        "load": "pdl.masks.sources.saved",
        "save": "pdl.masks.sources.saved",
        "vocabulary_of": "pdl.masks.sources",
    },
)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise missing_package("token masks need", "numpy", "masks") from error
