"""`pdl.lock`: the versions of many prompts, each by its path.

A lock is a JSON object of `version`, which is 1, and `prompts`: for each path relative to the
lock's directory its `fingerprint`, and the `blob` that git stores its text as.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pdl.decoding import decoded, parse_json
from pdl.errors import FileError, PinError, Problem, quoted
from pdl.prompt.files import open_regular
from pdl.schema.keywords import pointer
from pdl.schema.parts import spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self

    from pdl._types import Json, JsonPath
    from pdl.source import Source, Span

LOCK: Final = "pdl.lock"
"""The name of a lock file."""

_VERSION = 1
_FINGERPRINT = re.compile(r"h1:[0-9a-f]{64}")
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_SHOWN = 15  # characters of a fingerprint in messages: 48 bits
_WAIT, _STEP = 10.0, 0.02  # seconds for another process that writes the lock


class Pin(str):
    """The fingerprint of the version that is pinned.

    `lock` is the lock that it is from, or empty, and `blob` git's name for the prompt's text.
    """

    __slots__ = ("blob", "lock")

    blob: str
    lock: str

    def __new__(cls, fingerprint: str, lock: str = "", blob: str = "") -> Self:
        """Return a fingerprint and where it is from."""
        made = super().__new__(cls, fingerprint)
        made.lock, made.blob = lock, blob
        return made


def short(fingerprint: str) -> str:
    """Return the beginning of a fingerprint, for people to compare."""
    return f"{fingerprint[:_SHOWN]}…"


def is_fingerprint(text: object) -> bool:
    """Whether text is a fingerprint of the kind that this version of pdl makes."""
    return isinstance(text, str) and _FINGERPRINT.fullmatch(text) is not None


def nearest_lock(directory: Path) -> Path | None:
    """Return the path of the lock in a directory, or else in the nearest one above it.

    It is relative if that of the directory is. It may be something that is not a file.
    """
    start = Path(os.path.abspath(directory))  # noqa: PTH100 - links are not followed
    above = (start, *start.parents)
    found = next((one / LOCK for one in above if (one / LOCK).exists()), None)
    if found is None or directory.is_absolute():
        return found
    return Path(os.path.relpath(found))


@dataclass(frozen=True)
class Lock:
    """A lock file: `document` is its JSON object, `old` its text, which a new one doesn't have."""

    path: Path
    document: Mapping[str, Any]
    old: str = field(default="", repr=False)

    @classmethod
    def read(cls, path: Path) -> Lock:
        """Return the lock of a file. Raises PinError, with a position, or FileError."""
        try:
            with open_regular(path) as file:
                data = file.read()
        except OSError as error:
            reason = "is a directory" if path.is_dir() else (error.strerror or str(error)).lower()
            hint = "`pdl pin` writes one" if isinstance(error, FileNotFoundError) else ""
            message = f"{path}: cannot be read: {reason}"
            raise FileError(Problem("file/unreadable", message, None, hint)) from error
        source = decoded(data, str(path), "pin/invalid")
        return cls(path, _document(source), source.text)

    @property
    def names(self) -> tuple[str, ...]:
        """The paths of the prompts, relative to the directory of the lock, in order."""
        return tuple(sorted(self.document["prompts"]))

    def name_of(self, file: Path) -> str:
        """Return the name that a file has here: its relative path, with `/`.

        Raises PinError for a file on another drive.
        """
        directory = self.path.parent
        named = _relative(os.path.abspath(file), os.path.abspath(directory))  # noqa: PTH100
        if named.startswith(".."):  # one of the two may have been reached through a link
            folder = os.path.realpath(file.parent)
            named = _relative(f"{folder}/{file.name}", os.path.realpath(directory))
        if not named:
            message = f"{file}: is on another drive than {self.path}"
            raise PinError(Problem("pin/invalid", message))
        return named

    def get(self, name: str) -> Pin | None:
        """Return the pin of a name, or None."""
        entry = self.document["prompts"].get(name)
        if entry is None:
            return None
        return Pin(entry["fingerprint"], str(self.path), entry.get("blob", ""))

    def pin(self, file: Path, shown: str) -> Pin:
        """Return the pin of a file. Raises PinError if it has none."""
        found = self.get(self.name_of(file))
        if found is None:
            message = f"{shown}: is not pinned in {self.path}"
            raise PinError(Problem("pin/absent", message, None, f"run `pdl pin {shown}`"))
        return found

    def text(self, pins: Mapping[str, Pin | None]) -> str:
        """Return the text of the lock with other pins; None removes one.

        What else the file has is kept, also newlines of Windows.
        """
        entries = dict(self.document["prompts"])
        for name, pin in pins.items():
            old = entries.pop(name, {})
            if pin is not None:
                entries[name] = {**old, "fingerprint": str(pin), "blob": pin.blob}
        ordered = {name: entries[name] for name in sorted(entries)}
        document = {**self.document, "prompts": ordered}
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        # A name that is not UTF-8 has lone surrogates, which JSON escapes in the same way.
        text = text.encode("utf-8", "backslashreplace").decode()
        return text.replace("\n", "\r\n") if "\r\n" in self.old else text


def _relative(file: str, directory: str) -> str:
    try:
        return Path(os.path.relpath(file, directory)).as_posix()
    except ValueError:  # another drive of Windows
        return ""


def git_blob(data: bytes) -> str:
    """Return the name of the object that git stores bytes as: `git cat-file -p NAME` shows them."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def update_lock(path: Path, pins: Mapping[str, Pin | None]) -> None:
    """Change pins of a lock file; None removes one. Other processes may do so at the same time.

    Raises PinError if the file is not a lock, FileError if it can't be written.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    with _written(target) as write:
        lock = Lock.read(path) if target.exists() else new_lock(path)
        text = lock.text(pins)
        if text != lock.old:
            write(text)


def new_lock(path: Path) -> Lock:
    """Return an empty lock for a path, which is not written."""
    return Lock(path, {"version": _VERSION, "prompts": {}})


@contextmanager
def _written(target: Path) -> Iterator[Callable[[str], None]]:
    """Keep others from writing a file, and replace it at the end, as git does with its index.

    The new text is in a file next to it, which only one process can create at a time.
    """
    new = target.with_name(f"{target.name}.new")
    descriptor = _created(new, target)
    texts: list[str] = []
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            yield texts.append
            file.writelines(texts)
        if texts and target.exists():
            new.chmod(target.stat().st_mode)
        if texts:
            new.replace(target)
        else:
            new.unlink()
    except BaseException as error:
        new.unlink(missing_ok=True)  # it is this process's own: nothing was replaced
        if isinstance(error, OSError):
            raise _unwritable(target, error) from error
        raise


def _created(new: Path, target: Path) -> int:
    """Create a file that only one process has, and wait while another one has it."""
    end = time.monotonic() + _WAIT
    while True:
        try:
            return os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError as error:
            if time.monotonic() > end:
                message = f"{target}: another process is writing it"
                hint = f"wait until it ends; if it was killed, delete {new}"
                raise FileError(Problem("file/in-use", message, None, hint)) from error
            time.sleep(_STEP)
        except OSError as error:
            raise _unwritable(target, error) from error


def _unwritable(target: Path, error: OSError) -> FileError:
    reason = (error.strerror or str(error)).lower()
    return FileError(Problem("file/unwritable", f"{target}: cannot be written: {reason}"))


def _document(source: Source) -> dict[str, Any]:
    """The JSON object of a lock. Raises PinError with a position."""
    conflict = _CONFLICT.search(source.text)
    if conflict is not None:
        hint = "keep either version of each prompt, then run `pdl pin`"
        raise _invalid("this is a conflict that git left", source.span(*conflict.span()), hint)
    found = parse_json(source, "pin/invalid")
    for path, message, hint in _faults(found):
        where = pointer(path)
        raise _invalid(message, spans(source, [where]).get(where, source.span(0)), hint)
    checked: dict[str, Any] = found
    return checked


def _invalid(message: str, span: Span, hint: str = "") -> PinError:
    return PinError(Problem("pin/invalid", message, span, hint))


def _faults(found: Json) -> Iterator[tuple[JsonPath, str, str]]:
    """What is wrong with the value of a lock: where, what, and a hint."""
    if not isinstance(found, dict):
        yield (), "expected an object with `version` and `prompts`", ""
        return
    version = found.get("version")
    if version != _VERSION or isinstance(version, bool):
        at = ("version",) if "version" in found else ()
        shown = f"found {json.dumps(version)[:_SHOWN]}" if at else "found none"
        hint = "read it with the pdl that wrote it" if at else ""
        yield at, f"`version` of a lock: expected {_VERSION}, {shown}", hint
    prompts = found.get("prompts")
    if not isinstance(prompts, dict):
        yield (("prompts",) if "prompts" in found else ()), "`prompts` must be an object", ""
        return
    for name, entry in prompts.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("blob", ""), str):
            yield ("prompts", name), "expected an object with `fingerprint` and `blob`", ""
        elif not is_fingerprint(entry.get("fingerprint")):
            at = ("prompts", name, *(["fingerprint"] if "fingerprint" in entry else []))
            hint = f"remove {quoted(name)} here, and run `pdl pin` for it again"
            yield at, "expected a fingerprint: `h1:` and 64 hexadecimal digits", hint
