"""A bar on the standard error while a batch runs, where somebody sees it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from pdl.cli.screen import Screen

_REDRAWN_AFTER = 0.1  # seconds
_WIDTH = 24
_ERASE_LINE = "\r\x1b[K"


class Progress:
    """How far a batch is, in bytes of its input, which has `total` of them if that is known."""

    def __init__(self, screen: Screen, total: int | None, *, shown: bool) -> None:
        self._screen = screen
        self._at = self._drawn_at = 0
        self._drawn = 0.0
        self._words = ""
        self._bar = (
            click.progressbar(
                _nothing() if total is None else None,
                length=total,
                file=screen.stream,
                item_show_func=lambda _: self._words,
                width=_WIDTH,
            )
            if shown
            else None
        )

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the bar as it was last; what is written next comes below it."""
        if self._bar is not None:
            self._draw()
            self._bar.__exit__(kind, error, trace)

    def show(self, at: int, words: str) -> None:
        """Move the bar, and seldom enough draw it that this costs nothing."""
        self._at, self._words = at, words
        if time.monotonic() - self._drawn > _REDRAWN_AFTER:
            self._draw()

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.update(self._at - self._drawn_at)
            self._drawn, self._drawn_at = time.monotonic(), self._at

    def write(self, text: str) -> None:
        """Write a text above the bar."""
        self._screen.write(f"{_ERASE_LINE if self._bar is not None else ''}{text}")


def _nothing() -> Iterator[None]:
    """What a bar of unknown length goes through: it is moved by hand."""
    yield from ()
