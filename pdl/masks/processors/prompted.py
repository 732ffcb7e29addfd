"""The states of texts that follow a prompt, in the tokens of samplers; and masks on their logits.

Where texts stand is found by the tokens so far (`Prefixes`), for samplers reorder, drop and copy
their texts. Logits are of numpy or of torch.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import replace
from hashlib import blake2b
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from pdl.errors import Problem, TokenError
from pdl.masks.protocol import WORD, check_masker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker, TokenState

    Ints: TypeAlias = NDArray[np.int32]
    Longs: TypeAlias = NDArray[np.int64]


_Logits = TypeVar("_Logits")


def apply(logits: _Logits, bitmask: Ints) -> _Logits:
    """Forbid all other tokens: their logits become minus infinity, in place. Gives the same array.

    `logits` is an array of numpy or a tensor of torch, of floating point, with one row (tokens) or
    several (texts, tokens); `bitmask` is of int32 and has as many rows, or one for all. A logit
    beyond the mask is of no token, and forbidden.

    Raises TokenError if no token is left, TypeError for other arrays, ValueError where the rows
    are not as many, where there are more than twice as many tokens as logits, and where the logits
    are read-only.
    """
    bitmask = _mask(bitmask)
    if isinstance(logits, np.ndarray):
        if not np.issubdtype(logits.dtype, np.floating):
            raise TypeError(f"logits must be of floating point, not {logits.dtype}")
        if not logits.flags.writeable:
            raise ValueError("logits are read-only: they are changed in place")
        np.putmask(logits, _forbidden(bitmask, logits.shape), -np.inf)
        return logits
    if not is_tensor(logits):
        raise TypeError(f"logits must be of numpy or of torch, not {type(logits).__name__}")
    _apply_to_tensor(logits, bitmask)
    return logits


def _mask(bitmask: Any) -> Ints:
    """A mask as numpy has it. Raises TypeError for what is none."""
    held = untied(bitmask)
    if not isinstance(held, np.ndarray):
        kind = type(held).__name__
        raise TypeError(f"bitmask must be an array (`state.bitmask()`), not {kind}")
    if held.dtype != np.int32:
        raise TypeError(f"bitmask must be of int32, one bit a token, not {held.dtype}")
    return held


def _apply_to_tensor(logits: Any, bitmask: Ints) -> None:
    if not logits.is_floating_point():
        raise TypeError(f"logits must be of floating point, not {logits.dtype}")
    forbidden = import_module("torch").from_numpy(_forbidden(bitmask, tuple(logits.shape)))
    logits.masked_fill_(forbidden.to(logits.device), -np.inf)


def is_tensor(value: Any) -> bool:
    """Whether something is a tensor of torch, which need not be there to know that it is none."""
    return any(kind.__module__.partition(".")[0] == "torch" for kind in type(value).__mro__)


def untied(value: Any) -> Any:
    """A tensor of torch as an array of numpy, wherever it is; all else as it is."""
    return value.detach().cpu().numpy() if is_tensor(value) else value


def _forbidden(bitmask: Ints, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """True for each logit of a token that is not allowed."""
    fits = len(shape) in {1, 2} and bitmask.ndim in {1, 2}
    if not fits or bitmask.shape[:-1] not in {(), (1,), shape[:-1]}:
        raise ValueError(f"a mask of {bitmask.shape} does not fit logits of {shape}")
    width, tokens = shape[-1], bitmask.shape[-1] * WORD
    if tokens > 2 * width + 2 * WORD:  # models lack the logits of a few tokens, not of most
        raise ValueError(
            f"a mask of {tokens:,} tokens does not fit {width:,} logits: is it `state.bitmask()`,"
            " and of the model's vocabulary?"
        )
    data = np.ascontiguousarray(bitmask, "<i4").view(np.uint8)
    held = min(width, tokens)
    bits = np.unpackbits(data, axis=-1, count=held, bitorder="little")
    if not bits.any(axis=-1).all():
        message = f"the mask allows none of the {width:,} tokens that have a logit"
        hint = "is the vocabulary that of the model?"
        raise TokenError(Problem("token/none", message, None, hint))
    found = np.ones(shape, np.bool_)
    found[..., :held] = bits == 0
    return found


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
