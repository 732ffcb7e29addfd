"""A logits processor for one request of vLLM."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pdl.masks.processors.logits import apply
from pdl.masks.processors.prefixes import Prefixes
from pdl.masks.processors.prompted import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.masks.protocol import TokenMasker

_Logits = TypeVar("_Logits")


class VllmProcessor:
    """Lets the text of a request be one of a grammar.

    What vLLM calls a request-level processor: `new_req_logits_processor` of an
    `AdapterLogitsProcessor` gives one; old versions have it in `SamplingParams.logits_processors`.
    One serves any number of requests, as it knows them by their tokens.
    """

    def __init__(self, masker: TokenMasker) -> None:
        self._masker = masker
        self._prefixes = Prefixes(masker)

    def __call__(self, output_ids: Sequence[int], logits: _Logits) -> _Logits:
        """The logits (tokens) with minus infinity for what cannot follow, in place.

        Raises TokenError for a text that was not sampled so.
        """
        state = self._prefixes.state(numbers(output_ids, 1))
        return logits if state is None else apply(logits, state.bitmask())

    def clone(self) -> VllmProcessor:
        """Another one of the same grammar, as vLLM asks for where it copies parameters."""
        return VllmProcessor(self._masker)
