"""Pins: prompts that load only in the one version that their fingerprint names."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.errors import PinError, Problem, quoted
from pdl.prompt.files import Folder, JailError, checked_parts
from pdl.prompt.lock import LOCK, Lock, Pin, git_blob, is_fingerprint, nearest_lock, short

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from typing import Self

    from pdl.prompt.prompt import Prompt

GivenPin: TypeAlias = "str | os.PathLike[str] | bool | None"
"""The argument `pin` of `pdl.load`."""


def pin_of(given: GivenPin, file: Path | Traversable | None, name: str) -> Pin:
    """Return the pin that an argument names for a prompt file; None is a prompt without a file.

    Raises PinError if there isn't one, FileError for an unreadable lock, TypeError.
    """
    if isinstance(given, Pin):
        return given
    if isinstance(given, str) and not given.endswith(".lock"):
        if not is_fingerprint(given):
            message = f"{name}: {quoted(given) if given else 'an empty pin'} is not a fingerprint"
            hint = "pass `h1:` and 64 hexadecimal digits, or the path of a .lock file"
            hint += "" if given else ", or None for no pin"
            raise PinError(Problem("pin/invalid", message, None, hint))
        return Pin(given)
    if given is not True and not isinstance(given, (str, os.PathLike)):
        if hasattr(given, "joinpath"):  # a Traversable
            message = f"{name}: {given} is not a file on disk, so it cannot be read as a lock"
            raise PinError(Problem("pin/invalid", message, None, "pass the fingerprint itself"))
        wanted = "a fingerprint, the path of a lock, or True"
        raise TypeError(f"pin must be {wanted}, not {type(given).__name__}")
    if not isinstance(file, Path):
        message = f"{name}: a lock has the pins of files on disk, and this prompt is not one"
        raise PinError(Problem("pin/absent", message, None, "pass the fingerprint itself"))
    path = nearest_lock(file.parent) if given is True else Path(given)
    if path is None:
        message = f"{name}: is not pinned: there is no {LOCK} in its directory or above"
        raise PinError(Problem("pin/absent", message, None, f"run `pdl pin {name}`"))
    return Lock.read(path).pin(file, name)


class KeptFolder(Folder):
    """A folder whose files stay as they were when they were read, for all later renderings.

    So a prompt that has its pinned fingerprint keeps it, whatever happens to the files. After
    `seal`, files that were not read before are read as from any folder: only values name them.
    """

    _kept: _Kept

    @classmethod
    def of(cls, root: Path | Traversable, kept: _Kept | None = None) -> Self:
        """Return a folder that keeps what is read from now on."""
        made = cls(root)
        made._kept = kept if kept is not None else _Kept()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Folder, (self.root,)  # whoever unpickles a prompt reads and verifies them again

    def other(self, root: Path | Traversable) -> KeptFolder:
        """Return another folder, whose files are kept too."""
        return KeptFolder.of(root, self._kept)

    def seal(self) -> None:
        """Keep no further files."""
        self._kept.is_open = False

    def read(self, relative: str, limit: int) -> bytes:
        """Return the bytes of a file, as when it was read first. Raises JailError."""
        key = str(self.root), "/".join(checked_parts(relative))
        found = self._kept.files.get(key)
        if found is None:
            try:
                found = super().read(relative, limit)
            except JailError as error:  # what is absent stays so
                found = error
            if self._kept.is_open:
                self._kept.files[key] = found
        if isinstance(found, JailError):
            raise found.with_traceback(None)
        return found


class _Kept:
    """The files that a KeptFolder and those made from it have read, or why they could not."""

    def __init__(self) -> None:
        self.files: dict[tuple[str, str], bytes | JailError] = {}
        self.is_open = True


def verify(prompt: Prompt) -> None:
    """Raise PinError if a prompt has another fingerprint than its pin."""
    found = prompt.fingerprint
    if isinstance(prompt.folder, KeptFolder):
        prompt.folder.seal()
    if found != prompt.pin:
        name, pin = prompt.source.name, prompt.pin
        pin = pin if isinstance(pin, Pin) else Pin(pin)
        raise PinError(changed(name, pin, found, same_text=_has_blob(prompt.source.text, pin.blob)))


def _has_blob(text: str, blob: str) -> bool:
    """Whether git's name is that of a text, with any newlines, and with or without a BOM."""
    texts = (text, text.replace("\n", "\r\n"))
    return any(git_blob(mark + one.encode()) == blob for one in texts for mark in (b"", BOM_UTF8))


def changed(name: str, pin: Pin, found: str, *, same_text: bool = False) -> Problem:
    """Return the problem of a prompt that is not the pinned version.

    `same_text` says that the text of the file is the pinned one, so that another file differs.
    """
    where = f" in {pin.lock}" if pin.lock else ""
    message = (
        f"{name}: is not the pinned version: expected {short(pin)}{where}, found {short(found)}"
    )
    if same_text:
        message += "; a file that it includes, embeds, or takes its schema from has changed"
    if not where:
        return Problem("pin/changed", message, None, "restore the pinned version")
    seen = f"`git cat-file -p {pin.blob[:12]}` shows the pinned text; " if pin.blob else ""
    hint = f"{'' if same_text else seen}`pdl pin {name}` accepts this version"
    return Problem("pin/changed", message, None, hint)
