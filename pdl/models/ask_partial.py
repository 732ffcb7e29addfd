"""The answer of a model so far: what `on_partial` is given, and what `stream` yields."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pdl._types import T
from pdl.reply.streaming.partial import Partial, Whole

if TYPE_CHECKING:
    from pdl.models.answer import Answer


@dataclass(frozen=True, eq=False)
class AskPartial(Partial[T]):
    """The answer so far of one attempt, or at the end the answer itself.

    `attempt` is its number, starting at 1; each begins with nothing. `answer` is that of the run,
    on the last partial only: its `value` and `data` are then those of the answer.
    """

    attempt: int = 1
    answer: Answer[T] | None = None

    @property
    def final(self) -> bool:
        """Whether this is the last partial, which has the answer."""
        return self.answer is not None

    @property
    def value(self) -> T | None:
        """The instance so far, or the JSON without a Python type; at the end the value.

        See `pdl.reply.Partial` for what is not known yet. None if there is no value yet, and at the
        end if the answer consists of tool calls.
        """
        return super().value if self.answer is None else self.answer.value

    @classmethod
    def of(cls, partial: Partial[T], attempt: int) -> AskPartial[T]:
        """Return a partial of an attempt."""
        given = {one.name: getattr(partial, one.name) for one in fields(Partial)}
        return cls(**given, attempt=attempt)

    @classmethod
    def last(cls, answer: Answer[T]) -> AskPartial[T]:
        """Return the last partial, which has the answer."""
        attempt = max(1, len(answer.attempts))
        if answer.calls:
            return cls(attempt=attempt, answer=answer)
        span = answer.check.span if answer.check is not None else None
        whole = Whole(answer.data)
        start = None if span is None else span[0]
        return cls(True, start, (), whole, whole, attempt=attempt, answer=answer)  # noqa: FBT003
