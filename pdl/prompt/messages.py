"""`Rendered`: what a prompt renders to. Messages of text and media, the schema of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, get_args

from pdl import reply as replies
from pdl._types import T
from pdl.errors import Problem, did_you_mean
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.schema import Schema
from pdl.schema.model import schema_type_error
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json
    from pdl.prompt.files import Folder
    from pdl.reply import Check, Coercions, Dialects
    from pdl.tools import ToolSet


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
        if role not in get_args(Role):
            raise _no_role(role)
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
        return "".join(map(_shown, self.parts))

    @property
    def text(self) -> str:
        """The text parts, joined; media and tool calls are left out."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


def _shown(part: Part) -> str:
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


def _no_role(role: object) -> TypeError | ValueError:
    if not isinstance(role, str):
        return TypeError(f"role must be a str, not {type(role).__name__}")
    known = get_args(Role)
    hint = did_you_mean(role, known)
    advice = f": {hint}" if hint else _ADVICE.get(role.lower(), "")
    return ValueError(f"role must be `system`, `user` or `assistant`, not {role!r}{advice}")


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


@dataclass(frozen=True)
class Rendered(Generic[T]):
    """Messages to send, and the schema of the answer, whose values are of the type `T`.

    `tools` are those of the `<|tools|>` turn, `config` the keys and values of `<|config|>`,
    `reasoning` the texts of `<|reasoning|>` turns, which are never sent. `warnings` lists what
    `strict=False` ignored; for a strict rendering it is empty, except for an empty last turn.
    `folder` is the one below which the config turn can name the file of a model.
    Raises TypeError for messages and schemas of other types.
    """

    messages: tuple[Message, ...]
    schema: Schema[T] | None = None
    tools: ToolSet | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    reasoning: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    folder: Folder | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what can't be sent; any sequence of messages becomes a tuple."""
        given: Any = self.messages
        if isinstance(given, str | Message | Mapping) or not isinstance(given, Iterable):
            raise _no_messages(given)
        object.__setattr__(self, "messages", tuple(given))
        for one in tuple[Any, ...](self.messages):
            if not isinstance(one, Message):
                raise _no_messages(one)
        if not (self.schema is None or isinstance(self.schema, Schema)):
            raise schema_type_error(self.schema, "a pdl.Schema or None")

    def __str__(self) -> str:
        """The turns that are sent, as `pdl render` prints them."""
        return "\n\n".join(f"<|{role}|>\n{text}" for role, text in self.turns())

    def _repr_markdown_(self) -> str:
        from pdl.schema.json_values import fenced  # noqa: PLC0415 - only notebooks need it

        return fenced(str(self))

    def turns(self) -> Iterator[tuple[str, str]]:
        """Yield the name and text of each part: messages, tools, configuration, schema."""
        from pdl.schema.json_values import json_line  # noqa: PLC0415 - only people need it

        yield from ((message.role, message.transcript) for message in self.messages)
        if self.tools is not None:
            yield "tools", disarmed(self.tools.to_text())
        if self.config:
            yield "config", "\n".join(f"{k}: {json_line(v)}" for k, v in self.config.items())
        if self.schema is not None:
            yield "schema", str(self.schema)

    def check(
        self,
        reply: str,
        *,
        validate: Callable[..., object] | None = None,
        coercions: Coercions | None = None,
        dialects: Dialects | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Check[T]:
        """Find the answer in a reply and check it: `pdl.check(rendered.schema, reply)`.

        `validate` may be a function of the value and this rendered prompt. Without a schema the
        whole reply is the answer.
        """
        allowed = replies.Coercions() if coercions is None else coercions
        known = replies.DIALECTS if dialects is None else dialects
        rule = validate
        if validate is not None:
            from pdl.reply.typed import with_rendered  # noqa: PLC0415 - only for rules

            rule = with_rendered(validate, self)
        check: Check[T] = replies.check(
            self.schema, reply, validate=rule, coercions=allowed, dialects=known, limits=limits
        )
        return check


def _no_messages(given: object) -> TypeError:
    return TypeError(
        f"messages must be a tuple of Messages, not {type(given).__name__}:"
        ' write (pdl.Message("user", text), …)'
    )
