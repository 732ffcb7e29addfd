"""The texts that an editor has open, as its changes make them, and the files that URIs name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from pdl.edit.positions import Positions, characters

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.positions import Encoding, Position

_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]+\Z")
_END = re.compile(r"\r\n?|\n")
_DRIVE = re.compile(r"/?([A-Za-z])[:|]")


class Text:
    """A text as lines, each with its end, which a change replaces without copying the others.

    Lines end at LF, CRLF and CR alone, and positions count units of an encoding.
    """

    def __init__(self, text: str, encoding: Encoding) -> None:
        self._lines = _lines(text)
        self._encoding: Encoding = encoding

    def __str__(self) -> str:
        return "".join(self._lines)

    def replace(self, start: Position, end: Position, text: str) -> None:
        """Replace what is between two positions, which are kept inside of the text."""
        lines = self._lines
        first, before = self._place(start)
        last, after = self._place(max(start, end))
        head, tail = lines[first][:before], lines[last][after:]
        if first and lines[first - 1].endswith("\r"):  # it can become a part of CRLF
            first -= 1
            head = lines[first] + head
        end_of_lines = last + 1
        changed = _LINE.findall(head + text + tail)
        if end_of_lines == len(lines):
            changed = _lines(head + text + tail)
        lines[first:end_of_lines] = changed

    def set(self, text: str) -> None:
        """Replace all of it."""
        self._lines = _lines(text)

    def _place(self, position: Position) -> tuple[int, int]:
        """The index of a line, and how many of its characters are before a position."""
        lines = self._lines
        if position.line >= len(lines):
            return len(lines) - 1, len(lines[-1])
        line = max(position.line, 0)
        count = position.character if position.line >= 0 else 0
        return line, characters(lines[line].rstrip("\r\n"), count, self._encoding)


def _lines(text: str) -> list[str]:
    """The lines with their ends; the last one has none, and may be empty."""
    found: list[str] = _LINE.findall(text)
    return found if found and found[-1][-1] not in "\r\n" else [*found, ""]


class OpenDocument:
    """A text that an editor has open: its URI and version, and its document."""

    document: Document

    def __init__(self, uri: str, version: int | None, text: str, encoding: Encoding) -> None:
        self.uri = uri
        self.version = version
        self.path = path_of(uri)
        self.encoding: Encoding = encoding
        self.text = Text(text, encoding)


@dataclass(frozen=True)
class View:
    """A document that does not change, by its URI; `version` is None if it is not open."""

    uri: str
    document: Document
    version: int | None
    encoding: Encoding

    @cached_property
    def positions(self) -> Positions:
        """Its lines and columns, as the editor counts them."""
        return Positions(self.document.raw, self.encoding)

    @property
    def newline(self) -> str:
        """The line end of its first line; LF if it has none."""
        end = _END.search(self.document.raw)
        return end[0] if end is not None else "\n"


def path_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI; None for any other."""
    pure = pure_path_of(uri, windows=os.name == "nt")
    return Path(os.path.normpath(pure)) if pure is not None else None


def pure_path_of(uri: str, *, windows: bool) -> PurePath | None:
    """Return the path of a `file:` URI as one system writes it."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if parts.scheme != "file" or not path or "\0" in path:
        return None
    if not windows:
        return PurePosixPath(path)
    drive = _DRIVE.match(path)
    if drive is not None:
        return PureWindowsPath(f"{drive[1].lower()}:{path[drive.end() :]}")
    return PureWindowsPath(f"//{parts.netloc}{path}" if parts.netloc else path)


def uri_of(path: PurePath) -> str:
    """Return the `file:` URI of an absolute path."""
    text = path.as_posix()
    if text.startswith("//"):
        return "file:" + quote(os.fsencode(text))
    return "file://" + ("" if text.startswith("/") else "/") + quote(os.fsencode(text), safe="/:")
