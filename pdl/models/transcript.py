"""Transcripts in a directory: two new files per run, which never overwrite others.

One is a prompt file that can be asked again. The JSON file records the run: what it cost, how long
it took, what went wrong, and each attempt.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC
from itertools import count
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.errors import FileError, Problem
from pdl.models.answer import total
from pdl.models.prompt_source import Run, prompt_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.errors import PdlError
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Dropped, Fault, Reply
    from pdl.models.secret import Secret
    from pdl.reply import Check
    from pdl.tools.tool import ToolCall

__all__ = ["Run", "prepare", "prompt_source", "record", "write"]


def record(run: Run) -> dict[str, Json]:
    """Return a run as JSON, without the messages, which the prompt file has."""
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
    redacted: dict[str, Json] = _redacted(told, run.secret)
    return redacted


_DATA = frozenset({"arguments", "value"})
"""Data of the model, in which the keys of objects may contain the secret too."""


def _redacted(value: Json, secret: Secret) -> Json:
    if isinstance(value, list):
        return [_redacted(one, secret) for one in value]
    if isinstance(value, dict):
        return {
            key: secret.redact_json(one) if key in _DATA else _redacted(one, secret)
            for key, one in value.items()
        }
    return secret.redact_json(value)


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


_ODD = re.compile(r"[^\w.-]+")
_LONGEST = 80


def write(run: Run, folder: str | Path) -> Path:
    """Write the transcript of a run into a directory, and return the path of its `.pdl` file.

    The `.json` file is next to it. The name is that of the prompt with the time in UTC. The
    directory is created if needed. Raises FileError for what can't be written.
    """
    folder = prepare(folder)
    texts = prompt_source(run), json.dumps(record(run), ensure_ascii=False, indent=2) + "\n"
    try:
        for stem in _stems(run):
            written = _write_both(folder / stem, *texts)
            if written is not None:
                return written
    except OSError as error:
        raise _unwritable(folder, error) from error
    raise AssertionError("numbers do not end")


def prepare(folder: str | Path) -> Path:
    """Create the directory if needed. Raises FileError: better before a model is asked."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def _unwritable(folder: Path, error: OSError) -> FileError:
    reason = (error.strerror or str(error)).lower()
    message = f"{folder}: transcripts cannot be written there: {reason}"
    return FileError(Problem("file/unwritable", message))


def _stems(run: Run) -> Iterator[str]:
    name = _ODD.sub("-", PurePath(run.prompt).stem).strip("-.")[:_LONGEST] or "prompt"
    first = f"{name}-{run.started.astimezone(UTC):%Y%m%d-%H%M%S}"
    yield first
    for number in count(2):
        yield f"{first}-{number}"


def _write_both(path: Path, prompt: str, details: str) -> Path | None:
    """Write both files; None if one of that name exists, even if it is just being written."""
    first, second = (path.with_name(path.name + ending) for ending in (".pdl", ".json"))
    if second.exists():
        return None
    try:
        with open(first, "xb", opener=_private) as stream:
            stream.write(_encoded(prompt))
    except FileExistsError:
        return None
    with open(second, "xb", opener=_private) as stream:
        stream.write(_encoded(details))
    return first


def _private(path: str, flags: int) -> int:
    """Open a file that only its owner can read: prompts and replies may be private."""
    return os.open(path, flags, 0o600)


def _encoded(text: str) -> bytes:
    """UTF-8. Neither file contains unpaired surrogates: JSON and the template escape them."""
    return text.encode("utf-8", "backslashreplace")
