"""Chat messages as dicts, in OpenAI's form (reference "Create chat completion"), as `Message`s.

What a `Message` can't contain is an error, because the model would not get it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast

from pdl import tools as toolsets
from pdl.prompt.files import kind_fault, kind_of_url
from pdl.prompt.messages import MIME_TYPES, Media, Message, Text
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.prompt.messages import Part, Role
    from pdl.tools import ToolSet


def read_messages(given: object) -> tuple[Message, ...]:
    """Return the messages of dicts. Raises ValueError and TypeError, with the path."""
    if isinstance(given, str | bytes | Mapping | Message) or not isinstance(given, Iterable):
        raise TypeError(f"messages must be a list of dicts, not {type(given).__name__}")
    reader = _Reader()
    return tuple(_joined(reader.read(one, f"messages[{n}]") for n, one in enumerate(given)))


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


class _Fields:
    """The members of a dict, or of an object of an SDK, each of which must be read."""

    def __init__(self, given: object, path: str) -> None:
        dump = getattr(given, "model_dump", None)
        members = dump(mode="json") if callable(dump) else given
        if not isinstance(members, Mapping):
            raise TypeError(f"{path} must be a dict or a pdl.Message, not {type(given).__name__}")
        self.path = path
        self._members = {key: one for key, one in members.items() if one is not None}

    def text(self, key: str) -> str:
        """Return a member that must be a string."""
        return cast("str", self.take(key, str, "a string"))

    def take(self, key: str, kind: type[Any], wanted: str) -> Any:
        """Return a member of a type."""
        value = self._members.pop(key, None)
        if not isinstance(value, kind):
            found = "nothing" if value is None else type(value).__name__
            self.refuse(key, f"expected {wanted}, found {found}")
        return value

    def take_if(self, key: str, kind: type[Any], wanted: str) -> Any:
        """Return a member of a type, or None without one."""
        return self.take(key, kind, wanted) if key in self._members else None

    def inner(self, key: str) -> _Fields:
        """Return a member that must be a dict."""
        return _Fields(self.take(key, Mapping, "a dict"), f"{self.path}.{key}")

    def end(self) -> None:
        """Refuse what was not read, unless it is empty."""
        for key, value in self._members.items():
            if value not in ("", [], {}, False):
                self.refuse(key, "a pdl.Message has no such field: leave it out")

    def refuse(self, key: str, why: str) -> NoReturn:
        """Raise ValueError for a member."""
        raise ValueError(f"{self.path}.{key}: {why}")


class _Reader:
    """Reads messages in their order, and finds the call of each result."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}

    def read(self, given: object, path: str) -> Message:
        if isinstance(given, Message):
            self._note(given)
            return given
        fields = _Fields(given, path)
        role = fields.text("role")
        if role == "tool":
            message = Message("user", self._result(fields))
        else:
            parts = tuple(_content(fields))
            calls = fields.take_if("tool_calls", list, "a list") if role == "assistant" else None
            made = [_call(one, f"{path}.tool_calls[{n}]") for n, one in enumerate(calls or ())]
            role = "system" if role == "developer" else role
            message = Message(cast("Role", role), (*parts, *made))
        fields.end()
        self._note(message)
        return message

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
        parts = list(_content(fields))
        if not all(isinstance(part, Text) for part in parts):
            fields.refuse("content", "the result of a tool must be text")
        fields.take_if("name", str, "a string")  # that of the call
        text = "".join(part.text for part in parts if isinstance(part, Text))
        return ToolResult(self._calls[known], text)


def _call(given: object, path: str) -> ToolCall:
    fields = _Fields(given, path)
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


def _content(fields: _Fields) -> Iterator[Part]:
    content = fields.take_if("content", object, "")
    if content is None or isinstance(content, str):
        yield from (Text(content),) if content else ()
        return
    if not isinstance(content, list):
        fields.refuse("content", f"expected a string or a list, found {type(content).__name__}")
    for number, one in enumerate(content):
        part = _Fields(one, f"{fields.path}.content[{number}]")
        kind = part.text("type")
        if kind not in _PARTS:
            part.refuse("type", f"expected one of {', '.join(_PARTS)}, found `{kind}`")
        yield _PARTS[kind](part)
        part.end()


def _text(part: _Fields) -> Part:
    return Text(part.text("text"))


def _image(part: _Fields) -> Part:
    inner = part.inner("image_url")
    detail = inner.take_if("detail", str, "a string")
    if detail not in (None, "auto"):
        inner.refuse("detail", f"pdl can't pass on `{detail}`: leave it out")
    return _from_url(inner, "url")


def _audio_url(part: _Fields) -> Part:
    return _from_url(part.inner("audio_url"), "url")


def _audio(part: _Fields) -> Part:
    inner = part.inner("input_audio")
    return _from_base64(inner, "data", inner.text("data"), inner.text("format"))


def _file(part: _Fields) -> Part:
    inner = part.inner("file")
    inner.take_if("filename", str, "a string")  # pdl sends one of its own
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
