"""Masks of many texts at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenState

    Ints: TypeAlias = NDArray[np.int32]


def fill(states: Sequence[TokenState | None], out: Ints) -> None:
    """Write the masks of some states into the rows of `out`, in their order.

    None stands for a text that nothing constrains. Raises ValueError unless `out` has a row for
    each state, of the length of its mask, and can be written; TypeError if it is no array of 32 bit
    integers, and for what is no list of states.
    """
    _check(states, out)
    if len(out) != len(states):
        raise ValueError(f"out has {len(out)} rows for {len(states)} states")
    for row, state in zip(out, states, strict=True):
        if state is None:
            row[...] = -1
        else:
            mask = state.bitmask()
            if row.shape != mask.shape:
                raise ValueError(f"a row of out is {row.shape}, and a mask {mask.shape}")
            row[...] = mask


def _check(states: object, out: object) -> None:
    """Raise TypeError or ValueError for what no masks can be written from, or to."""
    if not isinstance(states, Sequence):
        raise TypeError(f"states must be a list of states, not {type(states).__name__}")
    for state in states:
        if state is not None and not hasattr(state, "bitmask"):
            kind = type(state).__name__
            raise TypeError(f"states must be of maskers (`masker.start()`) or None, not {kind}")
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array of numpy, not {type(out).__name__}")
    if out.dtype != np.int32:
        raise TypeError(f"out must be of int32, not {out.dtype}")
    if out.ndim != 2:  # noqa: PLR2004 - texts, and their masks
        raise ValueError(f"out must have two dimensions (texts, numbers of a mask), not {out.ndim}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
