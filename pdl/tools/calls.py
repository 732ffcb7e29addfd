"""A call of a tool that a model asks for, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool: its name and its arguments.

    `id` is what the provider calls this call, by which the result finds back; empty where a call
    was written into the reply's text.
    """

    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call, as text for the model; `failed` if the tool could not do it."""

    call: ToolCall
    text: str
    failed: bool = False
