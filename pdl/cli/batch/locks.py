"""One run at a time writes a file of results: two would not know of each other's lines."""

from __future__ import annotations

import errno
import os
import stat
import sys

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
