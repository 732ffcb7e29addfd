"""What comes behind the prompt in the tokens that samplers hand on."""

from __future__ import annotations

from collections import deque
from hashlib import blake2b
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pdl.errors import TokenError
from pdl.masks.processors.logits import untied
from pdl.masks.processors.prefixes import Prefixes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker, TokenState

    Longs: TypeAlias = NDArray[np.int64]

_TOKEN = np.dtype(np.int64).itemsize
_CALLS = 256  # of which texts are remembered: speculative decoding takes some tokens back
_AGAIN = "a processor is for one generation, make another for the next"


class Prompted:
    """The states of texts that stand behind prompts of one length."""

    def __init__(self, masker: TokenMasker, prompt: int | None = None) -> None:
        self._prefixes = Prefixes(masker)
        self._prompt = None if prompt is None else _length(prompt)
        self._prompts: frozenset[bytes] = frozenset()
        self._seen: deque[frozenset[bytes]] = deque(maxlen=_CALLS)

    def states(self, rows: Iterable[Longs]) -> list[TokenState | TokenError | None]:
        """Where texts stand, by their tokens with those of the prompts; None for an ended one.

        A TokenError stands for a text with a token that cannot stand where it does. Raises
        ValueError where a text is shorter than the prompt was, has another prompt, or is no text of
        the last calls with one token more: a second use, whose mask would be one of another place.
        """
        held = list(rows)
        self._check(held)
        return [self._state(row) for row in held]

    def _state(self, row: Longs) -> TokenState | TokenError | None:
        try:
            return self._prefixes.state(row[self._prompt :])
        except TokenError as error:
            return error

    def _check(self, rows: list[Longs]) -> None:
        """Raise ValueError for texts of another generation; remember those of this one."""
        if not rows:
            return
        size = len(rows[0])
        if self._prompt is None:
            self._prompt = size
        if size < self._prompt:
            raise ValueError(
                f"{size:,} tokens are fewer than the prompt had, {self._prompt:,}: {_AGAIN}"
            )
        names = [_names(row) for row in rows]
        if not self._seen:
            self._prompts = frozenset(_names(row[: self._prompt])[1] for row in rows)
        elif size == self._prompt:
            if not self._prompts.issuperset(name for _, name in names):
                raise ValueError(
                    f"the prompt has other tokens than that of the first call: {_AGAIN}"
                )
        elif not all(any(one in seen for seen in self._seen) for one, _ in names):
            raise ValueError(
                "these tokens are not those of an earlier call with one more, which was sampled"
                f" with its mask: {_AGAIN}"
            )
        self._seen.appendleft(frozenset(name for _, name in names))


def _names(row: Longs) -> tuple[bytes, bytes]:
    """A name for the tokens of a text but the last, and one for all."""
    data = row.tobytes()
    held = blake2b(data[:-_TOKEN], digest_size=16)
    before = held.digest()
    held.update(data[-_TOKEN:])
    return before, held.digest()


def _length(prompt: object) -> int:
    """How long a prompt is. Raises TypeError and ValueError for what is no length."""
    if isinstance(prompt, bool) or not hasattr(prompt, "__index__"):
        raise TypeError(f"prompt must be how many tokens it has, not {type(prompt).__name__}")
    found = index(prompt)
    if found < 0:
        raise ValueError(f"prompt must be how many tokens it has, not {found}")
    return found


def numbers(tokens: Any, dimensions: int) -> Longs:
    """Tokens as numpy has them, wherever they are.

    Raises TypeError for what are no integers, ValueError for another number of dimensions.
    """
    held = np.asarray(untied(tokens))
    if held.size and not np.issubdtype(held.dtype, np.integer):
        raise TypeError(f"tokens must be integers, not {held.dtype}")
    if held.ndim != dimensions:
        shape = "2 dimensions (texts, tokens)" if dimensions > 1 else "1 dimension"
        raise ValueError(f"tokens must have {shape}, not {held.ndim}")
    return np.ascontiguousarray(held, np.int64)
