"""Text and tags of any text, also of one that does not parse: what Jinja's lexer sees, tolerantly.

Where the lexer reads the whole text, the pieces and tokens here are its own. Where it gives up, a
mistake costs one tag: that ends where its line does, and the rest is read as if it were mended.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from jinja2 import lexer

from pdl.prompt.markers import Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = lexer.name_re.pattern  # type: ignore[attr-defined]  # only imported there
_LEXEME = re.compile(
    rf"""
    (?P<space> \s+ )
    | (?P<number> {lexer.float_re.pattern} | {lexer.integer_re.pattern} )
    | (?P<name> {_NAME} )
    | (?P<string> '(?>(?:[^'\\]|\\.)*)' | "(?>(?:[^"\\]|\\.)*)" )
    | (?P<operator> {lexer.operator_re.pattern} )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""What the lexer finds in a tag, in its order."""
_PLAIN = re.compile(rf"(?:\s+|{_NAME}|[.,|>=~:;*/]+)+")
"""Lexemes that neither end a tag nor have to be looked at."""
_OPENER = re.compile(r"\{[{%#]")
_STOP = re.compile(r"\{[{%#]|<\|")
"""What no expression contains, other than in strings: a tag or a turn begins."""
_LINE_END = re.compile(r"\n|\{[{%#]")
_SWALLOWED = re.compile(r"[{%#]\}|\{[{%#]|<\|")
_CLOSERS = {"{": re.compile(r"-?\}\}"), "%": re.compile(r"[-+]?%\}"), "#": re.compile(r"[-+]?#\}")}
_RAW = re.compile(r"\{%[-+]?\s*raw\s*-?%\}")
_ENDRAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_SHORTEST = 6  # characters of a tag with a sign at both ends; in `{%-%}` it is the opener's

_SHALLOW = 8  # statements that are open
_SHORT = 150  # characters of a tag
_OPENS = re.compile(
    r"{%[-+]?\s*(?:if|for|macro|call|with|block|filter|autoescape|set(?!\s[\w\s.,()]*+=))\b"
)
_ENDS = re.compile(r"{%[-+]?\s*end(?!raw)")
Kind = Literal["text", "comment", "statement", "expression", "raw"]
TokenKind = Literal["name", "string", "number", "operator", "other"]
_KINDS: dict[str, Kind] = {"{": "expression", "%": "statement", "#": "comment"}


class Piece(NamedTuple):
    """A tag with its delimiters, or the text between two tags.

    `raw` is the text, perhaps empty, between `{% raw %}` and `{% endraw %}`, which are statements.
    A tag that is not `closed` ends before the next one on its line, or where the line ends.
    """

    kind: Kind
    start: int
    end: int
    closed: bool = True


class Token(NamedTuple):
    """A word of a statement or of an expression."""

    kind: TokenKind
    start: int
    end: int


class _BrokenTagError(Exception):
    """A tag that the lexer does not read."""


@lru_cache(maxsize=4)  # linting a text asks several times
def scan(text: str) -> Sequence[Piece]:
    """Return the pieces of a text without BOM, with LF as newline; they cover it, in order."""
    try:
        return _Scanner(text, tolerant=False).pieces()
    except _BrokenTagError:
        return _Scanner(text, tolerant=True).pieces()


class _Scanner:
    def __init__(self, text: str, *, tolerant: bool) -> None:
        self.text = text
        self.tolerant = tolerant
        self.found: list[Piece] = []
        self.ends = {_CLOSERS["#"]: True, _ENDRAW: True}  # whether there can be one further on

    def pieces(self) -> list[Piece]:
        """Text and tags in turn. Raises _BrokenTagError if it is not tolerant."""
        text, at = self.text, 0
        while (opener := _OPENER.search(text, at)) is not None:
            self._add("text", at, opener.start())
            at = self._tag(opener.start())
        self._add("text", at, len(text))
        return self.found

    def _add(self, kind: Kind, start: int, end: int) -> None:
        if start < end:
            self.found.append(Piece(kind, start, end))

    def _tag(self, start: int) -> int:
        """Add the tag that begins there; return where it ends."""
        raw = _RAW.match(self.text, start)
        if raw is not None and (end := self._next(_ENDRAW, raw.end())) is not None:
            self._add("statement", start, raw.end())
            self.found.append(Piece("raw", raw.end(), end.start()))
            self._add("statement", *end.span())
            return end.end()
        if raw is not None and not self.tolerant:
            raise _BrokenTagError
        sign = self.text[start + 1]
        if sign == "#":
            close = self._next(_CLOSERS[sign], start + 2 + self._signed(start))
            found = (close.end(), True) if close is not None else self._cut(start, start)
        else:
            found = self._read(start, _CLOSERS[sign])
        self.found.append(Piece(_KINDS[sign], start, *found))
        return found[0]

    def _signed(self, start: int) -> bool:
        return self.text.startswith(("-", "+"), start + 2)

    def _next(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The next match, which is not searched for again where there was none."""
        found = pattern.search(self.text, at) if self.ends[pattern] else None
        self.ends[pattern] = found is not None
        return found

    def _read(self, start: int, closer: re.Pattern[str]) -> tuple[int, bool]:
        """The end of a tag, and whether it is closed; read as the lexer does, up to a mistake."""
        text = self.text
        is_statement = closer is _CLOSERS["%"]
        brackets: list[str] = []
        at = start + 2 + self._signed(start)
        while at < len(text):
            if (plain := _PLAIN.match(text, at)) is not None:
                at = plain.end()
            if not brackets or (self.tolerant and is_statement):
                closed = closer.match(text, at)
                if closed is not None:
                    return closed.end(), True
            lexeme = _LEXEME.match(text, at)
            if lexeme is None or (self.tolerant and self._is_doubtful(lexeme)):
                break
            word = lexeme[0]
            if word in _BRACKETS:
                brackets.append(_BRACKETS[word])
            elif word in (")", "]", "}") and (not brackets or brackets.pop() != word):
                break
            at = lexeme.end()
        return self._cut(start, at)

    def _is_doubtful(self, lexeme: re.Match[str]) -> bool:
        """Whether this belongs to what follows a tag without its end."""
        if lexeme.lastgroup == "string":
            return "\n" in lexeme[0] and _SWALLOWED.search(lexeme[0]) is not None
        return lexeme.lastgroup == "operator" and _STOP.match(self.text, lexeme.start()) is not None

    def _cut(self, start: int, mistake: int) -> tuple[int, bool]:
        """The end of a tag with a mistake: on its line, if it has one there.

        Raises _BrokenTagError if the scanner is not tolerant.
        """
        if not self.tolerant:
            raise _BrokenTagError
        text = self.text
        line_end = text.find("\n", start, mistake)
        if line_end >= 0:
            return line_end, False
        begin = max(start + 2, mistake)
        stop = _LINE_END.search(text, begin)
        end = stop.start() if stop is not None else len(text)
        closer = _CLOSERS[text[start + 1]]
        closed = closer.search(text, max(start + 2, begin - 1), end)
        return (closed.end(), True) if closed is not None else (end, False)


def tokens(text: str, piece: Piece) -> list[Token]:
    """Return the tokens of a statement or an expression, without its delimiters."""
    found: list[Token] = []
    if piece.kind not in ("statement", "expression"):
        return found
    at, end = _inside(text, piece)
    while at < end:
        lexeme = _LEXEME.match(text, at, end)
        if lexeme is None:
            is_quote = text[at] in "\"'"
            kind: TokenKind = "string" if is_quote else "other"
            found.append(Token(kind, at, end if is_quote else at + 1))
        elif lexeme.lastgroup != "space":
            found.append(Token(lexeme.lastgroup, at, lexeme.end()))  # type: ignore[arg-type]
        at = found[-1].end if lexeme is None else lexeme.end()
    return found


def _inside(text: str, piece: Piece) -> tuple[int, int]:
    """A tag without its delimiters and their signs."""
    start = piece.start + 2
    start += text.startswith(("-", "+"), start, piece.end)
    if not piece.closed:
        return start, piece.end
    end = piece.end - 2
    signs = "-" if piece.kind == "expression" else "-+"
    return start, end - (start < end and text[end - 1] in signs)


def stretches(text: str, pieces: Sequence[Piece]) -> list[Stretch]:
    """Return the text pieces, also raw ones, as `Markers.mark_source` takes them.

    They lack what Jinja removes: whitespace beside the `-` of a tag, and a last newline.
    """
    kept = _kept(text, pieces)
    kinds = ["", *(kind for kind, _, _ in kept), ""]
    return [
        Stretch(text[start:end], start, kinds[at] == "expression", kinds[at + 2] == "expression")
        for at, (kind, start, end) in enumerate(kept)
        if kind in ("text", "raw")
    ]


def followed(text: str) -> list[tuple[int, str, Kind | None]]:
    """Return the stretches of a text: offset, text, and the kind of what is after it, if any."""
    kept = _kept(text, scan(text))
    kinds = [*(kind for kind, _, _ in kept[1:]), None]
    return [
        (start, text[start:end], after)
        for (kind, start, end), after in zip(kept, kinds, strict=bool(kept))
        if kind in ("text", "raw")
    ]


def _kept(text: str, pieces: Sequence[Piece]) -> list[tuple[Kind, int, int]]:
    """What Jinja's parser sees: texts without what is stripped, and tags, without those of raw."""
    kept: list[tuple[Kind, int, int]] = []
    for at, piece in enumerate(pieces):
        before, after = pieces[at - 1 : at], pieces[at + 1 : at + 2]
        if piece.kind in ("text", "raw"):
            start, end = piece.start, piece.end
            if end == len(text) and text.endswith("\n", start):
                end -= 1
            if before and _strips_after(text, before[0]):
                start = end - len(text[start:end].lstrip())
            if after and text.startswith("-", after[0].start + 2):
                end = start + len(text[start:end].rstrip())
            if start < end:
                kept.append((piece.kind, start, end))
        elif piece.kind != "comment" and not any(one.kind == "raw" for one in (*before, *after)):
            kept.append((piece.kind, piece.start, piece.end))
    return kept


def _strips_after(text: str, tag: Piece) -> bool:
    long = tag.end - tag.start >= _SHORTEST
    return tag.closed and long and text[tag.end - 3] == "-"


def is_shallow(text: str) -> bool:
    """Return whether a template nests so little that Python compiles what Jinja makes of it.

    Python allows 20 nested loops, 100 levels of indentation, and 200 of parentheses.
    """
    depth = 0
    for piece in scan(text):
        if piece.kind == "statement":
            depth += len(_OPENS.findall(text, piece.start, piece.end))
            depth -= len(_ENDS.findall(text, piece.start, piece.end))
        is_tag = piece.kind in ("statement", "expression")
        if depth > _SHALLOW or (is_tag and piece.end - piece.start > _SHORT):
            return False
    return True
