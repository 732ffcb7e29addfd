"""What a rendered prompt consists of: messages of text and media."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pdl.tools.calls import ToolCall, ToolResult

Role: TypeAlias = Literal["system", "user", "assistant"]

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


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Media:
    """An embedded file: its bytes, or a URL that is handed on as it is.

    `kind` is a key of MIME_TYPES; for a URL whose path has no known ending it is an empty string.
    """

    kind: str
    data: bytes = field(default=b"", repr=False)
    url: str = ""

    @property
    def mime_type(self) -> str:
        """The media type, as `image/png`; `application/octet-stream` if the kind is not known."""
        return MIME_TYPES.get(self.kind, "application/octet-stream")

    @property
    def base64(self) -> str:
        """The bytes in base64 (RFC 4648, section 4)."""
        import base64  # noqa: PLC0415  (only prompts with media need it)

        return base64.b64encode(self.data).decode("ascii")


Part: TypeAlias = Text | Media | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One turn that is sent: a role and its parts, in order.

    A rendered prompt has text and media alone. In a conversation that goes on, an assistant's
    message holds the calls of tools that it asked for, and the user's next one their results.
    """

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text parts, joined; media and calls of tools leave no trace in it."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))
