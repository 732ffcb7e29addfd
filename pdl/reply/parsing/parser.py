"""A push parser of JSON in other spellings (JSON5, Python, what models write).

It simulates a nondeterministic pushdown automaton, all states in step, as generalized parsers do
(Tomita 1985), but without merging stacks: the states are the readings of the text so far, and each
one continues as far as the text allows. Where a quote might end a string or be part of it, both
readings continue. There is no recursion: brackets are linked frames, and events a linked list that
states share.

Every departure from RFC 8259 is a repair that changes how a value is written, never which value it
is: nothing is filled in, cut, rounded, or dropped except commas, comments, closing brackets, and
spaces. If a text can be read in two ways the schema decides, if only one of them fits it; otherwise
the text is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl import _re as re
from pdl.reply.parsing import tokens
from pdl.reply.parsing.events import make, scan, since
from pdl.reply.parsing.grammar import Grammar
from pdl.reply.parsing.parsed import LIMITS, parse
from pdl.reply.parsing.reader import START, IncompleteError, ParserState
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import Phrase
from pdl.reply.result import Parsed

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.result import Event, Span
    from pdl.reply.validation.schema_walk import Node

_MARK = re.compile(r"""["'“”„‘’＂`「」『』«»{}()\[\]:：,，;；、\n\\/#*<>=+]""")
"""Characters that can change how a text is read."""
_QUIET = re.compile(r"(?>(?:[^\W\d_]| )*)")
_PATIENCE = 16  # a state looks again after this part of its lag
_WORK = 16  # how often a text is read at most, all readings together
_FAR = 8192  # characters that a state waits for


class FullParse(NamedTuple):
    """One reading of all of a text; `passed`: see `ParserState`."""

    made: Parsed
    passed: bool


class Glimpse(NamedTuple):
    """The continuation of a text from one state, if it ended here.

    `string`: the span of the body of a string that is open; `done`: the last bracket is there.
    """

    trail: Event | None
    string: Span | None
    done: bool


class Parser(Grammar):
    """Parses one text, a bracket and its content.

    `certain` is the last event that all states have in common: whatever comes, all readings begin
    with the events up to it, unless closing brackets are wrong. `limit` is the bound of `Limits`
    that ended the last state. A state waits until the characters that it looks at are there; if
    those are too many, nothing after it will be certain.
    """

    def __init__(self, node: Node, limits: Limits) -> None:
        super().__init__(node, limits)
        self._node = node
        self._others = [START]
        self.certain: Event | None = None
        self.limit: Phrase | None = None
        self._first_state = START  # the last state of those that were the first
        self._odd = -1  # where no plain part begins
        self._marked = 0  # no unseen mark comes before this offset

    def feed(self, text: str) -> None:
        """Take the next piece.

        States continue at marks, or one character after each, and a single state from one plain
        part to the next: the pieces make no difference.
        """
        if self.is_stuck:
            return
        # A local name makes CPython append in place, so all appending is linear.
        whole, self._text = self._text, ""
        whole += text
        self._text = whole
        if self.lost or _QUIET.fullmatch(whole, max(0, len(whole) - len(text) - 1)):
            return  # a part ends at a mark, at a digit, or one character after a mark
        while self._lives() and not self._waits_for_plain() and (end := self._next_mark()):
            self._advance(end)

    def _lives(self) -> bool:
        return bool(self._others) and not self.lost

    def _waits_for_plain(self) -> bool:
        """Take plain parts in the only state, if there is one; return whether to wait."""
        state = self._others[0]
        if len(self._others) > 1 or state.at <= self._odd or state.string or state.ending:
            return False
        self._resume(state)
        outcome = self._take_plain()
        if self._at > state.at:
            self._others = [self._state()]
            self._first_state, self.certain = self._others[0], self._trail
            self._seen = max(self._seen, self._at)
        self._odd = self._odd if outcome == "waits" else self._at
        return outcome == "waits"

    def _next_mark(self) -> int:
        """The offset up to which the states can continue next; 0 if there is no mark yet.

        The farther a state lags, the less often it looks again whether it can continue.
        """
        text, seen, state = self._text, self._seen, self._others[0]
        reached = min(map(_reached, self._others))
        least = max(seen + 1, seen + (seen - reached) // _PATIENCE)
        pattern = _MARK
        if len(self._others) == 1 and state.string and reached >= seen:
            pattern = tokens.STOPS[tokens.QUOTES[text[state.string[0]]]]
        for mark in pattern.finditer(text, max(least - 2, self._marked)):
            end = mark.end()
            if end >= least and mark[0] in tokens.CLOSERS:
                return end
            if end == len(text):
                self._marked = end - 1
                return 0
            if end + 1 >= least:
                return end + 1
        self._marked = len(text)
        return 0

    def flush(self) -> None:
        """Continue with everything that came: a mark is known to end it.

        JSON is read as it stands, however many other readings there were.
        """
        if self._lives():
            self._advance(len(self._text))
        doubtful = self.lost or len(self._others) > 1
        last = _plain_events(self._text, self._limits) if doubtful else None
        if last is None:
            return
        for event in since(last):
            if self.certain is None or event.start > self.certain.start:
                self.certain = event._replace(before=self.certain)
        end = len(self._text)
        self._first_state = START._replace(at=end, phase="done", trail=self.certain)
        self._others, self.lost = [self._first_state], False

    def _advance(self, seen: int) -> None:
        self._seen = seen
        pending = self._others[::-1]
        waiting: list[ParserState] = []
        branches, alive = self._branches, len(pending)
        while pending:
            self._resume(pending.pop())
            self._others = []
            waiting += self._go_on_waiting()
            pending += reversed(self._others)
        self._others = waiting
        self.lost |= self._is_stuck(waiting)
        self._first_state = waiting[0] if waiting else self._first_state
        changed = (alive, branches) != (len(waiting), self._branches)
        if waiting and not self.lost and (len(waiting) == 1 or changed):
            self.certain = _common([state.trail for state in waiting], self.certain)

    def _go_on_waiting(self) -> list[ParserState]:
        """Go on in the present state; the one in which it then waits, if it can be gone on in."""
        try:
            while self._phase != "done":
                self._secure()
                self._step()
            self._secure()
            self._ends()
        except IncompleteError:
            state, forks, self._branches = self._rollback
            del self._others[forks:]
            return [state]
        except UnreadableError as failure:
            why = failure.why
            self.limit = why if isinstance(why, Phrase) and why.key in LIMITS else None
            return []
        return [self._state()]

    def _is_stuck(self, states: list[ParserState]) -> bool:
        """Whether a state waits for very long, or there is more than one for very long."""
        far = self._seen - _FAR
        known = self.certain.end if self.certain else 0
        waits = any(_reached(one) < far for one in states)
        return waits or (len(states) > 1 and known < far)

    def forget(self) -> Event | None:
        """Drop the events that are certain; return the one that replaces the last one.

        After that, `end` cannot make a value.
        """
        last = self.certain
        if last and last.op != "repair" and [state.trail for state in self._others] == [last]:
            self.certain = last._replace(before=None)
            self._first_state = self._others[0]._replace(trail=self.certain)
            self._others = [self._first_state]
        return self.certain

    def text(self, start: int, end: int) -> str:
        """A part of what came so far."""
        return self._text[start:end]

    @property
    def is_stuck(self) -> bool:
        """Whether the text cannot be read, unless closing brackets are wrong."""
        return not self._others and not self._ended

    @property
    def moment(self) -> tuple[ParserState, int]:
        """The first state, and how much of the text it can still read."""
        return self._first_state, self._seen if self.is_stuck or self.lost else len(self._text)

    def glimpse(self, state: ParserState, end: int) -> Glimpse:
        """The continuation of the text up to an offset from a state."""
        parser = Parser(self._node, self._limits)
        parser._text, parser._seen = self._text, end
        parser._ended, parser._others = True, []
        return parser._seem(state)

    def _seem(self, state: ParserState) -> Glimpse:
        self._resume(state)
        try:
            while self._phase != "done":
                self._secure()
                self._step()
        except UnreadableError:
            string = self._open_string()
            if string:
                return Glimpse(self._trail, string, done=False)
        trail = self._trail
        if self._phase == "after" and trail is not state.trail and self._may_grow(trail):
            trail = trail.before if trail else None
        return Glimpse(trail, None, self._phase == "done")

    def _may_grow(self, last: Event | None) -> bool:
        """Whether the last value is a number or a word that might not be complete."""
        if last is None or last.op != "value" or self._text[last.start] in tokens.QUOTES:
            return False
        rest = self._text[last.end : self._seen]
        return not (rest.strip() if isinstance(last.payload, str) else rest)

    def _open_string(self) -> Span | None:
        """The body of a string value that is not complete; of one in several parts the first."""
        begun, trail, end = self._begun, self._trail, self._seen
        if self._phase != "value" or self._text[begun : begun + 1] not in tokens.QUOTES:
            return None
        while trail and trail.op == "repair" and trail.start >= begun:
            end = trail.start - 1 if trail.payload[0] == "concatenation" else end
            trail = trail.before
        return (begun + 1, end) if trail and begun >= trail.end else None

    def end(self, text: str = "") -> list[FullParse]:
        """Take the last piece; return all readings.

        Raises the UnreadableError of the state that came furthest, if there are none.
        """
        self._text += text
        self._seen, self._ended = len(self._text), True
        found: list[FullParse] = []
        last: UnreadableError | None = None
        work = _WORK * len(self._text)
        while self._others and work >= 0:
            state = self._others.pop()
            self._resume(state)
            try:
                found.append(self._read())
            except UnreadableError as failure:
                last = failure if last is None or failure.at > last.at else last
            work -= self._at - state.at
        if self._others or self.lost:
            raise UnreadableError(self._at, "can be read in too many ways")
        if last and not found:
            raise last
        return found

    def _read(self) -> FullParse:
        while self._phase != "done":
            if self._string or self._ending or self._take_plain() != "taken":
                self._step()
        self._ends()
        return FullParse(make(self._text, self._trail), self._passed)


def _plain_events(text: str, limits: Limits) -> Event | None:
    """The last event of JSON (RFC 8259); None if the text is anything else."""
    last: Event | None = None
    if isinstance(parse(text, limits), Parsed):
        for event in since(scan(text, 0, len(text))):
            made = parse(text[event.start : event.end], limits) if event.op == "value" else None
            payload = made.value if isinstance(made, Parsed) else event.payload
            last = event._replace(before=last, payload=payload)
    return last


def _reached(state: ParserState) -> int:
    """Up to where a state has read."""
    return state.string[1] if state.string else state.at


def _common(trails: list[Event | None], known: Event | None) -> Event | None:
    """The last event that all trails have in common; all contain a known one."""
    if len(trails) == 1:
        return trails[0]
    for events in zip(*(since(trail, known) for trail in trails), strict=False):
        if any(event is not events[0] for event in events):
            break
        known = events[0]
    return known
