"""The bracketed spans of a stretch of text, from one pass with a stack.

Quotes count only inside brackets and only where a JSON token may begin, so that apostrophes and
inch marks in prose hide nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.reply.outcome import Extent

_SHAPED = {
    "{": re.compile(r"""\{\s*+(?:["'“”‘`{}\[<]|//|/\*|#|…|\.\.\.|[\w$-]++\s*+[:：]|\Z)"""),
    "[": re.compile(
        r"""\[\s*+(?:["'“‘{\[\]<]|[-+]?\.?\d|//|/\*|…|\.\.\."""
        r"""|(?:true|false|null|none|nan|infinity|undefined)\b|[\w -]{1,40}+,)""",
        re.IGNORECASE,
    ),
}
"""How a bracket goes on that opens data, or an attempt at it; others belong to prose."""

_PARTNER = {"}": "{", "]": "["}
_LINE_STRING = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')
_LONG_STRING = re.compile(r'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_ENDS_TOKEN = re.compile(r"\s*+(?:[,:}\]]|$)")
_OTHER_STRING = {
    "'": re.compile(r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'(?=\s*+[,:}\]])"),
    "“": re.compile(r"“[^”\n]*+”(?=\s*+[,:}\]])"),
}


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A maximal span from a bracket to its partner, or to where the text broke off.

    `shaped`: it begins as data does; `closed`: its partner is there; `cut`: the reply ended
    before it did; `deep`: more brackets are open in it at once than the limit allows.
    """

    span: Extent
    shaped: bool
    closed: bool = True
    cut: bool = False
    deep: bool = False


class Stack:
    """The brackets that are open while a stretch of text is read, and the spans that closed."""

    def __init__(self, text: str, end: int, depth: int) -> None:
        self._text = text
        self._end = end
        self._depth = depth
        self._last = 0
        self._deep_at = -1
        self._open: list[tuple[int, str, bool]] = []
        self._count = {"{": 0, "[": 0}
        self._shaped = 0
        self._spans: list[Bracketed] = []
        self.long_strings = True  # whether strings may go over several lines

    def __bool__(self) -> bool:
        return bool(self._open)

    def open(self, at: int) -> int:
        """Read an opening bracket; return where to go on."""
        char = self._text[at]
        shaped = _SHAPED[char].match(self._text, at, self._end) is not None
        self._open.append((at, char, shaped))
        self._count[char] += 1
        self._shaped += shaped
        if len(self._open) > self._depth:
            self._deep_at = at
        self._last = at + 1
        return at + 1

    def close(self, at: int) -> int:
        """Read a closing bracket; brackets of the other kind still open are passed over."""
        self._last = at + 1
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
        self._spans.append(Bracketed(span, shaped, deep=self._deep_at >= start))
        return at + 1

    def _drop_inside(self, start: int) -> None:
        while self._spans and self._spans[-1].span[0] > start:
            self._spans.pop()

    def quote(self, at: int) -> int:
        """Read a quote: skip the string that it opens, if it opens one."""
        before = self._text[self._last : at].rstrip()
        if before and before[-1] not in ",:(：，":
            self._last = at
            return at + 1
        end = self._string_end(at)
        self._last = end or at
        return end or at + 1

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
        """Skip a comment inside data; `://` is an address."""
        text = self._text
        if not self._shaped or text[at - 1] == ":":
            return at + 1
        if text.startswith("//", at):
            end = text.find("\n", at, self._end)
        elif text.startswith("/*", at):
            end = text.find("*/", at, self._end)
        else:
            return at + 1
        return self._end if end < 0 else end

    def leave(self, end: int, *, cut: bool) -> list[Bracketed]:
        """The spans of the stretch that ends here; what is open counts if it looks like data."""
        for start, _, shaped in self._open:
            if shaped:
                self._drop_inside(start)
                deep = self._deep_at >= start
                self._spans.append(
                    Bracketed((start, end), shaped, closed=False, cut=cut, deep=deep)
                )
                break
        spans, self._spans = self._spans, []
        self._open.clear()
        self._count = {"{": 0, "[": 0}
        self._shaped, self._deep_at = 0, -1
        return spans
