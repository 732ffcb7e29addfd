"""What is to be done next while a model is asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pdl.models.exchange import Delta, Reply, Request
    from pdl.models.faults import Fault
    from pdl.reply import Violation


@dataclass(frozen=True, slots=True)
class Call:
    """Make this call now, within so many seconds, and send its `Outcome`."""

    request: Request
    timeout: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: a reply, a fault, or with a fault what had come before it.

    `errors` are those for which a reply was stopped while it came.
    """

    reply: Reply | None = None
    fault: Fault | None = None
    errors: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Tell:
    """Give this to `on_delta`: what was kept of a reply, which no call brings."""

    delta: Delta


Step: TypeAlias = Call | Sleep | Tell
