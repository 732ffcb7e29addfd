"""`Found`: a part of a body, with the path that leads to it, for bodies that may hold anything."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from pdl.models.exchange import Flaw
from pdl.models.payloads.bad import BadPayload, told_error
from pdl.reply.validation.json_types import equal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl._types import Json, JsonPath
    from pdl.tools.calls import ToolCall


_ARGUMENTS = 200  # characters of arguments that are shown


class BadCallError(Exception):
    """The model wrote a call that cannot be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value of a body; None also stands for what is not there.

    Every method raises BadPayload, with the path, where the value is of another type.
    """

    value: Json
    path: JsonPath = ()

    def __bool__(self) -> bool:
        return self.value is not None

    def __getitem__(self, key: str) -> Found:
        """A member of an object; a null has none."""
        if self.value is None:
            return Found(None, (*self.path, key))
        return Found(self.object().get(key), (*self.path, key))

    def __iter__(self) -> Iterator[Found]:
        """The elements of an array of objects; a null has none."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.refuse("an array")
        for index, value in enumerate(self.value):
            found = Found(value, (*self.path, index))
            found.object()
            yield found

    def first(self) -> Found:
        """The first element of an array, which must have one."""
        if not isinstance(self.value, list) or not self.value:
            self.refuse("an array with an element")
        return Found(self.value[0], (*self.path, 0))

    def object(self) -> dict[str, Json]:
        """The value, which must be an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.value

    def text(self, default: str | None = None) -> str:
        """The value, which must be a string; `default`, if there is one, for null."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, str):
            self.refuse("a string")
        return self.value

    def count(self) -> int | None:
        """The value, which must be a whole number from 0 up, or null."""
        if self.value is None:
            return None
        value = self.value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.refuse("a number of tokens")
        return value

    def arguments(self, name: str) -> dict[str, Json]:
        """Arguments of a call: an object, or the JSON text of one; empty for null and no text.

        Raises BadCallError for what is none.
        """
        value, why = self.value, ""
        if value is None or (isinstance(value, str) and not value.strip()):
            return {}
        if isinstance(value, str):
            try:
                value = json.loads(value, parse_constant=_no_constant, object_pairs_hook=_members)
            except (ValueError, RecursionError) as error:
                why = f" ({error})"
        if not isinstance(value, dict):
            shown = _shown(self.value, _ARGUMENTS)
            raise BadCallError(f"the arguments of `{name}` are not a JSON object: {shown}{why}")
        return value

    def refuse(self, wanted: str) -> NoReturn:
        """Say what was expected here and what was found."""
        raise BadPayload(f"expected {wanted}, found {_shown(self.value)}", self.path)


def readable(
    items: Iterable[Found], read: Callable[[Found], ToolCall]
) -> tuple[tuple[ToolCall, ...], Flaw | None]:
    """The calls that can be read, and what is wrong with the first other one."""
    calls, flaw = [], None
    for item in items:
        try:
            calls.append(read(item))
        except BadCallError as error:
            flaw = flaw or Flaw("call", str(error))
    return tuple(calls), flaw


def opened(body: Json) -> Found:
    """A body, which must be an object. Raises BadPayload also for one that tells an error."""
    error = told_error(body)
    if error is not None:
        raise error
    found = Found(body)
    found.object()
    return found


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """The members of an object. Which of two that differ is meant, nobody can say."""
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found and not equal(found[key], value):
            raise ValueError(f"`{key}` has two values")
        found.setdefault(key, value)
    return found


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _shown(value: Json, most: int = 60) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        kind = "object" if isinstance(value, dict) else "array"
        return f"an {kind} of {len(value)}" if value else f"an empty {kind}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}…"
