"""Who hears of the parts of a value while it is read, and when they are certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.result import Span
    from pdl.reply.streaming.tree import Open


class Listener(Protocol):
    """Hears of each part that is there. `again`: it is the second value of its key."""

    def open(self, top: Open | None, key: str | int | None, box: Json, *, again: bool) -> None:
        """A bracket opens in `top`; only the outermost one has no key."""

    def key(self, top: Open, name: str, span: Span) -> None:
        """A key is complete."""

    def scalar(self, top: Open, key: str | int, value: Json, span: Span) -> None:
        """A string, a number or a literal is complete."""

    def close(self, top: Open, span: Span) -> None:
        """A bracket is closed."""

    def sure(self, top: Open) -> None:
        """All that was heard of by now is certain; `top` is the innermost bracket that is open."""
