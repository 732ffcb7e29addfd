"""What is known of an answer while its reply comes in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from pdl.reply.streaming.tree import leads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath
    from pdl.reply.result import Violation

State: TypeAlias = Literal["absent", "open", "complete"]
"""What is known of a part of the answer: nothing, something, all of it."""


class View(Protocol):
    """What a reader had read at one moment. It never changes; asking it costs as it is large."""

    def value(self) -> Json:
        """The value so far."""

    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is being written; None if none is."""


class Known(View, Protocol):
    """What is certain of an answer at one moment."""

    def holds(self, path: JsonPath) -> bool:
        """Whether a part that is complete stands at a path."""


@dataclass(frozen=True, eq=False)
class Partial:
    """The answer as far as it is certain, at one moment. It stays as it is when more comes in.

    `started`: an answer has begun; `start`: its first bracket's offset in the reply, None for text.
    `complete`: its last bracket is there, or the fence that ends its code; what follows may still
    change the outcome, which only `close` knows. `growing` is the path of the innermost part that
    is being written, () for the whole; it is None if nothing is open.

    `is_complete` and `errors` are certain of the answer that begins at `start`: `errors` are what
    is wrong with parts that are complete, 1000 at most, and limits that were reached. If `close`
    finds its answer elsewhere, nothing that was said of this one is of account.

    `value` is put together when it is first read. The parts that have ended are shared by all
    partials of a stream: copy them before you change them.
    """

    started: bool = False
    start: int | None = None
    errors: tuple[Violation, ...] = ()
    _view: View | None = field(default=None, repr=False)
    _known: Known | None = field(default=None, repr=False)

    @cached_property
    def value(self) -> Json:
        """The value so far; None if nothing has begun."""
        return self._view.value() if self._view else None

    @property
    def complete(self) -> bool:
        """Whether all of the value is there."""
        return self.started and self.growing is None

    @cached_property
    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is still being written."""
        return self._view.growing() if self._view else None

    def state(self, path: JsonPath = ()) -> State:
        """Whether the part at a path is complete, there or coming, or not there yet."""
        if self.is_complete(path):
            return "complete"
        return "open" if self.started and leads(self.value, path) else "absent"

    def is_complete(self, path: JsonPath = ()) -> bool:
        """Whether all of the part at a path is there, and it is certain which it is."""
        return self._known is not None and self._known.holds(path)

    def complete_paths(self) -> Iterator[JsonPath]:
        """The paths of all parts that are complete, each behind the one that it is in."""
        known = self._known
        pending: list[tuple[JsonPath, Json]] = [((), known.value())] if known else []
        growing = known.growing() if known else None
        while pending:
            path, part = pending.pop()
            if growing is None or growing[: len(path)] != path:
                yield path
            pending += [((*path, key), inner) for key, inner in reversed(_parts(part))]


def _parts(value: Json) -> list[tuple[str | int, Json]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


NOTHING = Partial()
"""No answer has begun."""
