"""The bracketed spans of a text, from one pass with a stack (a pushdown automaton).

Quotes count only inside brackets and only where a JSON token can begin, so apostrophes and inch
marks in prose hide nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pdl import _re as re
from pdl.reply.parsing.parsed import Exact, read_exactly

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Span
    from pdl.reply.segments.dialects import Patterns

WAIT = -1
"""Returned instead of where to continue: the text here is clear only when more has come."""

_WORD = r"[\w$-]{1,60}+"
_SHAPES = {
    "{": r"""\{\s{0,400}+(?:["'“”„‘`«「『＂{}\[<]|//|/\*|\#|…|\.\.\.|\\[nrt"]|&quot;|(?<=\s{400})"""
    rf"""|{_WORD}(?>(?: {_WORD}){{0,4}})"?\s{{0,20}}+(?:[:：]|=)|:{_WORD}\s{{0,20}}+=>)""",
    "[": r"""\[\s{0,400}+(?:["'“„‘`«「『＂{\[\]<]|\(\s{0,20}+['"\d]|[-+]?\.?\d|//|/\*|\#\s|…"""
    r"""|\.\.\.|\\[nrt"]|&quot;|(?<=\s{400})"""
    r"""|(?i:true|false|null|none|nan|infinity|undefined)\b|[\w -]{1,40}+,)""",
}
"""How a bracket continues that opens data, or an attempt at it; others belong to prose."""
_shape = lru_cache(lambda char: re.compile(_SHAPES[char]))

_LONGEST_SHAPE = 800  # characters in which one of them ends
_ONLY_BLANKS = re.compile(r".\s*+\Z")
_CITATION = re.compile(r"\[\d{0,3}\Z")
_PARTNER = {"]": "[", "}": "{"}
_LINE_STRING = r'"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"'
_CLOSER = {'"': '"', "'": "'", "“": "”"}
_IN_LINE = {
    opener: re.compile(rf"[^{closer}\\\n]*+(?>(?:\\.[^{closer}\\\n]*+)*)")
    for opener, closer in _CLOSER.items()
}
_IN_LINES = re.compile(r'(?s)[^"\\]*+(?>(?:\\.[^"\\]*+)*)')
_OUTSIDE = "{[`~"
_INSIDE = """{}[]"'“`~"""
_ENDS_SHAPE = frozenset(_INSIDE + "<")
_SEPARATORS = ",:(：，"
_STARTS = frozenset(["", *_SEPARATORS, *"{}[]"])
"""Characters before a string; after another string there is none."""
_FENCE = re.compile(r"\n[ \t]*(?:```|~~~)")
_ENDS = re.compile(r"\s{0,400}+(?:[,:}\]\s]|\Z)")
_BLANKS = re.compile(r"\s{0,400}+\Z")
_TRIES = 8  # how often the C parser can fail in one reply, each time after as many characters


class TextBuffer:
    """A text that grows at its end. `whole`: no more will come.

    A piece costs no more than it is long, since CPython appends in place to a string that nothing
    else refers to: keep offsets, never `text` itself or a match in it.
    """

    __slots__ = ("text", "whole")

    def __init__(self) -> None:
        self.text = ""
        self.whole = False

    def add(self, piece: str, *, last: bool = False) -> None:
        """Append a piece."""
        text, self.text = self.text, ""
        text += piece
        self.text = text
        self.whole = last


class _Scanners:
    """The marks that stop a pass, outside brackets and inside; `first` are further marks."""

    def __init__(self, first: str) -> None:
        inside = re.escape(_INSIDE + first)
        separators = re.escape(_SEPARATORS)
        self.outside = re.compile(rf"[{re.escape(_OUTSIDE + first)}](?:(?<=\[)\d{{1,3}}\])?")
        """A citation, `[1]`, is taken as a whole, since prose can be full of them."""
        self.inside = re.compile(f"[{inside}]")
        self.strings = re.compile(
            rf"(?>(?:(?>(?:[^{inside}{separators}]*+[{separators}])*)\s*+{_LINE_STRING})+)"
        )
        """Strings, each where a token can begin, and the text between them."""


_scanners = lru_cache(maxsize=16)(_Scanners)


class Bracketed(NamedTuple):
    """A maximal span from a bracket to its partner, or to where the text broke off.

    `shaped`: it begins as data does; `closed`: its partner is there; `cut`: the reply ended
    before it did; `overflows`: it nests deeper than the limit allows; `exact`: the value, if
    it is strict JSON.
    """

    span: Span
    shaped: bool
    closed: bool = True
    cut: bool = False
    overflows: bool = False
    exact: Exact | None = None

    @property
    def deep(self) -> bool:
        """Whether it nests deeper than the limit allows."""
        return self.overflows or (self.exact is not None and self.exact.findings.deep)


class _Open(NamedTuple):
    """A bracket that is open; `data` is the offset of the outermost one that looks like data."""

    start: int
    char: str
    shaped: bool
    data: int | None


@dataclass(slots=True)
class _String:
    """A string that is being read. `long`: it goes over several lines."""

    start: int
    opener: str
    long: bool = False


class Stack:
    """The brackets that are open while a text is read, and the spans that closed.

    A handler takes the offset of a mark and returns where to continue, or `WAIT`.
    """

    def __init__(self, source: TextBuffer, limits: Limits, patterns: Patterns) -> None:
        self.spans: list[Bracketed] = []
        self.string: _String | None = None
        """The one that is open where the text ends; it will be continued, or read again."""
        self.fenced = False  # whether a fence is open
        self.long_strings = True  # whether strings can span several lines
        self._source = source
        self._limits = limits
        self._scanners = _scanners(patterns.first)
        self._tries = _TRIES
        self._read = 0  # how much JSON the C parser has read
        self._last = 0  # the offset up to which `_before` is known
        self._before = ""  # the last character there that is not a space; empty after a string
        self._unclosed: dict[str, int] = {}  # quote -> the offset up to which none closes it
        self._deep_at = -1
        self._open: list[_Open] = []
        self._count = {"{": 0, "[": 0}

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def data(self) -> int | None:
        """The offset of the outermost open bracket that looks like data."""
        return self._open[-1].data if self._open else None

    def next_mark(self, place: int) -> int:
        """The offset of the next mark; the end of the text if there is none."""
        if self.string:
            place = self._in_string(self.string, place)
            if self.string is not None:
                return place
        if not self._open:
            return self._next_outside(place)
        text = self._source.text
        if place == self._last and self._before in _STARTS:
            strings = self._scanners.strings.match(text, place)
            if strings:
                place = strings.end()
                self._last, self._before = place, ""
        mark = self._scanners.inside.search(text, place)
        return mark.start() if mark else len(text)

    def _next_outside(self, place: int) -> int:
        for mark in self._scanners.outside.finditer(self._source.text, place):
            start, end = mark.span()
            if end - start == 1:
                return start
            self.spans.append(Bracketed((start, end), shaped=True))
        return len(self._source.text)

    def _note(self, place: int) -> None:
        """Keep the last character before an offset that is not a space."""
        before = self._source.text[self._last : place].rstrip()
        self._before = before[-1] if before else self._before
        self._last = place

    # Brackets

    def open(self, place: int) -> int:
        """An opening bracket."""
        source = self._source
        char = source.text[place]
        shaped = self._is_shaped(char, place)
        if shaped is None:
            return WAIT
        if shaped and source.whole and not self._open and self._tries:
            exact = read_exactly(source.text, place, self._limits)
            if exact:
                # Values would be most of the memory, and the time, of a reply that is refused.
                self._read += 1
                kept = exact if self._read <= self._limits.reply_candidates else None
                self.spans.append(Bracketed(exact.span, shaped=True, exact=kept))
                return exact.span[1]
            self._tries -= 1
        data = place if shaped and self.data is None else self.data
        self._open.append(_Open(place, char, shaped, data))
        self._count[char] += 1
        if len(self._open) > self._limits.reply_depth:
            self._deep_at = place
        self._last, self._before = place + 1, char
        return place + 1

    def _is_shaped(self, char: str, place: int) -> bool | None:
        """Whether a bracket begins as data does; None if that shows later."""
        text, whole = self._source.text, self._source.whole
        if not (whole or self._open) and _CITATION.match(text, place):
            return None
        found = _shape(char).match(text, place)
        if found and (whole or found.end() < len(text) or not text[-1].isalpha()):
            return True
        if whole:
            return _ONLY_BLANKS.match(text, place) is not None
        mark = self._scanners.inside.search(text, place + 1)
        at = mark.start() if mark else len(text)
        half_quoted = text[at : at + 1] == '"' and not text[at - 1].isspace()
        is_told = len(text) - at > 1 and text[at] in _ENDS_SHAPE and not half_quoted
        return False if is_told or len(text) - place > _LONGEST_SHAPE else None

    def close(self, place: int) -> int:
        """A closing bracket; open brackets of the other kind are skipped.

        Brackets inside data are not separate spans, however the data ends.
        """
        char, end = self._source.text[place], place + 1
        self._last, self._before = end, char
        partner = _PARTNER[char]
        while self._count[partner]:
            one = self._open.pop()
            self._count[one.char] -= 1
            if one.char == partner:
                if self.data is None:
                    self._add(one, end)
                break
        return end

    def _add(self, one: _Open, end: int, *, closed: bool = True, cut: bool = False) -> None:
        self.drop(one.start)
        overflows = self._deep_at >= one.start
        self.spans.append(Bracketed((one.start, end), one.shaped, closed, cut, overflows))

    def drop(self, start: int) -> None:
        """Forget the spans from an offset on."""
        while self.spans and self.spans[-1].span[0] >= start:
            self.spans.pop()

    def leave(self, end: int, *, cut: bool = False) -> None:
        """Brackets cannot close after that offset; an open one counts if it is data."""
        for one in self._open if self.data is not None else ():
            if one.shaped:
                self._add(one, end, closed=False, cut=cut)
                break
        self._open.clear()
        self._count = {"{": 0, "[": 0}
        self._deep_at, self.string = -1, None

    # Strings

    def quote(self, place: int) -> int:
        """A quote: it opens a string where a token can begin."""
        self._note(place)
        opener = self._source.text[place]
        if self._before not in _STARTS or place < self._unclosed.get(opener, 0):
            return place + 1
        self.string = _String(place, opener)
        return place + 1

    def _in_string(self, string: _String, place: int) -> int:
        """Continue a string, over newlines if it can have some."""
        text = self._source.text
        found = (_IN_LINES if string.long else _IN_LINE[string.opener]).match(text, place)
        assert found
        place = found.end()
        is_over = place + (text[place : place + 1] == "\\") == len(text)
        if is_over and not self._source.whole:
            return place
        if not is_over and text[place] == _CLOSER[string.opener]:
            return self._close_string(string, place)
        if string.opener != '"' or self.data is None or not self.long_strings:
            return self._again(string, unclosed=place)
        if is_over and not self.fenced and _FENCE.search(text, string.start):
            return self._again(string, unclosed=place)  # a quote in prose hides no block after it
        if is_over:
            self.string = None
            return place
        string.long = True
        return self._in_string(string, place)

    def _close_string(self, string: _String, place: int) -> int:
        """The quote that ends a string, or would.

        One that spans several lines is broken JSON; it counts only if a string can end there, since
        that quote might also begin another one, far after a cut.
        """
        text = self._source.text
        if string.long and not self._source.whole and _BLANKS.match(text, place + 1):
            return place
        if string.long and not _ENDS.match(text, place + 1):
            return self._again(string)
        self.string = None
        self._last, self._before = place + 1, ""
        return place + 1

    def _again(self, string: _String, *, unclosed: int = 0) -> int:
        """It is not a string: the text after its quote is read again."""
        if unclosed:
            self._unclosed[string.opener] = unclosed
        self.string, self._last = None, string.start
        return string.start + 1
