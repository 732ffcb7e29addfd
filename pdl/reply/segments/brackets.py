"""The bracketed spans of a stretch of text, from one pass with a stack.

Quotes count only inside brackets and only where a JSON token may begin, so that apostrophes and
inch marks in prose hide nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.parsing.strict import Exact, read_exactly

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Span

_SHAPED = {
    "{": re.compile(
        r"""\{\s*+(?:["'“”„‘`«「『＂{}\[<]|//|/\*|\#|…|\.\.\.|\\[nrt"]|&quot;"""
        r"""|[\w$-]++(?>(?: [\w$-]++){0,4})"?\s*+(?:[:：]|=)|:[\w$-]++\s*+=>|\Z)"""
    ),
    "[": re.compile(
        r"""\[\s*+(?:["'“„‘`«「『＂{\[\]<]|\(\s*+['"\d]|[-+]?\.?\d|//|/\*|\#\s|…|\.\.\."""
        r"""|\\[nrt"]|&quot;"""
        r"""|(?:true|false|null|none|nan|infinity|undefined)\b|[\w -]{1,40}+,|\Z)""",
        re.IGNORECASE,
    ),
}
"""How a bracket goes on that opens data, or an attempt at it; others belong to prose."""

_PARTNER = {"]": "[", "}": "{"}
_PLAINLY_SHAPED = frozenset(['{"', "{}", "{'", "[{", '["', "[[", "[]", "['"])
"""Beginnings that need no pattern."""

_LINE_STRING = re.compile(r'"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"')
_LONG_STRING = re.compile(r'(?s)"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"')
_ENDS_TOKEN = re.compile(r"\s*+(?:[,:}\]]|$)")
_OTHER_STRING = {
    "'": re.compile(r"'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)'(?=\s*+[,:}\]])"),
    "“": re.compile(r"“[^”\n]*+”(?=\s*+[,:}\]])"),
}
_OUTSIDE = "{[`~"
_INSIDE = """{}[]"'“/#`~"""
_BEFORE_STRING = ",:(：，"
_ADDRESS = re.compile(r"\w:/")
_NEAR = 40  # characters in front of a key in which a bracket or a comma stands
_TRIES = 8  # how often the C parser may fail in one reply, each time after as many characters


class _Scanners:
    """What stops a pass, outside of brackets and inside; `first` are characters that do as well."""

    def __init__(self, first: str) -> None:
        inside = re.escape(_INSIDE + first)
        separators = re.escape(_BEFORE_STRING)
        self.outside = re.compile(rf"[{re.escape(_OUTSIDE + first)}](?:(?<=\[)\d{{1,3}}\])?")
        """A citation, `[1]`, is taken as a whole, for prose may be full of them."""
        self.inside = re.compile(f"[{inside}]")
        self.strings = re.compile(
            rf"(?>(?:(?>(?:[^{inside}{separators}]*+[{separators}])*)\s*+{_LINE_STRING.pattern})+)"
        )
        """Strings, each where a token may begin, and what stands between them."""


@lru_cache(maxsize=16)
def _scanners(first: str) -> _Scanners:
    return _Scanners(first)


class Bracketed(NamedTuple):
    """A maximal span from a bracket to its partner, or to where the text broke off.

    `shaped`: it begins as data does; `closed`: its partner is there; `cut`: the reply ended
    before it did; `overflows`: it was found to nest deeper than the limit allows; `exact`: what
    was read there, if it is JSON as it should be.
    """

    span: Span
    shaped: bool
    closed: bool = True
    cut: bool = False
    overflows: bool = False
    exact: Exact | None = None

    @property
    def deep(self) -> bool:
        """Whether more brackets are open in it at once than the limit allows."""
        return self.overflows or (self.exact is not None and self.exact.findings.deep)


class Stack:
    """The brackets that are open while a stretch of text is read, and the spans that closed."""

    def __init__(self, text: str, limits: Limits, first: str = "") -> None:
        self._text = text
        self._end = len(text)
        self._limits = limits
        self._depth = limits.reply_depth
        self._scanners = _scanners(first)
        self._tries = _TRIES
        self._read = 0
        self._last = 0  # where the last bracket, string or comment ended
        self._starts = True  # whether a string may begin there
        self._deep_at = -1
        self._open: list[tuple[int, str, bool]] = []
        self._count = {"{": 0, "[": 0}
        self._shaped = 0
        self._spans: list[Bracketed] = []
        self.long_strings = True  # whether strings may go over several lines

    def __bool__(self) -> bool:
        return bool(self._open)

    def next_mark(self, at: int) -> re.Match[str] | None:
        """The next character from `at` on that may mean something; strings are passed over."""
        if not self._open:
            return self._next_outside(at)
        if at == self._last and self._starts:
            strings = self._scanners.strings.match(self._text, at)
            if strings:
                self._last = at = strings.end()
        return self._scanners.inside.search(self._text, at)

    def _next_outside(self, at: int) -> re.Match[str] | None:
        for mark in self._scanners.outside.finditer(self._text, at):
            if mark.end() - mark.start() == 1:
                return mark
            self._spans.append(Bracketed(mark.span(), shaped=True))
        return None

    def open(self, at: int) -> int:
        """Read an opening bracket; return where to go on."""
        text = self._text
        two = text[at : at + 2]
        char = two[0]
        shaped = two in _PLAINLY_SHAPED or _SHAPED[char].match(text, at) is not None
        if shaped and not self._open and self._tries:
            exact = read_exactly(text, at, self._limits)
            if exact:
                self._spans.append(self._taken(exact))
                return exact.span[1]
            self._tries -= 1
        self._open.append((at, char, shaped))
        self._count[char] += 1
        self._shaped += shaped
        if len(self._open) > self._depth:
            self._deep_at = at
        self._last, self._starts = at + 1, True
        return at + 1

    def _taken(self, exact: Exact) -> Bracketed:
        """The span of JSON that was read; a reply with so many that it is refused keeps no values.

        Values would be most of the memory that a hostile reply takes, and of its time.
        """
        self._read += 1
        if self._read <= self._limits.reply_candidates:
            return Bracketed(exact.span, shaped=True, exact=exact)
        start, end = exact.span
        deep = end - start > self._depth and exact.findings.deep
        return Bracketed(exact.span, shaped=True, overflows=deep)

    def close(self, at: int) -> int:
        """Read a closing bracket; brackets of the other kind still open are passed over."""
        self._last, self._starts = at + 1, True
        partner = _PARTNER[self._text[at]]
        if not self._count[partner]:
            return at + 1
        while True:
            start, char, shaped = self._open.pop()
            self._count[char] -= 1
            self._shaped -= shaped
            if char == partner:
                break
        self._drop_inside(start)
        span = (start, at + 1)
        self._spans.append(Bracketed(span, shaped, overflows=self._deep_at >= start))
        return at + 1

    def _drop_inside(self, start: int) -> None:
        while self._spans and self._spans[-1].span[0] > start:
            self._spans.pop()

    def quote(self, at: int) -> int:
        """Read a quote: skip the string that it opens, if it opens one."""
        is_string = self._may_be_string(at)
        self._starts = True
        if not is_string:
            self._last = at
            return at + 1
        end = self._string_end(at)
        self._last = end or at
        return end or at + 1

    def in_key(self, at: int) -> bool:
        """Whether the string that begins there, which was read, is a key that is never closed."""
        if not self._open or self._open[-1][1] != "{" or self._text[at] != '"':
            return False
        first = self._text[max(0, at - _NEAR) : at].rstrip()[-1:] in {"{", ","}
        return first and _LONG_STRING.match(self._text, at, self._end) is None

    def _string_end(self, at: int) -> int | None:
        char = self._text[at]
        if char != '"':
            other = _OTHER_STRING[char].match(self._text, at, self._end)
            return other.end() if other else None
        line = _LINE_STRING.match(self._text, at, self._end)
        if line or not self._shaped or not self.long_strings:
            return line.end() if line else None
        # A string over several lines is broken JSON; it counts only if it ends as a string does,
        # for the quote that ends it may as well begin another one, far behind a cut.
        long = _LONG_STRING.match(self._text, at, self._end)
        if long is None:
            return self._end
        return long.end() if _ENDS_TOKEN.match(self._text, long.end(), self._end) else None

    def slash(self, at: int) -> int:
        """Skip a comment inside data; `http://` is an address."""
        text = self._text
        if not self._shaped or _ADDRESS.match(text, max(0, at - 2)):
            return at + 1
        if text.startswith("/*", at):
            return self._comment(at, text.find("*/", at + 2) + 2)
        return self._line_comment(at) if text.startswith("//", at) else at + 1

    def hash(self, at: int) -> int:
        """Skip a comment inside data; `#1` and `a#b` are none."""
        blank = self._text[at + 1 : at + 2].isspace() and not self._text[at - 1].isalnum()
        return self._line_comment(at) if self._shaped and blank else at + 1

    def _line_comment(self, at: int) -> int:
        return self._comment(at, self._text.find("\n", at) + 1)

    def _comment(self, at: int, end: int) -> int:
        """Pass over a comment; a string may stand behind it if one might in its place."""
        if end <= at:
            return self._end
        self._starts = self._may_be_string(at)
        self._last = end
        return end

    def _may_be_string(self, at: int) -> bool:
        """Whether a JSON token may begin there."""
        before = self._text[self._last : at].rstrip()
        return before[-1] in _BEFORE_STRING if before else self._starts

    def leave(self, end: int, *, cut: bool) -> list[Bracketed]:
        """The spans of the stretch that ends here; what is open counts if it looks like data."""
        for start, _, shaped in self._open:
            if shaped:
                self._drop_inside(start)
                deep = self._deep_at >= start
                self._spans.append(
                    Bracketed((start, end), shaped, closed=False, cut=cut, overflows=deep)
                )
                break
        spans, self._spans = self._spans, []
        self._open.clear()
        self._count = {"{": 0, "[": 0}
        self._shaped, self._deep_at = 0, -1
        return spans
