"""What a rendered prompt consists of: messages of text and media.

Inline media are `<|media(path/or/url)|>` and `<|raw_media(png:BASE64)|>`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pdl.errors import MediaError, Problem, did_you_mean
from pdl.prompt.folder import Folder, JailError, shown
from pdl.prompt.turns import ROLES
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.source import Span


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
    """An embedded file: its bytes, or a URL that is handed on as it is.

    `kind` is a key of MIME_TYPES; for a URL whose path has no known ending it is an empty string.
    Raises TypeError for data that are not bytes, ValueError for another kind and for no content.
    """

    kind: str
    data: bytes = field(default=b"", repr=False)
    url: str = ""

    def __post_init__(self) -> None:
        """Refuse what no provider could be sent."""
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
        """The media type, as `image/png`; `application/octet-stream` if the kind is not known."""
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

    A rendered prompt has text and media alone. In a conversation that goes on, an assistant's
    message holds the calls of tools that it asked for, and the user's next one their results.
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
        """The parts to read; in it media and calls of tools are told in brackets.

        A line of text that looks like a separator is written `&lt;|name|>`, as an author would.
        """
        return "".join(map(_shown, self.parts))

    @property
    def text(self) -> str:
        """The text parts, joined; media and calls of tools leave no trace in it."""
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
    """A text none of whose lines is a separator."""
    return _SEPARATOR.sub(r"\1&lt;|", text)


_ADVICE = {
    "tool": ": the results of tools are parts of a user's message",
    "function": ": the results of tools are parts of a user's message",
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


_BLOCK = re.compile(r"\A\s*+(\w++)\s*+\((.*)\)\s*", re.DOTALL)
_URL = re.compile(r"\A(?:([A-Za-z][A-Za-z0-9+.-]++)://|(data):)")
_ALIASES = {"jpg": "jpeg", "jpe": "jpeg", "jfif": "jpeg"}
_SIGNATURES: dict[str, re.Pattern[bytes]] = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpeg": re.compile(rb"\xff\xd8\xff"),
    "gif": re.compile(rb"GIF8[79]a"),
    "webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    "svg": re.compile(
        rb"\A(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE svg|svg[\s>])", re.IGNORECASE
    ),
    "pdf": re.compile(rb"%PDF-"),
    "wav": re.compile(rb"RIFF.{4}WAVE", re.DOTALL),
    "mp3": re.compile(rb"ID3|\xff[\xe2-\xff]"),
}
"""How files of each kind begin: the magic bytes of their specifications."""


def parse_media(block: str, span: Span, folder: Folder | None, limits: Limits) -> Media:
    """The media that the text between `<|` and `|>` names. Raises MediaError, placed at `span`."""
    found = _BLOCK.fullmatch(block)
    if found is None and block.strip().lower() in ROLES:
        message = f"`<|{block.strip()}|>` is not alone on its line, so it begins no turn"
        hint = "put it on a line of its own; the `-` of `{%- … -%}` takes line breaks away"
        raise _error("unknown-block", message, span, hint)
    if found is None:
        raise _error(
            "unknown-block",
            f"`<|{_short(block)}|>` is neither a turn on a line of its own nor a file",
            span,
            "write `&lt;|` for a `<|` that is meant literally,"
            " or embed a file with `<|media(path)|>`",
        )
    name, content = found[1].lower(), found[2].strip()
    if name == "media":
        return (
            _from_url(content, span)
            if _URL.match(content)
            else _from_path(content, span, folder, limits)
        )
    if name == "raw_media":
        return _from_base64(content, span, limits)
    hint = did_you_mean(name, ["media", "raw_media"]) or "there are `media` and `raw_media`"
    raise _error("unknown-block", f"there is no inline block `{name}`", span, hint)


def _from_url(url: str, span: Span) -> Media:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  (it is read only when it is asked for)
    except ValueError as error:
        raise _error("url", f"`{_short(url)}` is not a URL: {error}", span) from error
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or not _is_plain(url):
        hint = "for bytes there is `<|raw_media(png:BASE64)|>`" if parts.scheme == "data" else ""
        raise _error("url", f"`{_short(url)}` is no http or https URL", span, hint)
    if parts.username is not None or parts.password is not None:
        hint = "remove what comes before the `@`: the URL is sent to the provider"
        raise _error("url", "a media URL must not contain a user or a password", span, hint)
    ending = parts.path.rpartition("/")[2].rpartition(".")[2].lower()
    kind = _ALIASES.get(ending, ending)
    return Media(kind if kind in MIME_TYPES else "", url=url)


def _is_plain(url: str) -> bool:
    """Whether a URL has no blanks and no characters that do not print."""
    return url.isprintable() and not any(map(str.isspace, url))


def _from_path(path: str, span: Span, folder: Folder | None, limits: Limits) -> Media:
    ending = path.rpartition("/")[2].rpartition(".")[2] if "." in path else ""
    kind = _kind(ending, span, f"`{_short(path)}` has the ending")
    if folder is None:
        raise _error(
            "no-folder",
            f"`{_short(path)}` cannot be read: this prompt was loaded from text",
            span,
            "give `pdl.loads` the folder of its files as `base`",
        )
    try:
        data = folder.read(path, limits.media_bytes)
    except JailError as error:
        raise _error("file", str(error), span) from error
    except OSError as error:
        raise _error("file", f"`{_short(path)}` cannot be read: {error.strerror}", span) from error
    return _checked(kind, data, span, f"`{_short(path)}`")


def _from_base64(content: str, span: Span, limits: Limits) -> Media:
    ending, colon, encoded = content.partition(":")
    if not colon:
        raise _error("raw", "expected `raw_media(KIND:BASE64)`, found no `:`", span)
    kind = _kind(ending.strip(), span, "`raw_media` is given the kind")
    if len(encoded) > limits.media_bytes * 4 // 3 + 4:
        raise _error("size", f"these bytes are more than {limits.media_bytes:,}", span)
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _error("raw", f"what follows `{ending}:` is not base64: {error}", span) from error
    return _checked(kind, data, span, "what `raw_media` holds")


def _kind(ending: str, span: Span, found: str) -> str:
    kind = _ALIASES.get(ending.lower(), ending.lower())
    if kind not in MIME_TYPES:
        known = ", ".join(MIME_TYPES)
        named = (
            f"{found} `{_short(ending)}`"
            if ending
            else f"{found.split(' has ', maxsplit=1)[0]} has no ending"
        )
        hint = did_you_mean(kind, MIME_TYPES)
        raise _error("kind", f"{named}; expected one of {known}", span, hint)
    return kind


def _checked(kind: str, data: bytes, span: Span, what: str) -> Media:
    if not _SIGNATURES[kind].match(data):
        actual = next((k for k, pattern in _SIGNATURES.items() if pattern.match(data)), None)
        found = f"it begins like a {actual} file" if actual else "its first bytes say otherwise"
        raise _error("wrong-kind", f"{what} is not a {kind} file: {found}", span)
    return Media(kind, data)


def _short(text: str) -> str:
    return shown(text if len(text) <= 60 else text[:57] + "…")  # noqa: PLR2004


def _error(name: str, message: str, span: Span, hint: str = "") -> MediaError:
    return MediaError(Problem(f"media/{name}", message, span, hint))
