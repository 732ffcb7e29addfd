"""Answers of which nothing is certain before the reply ends: single words, numbers, yes and no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.streaming.partial import NOTHING, Partial

if TYPE_CHECKING:
    from pdl.reply.streaming.cursor import Cursor
    from pdl.reply.streaming.scanner import Fence
    from pdl.reply.streaming.tags import Tag


class SilentReader:
    """Shows nothing: any later word may deny, correct or double an answer that is one word."""

    waits = False

    def take(self, cursor: Cursor, _fence: Fence | None) -> None:
        """Pass over everything."""
        cursor.at = cursor.end

    def plain(self, cursor: Cursor, end: int, _fence: Fence | None) -> None:
        """Pass over it."""
        cursor.at = end

    def token(self, _tag: Tag) -> bool:
        """Of no account."""
        return True

    def answer(self, *, opens: bool) -> bool:  # noqa: ARG002 - likewise
        """Of no account."""
        return True

    def leave(self) -> None:
        """Of no account."""

    def opened(self, _fence: Fence, _line: str) -> None:
        """Of no account."""

    def closed(self, _line: str) -> None:
        """Of no account."""

    def restart(self) -> None:
        """Of no account."""

    def partial(self) -> Partial:
        """Nothing."""
        return NOTHING
