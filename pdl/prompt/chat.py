"""Chat messages as dicts, in OpenAI's form (reference "Create chat completion"), as `Message`s.

What a `Message` can't contain is an error, because the model would not get it. If the program names
the field, it is left out and listed.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, cast

from pdl import tools as toolsets
from pdl.errors import Problem
from pdl.prompt.files import kind_fault, kind_of_url
from pdl.prompt.messages import FILE_NAME, MIME_TYPES, Media, Message, Text, check_role
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from pdl.prompt.messages import Part, Role
    from pdl.tools import ToolSet

    Kinds: TypeAlias = type[Any] | tuple[type[Any], ...]


def read_messages(
    given: object, drop: Iterable[str] = ()
) -> tuple[tuple[Message, ...], tuple[Problem, ...]]:
    """Return the messages of dicts, and the fields in `drop` that were left out.

    Raises ValueError and TypeError, with the path.
    """
    if isinstance(given, str | bytes | Mapping | Message) or not isinstance(given, Iterable):
        raise TypeError(f"messages must be a list of dicts, not {type(given).__name__}")
    if isinstance(drop, str) or not isinstance(drop, Iterable):
        raise TypeError("drop must be names of fields: write [name]")
    reader = _Reader(_LeftOut(frozenset(drop)))
    read = [reader.read(one, f"messages[{n}]") for n, one in enumerate(given)]
    return tuple(_joined(read)), tuple(reader.left_out.problems)


def read_tools(given: object) -> ToolSet | None:
    """Return a set of tools as it is, or that of OpenAI's list. Raises what `ToolSet` raises."""
    if given is None or isinstance(given, toolsets.ToolSet):
        return given
    return toolsets.ToolSet.from_openai(given)


def _joined(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages, in which the results of one message's calls are together, as Anthropic requires."""
    pending: tuple[Part, ...] = ()
    for message in messages:
        if message.role == "user" and all(isinstance(one, ToolResult) for one in message.parts):
            pending += message.parts
            if message.parts:
                continue
        if pending:
            yield Message("user", pending)
            pending = ()
        yield message
    if pending:
        yield Message("user", pending)


@dataclass
class _LeftOut:
    """The fields that may be left out, and those that were."""

    names: frozenset[str]
    problems: list[Problem] = field(default_factory=list)


class _Fields:
    """The members of a dict, or of an object of an SDK, each of which must be read."""

    def __init__(self, given: object, path: str, left_out: _LeftOut) -> None:
        dump = getattr(given, "model_dump", None)
        members = dump(mode="json") if callable(dump) else given
        if not isinstance(members, Mapping):
            raise TypeError(f"{path} must be a dict or a pdl.Message, not {type(given).__name__}")
        self.path = path
        self.left_out = left_out
        self._members = {key: one for key, one in members.items() if one is not None}

    def text(self, key: str) -> str:
        """Return a member that must be a string."""
        return cast("str", self.take(key, str, "a string"))

    def take(self, key: str, kind: Kinds, wanted: str) -> Any:
        """Return a member of a type, or of one of several."""
        value = self._members.pop(key, None)
        if not isinstance(value, kind):
            found = "nothing" if value is None else type(value).__name__
            self.refuse(key, f"expected {wanted}, found {found}")
        return value

    def take_if(self, key: str, kind: Kinds, wanted: str) -> Any:
        """Return a member of a type, or None without one."""
        return self.take(key, kind, wanted) if key in self._members else None

    def inner(self, key: str) -> _Fields:
        """Return a member that must be a dict."""
        return _Fields(self.take(key, Mapping, "a dict"), f"{self.path}.{key}", self.left_out)

    def skip(self, key: str, value: object) -> None:
        """Pass over a member that has the value that providers are sent anyway."""
        if self._members.get(key) == value:
            del self._members[key]

    def end(self) -> None:
        """Refuse what was not read, unless it is empty or may be left out."""
        members, self._members = self._members, {}
        for key, value in members.items():
            if value in ("", [], {}, False):
                continue
            if key not in self.left_out.names:
                why = f"a pdl.Message has no such field: leave it out, or pass drop=[{key!r}]"
                self.refuse(key, why)
            message = f"{self.path}.{key}: it was left out"
            self.left_out.problems.append(Problem("turn/left-out", message))

    def refuse(self, key: str, why: str) -> NoReturn:
        """Raise ValueError for a member."""
        raise ValueError(f"{self.path}.{key}: {why}")


class _Reader:
    """Reads messages in their order, and finds the call of each result."""

    def __init__(self, left_out: _LeftOut) -> None:
        self.left_out = left_out
        self._calls: dict[str, ToolCall] = {}

    def read(self, given: object, path: str) -> Message:
        if isinstance(given, Message):
            self._note(given)
            return given
        fields = _Fields(given, path, self.left_out)
        message = self._message(fields)
        fields.end()
        self._note(message)
        return message

    def _message(self, fields: _Fields) -> Message:
        role = fields.text("role")
        if role == "tool":
            return Message("user", self._result(fields))
        role = "system" if role == "developer" else role
        try:
            check_role(role)
        except ValueError as error:
            fields.refuse("role", str(error))
        if role != "assistant":
            return Message(cast("Role", role), tuple(_content(fields, needed=True)))
        parts = tuple(_content(fields))
        calls = enumerate(fields.take_if("tool_calls", list, "a list") or ())
        made = [
            _call(_Fields(one, f"{fields.path}.tool_calls[{n}]", self.left_out)) for n, one in calls
        ]
        return Message("assistant", (*parts, *made))

    def _note(self, message: Message) -> None:
        for part in message.parts:
            if isinstance(part, ToolCall):
                self._calls[part.id] = part

    def _result(self, fields: _Fields) -> ToolResult:
        known = fields.text("tool_call_id")
        if known not in self._calls:
            fields.refuse(
                "tool_call_id", f"no earlier message has a tool call with the id {known!r}"
            )
        parts = list(_content(fields, needed=True))
        if not all(isinstance(part, Text) for part in parts):
            fields.refuse("content", "the result of a tool must be text")
        fields.take_if("name", str, "a string")  # that of the call
        text = "".join(part.text for part in parts if isinstance(part, Text))
        return ToolResult(self._calls[known], text)


def _call(fields: _Fields) -> ToolCall:
    kind = fields.take_if("type", str, "a string")
    if kind not in (None, "function"):
        fields.refuse("type", f"expected `function`, found `{kind}`")
    fields.take_if("index", int, "an integer")
    function = fields.inner("function")
    name, written = function.text("name"), function.text("arguments")
    try:
        arguments = json.loads(written or "{}")
    except (ValueError, RecursionError) as error:
        function.refuse("arguments", f"they are not JSON: {error}")
    if not isinstance(arguments, dict):
        function.refuse("arguments", "they are not a JSON object")
    call = ToolCall(name, arguments, fields.text("id"))
    function.end()
    fields.end()
    return call


def _content(fields: _Fields, *, needed: bool = False) -> Iterator[Part]:
    """The parts; only a message of the assistant can be without, as providers return it."""
    take = fields.take if needed else fields.take_if
    content = take("content", (str, list), "a string or a list")
    if content is None or isinstance(content, str):
        yield from (Text(content),) if content else ()
        return
    for number, one in enumerate(content):
        part = _Fields(one, f"{fields.path}.content[{number}]", fields.left_out)
        kind = part.text("type")
        if kind not in _PARTS:
            part.refuse("type", f"expected one of {', '.join(_PARTS)}, found `{kind}`")
        yield _PARTS[kind](part)
        part.end()


def _text(part: _Fields) -> Part:
    return Text(part.text("text"))


def _image(part: _Fields) -> Part:
    inner = part.inner("image_url")
    inner.skip("detail", "auto")
    return _from_url(inner, "url")


def _audio_url(part: _Fields) -> Part:
    return _from_url(part.inner("audio_url"), "url")


def _audio(part: _Fields) -> Part:
    inner = part.inner("input_audio")
    return _from_base64(inner, "data", inner.text("data"), inner.text("format"))


def _file(part: _Fields) -> Part:
    inner = part.inner("file")
    inner.skip("filename", FILE_NAME)
    return _from_url(inner, "file_data")


_PARTS: dict[str, Callable[[_Fields], Part]] = {
    "text": _text,
    "image_url": _image,
    "input_audio": _audio,
    "audio_url": _audio_url,
    "file": _file,
}
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,", re.IGNORECASE)
_KINDS = {mime: kind for kind, mime in MIME_TYPES.items()} | {
    "image/jpg": "jpeg",
    "audio/mp3": "mp3",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
}


def _from_url(fields: _Fields, key: str) -> Media:
    """The medium at a URL, or in a data URL (RFC 2397)."""
    url = fields.text(key)
    fields.end()
    found = _DATA_URL.match(url)
    if found is not None:
        kind = _KINDS.get(found[1].lower(), found[1])
        return _from_base64(fields, key, url[found.end() :], kind)
    if not re.match(r"https?://", url, re.IGNORECASE):
        fields.refuse(key, "expected an http or https URL, or a data URL in base64")
    try:
        return Media(kind_of_url(url), url=url)
    except ValueError as error:
        fields.refuse(key, str(error))


def _from_base64(fields: _Fields, key: str, encoded: str, kind: str) -> Media:
    fields.end()
    if kind not in MIME_TYPES:
        fields.refuse(key, f"expected one of {', '.join(MIME_TYPES)}, found {kind}")
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        fields.refuse(key, f"it is not base64: {error}")
    fault = kind_fault(kind, data)
    if fault:
        fields.refuse(key, f"it is not a {kind} file: {fault}")
    return Media(kind, data)
