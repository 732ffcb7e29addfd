"""Objects that are calls: under which keys they hold a name and arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pdl.tools.formats import FORMATS, Format

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from pdl._types import Json

_HEAD = re.compile(r"[\[\s]*+\{\s*+[\"']?([\w-]++)[\"']?\s*+:\s*+[\"']?([\w.-]*+)")
"""The first key of an object, or of the first one in a list, and its value."""
_CUT = re.compile(r"[\[\s]*+\{\s*+[\"']?([\w-]*+)(?:[\"']?\s*+:?\s*+[\"']?([\w-]*+))")
"""The same where it stops before that value ends."""


class Shape(NamedTuple):
    """The keys of one kind of object; `json_text`: arguments may be a string that holds JSON."""

    name_key: str
    arguments_key: str
    json_text: bool


class Found(NamedTuple):
    """A call as an object holds it: its name, the object, and the keys of both parts."""

    name: str
    value: dict[str, Json]
    shape: Shape
    id: str = ""


@dataclass(frozen=True)
class Shapes:
    """The kinds of objects that are looked for, and how calls in text are announced."""

    formats: tuple[Format, ...]

    @classmethod
    def of(cls, form: Format | None) -> Shapes:
        """Those of a format; of all that are known where none is given."""
        return cls(tuple(FORMATS.values()) if form is None else (form,))

    @cached_property
    def objects(self) -> tuple[Shape, ...]:
        """The shapes of objects, each once."""
        told: dict[tuple[str, str], bool] = {}
        for one in self.formats:
            if one.name_key:
                key = one.name_key, one.arguments_key
                told[key] = told.get(key, False) or one.json_text
        return tuple(Shape(*keys, json_text) for keys, json_text in told.items())

    @cached_property
    def named(self) -> bool:
        """Whether a bare name may stand in front of arguments."""
        return any(not one.name_key for one in self.formats)

    @property
    def triggers(self) -> re.Pattern[str]:
        """What a call begins with, in any of the formats."""
        keys = "|".join(sorted({re.escape(one.name_key) for one in self.formats if one.name_key}))
        told = [re.escape(one.trigger) for one in self.formats if one.trigger]
        bare = any(not one.trigger for one in self.formats)
        objects = [rf"\{{\s*+[\"']?(?:{keys})[\"']?\s*+:"] if bare else []
        return re.compile("|".join([*sorted(set(told), key=len, reverse=True), *objects]))

    def calls(self, value: Json, tools: Container[str], *, marked: bool) -> list[Found | None]:
        """The calls that a value holds: an object, one in OpenAI's envelope, or a list of them.

        None stands for an item of a list that is none, among others that are. `marked`: the reply
        says that here are calls, so that an object with a name and without arguments is one too.
        """
        inner = value.get("tool_calls") if isinstance(value, dict) else value
        if not isinstance(inner, list):
            found = self._in_object(value, tools, marked=marked)
            return [] if found is None else [found]
        items = [self._in_object(one, tools, marked=marked) for one in inner]
        return items if any(items) else []

    def _in_object(self, value: Json, tools: Container[str], *, marked: bool) -> Found | None:
        if not isinstance(value, dict):
            return None
        own = value.get("function")
        if isinstance(own, dict):
            found = self._plain(own, tools, marked=marked)
            return found and found._replace(id=_id(value))
        return self._plain(value, tools, marked=marked)

    def _plain(
        self, value: dict[str, Json], tools: Container[str], *, marked: bool
    ) -> Found | None:
        shapes = [one for one in self.objects if isinstance(value.get(one.name_key), str)]
        full = [one for one in shapes if one.arguments_key in value]
        shape = next(iter(full or shapes), None)
        if shape is None:
            return None
        name = value[shape.name_key]
        if (full and _is_held(value[shape.arguments_key])) or marked or name in tools:
            return Found(name, value, shape, _id(value))
        return None

    def is_cut(self, text: str, tools: Iterable[str]) -> bool:
        """Whether an object that never ends may become a call: it stops in its head."""
        head = _CUT.fullmatch(text)
        if head is None:
            return False
        key, name = head[1], head[2]
        keys = [one.name_key for one in self.objects if one.name_key.startswith(key)]
        return bool(key and keys) and (not name or any(one.startswith(name) for one in tools))

    def begun(self, text: str, tools: Container[str], *, marked: bool) -> tuple[str, Shape] | None:
        """The tool that a broken object is a call of, and how it is written; None if it is none."""
        head = _HEAD.match(text)
        shapes = [one for one in self.objects if head and one.name_key == head[1]]
        if head is None or not shapes:
            return None
        full = [one for one in shapes if f'"{one.arguments_key}"' in text]
        if not (marked or full or head[2] in tools):
            return None
        return head[2], (full or shapes)[0]


def _is_held(arguments: Json) -> bool:
    """Whether arguments are of a type that they may have."""
    if isinstance(arguments, str):
        return arguments.lstrip().startswith("{")
    return arguments is None or isinstance(arguments, dict)


def _id(value: dict[str, Json]) -> str:
    found = value.get("id", value.get("call_id", ""))
    return found if isinstance(found, str) else ""
