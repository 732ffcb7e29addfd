"""Ctrl-C (SIGINT), deferred where it would leave work half done."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer Ctrl-C to the end, where it would leave work half done.

    Processes that are started meanwhile never see a Ctrl-C of their own. Windows cannot defer it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
