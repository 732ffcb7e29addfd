"""How models write tool calls: one record a format.

Sources: PedroCLI's generic format; OpenAI's chat completions; the chat templates of Hermes and
Qwen, of Llama 3 and of Mistral (before and since the tokenizer's version 11), as llama.cpp and the
tool parsers of vLLM read them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from pdl._types import Json


@dataclass(frozen=True)
class Format:
    """One way to write calls.

    A call is an object with the tool's name under `name_key` and its arguments under
    `arguments_key`; or, where `name_key` is empty, the bare name, `named`, and the arguments.
    `opener` and `closer` enclose all calls of a reply, `between` separates them. `trigger` is how
    calls begin, so free text can't contain it: a part of `opener`, or, if that is empty, the
    beginning of the object. `json_text` means that arguments can be a string that contains JSON.
    """

    name: str
    name_key: str = "name"
    arguments_key: str = "arguments"
    opener: str = ""
    between: str = "\n"
    closer: str = ""
    named: str = ""
    json_text: bool = False
    trigger: str = ""

    def __post_init__(self) -> None:
        """Refuse a format that can't be distinguished from text. Raises ValueError."""
        if not self.name_key and not self.opener:
            raise ValueError("a format of bare names needs an opener")
        if self.name_key and not self.arguments_key:
            raise ValueError("a format of objects needs a key for the arguments")
        if not self.opener.startswith(self.trigger):
            raise ValueError("the trigger of a format must be the beginning of its opener")
        if not self.trigger:
            object.__setattr__(self, "trigger", self.opener.rstrip())


_TABLE = (
    Format("pedro", "tool", "args"),
    Format("openai", json_text=True),
    Format(
        "hermes",
        opener="<tool_call>\n",
        between="\n</tool_call>\n<tool_call>\n",
        closer="\n</tool_call>",
    ),
    Format("llama3", arguments_key="parameters", between="; "),
    Format("mistral", opener="[TOOL_CALLS][", between=", ", closer="]", trigger="[TOOL_CALLS]"),
    Format("mistral-args", "", "", "[TOOL_CALLS]", "[TOOL_CALLS]", named="[ARGS]"),
)

FORMATS = MappingProxyType({one.name: one for one in _TABLE})
"""The formats by their names."""

_ALIASES = MappingProxyType({"qwen": "hermes"})

DEFAULT_FORMAT = "hermes"
"""The format that most open models were trained on."""


def format_of(given: str | Format) -> Format:
    """Return the format of a name in any letter case, or a format unchanged. Raises ValueError."""
    if isinstance(given, Format):
        return given
    name = str(given).lower()
    found = FORMATS.get(_ALIASES.get(name, name))
    if found is None:
        known = (*FORMATS, *_ALIASES)
        advice = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
        raise ValueError(f"unknown tool call format {given!r}; {advice}")
    return found


_LIST = r"(?>(?:\s*+\{\s*+[\"']?tool_calls[\"']?\s*+:)?)\s*+\["
_BEGINS_LIST = re.compile(_LIST)
"""The beginning of a list of calls, also of one in OpenAI's envelope."""
_BEFORE = rf"(?>(?:{_LIST})?)[\[\s]*+"
_HEAD = re.compile(_BEFORE + r"\{\s*+[\"']?([\w-]++)[\"']?\s*+:\s*+[\"']?([\w.-]*+)")
"""The first key of an object, or of the first one in a list, and its value."""
_CUT = re.compile(_BEFORE + r"\{\s*+[\"']?([\w-]*+)(?:[\"']?\s*+:?\s*+[\"']?([\w-]*+))")
"""The same where it stops before that value ends."""


class CallObject(NamedTuple):
    """A call in an object: its name, the object, and a format that has its keys."""

    name: str
    value: dict[str, Json]
    form: Format
    id: str = ""


@dataclass(frozen=True)
class CallPatterns:
    """The kinds of objects that are calls, and how calls in text are announced."""

    formats: tuple[Format, ...]

    @classmethod
    def of(cls, form: Format | None) -> CallPatterns:
        """Those of a format, or of all known formats."""
        return cls(tuple(FORMATS.values()) if form is None else (form,))

    @cached_property
    def objects(self) -> tuple[Format, ...]:
        """One format for each pair of keys: one with `json_text`, if there is one."""
        formats = sorted(self.formats, key=lambda one: one.json_text)
        found = {(one.name_key, one.arguments_key): one for one in formats if one.name_key}
        return tuple(found.values())

    @cached_property
    def named(self) -> bool:
        """Whether a bare name can precede arguments."""
        return any(not one.name_key for one in self.formats)

    @property
    def triggers(self) -> re.Pattern[str]:
        """The beginning of a call, in any of the formats."""
        keys = "|".join(sorted({re.escape(one.name_key) for one in self.formats if one.name_key}))
        told = [re.escape(one.trigger) for one in self.formats if one.trigger]
        bare = any(not one.trigger for one in self.formats)
        objects = [rf"\{{\s*+[\"']?(?:{keys})[\"']?\s*+:"] if bare else []
        return re.compile("|".join([*sorted(set(told), key=len, reverse=True), *objects]))

    def calls(self, value: Json, tools: Container[str], *, marked: bool) -> list[CallObject | None]:
        """Return the calls in a value: an object, one in OpenAI's envelope, or a list of them.

        None represents an item that is not a call in a list of calls. `marked`: a marker announces
        calls, so an object with a name but without arguments is one too.
        """
        inner = value.get("tool_calls") if isinstance(value, dict) else value
        if not isinstance(inner, list):
            found = self._in_object(value, tools, marked=marked)
            return [] if found is None else [found]
        items = [self._in_object(one, tools, marked=marked) for one in inner]
        return items if any(items) else []

    def _in_object(self, value: Json, tools: Container[str], *, marked: bool) -> CallObject | None:
        if not isinstance(value, dict):
            return None
        own = value.get("function")
        if isinstance(own, dict):
            found = self._plain(own, tools, marked=marked)
            return found and found._replace(id=_id(value))
        return self._plain(value, tools, marked=marked)

    def _plain(
        self, value: dict[str, Json], tools: Container[str], *, marked: bool
    ) -> CallObject | None:
        forms = [one for one in self.objects if isinstance(value.get(one.name_key), str)]
        full = [one for one in forms if one.arguments_key in value]
        form = next(iter(full or forms), None)
        if form is None:
            return None
        name = value[form.name_key]
        if (full and _is_allowed(value[form.arguments_key])) or marked or name in tools:
            return CallObject(name, value, form, _id(value))
        return None

    def is_cut(self, text: str, tools: Iterable[str]) -> bool:
        """Whether an unclosed object could become a call: it ends in its head."""
        head = _CUT.fullmatch(text)
        if head is None:
            return False
        key, name = head[1], head[2]
        keys = [one.name_key for one in self.objects if one.name_key.startswith(key)]
        return bool(key and keys) and (not name or any(one.startswith(name) for one in tools))

    def begun(self, text: str, tools: Container[str], *, marked: bool) -> tuple[str, Format] | None:
        """Return the tool that a broken object calls, and its keys; None if it is not a call."""
        head = _HEAD.match(text)
        forms = [one for one in self.objects if head and one.name_key == head[1]]
        if head is None or not forms:
            return None
        full = [one for one in forms if f'"{one.arguments_key}"' in text]
        if not (marked or full or head[2] in tools):
            return None
        return head[2], (full or forms)[0]


def begins_list(text: str) -> bool:
    """Whether a text begins a list of calls, perhaps in OpenAI's envelope."""
    return _BEGINS_LIST.match(text) is not None


def _is_allowed(arguments: Json) -> bool:
    """Whether arguments are of an allowed type."""
    if isinstance(arguments, str):
        return arguments.lstrip().startswith("{")
    return arguments is None or isinstance(arguments, dict)


def _id(value: dict[str, Json]) -> str:
    found = value.get("id", value.get("call_id", ""))
    return found if isinstance(found, str) else ""
