"""The file or the folder that was opened: what the page can list, read and save, and no more.

No name leads out of the folder: no link is followed, nothing that is hidden is there, and only
prompts and their cases are written.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal

from pdl._types import CASES_SUFFIX
from pdl.errors import FileError, Problem, quoted
from pdl.play.access import BODY_BYTES, RefusedError
from pdl.prompt.files import JailError, checked_parts, open_regular
from pdl.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

Kind = Literal["prompt", "cases", "other"]

SHOWN: Final = 2_000
"""The most files of a folder that are listed."""

_PROMPT = ".pdl"
_TEXTS = frozenset({".txt", ".md", ".j2", ".jinja", ".json", ".jsonl", ".yaml", ".yml", ".csv"})
_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]+\Z")
_END = re.compile(r"\r\n?|\n")
_MARK = b"\xef\xbb\xbf"
_NOT_IN_NAMES = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')


@dataclass(frozen=True)
class Listed:
    """A file by its name, with `/` between folders; its size is in bytes."""

    name: str
    size: int
    kind: Kind


class OpenedFiles:
    """The files below a folder, or only one of them with its cases."""

    def __init__(self, root: Path, only: str | None = None) -> None:
        self.root = root
        """The real path of the folder, which the page is never told."""
        self.only = only
        """The name of the one file that was opened; None if a folder was."""
        self._saving = Lock()

    @classmethod
    def open(cls, path: str) -> Self:
        """Return the files of a path of the user. Raises FileError if it cannot be opened."""
        found = Path(path)
        try:
            if found.is_dir():
                return cls(found.resolve())
            open_regular(found).close()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            problem = Problem("file/unreadable", f"{path}: cannot be read: {reason}")
            raise FileError(problem) from error
        if not found.name.endswith(_PROMPT) or found.name.endswith(CASES_SUFFIX):
            hint = "open a .pdl file, or the folder of prompts"
            raise FileError(Problem("file/not-a-prompt", f"{path}: is not a prompt", None, hint))
        real = found.resolve()
        return cls(real.parent, real.name)

    @property
    def label(self) -> str:
        """The name of the folder, without where it is."""
        return self.root.name or "files"

    def hidden(self, text: str) -> str:
        """Return a text in which the place of the folder is its name only."""
        return text.replace(str(self.root), self.label) if self.root.name else text

    def list(self) -> list[Listed]:
        """Return the files that can be read, prompts with their cases first."""
        if self.only is not None:
            names = [self.only, cases_of(self.only)]
            return [one for name in names if (one := self._listed(name)) is not None]
        found = [one for name in self._names() if (one := self._listed(name)) is not None]
        return sorted(found, key=lambda one: (one.kind == "other", one.name))

    def _names(self) -> Iterator[str]:
        """The names of files whose kind can be read, at most as many as are shown."""
        left = SHOWN
        for folder, inner, names in os.walk(self.root):
            inner[:] = sorted(name for name in inner if not _is_skipped(name))
            for name in sorted(names):
                path = Path(folder, name)
                if name[0] != "." and path.suffix in {_PROMPT, *_TEXTS}:
                    yield path.relative_to(self.root).as_posix()
                    left -= 1
                    if not left:
                        return

    def _listed(self, name: str) -> Listed | None:
        try:
            with open_regular(self.root, tuple(name.split("/"))) as file:
                return Listed(name, os.fstat(file.fileno()).st_size, kind_of(name))
        except OSError:  # a link, a pipe, or gone
            return None

    def folder_of(self, name: str | None) -> str:
        """Return the folder of a file, from the root, that its includes are read from.

        Raises RefusedError for a name that is not below the root.
        """
        return "." if name is None else "/".join(self._steps(name)[:-1]) or "."

    def path_of(self, name: str) -> Path:
        """Return the path of a file that is there or could be, with no link on the way to it.

        Raises RefusedError.
        """
        path = self.root.joinpath(*self._steps(name))
        if path.resolve() != path:
            raise RefusedError(403, f"{quoted(name)} is a link")
        return path

    def bytes_of(self, name: str) -> bytes:
        """Return the content of a file. Raises RefusedError."""
        steps = self._steps(name)
        try:
            with open_regular(self.root, steps) as file:
                data = file.read(BODY_BYTES + 1)
        except FileNotFoundError as error:
            raise RefusedError(404, f"{quoted(name)} was not found") from error
        except OSError as error:
            raise RefusedError(403, f"{quoted(name)} cannot be read") from error
        if len(data) > BODY_BYTES:
            raise RefusedError(413, f"{quoted(name)} is larger than {BODY_BYTES:,} bytes")
        return data

    def read(self, name: str) -> tuple[str, str]:
        """Return the text of a file, without a byte order mark, and the digest of its content.

        Raises RefusedError.
        """
        data = self.bytes_of(name)
        return _text(data, name), digest_of(data)

    def save(self, name: str, text: str, digest: str) -> str:
        """Replace the text of a prompt or of cases in one step; return the new digest.

        Its line ends, byte order mark and permissions stay. Raises RefusedError, of the status 409
        and with the text if the content is not that of the digest any more.
        """
        self._check_written(name)
        with self._saving:
            data = self.bytes_of(name)
            if digest_of(data) != digest:
                message = f"{quoted(name)} has changed since it was read"
                now = {"text": _text(data, name), "digest": digest_of(data)}
                raise RefusedError(409, message, "read it again, or save it anyway", **now)
            return self._write(name, kept_ends(_text(data, name), text), data[:3] == _MARK)

    def _write(self, name: str, text: str, has_mark: bool) -> str:  # noqa: FBT001
        data = (_MARK if has_mark else b"") + _encoded(text)
        try:
            with replacing(self.root.joinpath(*self._steps(name)), keeps_mode=True) as file:
                file.write(data)
        except OSError as error:
            raise _refusal(name, "written", error) from error
        return digest_of(data)

    def create(self, name: str, text: str) -> str:
        """Write a new prompt or new cases; return the digest. Raises RefusedError."""
        self._check_written(name)
        steps, data = self._steps(name), _encoded(text)
        target = self.root.joinpath(*steps)
        if _NOT_IN_NAMES.search(name):
            raise RefusedError(400, f"{quoted(name)} contains characters that names cannot have")
        try:
            if target.parent.resolve(strict=True) != target.parent:
                raise RefusedError(403, f"{quoted(name)} is in a folder that is a link")
            with target.open("xb") as file:
                file.write(data)
        except FileExistsError as error:
            raise RefusedError(409, f"{quoted(name)} exists already") from error
        except FileNotFoundError as error:
            message = f"there is no folder {quoted('/'.join(steps[:-1]))}"
            raise RefusedError(404, message, "make it first") from error
        except OSError as error:
            raise _refusal(name, "created", error) from error
        return digest_of(data)

    def add(self, name: str, text: str) -> None:
        """Write a text that a case names, such as a recorded reply; the same one may be there.

        Raises RefusedError.
        """
        steps = self._steps(name, is_named=True)
        folder = self.root.joinpath(*steps[:-1])
        try:
            if not folder.exists():
                folder.mkdir()
            if folder.resolve() != folder:
                raise RefusedError(403, f"{quoted(name)} is in a folder that is a link")
            with replacing(folder / steps[-1]) as file:
                file.write(_encoded(text))
        except OSError as error:
            raise _refusal(name, "written", error) from error

    def _steps(self, name: str, *, is_named: bool = False) -> tuple[str, ...]:
        """The folders and the file of a name. Raises RefusedError if the page may not have it.

        Files that a case names may be there, too, if only its prompt was opened.
        """
        try:
            steps = checked_parts(name)
        except JailError as error:
            raise RefusedError(403, str(error)) from error
        if not steps or any(map(_is_skipped, steps)):
            raise RefusedError(403, f"{quoted(name)} is hidden, or none of the files here")
        if Path(steps[-1]).suffix not in {_PROMPT, *_TEXTS}:
            raise RefusedError(403, f"{quoted(name)} is neither a prompt nor a text")
        if (
            self.only is not None
            and not is_named
            and "/".join(steps) not in (self.only, cases_of(self.only))
        ):
            hint = "open the folder to work on several prompts"
            raise RefusedError(403, f"only {quoted(self.only)} was opened", hint)
        return steps

    def _check_written(self, name: str) -> None:
        if not name.endswith(_PROMPT):
            raise RefusedError(403, f"{quoted(name)}: only .pdl files are written")


def _refusal(name: str, done: str, error: OSError) -> RefusedError:
    reason = (error.strerror or "it is not permitted").lower()
    return RefusedError(403, f"{quoted(name)} cannot be {done}: {reason}")


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in ("node_modules", "__pycache__")


def kind_of(name: str) -> Kind:
    """Return what a file is, by its name."""
    if name.endswith(CASES_SUFFIX):
        return "cases"
    return "prompt" if name.endswith(_PROMPT) else "other"


def cases_of(name: str) -> str:
    """Return the name of the file of a prompt's cases."""
    return name.removesuffix(_PROMPT) + CASES_SUFFIX


def digest_of(data: bytes) -> str:
    """Return what identifies a content: the hexadecimal digits of its SHA-256."""
    return hashlib.sha256(data).hexdigest()


def _text(data: bytes, name: str) -> str:
    try:
        return data.removeprefix(_MARK).decode()
    except UnicodeDecodeError as error:
        raise RefusedError(415, f"{quoted(name)} is not a text in UTF-8") from error


def _encoded(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        message = "the text has half of a surrogate pair, which no file can contain"
        raise RefusedError(400, message) from error
    if len(data) > BODY_BYTES:
        raise RefusedError(413, f"the text is larger than {BODY_BYTES:,} bytes")
    return data


def kept_ends(before: str, text: str) -> str:
    """Return a text with the line ends of the one before it; editors of pages know LF only."""
    if "\r" in text or "\r" not in before:
        return text
    old, new = _LINE.findall(before), _LINE.findall(text)
    most = min(len(old), len(new))
    same = [_END.sub("\n", one) for one in old]
    head = next((at for at in range(most) if same[at] != new[at]), most)
    rest = range(1, most - head + 1)
    tail = next((at - 1 for at in rest if same[-at] != new[-at]), most - head)
    found = _END.search(before)
    end = found[0] if found is not None else "\n"
    middle = [one.replace("\n", end) for one in new[head : len(new) - tail]]
    return "".join([*old[:head], *middle, *old[len(old) - tail :]])
