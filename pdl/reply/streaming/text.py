"""Answers that are text: the reply so far, without reasoning and without the tokens of a turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pdl.reply.streaming.growing import Growing
from pdl.reply.streaming.partial import NOTHING, Partial

if TYPE_CHECKING:
    from pdl._types import JsonPath
    from pdl.reply.streaming.cursor import Cursor
    from pdl.reply.streaming.scanner import Fence
    from pdl.reply.streaming.tags import Tag, Tags


class Written(NamedTuple):
    """The first `length` characters of a text. Whether it goes on is known where a mark ends it."""

    text: Growing
    length: int
    is_open: bool = True

    def value(self) -> str:
        """The text."""
        return self.text.upto(self.length)

    def growing(self) -> JsonPath | None:
        """The text itself, while it is open."""
        return () if self.is_open else None


class Told:
    """The partials of texts: the same one again while nothing changes."""

    def __init__(self) -> None:
        self._last: tuple[Written | None, Partial] = (None, NOTHING)

    def partial(self, text: Growing, *, is_open: bool = True) -> Partial:
        """What is known of a text now. None of it is certain before the reply ends."""
        view = Written(text, len(text), is_open)
        if view != self._last[0]:
            told = Partial(started=True, complete=not is_open, _view=view)
            self._last = (view, told)
        return self._last[1]


class TextReader:
    """Blanks at the ends are not part of the text, so the last ones wait for what follows them."""

    waits = False

    def __init__(self, tags: Tags) -> None:
        self._end_token = tags.patterns.end_token
        self._stops = re.compile(f"[`~{re.escape(''.join(tags.first))}]")
        self._told = Told()
        self.restart()

    def restart(self) -> None:
        """All that was there was reasoning."""
        self._text = Growing()
        self._pending: list[str] = []  # blanks and tokens that may be the last
        self._ended = False

    def take(self, cursor: Cursor, fence: Fence | None) -> None:
        """Read up to a mark."""
        found = self._stops.search(cursor.text, cursor.at)
        self.plain(cursor, found.start() if found else cursor.end, fence)

    def plain(self, cursor: Cursor, end: int, _fence: Fence | None) -> None:
        """Text."""
        self._add(cursor.text[cursor.at : end])
        cursor.at = end

    def _add(self, piece: str) -> None:
        body = piece.rstrip()
        if body and not self._ended:
            if not len(self._text):
                body = body.lstrip()
                self._pending.clear()
            self._text.add("".join([*self._pending, body]))
            self._pending = [piece[len(piece.rstrip()) :]]
        elif not body:
            self._pending.append(piece)

    def token(self, tag: Tag) -> bool:
        """A token; behind one that ends the turn no text is certain to belong to the answer."""
        if len(self._text):
            self._ended = self._ended or self._end_token.fullmatch(tag.found[0]) is not None
            self._pending.append(tag.found[0])
        return True

    def answer(self, *, opens: bool) -> bool:  # noqa: ARG002 - of no account here
        """Tags around an answer are text where text is wanted."""
        return False

    def leave(self) -> None:
        """Reasoning begins, or a fence."""

    def opened(self, _fence: Fence, line: str) -> None:
        """Fences are text."""
        self._add(line)

    def closed(self, line: str) -> None:
        """Fences are text."""
        self._add(line)

    def partial(self) -> Partial:
        """What is known now."""
        return self._told.partial(self._text) if len(self._text) else NOTHING
