"""Replies on record as a model, and whether each was accepted or refused as a case says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.errors import Problem
from pdl.models.answer import Answer
from pdl.models.exchange import Delta
from pdl.models.faults import Fault, shown
from pdl.testing.outcome import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from pdl._types import Json
    from pdl.models.answer import AskError, Attempt
    from pdl.models.exchange import Dropped, Reply
    from pdl.models.request import Request
    from pdl.reply import Violation
    from pdl.source import Span
    from pdl.testing.cases import Case, Parts, Recording

_MOST = 5  # errors of one reply that are told


class RecordedModel:
    """Answers each request with the first reply left whose `match` is in the last message.

    `used` are the replies that it gave, in their order, and `left` the others.
    """

    name = "the replies on record"

    def __init__(self, recordings: Sequence[Recording]) -> None:
        self.left = list(recordings)
        self.used: list[Recording] = []

    def reply(self, request: Request, *, timeout: float) -> Reply:  # noqa: ARG002 - it takes no time
        """Return the next reply. Raises Fault if that is a refusal, or if none is left."""
        last = request.messages[-1].text if request.messages else ""
        index = next((at for at, one in enumerate(self.left) if one.match in last), -1)
        if index < 0:
            raise Fault("exhausted", "no reply is left on record for this attempt")
        self.used.append(self.left.pop(index))
        found = self.used[-1]
        if found.reply is None:
            raise Fault("refusal", found.refused)
        return found.reply

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the same as one piece."""
        yield Delta.whole(self.reply(request, timeout=timeout))

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the next reply."""
        return self.reply(request, timeout=timeout)

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        """Yield the same as one piece."""
        yield Delta.whole(self.reply(request, timeout=timeout))

    def dropped(self, request: Request) -> tuple[Dropped, ...]:  # noqa: ARG002 - of the protocol
        """Return nothing: replies on record are not constrained."""
        return ()

    def identity(self, request: Request) -> Json:  # noqa: ARG002 - of the protocol
        """Return None: a reply depends on earlier ones."""
        return None


def is_plain(reply: Reply) -> bool:
    """Return whether the text of a reply is all that a check reads of it."""
    return not reply.calls and reply.flaw is None and reply.finish in {"stop", "other"}


def record(reply: Reply) -> dict[str, Json]:
    """Return a reply as the record that `replay:` reads."""
    calls = [
        {"name": one.name, "arguments": dict(one.arguments), **({"id": one.id} if one.id else {})}
        for one in reply.calls
    ]
    told: dict[str, Json] = {"reasoning": reply.reasoning, "calls": calls, "model": reply.model}
    if reply.finish != "stop":
        told["finish"] = reply.finish
    told["usage"] = reply.usage.counts()
    return {"text": reply.text, **{key: one for key, one in told.items() if one}}


def is_refusal(result: Answer | AskError) -> bool:
    """Return whether asking ended because the model refuses to answer."""
    last = result.attempts[-1].fault if result.attempts else None
    return last is not None and last.kind == "refusal"


def recorded_failures(
    parts: Parts, used: Sequence[Recording], attempts: Sequence[Attempt]
) -> Iterator[Failure]:
    """Yield what is wrong with replies on record: `used` are those of the attempts, in order."""
    for number, (recording, attempt) in enumerate(zip(used, attempts, strict=False), 1):
        if recording.reply is None:
            continue
        if recording.refused:
            problem = _refused_problem(recording, attempt)
            if problem is not None:
                yield Failure("reply", problem)
        elif not attempt.ok and number == len(attempts):
            for one in _errors(attempt, recording.span, recording):
                yield Failure("reply", one)
    for recording in parts.recordings:
        if not any(recording is one for one in used):
            message = "this reply was not asked for: the one before it ended the run"
            yield Failure("reply", Problem("test/unused", message, recording.span))


def _refused_problem(recording: Recording, attempt: Attempt) -> Problem | None:
    """What is wrong with a reply that must be refused."""
    wanted = recording.refused
    words = "must be refused" + ("" if wanted == "any" else f" as `{wanted}`")
    if attempt.ok:
        message = f"this reply {words}, and is accepted"
        return Problem("test/accepted", message, recording.span)
    found = attempt.check.reason if attempt.check is not None else None
    if wanted in {"any", found}:
        return None
    message = f"this reply {words}, and is refused" + (f" as `{found}`" if found else "")
    return Problem("test/accepted", message, recording.span, attempt.reason)


def model_failures(
    case: Case, parts: Parts, result: Answer | AskError, *, must_refuse: bool
) -> Iterator[Failure]:
    """Yield what is wrong with the answer of a model, or with its refusal."""
    if must_refuse and not is_refusal(result):
        span = parts.recordings[-1].span
        message = "the model must refuse to answer, and "
        ending = "answers" if isinstance(result, Answer) else f"does not: {result}"
        yield Failure("reply", Problem("test/accepted", message + ending, span))
    elif not must_refuse and not isinstance(result, Answer):
        attempts = result.attempts
        if attempts and attempts[-1].fault is None:
            for one in _errors(attempts[-1], case.span):
                yield Failure("reply", one)
        else:
            yield Failure("reply", Problem("test/reply", str(result), case.span))


def _errors(attempt: Attempt, span: Span, recording: Recording | None = None) -> Iterator[Problem]:
    """The errors of a reply, each where it is recorded."""
    check = attempt.check
    if attempt.fault is not None or check is None or not check.errors:
        yield Problem("test/reply", shown(attempt.reason), span)
        return
    text = recording.text if recording is not None else None
    for number, one in enumerate(check.errors[:_MOST]):
        place = span if text is None or one.span is None else text.span(*one.span)
        more = f" (and {len(check.errors) - _MOST} more)" if len(check.errors) > _MOST else ""
        hint = "" if number else f"the model is told: {' '.join(check.feedback.split())}"
        message = f"{check.reason}: {_about(one)}{more if number == _MOST - 1 else ''}"
        yield Problem("test/reply", message, place, hint)


def _about(violation: Violation) -> str:
    subject = f"`{format_path(violation.path)}`" if violation.path else "the reply"
    return f"{subject} {violation.message}"
