"""Marks: how `<|` and `|>` of the template's own text are told from those in data.

While a template is parsed, each `<|` and `|>` in its text is replaced by a mark: a random secret, a
digit for its kind, and an index into a table of places. A value that is inserted later cannot hold
a mark, since it cannot know the secret; so it can neither open a turn nor embed a file. Marks are
digits only: upper-casing, JSON escaping and the like leave them whole.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pdl.source import Source, Span

_SECRET_DIGITS = 20
_INDEX_DIGITS = 7

MARK_DIGITS = 1 + _INDEX_DIGITS
"""The digits of a mark behind the secret: kind and index."""

OPEN, CLOSE, HERE, SCHEMA = "1", "2", "3", "4"
"""The kinds: `<|`, `|>`, a known place in the source, and a place where the schema goes."""

# What the source text may hold that means something else than itself. In `&lt;|&gt;` the bar
# belongs to both, hence the first alternative.
_SOURCE_TOKENS = re.compile(r"&lt;\|&gt;|<\||\|>|&lt;\||\|&gt;|&amp;")
_LITERALS = {"&lt;|&gt;": "<|>", "&lt;|": "<|", "|&gt;": "|>", "&amp;": "&"}
_KIND_OF = {"<|": OPEN, "|>": CLOSE}
_LONGEST_NAME = 40
_PLACED_ROLES = frozenset({"schema", "config", "tools", "input"})
_SPOKEN = {OPEN: "<|", CLOSE: "|>", HERE: "", SCHEMA: ""}


class Place(NamedTuple):
    """An offset in a source."""

    source: Source
    offset: int

    def after(self, characters: int) -> Place:
        """The place that many characters behind this one."""
        return Place(self.source, self.offset + characters)


class Marks:
    """The marks of one prompt and of the templates that it includes."""

    def __init__(self) -> None:
        self.secret = _random_digits(_SECRET_DIGITS)
        self.places: list[Place] = []
        self.pattern = re.compile(rf"{self.secret}(\d)(\d{{{_INDEX_DIGITS}}})")

    def mark(self, kind: str, place: Place | None = None) -> str:
        """A mark of that kind, for a place of the source if there is one."""
        index = 0
        if place is not None:
            self.places.append(place)
            index = len(self.places)
        return f"{self.secret}{kind}{index:0{_INDEX_DIGITS}d}"

    def span(self, start: str | int, end: str | int) -> Span | None:
        """The source from the place of an opening mark to behind that of a closing one."""
        first, last = self.place(start), self.place(end)
        if first is None or last is None or first.source is not last.source:
            return first.source.span(first.offset, first.offset + 2) if first else None
        return first.source.span(first.offset, max(last.offset + 2, first.offset + 2))

    def place(self, index: str | int) -> Place | None:
        """The place of a mark's index; None for a mark that a `|safe` value carried."""
        number = int(index)
        return self.places[number - 1] if number else None

    def mark_source(self, text: str, place: Place, *, placed: bool) -> str:
        """Mark a piece of source text that begins at that place.

        With `placed`, the start of the text, of each of its lines and of what follows an escape
        are marked as well, until a turn begins in which nobody needs them.
        """
        out = [self.mark(HERE, place)] if placed else []
        at = 0
        for match in _SOURCE_TOKENS.finditer(text):
            token, start, end = match.group(), match.start(), match.end()
            out.append(self._mark_lines(text[at:start], place.after(at), placed=placed))
            placed = placed_after(text, start, before=placed)
            out.append(_LITERALS.get(token) or self.mark(_KIND_OF[token], place.after(start)))
            if placed:
                out.append(self.mark(HERE, place.after(end)))
            at = end
        out.append(self._mark_lines(text[at:], place.after(at), placed=placed))
        return "".join(out)

    def _mark_lines(self, text: str, place: Place, *, placed: bool) -> str:
        if not placed or "\n" not in text:
            return text
        return re.sub("\n", lambda m: "\n" + self.mark(HERE, place.after(m.end())), text)

    def mark_value(self, text: str) -> str:
        """Mark a value that the author has declared to be source text (`|safe`)."""
        opened = text.replace("<|", self.mark(OPEN))
        return opened.replace("|>", self.mark(CLOSE))

    def spoken(self, text: str) -> str:
        """The text as its author wrote it: marks are `<|` and `|>` again, or nothing."""
        if self.secret not in text:
            return text
        return self.pattern.sub(lambda match: _SPOKEN.get(match[1], ""), text)


def placed_after(text: str, at: int, *, before: bool) -> bool:
    """Whether the places of lines are wanted behind offset `at` of a piece of source text."""
    if not text.startswith("<|", at):
        return before
    end = text.find("|>", at, at + _LONGEST_NAME)
    if end < 0:
        return True  # the name comes from a value: be prepared
    word = text[at + 2 : end].strip().lower()
    return word in _PLACED_ROLES if word.isalpha() else before


def _random_digits(count: int) -> str:
    number = int.from_bytes(os.urandom(count), "big")  # more bytes than needed, so no bias to see
    return str(number % (9 * 10 ** (count - 1)) + 10 ** (count - 1))
