"""Recorded replies as a model, for tests and demonstrations: `replay:FILE`."""

from __future__ import annotations

import io
import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pdl.errors import FileError, Problem
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.models.exchange import Delta, Finish, Reply, Usage
from pdl.models.faults import Fault
from pdl.source import Source
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from pdl._types import Json
    from pdl.models.exchange import Dropped
    from pdl.models.request import Request
    from pdl.source import Span

_KEYS = frozenset({"text", "reasoning", "calls", "finish", "usage", "model", "match"})
_COUNTS = frozenset(Usage.__slots__)


@dataclass(frozen=True)
class Recorded:
    """A recorded reply for requests whose last message contains `match`."""

    reply: Reply
    match: str = ""


class ReplayModel:
    """Returns recorded replies, each once, in order: for a request the first one that matches.

    Raises `Fault` (exhausted) if none is left that does.
    """

    def __init__(self, name: str, recorded: tuple[Recorded, ...]) -> None:
        self.name = name
        self._left = list(recorded)
        self._count = len(recorded)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"ReplayModel({self.name!r}, {len(self._left)} of {self._count} left)"

    def drop(self, replies: Iterable[Reply]) -> None:
        """Leave out replies that were returned earlier, in another process."""
        with self._lock:
            for reply in replies:
                found = (index for index, one in enumerate(self._left) if one.reply == reply)
                index = next(found, -1)
                if index >= 0:
                    del self._left[index]

    def reply(self, request: Request, *, timeout: float) -> Reply:  # noqa: ARG002 - it takes no time
        """Return the next reply for this request."""
        last = request.messages[-1].text if request.messages else ""
        with self._lock:
            for index, one in enumerate(self._left):
                if one.match in last:
                    return self._left.pop(index).reply
        message = f"the file has no reply left for this request, of {self._count}"
        raise Fault("exhausted", message)

    def stream(self, request: Request, *, timeout: float) -> Iterator[Delta]:
        """Yield the same, word by word."""
        yield from _words(self.reply(request, timeout=timeout))

    async def reply_async(self, request: Request, *, timeout: float) -> Reply:  # noqa: ASYNC109 - of the protocol
        """Return the next reply for this request."""
        return self.reply(request, timeout=timeout)

    async def stream_async(self, request: Request, *, timeout: float) -> AsyncIterator[Delta]:  # noqa: ASYNC109
        """Yield the same, word by word."""
        for delta in _words(self.reply(request, timeout=timeout)):
            yield delta

    def dropped(self, request: Request) -> tuple[Dropped, ...]:  # noqa: ARG002 - of the protocol
        """Return nothing: recorded replies are not constrained."""
        return ()

    def identity(self, request: Request) -> Json:  # noqa: ARG002 - of the protocol
        """Return None: a reply depends on earlier ones."""
        return None


def read_replay(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> ReplayModel:
    """Return the replies that a file records.

    A file whose first line is a JSON object has one in each line: `{"text": …}`, optionally with
    `reasoning`, `finish`, `calls` (`[{"name", "arguments", "id"}]`), `usage` (names as in `Usage`),
    `model`, and `match`, a string that the last message must contain. Any other file is the text of
    one reply. Raises FileError, with the line, for a file that can't be read.
    """
    text = _text_of(Path(path), limits)
    return ReplayModel(f"replay:{path}", tuple(_recorded(Source(text, str(path)))))


def _text_of(path: Path, limits: Limits) -> str:
    from pdl.prompt.files import open_regular  # noqa: PLC0415 - most models replay nothing

    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8-sig", newline="") as stream:
            text = stream.read(limits.source_chars + 1)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(Problem("file/unreadable", f"{path}: {reason}")) from error
    except UnicodeDecodeError as error:
        raise FileError(Problem("file/not-utf8", f"{path} is not UTF-8")) from error
    if len(text) > limits.source_chars:
        message = f"{path} has more than {limits.source_chars:,} characters"
        raise FileError(Problem("file/too-large", message))
    return text


def _recorded(source: Source) -> Iterator[Recorded]:
    first = source.text.lstrip()
    if not first:
        raise FileError(Problem("file/replay", f"{source.name} contains no reply: it is empty"))
    if not (first.startswith("{") and _is_record(first.partition("\n")[0])):
        yield Recorded(Reply(source.text))
        return
    yield from (recorded for recorded, _ in records_in(source))


def records_in(source: Source) -> Iterator[tuple[Recorded, Span]]:
    """Yield the recorded replies of a text that has one in each line, and where each is.

    Raises FileError, with the line, for one that is not a record, and for a text without any.
    """
    if not source.text.strip():
        raise FileError(Problem("file/replay", f"{source.name} contains no reply: it is empty"))
    start = 0
    for line in source.text.split("\n"):
        if line.strip():
            yield _record(line, source, start), source.span(start, start + len(line.rstrip()))
        start += len(line) + 1


def _is_record(line: str) -> bool:
    """Whether a line is a record, and not the beginning of a reply that is JSON."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and bool({"text", "calls"} & set(value)) and set(value) <= _KEYS


def record_of(value: Json) -> Recorded:
    """Return the recorded reply of a JSON value. Raises TypeError, which says why it is not one."""
    try:
        return _of_json(value)
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        raise TypeError(str(error)) from error


def _record(line: str, source: Source, start: int) -> Recorded:
    try:
        value = json.loads(line)
        return _of_json(value)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        span = source.span(start, start + len(line.rstrip()))
        message = 'expected a recorded reply in this line, as `{"text": "…"}`'
        raise FileError(Problem("file/replay", message, span, _advice(error))) from error


def _advice(error: Exception) -> str:
    return str(error) if isinstance(error, TypeError) else ""


def _of_json(value: Json) -> Recorded:
    if not isinstance(value, dict):
        raise TypeError("each line is a JSON object")
    unknown = set(value) - _KEYS
    if unknown:
        raise TypeError(f"unknown key `{min(unknown)}`; expected one of {', '.join(sorted(_KEYS))}")
    for key in ("text", "reasoning", "match", "model"):
        if not isinstance(value.get(key, ""), str):
            raise TypeError(f"`{key}` is a string")
    finish: Finish = value.get("finish", "stop")
    if finish not in get_args(Finish):
        raise TypeError(f"`finish` is one of {', '.join(get_args(Finish))}")
    return Recorded(
        Reply(
            text=value.get("text", ""),
            reasoning=value.get("reasoning", ""),
            calls=tuple(map(_call, value.get("calls", ()))),
            finish=finish,
            usage=_usage(value.get("usage", {})),
            model=value.get("model", ""),
        ),
        value.get("match", ""),
    )


def _call(value: Json) -> ToolCall:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise TypeError("a call has a `name` and `arguments`")
    arguments = value.get("arguments", {})
    if not isinstance(arguments, dict):
        raise TypeError("`arguments` is an object")
    return ToolCall(value["name"], arguments, str(value.get("id", "")))


def _usage(value: Json) -> Usage:
    if not isinstance(value, dict) or set(value) - _COUNTS:
        raise TypeError(f"`usage` is an object of {', '.join(Usage.__slots__)}")
    if any(isinstance(count, bool) or not isinstance(count, int) for count in value.values()):
        raise TypeError("`usage` contains integers")
    return Usage(**value)


def _words(reply: Reply) -> Iterator[Delta]:
    """A reply as it would stream: its reasoning, its words, and at the end the rest."""
    if reply.reasoning:
        yield Delta(reasoning=reply.reasoning)
    start = 0
    while start < len(reply.text):
        space = reply.text.find(" ", start + 1)
        end = len(reply.text) if space < 0 else space
        yield Delta(text=reply.text[start:end])
        start = end
    yield replace(Delta.whole(reply), text="", reasoning="")
