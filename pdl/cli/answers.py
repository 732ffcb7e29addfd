"""What `pdl run` prints: the answer, what it took, and the attempts while they are made."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pdl.cli.output import json_document, json_line, value_text
from pdl.errors import count
from pdl.models.answer import Answer
from pdl.models.faults import tenths
from pdl.models.options import Hook

if TYPE_CHECKING:
    from pdl.cli.terminal import Terminal
    from pdl.models.answer import AskError, Attempt
    from pdl.models.exchange import Delta
    from pdl.models.request import Request
    from pdl.schema import Schema

_LONGEST_REASON = 300  # characters


def answer_text(schema: Schema | None, answer: Answer) -> str:
    """Return the value for shells; tool calls, which have none, as a JSON object."""
    if answer.calls:
        calls = [{"name": one.name, "arguments": dict(one.arguments)} for one in answer.calls]
        return json_line({"calls": calls})
    if answer.check is not None:
        return value_text(schema, answer.check)
    return answer.data if isinstance(answer.data, str) else json_line(answer.data)


def answer_json(answer: Answer) -> str:
    """Return everything in an answer except its attempts, which transcripts have."""
    calls = [
        {"id": one.id, "name": one.name, "arguments": dict(one.arguments)} for one in answer.calls
    ]
    return json_document(
        {
            "ok": not answer.is_default,
            "is_default": answer.is_default,
            "value": answer.data,
            "fingerprint": answer.fingerprint or None,
            "calls": calls,
            "attempts": len(answer.attempts),
            "seconds": round(answer.seconds, 3),
            "usage": answer.usage.counts(),
            "cost": answer.cost,
            "dropped": [dataclasses.asdict(one) for one in answer.dropped],
            "ignored": [dataclasses.asdict(one) for one in answer.ignored],
        }
    )


def summary(result: Answer | AskError, *, has_prices: bool) -> str:
    """Return what asking took, in one line: attempts, time, tokens if known, cost if asked for."""
    tried = count(len(result.attempts), "attempt")
    counts = ((result.usage.input_tokens, "tokens read"), (result.usage.output_tokens, "written"))
    took = tenths(result.seconds)
    took += "".join(f", {number:,} {words}" for number, words in counts if number is not None)
    if has_prices:
        took += ", cost unknown" if result.cost is None else f", cost {result.cost:.6f}"
    if not isinstance(result, Answer):
        return f"gave up after {tried}, {took}"
    origin = "from the cache" if result.attempts[-1].is_cached else f"after {tried}"
    outcome = f"answered {origin}"
    if result.is_default:
        outcome = f"no valid answer {origin}, so used the default"
    dropped = count(len(result.dropped), "keyword")
    checked = f"; the provider did not enforce {dropped}" if result.dropped else ""
    return f"{outcome}, {took}{checked}"


class AttemptLog(Hook):
    """Records the last request and all attempts, and reports them if `shows` is set."""

    def __init__(self, terminal: Terminal, model: str, retries: int, *, shows: bool) -> None:
        self._terminal = terminal
        self._model = model
        self._most = retries + 1
        self._shows = shows
        self._in_line = False
        self.request: Request | None = None
        self.attempts: list[Attempt] = []

    def before(self, number: int, request: Request) -> None:
        """Report the model, once."""
        self.request = request
        if number == 1:
            self._say(f"asking {self._model} …")

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:
        """Report why an attempt gave no answer."""
        self.request = attempt.request
        self.attempts.append(attempt)
        if self._in_line:
            self._write("\n")
            self._in_line = False
        if attempt.ok:
            return
        again = "" if pause is None else f"; retrying in {tenths(pause)}" if pause else "; retrying"
        reason = attempt.reason
        reason = f"{reason[:_LONGEST_REASON]}…" if len(reason) > _LONGEST_REASON else reason
        took = tenths(attempt.seconds)
        self._say(f"attempt {number} of {self._most}, {took}: {reason}{again}")

    def on_delta(self, delta: Delta) -> None:
        """Show a piece of a streamed reply."""
        text = delta.reasoning + delta.text
        if text:
            self._write(self._terminal.safe(text))
            self._in_line = not text.endswith("\n")

    def _say(self, line: str) -> None:
        if self._shows:
            self._terminal.write(self._terminal.safe(" ".join(line.split())))

    def _write(self, text: str) -> None:
        stream = self._terminal.stream
        if self._shows and stream is not None:
            stream.buffer.write(text.encode("utf-8", "backslashreplace"))
            stream.buffer.flush()
