"""`Message`: a role and its parts. Texts, media, tool calls, and their results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from pdl.errors import did_you_mean
from pdl.tools.tool import ToolCall, ToolResult

Role: TypeAlias = Literal["system", "user", "assistant"]
_SEPARATOR = re.compile(r"^([^\S\n]*)<\|(?=[^\S\n]*\w+[^\S\n]*\|>[^\S\n]*$)", re.MULTILINE)
MIME_TYPES = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
}
"""The kinds of media that a prompt may embed, and their media types."""
FILE_NAME = "file.pdf"
"""The name of each embedded PDF file, where a provider requires one."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text. Raises TypeError for what is not a str."""

    text: str

    def __post_init__(self) -> None:
        """Refuse what is not a str."""
        if not isinstance(self.text, str):
            raise TypeError(f"text must be a str, not {type(self.text).__name__}")


@dataclass(frozen=True, slots=True)
class Media:
    """An embedded file: its bytes, or a URL that is passed on unchanged.

    `kind` is a key of MIME_TYPES; for a URL whose path has no known extension it is empty.
    Raises TypeError for data that are not bytes, ValueError for another kind and for no content.
    """

    kind: str
    data: bytes = field(default=b"", repr=False)
    url: str = ""

    def __post_init__(self) -> None:
        """Refuse what can't be sent to any provider."""
        if not isinstance(self.data, bytes):
            raise TypeError(f"data must be bytes, not {type(self.data).__name__}")
        if not isinstance(self.url, str):
            raise TypeError(f"url must be a str, not {type(self.url).__name__}")
        if self.kind not in {"", *MIME_TYPES}:
            known = ", ".join(MIME_TYPES)
            raise ValueError(f"kind must be one of {known}, not {self.kind!r}")
        if not self.data and not self.url:
            raise ValueError("media need data or a url")

    @property
    def mime_type(self) -> str:
        """The media type, such as `image/png`; `application/octet-stream` for an unknown kind."""
        return MIME_TYPES.get(self.kind, "application/octet-stream")

    @property
    def base64(self) -> str:
        """The bytes in base64 (RFC 4648, section 4)."""
        import base64  # noqa: PLC0415  (only prompts with media need it)

        return base64.b64encode(self.data).decode("ascii")


Part: TypeAlias = Text | Media | ToolCall | ToolResult


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One turn that is sent: a role and its parts, in order.

    A rendered prompt has only text and media. In a conversation, an assistant's message contains
    the tool calls that it requested, and the user's next message their results.
    """

    role: Role
    parts: tuple[Part, ...]

    def __init__(self, role: Role, parts: str | Part | Iterable[str | Part]) -> None:
        """`Message("user", "Hello")`; a str is one Text, alone or among other parts.

        Raises ValueError for an unknown role, TypeError for parts of other types.
        """
        check_role(role)
        single = isinstance(parts, str | Text | Media | ToolCall | ToolResult)
        given: Any = (parts,) if single else parts
        if isinstance(given, Mapping | bytes) or not isinstance(given, Iterable):
            raise _no_part(given)
        object.__setattr__(self, "role", role)
        object.__setattr__(self, "parts", tuple(map(_part, given)))

    def __str__(self) -> str:
        """The turn as `pdl render` prints it."""
        return f"<|{self.role}|>\n{self.transcript}"

    @property
    def transcript(self) -> str:
        """The parts as text, with media and tool calls in brackets.

        A line of text that looks like a turn marker is written `&lt;|name|>`, as in a prompt file.
        """
        return "".join(map(transcript_of, self.parts))

    @property
    def text(self) -> str:
        """The text parts, joined; media and tool calls are left out."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


def part_json(part: Part) -> dict[str, Any]:
    """Return a part as JSON, as no provider in particular writes it."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        call = {"id": part.id, "name": part.name, "arguments": dict(part.arguments)}
        return {"type": "tool_call", **call}
    if isinstance(part, ToolResult):
        result = {"id": part.call.id, "name": part.call.name, "text": part.text}
        return {"type": "tool_result", **result, "failed": part.failed}
    where = {"url": part.url} if part.url else {"data": part.base64}
    return {"type": "media", "mime_type": part.mime_type, **where}


def transcript_of(part: Part) -> str:
    """Return a part as text: media and tool calls in brackets."""
    from pdl.schema.json_values import json_line  # noqa: PLC0415 - only people need it

    if isinstance(part, Media):
        return f"[{part.kind or 'media'}, {part.url or f'{len(part.data):,} bytes'}]"
    if isinstance(part, ToolCall):
        return f"[call of {part.name}: {disarmed(json_line(dict(part.arguments)))}]"
    if isinstance(part, ToolResult):
        return f"[result of {part.call.name}: {disarmed(part.text)}]"
    return disarmed(part.text)


def disarmed(text: str) -> str:
    """Text in which no line is a turn marker."""
    return _SEPARATOR.sub(r"\1&lt;|", text)


_ADVICE = {
    "tool": ": tool results are parts of a user's message",
    "function": ": tool results are parts of a user's message",
    "developer": ": providers' `developer` is `system`",
    "model": ": providers' `model` is `assistant`",
    "ai": ": that is `assistant`",
    "human": ": that is `user`",
}


def check_role(role: object) -> None:
    """Raise ValueError for an unknown role, TypeError for what is not a str."""
    known = get_args(Role)
    if not isinstance(role, str):
        raise TypeError(f"role must be a str, not {type(role).__name__}")
    if role in known:
        return
    hint = did_you_mean(role, known)
    advice = f": {hint}" if hint else _ADVICE.get(role.lower(), "")
    raise ValueError(f"role must be `system`, `user` or `assistant`, not {role!r}{advice}")


def _part(given: object) -> Part:
    if isinstance(given, str):
        return Text(given)
    if isinstance(given, Text | Media | ToolCall | ToolResult):
        return given
    raise _no_part(given)


def _no_part(given: object) -> TypeError:
    advice = ": write pdl.Text(text) or pdl.Media(kind, data)" if isinstance(given, Mapping) else ""
    wanted = "a str, a Text, Media, ToolCall or ToolResult, or several of them"
    return TypeError(f"parts must be {wanted}, not {type(given).__name__}{advice}")
