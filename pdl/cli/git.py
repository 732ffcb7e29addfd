"""Files of a Git commit, read from its objects: without a work tree, a shell, or a network.

Nothing that the repository's configuration names is run.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from pdl.cli.files import ends_in
from pdl.errors import FileError, Problem
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_BYTES: Final = max(DEFAULT_LIMITS.source_chars * 4, DEFAULT_LIMITS.media_bytes) + 1
"""More of a file is never read: every reader refuses it."""

_OPTIONS = (
    *("-c", "core.fsmonitor=false"),  # which names a program that git runs to read its index
    "--literal-pathspecs",  # the name of a directory can begin with a colon
)
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",  # in a partial clone, an absent object is an error, not a download
    "GIT_ALLOW_PROTOCOL": "none",  # the same, for git that does not know this
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",  # its messages in English
}
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n.*?^oid sha256:([0-9a-f]{64})$",
    re.DOTALL | re.MULTILINE,
)
_LINK: Final = "120000"
_FILES: Final = ("100644", "100755", _LINK)


@dataclass(frozen=True)
class Repository:
    """A Git repository, found from one of its directories.

    `top` is the root of its work tree, None in a bare repository. `prefix` is the directory that it
    was found from, relative to that root: empty, or `prompts/`.
    """

    directory: Path
    top: Path | None
    prefix: str

    @classmethod
    def around(cls, directory: Path) -> Repository:
        """Return the repository of a directory. Raises FileError without one, or without git."""
        said = os.fsdecode(
            run_git(directory, "rev-parse", "--is-inside-work-tree", "--show-prefix")
        )
        is_inside, _, prefix = said.partition("\n")
        if is_inside != "true":
            return cls(directory, None, "")
        return cls(directory, top_directory(directory), prefix.removesuffix("\n"))

    def tree(self, ref: str) -> GitPath:
        """Return the root of a commit, whose paths begin with `REF:` in messages.

        Raises UsageError for what cannot name a commit, FileError for an unknown one.
        """
        if not ref or ref.startswith(("-", "^")) or not ref.isprintable():
            raise click.UsageError(f"expected a commit, a branch, or a tag; found `{ref}`")
        try:
            [commit] = _lines(self.directory, "rev-parse", "--verify", f"{ref}^{{commit}}")
        except FileError as error:
            message = f"unknown commit, branch, or tag `{ref}`"
            raise FileError(Problem("file/git-ref", message, None, self._advice(ref))) from error
        return GitPath(Objects(self, commit), ref)

    def _advice(self, ref: str) -> str:
        if _lines(self.directory, "rev-parse", "--is-shallow-repository") == ["true"]:
            return "this clone is shallow: fetch the commit, in GitHub Actions with fetch-depth: 0"
        try:
            run_git(self.directory, "rev-parse", "--verify", "--quiet", "HEAD")
        except FileError:
            return "commit something first: there is no commit yet"
        remote, slash, branch = ref.partition("/")
        if slash and remote in _lines(self.directory, "remote"):
            return f"git fetch {remote} {branch}"
        return ""

    def relative(self, path: str | Path) -> str:
        """Return the path of a file within the repository, with `/`; empty for its root.

        Raises UsageError for one outside, FileError in a bare repository.
        """
        if self.top is None:
            message = f"{self.directory}: this repository has no work tree"
            raise FileError(Problem("file/git", message))
        # The directory may have been reached through a link, and git has resolved it.
        found = Path(os.path.normpath(_resolved(Path(path))))
        if not found.is_relative_to(self.top):
            raise click.UsageError(f"`{path}` is outside the repository {self.top}")
        inside = found.relative_to(self.top).as_posix()
        return "" if inside == "." else inside


def _resolved(path: Path) -> Path:
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name


def top_directory(directory: Path) -> Path:
    """Return the root of the work tree of a directory. Raises FileError without one."""
    return Path(os.fsdecode(run_git(directory, "rev-parse", "--show-toplevel").removesuffix(b"\n")))


def run_git(directory: Path, *words: str) -> bytes:
    """Return what git prints, run in a directory. No shell reads the words.

    Raises FileError with git's own reason.
    """
    done = subprocess.run(  # noqa: S603
        _command(directory, *words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env={**os.environ, **_ENVIRONMENT},
    )
    if done.returncode:
        raise _refused(directory, words[0], done.stderr.decode("utf-8", "replace"))
    return done.stdout


def _command(directory: Path, *words: str) -> list[str]:
    program = shutil.which("git")
    if program is None:
        hint = "install it, and make sure that it is on the PATH"
        raise FileError(Problem("file/git", "git is not installed", None, hint))
    return [program, *_OPTIONS, "-C", str(directory), *words]


def _refused(directory: Path, command: str, said: str) -> FileError:
    reason = said.strip().partition("\n")[0]
    for prefix in ("fatal: ", "error: "):
        reason = reason.removeprefix(prefix)
    if reason.startswith("not a git repository"):
        hint = "change to a directory of one, or create one with `git init`"
        message = f"{directory.resolve()}: is not in a git repository"
        return FileError(Problem("file/git", message, None, hint))
    return FileError(Problem("file/git", f"git {command} failed: {reason or 'without a reason'}"))


def _lines(directory: Path, *words: str) -> list[str]:
    return os.fsdecode(run_git(directory, *words)).removesuffix("\n").split("\n")


@dataclass
class Objects:
    """The files of a commit, read through one process of `git cat-file`."""

    repository: Repository
    commit: str
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _last: tuple[str, tuple[str, bytes]] = field(default=("\n", ("", b"")), repr=False)

    def read(self, path: str) -> tuple[str, bytes]:
        """Return the kind of what is at a path, `blob` or `tree`, and its bytes.

        Links are followed within the commit. The kind is empty if there is nothing, or a submodule,
        or a link that leads nowhere. Raises FileError for more bytes than any reader accepts.
        """
        if path != self._last[0]:  # a file is looked for before it is opened
            self._last = path, self._read(self._request(path))
        return self._last[1]

    def _request(self, path: str) -> str:
        """What `git cat-file` is asked for: a line, so names with a newline are looked up first."""
        if "\n" not in path:
            return f"{self.commit}:{path}"
        words = ("ls-tree", "-z", "--full-tree", self.commit, "--", path)
        entry = os.fsdecode(run_git(self.repository.directory, *words)).partition("\t")[0]
        return entry.rpartition(" ")[2] or "0"

    def _read(self, request: str) -> tuple[str, bytes]:
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(os.fsencode(f"{request}\n"))
        process.stdin.flush()
        header = process.stdout.readline().split()
        if not header or not header[-1].isdigit():  # `… missing`
            return "", b""
        size = int(header[-1])
        if size > _MOST_BYTES:
            self.close()
            name = request.removeprefix(f"{self.commit}:")
            message = f"{name}: has {size:,} bytes, which is too many"
            raise FileError(Problem("file/unreadable", message))
        data = process.stdout.read(size + 1)[:size]
        is_object = len(header) == 3  # noqa: PLR2004 - else `dangling 7` and what was asked for
        return (header[1].decode() if is_object else ""), data

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - no shell
            _command(self.repository.directory, "cat-file", "--batch", "--follow-symlinks"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ENVIRONMENT},
        )

    def close(self) -> None:
        """End the process; the next reading starts another one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def files(self, directory: str) -> list[str]:
        """Return the paths of the files and links below a directory, without submodules."""
        below = ["--", f"{directory}/"] if directory else []
        listed = run_git(
            *(self.repository.directory, "ls-tree", "-r", "-z", "--full-tree"),
            *(self.commit, *below),
        )
        entries = (entry.partition("\t") for entry in os.fsdecode(listed).split("\0"))
        return [path for kind, _, path in entries if kind.startswith(_FILES)]

    def stored(self, data: bytes) -> bytes:
        """Return the bytes that a Git LFS pointer refers to, if this clone has them."""
        found = _POINTER.match(data)
        if found is None:
            return data
        [common] = _lines(self.repository.directory, "rev-parse", "--git-common-dir")
        digest = found[1].decode()
        file = Path(
            self.repository.directory, common, "lfs", "objects", digest[:2], digest[2:4], digest
        )
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return data
        return file.read_bytes()


@dataclass(frozen=True)
class GitPath(Traversable):
    """A file or a directory of a commit. `str` of it is `REF:path`, as git writes it."""

    objects: Objects = field(repr=False)
    ref: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.ref}:{self.path}"

    @property
    def name(self) -> str:
        """The last part of its path."""
        return posixpath.basename(self.path)

    @property
    def parent(self) -> GitPath:
        """The directory that contains it; the root contains itself."""
        return self.at(posixpath.dirname(self.path))

    def at(self, path: str) -> GitPath:
        """Return a path of the same commit, from its root on; empty is the root."""
        return GitPath(self.objects, self.ref, path)

    def joinpath(self, *descendants: str | os.PathLike[str]) -> GitPath:
        """Return a path below this one; it need not exist."""
        return self.at(posixpath.join(self.path, *(os.fspath(one) for one in descendants)))

    def __truediv__(self, child: str | os.PathLike[str]) -> GitPath:
        return self.joinpath(child)

    def is_file(self) -> bool:
        """Whether it is a file, or a link that leads to one within the commit."""
        return self.objects.read(self.path)[0] == "blob"

    def is_dir(self) -> bool:
        """Whether it is a directory, or a link that leads to one within the commit."""
        return self.objects.read(self.path)[0] == "tree"

    def read_bytes(self) -> bytes:
        """Return the bytes of a file. Raises FileNotFoundError."""
        kind, data = self.objects.read(self.path)
        if kind != "blob":
            raise FileNotFoundError(2, "no such file", str(self))
        return self.objects.stored(data)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """Return the text of a file. Raises FileNotFoundError."""
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> IO[Any]:
        """Open a file for reading, as text or as bytes. Raises FileNotFoundError."""
        stream = io.BytesIO(self.read_bytes())
        return stream if "b" in mode else io.TextIOWrapper(stream, *args, **kwargs)

    def iterdir(self) -> Iterator[GitPath]:
        """Yield what is directly in a directory, by name."""
        below = f"{self.path}/" if self.path else ""
        names = {path[len(below) :].partition("/")[0] for path in self.objects.files(self.path)}
        return (self.joinpath(name) for name in sorted(names))

    def files(self, suffix: str) -> Sequence[str]:
        """Return the files below a directory that end in a suffix, relative to it, by name.

        Skips hidden files and directories, as the commands that search directories on disk.
        """
        skipped = len(self.path) + 1 if self.path else 0
        found = (path[skipped:] for path in self.objects.files(self.path))
        return sorted(
            path
            for path in found
            if ends_in(path, suffix) and not any(part.startswith(".") for part in path.split("/"))
        )
