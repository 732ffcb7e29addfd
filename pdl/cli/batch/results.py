"""The results of a batch in one file: what it contains already, and what is appended."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pdl.appending import AppendedFile, InUseError
from pdl.batch.manifest import START_OVER
from pdl.batch.results import verdict_of
from pdl.cli.terminal import Terminal
from pdl.errors import FileError, Problem, unreadable, unwritable
from pdl.interrupts import interrupts_deferred
from pdl.source import Source

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Self

_DIGITS = 16  # of a digest: 64 bits, which an array stores as one number
_BEGINNING = b'{"line": '
_MOST_LINES = 100_000_000  # eight bytes are stored for each


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
        row, task = ("row_digest", "task_digest") if "row_digest" in found else _OF_REPLIES
        result = _Result(found["line"], found[row], found[task], verdict_of(found))
        is_sound = 0 < result.line < _MOST_LINES and 0 <= int(result.reply, 16) < 1 << 64
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return result if is_sound and isinstance(result.line, int) else None


_OF_REPLIES = ("reply_digest", "schema_digest")


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
