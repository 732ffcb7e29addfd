"""Rendered text to turns, by the grammar `syntax/turns.lark`; turns to sources with anchors."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl.errors import Problem, did_you_mean
from pdl.prompt.markers import (
    CLOSE,
    HERE,
    LEAD,
    LINE,
    MARKER,
    MARKER_LENGTH,
    OPEN,
    SURROGATE,
    WHOLE,
    number_of,
)
from pdl.source import Anchor, Source
from pdl.syntax.runner import Token as Terminal
from pdl.syntax.runner import runner

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pdl.prompt.markers import MarkerOrigin, Markers
    from pdl.source import Span

DYNAMIC = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Placeholder in a text for what an expression will print."""

SENT = ("system", "user", "assistant")
ROLES = (*SENT, "schema", "reasoning", "input", "tools", "config")
_MEMOISED = 64  # tokens; longer outlines are rarely seen twice


_LOOKS_LIKE_A_TURN = re.compile(
    rf"^[^\S\n]*+(?P<open><?[^\S\n]?\|{{0,2}})[^\S\n]*+(?P<name>{'|'.join(ROLES)})[^\S\n]*"
    r"(?P<close>\|{0,2}[^\S\n]?>?:?)[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LOOKS_LIKE_MEDIA = re.compile(r"<\|[^\S\n]*((?:raw_)?media\([^|\n]*\))[^\S\n]*>", re.IGNORECASE)


class Token(NamedTuple):
    """A terminal of the grammar: its name, its text, and the number of its marker."""

    kind: str
    text: str
    marker: int = 0


class Turn(NamedTuple):
    """A role, what follows its separator (TEXT and BLOCK tokens), and the separator's marker.

    Of a template that is not rendered, `cut` means that a tag ends the content, so more can follow.
    """

    role: str
    content: tuple[Token, ...]
    marker: int = 0
    cut: bool = False

    @property
    def raw(self) -> str:
        """The content as it was rendered; blocks are written out again."""
        return "".join(
            f"<|{token.text}|>" if token.kind == "BLOCK" else token.text for token in self.content
        )


class Split(NamedTuple):
    """A text as turns: what stood before the first one, the turns, and what was wrong."""

    preamble: tuple[Token, ...]
    turns: tuple[Turn, ...]
    problems: tuple[Problem, ...]


def split_turns(text: str, markers: Markers, *, unfilled: bool = False) -> Split:
    """Split rendered text at its separators: lines that contain only `<|name|>`, as a marker.

    An unknown alphabetic name is a problem, and its line stays text. In an `unfilled` text DYNAMIC
    represents what is computed, even where that could be the other half of a marker.
    """
    scanner = _Scanner(text, markers, unfilled=unfilled)
    tokens = scanner.tokens()
    kinds = tuple([token.kind for token in tokens])
    outlined = _outline(kinds) if len(kinds) <= _MEMOISED else _outline.__wrapped__(kinds)
    first = outlined[0][0] if outlined else len(tokens)
    turns = [
        Turn(tokens[start].text, tuple(tokens[start + 1 : end]), tokens[start].marker)
        for start, end in outlined
    ]
    return Split(tuple(tokens[:first]), tuple(turns), tuple(scanner.problems))


def lookalikes(text: str) -> Iterator[tuple[int, int, str]]:
    """Text that looks like a turn marker or media, as `<|user>`: start, end, what was meant.

    `<user>` counts where no `</user>` closes it.
    """
    for match in _LOOKS_LIKE_A_TURN.finditer(text):
        opening, closing = ("".join(match[part].split()) for part in ("open", "close"))
        brackets = opening + closing.removesuffix(":")
        is_marker = match["open"].startswith("<|") and "|>" in match["close"]
        if len(brackets) < len("<|") or is_marker:
            continue
        if brackets == "<>" and f"</{match['name']}" in text:
            continue
        yield match.start("open"), match.end("close"), f"<|{match['name'].lower()}|>"
    for match in _LOOKS_LIKE_MEDIA.finditer(text):
        yield match.start(), match.end(), f"<|{match[1]}|>"


class _Piece(NamedTuple):
    """A marker and the text after it, up to the next one."""

    kind: str
    digits: str
    text: str

    @property
    def number(self) -> int:
        """The number of the marker."""
        return number_of(self.digits)


class _Scanner:
    """Finds the tokens of a text in one pass over its markers."""

    def __init__(self, text: str, markers: Markers, *, unfilled: bool) -> None:
        self.markers = markers
        self.unfilled = unfilled
        self.problems: list[Problem] = []
        head, *rest = text.split(LEAD)
        self.pieces = [_Piece("", "", head)]
        self.pieces += [_Piece(p[0], p[1:MARKER_LENGTH], p[MARKER_LENGTH:]) for p in rest]
        self.text: list[str] = []
        self.found: list[Token] = []

    def tokens(self) -> list[Token]:
        """All tokens of the text."""
        pieces, count = self.pieces, len(self.pieces)
        blank = True  # the line so far
        at = 0
        while at < count:
            piece = pieces[at]
            if piece.kind in (WHOLE, OPEN, CLOSE):
                end = at if piece.kind == WHOLE else self._close(at)
                separates = blank and end >= 0 and self._ends_line(end)
                if end < 0:
                    self._add_half(piece)
                    end = at
                elif piece.kind == WHOLE:
                    separates = self._add_whole(piece, separates=separates)
                else:
                    separates = self._add_pair(at, end, separates=separates)
                blank = separates
                at, piece = end, pieces[end]
                if piece.text:
                    self.text.append(piece.text)
            else:
                blank = blank and piece.kind != SURROGATE
                self._keep(piece)
            blank = _blank_after(piece.text, before=blank)
            at += 1
        self._flush()
        return self.found

    def _close(self, at: int) -> int:
        """The index of the piece that closes what the piece at that index opens, or -1.

        An opening marker counts only with its own closing marker, and with the text that followed
        it in the source.
        """
        opening, end = self.pieces[at], at + 1
        while end < len(self.pieces) and self.pieces[end].kind in (HERE, LINE):
            end += 1
        if opening.kind != OPEN or end == len(self.pieces):
            return -1
        closing = self.pieces[end]
        if (closing.kind, closing.digits) != (CLOSE, opening.digits):
            return -1
        origin = self.markers.origin(opening.number)
        begun = origin is None or self._inside(at, end).lower().startswith(origin.text.lower())
        return end if begun else -1

    def _ends_line(self, start: int) -> bool:
        """Whether only whitespace follows on the line of the piece at that index."""
        for index in range(start, len(self.pieces)):
            piece = self.pieces[index]
            if index > start and piece.kind not in (HERE, LINE):
                return False
            ended = piece.text.find("\n")
            rest = piece.text[:ended] if ended >= 0 else piece.text
            if rest and not rest.isspace():
                return False
            if ended >= 0:
                return True
        return True

    def _inside(self, start: int, end: int) -> str:
        return "".join([piece.text for piece in self.pieces[start:end]])

    def _add_whole(self, piece: _Piece, *, separates: bool) -> bool:
        """Add what one marker represents; whether it is a separator."""
        origin = self.markers.origin(piece.number)
        assert origin is not None
        return self._add(origin.text, piece.number, ROLES, separates=separates and origin.alone)

    def _add_pair(self, start: int, end: int, *, separates: bool) -> bool:
        """Add the text between two markers; whether it is a separator.

        A value can say which message a turn is, and what a media tag embeds, but not that it is
        one.
        """
        number = self.pieces[start].number
        origin, inside = self.markers.origin(number), self._inside(start, end)
        if origin is None:  # a value that the author trusts (`|safe`)
            return self._add(inside, 0, ROLES, separates=separates)
        is_role = separates and origin.alone and inside.strip().isalpha()
        if not is_role and not origin.names_media and not self.unfilled:
            self.problems.append(_computed(self.markers.span(number)))
            self.text.append(f"<|{inside}|>")
            return False
        return self._add(inside, number, SENT, separates=is_role)

    def _add_half(self, piece: _Piece) -> None:
        """Add a marker without the other of its pair."""
        if not self.unfilled:
            self.problems.append(_damaged(self.markers.span(piece.number)))
        elif piece.kind == OPEN:
            self._flush()
            self.found.append(Token("BLOCK", DYNAMIC, piece.number))

    def _add(self, inside: str, number: int, roles: Collection[str], *, separates: bool) -> bool:
        """Add a separator or a block; what follows it begins a new text."""
        name = inside.strip().lower()
        if not separates or not name.isalpha() or "\n" in inside:
            self._flush()
            self.found.append(Token("BLOCK", inside, number))
            return False
        if name in roles:
            self._flush()
            self.found.append(Token("SEPARATOR", name, number))
        else:
            self.problems.append(_unknown_role(name, self.markers.span(number), roles))
            self.text.append(f"<|{inside}|>")
        return True

    def _keep(self, piece: _Piece) -> None:
        """Keep a piece as text; its marker too, from which a schema's errors get their position."""
        if piece.kind:
            self.text.append(LEAD + piece.kind + piece.digits)
        if piece.text:
            self.text.append(piece.text)

    def _flush(self) -> None:
        if self.text:
            self.found.append(Token("TEXT", "".join(self.text)))
            self.text = []


def _blank_after(text: str, *, before: bool) -> bool:
    """Whether the line is blank so far, after that text."""
    if not text:
        return before
    last = text.rfind("\n")
    if last < 0:
        return before and text.isspace()
    return last == len(text) - 1 or text[last:].isspace()


def _unknown_role(name: str, span: Span | None, known: Collection[str]) -> Problem:
    if name in ROLES:
        message = f"a value names the turn `{name}`; it can only name {', '.join(known)}"
        hint = f"write `<|{name}|>` into the file itself"
        return Problem("turn/computed-role", message, span, hint)
    otherwise = "write `&lt;|` for a literal `<|`"
    if known is SENT:
        otherwise = "let the template print one of these"
    hint = did_you_mean(name, known) or otherwise
    message = f"unknown turn `{name}`; expected one of {', '.join(known)}"
    return Problem("turn/unknown-role", message, span, hint)


def _computed(span: Span | None) -> Problem:
    message = "the text between `<|` and `|>` is a value, and does not name a message"
    hint = "to embed a file that a value names, write `<|media({{ path }})|>`"
    return Problem("turn/computed-block", message, span, hint)


def _damaged(span: Span | None) -> Problem:
    message = "this `<|` has lost its `|>`, or the text between them was changed"
    hint = "apply filters to values, not to text that contains turns or media"
    return Problem("turn/damaged", message, span, hint)


@lru_cache(maxsize=256)
def _outline(kinds: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Where each turn begins and ends in a sequence of terminals.

    The grammar sees terminals only, so one parse serves all texts with the same outline.
    """
    terminals = [Terminal(kind, "", index, index) for index, kind in enumerate(kinds)]
    starts: list[int] = runner("turns").run(terminals, _Starts(), len(kinds))
    return tuple(zip(starts, [*starts[1:], len(kinds)], strict=False))


class _Starts:
    """One method a production of `turns.lark`: the indices of the separators."""

    def start(self, *parts: Any) -> list[int]:
        """start: preamble? turn*."""
        return [part for part in parts if part is not None]

    def preamble(self, *_: Terminal) -> None:
        """preamble: content+."""

    def turn(self, separator: Terminal, *_: Terminal) -> int:
        """turn: SEPARATOR content*."""
        return separator.start


_COMMENT = "//"
_SIGNS = re.compile(r"""\\.|["'\n\r]|//""", re.DOTALL)
_LINE_ENDS = re.compile("[\r\n]")


def mapped_source(text: str, markers: Markers, name: str) -> Source:
    """The text without markers, with anchors into the templates that it was rendered from.

    A value's line breaks do not end a `//` comment of the file: there they become spaces.
    """
    split = MARKER.split(text)
    writer = _SourceMapper()
    writer.add(split[0], None)
    for kind, digits, piece in zip(split[1::3], split[2::3], split[3::3], strict=True):
        origin = markers.origin(number_of(digits)) if kind != SURROGATE else None
        if kind == WHOLE and origin is not None:
            writer.add(f"<|{origin.text}|>", origin)
            origin = origin._replace(start=origin.end)
        elif kind == SURROGATE:
            writer.add(chr(number_of(digits)), None)
        writer.add(piece, origin, begins_line=kind == LINE)
    return Source("".join(writer.out), name, tuple(writer.anchors))


class _SourceMapper:
    """Joins pieces of text, and notes where they were copied from."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.anchors: list[Anchor] = []
        self._length = 0
        self._within = ""  # the quote or the `//` that is open in the file's own text

    def add(self, piece: str, origin: MarkerOrigin | None, *, begins_line: bool = False) -> None:
        """Append a piece: text from that origin in the source, and then a value."""
        same = 0
        if origin is not None:
            same = _shared(piece, origin.source.text, origin.start)
            anchor = Anchor(self._length, same, origin.source, origin.start, begins_line)
            self.anchors.append(anchor)
        if begins_line:
            self._within = ""
        self._read(piece[:same])
        value = piece[same:]
        if self._within == _COMMENT:
            value = _LINE_ENDS.sub(" ", value)
        self.out += (piece[:same], value)
        self._length += len(piece)

    def _read(self, text: str) -> None:
        """Follow quotes and comments through text of the file."""
        for match in _SIGNS.finditer(text):
            sign = match.group()
            if sign in ("\n", "\r"):
                self._within = "" if self._within == _COMMENT else self._within
            elif self._within in ("", sign) and sign[0] != "\\":
                self._within = "" if self._within == sign != _COMMENT else sign


def _shared(piece: str, text: str, offset: int) -> int:
    """How many characters of the piece are at that offset of the text."""
    if text.startswith(piece, offset):
        return len(piece)
    pairs = enumerate(zip(piece, text[offset : offset + len(piece)], strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(piece), len(text) - offset))
