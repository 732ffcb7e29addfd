"""A run as JSON: what it cost, how long it took, what went wrong, each attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.models.answer import total
from pdl.models.transcript.hiding import hidden_in_record, mask_of

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.errors import PdlError
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Dropped, Reply
    from pdl.models.faults import Fault
    from pdl.models.transcript.run import Run
    from pdl.reply import Check
    from pdl.tools.calls import ToolCall


def record(run: Run) -> dict[str, Json]:
    """All of a run but its messages, which its transcript holds. Seconds are wall clock."""
    told: dict[str, Json] = {
        "prompt": run.prompt,
        "model": run.model,
        "started": run.started.isoformat(timespec="milliseconds"),
        "seconds": round(run.seconds, 3),
        "outcome": run.outcome,
        "error": _error(run.error),
        **_answer(run.answer),
        "usage": total(run.attempts).counts(),
        "attempts": [_attempt(attempt) for attempt in run.attempts],
    }
    without_key: dict[str, Json] = hidden_in_record(told, mask_of(run))
    return without_key


def _answer(answer: Answer | None) -> dict[str, Json]:
    if answer is None:
        return {"ok": False}
    return {
        "ok": not answer.is_default,
        "is_default": answer.is_default,
        "value": answer.value,
        "calls": [_call(call) for call in answer.calls],
        "dropped": [_dropped(dropped) for dropped in answer.dropped],
    }


def _attempt(attempt: Attempt) -> dict[str, Json]:
    return {
        "seconds": round(attempt.seconds, 3),
        "ok": attempt.ok,
        "reason": attempt.reason,
        "is_stopped": attempt.is_stopped,
        "is_cached": attempt.is_cached,
        "reply": _reply(attempt.reply),
        "fault": _fault(attempt.fault),
        "check": _check(attempt.check),
        "complaint": attempt.complaint,
    }


def _reply(reply: Reply | None) -> Json:
    if reply is None:
        return None
    flaw = reply.flaw
    told: dict[str, Json] = {
        "text": reply.text,
        "reasoning": reply.reasoning,
        "calls": [_call(call) for call in reply.calls],
        "finish": reply.finish,
        "usage": reply.usage.counts(),
        "model": reply.model,
    }
    return told if flaw is None else {**told, "flaw": {"kind": flaw.kind, "words": flaw.words}}


def _call(call: ToolCall) -> dict[str, Json]:
    return {"name": call.name, "arguments": dict(call.arguments), "id": call.id}


def _dropped(dropped: Dropped) -> dict[str, str]:
    return {"pointer": dropped.pointer, "keyword": dropped.keyword, "why": dropped.why}


def _fault(fault: Fault | None) -> Json:
    if fault is None:
        return None
    return {
        "kind": fault.kind,
        "message": fault.problem.message,
        "status": fault.status,
        "retry_after": fault.retry_after,
    }


def _check(check: Check | None) -> Json:
    if check is None:
        return None
    return {
        "ok": check.ok,
        "reason": check.reason,
        "summary": check.summary,
        "errors": [
            {"path": format_path(error.path), "message": error.message} for error in check.errors
        ],
        "feedback": check.feedback,
    }


def _error(error: PdlError | None) -> Json:
    if error is None:
        return None
    return {"code": error.problem.code, "message": str(error)}
