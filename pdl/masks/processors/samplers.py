"""Logits processors: of llama-cpp-python, of `generate` of `transformers`, and of vLLM.

That of vLLM is for one request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from pdl.errors import TokenError
from pdl.masks.processors.prompted import Prefixes, Prompted, apply, is_tensor, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker, TokenState

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


_Scores = TypeVar("_Scores")


class TransformersProcessor:
    """Lets each text of a batch be one of a grammar: `generate(…, logits_processor=[processor])`.

    Of torch or of numpy; for greedy search, sampling, and with `beams=True` for beam search. For
    one call of `generate`, whose first step has the prompts alone, padded on the left as
    `generate` wants them; `prompt` says how many tokens that is, if an earlier step comes first.
    The rows of texts that have ended are left as they are.

    Beam search keeps forbidden candidates, with a score of minus infinity, where it finds too few
    others. With `beams`, those are left alone; without, they are the error that they would be
    elsewhere.
    """

    def __init__(
        self, masker: TokenMasker, *, prompt: int | None = None, beams: bool = False
    ) -> None:
        self._texts = Prompted(masker, prompt)
        self._beams = beams

    def __call__(self, input_ids: Any, scores: _Scores) -> _Scores:
        """The scores (texts, tokens) with minus infinity for what cannot follow `input_ids`.

        Raises TokenError for a text that was not sampled so; ValueError for one of another call and
        where there are not as many rows of scores; TypeError for what are no tokens or scores.
        """
        rows = numbers(input_ids, 2)
        _check(scores, len(rows))
        states = [self._allowing(state) for state in self._texts.states(rows)]
        held = [at for at, state in enumerate(states) if state is not None]
        found = _copy(scores)
        if held:
            masks = np.stack([state.bitmask() for state in states if state is not None])
            found[held] = apply(found[held], masks)
        return found  # type: ignore[no-any-return]  # of the kind of the scores

    def _allowing(self, state: TokenState | TokenError | None) -> TokenState | None:
        if not isinstance(state, TokenError):
            return state
        if self._beams:
            return None
        raise state


def _check(scores: Any, texts: int) -> None:
    """Raise TypeError or ValueError for what are no scores of so many texts."""
    if not (isinstance(scores, np.ndarray) or is_tensor(scores)):
        raise TypeError(f"scores must be of numpy or of torch, not {type(scores).__name__}")
    if scores.ndim != 2 or len(scores) != texts:  # noqa: PLR2004 - texts, tokens
        shape = tuple(scores.shape)
        raise ValueError(f"scores must have a row for each of {texts:,} texts, not {shape}")


def _copy(scores: Any) -> Any:
    return scores.clone() if is_tensor(scores) else np.array(scores)


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
