"""A logits processor for llama-cpp-python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.errors import TokenError
from pdl.masks.processors.logits import apply
from pdl.masks.processors.prompted import Prompted, numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker

    Scores: TypeAlias = NDArray[np.single]


class LlamaCppProcessor:
    """Lets a text be one of a grammar: `LogitsProcessorList([LlamaCppProcessor(masker)])`.

    For one call of `create_completion` or `create_chat_completion`, whose first step has the prompt
    alone; `prompt` says how many tokens that is, if another step comes first.
    """

    def __init__(self, masker: TokenMasker, *, prompt: int | None = None) -> None:
        self._texts = Prompted(masker, prompt)

    def __call__(self, input_ids: Any, scores: Scores) -> Scores:
        """The scores with minus infinity for what cannot follow `input_ids`, in place.

        Raises TokenError for a text that was not sampled so, ValueError for one of another call,
        TypeError for what are no tokens or scores.
        """
        [state] = self._texts.states([numbers(input_ids, 1)])
        if isinstance(state, TokenError):
            raise state
        return scores if state is None else apply(scores, state.bitmask())
