"""What is said of a run: the value, and a line for each attempt while it lasts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pdl.cli.reports.json_text import json_document, json_line
from pdl.cli.reports.verdict import value_text
from pdl.models.options import Hook
from pdl.models.retry import tenths
from pdl.reply.wording import count

if TYPE_CHECKING:
    from pdl.cli.screen import Screen
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Delta, Request, Usage
    from pdl.schema import Schema

_MOST = 300  # characters of a reason


def answer_text(schema: Schema | None, answer: Answer) -> str:
    """The value as a shell wants it; calls of tools, which have none, as a JSON object."""
    if answer.calls:
        calls = [{"name": one.name, "arguments": dict(one.arguments)} for one in answer.calls]
        return json_line({"calls": calls})
    if answer.check is not None:
        return value_text(schema, answer.check)
    return answer.value if isinstance(answer.value, str) else json_line(answer.value)


def answer_json(answer: Answer) -> str:
    """All of an answer but its attempts, which transcripts have, as an object."""
    calls = [
        {"id": one.id, "name": one.name, "arguments": dict(one.arguments)} for one in answer.calls
    ]
    return json_document(
        {
            "ok": not answer.is_default,
            "is_default": answer.is_default,
            "value": answer.value,
            "calls": calls,
            "attempts": len(answer.attempts),
            "seconds": round(answer.seconds, 3),
            "usage": answer.usage.counts(),
            "dropped": [dataclasses.asdict(one) for one in answer.dropped],
            "ignored": [dataclasses.asdict(one) for one in answer.ignored],
        }
    )


def calls_line(answer: Answer) -> str:
    """That there are calls of tools instead of a value."""
    names = ", ".join(dict.fromkeys(f"`{call.name}`" for call in answer.calls))
    return (
        f"the model gave no value, but wants {names} called: `pdl run` calls no tools, and printed"
        " the calls"
    )


def summary_line(answer: Answer) -> str:
    """What an answer took."""
    tried = count(len(answer.attempts), "attempt")
    origin = "from the cache" if answer.attempts[-1].is_cached else f"after {tried}"
    how = "no valid answer, so the default," if answer.is_default else "answered"
    left = len(answer.dropped)
    held = f"; {left} {'keyword was' if left == 1 else 'keywords were'} left to the check"
    return f"{how} {origin}, {tenths(answer.seconds)}{_tokens(answer.usage)}{held if left else ''}"


def _tokens(usage: Usage) -> str:
    counts = ((usage.input_tokens, "tokens read"), (usage.output_tokens, "written"))
    return "".join(f", {number:,} {words}" for number, words in counts if number is not None)


class Watch(Hook):
    """Keeps what happened, and tells it where somebody sees it.

    `shows` is whether somebody does. `request` is the last one, `attempts` what came of all that
    are done.
    """

    def __init__(self, screen: Screen, model: str, retries: int, *, shows: bool) -> None:
        self._screen = screen
        self._model = model
        self._most = retries + 1
        self._shows = shows
        self._amid_line = False
        self.request: Request | None = None
        self.attempts: list[Attempt] = []

    def before(self, number: int, request: Request) -> None:
        """Say who is asked, once."""
        self.request = request
        if number == 1:
            self._say(f"asking {self._model} …")

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:
        """Say why an attempt gave no answer."""
        self.request = attempt.request
        self.attempts.append(attempt)
        if self._amid_line:
            self._write("\n")
            self._amid_line = False
        if attempt.ok:
            return
        again = "" if pause is None else f"; again in {tenths(pause)}" if pause else "; again"
        reason = attempt.reason
        reason = f"{reason[:_MOST]}…" if len(reason) > _MOST else reason
        took = tenths(attempt.seconds)
        self._say(f"attempt {number} of {self._most}, {took}: {reason}{again}")

    def piece(self, delta: Delta) -> None:
        """Show a piece of a reply that streams."""
        text = delta.reasoning + delta.text
        if text:
            self._write(self._screen.safe(text))
            self._amid_line = not text.endswith("\n")

    def _say(self, line: str) -> None:
        if self._shows:
            self._screen.write(self._screen.safe(" ".join(line.split())))

    def _write(self, text: str) -> None:
        stream = self._screen.stream
        if self._shows and stream is not None:
            stream.buffer.write(text.encode("utf-8", "backslashreplace"))
            stream.buffer.flush()
