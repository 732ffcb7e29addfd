"""Files that a prompt names: read below its own directory only; inline media.

Inline media are `<|media(path/or/url)|>` and `<|raw_media(png:BASE64)|>`.
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
import re
import stat
from importlib.util import find_spec
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast
from urllib.parse import urlsplit

from pdl._types import CASES_SUFFIX
from pdl.decoding import decoded
from pdl.errors import CasesError, FileError, MediaError, Problem, did_you_mean
from pdl.prompt.messages import MIME_TYPES, Media
from pdl.prompt.turns import ROLES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from pdl.limits import Limits
    from pdl.source import Span


_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER = (
    getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
)


class JailError(Exception):
    """A path can't be read; the message says why."""


class OversizeError(JailError):
    """The file has more bytes than the limit."""


class Folder(NamedTuple):
    """A folder whose files prompts can read: of the file system, or of an importable package."""

    root: Path | Traversable

    def read(self, relative: str, limit: int) -> bytes:
        """Return the bytes of a file below the folder, at most `limit` of them.

        Raises JailError if the path points outside the folder or to no file, or if it is too large.
        """
        parts = checked_parts(relative)
        with self._open(relative, parts) as file:
            data: bytes = file.read(limit + 1)
        if len(data) > limit:
            raise OversizeError(f"`{shown(relative)}` is larger than {limit:,} bytes")
        return data

    def other(self, root: Path | Traversable) -> Folder:
        """Return another folder, which reads files as this one does."""
        return Folder(root)

    def name_of(self, relative: str) -> str:
        """Return what errors call a file below the folder."""
        return str(self.root.joinpath(relative))

    @property
    def place(self) -> str:
        """What errors call the folder."""
        return "the current directory" if str(self.root) == "." else str(self.root)

    def locate(self, relative: str) -> Path:
        """Return the path of a file below the folder, for a library that opens it itself.

        Raises JailError as `read` does, and for a folder that is not of the file system.
        """
        if not isinstance(self.root, Path):
            raise JailError(
                f"`{shown(relative)}` is in {self.place}, which is not a directory on disk"
            )
        parts = checked_parts(relative)
        self._open(relative, parts).close()
        return self.root.joinpath(*parts)

    def _open(self, relative: str, parts: tuple[str, ...]) -> BinaryIO:
        if isinstance(self.root, Path):
            return self._open_path(relative, parts)
        found = self.root.joinpath(*parts)
        if not found.is_file():
            raise self._no_file(relative, is_folder=found.is_dir())
        return cast("BinaryIO", found.open("rb"))

    def _open_path(self, relative: str, parts: tuple[str, ...]) -> BinaryIO:
        """Open the file at a path. A link that is swapped meanwhile is not followed.

        Links are resolved first; the resolved path is then opened step by step, and no step may be
        a link.
        """
        assert isinstance(self.root, Path)
        try:
            root = self.root.resolve()
            found = root.joinpath(*parts).resolve()
            is_file = found.is_file()
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or "it leads back to itself"
            raise JailError(f"`{shown(relative)}` cannot be followed: {reason}") from error
        if not found.is_relative_to(root):
            raise JailError(f"`{shown(relative)}` is a link that points outside {self.place}")
        if not is_file:
            raise self._no_file(relative, is_folder=found.is_dir())
        try:
            return open_regular(root, found.relative_to(root).parts)
        except PermissionError as error:
            raise JailError(f"`{shown(relative)}` cannot be read: permission denied") from error
        except OSError as error:  # it was there a moment ago
            raise self._no_file(relative, is_folder=False) from error

    def _no_file(self, relative: str, *, is_folder: bool) -> JailError:
        problem = "is not a file" if is_folder else "was not found"
        plain = "\\" not in relative and relative.isprintable()
        advice = "" if plain else "; write `/` between directories, not a backslash"
        return JailError(f"`{shown(relative)}` {problem} in {self.place}{advice}")


class NotRegularError(OSError):
    """The file is a device, a pipe, a folder, or a link that is not allowed."""


def open_regular(root: Path, steps: tuple[str, ...] = ()) -> BinaryIO:
    """Open a regular file: at `root`, or by steps below that folder, none of which may be a link.

    Nothing else is opened for reading: a pipe or a device might never end. Raises OSError.
    """
    if not steps:
        return _checked_file(os.fspath(root), None)
    if os.open not in os.supports_dir_fd:  # Windows, where making a link is a privilege
        return _checked_file(os.fspath(root.joinpath(*steps)), None)
    at = os.open(root, _FOLDER)
    try:
        for step in steps[:-1]:
            below = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        return _checked_file(steps[-1], at)
    finally:
        os.close(at)


def _checked_file(path: str, folder: int | None) -> BinaryIO:
    """Open a path if it is a regular file, and verify that the opened file is one."""
    if not stat.S_ISREG(os.stat(path, dir_fd=folder, follow_symlinks=folder is None).st_mode):
        raise NotRegularError(errno.EINVAL, "is not a regular file", path)
    flags = _FILE if folder is None else _FILE | os.O_NOFOLLOW
    file = os.open(path, flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotRegularError(errno.EINVAL, "is not a regular file", path)
    return cast("BinaryIO", os.fdopen(file, "rb"))


def refuse_cases(name: str) -> None:
    """Raise CasesError if a file, by its name, is one of cases (`NAME.tests.pdl`)."""
    if name.endswith(CASES_SUFFIX):
        message = f"{name}: this is a file of cases, not a prompt"
        raise CasesError(Problem("test/not-a-prompt", message, None, "run it with `pdl test`"))


def read_prompt(
    file: Path | Traversable, name: str, limits: Limits, *, is_named: bool = True
) -> str:
    """Return the text of a prompt file. Raises FileError if it can't be read, or isn't UTF-8.

    Only a file that the user has named can be a pipe or a device, which might never end.
    """
    try:
        if is_named or not isinstance(file, Path):
            opened = cast("BinaryIO", file.open("rb"))
        else:
            opened = open_regular(file)
        with opened as stream:
            data = stream.read(limits.source_chars * 4 + 1)
    except OSError as error:
        absent = isinstance(error, FileNotFoundError)  # in an archive it has no other words
        reason = (error.strerror or ("no such file" if absent else str(error))).lower()
        hint = "pdl.loads takes the text of a prompt" if "\n" in name or "<|" in name else ""
        problem = Problem("file/unreadable", f"{name}: cannot be read: {reason}", None, hint)
        raise FileError(problem) from error
    return decoded(data, name, keep_mark=True).text


def shown(relative: str) -> str:
    """Return a path as errors show it: non-printing characters are escaped."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in relative
    )


def checked_parts(relative: str) -> tuple[str, ...]:
    """Return the names in a relative path. Raises JailError if it points elsewhere."""
    windows = PureWindowsPath(relative)
    if not relative.strip() or "\0" in relative:
        raise JailError("the path is empty" if not relative.strip() else "the path has a NUL")
    if PurePosixPath(relative).is_absolute() or windows.drive or windows.root:
        raise JailError(
            f"`{shown(relative)}` is an absolute path; paths start at the prompt's directory"
        )
    parts = relative.split("/")
    if ".." in parts or ".." in windows.parts:
        raise JailError(
            f"`{shown(relative)}` points upwards; paths must stay below the prompt's directory"
        )
    return tuple(part for part in parts if part not in ("", "."))


def package_folder(dotted: str) -> Folder:
    """Return the folder of an importable package, found without importing it.

    Raises JailError if there is no such package.
    """
    top, *rest = dotted.split(".")
    if not all(part.isidentifier() for part in (top, *rest)):
        raise JailError(f"`{dotted}` is not a package name")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        raise JailError(f"no package `{top}` is installed")
    return Folder(Path(next(iter(spec.submodule_search_locations)), *rest))


_BLOCK = re.compile(r"\A\s*+(\w++)\s*+\((.*)\)\s*", re.DOTALL)
_URL = re.compile(r"\A(?:([A-Za-z][A-Za-z0-9+.-]++)://|(data):)")
_ALIASES = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg"}
_SIGNATURES: dict[str, re.Pattern[bytes]] = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    "svg": re.compile(
        rb"\A(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE svg|svg[\s>])", re.IGNORECASE
    ),
    "pdf": re.compile(rb"%PDF-"),
    "wav": re.compile(rb"RIFF.{4}WAVE", re.DOTALL),
    "mp3": re.compile(rb"ID3|\xff[\xe2-\xff]"),
}
"""How files of each kind begin: the magic bytes of their specifications."""


def media_path(block: str) -> str:
    """Return the path in the text between `<|` and `|>`; empty if that embeds no file."""
    found = _BLOCK.fullmatch(block)
    path = found[2].strip() if found is not None and found[1].lower() == "media" else ""
    return "" if _URL.match(path) else path


def parse_media(block: str, span: Span, folder: Folder | None, limits: Limits) -> Media:
    """Return the media that the text between `<|` and `|>` names. Raises MediaError at `span`."""
    found = _BLOCK.fullmatch(block)
    if found is None and block.strip().lower() in ROLES:
        message = f"`<|{block.strip()}|>` is not alone on its line, so it begins no turn"
        hint = "put it on its own line; the `-` of `{%- … -%}` removes line breaks"
        raise _error("unknown-block", message, span, hint)
    if found is None:
        raise _error(
            "unknown-block",
            f"`<|{_short(block)}|>` is neither a turn on its own line nor a media tag",
            span,
            "write `&lt;|` for a literal `<|`, or embed a file with `<|media(path)|>`",
        )
    name, content = found[1].lower(), found[2].strip()
    if name == "media":
        return (
            _from_url(content, span)
            if _URL.match(content)
            else _from_path(content, span, folder, limits)
        )
    if name == "raw_media":
        return _from_base64(content, span, limits)
    hint = did_you_mean(name, ["media", "raw_media"]) or "write `media` or `raw_media`"
    raise _error("unknown-block", f"unknown media tag `{name}`", span, hint)


def _from_url(url: str, span: Span) -> Media:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (it is read only when it is asked for)
    except ValueError as error:
        raise _error("url", f"`{_short(url)}` is not a URL: {error}", span) from error
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or not _is_plain(url):
        hint = "write bytes as `<|raw_media(png:BASE64)|>`" if parts.scheme == "data" else ""
        raise _error("url", f"`{_short(url)}` is not an http or https URL", span, hint)
    if parts.username is not None or parts.password is not None:
        hint = "remove what comes before the `@`: the URL is sent to the provider"
        raise _error("url", "a media URL must not contain a user or a password", span, hint)
    return Media(kind_of_url(url), url=url)


def kind_of_url(url: str) -> str:
    """Return the kind of media that the extension in a valid URL says; empty for no known one."""
    ending = urlsplit(url).path.rpartition("/")[2].rpartition(".")[2].lower()
    kind = _ALIASES.get(ending, ending)
    return kind if kind in MIME_TYPES else ""


def _is_plain(url: str) -> bool:
    """Whether a URL has no whitespace and only printing characters."""
    return url.isprintable() and not any(map(str.isspace, url))


def _from_path(path: str, span: Span, folder: Folder | None, limits: Limits) -> Media:
    ending = path.rpartition("/")[2].rpartition(".")[2] if "." in path else ""
    kind = _kind(ending, span, f"`{_short(path)}` has the extension")
    if folder is None:
        raise _error(
            "no-folder",
            f"`{_short(path)}` cannot be read: this prompt was loaded from text",
            span,
            "pass the directory of its files to `pdl.loads` as `base`",
        )
    try:
        data = folder.read(path, limits.media_bytes)
    except JailError as error:
        name = "size" if isinstance(error, OversizeError) else "file"
        raise _error(name, str(error), span) from error
    except OSError as error:
        raise _error("file", f"`{_short(path)}` cannot be read: {error.strerror}", span) from error
    return _checked(kind, data, span, f"`{_short(path)}`")


def _from_base64(content: str, span: Span, limits: Limits) -> Media:
    ending, colon, encoded = content.partition(":")
    if not colon:
        raise _error("raw", "expected `raw_media(KIND:BASE64)`, found no `:`", span)
    kind = _kind(ending.strip(), span, "`raw_media` has the kind")
    if len(encoded) > limits.media_bytes * 4 // 3 + 4:
        raise _error("size", f"these bytes are more than {limits.media_bytes:,}", span)
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _error("raw", f"what follows `{ending}:` is not base64: {error}", span) from error
    return _checked(kind, data, span, "the content of `raw_media`")


def _kind(ending: str, span: Span, found: str) -> str:
    kind = _ALIASES.get(ending.lower(), ending.lower())
    if kind not in MIME_TYPES:
        known = ", ".join(MIME_TYPES)
        named = (
            f"{found} `{_short(ending)}`"
            if ending
            else f"{found.split(' has ', maxsplit=1)[0]} has no extension"
        )
        hint = did_you_mean(kind, MIME_TYPES)
        raise _error("kind", f"{named}; expected one of {known}", span, hint)
    return kind


def _checked(kind: str, data: bytes, span: Span, what: str) -> Media:
    found = kind_fault(kind, data)
    if found:
        raise _error("wrong-kind", f"{what} is not a {kind} file: {found}", span)
    return Media(kind, data)


def kind_fault(kind: str, data: bytes) -> str:
    """Return why bytes are not a file of a kind, by how it begins; empty if they are."""
    if _SIGNATURES[kind].match(data):
        return ""
    actual = next((k for k, pattern in _SIGNATURES.items() if pattern.match(data)), None)
    return f"it begins like a {actual} file" if actual else "its first bytes say otherwise"


def _short(text: str) -> str:
    return shown(text if len(text) <= 60 else text[:57] + "…")  # noqa: PLR2004


def _error(name: str, message: str, span: Span, hint: str = "") -> MediaError:
    return MediaError(Problem(f"media/{name}", message, span, hint))
