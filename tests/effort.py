"""How much a call does, on each machine the same: the functions that are called on the way."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def effort(function: Callable[..., object], *arguments: object) -> int:
    """The number of calls, of Python's functions and of built-in ones."""
    count = 0

    def counted(_frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return count
