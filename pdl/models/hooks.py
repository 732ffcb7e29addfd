"""What a program may watch while a model is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.models.answer import Attempt
    from pdl.models.exchange import Request


class CacheWarning(UserWarning):
    """A cache could not be used. The model was asked all the same."""


class Hook:
    """Told before and after each attempt; subclass it and say what is to happen.

    A stored reply, for which no call is made, is told by `after` alone.

    What a hook raises ends the asking and reaches the caller.
    """

    def before(self, number: int, request: Request) -> None:
        """The attempt with this number, from 1 up, is about to be made."""

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:
        """It was made. `pause` is how many seconds later the next will be, None if none will."""
