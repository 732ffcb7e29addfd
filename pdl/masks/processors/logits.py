"""Masks on logits, of numpy or of torch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from pdl.errors import Problem, TokenError
from pdl.masks.protocol import WORD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int32]

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
