"""Formatting prompt files: changes of notation that no rendering shows.

Typed turns get their canonical layout (`layout`), one blank line precedes each turn and none
follows its separator, tags have blanks within their delimiters, and settings are `key: value`.
The text of messages is never touched. Whitespace counts where a template makes a value of what it
prints (`{% set %}…{% endset %}`, `{% filter %}`, macros), in blocks, which other files can print as
a value, at the ends of a file that others can include, and between the turns of a file that is a
part of prompts by its name: there it stays. So it does wherever it is not certain that a line is a
separator. What any other file prints is taken for text, though files could make a value of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import TYPED, Document, Edit, Range
from pdl.edit.formatting.cases import Unit, case_units
from pdl.edit.formatting.layout import STEP, edit_between, layout_edits
from pdl.edit.positions import Positions
from pdl.errors import PdlError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.canonical import config_item
from pdl.prompt.inputs import read_inputs
from pdl.prompt.scan import stretches
from pdl.prompt.turns import ROLES
from pdl.schema import Schema
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl.prompt.markers import MarkerOrigin
    from pdl.prompt.scan import Piece, Token

_BLANKS = " \t"
_WHITE = " \t\n"
_BLANK_END = re.compile(r"[ \t]*(?=\n|\Z)")
_PRINTING = frozenset({"if", "for", "with"})
_CAPTURING = frozenset({"autoescape", "block", "call", "filter", "macro"})
_CONTENT = frozenset({"include", "endraw"})
_SETTING = re.compile(r"([ \t]*+)([^\s:/][^\s:]*+)([ \t]*+):([ \t]*+)((?:[^\n]*[^ \t\n])?)[ \t]*+")
_NOTE = re.compile(r"([ \t]*)//[^\n]*")
_NEWLINE = re.compile(r"\r\n?|\n")


def format_edits(document: Document) -> list[Edit]:
    """Return the edits that format a document, in order, without overlaps."""
    return sorted(edit for unit in _units(document) for edit in unit.edits)


def format_range(document: Document, wanted: Range) -> list[Edit]:
    """Return the edits of all turns, tags, and separators that touch a range."""
    return sorted(
        edit
        for unit in _units(document)
        if unit.range.start <= wanted.end and wanted.start <= unit.range.end
        for edit in unit.edits
    )


def formatted(raw: str, path: Path | None = None) -> str:
    """Return a text formatted, with its byte order mark and its line ends.

    New lines end as most do. The name of its file says whether it is a part of prompts.
    """
    positions = Positions(raw)
    newline = newline_of(raw)
    out: list[str] = []
    at = 0
    for edit in format_edits(Document(raw, path)):
        start, end = positions.raw_offset(edit.start), positions.raw_offset(edit.end)
        for piece in (raw[at:start], edit.text.replace("\n", newline)):
            out += ("\n", piece) if _merges(out, piece) else (piece,)
        at = end
    rest = raw[at:]
    return "".join((*out, "\n" if _merges(out, rest) else "", rest))


def newline_of(raw: str) -> str:
    """Return the line end that a text has most often; LF without any."""
    counts = Counter(_NEWLINE.findall(raw))
    return max(("\n", "\r\n", "\r"), key=lambda one: counts[one])


def _merges(out: list[str], piece: str) -> bool:
    """Whether a CR and an LF, both of which end a line, would become one line end."""
    last = next((one for one in reversed(out) if one), "")
    return last.endswith("\r") and piece.startswith("\n")


def format_typed_on(document: Document, offset: int, typed: str) -> list[Edit]:
    """Return the edit of the indentation after a newline or a closing bracket was typed.

    `offset` is that of the cursor after it. Only lines within the brackets of a typed turn change.
    """
    text = document.text
    start = text.rfind("\n", 0, offset) + 1
    found = document.typed_at(offset)
    if found is None or found.language != "dsl" or typed not in ("\n", "}", "]", ")"):
        return []
    end = start + _blanks(text, start, len(text))
    closes = text.startswith(("}", "]", ")"), end)
    if typed != "\n" and not (closes and end == offset - 1):
        return []
    notation = found.notation
    before = notation.before(end)
    if before < 0:
        return []
    frame = notation.tokens[before].frame
    opener = notation.frames[frame].opener
    if opener < 0:
        return []
    line = text.rfind("\n", 0, notation.tokens[opener].start) + 1
    width = _blanks(text, line, len(text)) + (0 if closes else STEP)
    return list(edit_between(text, start, end, " " * width))


def _blanks(text: str, start: int, end: int) -> int:
    at = start
    while at < end and text[at] in _BLANKS:
        at += 1
    return at - start


def _is_valid(text: str, role: str) -> bool:
    """Whether a typed turn, which has a syntax tree, has no other errors either."""
    try:
        if role == "schema":
            Schema.parse(text)
        elif role == "input":
            placed = f"<|input|>\n{text}"
            read_inputs([(0, placed, None)], Source(placed), DEFAULT_LIMITS)
    except PdlError:
        return False
    return True


def _units(document: Document) -> Iterator[Unit]:
    if document.sections is not None:
        yield from case_units(document.text, document.sections)
        return
    formatter = _Formatter(document)
    for piece in document.pieces:
        yield Unit(Range(piece.start, piece.end), list(formatter.tag(piece)))
    for one in formatter.separators:
        around = [] if formatter.is_part else list(formatter.around(one))
        start = min(around[0].start, one.line) if around else one.line
        yield Unit(Range(start, one.after), around)
        end = formatter.end_of(one)
        if end > one.after:
            content = formatter.settings if one.role == "config" else formatter.typed
            yield Unit(Range(one.after, end), list(content(one, end)))
    yield Unit(Range(len(document.text), len(document.text)), list(formatter.end()))


class _Separator(NamedTuple):
    """A line that certainly begins a turn, in the stretch of text `low` to `high`."""

    role: str
    mark: MarkerOrigin
    line: int
    after: int  # the next line, or the end of the text
    low: int
    high: int
    piece: int


class _Formatter:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self.pieces = document.pieces

    def tag(self, piece: Piece) -> Iterator[Edit]:
        """Blanks within a tag, where it does not break lines; none within its strings."""
        found = self.document.tag_tokens(piece)
        if not piece.closed or not found or any(one.kind == "other" for one in found):
            return
        text = self.text
        start = piece.start + 2
        start += text.startswith(("-", "+"), start) and start < found[0].start
        end = piece.end - 2
        end -= found[-1].end < end and text[end - 1] in ("-+" if text[end] == "%" else "-")
        if found[-1].end > end:
            return
        yield from self._gap(start, found[0].start, " ")
        for before, after in pairwise(found):
            old = text[before.end : after.start]
            yield from self._gap(before.end, after.start, self._between(before, after, old))
        yield from self._gap(found[-1].end, end, " ")

    def _between(self, before: Token, after: Token, old: str) -> str:
        one, other = self.text[before.start : before.end], self.text[after.start : after.end]
        if "|" in (one, other):
            return " "
        if other == ",":
            return ""
        if one == "," and other not in (")", "]", "}"):
            return " "
        return old[:1] and " "

    def _gap(self, start: int, end: int, wanted: str) -> Iterator[Edit]:
        old = self.text[start:end]
        if old.strip(_BLANKS):  # a line break, or an odd space
            return
        yield from edit_between(self.text, start, end, wanted)

    @cached_property
    def separators(self) -> list[_Separator]:
        """The lines that certainly begin a turn, and are printed where they are."""
        printed = list(self._printed())
        found = stretches(self.text, self.pieces)
        starts = [one.offset for one in found]
        separators = []
        for mark in self.document.marks:
            at = bisect_right(starts, mark.start) - 1
            piece = bisect_right(self.pieces, mark.start, key=lambda one: one.start) - 1
            if mark.is_whole and at >= 0 and printed[piece]:
                high = starts[at] + len(found[at].text)
                one = self._separator(mark, piece, starts[at], high)
                separators += [one] if one is not None else []
        return separators

    def _separator(self, mark: MarkerOrigin, piece: int, low: int, high: int) -> _Separator | None:
        text, role = self.text, mark.text.strip().lower()
        if role not in ROLES or not mark.alone or self.pieces[piece].kind != "text":
            return None
        line = text.rfind("\n", low, mark.start) + 1
        if line <= low and not low == line == 0:
            return None
        following = _BLANK_END.match(text, mark.end, high)
        if following is None or text[line : mark.start].strip(_BLANKS):
            return None
        newline = following.end()
        is_end = newline >= len(text) - text.endswith("\n")
        if newline >= high and not is_end:
            return None
        after = min(newline + 1, len(text))
        return _Separator(role, mark, line, after, self.pieces[piece].start, high, piece)

    def _printed(self) -> Iterator[bool]:
        """Of each piece, whether it is printed where it is."""
        opened: list[bool] = []
        for piece in self.pieces:
            words = self._words(piece) if piece.kind == "statement" else []
            word = words[0] if words else ""
            if word.startswith("end") and word != "endraw" and opened:
                opened.pop()
            yield all(opened)
            body = self._opens(word, words)
            opened += [] if body is None else [body]

    def _words(self, piece: Piece) -> list[str]:
        return [self.text[one.start : one.end] for one in self.document.tag_tokens(piece)]

    def _opens(self, word: str, words: list[str]) -> bool | None:
        """Whether the body of a statement is printed where it is; None if it has no body."""
        if word in _PRINTING:
            return not (word == "for" and "recursive" in words)
        if word == "set":
            assigns = next((one for one in words if one in ("=", "|")), "")
            return None if assigns == "=" else False
        return False if word in _CAPTURING else None

    @cached_property
    def is_part(self) -> bool:
        """Whether the file is a part of prompts by its name, as `pdl lint` tells."""
        path = self.document.path
        return path is not None and path.name.startswith("_")

    @cached_property
    def _is_main(self) -> bool:
        """Whether no other file can include this one, so that its ends are those of the prompt."""
        return not self.is_part and any(turn.role == "input" for turn in self.document.turns)

    @cached_property
    def _starts(self) -> list[int]:
        return [one.line for one in self.separators]

    def end_of(self, one: _Separator) -> int:
        """Where the whole content of a turn ends, if that is text; otherwise 0.

        Only the declaration of inputs ends at a tag: what follows it is not rendered.
        """
        if one.role not in TYPED and one.role != "config":
            return 0
        turns, piece = self.document.turns, self.pieces[one.piece]
        at = bisect_right(turns, one.mark.start, key=lambda turn: turn.marker.start)
        following = turns[at] if at < len(turns) else None
        end = turns[at - 1].body.end
        if end <= piece.end:
            is_turn = following is None or not following.is_known or end in self._starts_after(one)
            return end if is_turn else 0
        last_line = self.text[self.text.rfind("\n", 0, piece.end) + 1 : piece.end]
        return piece.end if one.role == "input" and not last_line.strip(_BLANKS) else 0

    def around(self, one: _Separator) -> Iterator[Edit]:
        """A separator, and the blank lines before and after it."""
        yield from self._before(one)
        yield from self._line(one)
        yield from self._after(one)

    def _before(self, one: _Separator) -> Iterator[Edit]:
        """One blank line before a separator; after a tag, at most one."""
        text = self.text
        last = one.line
        while last > one.low and text[last - 1] in _WHITE:
            last -= 1
        if last == 0:
            yield from edit_between(text, 0, one.line, "") if self._is_main else ()
            return
        newline = text.find("\n", last, one.line)
        if newline < 0:
            return
        kept = "\n"
        if last == one.low and not self._is_content(self.pieces[one.piece - 1]):
            kept = "\n" if text.count("\n", newline + 1, one.line) else ""
        yield from edit_between(text, newline + 1, one.line, kept)

    def _is_content(self, piece: Piece) -> bool:
        """Whether a tag prints something that can belong to a turn."""
        words = self._words(piece)
        return piece.kind == "expression" or bool(words and words[0] in _CONTENT)

    def _line(self, one: _Separator) -> Iterator[Edit]:
        """A separator as pdl writes it."""
        start, end = one.mark.start, one.mark.end
        if one.line or self._is_main:
            yield from edit_between(self.text, one.line, start, "")
        yield from edit_between(self.text, start, end, f"<|{one.role}|>")
        yield from edit_between(self.text, end, end + _blanks(self.text, end, one.high), "")

    def _after(self, one: _Separator) -> Iterator[Edit]:
        """No blank line after a separator."""
        text = self.text
        end = at = one.after
        while at < self.pieces[one.piece].end and text[at] in _WHITE:
            at += 1
            end = at if text[at - 1] == "\n" else end
        if at < len(text) and end not in self._starts_after(one):
            yield from edit_between(text, one.after, end, "")

    def _starts_after(self, one: _Separator) -> tuple[int, ...]:
        """The line of the next separator, before which a blank line remains."""
        at = bisect_right(self._starts, one.line)
        return tuple(self._starts[at : at + 1])

    def settings(self, one: _Separator, end: int) -> Iterator[Edit]:
        """The lines of a `config` turn without errors."""
        text, start = self.text, one.after
        if config_item(text[start:end]) is None:
            return
        while start < end:
            newline = text.find("\n", start, end)
            line_end = newline if newline >= 0 else end
            setting = _SETTING.fullmatch(text, start, line_end)
            note = _NOTE.fullmatch(text, start, line_end)
            if setting is not None:
                yield from edit_between(text, start, setting.start(2), "")
                space = " " if setting[5] else ""
                yield from edit_between(text, setting.end(2), setting.start(5), f":{space}")
                yield from edit_between(text, setting.end(5), line_end, "")
            elif note is not None:
                yield from edit_between(text, start, note.end(1), "")
            start = line_end + 1

    def typed(self, one: _Separator, end: int) -> Iterator[Edit]:
        """The layout of a typed turn without errors."""
        text = self.text
        content = text[one.after : end]
        start = one.after + len(content) - len(content.lstrip(_WHITE))
        start = text.rfind("\n", 0, start) + 1
        last = one.after + len(content.rstrip(_WHITE))
        if start >= last:
            return
        last += _blanks(text, last, end)
        if text[start:last].lstrip(_BLANKS).startswith("@"):
            if "\n" not in text[start:last]:
                yield from edit_between(text, start, last, text[start:last].strip(_BLANKS))
            return
        edits = layout_edits(text[start:last], start, tools=one.role == "tools")
        if edits and _is_valid(text[start:last], one.role):
            yield from edits

    def end(self) -> Iterator[Edit]:
        """One newline at the end of the file, of which Jinja drops one."""
        text = self.text
        is_read = all(piece.closed for piece in self.pieces)  # else anything may end here
        if not is_read or not text.strip(_WHITE):
            return
        content = text.rstrip(_WHITE)
        newline = text.find("\n", len(content))
        if newline < 0:
            yield Edit(len(text), len(text), "\n")
        elif self._is_main:
            yield from edit_between(text, newline + 1, len(text), "")
        elif not text.endswith("\n"):
            yield Edit(len(text), len(text), "\n")
