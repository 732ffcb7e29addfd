"""Optional keys of a provider that requires every key, and answers back in the schema's own form.

`NullableKeys` widens the projected schema: null means that a key is absent. `decoder_states`
derives from it where such nulls may occur, and `ResponseDecoder` removes them from a reply,
together with an object around the answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdl.models.payloads.schema_dialect import UnsupportedSchemaError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping


@dataclass(frozen=True, slots=True)
class DecoderState:
    """A state of the decoder: the keys of an object, each with whether null means absent.

    `members` maps a key to that and to the index of the next state, as `items` does for the items
    of an array.
    """

    members: Mapping[str, tuple[bool, int]]
    items: int | None = None


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


_SPACE = re.compile(r"[ \t\r\n]*")
_KEY = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_IN_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_SCALAR = re.compile(r'[^\s,:{}\[\]"]+')
_LONGEST_KEY = 2_000


class _MismatchError(Exception):
    """The text doesn't have the form that the states describe."""


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

    It is a pushdown automaton over JSON, written as generators that yield where they need more
    text. Text that doesn't match the states is returned as it is, with everything after it.
    """

    def __init__(self, states: tuple[DecoderState, ...], wrapper: str) -> None:
        self._states = states
        self._wrapper = wrapper
        self._text = ""
        self._at = 0
        self._held: list[str] = []
        self._given: list[str] = []
        self._reading: Generator[None] | None = self._answer()

    def feed(self, text: str) -> str:
        """Take one more piece, and return the text that is now certain."""
        self._text, self._at = self._text[self._at :] + text, 0
        if self._reading is not None:
            try:
                next(self._reading)
            except (StopIteration, _MismatchError):
                self._reading = None
        return self._taken() if self._reading is not None else self.close()

    def close(self) -> str:
        """Return what was withheld."""
        self._given += [*self._held, self._text[self._at :]]
        self._held.clear()
        self._text, self._at = "", 0
        return self._taken()

    def _taken(self) -> str:
        text = "".join(self._given)
        self._given.clear()
        return text

    def _answer(self) -> Generator[None]:
        """The answer, in its wrapper if there is one, which is dropped."""
        if self._wrapper:
            yield from self._delimiter("{")
            if (yield from self._key()) != self._wrapper:
                raise _MismatchError
            yield from self._delimiter(":")
            self._held.clear()
        elif (yield from self._next(self._given)) != "{":
            return
        frames: list[_Frame] = []
        state = 0 if self._states else None
        is_first = yield from self._value(frames, state)
        while frames:
            state = yield from self._until_value(frames, is_first=is_first)
            if frames:
                is_first = yield from self._value(frames, state)
        if self._wrapper:
            yield from self._delimiter("}")
            self._held.clear()

    def _value(self, frames: list[_Frame], state: int | None) -> Generator[None, None, bool]:
        """A scalar, or an opening bracket, for which it returns true."""
        frame = frames[-1] if frames else None
        is_waiting = frame is not None and frame.is_droppable
        char = yield from self._next(self._held if is_waiting else self._given if frames else [])
        if frame is not None and is_waiting:
            if char == "n" and (yield from self._is_null()):
                frame.dropped.add(frame.key)
                self._held.clear()
                return False
            self._keep(frame)
        if char in "{[":
            frames.append(_Frame(None if state is None else self._states[state], char == "{"))
            self._give(char)
            return True
        if char == '"':
            self._give(char)
            yield from self._run_of(_IN_STRING, '"')
            self._give('"')
        elif _SCALAR.match(char):
            yield from self._run_of(_SCALAR, "")
        else:
            raise _MismatchError
        return False

    def _until_value(
        self, frames: list[_Frame], *, is_first: bool
    ) -> Generator[None, None, int | None]:
        """Closing brackets, a comma and a key; returns the state of the value that follows."""
        while frames:
            frame = frames[-1]
            char = yield from self._next(self._given)
            if char == ("}" if frame.is_object else "]"):
                self._give(char)
                frames.pop()
                is_first = False
                continue
            if not is_first and char != ",":
                raise _MismatchError
            if frame.is_object:
                return (yield from self._member(frame, is_first=is_first))
            if not is_first:
                self._give(char)
            return None if frame.state is None else frame.state.items
        return None

    def _member(self, frame: _Frame, *, is_first: bool) -> Generator[None, None, int | None]:
        """A key, which is withheld until its value is known if null may remove it."""
        if not is_first:
            self._held.append(",")
            self._at += 1
        key = yield from self._key()
        members = {} if frame.state is None else frame.state.members
        frame.key, (frame.is_droppable, state) = key, members.get(key, (False, None))
        if key in frame.dropped:  # a duplicate: both are returned, for the check to reject
            self._held.insert(-1, f"{json.dumps(key)}: null,")
        if key in frame.dropped | frame.kept:
            frame.is_droppable = False
        yield from self._delimiter(":")
        if not frame.is_droppable:
            self._keep(frame)
        return state

    def _is_null(self) -> Generator[None, None, bool]:
        """Whether null is next, which is then skipped."""
        while True:
            word = _SCALAR.match(self._text, self._at)
            assert word is not None
            if word.end() < len(self._text) or not "null".startswith(word[0]):
                break
            yield
        if word[0] != "null":
            return False
        self._at = word.end()
        return True

    def _run_of(self, pattern: re.Pattern[str], end: str) -> Generator[None]:
        """Return the text of a pattern in pieces, up to the next character, or up to `end`."""
        while True:
            run = pattern.match(self._text, self._at)
            self._give(run[0] if run else "")
            if self._at < len(self._text) and (not end or self._text[self._at] == end):
                return
            yield

    def _next(self, into: list[str]) -> Generator[None, None, str]:
        """The next character after white space."""
        while True:
            run = _SPACE.match(self._text, self._at)
            if run is not None and run[0]:
                into.append(run[0])
                self._at = run.end()
            if self._at < len(self._text):
                return self._text[self._at]
            yield

    def _delimiter(self, char: str) -> Generator[None]:
        """Withhold a delimiter."""
        if (yield from self._next(self._held)) != char:
            raise _MismatchError
        self._held.append(char)
        self._at += 1

    def _key(self) -> Generator[None, None, str]:
        """Withhold a key."""
        yield from self._next(self._held)
        while (run := _KEY.match(self._text, self._at)) is None:
            if self._text[self._at] != '"' or len(self._text) - self._at > _LONGEST_KEY:
                raise _MismatchError
            yield
        try:
            key: str = json.loads(run[0], strict=False)
        except ValueError:
            raise _MismatchError from None
        self._held.append(run[0])
        self._at = run.end()
        return key

    def _give(self, text: str) -> None:
        self._given.append(text)
        self._at += len(text)

    def _keep(self, frame: _Frame) -> None:
        """Return the withheld key, without a comma if all keys before it were removed."""
        if not frame.has_members and self._held[0] == ",":
            del self._held[0]
        frame.has_members = True
        frame.is_droppable = False
        frame.kept.add(frame.key)
        self._given += self._held
        self._held.clear()


_NULL = {"type": "null"}
_MOST_STATES = 10_000


class NullableKeys:
    """The projected schemas that allow null, and those that were widened by it."""

    def __init__(self, definitions: dict[str, dict[str, Any]]) -> None:
        self._definitions = definitions
        self.widened: set[tuple[int, str]] = set()

    def widen(self, objects: Iterable[tuple[dict[str, Any], list[str]]]) -> None:
        """Allow null for optional keys, unless null is one of their values anyway."""
        found = [
            (projected, name, projected["properties"][name])
            for projected, names in objects
            for name in names
            if not self.allowed(projected["properties"][name])
        ]
        for projected, name, inner in found:
            self.widened.add((id(projected), name))
            if "anyOf" in inner:
                projected["properties"][name] = {**inner, "anyOf": [*inner["anyOf"], _NULL]}
            else:
                words = {key: inner[key] for key in ("title", "description") if key in inner}
                projected["properties"][name] = {**words, "anyOf": [inner, _NULL]}

    def allowed(self, projected: dict[str, Any]) -> bool:
        """Return whether null is a value of a schema."""
        return any(one.get("type") in (None, "null") for one in self.leaves([projected]))

    def leaves(self, schemas: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the schemas that a value may have, with unions and references followed."""
        found: dict[int, dict[str, Any]] = {}
        pending = list(schemas)
        while pending:
            projected = pending.pop()
            if id(projected) in found:
                continue
            found[id(projected)] = projected
            pending += projected.get("anyOf", ())
            if "$ref" in projected:
                pending.append(self._definitions[projected["$ref"].removeprefix("#/$defs/")])
        return [
            projected for projected in found.values() if not {"anyOf", "$ref"} & projected.keys()
        ]


def decoder_states(root: dict[str, Any], nulls: NullableKeys) -> tuple[DecoderState, ...]:
    """Return the states of the decoder, by where null means an absent key; the first is the root's.

    This is the subset construction over the schema's unions (Rabin & Scott 1959). Raises
    UnsupportedSchemaError for an ambiguous union: null means that a key is absent in one branch,
    and is the key's value in another.
    """
    if not nulls.widened:
        return ()
    groups: dict[frozenset[int], int] = {}
    pending: list[list[dict[str, Any]]] = []

    def number(schemas: Iterable[dict[str, Any]]) -> int:
        leaves = [one for one in nulls.leaves(schemas) if {"properties", "items"} & one.keys()]
        group = frozenset(map(id, leaves))
        if group not in groups:
            if len(groups) >= _MOST_STATES:
                raise UnsupportedSchemaError((), "anyOf", "its unions have too many combinations")
            groups[group] = len(groups)
            pending.append(leaves)
        return groups[group]

    number([root])
    states = []
    for leaves in pending:  # it grows
        members = {
            key: (_is_dropped(key, leaves, nulls), number(_inner(key, leaves)))
            for key in _keys(leaves)
        }
        items = [leaf["items"] for leaf in leaves if "items" in leaf]
        states.append(DecoderState(members, number(items) if items else None))
    return tuple(states)


def _keys(leaves: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for leaf in leaves for key in leaf.get("properties", ())))


def _inner(key: str, leaves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [leaf["properties"][key] for leaf in leaves if key in leaf.get("properties", ())]


def _is_dropped(key: str, leaves: list[dict[str, Any]], nulls: NullableKeys) -> bool:
    """Whether null at a key of these objects means that the key is absent."""
    having = [leaf for leaf in leaves if key in leaf.get("properties", ())]
    widened = [leaf for leaf in having if (id(leaf), key) in nulls.widened]
    others = [leaf for leaf in having if (id(leaf), key) not in nulls.widened]
    if widened and any(nulls.allowed(leaf["properties"][key]) for leaf in others):
        why = f"null at `{key}` is a value in one branch, and means in another that it is absent"
        raise UnsupportedSchemaError((), "anyOf", why)
    return bool(widened)
