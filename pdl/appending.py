"""Files that lines are appended to by one process at a time, and that survive its being killed."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self


if sys.platform == "win32":
    import msvcrt

    # A lock of Windows also keeps others from reading, so it is far after all lines.
    _FAR = 1 << 40

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TAKEN = frozenset([errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK])


def whole_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, but a last one that was not finished.

    Raises OSError.
    """
    with io.open(path, "rb") as stream:  # noqa: UP020 - a path or its name
        for number, data in enumerate(stream, 1):
            if data.endswith(b"\n"):
                yield number, data


class InUseError(Exception):
    """Another process appends to the file."""


class AppendedFile:
    """A file that is open for appending, and locked until it is closed or the process ends.

    Pipes and devices are not locked, nor are files of systems without locks. Raises OSError if the
    file can't be opened, and InUseError if another process has locked it.
    """

    def __init__(self, path: str | Path) -> None:
        # Unbuffered: what was written is in the file, even if this process is killed.
        self._file = io.FileIO(path, "ab")
        self.is_regular = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        if self.is_regular:
            try:
                _take(self._file.fileno())
            except OSError as error:
                if error.errno in _TAKEN:
                    self._file.close()
                    raise InUseError from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file, and let others lock it."""
        self._file.close()

    def cut(self, size: int) -> None:
        """Drop what comes after so many bytes: a line that a killed process did not finish.

        Raises OSError.
        """
        if os.fstat(self._file.fileno()).st_size > size:
            self._file.truncate(size)

    def append(self, data: bytes) -> None:
        """Append all of the data, or nothing if the disk is full. Raises OSError."""
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            if self.is_regular and len(left) < len(data):
                with suppress(OSError):
                    size = os.fstat(self._file.fileno()).st_size
                    self._file.truncate(size - len(data) + len(left))
            raise

    def sync(self) -> None:
        """Have the system write everything to the disk, if it is a file there."""
        if self.is_regular:
            os.fsync(self._file.fileno())
