"""`ResponseDecoder`: from a reply in the provider's form of a schema back to the schema's own.

`StreamDecoder` removes nulls that represent absent keys, and a wrapper, from streaming text; it is
a pushdown automaton over JSON with the states of `DecoderState`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class DecoderState:
    """A state of the decoder: the keys of an object, each with whether null means absent.

    `members` maps a key to that and to the index of the next state, as `items` does for the items
    of an array.
    """

    members: Mapping[str, tuple[bool, int]]
    items: int | None = None


_SPACE = re.compile(r"[ \t\r\n]*")
_KEY = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_IN_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_SCALAR = re.compile(r'[^\s,:{}\[\]"]+')
_LONGEST_KEY = 2_000


@dataclass(slots=True)
class _Frame:
    """An open object or array, and which of its keys were kept and which removed."""

    state: DecoderState | None
    is_object: bool
    key: str = ""
    is_droppable: bool = False
    kept: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    has_members: bool = False


class StreamDecoder:
    """Takes pieces of text, and returns each as soon as it is certain. Linear in the text.

    Text that doesn't match the states is returned as it is, with everything after it.
    """

    def __init__(self, states: tuple[DecoderState, ...], wrapper: str) -> None:
        self._states = states
        self._wrapper = wrapper
        self._frames: list[_Frame] = []
        self._step = self._wrapper_start if wrapper else self._start
        self._next: int | None = 0 if states else None
        self._text = ""
        self._at = 0
        self._held: list[str] = []
        self._given: list[str] = []

    def feed(self, text: str) -> str:
        """Take one more piece, and return the text that is now certain."""
        self._text += text
        while self._at < len(self._text) and self._step():
            pass
        self._text = self._text[self._at :]
        self._at = 0
        return self._take()

    def close(self) -> str:
        """Return what was withheld."""
        self._given += [*self._held, self._text]
        self._text = ""
        self._held.clear()
        return self._take()

    def _take(self) -> str:
        text = "".join(self._given)
        self._given.clear()
        return text

    # Each step looks at what comes next, and returns False if it needs more of it.

    def _pass(self) -> bool:
        """Return everything that was withheld and everything that follows."""
        self._given += [*self._held, self._text[self._at :]]
        self._held.clear()
        self._at = len(self._text)
        self._step = self._pass
        return True

    def _start(self) -> bool:
        if not self._skip_space(self._given):
            return False
        return self._value() if self._text[self._at] == "{" else self._pass()

    def _wrapper_start(self) -> bool:
        return self._delimiter("{", self._wrapper_key)

    def _wrapper_key(self) -> bool:
        key = self._key()
        if key is None:
            return self._step == self._pass
        self._step = self._wrapper_colon
        return self._pass() if key != self._wrapper else True

    def _wrapper_colon(self) -> bool:
        if self._delimiter(":", self._value):
            if self._step == self._value:
                self._held.clear()
            return True
        return False

    def _end(self) -> bool:
        """After the answer: the end of the wrapper, if there is one."""
        if not self._wrapper:
            return self._pass()
        if self._delimiter("}", self._pass):
            if self._held and self._held[-1] == "}":
                self._held.clear()
            return True
        return False

    def _value(self) -> bool:
        inside = self._given if self._frames else []  # white space before the answer is dropped
        if not self._skip_space(self._held if self._is_waiting else inside):
            return False
        char = self._text[self._at]
        if self._is_waiting:
            if char == "n":
                self._step = self._null
                return True
            self._keep()
        if char in "{[":
            self._open(is_object=char == "{")
        elif char == '"':
            self._step = self._string
        elif _SCALAR.match(char):
            self._step = self._scalar
            return True
        else:
            return self._pass()
        self._give(char)
        return True

    @property
    def _is_waiting(self) -> bool:
        """Whether a key is withheld until its value is known."""
        return bool(self._frames) and self._frames[-1].is_droppable

    def _null(self) -> bool:
        """The value of a key that null may remove."""
        word = _SCALAR.match(self._text, self._at)
        assert word is not None
        if word.end() == len(self._text) and "null".startswith(word[0]):
            return False
        frame = self._frames[-1]
        if word[0] == "null":
            frame.dropped.add(frame.key)
            frame.is_droppable = False
            self._held.clear()
            self._at = word.end()
            self._step = self._after
        else:
            self._keep()
            self._step = self._scalar
        return True

    def _scalar(self) -> bool:
        run = _SCALAR.match(self._text, self._at)
        if run is None:
            self._step = self._after
        else:
            self._give(run[0])
        return True

    def _string(self) -> bool:
        run = _IN_STRING.match(self._text, self._at)
        assert run is not None
        self._give(run[0])
        if self._text[self._at : self._at + 1] != '"':
            return False
        self._give('"')
        self._step = self._after
        return True

    def _after(self) -> bool:
        """After a value."""
        if not self._frames:
            self._step = self._end
            return True
        if not self._skip_space(self._given):
            return False
        frame = self._frames[-1]
        char = self._text[self._at]
        if char == ("}" if frame.is_object else "]"):
            self._close(char)
        elif char == "," and frame.is_object:
            self._held.append(char)
            self._at += 1
            self._step = self._member
        elif char == ",":
            self._give(char)
            self._element()
        else:
            return self._pass()
        return True

    def _first(self) -> bool:
        """After an opening bracket."""
        if not self._skip_space(self._given):
            return False
        char = self._text[self._at]
        is_object = self._frames[-1].is_object
        if char == ("}" if is_object else "]"):
            self._close(char)
        elif is_object:
            self._step = self._member
        else:
            self._element()
        return True

    def _element(self) -> None:
        state = self._frames[-1].state
        self._next = None if state is None else state.items
        self._step = self._value

    def _member(self) -> bool:
        key = self._key()
        if key is None:
            return self._step == self._pass
        frame = self._frames[-1]
        known = (
            (False, None) if frame.state is None else frame.state.members.get(key, (False, None))
        )
        frame.key, (frame.is_droppable, self._next) = key, known
        if key in frame.dropped:  # a duplicate: both are returned, for the check to reject
            self._held.insert(-1, f"{json.dumps(key)}: null,")
        if key in frame.dropped | frame.kept:
            frame.is_droppable = False
        self._step = self._colon
        return True

    def _colon(self) -> bool:
        if not self._delimiter(":", self._value):
            return False
        if self._step == self._value and not self._frames[-1].is_droppable:
            self._keep()
        return True

    # The parts of the steps.

    def _skip_space(self, into: list[str]) -> bool:
        """Take white space; whether something follows it."""
        run = _SPACE.match(self._text, self._at)
        assert run is not None
        if run[0]:
            into.append(run[0])
            self._at = run.end()
        return self._at < len(self._text)

    def _delimiter(self, char: str, then: object) -> bool:
        """Withhold a delimiter; if there is another, the rest is returned as it is."""
        if not self._skip_space(self._held):
            return False
        if self._text[self._at] != char:
            return self._pass()
        self._held.append(char)
        self._at += 1
        self._step = then  # type: ignore[assignment]
        return True

    def _key(self) -> str | None:
        """Withhold a key. None if it is incomplete, or not a key."""
        if not self._skip_space(self._held):
            return None
        run = _KEY.match(self._text, self._at)
        if run is None:
            if self._text[self._at] != '"' or len(self._text) - self._at > _LONGEST_KEY:
                self._pass()
            return None
        try:
            key: str = json.loads(run[0], strict=False)
        except ValueError:
            self._pass()
            return None
        self._held.append(run[0])
        self._at = run.end()
        return key

    def _give(self, text: str) -> None:
        self._given.append(text)
        self._at += len(text)

    def _keep(self) -> None:
        """Return the withheld key, without a comma if all keys before it were removed."""
        frame = self._frames[-1]
        if not frame.has_members and self._held[0] == ",":
            del self._held[0]
        frame.has_members = True
        frame.is_droppable = False
        frame.kept.add(frame.key)
        self._given += self._held
        self._held.clear()

    def _open(self, *, is_object: bool) -> None:
        state = None if self._next is None else self._states[self._next]
        self._frames.append(_Frame(state, is_object))
        self._step = self._first

    def _close(self, char: str) -> None:
        self._give(char)
        self._frames.pop()
        self._step = self._after


@dataclass(frozen=True, slots=True)
class ResponseDecoder:
    """Converts an answer from a provider's form of a schema to the schema's own.

    `states` say where null means an absent key; the first is that of the whole answer. `key` is
    that of an object around the answer; empty if there is none. Text that doesn't have this form
    stays as it is, from where it differs.
    """

    states: tuple[DecoderState, ...] = ()
    key: str = ""

    @property
    def nulls(self) -> frozenset[str]:
        """The names of the keys whose null means that they are absent."""
        return frozenset(
            key for state in self.states for key, (is_null, _) in state.members.items() if is_null
        )

    def text(self, text: str) -> str:
        """Return the text of a whole reply in the schema's own form."""
        decoder = self.stream()
        return decoder.feed(text) + decoder.close()

    def stream(self) -> StreamDecoder:
        """Return the same for text that arrives in pieces."""
        return StreamDecoder(self.states, self.key)
