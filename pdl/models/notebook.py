"""An answer in a notebook: how it was obtained, and the check of its reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.markup import Room, listed, shown, title
from pdl.reply.notebook import check_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.answer import Answer

_SHOWN = 10  # attempts that failed, and calls


def answer_html(answer: Answer) -> str:
    """Return an answer as HTML: who gave it, the attempts without an answer, and its check."""
    room = Room()
    told = ", ".join(_told(answer))
    parts = [title("default" if answer.is_default else "answer", told)]
    failed = [attempt for attempt in answer.attempts if not attempt.ok]
    if failed:
        reasons = [f"attempt failed: {room.text(one.reason, 300)}" for one in failed[:_SHOWN]]
        parts.append(listed(reasons, len(failed) - _SHOWN))
    if answer.calls:
        calls = [f"<code>{room.text(repr(call))}</code>" for call in answer.calls[:_SHOWN]]
        parts += [title("tool calls"), listed(calls, len(answer.calls) - _SHOWN)]
    elif answer.check is not None:
        parts += check_parts(answer.check, room)
    else:
        parts += [title("value"), room.block(repr(answer.value))]
    return shown(*parts)


def _told(answer: Answer) -> Iterator[str]:
    if answer.model:
        yield f"from {answer.model}"
    yield count(len(answer.attempts), "attempt")
    used = answer.usage
    if used.input_tokens is not None and used.output_tokens is not None:
        yield f"{used.input_tokens:,} + {used.output_tokens:,} tokens"
    if answer.seconds >= 1:
        yield f"{answer.seconds:.1f} s"
