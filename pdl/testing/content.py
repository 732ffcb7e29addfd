"""What a section holds as a text that knows its place: inline, or in a file that `@` names."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.decoding import decoded
from pdl.errors import CasesError, PdlError, Problem, error_from
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.files import Folder, JailError, shown
from pdl.prompt.template import normalize_newlines
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.source import Span
    from pdl.testing.cases import CaseFile
    from pdl.testing.sections import Section

_MOST_BYTES = DEFAULT_LIMITS.source_chars * 4


JSON_LINES = (".jsonl", ".ndjson")
"""How the name of a file ends that has an object in each line."""


class CaseFolder(Folder):
    """The files that a file of cases can name: relative to its directory, below a root.

    `..` may lead upwards, unless it leads out of the root.
    """

    steps: tuple[str, ...]
    """From the root to the directory of the file of cases."""

    @classmethod
    def of(cls, file: CaseFile) -> CaseFolder:
        """Return the folder of a file; its own directory if that is not below the root."""
        parent, root = file.path.parent.resolve(), file.root.resolve()
        below = parent.is_relative_to(root)
        made = cls(file.root if below else file.path.parent)
        made.steps = parent.relative_to(root).parts if below else ()
        return made

    def read(self, relative: str, limit: int) -> bytes:
        """Return the bytes of a file, at most `limit`. Raises JailError."""
        return Folder(self.root).read(self._below_root(relative), limit)

    def locate(self, relative: str) -> Path:
        """Return the path of a file. Raises JailError."""
        return Folder(self.root).locate(self._below_root(relative))

    def _below_root(self, relative: str) -> str:
        """A path from the root, without `..`."""
        if relative.startswith("/") or "\\" in relative or not relative.strip():
            return relative  # which is refused, with the reason
        steps = list(self.steps)
        for step in relative.split("/"):
            if step == ".." and not steps:
                where = "the current directory" if str(self.root) == "." else self.root
                raise JailError(f"`{shown(relative)}` points outside {where}")
            if step == "..":
                steps.pop()
            elif step not in {"", "."}:
                steps.append(step)
        return "/".join(steps)


class Contents:
    """Reads what the sections of a file of cases hold."""

    def __init__(self, file: CaseFile) -> None:
        self.source = file.source
        self.path = file.path
        self.folder = CaseFolder.of(file)

    def mark(self, section: Section) -> Span:
        """Return where the mark of a section is."""
        return self.source.span(*section.mark)

    def content(self, section: Section) -> Source:
        """Return the text of a section: of its line, of the lines below, or of a file.

        Raises CasesError for two of these, and for none.
        """
        argument, body = section.argument, section.body
        self.check_one(section)
        text = self.argument(section)
        if text.startswith("@"):
            return self.file(text[1:], self.source.span(*argument))
        if argument.start == argument.end and body.start == body.end:
            raise self.empty(section)
        return self.copied(*(argument if text else body))

    def check_one(self, section: Section) -> None:
        """Raise CasesError for text on the line of a section and below; comments can be below."""
        argument, body = section.argument, section.body
        lines = self.source.text[slice(*body)].split("\n")
        if argument.start < argument.end and not all(is_comment(one) for one in lines):
            message = f"`{section.name}` has text on its line and in the lines below"
            hint = "write all of it below, or begin the next section with its mark"
            raise CasesError(Problem("test/both", message, self.source.span(*argument), hint))

    def empty(self, section: Section) -> CasesError:
        """Return the error for a section that must have a text, and has none."""
        message = f"there is nothing in this `{section.name}`"
        hint = "write it below, or name a file with it after the mark: `@FILE`"
        return CasesError(Problem("test/empty", message, self.mark(section), hint))

    def argument(self, section: Section) -> str:
        """Return the text on the line of a section's mark."""
        return self.source.text[slice(*section.argument)]

    def copied(self, start: int, end: int) -> Source:
        """Return a part of the file of cases."""
        return copied(self.source, start, end)

    def file(self, name: str, span: Span) -> Source:
        """Return the text of a file that the span names, with its newlines as they are.

        Raises FileError.
        """
        try:
            data = self.folder.read(name.strip(), _MOST_BYTES)
        except (JailError, OSError) as error:
            raise error_from([Problem("file/unreadable", str(error), span)]) from error
        path = os.path.normpath(self.path.parent / name.strip())
        return decoded(data, str(path))

    def locate(self, name: str, span: Span) -> Path:
        """Return the path of a file that the span names. Raises FileError."""
        try:
            return self.folder.locate(name)
        except (JailError, OSError) as error:
            raise error_from([Problem("file/unreadable", str(error), span)]) from error


def is_comment(line: str) -> bool:
    """Return whether a line is blank, or a comment."""
    words = line.lstrip()
    return not words or words.startswith("#")


def copied(source: Source, start: int, end: int) -> Source:
    """Return a part of a text, which knows where it is from."""
    anchor = Anchor(0, end - start, source, start, begins_line=True)
    return Source(source.text[start:end], source.name, (anchor,))


def spelled(text: str, span: Span) -> Source:
    """Return a text that stands in another spelling, such as a string of JSON, at a span.

    If the text itself stands there, in quotes or not, it knows its characters' places.
    """
    at = span.text.find(text) if text else 0
    start, length = (span.start + at, len(text)) if at >= 0 else (span.start, 0)
    return Source(text, span.source.name, (Anchor(0, length, span.source, start),))


def with_place(error: PdlError, span: Span) -> tuple[Problem, ...]:
    """Return the problems of an error; those without a place get the span."""
    return tuple(replace(one, span=span) if one.span is None else one for one in error.problems)


def as_lines(source: Source) -> Source:
    """Return a text of a file, whose lines may end in CRLF, with lines that end in LF."""
    if "\r" not in source.text:
        return source
    return Source(normalize_newlines(source.text), source.name)
