"""What providers require of a conversation: system turns, ids of calls, the last turn, media.

`MediaSupport` is which media a provider supports, with advice for the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from pdl.errors import MediaError, Problem, TurnError
from pdl.models.exchange import Dropped
from pdl.models.payloads.schema_dialect import asserted
from pdl.prompt.messages import Message, Text
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.models.request import Request
    from pdl.prompt.messages import Media, Part, Role
    from pdl.schema import Schema


IMAGES = frozenset({"png", "jpeg", "gif", "webp"})
AUDIO = frozenset({"wav", "mp3"})
PDF = frozenset({"pdf"})

_ADVICE = {
    "svg": "convert it to a png",
    "gif": "save one of its frames as a png",
    "webp": "save it as a png",
    "pdf": "convert its pages to images (png), or put its text into the prompt",
    "wav": "put a transcription into the prompt",
    "mp3": "put a transcription into the prompt",
}


@dataclass(frozen=True)
class MediaSupport:
    """The kinds of media that a provider supports as bytes, and those as URLs."""

    provider: str
    data: frozenset[str]
    urls: frozenset[str] = frozenset()

    def kind(self, media: Media, role: Role) -> str:
        """Return the kind of a medium; a URL without a known kind is treated as an image.

        Raises MediaError for what the provider doesn't support.
        """
        kind = media.kind or ("png" if media.url else "")
        if role != "user":
            self._refuse(f"media in a turn of the role {role}", "put it into a user turn")
        if kind not in self.data | self.urls:
            self._refuse(f"media of the kind {kind or 'unknown'}", _ADVICE.get(kind, ""))
        if media.url and kind not in self.urls:
            self._refuse(f"URLs of the kind {kind}", "embed the file: <|media(path)|>")
        return kind

    def _refuse(self, what: str, hint: str) -> NoReturn:
        raise MediaError(
            Problem("media/provider", f"{self.provider} does not support {what}", hint=hint)
        )


def data_url(media: Media) -> str:
    """Return the bytes as a URL (RFC 2397), or the medium's own URL."""
    return media.url or f"data:{media.mime_type};base64,{media.base64}"


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def prefill(messages: Sequence[Message]) -> str:
    """Return the beginning of the answer, if the last turn of the prompt is one; else empty."""
    if not messages or messages[-1].role != "assistant":
        return ""
    parts = messages[-1].parts
    return "" if any(isinstance(part, ToolCall) for part in parts) else messages[-1].text


def refuse_prefill(request: Request, provider: str) -> None:
    """Raise TurnError for a last assistant turn, if the provider would not continue it."""
    if prefill(request.messages):
        message = f"{provider} does not continue a last assistant turn"
        hint = "end with a user turn; anthropic, ollama, llama-server and vllm continue it"
        raise TurnError(Problem("turn/prefill", message, hint=hint))


def unsupported_prefill(provider: str) -> Dropped:
    """Return that a schema is not enforced because the prompt begins the answer."""
    why = f"the prompt begins the answer, and {provider} would apply the whole schema to the rest"
    return Dropped("#", "", why)


def is_free(schema: Schema) -> bool:
    """Return whether any text is an answer."""
    return schema.form == "text" and asserted(schema.document) == ["type"]


def unsupported_with_tools(provider: str) -> Dropped:
    """Return that a schema is not enforced because there are tools."""
    return Dropped("#", "", f"{provider} supports either a schema or tools, not both")


def enforceable(
    request: Request, provider: str, *, with_tools: bool = True, with_prefill: bool = True
) -> tuple[Schema | None, tuple[Dropped, ...]]:
    """Return the schema, if a provider of JSON can enforce it; else None, and why not.

    The flags are whether it can next to tools, and after the beginning of an answer.
    """
    schema = request.schema
    if schema is None or not request.constrain or is_free(schema):
        return None, ()
    if schema.form != "json":
        what = f"a reply of the form `{schema.form}` is not JSON"
        return None, (Dropped("#", "", f"{what}, and {provider} enforces only JSON"),)
    if request.tools and not with_tools:
        return None, (unsupported_with_tools(provider),)
    if prefill(request.messages) and not with_prefill:
        return None, (unsupported_prefill(provider),)
    return schema, ()


def words_of(schema: Schema, request: Request) -> str:
    """Return the description of a schema; empty if the prompt shows it already."""
    words = schema.describe()
    if any(words in message.text for message in request.messages):
        return ""
    return f"Call tools as needed. Then do this:\n\n{words}" if request.tools else words


def described(request: Request) -> Request:
    """Return the request with a description of the schema, if the model accepts no other form.

    It follows the system turn, or else the first user turn, since models without such forms often
    accept no system turn.
    """
    if request.schema is None or not request.describe:
        return request
    words, messages = words_of(request.schema, request), list(request.messages)
    roles = [one.role for one in messages]
    if words and {"system", "user"} & {*roles}:
        index = roles.index("system" if "system" in roles else "user")
        parts = (*messages[index].parts, Text(f"\n\n{words}"))
        messages[index] = replace(messages[index], parts=parts)
    return replace(request, messages=tuple(messages), schema=None)


def without_system(request: Request, provider: str) -> tuple[str, tuple[Message, ...]]:
    """Return the texts of the system turns, joined by empty lines, and the other turns.

    Empty assistant turns are left out, since these providers reject them. Raises TurnError if there
    are no other turns.
    """
    system = [one.text for one in request.messages if one.role == "system"]
    rest = tuple(
        one
        for one in request.messages
        if one.role != "system" and (one.role != "assistant" or _says_something(one))
    )
    if not rest:
        message = f"{provider} needs a turn besides the system turn"
        raise TurnError(Problem("turn/missing", message, hint="put the question into <|user|>"))
    return "\n\n".join(filter(None, system)), rest


class _Numbering:
    """Assigns ids to calls without one, and finds the call of a result."""

    def __init__(self) -> None:
        self._count = 0
        self._open: list[tuple[ToolCall, ToolCall]] = []  # as given, with its id

    def part(self, part: Part) -> Part:
        if isinstance(part, ToolCall):
            return self._call(part)
        return self._result(part) if isinstance(part, ToolResult) else part

    def _call(self, call: ToolCall) -> ToolCall:
        self._count += 1
        known = call if _ID.fullmatch(call.id) else replace(call, id=f"call_{self._count}")
        self._open.append((call, known))
        return known

    def _result(self, result: ToolResult) -> ToolResult:
        for index, (given, known) in enumerate(self._open):
            if given == result.call:
                del self._open[index]
                return replace(result, call=known)
        told = f"the result of `{result.call.name}` belongs to no call of an earlier assistant turn"
        raise TurnError(Problem("turn/result", told))


def with_ids(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the turns with an id for each call, as providers require, and in its result.

    Calls that were written as text have none. Raises TurnError for a result without an earlier
    call.
    """
    numbering = _Numbering()
    return tuple(replace(one, parts=tuple(map(numbering.part, one.parts))) for one in messages)


def _says_something(message: Message) -> bool:
    return any(not isinstance(part, Text) or part.text.strip() for part in message.parts)
