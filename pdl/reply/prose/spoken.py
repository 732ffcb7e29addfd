"""What the prose of a reply says that may be its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.reply.result import Repair, Span


@dataclass(frozen=True, slots=True)
class Spoken:
    """Something in the text that may be a scalar answer; `why` says what it is if it is none.

    `placed`: it stands where an answer does. `idle`: it has no say beside others (a date, the
    operand of a sum), but if nothing else is there, then `why` tells the model what it said.
    `rival`: it would be the answer in another case.
    """

    span: Span
    value: str | int | float | bool | None
    why: str = ""
    repairs: tuple[Repair, ...] = ()
    placed: bool = False
    idle: bool = False
    rival: bool = False

    @property
    def clear(self) -> bool:
        """Whether it has a value."""
        return not self.why
