"""Texts that fit a line or break at their brackets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pdl.schema.deep import Deep, call, run

WIDTH = 88
_STEP = "  "
_NEVER = 10**9  # the width of what cannot stand on one line


@dataclass(frozen=True)
class Sequence:
    """Parts that follow each other with nothing between; `width` is their columns on one line."""

    parts: tuple[Doc, ...]
    width: int


@dataclass(frozen=True)
class Alternatives:
    """Parts with bars between; on several lines, each but the first begins with its bar."""

    parts: tuple[Doc, ...]
    width: int


@dataclass(frozen=True)
class Entry:
    """A line of a block, with the lines of its comment."""

    doc: Doc
    comment: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """Entries in brackets, parted by commas; `pad` stands inside the brackets on one line."""

    brackets: str
    entries: tuple[Entry, ...]
    pad: str
    width: int


Doc: TypeAlias = str | Sequence | Alternatives | Block


def sequence(*parts: Doc) -> Doc:
    """Parts that follow each other."""
    some = tuple(part for part in parts if part != "")
    return some[0] if len(some) == 1 else Sequence(some, sum(map(width, some)))


def alternatives(parts: tuple[Doc, ...]) -> Doc:
    """Parts with bars between."""
    return Alternatives(parts, sum(map(width, parts)) + 3 * (len(parts) - 1))


def block(brackets: str, entries: tuple[Entry, ...], pad: str = "") -> Block:
    """Entries in a pair of brackets."""
    if any(entry.comment for entry in entries):
        return Block(brackets, entries, pad, _NEVER)
    inside = sum(width(entry.doc) + 2 for entry in entries)
    return Block(brackets, entries, pad, inside + 2 * len(pad) if entries else 2)


def width(doc: Doc) -> int:
    """The columns that a doc takes on one line."""
    return len(doc) if isinstance(doc, str) else doc.width


def render(doc: Doc) -> str:
    """The text of a doc, with each bracket on one line that fits there."""
    page = _Page()
    run(page.put(doc, "", 0))
    return "".join(page.pieces)


def comment_lines(lines: tuple[str, ...], indent: str) -> str:
    """Lines of comments, each with its end."""
    return "".join(f"{indent}// {line}".rstrip() + "\n" for line in lines)


class _Page:
    """The text so far, and the column where it ends."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._column = 0

    def put(self, doc: Doc, indent: str, tail: int) -> Deep[None]:
        """Write a doc; `tail` columns must be left for what follows it on its last line."""
        if isinstance(doc, str):
            self._write(doc)
        elif isinstance(doc, Sequence):
            yield from self._put_sequence(doc, indent, tail)
        elif self._column + doc.width + tail <= WIDTH:
            yield from self._put_flat(doc)
        elif isinstance(doc, Alternatives):
            yield from self._put_alternatives(doc, indent, tail)
        else:
            yield from self._put_block(doc, indent)

    def _write(self, text: str) -> None:
        self.pieces.append(text)
        self._column += len(text)

    def _start_line(self, indent: str) -> None:
        self.pieces.append(f"\n{indent}")
        self._column = len(indent)

    def _put_sequence(self, doc: Sequence, indent: str, tail: int) -> Deep[None]:
        behind = doc.width
        for part in doc.parts:
            behind -= width(part)
            yield from call(self.put(part, indent, tail + min(behind, WIDTH)))

    def _put_flat(self, doc: Alternatives | Block) -> Deep[None]:
        if isinstance(doc, Alternatives):
            for index, part in enumerate(doc.parts):
                self._write(" | " if index else "")
                yield from call(self.put(part, "", -_NEVER))
            return
        self._write(doc.brackets[0] + (doc.pad if doc.entries else ""))
        for index, entry in enumerate(doc.entries):
            self._write(", " if index else "")
            yield from call(self.put(entry.doc, "", -_NEVER))
        self._write((doc.pad if doc.entries else "") + doc.brackets[1])

    def _put_alternatives(self, doc: Alternatives, indent: str, tail: int) -> Deep[None]:
        deeper = indent + _STEP
        for index, part in enumerate(doc.parts):
            if index:
                self._start_line(deeper)
                self._write("| ")
            yield from call(self.put(part, deeper, tail if index == len(doc.parts) - 1 else 0))

    def _put_block(self, doc: Block, indent: str) -> Deep[None]:
        self._write(doc.brackets[0])
        deeper = indent + _STEP
        for entry in doc.entries:
            behind = _beside(entry, deeper)
            if entry.comment and not behind:
                self.pieces.append("\n" + comment_lines(entry.comment, deeper).rstrip("\n"))
            self._start_line(deeper)
            yield from call(self.put(entry.doc, deeper, 1))
            self._write(f",{behind}")
        self._start_line(indent)
        self._write(doc.brackets[1])


def _beside(entry: Entry, indent: str) -> str:
    """The comment as it stands behind an entry's comma, if it fits there."""
    if len(entry.comment) != 1:
        return ""
    comment = f" // {entry.comment[0]}"
    fits = len(indent) + width(entry.doc) + 1 + len(comment) <= WIDTH
    return comment if fits else ""
