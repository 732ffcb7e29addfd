"""What a prompt renders to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdl import reply as replies
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.messages import Message, disarmed
from pdl.schema import Schema
from pdl.schema.given import no_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.reply import Check, Coercions, Dialects
    from pdl.tools import ToolSet


@dataclass(frozen=True)
class Rendered:
    """Messages to send, and what the answer must look like.

    `tools` are those of the `<|tools|>` turn, `config` the keys and values of `<|config|>`,
    `reasoning` the texts of `<|reasoning|>` turns, which are never sent. `warnings` lists what
    `strict=False` passed over; it is empty for a strict rendering, but for an empty last turn.
    Raises TypeError for messages and schemas of other types.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    tools: ToolSet | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    reasoning: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could not be sent; any sequence of messages becomes a tuple."""
        given: Any = self.messages
        if isinstance(given, str | Message | Mapping) or not isinstance(given, Iterable):
            raise _no_messages(given)
        object.__setattr__(self, "messages", tuple(given))
        for one in tuple[Any, ...](self.messages):
            if not isinstance(one, Message):
                raise _no_messages(one)
        if not (self.schema is None or isinstance(self.schema, Schema)):
            raise no_schema(self.schema, "a pdl.Schema or None")

    def __str__(self) -> str:
        """What is sent, as turns to read: what `pdl render` prints."""
        return "\n\n".join(f"<|{role}|>\n{text}" for role, text in self.turns())

    def _repr_markdown_(self) -> str:
        from pdl.schema.writing.shown import fenced  # noqa: PLC0415 - only notebooks need it

        return fenced(str(self))

    def turns(self) -> Iterator[tuple[str, str]]:
        """What is sent, as names and texts: messages, tools, configuration, schema."""
        from pdl.schema.writing.shown import json_line  # noqa: PLC0415 - only people need it

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
        coercions: Coercions | None = None,
        dialects: Dialects | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Check:
        """Find the answer in a reply and check it: `pdl.check(rendered.schema, reply)`.

        Without a schema the whole reply is the answer.
        """
        allowed = replies.Coercions() if coercions is None else coercions
        known = replies.DIALECTS if dialects is None else dialects
        check: Check = replies.check(
            self.schema, reply, coercions=allowed, dialects=known, limits=limits
        )
        return check


def _no_messages(given: object) -> TypeError:
    return TypeError(
        f"messages must be a tuple of Messages, not {type(given).__name__}:"
        ' write (pdl.Message("user", text), …)'
    )
