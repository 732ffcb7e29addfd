"""What is known of an answer while its reply comes in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.outcome import Violation

State: TypeAlias = Literal["absent", "open", "complete"]
"""What is known of a part of the answer: nothing, a beginning, all of it."""


class View(Protocol):
    """What a reader had read at one moment. It never changes; asking it costs as it is large."""

    def value(self) -> Json:
        """The value so far."""

    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is not complete; None if all of it is."""


@dataclass(frozen=True, eq=False)
class Partial:
    """The answer as far as it is certain, at one moment. It stays as it is when more comes in.

    `started`: an answer has begun. `complete`: its last bracket is there, or the fence that ends
    its code; what follows may still change the outcome, which only `close` knows. `growing` is the
    path of the innermost part that is still being written, () for the whole; those around it are
    open as well, and everything else that is in `value` is complete. It is None if nothing is
    open.

    `value` is put together when it is first read. The parts that are complete are shared by all
    partials of a stream: copy them before you change them.
    """

    started: bool = False
    complete: bool = False
    _view: View | None = field(default=None, repr=False)
    _found: Sequence[Violation] = field(default=(), repr=False)
    _count: int = field(default=0, repr=False)

    @cached_property
    def value(self) -> Json:
        """The value so far; None if nothing has begun."""
        return self._view.value() if self._view else None

    @cached_property
    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is still being written."""
        return self._view.growing() if self._view else None

    @cached_property
    def errors(self) -> tuple[Violation, ...]:
        """What is certainly wrong with parts that are complete, and limits that were reached."""
        return tuple(islice(self._found, self._count))

    def state(self, path: JsonPath = ()) -> State:
        """Whether the part at a path is complete, open, or not there yet."""
        if not self.started or not _has(self.value, path):
            return "absent"
        growing = self.growing
        return "open" if growing is not None and growing[: len(path)] == path else "complete"

    def is_complete(self, path: JsonPath = ()) -> bool:
        """Whether all of the part at a path is there: it stays as it is if the answer does."""
        return self.state(path) == "complete"

    def complete_paths(self) -> Iterator[JsonPath]:
        """The paths of all parts that are complete, each behind the one that it is in."""
        pending: list[tuple[JsonPath, Json]] = [((), self.value)] if self.started else []
        growing = self.growing
        while pending:
            path, part = pending.pop()
            if growing is None or growing[: len(path)] != path:
                yield path
            pending += [((*path, key), inner) for key, inner in reversed(_parts(part))]


def _parts(value: Json) -> list[tuple[str | int, Json]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _has(value: Json, path: JsonPath) -> bool:
    """Whether a path leads to a part of a value."""
    for step in path:
        keys: Container[str | int] = value if isinstance(value, dict) else ()
        if isinstance(value, list) and isinstance(step, int):
            keys = range(len(value))
        if step not in keys:
            return False
        value = value[step]
    return True


NOTHING = Partial()
"""No answer has begun."""
