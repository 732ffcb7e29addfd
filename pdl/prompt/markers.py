"""Markers: how `<|` and `|>` of the template's own text are distinguished from those in data.

While a template is parsed, each `<|…|>` in its text is replaced by a marker: five lone surrogates
that encode its kind and the index of its origin in a table. No UTF-8 text contains a lone
surrogate; if a string has one all the same, it is written as a marker itself. So no value can
contain a marker, open a turn, close one, or embed a file. In text that a template captures, markers
are out of reach (printing.py).

Markers also map rendered text back to the file: `turns.mapped_source` makes a source whose anchors
come from them.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from jinja2.lexer import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2.lexer import TokenStream

    from pdl.source import Source, Span


LEAD = "\udb80"
"""How each marker begins."""
WHOLE, OPEN, CLOSE, SCHEMA, HERE, LINE, SURROGATE = "\udb81\udb82\udb83\udb84\udb85\udb86\udb87"
"""The kinds: `<|…|>` of one stretch of source text; `<|` and `|>` around what is computed; where
the schema goes; a position in the source; one at the start of a line of the source; and a lone
surrogate that is text, whose code point is the number."""

_BASE = 1024
_FIRST_DIGIT = 0xDC00
_ZERO = (_FIRST_DIGIT * _BASE + _FIRST_DIGIT) * _BASE + _FIRST_DIGIT
MARKER_LENGTH = 4
"""The characters of a marker after the first: kind and number."""
MARKER = re.compile("\udb80([\udb81-\udb87])([\udc00-\udfff]{3})")
"""A marker in rendered text: its kind and its number."""
UNIT = re.compile(
    "\udb80\udb82([\udc00-\udfff]{3})[^\udb80]*\udb80\udb83\\1|\udb80[\udb81-\udb84][\udc00-\udfff]{3}"
)
"""A whole `<|…|>` in text without position markers: one marker, or two and what they enclose."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_MARKERS = re.compile("\udb80\udb87([\udc00-\udfff]{3})")
POSITION = re.compile("\udb80[\udb85\udb86][\udc00-\udfff]{3}")
"""A marker that only encodes a position."""

# Text of the source that means something other than itself. In `&lt;|&gt;` the bar
# belongs to both, hence the first alternative.
_SOURCE_TOKENS = re.compile(r"&lt;\|&gt;|<\||\|>|&lt;\||\|&gt;|&amp;|\n")
_LITERALS = {"&lt;|&gt;": "<|>", "&lt;|": "<|", "|&gt;": "|>", "&amp;": "&"}
_PAIR = re.compile(
    r"<\|(?:\s*(?:raw_)?media\s*\((?:[^<|]|<(?!\|)|\|(?!>))*|(?:[^<|\n]|<(?!\|)|\|(?!>))*)\|>",
    re.IGNORECASE,
)
_SAID = {OPEN: "<|", CLOSE: "|>"}
_TAG_END = {"variable_end": "}}", "block_end": "%}"}
NOTED = frozenset({"schema", "config", "tools", "input"})
"""The turns that hold a notation, and no message."""
_BLOCK_NAME = re.compile(r"\s*(?:raw_)?media\s*\(", re.IGNORECASE)


class Stretch(NamedTuple):
    """Source text between tags of the template: where it begins, and what surrounds it.

    `after_value` and `before_value` say that an expression (`{{ … }}`) ends or begins there.
    """

    text: str
    offset: int
    after_value: bool = False
    before_value: bool = False


class MarkerOrigin(NamedTuple):
    """What a marker represents: `source` from `start` to `end`.

    `text` is the text between `<|` and `|>`, up to the first tag of the template; `alone` means
    that its lines of the source contain nothing else. Two markers around something computed have
    the same origin, and are not `is_whole`.
    """

    source: Source
    start: int
    end: int
    text: str = ""
    alone: bool = False
    is_whole: bool = False

    @property
    def names_media(self) -> bool:
        """Whether the source text embeds a file."""
        return _BLOCK_NAME.match(self.text) is not None


class Markers:
    """The markers of one prompt and of the templates that it includes."""

    def __init__(self) -> None:
        self._origins: list[MarkerOrigin] = []
        self._lock = Lock()

    def origin(self, number: int) -> MarkerOrigin | None:
        """The origin of a marker's number; None for a marker that a `|safe` value contained."""
        return self._origins[number - 1] if number else None

    def span(self, number: int) -> Span | None:
        """The source that a marker represents."""
        origin = self.origin(number)
        return origin.source.span(origin.start, origin.end) if origin is not None else None

    def mark_source(self, stretches: Sequence[Stretch], source: Source) -> list[str]:
        """Return the stretches with markers instead of `<|…|>`, and with position markers.

        Positions are marked up to the first turn, where macros are defined, and in turns that are
        parsed. A `<|` counts with the next `|>` on its line (for media: on any line) if there is no
        other `<|` in between; alone, either is text.
        """
        pairs = paired(stretches, source)
        writer = _MarkerWriter(self, source, pairs)
        return [writer.marked(stretch) for stretch in stretches]

    def mark_tokens(self, stream: TokenStream, source: Source) -> Iterator[Token]:
        """Replace `<|…|>` in the template's text by markers."""
        tokens = list(located(stream, source))
        for token, _ in tokens:
            if token.type == "integer":
                str(token.value)  # the code that Jinja generates has its text
        found = [index for index, (token, _) in enumerate(tokens) if token.type == "data"]
        kinds = ["", *(token.type for token, _ in tokens), ""]
        stretches = [
            Stretch(
                tokens[index][0].value,
                tokens[index][1],
                kinds[index] == "variable_end",
                kinds[index + 2] == "variable_begin",
            )
            for index in found
        ]
        marked = dict(zip(found, self.mark_source(stretches, source), strict=True))
        for index, (token, _) in enumerate(tokens):
            yield Token(token.lineno, "data", marked[index]) if index in marked else token

    def number(self, origin: MarkerOrigin) -> str:
        """A new number for an origin, as the digits of a marker."""
        with self._lock:  # threads that share a prompt may compile its includes at the same time
            self._origins.append(origin)
            return _digits(len(self._origins))


def located(stream: TokenStream, source: Source) -> Iterator[tuple[Token, int]]:
    """Each token with the offset where it begins, which is exact for tokens of text."""
    at = 0
    for token in stream:
        if token.type == "data":
            at = source.text.find(token.value, max(at, source.offset(token.lineno)))
            yield token, at
            at += len(token.value)
            continue
        yield token, at
        if token.type in _TAG_END:
            at = source.text.find(_TAG_END[token.type], at) + 2


def paired(stretches: Sequence[Stretch], source: Source) -> dict[int, MarkerOrigin]:
    """The pairs of `<|` and `|>`, by the offsets of both."""
    found: dict[int, MarkerOrigin] = {}
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
                    opened = None  # only media tags span lines
                continue
            blank = blank and not text[line:start].strip()
            if sign == "<|":
                opened = number, start, blank
            elif sign == "|>" and opened is not None:
                pair = _pair(stretches, opened, number, start, source)
                found[pair.start] = found[pair.end - 2] = pair
                opened = None
            blank = False
    return found


def _pair(
    stretches: Sequence[Stretch],
    opened: tuple[int, int, bool],
    number: int,
    closed: int,
    source: Source,
) -> MarkerOrigin:
    first, last = stretches[opened[0]], stretches[number]
    is_whole = first is last
    inside = first.text[opened[1] + 2 : closed if is_whole else None]
    alone = opened[2] and _is_blank_after(last, closed + 2)
    start, end = first.offset + opened[1], last.offset + closed + 2
    text = _SOURCE_TOKENS.sub(lambda match: _LITERALS.get(match[0], match[0]), inside)
    return MarkerOrigin(source, start, end, text, alone, is_whole)


def _is_blank_after(stretch: Stretch, at: int) -> bool:
    """Whether only whitespace follows an index on its line of the source."""
    end = stretch.text.find("\n", at)
    if end < 0:
        return not stretch.before_value and not stretch.text[at:].strip()
    return not stretch.text[at:end].strip()


class _MarkerWriter:
    """Writes markers into the stretches of one template, in order."""

    def __init__(self, markers: Markers, source: Source, pairs: dict[int, MarkerOrigin]) -> None:
        self.markers = markers
        self.source = source
        self.pairs = pairs
        self.maps = True
        self.numbers: dict[int, str] = {}  # of pairs that are open, by where they begin

    def marked(self, stretch: Stretch) -> str:
        """One stretch with its markers."""
        text = stretch.text
        out = [self._position(HERE, stretch.offset)] if self.maps else []
        at = 0
        for match in _SOURCE_TOKENS.finditer(text):
            start, end = match.span()
            if start < at:
                continue  # within a pair that was written as one marker
            sign = match.group()
            out.append(escaped(text[at:start]))
            pair = self.pairs.get(stretch.offset + start)
            if sign == "\n":
                out.append("\n")
                if self.maps:
                    out.append(self._position(LINE, stretch.offset + end))
            elif pair is not None:
                end = self._write(pair, stretch.offset + start, out) - stretch.offset
            else:
                out.append(_LITERALS.get(sign, sign))
                if self.maps and sign in _LITERALS:
                    out.append(self._position(HERE, stretch.offset + end))
            at = end
        out.append(escaped(text[at:]))
        return "".join(out)

    def _write(self, pair: MarkerOrigin, offset: int, out: list[str]) -> int:
        """Write the marker at an offset of the source; return the offset after it."""
        if offset != pair.start:
            out.append(LEAD + CLOSE + self.numbers[pair.start])
            end = pair.end
        else:
            digits = self.numbers[pair.start] = self.markers.number(pair)
            out.append(LEAD + (WHOLE if pair.is_whole else OPEN) + digits)
            end = pair.end if pair.is_whole else pair.start + 2
            self.maps = _is_mapped_after(pair, before=self.maps)
        if self.maps and end == pair.end:
            out.append(self._position(HERE, end))
        return end

    def _position(self, kind: str, offset: int) -> str:
        return LEAD + kind + self.markers.number(MarkerOrigin(self.source, offset, offset))


def _is_mapped_after(pair: MarkerOrigin, *, before: bool) -> bool:
    """Whether lines after a pair get position markers."""
    if not pair.alone:
        return before
    word = pair.text.strip().lower()
    return word in NOTED if pair.is_whole and word.isalpha() else True


def _digits(number: int) -> str:
    low, middle, high = number % _BASE, number // _BASE % _BASE, number // _BASE**2
    return "".join(chr(_FIRST_DIGIT + digit) for digit in (high, middle, low))


def number_of(digits: str) -> int:
    """The number that a marker's digits say."""
    number = (ord(digits[0]) * _BASE + ord(digits[1])) * _BASE + ord(digits[2])
    return number - _ZERO


def has_markers(text: str) -> bool:
    """Whether a text has lone surrogates: of markers, of their parts, or as text."""
    if text.isascii():
        return False
    try:
        text.encode("utf-8")  # the fastest way to look for one
    except UnicodeEncodeError:
        return True
    return False


def escaped(text: str) -> str:
    """Text in which each lone surrogate is written as a marker."""
    if not has_markers(text):
        return text
    return _SURROGATE.sub(lambda match: LEAD + SURROGATE + _digits(ord(match[0])), text)


def unescaped(text: str) -> str:
    """The opposite of `escaped`."""
    return _SURROGATE_MARKERS.sub(lambda match: chr(number_of(match[1])), text)


def mark_value(text: str) -> str:
    """A value that the author has declared to be source text (`|safe`), with its pairs marked."""
    opening, closing = LEAD + OPEN + _digits(0), LEAD + CLOSE + _digits(0)
    return _PAIR.sub(lambda match: f"{opening}{match[0][2:-2]}{closing}", text)


def as_written(text: str, markers: Markers) -> str:
    """Return rendered text as its author wrote it: markers are `<|…|>` again, or nothing."""
    if LEAD not in text:
        return text

    def said(match: re.Match[str]) -> str:
        origin = markers.origin(number_of(match[2])) if match[1] == WHOLE else None
        return f"<|{origin.text}|>" if origin is not None else _SAID.get(match[1], "")

    return MARKER.sub(said, unescaped(text))


SCHEMA_PLACEHOLDER = LEAD + SCHEMA + _digits(0)
"""What `{{ schema }}` prints if the schema is unknown until everything is rendered."""
