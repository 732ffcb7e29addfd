"""A run of a prompt against a model, as a stream of events that ends when the page goes away.

Only models that the user has named are asked: on the command line, or in the config turn of an
opened prompt as it is on disk, not as the page sends it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pdl.errors import PdlError
from pdl.models.answer import AskError, total
from pdl.models.options import Hook
from pdl.models.runner import ask_async
from pdl.models.secret import NO_SECRET
from pdl.play.access import RefusedError, refusal_of
from pdl.play.looking.checks import check_fields
from pdl.play.looking.offsets import Offsets
from pdl.play.looking.subject import Draft, Filled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl._types import Json
    from pdl.models import Answer, Model
    from pdl.models.answer import Attempt
    from pdl.models.ask_partial import AskPartial
    from pdl.models.exchange import Delta
    from pdl.models.request import Request
    from pdl.play.choice import Choice
    from pdl.prompt import Rendered

    Put = Callable[[dict[str, Json]], None]

_PARTIALS = 0.1  # seconds between two partial values


class Run(Hook):
    """One run: it puts events, each an object with its name as `event`."""

    def __init__(
        self, filled: Filled, model: Model, label: str, put: Put, hidden: Callable[[str], str]
    ) -> None:
        self.filled = filled
        self.model = model
        self.label = label
        self._put = put
        self._hidden = hidden
        self._secret = getattr(model, "key", NO_SECRET)
        self._shown = 0.0

    def put(self, event: str, **fields: Json) -> None:
        """Put an event, without the model's key."""
        self._put({"event": event, **self._secret.redact_json(fields)})

    async def run(self, retries: int) -> None:
        """Ask the model, and put what comes of it. Raises PdlError, but for failed attempts."""
        began = time.monotonic()
        rendered = await asyncio.to_thread(self._rendered)
        try:
            answer = await ask_async(
                rendered,
                self.model,
                retries=retries,
                on_delta=self.on_delta,
                on_partial=self.on_partial,
                hooks=(self,),
            )
        except AskError as error:
            message, hint = error.problem.message, error.problem.hint
            self.put("error", message=self._hidden(message), hint=self._hidden(hint))
            self._done(None, error.attempts, began)
        else:
            self._done(answer, answer.attempts, began)

    def _rendered(self) -> Rendered[Any]:
        return self.filled.draft.prompt.render(self.filled.values, prefill=True)

    def _done(
        self, answer: Answer[Any] | None, attempts: tuple[Attempt, ...], began: float
    ) -> None:
        told: dict[str, Json] = {"value": None, "calls": [], "dropped": [], "ignored": []}
        if answer is not None:
            told["value"] = answer.data
            told["calls"] = _calls(answer.calls)
            told["dropped"] = [asdict(one) for one in answer.dropped]
            told["ignored"] = [asdict(one) for one in answer.ignored]
        self.put(
            "done",
            ok=answer is not None,
            attempts=len(attempts),
            seconds=round(time.monotonic() - began, 3),
            usage=total(attempts).counts(),
            **told,
        )

    def before(self, number: int, request: Request) -> None:
        """Put what is asked in an attempt."""
        messages = [{"role": one.role, "text": one.text} for one in request.messages]
        self.put("attempt", number=number, request={"model": self.label, "messages": messages})

    def on_delta(self, delta: Delta) -> None:
        """Put a piece of a reply."""
        if delta.reasoning:
            self.put("reasoning", delta=delta.reasoning)
        if delta.text:
            self.put("text", delta=delta.text)

    def on_partial(self, partial: AskPartial[Any]) -> None:
        """Put the answer so far, now and then; the whole one is in the verdict."""
        now = time.monotonic()
        if not partial.final and now - self._shown >= _PARTIALS:
            self._shown = now
            self.put("partial", value=partial.data, complete=False)

    def after(self, number: int, attempt: Attempt, pause: float | None) -> None:
        """Put what came of an attempt."""
        reply = attempt.reply
        calls = attempt.calls or (
            () if reply is None else reply.calls
        )  # those that are refused, too
        told: Json = None
        if attempt.check is not None and reply is not None:
            told = check_fields(attempt.check, Offsets(reply.text))
        self.put(
            "verdict",
            number=number,
            ok=attempt.ok,
            reason=self._hidden(attempt.reason),
            check=told,
            calls=_calls(calls),
            stopped=attempt.is_stopped,
            pause=pause,
        )
        self.put("usage", number=number, seconds=attempt.seconds, **attempt.usage.counts())


def _calls(calls: Sequence[Any]) -> list[Json]:
    return [{"name": one.name, "arguments": dict(one.arguments)} for one in calls]


async def run(
    asked: dict[str, Any], choice: Choice, put: Put, hidden: Callable[[str], str]
) -> None:
    """Put the events of a run; `hidden` takes the places of files out of errors."""
    files, name = choice.files, asked["file"]
    try:
        model = await asyncio.to_thread(choice.connect, asked["model"], name)
        base = None if files is None else files.root / files.folder_of(name)
        filled = Filled(Draft(asked["prompt"], name or "prompt.pdl", base), asked["data"])
        await Run(filled, model, asked["model"], put, hidden).run(asked["retries"])
    except (RefusedError, PdlError) as error:
        refused = refusal_of(error)
        put({"event": "error", "message": hidden(str(refused)), "hint": hidden(refused.hint)})
