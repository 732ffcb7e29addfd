"""The lexer: the tokens of a GBNF text, rule by rule, and the code points of literals and classes.

A newline ends a rule, except after `::=`, after `|`, and in parentheses. A rule that is not
closed when the next one begins is cut off there, so that one slip does not spoil all that follows.

The text between the delimiters of literals and character classes becomes code points with the
escapes of `parse_char` in llama.cpp's `src/llama-grammar.cpp`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf.limits_errors import DEEPEST, Clock, too_deep
from pdl.syntax.runner import Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.limits import Limits
    from pdl.source import Source


_CHARACTER = re.compile(
    r"""\\(?:x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})
    |(?P<plain>[trn\\"\[\]-]))|(?P<raw>[^\\])""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN = {"t": "\t", "r": "\r", "n": "\n"}
_HEX = {"x": 2, "u": 4, "U": 8}


class EscapeError(ValueError):
    """An invalid escape; `at` is its offset in what was read."""

    def __init__(self, at: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.hint = hint


def literal(body: str) -> tuple[int, ...]:
    """Return the code points between the quotes of a literal. Raises EscapeError."""
    if "\\" not in body:
        return tuple(map(ord, body))
    codes: list[int] = []
    at = 0
    while at < len(body):
        code, at = _character(body, at)
        codes.append(code)
    return tuple(codes)


def char_class(body: str) -> tuple[tuple[tuple[int, int], ...], bool]:
    """Return the ranges of a class, and whether it is negated. Raises EscapeError."""
    negated = body.startswith("^")
    ranges: list[tuple[int, int]] = []
    at = int(negated)
    while at < len(body):
        low, at = _character(body, at)
        high = low
        if body.startswith("-", at) and at + 1 < len(body):
            high, at = _character(body, at + 1)
        ranges.append((low, high))
    return tuple(ranges), negated


def faults(body: str) -> Iterator[EscapeError]:
    """Find all invalid escapes in a literal or a class."""
    at = 0
    while at < len(body):
        found = _CHARACTER.match(body, at)
        if not found:
            yield _unknown(body, at)
        at = found.end() if found else at + 2


def _character(body: str, at: int) -> tuple[int, int]:
    """The code point at an offset, and where the next one begins."""
    found = _CHARACTER.match(body, at)
    if not found:
        raise _unknown(body, at)
    kind, said = found.lastgroup, found[found.lastgroup or 0]
    if kind == "raw":
        return ord(said), found.end()
    if kind == "plain":
        return ord(_PLAIN.get(said, said)), found.end()
    return int(said, 16), found.end()


def _unknown(body: str, at: int) -> EscapeError:
    mark = body[at + 1 : at + 2]
    if mark in _HEX:
        return EscapeError(at, f"`\\{mark}` needs {_HEX[mark]} hexadecimal digits")
    known = r"`\t \r \n \\ \" \[ \] \- \xHH \uHHHH \UHHHHHHHH`"
    hint = f"write one of {known}"
    if mark in "dswDSW" and mark:
        hint = "write a class instead of a shorthand: `[0-9]`, `[A-Za-z0-9_]` or `[ \\t\\n\\r]`"
    elif mark in "'/.*+?(){}|^$":
        hint = f"remove the backslash before `{mark}`"
    elif mark in {"b", "f", "0"}:
        hint = {"b": "write `\\x08`", "f": "write `\\x0C`", "0": "write `\\x00`"}[mark]
    return EscapeError(at, f"`\\{mark}` is not a valid escape", hint)


_TOKEN = re.compile(
    r"""(?P<BLANK>[ \t\0]++)
    |(?P<NEWLINE>\r\n?+|\n)
    |(?P<NAME>[A-Za-z0-9-]++)
    |(?P<LITERAL>"(?>(?:[^"\\]|\\.)*)")
    |(?P<CLASS>\[\^?+(?>(?:[^\]\\]|\\.)*)\])
    |(?P<_BAR>\|)
    |(?P<_DEFINE>::=)
    |(?P<STAR>\*)|(?P<PLUS>\+)|(?P<QUESTION>\?)|(?P<DOT>\.)
    |(?P<OPEN_ROUND>\()|(?P<CLOSE_ROUND>\))
    |(?P<_OPEN_CURLY>\{)|(?P<CLOSE_CURLY>\})|(?P<_COMMA>,)
    |(?P<TOKEN>!?+<(?:\[[0-9]++\]|(?!\[)[^>]*+)>)
    |(?P<COMMENT>\#[^\r\n]*+)""",
    re.VERBOSE | re.DOTALL,
)
_HEAD = re.compile(
    r"(?:^|(?<=\r))[ \t]*+[A-Za-z0-9-]++(?>(?:[ \t]++|#[^\r\n]*+)*)::=", re.MULTILINE
)
_LIKE_A_HEAD = re.compile(_HEAD.pattern.replace("[A-Za-z0-9-]", r"[\w-]"), re.MULTILINE)
"""What was meant as the head of a rule, whose name may contain invalid characters."""
_ODD = re.compile("[\0\ufeff\ud800-\udfff]")
_SUFFIXES = frozenset(["STAR", "PLUS", "QUESTION", "CLOSE_CURLY"])
_OPENED = {'"': "literal", "[": "character class"}
_CLOSED = {'"': '"', "[": "]"}
_MISLEADING = frozenset("\"'`[<!\\")
"""After one of these, it is unclear what is inside quotes and what is not."""
_UNSEEN = {
    "\0": (
        "NUL character: it ends the grammar for llama.cpp, whatever follows",
        "remove it; no string that is matched can contain one either",
    ),
    "\ufeff": (
        "byte order mark, which llama.cpp refuses",
        "save it as UTF-8 without a byte order mark",
    ),
    "": (
        "unpaired surrogate, which UTF-8 cannot encode",
        "read the text as UTF-8, or write the whole character",
    ),
}


@dataclass(slots=True)
class Chunk:
    """The tokens of one rule, or of what should be one.

    `cut` is where the next rule begins, if this one was not closed before it; `comments` are
    those above it and in it; `broken`: a problem in it is reported already.
    """

    tokens: list[Token] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    cut: int | None = None
    broken: bool = False


class Lexer:
    """Cuts one text into chunks; anything that is not a token ends its chunk and is a problem."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._clock = Clock(limits, "reading the text")
        self.chunks: list[Chunk] = []
        self.problems: list[Problem] = []
        self.comments: list[str] = []
        """Those after the last rule."""
        self._chunk = Chunk()
        self._depth = 0
        self._curly = False
        self._open = True  # whether a newline means nothing
        self._suffixes = 0
        self._unclosed: set[str] = set()  # what opens a literal or a class that nothing closes

    def run(self) -> None:
        """Read all of the text. Raises LimitError for brackets or suffixes that nest too deep."""
        text = self._source.text
        self._odd()
        at, size = int(text.startswith("\ufeff")), len(text)
        match = _TOKEN.match
        while at < size:
            found = None if text[at] in self._unclosed else match(text, at)
            if found is None:
                at = self._stray(at)
                continue
            kind, end = found.lastgroup, found.end()
            assert kind is not None
            if kind == "NEWLINE":
                self._newline(end)
            elif kind == "COMMENT":
                self._chunk.comments.append(found[0][1:].strip())
            elif kind != "BLANK":
                self._take(kind, found[0], at, end)
            at = end
        self._close()
        self.comments = self._chunk.comments

    def _take(self, kind: str, text: str, at: int, end: int) -> None:
        if self._curly and kind == "NAME" and text.isdigit():
            kind = "INTEGER"
        elif kind == "OPEN_ROUND":
            self._depth += 1
            self._check(self._depth, at, "parentheses are")
        elif kind == "CLOSE_ROUND":
            self._depth = max(0, self._depth - 1)
        elif kind in {"_OPEN_CURLY", "CLOSE_CURLY"}:
            self._curly = kind == "_OPEN_CURLY"
        if not self._curly:
            self._suffixes = self._suffixes + 1 if kind in _SUFFIXES else 0
            self._check(self._suffixes, at, "repetitions are")
        self._open = kind in {"_DEFINE", "_BAR"} or (not self._chunk.tokens and kind == "NEWLINE")
        self._chunk.tokens.append(Token(kind, text, at, end))

    def _newline(self, end: int) -> None:
        if not self._chunk.tokens:
            return
        if not self._open and not self._depth:
            self._close()
        elif _HEAD.match(self._source.text, end):
            self._chunk.cut = end
            self._close()

    def _close(self) -> None:
        """The rule is complete, or what comes next is another one."""
        self._depth, self._curly, self._open = 0, False, True
        self._clock.check()
        if self._chunk.tokens:
            self.chunks.append(self._chunk)
            self._chunk = Chunk()

    def _check(self, depth: int, at: int, what: str) -> None:
        if depth > min(self._limits.grammar_depth, DEEPEST):
            raise too_deep(f"the {what} nested", self._limits, self._source.span(at))

    def _odd(self) -> None:
        """Report characters that are not allowed anywhere, the first of each kind."""
        first: dict[str, int] = {}
        for found in _ODD.finditer(self._source.text):
            kind = found[0] if found[0] in _UNSEEN else ""
            if kind != "\ufeff" or found.start() == 0:
                first.setdefault(kind, found.start())
        for kind, at in first.items():
            message, hint = _UNSEEN[kind]
            self._add(message, at, hint)

    def _stray(self, at: int) -> int:
        """A character that begins no token: report it, and resume at the next rule."""
        text = self._source.text
        mark = text[at]
        if not _ODD.match(mark) or (mark == "\ufeff" and at):
            self._add(*_told(mark, at))
        if mark in _CLOSED or (mark in "<!" and text.find(">", at) < 0):
            self._unclosed.add(mark)
        self._chunk.broken = True
        following = _LIKE_A_HEAD.search(text, at + 1)
        end = following.start() if following else len(text)
        for token in self._chunk.tokens:
            self._escapes(token.type, token.text, token.start)
        if mark not in _MISLEADING:
            self._further(at + 1, end)
        self._close()
        return end

    def _further(self, at: int, end: int) -> None:
        """What else is certainly invalid in the rest of a rule: escapes, and unclosed brackets."""
        text = self._source.text
        while at < end:
            found = _TOKEN.match(text, at, end)
            if found is not None:
                self._escapes(found.lastgroup, found[0], at)
            elif text[at] in _MISLEADING:
                if text[at] in _CLOSED:
                    self._add(*_told(text[at], at))
                return
            at = found.end() if found else at + 1

    def _escapes(self, kind: str | None, said: str, at: int) -> None:
        """Report the wrong escapes of a literal or class whose rule is not read."""
        for error in faults(said[1:-1]) if kind in {"LITERAL", "CLASS"} else ():
            start = at + 1 + error.at
            span = self._source.span(start, min(start + 2, at + len(said)))
            self.problems.append(Problem("gbnf/bad-escape", error.message, span, error.hint))

    def _add(self, message: str, at: int, hint: str) -> None:
        span = self._source.span(at)
        self.problems.append(Problem("gbnf/stray-character", message, span, hint))


def _told(mark: str, at: int) -> tuple[str, int, str]:
    """What is wrong with a character that begins no token, where, and a hint."""
    message, hint = f"`{mark}` is not allowed in a grammar", ""
    if mark in _CLOSED:
        message = f"unclosed {_OPENED[mark]}"
        hint = f"put `{_CLOSED[mark]}` at its end"
    elif mark in "<!":
        message = f"`{mark}` is not a token reference: expected `<[number]>`, `<text>` or `!<…>`"
        hint = "put it in double quotes if it is a literal"
    elif mark == "_":
        message = "`_` is not allowed in a name, only letters, digits and hyphens"
        hint = "write `-` instead"
    elif mark in "'`":
        message, hint = (
            f"`{mark}` does not begin a literal",
            'write a literal in double quotes: "…"',
        )
    elif mark in "=:":
        message, hint = f"`{mark}` is not allowed here", "write a rule as `name ::= …`"
    elif mark.isalnum():
        hint = "use ASCII letters, digits and hyphens in names; put literals in double quotes"
    elif not mark.isprintable():
        message = f"U+{ord(mark):04X} is not allowed in a grammar, only spaces, tabs and newlines"
        hint = "remove it, or write it as an escape in double quotes if it is a literal"
    return message, at, hint
