"""What providers want of a conversation: system turns apart, ids of calls, the last turn, media.

`Takes` says which media a provider takes, with advice where it does not take them.
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

    from pdl.models.exchange import Request
    from pdl.prompt.messages import Media, Part, Role
    from pdl.schema import Schema


IMAGES = frozenset({"png", "jpeg", "gif", "webp"})
AUDIO = frozenset({"wav", "mp3"})
PDF = frozenset({"pdf"})

_ADVICE = {
    "svg": "draw it as a png first",
    "gif": "save one of its pictures as a png",
    "webp": "save it as a png",
    "pdf": "make pictures (png) of its pages, or put its text into the prompt",
    "wav": "put what is said into the prompt as text",
    "mp3": "put what is said into the prompt as text",
}


@dataclass(frozen=True)
class MediaSupport:
    """The kinds of media that a provider takes as bytes, and those that it takes as URLs."""

    provider: str
    data: frozenset[str]
    urls: frozenset[str] = frozenset()

    def kind(self, media: Media, role: Role) -> str:
        """The kind of a medium; a URL that does not say its kind is taken for a picture.

        Raises MediaError for what the provider does not take.
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
        raise MediaError(Problem("media/provider", f"{self.provider} takes no {what}", hint=hint))


def data_url(media: Media) -> str:
    """The bytes as a URL (RFC 2397), or the medium's own URL."""
    return media.url or f"data:{media.mime_type};base64,{media.base64}"


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def prefill(messages: Sequence[Message]) -> str:
    """The answer's beginning that a prompt holds as its last turn; empty if there is none."""
    if not messages or messages[-1].role != "assistant":
        return ""
    parts = messages[-1].parts
    return "" if any(isinstance(part, ToolCall) for part in parts) else messages[-1].text


def refuse_prefill(request: Request, provider: str) -> None:
    """Raise TurnError if the provider would not go on from a last assistant turn."""
    if prefill(request.messages):
        message = f"{provider} does not go on from a last assistant turn"
        hint = "end with a user turn; anthropic, ollama, llama-server and vllm do go on"
        raise TurnError(Problem("turn/prefill", message, hint=hint))


def unsupported_prefill(provider: str) -> Dropped:
    """That a schema is not held because the answer is begun already."""
    why = f"the prompt begins the answer, and {provider} would hold the rest to the whole schema"
    return Dropped("#", "", why)


def is_free(schema: Schema) -> bool:
    """Whether any text is an answer."""
    return schema.form == "text" and asserted(schema.document) == ["type"]


def unsupported_form(schema: Schema, provider: str) -> tuple[Dropped, ...]:
    """That a schema is not held because its answers are no JSON; nothing if any text is one."""
    if is_free(schema):
        return ()
    what = f"a reply of the form `{schema.form}` is no JSON"
    return (Dropped("#", "", f"{what}, and {provider} holds replies to JSON only"),)


def unsupported_with_tools(provider: str) -> Dropped:
    """That a schema is not held because there are tools."""
    return Dropped("#", "", f"{provider} holds a reply to a schema or offers it tools, not both")


def words_of(schema: Schema, request: Request) -> str:
    """A schema in words; empty if the prompt shows it already."""
    words = schema.describe()
    if any(words in message.text for message in request.messages):
        return ""
    return f"Call tools as needed. Then do this:\n\n{words}" if request.tools else words


def described(request: Request) -> Request:
    """The request with the schema in words, if it is one that the model takes in no other form.

    They follow the system's, or those of the first turn, as models without such forms often take
    no turn of the system's.
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
    """The texts of the system turns, joined by empty lines, and the other turns.

    A model that said nothing leaves no turn: these providers take none that is empty. Raises
    TurnError if there are no others.
    """
    system = [one.text for one in request.messages if one.role == "system"]
    rest = tuple(
        one
        for one in request.messages
        if one.role != "system" and (one.role != "assistant" or _says_something(one))
    )
    if not rest:
        message = f"{provider} needs a turn besides the system's"
        raise TurnError(Problem("turn/missing", message, hint="put the question into <|user|>"))
    return "\n\n".join(filter(None, system)), rest


class _Numbering:
    """Gives ids to calls that have none, and finds the call that a result belongs to."""

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
        told = f"the result of `{result.call.name}` answers no call of an earlier assistant turn"
        raise TurnError(Problem("turn/result", told))


def with_ids(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The turns with an id for each call, as providers take them, and in its result.

    Calls that were written into a reply's text have none. Raises TurnError for the result of a
    call that no turn before it asks for.
    """
    numbering = _Numbering()
    return tuple(replace(one, parts=tuple(map(numbering.part, one.parts))) for one in messages)


def _says_something(message: Message) -> bool:
    return any(not isinstance(part, Text) or part.text.strip() for part in message.parts)
