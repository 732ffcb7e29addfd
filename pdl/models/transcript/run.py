"""`Run`: a prompt that was asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.reply.wording import count

if TYPE_CHECKING:
    from datetime import datetime

    from pdl.errors import PdlError
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Request


@dataclass(frozen=True)
class Run:
    """One prompt, asked until it was answered, given up or stopped.

    `prompt` is the file's name, `model` the model's, as a person would write it. `request` is the
    last one that was made, which holds all that was said before. There is an `answer`, or an
    `error`, or neither if somebody stopped it. `seconds` is its wall clock.
    """

    prompt: str
    model: str
    started: datetime
    request: Request = field(repr=False)
    attempts: tuple[Attempt, ...] = field(repr=False)
    answer: Answer | None = None
    error: PdlError | None = None
    seconds: float = 0.0

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        tried = count(len(self.attempts), "attempt")
        if self.answer is not None:
            given = "the default was taken" if self.answer.is_default else "answered"
            return f"{given} after {tried}"
        return f"{'no answer' if self.error is not None else 'stopped'} after {tried}"
