"""Rendered text to turns, by the grammar `syntax/turns.lark`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl import syntax
from pdl.errors import Problem, did_you_mean
from pdl.prompt.marks import CLOSE, HERE, MARK_DIGITS, OPEN

if TYPE_CHECKING:
    from pdl.prompt.marks import Marks
    from pdl.source import Span

ROLES = ("system", "user", "assistant", "schema", "reasoning", "input", "tools", "config")
_MEMOISED = 64  # tokens; longer outlines are rarely seen twice


class Token(NamedTuple):
    """A terminal of the grammar: its name, its text, and the indices of the marks around it."""

    kind: str
    text: str
    marks: tuple[str, str] = ("0", "0")


class Turn(NamedTuple):
    """A role, what follows its separator (TEXT and BLOCK tokens), and the separator's marks."""

    role: str
    content: tuple[Token, ...]
    marks: tuple[str, str] = ("0", "0")

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


def split_turns(text: str, marks: Marks) -> Split:
    """Split rendered text at its separators: lines that hold `<|name|>` alone, by marks only.

    An unknown alphabetic name is a problem, and its line stays text.
    """
    scanner = _Scanner(text, marks)
    tokens = scanner.tokens()
    kinds = tuple([token.kind for token in tokens])
    outlined = _outline(kinds) if len(kinds) <= _MEMOISED else _outline.__wrapped__(kinds)
    first = outlined[0][0] if outlined else len(tokens)
    turns = [
        Turn(tokens[start].text, tuple(tokens[start + 1 : end]), tokens[start].marks)
        for start, end in outlined
    ]
    return Split(tuple(tokens[:first]), tuple(turns), tuple(scanner.problems))


class _Piece(NamedTuple):
    """A mark and the text behind it, up to the next one."""

    kind: str
    number: str
    text: str


class _Scanner:
    """Finds the tokens of a text in one pass over its marks."""

    def __init__(self, text: str, marks: Marks) -> None:
        self.marks = marks
        self.problems: list[Problem] = []
        head, *rest = text.split(marks.secret)
        self.pieces = [_Piece("", "0", head)]
        self.pieces += [_Piece(p[0], p[1:MARK_DIGITS], p[MARK_DIGITS:]) for p in rest]
        self.text: list[str] = []
        self.found: list[Token] = []

    def tokens(self) -> list[Token]:
        """All tokens of the text."""
        pieces, count = self.pieces, len(self.pieces)
        blank = True  # the line so far
        at = 0
        while at < count:
            piece = pieces[at]
            if piece.kind == OPEN:
                end = self._close(at)
                if end:
                    separates = blank and self._is_separator(at, end)
                    self._add(at, end, separates=separates)
                    blank = separates
                    at, piece = end, pieces[end]
                else:
                    blank = False
                    self._keep(piece)
            else:
                blank = blank and piece.kind != CLOSE
                self._keep(piece)
            blank = _blank_after(piece.text, before=blank)
            at += 1
        self._flush()
        return self.found

    def _close(self, at: int) -> int:
        """The index of the piece that closes what the piece at that index opens, or 0."""
        end = at + 1
        while end < len(self.pieces) and self.pieces[end].kind == HERE:
            end += 1
        return end if end < len(self.pieces) and self.pieces[end].kind == CLOSE else 0

    def _is_separator(self, start: int, end: int) -> bool:
        """Whether nothing but blanks follows on the line, and the name is on one line."""
        if "\n" in self._inside(start, end):
            return False
        for index in range(end, len(self.pieces)):
            piece = self.pieces[index]
            if index > end and piece.kind != HERE:
                return False
            ended = piece.text.find("\n")
            rest = piece.text[:ended] if ended >= 0 else piece.text
            if rest and not rest.isspace():
                return False
            if ended >= 0:
                return True
        return True

    def _inside(self, start: int, end: int) -> str:
        if end == start + 1:
            return self.pieces[start].text
        return "".join(piece.text for piece in self.pieces[start:end])

    def _add(self, start: int, end: int, *, separates: bool) -> None:
        """Add a separator or a block; what follows it begins a new text."""
        inside = self._inside(start, end)
        name = inside.strip().lower()
        marks = self.pieces[start].number, self.pieces[end].number
        if separates and name.isalpha():
            if name in ROLES:
                self._flush()
                self.found.append(Token("SEPARATOR", name, marks))
            else:
                self.problems.append(_unknown_role(name, self.marks.span(*marks)))
                self.text.append(f"<|{inside}|>")
        else:
            self._flush()
            self.found.append(Token("BLOCK", inside, marks))
        if self.pieces[end].text:
            self.text.append(self.pieces[end].text)

    def _keep(self, piece: _Piece) -> None:
        """Keep a piece as text; its mark too, since a schema's errors want to know their place."""
        if piece.kind:
            self.text.append(f"{self.marks.secret}{piece.kind}{piece.number}")
        if piece.text:
            self.text.append(piece.text)

    def _flush(self) -> None:
        if self.text:
            self.found.append(Token("TEXT", "".join(self.text)))
            self.text = []


def _blank_after(text: str, *, before: bool) -> bool:
    """Whether the line is blank so far, behind that text."""
    if not text:
        return before
    last = text.rfind("\n")
    if last < 0:
        return before and text.isspace()
    return last == len(text) - 1 or text[last:].isspace()


def _unknown_role(name: str, span: Span | None) -> Problem:
    hint = (
        did_you_mean(name, ROLES) or "a line that is text begins with `&lt;|`, for a literal `<|`"
    )
    message = f"there is no turn `{name}`; expected one of {', '.join(ROLES)}"
    return Problem("turn/unknown-role", message, span, hint)


@lru_cache(maxsize=256)
def _outline(kinds: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Where each turn begins and ends in a sequence of terminals.

    The grammar sees terminals only, so one parse serves all texts of the same outline.
    """
    return syntax.parse_turns(kinds)
