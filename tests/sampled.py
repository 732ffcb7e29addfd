"""Texts that a real llama.cpp samples from the random-weight model under a grammar."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if sys.platform == "linux":
    import xllamacpp

if TYPE_CHECKING:
    from pathlib import Path

# Everything that the grammar leaves is drawn as the model weighs it, and nothing is left from one
# request to the next: a seed always gives the same text.
_SAMPLING = {"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "cache_prompt": False}


class RefusedError(Exception):
    """What llama.cpp says of a request that it does not take."""


@dataclass(frozen=True)
class Sampled:
    """A text; `ended` unless the bound of tokens cut it, then maybe amid a character."""

    text: str
    ended: bool
    tokens: int


class Sampler:
    """llama.cpp with one model, in this process, and its HTTP server at `address` until `close`."""

    def __init__(self, model: Path) -> None:
        params = xllamacpp.CommonParams()
        params.model.path = str(model)
        params.cpuparams.n_threads = 1  # the model is too small to be shared out
        params.n_parallel = 1
        params.warmup = False
        params.verbosity = -1
        self._server = xllamacpp.Server(params)

    @property
    def address(self) -> str:
        """The URL that its HTTP server listens at."""
        return str(self._server.listening_address)

    def sample(self, grammar: str, *, seed: int = 0, tokens: int = 300, **more: Any) -> Sampled:
        """One text of a grammar; more fields of the request may be given.

        Raises RefusedError where llama.cpp does not take the grammar.
        """
        request = {"prompt": "a", "grammar": grammar, "seed": seed, "max_tokens": tokens}
        answer = self._server.handle_completions(request | _SAMPLING | more)
        if "error" in answer:
            raise RefusedError(answer["error"]["message"])
        choice = answer["choices"][0]
        count = answer["usage"]["completion_tokens"]
        return Sampled(choice["text"], choice["finish_reason"] == "stop", count)

    def close(self) -> None:
        """Stop it and let the model go, which may not be used any more."""
        del self._server
