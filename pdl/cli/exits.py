"""The exit codes of every command, and Ctrl-C (SIGINT), put off for a moment.

Ctrl-C is put off where it would leave things half done.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


BAD: Final = 1
"""The command did its work, and what it looked at is wrong: a reply, a linted file."""

USAGE: Final = 2
"""The command could not do its work: wrong options, an unreadable file, a prompt that fails."""

UNREACHED: Final = 3
"""The model could not be asked: its server fails, is not there, or refuses the request."""

CALLED: Final = 4
"""The model wants tools called, which a command cannot do; its calls are the result."""

STOPPED: Final = 130
"""Somebody pressed Ctrl-C: 128 and the number of that signal, as shells have it."""


@contextmanager
def held() -> Iterator[None]:
    """Ctrl-C comes when this is left. Processes that are started in it never see one of their own.

    Windows cannot put it off.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
