"""Where the tools of a text stand, and where the names that their types use are defined."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import Problem

if TYPE_CHECKING:
    from pdl.source import Source, Span

_PARTNERS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    r"""(?P<blank>[\s\ufeff]+)"""
    r"""|(?P<comment>//[^\r\n]*)"""
    r"""|(?P<text>"(?>(?:[^"\\\r\n]|\\[^\r\n])*)"?|'[^'\r\n]*+'?)"""
    r"""|(?P<arrow>->|=>)"""
    r"""|(?P<word>[^\s\ufeff()\[\]{}<>?=|,:;"'/]++)"""
    r"""|(?P<mark>.)""",
    re.DOTALL,
)
_HINTS = {
    "->": "what a tool gives back is no part of its signature; describe it behind `//`",
    "=>": "what a tool gives back is no part of its signature; describe it behind `//`",
    "-": "signatures stand on lines of their own, without a mark in front",
    "*": "signatures stand on lines of their own, without a mark in front",
    ",": "signatures stand on lines of their own, without commas",
    ";": "signatures stand on lines of their own, without semicolons",
    "def": "Python's functions become tools with `ToolSet.from_functions`",
}
_BEHIND = re.compile(r"[^\S\r\n]*+(.)?")
_DEFINES = re.compile(r"\s*+=(?!>)")


class Signature(NamedTuple):
    """`name(…)`: offsets of its name, its two brackets."""

    name: str
    start: int
    opener: int
    closer: int


@dataclass
class Scan:
    """Signatures in their order, pieces of text that define names, and what is neither."""

    signatures: list[Signature] = field(default_factory=list)
    definitions: list[tuple[int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def scan(source: Source) -> Scan:
    """(signature | NAME '=' type)*. Looks at each character once."""
    return _Scanner(source).run()


class _Scanner:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._found = Scan()
        self._depth = 0  # brackets that are open in a definition
        self._defining: int | None = None  # where the definition began that is going on
        self._end = 0  # the end of what was read last, comments of their own lines aside
        self._above: int | None = None  # where the block of comments begins that stands right above
        self._column = -1  # that of the comment read last, if it stands behind something

    def run(self) -> Scan:
        """Go from token to token."""
        at = 0
        while (token := _TOKEN.match(self._text, at)) is not None:
            at = token.end()
            if token.lastgroup == "blank":
                if token[0].count("\n") > 1:
                    self._above, self._column = None, -1
            elif token.lastgroup == "comment" and not self._depth:
                self._comment(token)
            else:
                at = self._token(token)
                self._above, self._column = None, -1
        self._close()
        return self._found

    def _comment(self, token: re.Match[str]) -> None:
        """Behind something on its line it belongs to that, else to what the next line begins.

        It also goes on with the comment above it that begins in the same column and belongs to what
        stands in front.
        """
        column = token.start() - self._text.rfind("\n", 0, token.start())
        beside = self._end and "\n" not in self._text[self._end : token.start()]
        if beside or column == self._column:
            self._end, self._column = token.end(), column
        elif self._above is None:
            self._above = token.start()

    def _token(self, token: re.Match[str]) -> int:
        if token.lastgroup == "word" and not self._depth:
            return self._word(token)
        if self._defining is None:
            self._stray(token)
        else:
            self._depth += _step(token[0])
        self._end = token.end()
        return token.end()

    def _word(self, token: re.Match[str]) -> int:
        """A word outside of all brackets begins a signature or a definition, or goes on in one."""
        behind = _BEHIND.match(self._text, token.end())
        assert behind is not None
        if behind[1] == "(":
            self._close()
            return self._signature(token, behind.start(1))
        if _DEFINES.match(self._text, token.end()):
            self._close()
            self._defining = token.start() if self._above is None else self._above
        if self._defining is None:
            self._stray(token)
        self._end = token.end()
        return token.end()

    def _close(self) -> None:
        if self._defining is not None:
            self._found.definitions.append((self._defining, self._end))
        self._defining, self._depth = None, 0

    def _signature(self, token: re.Match[str], opener: int) -> int:
        """The end of a signature whose name and bracket were read."""
        opened: list[int] = []
        at, closed = opener, False
        while not closed and (inner := _TOKEN.match(self._text, at)) is not None:
            at = inner.end()
            if inner[0] in _PARTNERS.values():
                opened.append(inner.start())
            elif inner[0] in _PARTNERS:
                closed = self._closes(inner, opened)
        if closed:
            self._found.signatures.append(Signature(token[0], token.start(), opener, at - 1))
        elif not self._found.problems:
            self._unclosed(opened[-1])
        self._end = at
        return at

    def _closes(self, mark: re.Match[str], opened: list[int]) -> bool:
        """Whether a closing bracket ends the signature, whose open brackets are given."""
        if self._text[opened[-1]] == _PARTNERS[mark[0]]:
            opened.pop()
        elif mark[0] == ")":
            self._unclosed(opened[-1])
            opened.clear()
        else:
            span = self._source.span(mark.start(), mark.end())
            self._problem("tool/syntax", f"`{mark[0]}` closes nothing", span)
        return not opened

    def _unclosed(self, opener: int) -> None:
        message = f"this `{self._text[opener]}` is never closed"
        self._problem("tool/unclosed", message, self._source.span(opener, opener + 1))

    def _problem(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self._found.problems.append(Problem(code, message, span, hint))

    def _stray(self, token: re.Match[str]) -> None:
        if self._found.problems and self._found.problems[-1].code == "tool/syntax":
            return  # one wrong word is often the first of many
        message = f"expected a tool such as `name(parameter: type)`, found `{token[0][:40]}`"
        hint = _HINTS.get(token[0], "")
        if not hint and token.lastgroup == "word" and not self._found.signatures:
            hint = "descriptions stand behind `//`"
        span = self._source.span(token.start(), token.end())
        self._problem("tool/syntax", message, span, hint)


def _step(mark: str) -> int:
    return -1 if mark in _PARTNERS else 1 if mark in _PARTNERS.values() else 0
