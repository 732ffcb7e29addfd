"""Where texts stand, found by the tokens so far: samplers reorder, drop and copy their texts."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.errors import TokenError
from pdl.masks.protocol import check_masker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker, TokenState

    Longs: TypeAlias = NDArray[np.int64]

_ROOM = 16_000_000
_COST = 500  # bytes that an entry takes beside its key
_TOKEN = np.dtype(np.int64).itemsize
_HINT = (
    "these tokens were not sampled with its mask: a processor is for one generation, whose first"
    " call has the prompt alone"
)


class Prefixes:
    """The states of the last texts that were asked for, in at most `room` bytes.

    A text is found by all its tokens, not by its place in a batch; one that is not remembered is
    read again from its beginning.
    """

    def __init__(self, masker: TokenMasker, room: int = _ROOM) -> None:
        check_masker(masker)
        self._masker = masker
        self._eos = masker.vocabulary.eos
        self._known: OrderedDict[bytes, TokenState | None] = OrderedDict()
        self._room = room
        self._size = 0

    def state(self, tokens: Longs) -> TokenState | None:
        """Where a text stands; None if one of its tokens ended it.

        What stands behind such a token (padding) is not looked at. Raises TokenError, with the
        place, for a token that cannot stand where it does.
        """
        key = tokens.tobytes()
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        before = key[:-_TOKEN]
        if key and before in self._known:
            found = self._behind(self._known[before], int(tokens[-1]), len(tokens) - 1)
        else:
            found = self._read(tokens)
        self._keep(key, found)
        return found

    def _read(self, tokens: Longs) -> TokenState | None:
        here: TokenState | None = self._masker.start()
        for at, token in enumerate(tokens.tolist()):
            here = self._behind(here, token, at)
        return here

    def _behind(self, here: TokenState | None, token: int, at: int) -> TokenState | None:
        if here is None or (token in self._eos and here.is_complete):
            return None
        try:
            return here.accept(token)
        except TokenError as error:
            problem = error.problem
            message = f"{problem.message}, behind {at:,} tokens"
            raise TokenError(replace(problem, message=message, hint=_HINT)) from error

    def _keep(self, key: bytes, found: TokenState | None) -> None:
        self._known[key] = found
        self._size += len(key) + _COST
        while self._size > self._room and len(self._known) > 1:
            old, _ = self._known.popitem(last=False)
            self._size -= len(old) + _COST
