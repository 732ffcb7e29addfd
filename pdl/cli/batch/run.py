"""A batch from its first line to its summary, with a progress bar while it runs.

The bar goes to the standard error, where somebody sees it.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from pdl.cli.batch.lines import LONGEST, Fault, Line, Lines, problem, read_record
from pdl.cli.batch.results import ANEW, Earlier, Tally, read_earlier, reply_digest, schema_digest
from pdl.cli.batch.sink import FileSink, ScreenSink, Sink
from pdl.cli.batch.workers import NO_DATA, Outcome, Task, Workers, outcomes
from pdl.cli.exits import BAD, STOPPED, USAGE
from pdl.cli.screen import Screen
from pdl.cli.texts import STDIN, stdin_bytes, unreadable
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from pdl.cli.batch.options import BatchOptions
    from pdl.cli.origin import Schemas
    from pdl.reply import Coercions


_REDRAWN_AFTER = 0.1  # seconds
_WIDTH = 24
_ERASE_LINE = "\r\x1b[K"


class Progress:
    """How far a batch is, in bytes of its input, which has `total` of them if that is known."""

    def __init__(self, screen: Screen, total: int | None, *, shown: bool) -> None:
        self._screen = screen
        self._at = self._drawn_at = 0
        self._drawn = 0.0
        self._words = ""
        self._bar = (
            click.progressbar(
                _nothing() if total is None else None,
                length=total,
                file=screen.stream,
                item_show_func=lambda _: self._words,
                width=_WIDTH,
            )
            if shown
            else None
        )

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the bar as it was last; what is written next comes below it."""
        if self._bar is not None:
            self._draw()
            self._bar.__exit__(kind, error, trace)

    def show(self, at: int, words: str) -> None:
        """Move the bar, and seldom enough draw it that this costs nothing."""
        self._at, self._words = at, words
        if time.monotonic() - self._drawn > _REDRAWN_AFTER:
            self._draw()

    def _draw(self) -> None:
        if self._bar is not None:
            self._bar.update(self._at - self._drawn_at)
            self._drawn, self._drawn_at = time.monotonic(), self._at

    def write(self, text: str) -> None:
        """Write a text above the bar."""
        self._screen.write(f"{_ERASE_LINE if self._bar is not None else ''}{text}")


def _nothing() -> Iterator[None]:
    """What a bar of unknown length goes through: it is moved by hand."""
    yield from ()


_PIECE = 64  # lines that go to another process at once
_PIECE_BYTES = 1 << 18
_SHOWN = 20  # lines without a reply that are shown


def run(options: BatchOptions, schemas: Schemas, coercions: Coercions) -> int:
    """Check all replies, and print the summary; the exit code.

    Raises FileError for files that cannot be used, or do not belong together.
    """
    task = Task(schema_digest(schemas, coercions), options.field, schemas, coercions)
    with _opened(options.file) as stream:
        out = None if options.out == STDIN else options.out
        if out and _is_file(stream, out):
            # The results would be read as further replies, without end.
            raise click.UsageError("--out names the file that --batch reads")
        with FileSink(out) if out else ScreenSink(Screen.stdout()) as sink:
            return _told(_Batch(options, task, stream, sink, out))


def _told(batch: _Batch) -> int:
    """Run a batch and print its summary; the exit code."""
    began = time.monotonic()
    is_stopped = False
    try:
        batch.run()
    except KeyboardInterrupt:
        is_stopped = True
    screen = Screen.stderr()
    screen.write(screen.safe(batch.tally.long(batch.name, time.monotonic() - began)))
    if is_stopped:
        again = "; the same command goes on from there" if batch.out else ""
        screen.write(f"stopped by Ctrl-C{again}")
        return STOPPED
    return USAGE if batch.tally.faulty or batch.tally.unchecked else BAD if batch.tally.bad else 0


class _Batch:
    """One run over a file of replies; `out` is the file of the results, if they go to one."""

    def __init__(
        self, options: BatchOptions, task: Task, stream: BinaryIO, sink: Sink, out: str | None
    ) -> None:
        self.name = "<stdin>" if options.file == STDIN else options.file
        self.out = out
        self._options = options
        self._task = task
        self._stream = stream
        self._sink = sink
        self._earlier = read_earlier(self.out, task.digest) if self.out else Earlier()
        if isinstance(sink, FileSink):
            sink.size = self._earlier.size
        self._held = 0
        self.tally = Tally(self._earlier.tally.copy(), self._earlier.tally.total())

    def run(self) -> None:
        """Check what has no result yet, in order; each result is written as it comes."""
        work = partial(outcomes, self._task)
        workers = Workers(work, self._options.jobs, LONGEST)
        with self._progress() as progress, workers:
            lines = Lines(self._stream, self.name)
            for piece, found in workers.in_order(self._pieces(lines, progress)):
                self._take(piece, found, progress)
                progress.show(lines.bytes_read, self.tally.short())
            progress.show(lines.bytes_read, self.tally.short())
            self._refuse_other_input()

    def _pieces(self, lines: Lines, progress: Progress) -> Iterator[tuple[list[Line], int]]:
        """Lines that have no result yet, some at a time, and their bytes."""
        most = 1  # at first, so that the first results come soon
        piece: list[Line] = []
        size = 0
        for line in self._open_lines(lines, progress):
            piece.append(line)
            size += len(line.data)
            if len(piece) >= most or size > _PIECE_BYTES:
                yield piece, size
                piece, size = [], 0
                most = min(2 * most, _PIECE) if self._options.jobs > 1 else 1
        if piece:
            yield piece, size

    def _open_lines(self, lines: Lines, progress: Progress) -> Iterator[Line]:
        for line in lines:
            digest = self._earlier.digest(line.number)
            if digest:
                self._hold(line, digest)
                progress.show(lines.bytes_read, self.tally.short())
            else:
                yield line

    def _hold(self, line: Line, digest: str) -> None:
        """Hold a line against the reply that its earlier result was made for."""
        record = read_record(line, self._options.field)
        if isinstance(record, Fault) or reply_digest(record) != digest:
            message = f"{self.out}: answers another reply than line {line.number:,} of {self.name}"
            raise FileError(Problem("file/results", message, None, ANEW))
        self._held += 1

    def _refuse_other_input(self) -> None:
        more = self._earlier.tally.total() - self._held
        if more:
            message = f"{self.out}: answers {more:,} lines that {self.name} does not have"
            raise FileError(Problem("file/results", message, None, ANEW))

    def _take(self, piece: Sequence[Line], found: Sequence[Outcome], progress: Progress) -> None:
        """Write the results of a piece, and say which of its lines hold no reply."""
        results = [one for one in found if one.fault is None]
        if results:
            with self._sink.unbroken():
                self._sink.write("\n".join(one.text for one in results))
                self.tally.verdicts.update(one.verdict for one in results)
        for line, one in zip(piece, found, strict=True):
            if one.fault == NO_DATA and self._task.schemas.error is not None:
                raise self._task.schemas.error
            if one.fault is not None:
                self.tally.faulty += 1
                self._tell(line, one.fault, progress)

    def _tell(self, line: Line, fault: Fault, progress: Progress) -> None:
        if self.tally.faulty <= _SHOWN:
            progress.write(Screen.stderr().problem(problem(line, fault, self.name)))
        elif self.tally.faulty == _SHOWN + 1:
            progress.write("… further lines without a reply are only counted")

    def _progress(self) -> Progress:
        """A bar if there is a terminal to itself, which results do not go to as well."""
        screen = Screen.stderr()
        is_free = self.out is not None or not Screen.stdout().terminal
        return Progress(screen, _size(self._stream), shown=screen.terminal and is_free)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == STDIN:
        yield stdin_bytes()
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115  (its own errors are others than the reader's)
    except OSError as error:
        raise unreadable(file, error) from error
    with stream:
        yield stream


def _status(stream: BinaryIO) -> os.stat_result | None:
    """What the system knows about a stream, if it is a regular file."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # it is none of the system's
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _size(stream: BinaryIO) -> int | None:
    status = _status(stream)
    return status.st_size if status else None


def _is_file(stream: BinaryIO, file: str) -> bool:
    status = _status(stream)
    try:
        return status is not None and os.path.samestat(status, Path(file).stat())
    except OSError:  # it is new
        return False
