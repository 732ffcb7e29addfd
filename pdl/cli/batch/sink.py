"""Where the results of a batch go: the standard output, or the end of a locked file.

One run at a time writes a file of results: two would not know of each other's lines.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Protocol

from pdl.cli import exits
from pdl.cli.texts import unwritable
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from pdl.cli.screen import Screen


if sys.platform == "win32":
    import msvcrt

    # A lock of Windows keeps others from reading as well, so it is far behind all results.
    _FAR = 1 << 40

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TAKEN = frozenset([errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK])


def lock(descriptor: int) -> bool:
    """Keep others from writing the file until it is closed; false if one of them does already.

    The system lets go of it also when this process is killed. Pipes and devices are not locked, nor
    are files of systems that cannot do it.
    """
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return True
    try:
        _take(descriptor)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


class Sink(Protocol):
    """It takes whole lines; each call of `write` is kept, whatever comes next."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def write(self, text: str) -> None:
        """Write lines, without the newline of the last."""

    def unbroken(self) -> AbstractContextManager[None]:
        """What is done in it is not broken off by Ctrl-C, if that can be put off here."""


class ScreenSink:
    """The standard output."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """It stays open."""

    def write(self, text: str) -> None:
        """Write lines, without the newline of the last."""
        self._screen.write(self._screen.safe(text))

    def unbroken(self) -> AbstractContextManager[None]:
        """Nothing is put off: a reader may keep this process waiting for ever."""
        return nullcontext()


class FileSink:
    """A file that results are appended to, and that no other run appends to meanwhile.

    `size`, once it is known, is how many of its bytes are whole lines, which the first results are
    to follow. Raises FileError if it cannot be written, or another run writes it.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self.size: int | None = None
        try:
            # Unbuffered: what was written is in the file, also if this process is killed.
            self._stream = io.FileIO(file, "ab")
        except OSError as error:
            raise unwritable(file, error) from error
        if not lock(self._stream.fileno()):
            self._stream.close()
            hint = "wait until it has ended, or name another --out"
            raise FileError(Problem("file/in-use", f"another run is writing {file}", None, hint))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._stream.close()

    def write(self, text: str) -> None:
        """Write lines, without the newline of the last."""
        data = memoryview(f"{text}\n".encode())
        try:
            self._drop_half_line()
            while data:
                data = data[self._stream.write(data) :]
        except OSError as error:
            raise unwritable(self._file, error) from error

    def unbroken(self) -> AbstractContextManager[None]:
        """No line is left half-written, and all that are written are counted."""
        is_regular = stat.S_ISREG(os.fstat(self._stream.fileno()).st_mode)
        return exits.held() if is_regular else nullcontext()

    def _drop_half_line(self) -> None:
        """Before the first line, cut off one that a run which was killed left half-written."""
        if self.size is not None and os.fstat(self._stream.fileno()).st_size > self.size:
            self._stream.truncate(self.size)
        self.size = None
