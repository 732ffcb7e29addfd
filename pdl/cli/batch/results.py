"""The results of a batch: their lines, the file they go to, and what it contains already."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from array import array
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pdl.appending import AppendedFile, InUseError
from pdl.cli.files import unreadable, unwritable
from pdl.cli.output import json_line
from pdl.cli.terminal import Terminal, interrupts_deferred
from pdl.errors import FileError, Problem
from pdl.source import Source

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Self

    from pdl._types import Json
    from pdl.cli.batch.lines import Record
    from pdl.cli.inputs import RowSchemas
    from pdl.reply import Check, Coercions


VALID = "ok"
UNCHECKED = "unchecked"
"""The verdict on a reply that pdl itself failed to check."""

_DIGITS = 16  # of a digest: 64 bits, which an array stores as one number
_BEGINNING = b'{"line": '
_MOST_LINES = 100_000_000  # eight bytes are stored for each
START_OVER = "name another --out, or delete this one to start over"
"""Advice for results that belong to something else."""


class Against(NamedTuple):
    """What a reply is checked against: a digest of the schemas, and the prompt's fingerprint."""

    schema: str
    fingerprint: str | None


def result_text(line: int, record: Record, check: Check, against: Against) -> str:
    """Return the result of a reply: a JSON object on one line."""
    found = {
        "ok": check.ok,
        "value": check.data,
        "reason": check.reason,
        "summary": check.summary,
        "errors": [error.to_json() for error in check.errors],
        "feedback": check.feedback,
        "repairs": [repair.kind for repair in check.repairs],
    }
    return _text(line, record, found, against)


def unchecked_text(line: int, record: Record, error: Exception, against: Against) -> str:
    """Return the result of a reply that pdl itself failed to check."""
    summary = f"pdl failed to check this reply: {type(error).__name__}: {error}"
    found = {"ok": False, "value": None, "reason": UNCHECKED, "summary": summary}
    return _text(line, record, {**found, "errors": [], "feedback": "", "repairs": []}, against)


def _text(line: int, record: Record, found: dict[str, Json], against: Against) -> str:
    digests = {"reply_digest": reply_digest(record), "schema_digest": against.schema}
    prompt = {} if against.fingerprint is None else {"fingerprint": against.fingerprint}
    return json_line({"line": line, "id": record.id, **found, **digests, **prompt})


def reply_digest(record: Record) -> str:
    """Return a digest of a reply and of the values that came with it."""
    data = record.reply.encode("utf-8", "surrogatepass")
    if record.context is not None:
        data += b"\0" + json.dumps(record.context, sort_keys=True).encode()
    return _digest(data)


def schema_digest(schemas: RowSchemas, coercions: Coercions) -> str:
    """Return a digest of everything that decides how a reply is checked."""
    schema = schemas.default
    asked: Json = None
    if schema is not None:
        asked = [schema.to_json_schema(), schema.form, schema.lang, schema.tasks]
    parts = [asked, dataclasses.asdict(coercions), *schemas.sources()]
    return _digest(json.dumps(parts, sort_keys=True, default=str).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


class PreviousResults:
    """The results that a file contains already, at eight bytes a line.

    `verdicts` counts them; `size` is where the last whole line ends.
    """

    def __init__(self) -> None:
        self._digests = array("Q")
        self.verdicts: Counter[str] = Counter()
        self.size = 0

    def digest(self, line: int) -> str:
        """Return the digest of the reply on a line of the input; empty without a result."""
        known = self._digests[line] if line < len(self._digests) else 0
        return f"{known:0{_DIGITS}x}" if known else ""

    @classmethod
    def read(cls, file: str, schema: str) -> Self:
        """Return the results in a file; none if it is new, or a pipe.

        Raises FileError for other lines, and for results of another schema. An incomplete last line
        is ignored.
        """
        found = cls()
        try:
            if not Path(file).is_file():
                return found
            with Path(file).open("rb") as stream:
                for number, data in enumerate(stream, 1):
                    message = ""
                    if data.endswith(b"\n"):
                        message = found._add(data, schema)
                        found.size += len(data)
                    elif not data.startswith(_BEGINNING[: len(data)]):
                        message = _NOT_A_RESULT
                    if message:
                        _refuse(file, number, data, message)
        except OSError as error:
            raise unreadable(file, error) from error
        return found

    def _add(self, data: bytes, schema: str) -> str:
        """Add a line. Returns why it cannot be."""
        result = _parsed(data)
        if result is None:
            return _NOT_A_RESULT
        if result.schema != schema:
            return "this result was made for another schema or with other coercions"
        missing = result.line + 1 - len(self._digests)
        if missing > 0:
            self._digests.frombytes(bytes(missing * self._digests.itemsize))
        if self._digests[result.line]:
            return f"this is a second result of line {result.line:,}"
        # A digest of 0 is unlikely, and its reply would only be checked again.
        self._digests[result.line] = int(result.reply, 16)
        self.verdicts[result.verdict] += 1
        return ""


_NOT_A_RESULT = "this is not a result that --batch wrote"


def _refuse(file: str, number: int, data: bytes, message: str) -> NoReturn:
    source = Source("\n" * (number - 1) + data.decode("utf-8", "replace"), file)
    hint = "name another --out" if message == _NOT_A_RESULT else START_OVER
    raise FileError(Problem("file/results", message, source.span(number - 1), hint))


class _Result(NamedTuple):
    line: int
    reply: str
    schema: str
    verdict: str


def _parsed(data: bytes) -> _Result | None:
    """A line of results; None if it is not one."""
    try:
        found: Any = json.loads(data)
        verdict = VALID if found["ok"] is True else str(found["reason"])
        result = _Result(found["line"], found["reply_digest"], found["schema_digest"], verdict)
        is_sound = 0 < result.line < _MOST_LINES and 0 <= int(result.reply, 16) < 1 << 64
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return result if is_sound and isinstance(result.line, int) else None


class ResultWriter:
    """Standard output, or a file that results are appended to, and that no other run writes.

    `size`, once it is known, is how many bytes of the file are whole lines; results follow them.
    Raises FileError if the file cannot be written, or another run writes it.
    """

    def __init__(self, file: str | None) -> None:
        self._name = file or ""
        self._terminal = Terminal.stdout()
        self._file: AppendedFile | None = None
        self.size: int | None = None
        if file is None:
            return
        try:
            self._file = AppendedFile(file)
        except OSError as error:
            raise unwritable(file, error) from error
        except InUseError as error:
            hint = "wait until it ends, or name another --out"
            problem = Problem("file/in-use", f"another run is writing {file}", None, hint)
            raise FileError(problem) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def write(self, text: str) -> None:
        """Write lines, and the newline of the last. Raises FileError."""
        if self._file is None:
            self._terminal.write(self._terminal.safe(text))
            return
        try:
            if self.size is not None:
                self._file.cut(self.size)  # a line that a killed run did not finish
            self.size = None
            self._file.append(f"{text}\n".encode())
        except OSError as error:
            raise unwritable(self._name, error) from error

    def uninterrupted(self) -> AbstractContextManager[None]:
        """Defer Ctrl-C, so that all lines are complete and counted.

        Not for a stream, whose reader can keep this process waiting indefinitely.
        """
        is_regular = self._file is not None and self._file.is_regular
        return interrupts_deferred() if is_regular else nullcontext()
