"""Marks: how `<|` and `|>` of the template's own text are told from those in data.

While a template is parsed, each `<|…|>` in its text is replaced by a mark: five lone surrogates,
which say its kind and the index of its entry in a table. Lone surrogates are part of no UTF-8 text;
where a text has one all the same, it is written as a mark itself. So no value can hold a mark, open
a turn, close one, or embed a file. In text that a template captures, marks are out of reach
(captured.py).

The marks also lead from rendered text back to the file: `placed_source` makes a source whose
anchors come from marks.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.source import Span


LEAD = "\udb80"
"""How each mark begins."""
WHOLE, OPEN, CLOSE, SCHEMA, HERE, LINE, HALF = "\udb81\udb82\udb83\udb84\udb85\udb86\udb87"
"""The kinds: `<|…|>` of one stretch of source text; `<|` and `|>` around what is computed; a place
where the schema goes; a known place in the source; one at the start of a line of the source; and a
lone surrogate that is text, which its number says."""

_BASE = 1024
_FIRST_DIGIT = 0xDC00
_ZERO = (_FIRST_DIGIT * _BASE + _FIRST_DIGIT) * _BASE + _FIRST_DIGIT
MARK_LENGTH = 4
"""The characters of a mark behind the first: kind and number."""
MARK = re.compile("\udb80([\udb81-\udb87])([\udc00-\udfff]{3})")
"""A mark in rendered text: its kind and its number."""
UNIT = re.compile(
    "\udb80\udb82([\udc00-\udfff]{3})[^\udb80]*\udb80\udb83\\1|\udb80[\udb81-\udb84][\udc00-\udfff]{3}"
)
"""All of a `<|…|>` in text without marks of places: one mark, or two and what is between them."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_HALVES = re.compile("\udb80\udb87([\udc00-\udfff]{3})")
POSITION = re.compile("\udb80[\udb85\udb86][\udc00-\udfff]{3}")
"""A mark that only knows a place."""

# What the source text may hold that means something else than itself. In `&lt;|&gt;` the bar
# belongs to both, hence the first alternative.
_SOURCE_TOKENS = re.compile(r"&lt;\|&gt;|<\||\|>|&lt;\||\|&gt;|&amp;|\n")
_LITERALS = {"&lt;|&gt;": "<|>", "&lt;|": "<|", "|&gt;": "|>", "&amp;": "&"}
_PAIR = re.compile(
    r"<\|(?:\s*(?:raw_)?media\s*\((?:[^<|]|<(?!\|)|\|(?!>))*|(?:[^<|\n]|<(?!\|)|\|(?!>))*)\|>",
    re.IGNORECASE,
)
_SAID = {OPEN: "<|", CLOSE: "|>"}
_PLACED_ROLES = frozenset({"schema", "config", "tools", "input"})
_BLOCK_NAME = re.compile(r"\s*(?:raw_)?media\s*\(", re.IGNORECASE)


class Stretch(NamedTuple):
    """Source text between tags of the template: where it begins, and what stands around it.

    `after_value` and `before_value` say that an expression (`{{ … }}`) ends or begins there.
    """

    text: str
    offset: int
    after_value: bool = False
    before_value: bool = False


class Entry(NamedTuple):
    """What a mark stands for: `source` from `start` to `end`.

    `text` is what stands between `<|` and `|>`, up to the first tag of the template; `alone` says
    that source text has nothing else on the lines around. Of a pair with something computed
    between, both marks have one entry.
    """

    source: Source
    start: int
    end: int
    text: str = ""
    alone: bool = False

    @property
    def names_block(self) -> bool:
        """Whether source text says that this embeds a file."""
        return _BLOCK_NAME.match(self.text) is not None


class Marks:
    """The marks of one prompt and of the templates that it includes."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._lock = Lock()

    def entry(self, number: int) -> Entry | None:
        """The entry of a mark's number; None for a mark that a `|safe` value carried."""
        return self._entries[number - 1] if number else None

    def span(self, number: int) -> Span | None:
        """The source that a mark stands for."""
        entry = self.entry(number)
        return entry.source.span(entry.start, entry.end) if entry is not None else None

    def mark_source(self, stretches: Sequence[Stretch], source: Source) -> list[str]:
        """The stretches of a template with marks instead of `<|…|>`, and with marks of places.

        Places are marked where someone needs them: up to the first turn, since macros stand
        there, and in turns that are parsed. A `<|` counts with the next `|>` on its line (of a
        block: on any line) if no other `<|` stands between; alone, either is text.
        """
        pairs = _paired(stretches)
        writer = _Writer(self, source, pairs)
        return [writer.marked(stretch) for stretch in stretches]

    def number(self, entry: Entry) -> str:
        """A new number for an entry, as the digits of a mark."""
        with self._lock:  # threads that share a prompt may compile its includes at the same time
            self._entries.append(entry)
            return _digits(len(self._entries))


class _Pair(NamedTuple):
    """The offsets of a `<|` and of its `|>`, and what stands between up to the first tag."""

    start: int
    end: int
    text: str
    alone: bool
    is_whole: bool


def _paired(stretches: Sequence[Stretch]) -> dict[int, _Pair]:
    """The pairs of `<|` and `|>`, by the offsets of both."""
    found: dict[int, _Pair] = {}
    opened: tuple[int, int, bool] | None = None  # stretch, index in its text, blank before it
    for number, stretch in enumerate(stretches):
        text, line, blank = stretch.text, 0, not stretch.after_value
        for match in _SOURCE_TOKENS.finditer(text):
            start, sign = match.start(), match.group()
            if sign == "\n":
                line, blank = match.end(), True
                if opened is not None and not _BLOCK_NAME.match(
                    stretches[opened[0]].text, opened[1] + 2
                ):
                    opened = None  # only a block goes on over lines
                continue
            blank = blank and not text[line:start].strip()
            if sign == "<|":
                opened = number, start, blank
            elif sign == "|>" and opened is not None:
                pair = _pair(stretches, opened, number, start)
                found[pair.start] = found[pair.end - 2] = pair
                opened = None
            blank = False
    return found


def _pair(
    stretches: Sequence[Stretch], opened: tuple[int, int, bool], number: int, closed: int
) -> _Pair:
    first, last = stretches[opened[0]], stretches[number]
    is_whole = first is last
    inside = first.text[opened[1] + 2 : closed if is_whole else None]
    alone = opened[2] and _blank_behind(last, closed + 2)
    start, end = first.offset + opened[1], last.offset + closed + 2
    return _Pair(start, end, _without_escapes(inside), alone, is_whole)


def _blank_behind(stretch: Stretch, at: int) -> bool:
    """Whether nothing but blanks stands behind an index, on its line of the source."""
    end = stretch.text.find("\n", at)
    if end < 0:
        return not stretch.before_value and not stretch.text[at:].strip()
    return not stretch.text[at:end].strip()


def _without_escapes(text: str) -> str:
    return _SOURCE_TOKENS.sub(lambda match: _LITERALS.get(match[0], match[0]), text)


class _Writer:
    """Writes marks into the stretches of one template, in order."""

    def __init__(self, marks: Marks, source: Source, pairs: dict[int, _Pair]) -> None:
        self.marks = marks
        self.source = source
        self.pairs = pairs
        self.placed = True
        self.numbers: dict[int, str] = {}  # of pairs that are open, by where they begin

    def marked(self, stretch: Stretch) -> str:
        """One stretch with its marks."""
        text = stretch.text
        out = [self._place(HERE, stretch.offset)] if self.placed else []
        at = 0
        for match in _SOURCE_TOKENS.finditer(text):
            start, end = match.span()
            if start < at:
                continue  # within a pair that was written as one mark
            sign = match.group()
            out.append(escaped(text[at:start]))
            pair = self.pairs.get(stretch.offset + start)
            if sign == "\n":
                out.append("\n")
                if self.placed:
                    out.append(self._place(LINE, stretch.offset + end))
            elif pair is not None:
                end = self._write(pair, stretch.offset + start, out) - stretch.offset
            else:
                out.append(_LITERALS.get(sign, sign))
                if self.placed and sign in _LITERALS:
                    out.append(self._place(HERE, stretch.offset + end))
            at = end
        out.append(escaped(text[at:]))
        return "".join(out)

    def _write(self, pair: _Pair, offset: int, out: list[str]) -> int:
        """Write the mark that stands there; the offset in the source behind it."""
        if offset != pair.start:
            out.append(LEAD + CLOSE + self.numbers[pair.start])
            end = pair.end
        else:
            entry = Entry(self.source, pair.start, pair.end, pair.text, pair.alone)
            digits = self.numbers[pair.start] = self.marks.number(entry)
            out.append(LEAD + (WHOLE if pair.is_whole else OPEN) + digits)
            end = pair.end if pair.is_whole else pair.start + 2
            self.placed = _placed_in(pair, before=self.placed)
        if self.placed and end == pair.end:
            out.append(self._place(HERE, end))
        return end

    def _place(self, kind: str, offset: int) -> str:
        return LEAD + kind + self.marks.number(Entry(self.source, offset, offset))


def _placed_in(pair: _Pair, *, before: bool) -> bool:
    """Whether the places of lines are wanted behind a pair."""
    if not pair.alone:
        return before
    word = pair.text.strip().lower()
    return word in _PLACED_ROLES if pair.is_whole and word.isalpha() else True


def _digits(number: int) -> str:
    low, middle, high = number % _BASE, number // _BASE % _BASE, number // _BASE**2
    return "".join(chr(_FIRST_DIGIT + digit) for digit in (high, middle, low))


def number_of(digits: str) -> int:
    """The number that a mark's digits say."""
    number = (ord(digits[0]) * _BASE + ord(digits[1])) * _BASE + ord(digits[2])
    return number - _ZERO


def is_marked(text: str) -> bool:
    """Whether a text has lone surrogates: marks, parts of marks, or halves of characters."""
    if text.isascii():
        return False
    try:
        text.encode("utf-8")  # the fastest way to look for one
    except UnicodeEncodeError:
        return True
    return False


def escaped(text: str) -> str:
    """Text in which each lone surrogate is written as a mark."""
    if not is_marked(text):
        return text
    return _SURROGATE.sub(lambda match: LEAD + HALF + _digits(ord(match[0])), text)


def unescaped(text: str) -> str:
    """The opposite of `escaped`."""
    return _HALVES.sub(lambda match: chr(number_of(match[1])), text)


def mark_value(text: str) -> str:
    """A value that the author has declared to be source text (`|safe`), with its pairs marked."""
    opener, closer = LEAD + OPEN + _digits(0), LEAD + CLOSE + _digits(0)
    return _PAIR.sub(lambda match: f"{opener}{match[0][2:-2]}{closer}", text)


def spoken(text: str, marks: Marks) -> str:
    """Rendered text as its author wrote it: marks are `<|…|>` again, or nothing."""
    if LEAD not in text:
        return text

    def said(match: re.Match[str]) -> str:
        entry = marks.entry(number_of(match[2])) if match[1] == WHOLE else None
        return f"<|{entry.text}|>" if entry is not None else _SAID.get(match[1], "")

    return MARK.sub(said, unescaped(text))


SCHEMA_PLACE = LEAD + SCHEMA + _digits(0)
"""What `{{ schema }}` prints where the schema is known only when all is rendered."""


_COMMENT = "//"
_SIGNS = re.compile(r"""\\.|["'\n\r]|//""", re.DOTALL)
_LINE_ENDS = re.compile("[\r\n]")


def placed_source(text: str, marks: Marks, name: str) -> Source:
    """The text without marks, with anchors into the templates that it was rendered from.

    A value's line breaks do not end a `//` comment of the file: there they are blanks.
    """
    split = MARK.split(text)
    writer = _PlacedWriter()
    writer.add(split[0], None)
    for kind, digits, piece in zip(split[1::3], split[2::3], split[3::3], strict=True):
        entry = marks.entry(number_of(digits)) if kind != HALF else None
        if kind == WHOLE and entry is not None:
            writer.add(f"<|{entry.text}|>", entry)
            entry = entry._replace(start=entry.end)
        elif kind == HALF:
            writer.add(chr(number_of(digits)), None)
        writer.add(piece, entry, begins_line=kind == LINE)
    return Source("".join(writer.out), name, tuple(writer.anchors))


class _PlacedWriter:
    """Puts pieces of text one after the other, and notes where they were copied from."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.anchors: list[Anchor] = []
        self._length = 0
        self._within = ""  # the quote or the `//` that is open in the file's own text

    def add(self, piece: str, entry: Entry | None, *, begins_line: bool = False) -> None:
        """Append a piece: what stands at that entry's place of the source, and then a value."""
        same = 0
        if entry is not None:
            same = _shared(piece, entry.source.text, entry.start)
            anchor = Anchor(self._length, same, entry.source, entry.start, begins_line)
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
    """How many characters of the piece stand at that offset of the text."""
    if text.startswith(piece, offset):
        return len(piece)
    pairs = enumerate(zip(piece, text[offset : offset + len(piece)], strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(piece), len(text) - offset))
