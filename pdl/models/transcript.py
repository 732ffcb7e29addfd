"""Transcripts in a directory: two new files per run, which never overwrite others.

One is a prompt file that can be asked again. The JSON file records the run: what it cost, how long
it took, what went wrong, and each attempt.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.errors import FileError, Problem, PromptError, count
from pdl.models.answer import total, total_cost
from pdl.models.secret import NO_SECRET, Secret
from pdl.prompt.messages import Media, Text
from pdl.schema import Schema
from pdl.tools.tool import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pdl._types import Json
    from pdl.errors import PdlError
    from pdl.models.answer import Answer, Attempt
    from pdl.models.exchange import Dropped, Reply
    from pdl.models.faults import Fault
    from pdl.models.request import Request
    from pdl.prompt.messages import Part
    from pdl.reply import Check


@dataclass(frozen=True)
class Run:
    """One run of a prompt, until it was answered, given up or stopped.

    `prompt` is the name of the file, `model` that of the model, as a person would write it.
    `request` is the last one, which contains the whole conversation. There is an `answer`, or an
    `error`, or neither if the run was stopped. `seconds` is wall-clock time. `secret` is the key of
    the model, which isn't written.
    """

    prompt: str
    model: str
    started: datetime
    request: Request = field(repr=False)
    attempts: tuple[Attempt, ...] = field(repr=False)
    answer: Answer | None = None
    error: PdlError | None = None
    seconds: float = 0.0
    secret: Secret = field(default=NO_SECRET, repr=False)

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        tried = count(len(self.attempts), "attempt")
        if self.answer is not None:
            given = "the default was used" if self.answer.is_default else "answered"
            return f"{given} after {tried}"
        return f"{'no answer' if self.error is not None else 'stopped'} after {tried}"


def record(run: Run) -> dict[str, Json]:
    """Return a run as JSON, without the messages, which the prompt file has."""
    told: dict[str, Json] = {
        "prompt": run.prompt,
        "fingerprint": run.request.fingerprint or None,
        "model": run.model,
        "started": run.started.isoformat(timespec="milliseconds"),
        "seconds": round(run.seconds, 3),
        "outcome": run.outcome,
        "error": _error(run.error),
        **_answer(run.answer),
        "usage": total(run.attempts).counts(),
        "cost": total_cost(run.attempts),
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
        "value": answer.data,
        "calls": [_call(call) for call in answer.calls],
        "dropped": [_dropped(dropped) for dropped in answer.dropped],
    }


def _attempt(attempt: Attempt) -> dict[str, Json]:
    return {
        "model": attempt.model,
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
    for number in itertools.count(2):
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


_SPECIAL = re.compile(r"\{*(?:\{[{%#]|<\||\|>|&lt;\||\|&gt;|&amp;|[\r\ud800-\udfff])")
"""What a prompt file doesn't read as plain text, with the braces before it, which would run into
those that escape it."""

_TOLD = (ToolCall, ToolResult)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_NO_ANSWER_YET = """\
{# The last reply. It is left out, so this file asks for it again; to include it:
   pdl render THIS_FILE --set replied=true --prefill #}
{% if replied is defined and replied %}
"""


def prompt_source(run: Run) -> str:
    """Return a prompt file with the last request's messages, schema, tools and settings.

    It renders to the same messages, including the replies that were sent back; white space at the
    ends of a message is lost, since a turn has none. The reply of the last attempt is at the end,
    where it is rendered only on request.
    """
    request = run.request
    parts = [_heading(run), *_settings(run), *_conversation(run)]
    if request.schema is not None:
        parts.append(f"<|schema|>\n{escaped(_schema_text(request.schema))}\n")
    return "\n".join(part for part in parts if part)


def escaped(text: str) -> str:
    """Escape a text for the source of a template, so that it renders as it is."""
    return _SPECIAL.sub(lambda found: f"{{{{ {json.dumps(found.group())} }}}}", text)


def _heading(run: Run) -> str:
    when = run.started.strftime("%Y-%m-%d %H:%M:%S %Z").strip()
    words = f"{run.prompt}, asked of {run.model} on {when}: {run.outcome}."
    return f"{{# {words.replace('#}', '# }')}\n   It can be rendered and run again. #}}\n"


def _settings(run: Run) -> Iterator[str]:
    """The turns about the call."""
    config: Mapping[str, Json] = {"model": run.model, **run.request.config}
    lines = [f"{key}: {json.dumps(config[key])}" for key in config if _KEY.fullmatch(key)]
    yield f"<|config|>\n{escaped(chr(10).join(lines))}\n"
    if run.request.tools is not None:
        yield f"<|tools|>\n{escaped(run.request.tools.to_text())}\n"


def _conversation(run: Run) -> Iterator[str]:
    """The turns that are sent, the reasoning of the replies, which isn't, and the last reply."""
    thoughts, secret = _thoughts(run), run.secret
    for number, message in enumerate(run.request.messages):
        yield _reasoning(thoughts.get(number, ""), secret)
        yield _turn(message.role, _parts(message.parts, secret))
    last = run.attempts[-1].reply if run.attempts else None
    if last is not None and (last.text.strip() or last.reasoning.strip()):
        reply = _reasoning(last.reasoning, secret)
        reply += _turn("assistant", escaped(secret.redact(last.text)))
        yield f"{_NO_ANSWER_YET}{reply}{{% endif %}}\n"


def _thoughts(run: Run) -> dict[int, str]:
    """The reasoning of earlier replies, by the indexes of the messages that they became.

    Another model started from the first messages again.
    """
    if not run.attempts:
        return {}
    start, model = len(run.attempts[0].request.messages), run.attempts[-1].model
    earlier = [one for one in run.attempts[:-1] if one.model == model and one.fault is None]
    said = (one.reply for one in earlier if one.reply is not None)
    added = enumerate(run.request.messages[start:], start)
    places = (number for number, message in added if message.role == "assistant")
    return {number: reply.reasoning for number, reply in zip(places, said, strict=False)}


def _reasoning(text: str, secret: Secret) -> str:
    return _turn("reasoning", escaped(secret.redact(text))) if text.strip() else ""


def _turn(role: str, content: str) -> str:
    return f"<|{role}|>\n{content}\n"


def _parts(parts: tuple[Part, ...], secret: Secret) -> str:
    """Parts in their order; calls and results are on separate lines."""
    pieces: list[str] = []
    parts = tuple(_joined_texts(parts))
    for number, part in enumerate(parts):
        before = parts[number - 1] if number else None
        if before and (isinstance(part, _TOLD) or isinstance(before, _TOLD)):
            pieces.append("\n")
        pieces.append(_part(part, secret))
    return "".join(pieces)


def _joined_texts(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts with consecutive texts joined: `{` and `{` would open an expression."""
    for is_text, run in itertools.groupby(parts, lambda part: isinstance(part, Text)):
        if is_text:
            yield Text("".join(part.text for part in run if isinstance(part, Text)))
        else:
            yield from run


def _part(part: Part, secret: Secret) -> str:
    if isinstance(part, Text):
        return escaped(secret.redact(part.text))
    if isinstance(part, Media):
        if part.url:
            return f"<|media({escaped(part.url)})|>"
        return f"<|raw_media({part.kind}:{part.base64})|>"
    # A prompt file has no turns for tool calls: they are written as text.
    if isinstance(part, ToolCall):
        arguments = secret.redact_json(dict(part.arguments))
        return escaped(json.dumps({"name": secret.redact(part.name), "arguments": arguments}))
    said = "failed" if part.failed else "returned"
    return escaped(secret.redact(f"{part.call.name} {said}:\n{part.text}"))


def _schema_text(schema: Schema) -> str:
    """The schema DSL, if it can express all of the schema; otherwise a JSON Schema."""
    try:
        text = schema.to_dsl()
        if Schema.parse(text) == schema:
            return text
    except PromptError:
        pass  # the DSL can't express it
    document = json.dumps(schema.document, ensure_ascii=False, indent=2)
    return f"```json\n{document}\n```"
