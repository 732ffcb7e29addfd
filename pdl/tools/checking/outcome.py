"""What a check of calls gives back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from pdl.reply import Repair, Violation
    from pdl.reply.result import Span
    from pdl.tools.calls import ToolCall

_LISTED = 10  # errors that a feedback tells
_LONGEST = 4_000  # characters of errors that it tells, but for the first one

Reason: TypeAlias = Literal[
    "unknown-tool",
    "absent",
    "truncated",
    "unparsable",
    "wrong-schema",
    "ambiguous",
    "elided",
    "limit",
]
"""Why something is no call: what `pdl.check` says of its arguments, or that no tool has its name.

absent: a call was wanted and there is none; ambiguous: it is not certain that one is meant.
"""


@dataclass(frozen=True)
class CallError:
    """One call that is wrong, or that is lacking.

    `tool` is the name that it has in the reply, 64 characters of it at most; `violations` what is
    wrong with its arguments, with paths from the call's own object on. `feedback` is for the model,
    `message` one line for a person or a log; `span` is where it stands in the reply.
    """

    reason: Reason
    feedback: str
    message: str
    tool: str = ""
    violations: tuple[Violation, ...] = ()
    span: Span | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class CallsCheck:
    """The calls in a reply, and what is wrong with others.

    `calls` are those that are right, in their order, with arguments that fit; where `errors` is
    not empty, nothing should be run, for the model will write all of them anew. `text` is the reply
    without calls, reasoning and tokens. `repairs` are the changes of spelling that reading took,
    with spans in the reply where they are known.
    """

    calls: tuple[ToolCall, ...] = ()
    text: str = ""
    errors: tuple[CallError, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no call is wrong; there may be none at all."""
        return not self.errors

    @property
    def feedback(self) -> str:
        """What to tell the model, in short sentences; empty if all is well.

        What is the same of several calls is said once. Of many errors the first are told, and how
        many more there are.
        """
        counts = Counter(error.feedback for error in self.errors)
        told: list[str] = []
        length = left = 0
        for text, number in counts.items():
            length += len(text)
            if told and (length > _LONGEST or len(told) == _LISTED):
                left += number
            else:
                told.append(text if number == 1 else f"{text}\n(This applies to {number} calls.)")
        if left:
            told.append(f"Your tool calls have {left} more error{'' if left == 1 else 's'}.")
        if told and self.calls:
            told.append("Write all calls again, including the correct ones.")
        return "\n".join(told)
