"""A prompt or its cases as an editor sees them: turns or sections, tags and typed texts.

A text need not parse. Everything is derived from it when it is first asked for, and kept; another
text is another document. Offsets are those of `Document.source`: characters, half-open, LF as the
only line end, without a byte order mark. `pdl.edit.positions` converts them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from pdl.decoding import JsonError, strict_json
from pdl.edit.notation import Notation, read
from pdl.prompt.markers import paired
from pdl.prompt.scan import scan, stretches, tokens
from pdl.prompt.template import source_of
from pdl.prompt.turns import ROLES, SENT
from pdl.testing.sections import is_cases, sections_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Self

    from pdl.prompt.markers import MarkerOrigin
    from pdl.prompt.scan import Piece
    from pdl.prompt.scan import Token as TagToken
    from pdl.source import Source
    from pdl.testing.sections import Section, Sections

Language: TypeAlias = Literal["dsl", "fence", "file"]
_Value = TypeVar("_Value")
TYPED = ("input", "schema", "tools")
_FENCE = re.compile(r"\s*(```|~~~)")
_FILE = re.compile(r"\s*@")


class Range(NamedTuple):
    """A half-open range of offsets."""

    start: int
    end: int

    def holds(self, offset: int) -> bool:
        """Whether a cursor at an offset touches the range, its end included."""
        return self.start <= offset <= self.end


class Edit(NamedTuple):
    """A range to be replaced by a text, whose line ends are LF."""

    start: int
    end: int
    text: str


class Location(NamedTuple):
    """A range of a file; `path` is None for a text that has no file."""

    path: Path | None
    range: Range


@dataclass(frozen=True)
class Turn:
    """A turn as it is written: its separator, and what follows up to the next one.

    `role` is in lower case, and may be unknown; it is empty for `<|{{ role }}|>`. `marker` is the
    range of `<|…|>`, `name` that of the word in it. `body` begins after the separator's line and
    ends where the line of the next separator begins; tags around that one can be in it.
    """

    role: str
    marker: Range
    name: Range
    body: Range

    @property
    def is_message(self) -> bool:
        """Whether it is sent to the model."""
        return self.role in SENT

    @property
    def is_known(self) -> bool:
        """Whether there is a role of that name."""
        return not self.role or self.role in ROLES


class Derived:
    """Something that keeps what functions make of it."""

    def derive(self, make: Callable[[Self], _Value]) -> _Value:
        """Return what a function makes of this: it is made once, and forgotten with this."""
        if make not in self._derived:
            self._derived[make] = make(self)
        found: _Value = self._derived[make]
        return found

    @cached_property
    def _derived(self) -> dict[object, Any]:
        return {}


@dataclass(frozen=True)
class Typed(Derived):
    """The text of an `input`, `schema` or `tools` turn, or of an expectation, as of a `schema`.

    `text` is as long as the body of the turn: expressions in it are stand-ins (`1`) and spaces, and
    statements and comments of the template spaces, and so is what macros and `{% set %}` capture.
    `written` is the body as it is, and `tags` are the ranges of what is replaced, without comments.
    `language` says what it is: `dsl`, a `fence` (or other JSON), or `@file`. `notation` has the
    tokens of the DSL, and none for the others.
    """

    turn: Turn
    text: str = field(repr=False)
    language: Language
    written: str = field(repr=False)
    tags: tuple[Range, ...] = field(repr=False)

    @cached_property
    def notation(self) -> Notation:
        """The tokens of the DSL with their offsets in the document."""
        text = self.text if self.language == "dsl" else ""
        return read(text, self.turn.body.start, tools=self.turn.role == "tools")


@dataclass(frozen=True)
class Document(Derived):
    """A text, and the file that it belongs to, if it has one.

    `raw` is the text as the editor has it, with its line ends and its byte order mark.
    """

    raw: str = field(repr=False)
    path: Path | None = None

    @cached_property
    def source(self) -> Source:
        """The text that offsets refer to, by the name that errors show."""
        name = str(self.path) if self.path is not None else "<string>"
        return source_of(self.raw, name)

    @property
    def text(self) -> str:
        """The text that offsets refer to."""
        return self.source.text

    @cached_property
    def sections(self) -> Sections | None:
        """The sections of a file of cases; None for a prompt.

        Nothing of such a file is a template: it has neither pieces nor turns. What it has in the
        DSL are the typed texts of its expectations.
        """
        if self.path is None or not is_cases(self.path):
            return None
        return sections_of(self.text)

    @cached_property
    def pieces(self) -> Sequence[Piece]:
        """The template's tags, and the text between them."""
        return scan(self.text) if self.sections is None else ()

    def piece_at(self, offset: int) -> Piece | None:
        """Return the piece that an offset is in; at a boundary that of the character before it."""
        at = bisect_right(self.pieces, max(offset - 1, 0), key=lambda piece: piece.start) - 1
        return self.pieces[at] if at >= 0 else None

    def tag_at(self, offset: int) -> Piece | None:
        """Return the statement or expression that a cursor is in, within its delimiters."""
        piece = self.piece_at(offset)
        if piece is None or piece.kind not in ("statement", "expression"):
            return None
        is_inside = piece.start + 2 <= offset and (not piece.closed or offset <= piece.end - 2)
        return piece if is_inside else None

    def tag_tokens(self, piece: Piece) -> list[TagToken]:
        """Return the tokens of a statement or expression."""
        found = self._tokens.get(piece.start)
        if found is None:
            found = self._tokens[piece.start] = tokens(self.text, piece)
        return found

    @cached_property
    def _tokens(self) -> dict[int, list[TagToken]]:
        return {}

    @cached_property
    def marks(self) -> list[MarkerOrigin]:
        """The `<|…|>` of the text, in order, paired as the template pairs them."""
        pairs = paired(stretches(self.text, self.pieces), self.source)
        return [pair for at, pair in sorted(pairs.items()) if at == pair.start]

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns in the order of the text, those within branches too."""
        marks = [mark for mark in self.marks if mark.alone and _is_separator(mark)]
        starts = [self.text.rfind("\n", 0, mark.start) + 1 for mark in marks[1:]]
        return tuple(
            self._turn(mark, max(end, mark.end))
            for mark, end in zip(marks, [*starts, len(self.text)], strict=False)
        )

    def _turn(self, mark: MarkerOrigin, end: int) -> Turn:
        inside = self.text[mark.start + 2 : mark.end - 2]
        start = mark.start + 2 + len(inside) - len(inside.lstrip())
        role = mark.text.strip().lower() if mark.is_whole else ""
        line_end = self.text.find("\n", mark.end)
        body = min(line_end + 1, end) if line_end >= 0 else end
        name = Range(start, start + len(inside.strip()))
        return Turn(role, Range(mark.start, mark.end), name, Range(body, end))

    def turn_at(self, offset: int) -> Turn | None:
        """Return the turn that an offset is in, its separator included; None before the first."""
        at = bisect_right(self.turns, offset, key=lambda turn: turn.marker.start) - 1
        return self.turns[at] if at >= 0 else None

    @cached_property
    def typed(self) -> tuple[Typed, ...]:
        """The texts of the `input`, `schema` and `tools` turns, or of expectations in the DSL."""
        if self.sections is not None:
            return tuple(map(self._expected, filter(_is_expected, self.sections.all)))
        return tuple(self._typed(turn) for turn in self.turns if turn.role in TYPED)

    def _expected(self, section: Section) -> Typed:
        """The text of an expectation: the lines below the mark or, without any, its own line."""
        has_body = section.body.start < section.body.end
        place = Range(*(section.body if has_body else section.argument))
        written = self.text[place.start : place.end]
        name = Range(section.mark.start + 2, section.mark.end - 2)
        turn = Turn("schema", Range(*section.mark), name, place)
        language: Language = "fence" if _is_json(written) else _language(written)
        return Typed(turn, written, language, written, ())

    def typed_at(self, offset: int) -> Typed | None:
        """Return the typed text that an offset is in."""
        found = (one for one in self.typed if one.turn.body.holds(offset))
        return next(found, None)

    def _typed(self, turn: Turn) -> Typed:
        out: list[str] = []
        tags: list[Range] = []
        captured = 0
        at = turn.body.start
        for piece in self.pieces_in(turn.body):
            start, end = max(piece.start, turn.body.start), min(piece.end, turn.body.end)
            out.append(self.text[at:start])
            written = self.text[start:end]
            captured = max(captured + _captures(piece, written), 0)
            if piece.kind in ("text", "raw") and not captured:
                out.append(written)
            else:
                tags += [Range(start, end)] if piece.kind != "comment" else []
                blank = re.sub(r"[^\n]", " ", written)
                prints = piece.kind == "expression" and not captured
                out.append("1" + blank[1:] if prints else blank)
            at = end
        text = "".join(out) + self.text[at : turn.body.end]
        written = self.text[turn.body.start : turn.body.end]
        return Typed(turn, text, _language(text), written, tuple(tags))

    def pieces_in(self, wanted: Range) -> Sequence[Piece]:
        """Return the pieces that overlap a range."""
        first = bisect_right(self.pieces, wanted.start, key=lambda piece: piece.end)
        last = bisect_right(self.pieces, wanted.end - 1, key=lambda piece: piece.start)
        return self.pieces[first:last]

    @cached_property
    def inputs(self) -> dict[str, Range]:
        """The names that the `input` turn declares, and where."""
        return {
            self.text[one.start : one.end].strip("\"'"): Range(one.start, one.end)
            for typed in self.typed
            if typed.turn.role == "input"
            for one in typed.notation.tokens
            if one.role == "key" and typed.notation.frames[one.frame].is_root
        }


def _language(text: str) -> Language:
    if _FENCE.match(text):
        return "fence"
    return "file" if _FILE.match(text) else "dsl"


def _is_json(text: str) -> bool:
    try:
        strict_json(text)
    except JsonError:
        return False
    return True


def _is_expected(section: Section) -> bool:
    return section.name == "expect"


_CAPTURE = re.compile(r"\{%[-+]?\s*(?:(?P<end>endmacro|endset)\b|macro\b|set\b[^=]*$)")


def _captures(piece: Piece, written: str) -> int:
    """1 for a statement after which text is not printed where it is, -1 for the end of that."""
    match = _CAPTURE.match(written) if piece.kind == "statement" else None
    return 0 if match is None else -1 if match["end"] else 1


def _is_separator(mark: MarkerOrigin) -> bool:
    """Whether `<|…|>` alone on its line begins a turn, perhaps of a role that doesn't exist."""
    return mark.text.strip().isalpha() if mark.is_whole else not mark.text.strip()
