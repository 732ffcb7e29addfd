"""Files that are replaced in one step, so that nobody sees half of one; where links lead."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(target: Path, *, keeps_mode: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file next to the target, which takes its place at the end if nothing is raised.

    `keeps_mode` gives it the permissions of the target, which must exist. Raises OSError.
    """
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if keeps_mode:
            temporary.chmod(S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_directory(directory: Path) -> None:
    """Have the system write to the disk which files a directory has. Raises OSError."""
    if os.name == "posix":
        number = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def leads_out(file: Path, directory: Path) -> bool:
    """Return whether a file is a link out of a directory, and of the repository that it is in.

    What git itself keeps there, such as credentials in its configuration, is outside.
    """
    return file.is_symlink() and is_outside(file, directory)


def is_outside(file: Path, directory: Path) -> bool:
    """Return whether a file is outside of a directory, and of the repository that it is in.

    Links are followed; what git itself keeps is outside.
    """
    top, target = directory.resolve(), file.resolve()
    top = next((one for one in (top, *top.parents) if (one / ".git").exists()), top)
    return not target.is_relative_to(top) or ".git" in target.relative_to(top).parts
