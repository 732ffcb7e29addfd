"""What a prompt renders to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl import reply as replies
from pdl.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.prompt.messages import Message
    from pdl.reply import Check, Coercions, Dialects
    from pdl.schema import Schema
    from pdl.tools import ToolSet


@dataclass(frozen=True)
class Rendered:
    """Messages to send, and what the answer must look like.

    `tools` are those of the `<|tools|>` turn, `config` the keys and values of `<|config|>`,
    `reasoning` the texts of `<|reasoning|>` turns, which are never sent. `warnings` lists what
    `strict=False` passed over; it is empty for a strict rendering, but for an empty last turn.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    tools: ToolSet | None = None
    config: Mapping[str, Json] = field(default_factory=dict)
    reasoning: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()

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
