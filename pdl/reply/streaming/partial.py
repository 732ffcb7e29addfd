"""The known part of an answer while its reply comes in.

The value is a partially persistent structure (Driscoll et al. 1989): every earlier moment stays
available. The open brackets are a linked list of tuples, each with the number of parts that it had:
parts are only added, so a moment is the innermost bracket and its size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeAlias

from pdl._types import T
from pdl.reply.parsing.events import since
from pdl.reply.parsing.strings import beginning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath
    from pdl.reply.parsing.parser import Glimpse, Parser
    from pdl.reply.result import Event, Violation
    from pdl.reply.streaming.partial_instances import PartialInstances

State: TypeAlias = Literal["absent", "open", "complete"]
"""The known extent of a part of the answer: nothing, something, all of it."""


class View(Protocol):
    """The state of a reader at one moment. It never changes; reading it costs as it is large."""

    def value(self) -> Json:
        """The value so far."""

    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is being written; None if none is."""


@dataclass(frozen=True, eq=False)
class Partial(Generic[T]):
    """The answer so far, at one moment. It does not change when more comes in.

    `started`: an answer has begun; `start`: its first bracket's offset in the reply, None for text.
    `complete`: its last bracket is there, or the fence that ends its code; what follows can still
    change the outcome, which only `close` knows. `growing` is the path of the innermost part that
    is being written, () for the whole; it is None if nothing is open.

    `is_complete` and `errors` are certain for the answer that begins at `start`: `errors` are
    those of complete parts, 1000 at most, and limits that were reached. If `close` finds its answer
    elsewhere, they do not apply.

    `data` is the JSON so far. `value` is the same, or for a stream of a Python type an instance of
    it in which every field that is not known yet is None. Both are assembled when they are first
    read. The parts that have ended are shared by all partials of a stream: copy them before you
    change them.
    """

    started: bool = False
    start: int | None = None
    errors: tuple[Violation, ...] = ()
    _view: View | None = field(default=None, repr=False)
    _known: Known | None = field(default=None, repr=False)
    _instances: PartialInstances | None = field(default=None, repr=False)

    @cached_property
    def data(self) -> Json:
        """The JSON so far; None if nothing has begun."""
        return self._view.value() if self._view else None

    @cached_property
    def value(self) -> T | None:
        """The instance so far, or the JSON without a Python type; None if there is none yet.

        In an instance, a part is None, or absent from a dict, until it is known: a string is its
        text so far, a list its items so far; other scalars and sets wait until they are complete,
        and so does a union until one member is possible. A part that is complete and fits its
        schema is what the answer will contain, so its validators have run (if they refuse it, the
        part is made without them). Other parts are made without code of their classes:
        neither `__post_init__` nor validators, and no defaults.
        """
        made = self._instances
        found: T | None = (
            self.data if made is None else made.value(self.data, self._known, self.start)
        )
        return found

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
        return "open" if self.started and leads(self.data, path) else "absent"

    def is_complete(self, path: JsonPath = ()) -> bool:
        """Whether all of the part at a path is there, and it is certain which it is."""
        return self._known is not None and self._known.holds(path)

    def complete_paths(self) -> Iterator[JsonPath]:
        """The paths of all complete parts, each after the one that contains it."""
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


NOTHING: Partial = Partial()
"""No answer has begun."""


# A value that grows


def leads(value: Json, path: JsonPath) -> bool:
    """Whether a path leads to a part of a value."""
    for step in path:
        if isinstance(value, dict):
            there = step in value
        else:
            there = isinstance(value, list) and step in range(len(value))
        if not there:
            return False
        value = value[step]
    return True


class Whole(NamedTuple):
    """A value that is complete."""

    root: Json

    def holds(self, path: JsonPath) -> bool:
        """Whether a part is at a path."""
        return leads(self.root, path)

    def value(self) -> Json:
        """The value."""
        return self.root

    def growing(self) -> JsonPath | None:
        """Nothing is open."""
        return None


class Open(NamedTuple):
    """An open bracket: its step in the one around it, its offset, its first parts.

    `key` is that of the part that comes next.
    """

    around: Open | None
    step: str | int | None
    start: int
    box: Any
    size: int
    key: str | int | None

    def chain(self) -> list[Open]:
        """The brackets that are open, from the outermost in."""
        found: list[Open] = []
        current: Open | None = self
        while current is not None:
            found.append(current)
            current = current.around
        return found[::-1]

    def growing(self) -> JsonPath:
        """The path of the bracket."""
        return tuple([one.step for one in self.chain() if one.step is not None])

    def holds(self, path: JsonPath) -> bool:
        """Whether a part that is complete is at a path."""
        chain = self.chain()
        for depth, step in enumerate(path):
            if depth + 1 == len(chain) or chain[depth + 1].step != step:
                top = chain[depth]
                return top.has(step) and leads(top.box[step], path[depth + 1 :])
        return False

    def has(self, step: str | int) -> bool:
        """Whether one of the parts that it had is there."""
        if isinstance(self.box, list):
            return step in range(self.size)
        return step in (self.box if len(self.box) == self.size else islice(self.box, self.size))

    def put(self, value: Json) -> Open:
        """The bracket with another part; a key that comes twice keeps its first value."""
        if isinstance(self.box, list):
            self.box.append(value)
            size = self.size + 1
            return Open(self.around, self.step, self.start, self.box, size, size)
        if self.key in self.box:
            return self
        self.box[self.key] = value
        return Open(self.around, self.step, self.start, self.box, self.size + 1, self.key)

    def copy(self) -> Open:
        """The same brackets with copies of what they had."""
        top: Open | None = None
        for one in self.chain():
            top = one._replace(around=top, box=_first(one.box, one.size))
        assert top
        return top

    def value(self) -> Json:
        """The value so far."""
        return self.copy().closed()

    def closed(self) -> Json:
        """The value if all brackets close here; it is added to them."""
        top = self
        while top.around is not None:
            top = top.around.put(top.box)
        return top.box


def _first(box: Any, size: int) -> Any:
    if isinstance(box, list):
        return box[:size]
    return dict(islice(box.items(), size))


Known: TypeAlias = Open | Whole | None
"""The part of the value that is certain."""


def play(top: Known, event: Event) -> Known:
    """The value after one more event."""
    op = event.op
    if op in {"object", "array"}:
        around = top if isinstance(top, Open) else None
        box: Any = {} if op == "object" else []
        step = around.key if around else None
        return Open(around, step, event.start, box, 0, 0 if op == "array" else None)
    if not isinstance(top, Open) or op == "repair":
        return top
    if op == "key":
        return Open(top.around, top.step, top.start, top.box, top.size, event.payload)
    if op == "value":
        return top.put(event.payload)
    return Whole(top.box) if top.around is None else top.around.put(top.box)


class JsonView:
    """The view of a value: the certain part, and its likely continuation.

    The continuation is computed on demand; until then it is a state of the parser.
    """

    def __init__(self, parser: Parser, known: Known, played: Event | None) -> None:
        self._parser = parser
        self._known = known
        self._played = played
        self._state, self._end = parser.moment

    @property
    def far(self) -> int:
        """How many characters are to be looked at."""
        return self._end - self._state.at

    @cached_property
    def _glimpse(self) -> Glimpse:
        return self._parser.glimpse(self._state, self._end)

    @cached_property
    def _events(self) -> list[Event]:
        return [one for one in since(self._glimpse.trail, self._played) if one.op != "repair"]

    def shows(self) -> tuple[object, ...]:
        """What distinguishes two moments; certain parts are compared by identity."""
        events = [(event.op, event.payload) for event in self._events]
        return id(self._known), events, self._glimpse.string

    def _top(self) -> Known:
        top = self._known.copy() if isinstance(self._known, Open) else self._known
        for event in self._events:
            top = play(top, event)
        return top

    def value(self) -> Json:
        """The value so far."""
        top = self._top()
        if not isinstance(top, Open):
            return top.root if top else None
        if self._glimpse.string:
            top = top.put(beginning(self._parser.text(*self._glimpse.string)))
        return top.closed()

    def growing(self) -> JsonPath | None:
        """The path of the innermost part that is open; None if none is."""
        top = self._top()
        if not isinstance(top, Open):
            return None if top else ()
        if self._glimpse.string is None or top.key is None or top.has(top.key):
            return top.growing()
        return (*top.growing(), top.key)
