"""Texts with a cursor `¦` and ranges `[[…]]` in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.edit.document import Document

Files: TypeAlias = dict[str, str]
"""Marked texts by the names of their files."""

_MARK = re.compile(r"¦|\[\[|\]\]")


class Marked(NamedTuple):
    """A text without its marks, where the cursor is (-1: nowhere), and the ranges."""

    text: str
    cursor: int
    ranges: list[tuple[int, int]]


def unmarked(text: str) -> Marked:
    """Read the marks of a text."""
    out: list[str] = []
    at = length = 0
    cursor, starts, ranges = -1, list[int](), list[tuple[int, int]]()
    for found in _MARK.finditer(text):
        out.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        if found[0] == "¦":
            cursor = length
        elif found[0] == "[[":
            starts.append(length)
        else:
            ranges.append((starts.pop(), length))
    return Marked("".join(out) + text[at:], cursor, sorted(ranges))


def marked(text: str, ranges: list[tuple[int, int]]) -> str:
    """Write ranges into a text, so that a difference can be read."""
    for start, end in sorted(ranges, reverse=True):
        text = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    return text


def prepare(folder: Path, files: Files) -> tuple[Workspace, Document, int, list[str]]:
    """Write files; return them, the one that has the cursor, and the marked texts by name."""
    cursor = None
    expected = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        source = unmarked(text)
        path.write_text(source.text, "utf-8")
        if source.cursor >= 0:
            cursor = path, source.cursor
        if source.ranges:
            expected.append(f"{name}: {text.replace('¦', '')}")
    workspace = Workspace((folder,))
    assert cursor is not None
    document = workspace.document(cursor[0])
    assert document is not None
    return workspace, document, cursor[1], sorted(expected)
