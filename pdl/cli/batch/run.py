"""A batch from its first line to its summary, with a progress bar on a terminal."""

from __future__ import annotations

import os
import stat
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import click

from pdl.cli.batch.lines import LONGEST, Fault, Line, Lines, problem, read_record
from pdl.cli.batch.results import (
    START_OVER,
    UNCHECKED,
    VALID,
    PreviousResults,
    ResultWriter,
    reply_digest,
    schema_digest,
)
from pdl.cli.batch.workers import NO_CONTEXT, Outcome, Task, check_lines, map_in_order
from pdl.cli.files import STDIN, display_name, opened
from pdl.cli.terminal import FAILED, INTERRUPTED, INVALID, Terminal
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

    from pdl.cli.batch import BatchInput
    from pdl.cli.inputs import RowSchemas
    from pdl.reply import Coercions

_RATE_AFTER = 30.0  # seconds; the rate of a shorter run says little, and differs each time
_ORDER = (
    "wrong-schema",
    "absent",
    "truncated",
    "unparsable",
    "ambiguous",
    "elided",
    "limit",
    UNCHECKED,
)


@dataclass
class Tally:
    """Counts that grow while a batch runs.

    `verdicts` are those of all replies, of which `earlier` were checked in an earlier run;
    `faulty` counts the lines without a reply.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    faulty: int = 0

    @property
    def invalid(self) -> int:
        """The replies without an answer."""
        return self.verdicts.total() - self.verdicts[VALID]

    def short(self) -> str:
        """Return the counts for a progress bar."""
        faulty = f", {self.faulty:,} without a reply" if self.faulty else ""
        return f"{self.verdicts[VALID]:,} valid, {self.invalid:,} invalid{faulty}"

    def long(self, name: str, seconds: float) -> str:
        """Return the summary: the file, the counts by reason, and the rate."""
        replies = self.verdicts.total()
        parts = [f"{name}: {_count(replies, 'reply', 'replies')}"]
        if replies:
            parts[0] += f", {self.verdicts[VALID]:,} valid, {self.invalid:,} invalid"
            known = [*_ORDER, *sorted(self.verdicts.keys() - {*_ORDER, VALID})]
            reasons = [f"{self.verdicts[one]:,} {one}" for one in known if self.verdicts[one]]
            parts[0] += f" ({', '.join(reasons)})" if reasons else ""
        if self.faulty:
            parts.append(f"{_count(self.faulty, 'line', 'lines')} without a reply")
        if self.earlier:
            parts.append(f"{self.earlier:,} checked in an earlier run")
        checked = replies - self.earlier
        if seconds > _RATE_AFTER and checked:
            parts.append(f"{checked / seconds:,.0f} replies per second")
        return "; ".join(parts)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


_REDRAWN_AFTER = 0.1  # seconds
_WIDTH = 24
_ERASE_LINE = "\r\x1b[K"


class Progress:
    """A bar on a terminal, in bytes of the input, of which there are `total` if that is known."""

    def __init__(self, terminal: Terminal, total: int | None, *, shown: bool) -> None:
        self._terminal = terminal
        self._at = self._drawn_at = 0
        self._drawn = 0.0
        self._words = ""
        self._bar = (
            click.progressbar(
                iter(()) if total is None else None,  # moved by hand
                length=total,
                file=terminal.stream,
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
            self._draw(self._bar)
            self._bar.__exit__(kind, error, trace)

    def show(self, at: int, words: str) -> None:
        """Move the bar, and draw it rarely enough that this costs nothing."""
        self._at, self._words = at, words
        if self._bar is not None and time.monotonic() - self._drawn > _REDRAWN_AFTER:
            self._draw(self._bar)

    def _draw(self, bar: Any) -> None:
        bar.update(self._at - self._drawn_at)
        self._drawn, self._drawn_at = time.monotonic(), self._at

    def write(self, text: str) -> None:
        """Write text above the bar."""
        self._terminal.write(f"{_ERASE_LINE if self._bar is not None else ''}{text}")


_PIECE = 64  # lines that another process gets together
_PIECE_BYTES = 1 << 18
_SHOWN = 20  # lines without a reply that are shown


def run(source: BatchInput, schemas: RowSchemas, coercions: Coercions, out: str | None) -> int:
    """Check all replies, and print the summary. Returns the exit code.

    Raises FileError for files that cannot be used, or do not belong together.
    """
    task = Task(schema_digest(schemas, coercions), source.field, schemas, coercions)
    out = None if out == STDIN else out
    with opened(source.file) as stream:
        if out and _is_file(stream, out):
            # The results would be read as further replies, indefinitely.
            raise click.UsageError("--out must not be the file that --batch reads")
        with ResultWriter(out) as writer:
            return _run(_Batch(source, task, stream, writer, out))


def _run(batch: _Batch) -> int:
    began = time.monotonic()
    is_interrupted = False
    try:
        batch.run()
    except KeyboardInterrupt:
        is_interrupted = True
    tally = batch.tally
    terminal = Terminal.stderr()
    terminal.write(terminal.safe(tally.long(batch.name, time.monotonic() - began)))
    if is_interrupted:
        again = "; run the same command again to resume" if batch.out else ""
        terminal.write(f"interrupted by Ctrl-C{again}")
        return INTERRUPTED
    return FAILED if tally.faulty or tally.verdicts[UNCHECKED] else INVALID if tally.invalid else 0


class _Batch:
    """One run over a file of replies; `out` is the file of the results, if they go to one."""

    def __init__(
        self,
        source: BatchInput,
        task: Task,
        stream: BinaryIO,
        writer: ResultWriter,
        out: str | None,
    ) -> None:
        self.name = display_name(source.file)
        self.out = out
        self._jobs = source.jobs
        self._task = task
        self._stream = stream
        self._writer = writer
        self._previous = PreviousResults.read(out, task.digest) if out else PreviousResults()
        if out:
            writer.size = self._previous.size
        self._matched = 0
        self.tally = Tally(self._previous.verdicts.copy(), self._previous.verdicts.total())

    def run(self) -> None:
        """Check what has no result yet, in order; each result is written as it comes."""
        lines = Lines(self._stream, self.name)
        with self._progress() as progress:
            pieces = self._pieces(lines, progress)
            work = partial(check_lines, self._task)
            with closing(map_in_order(work, pieces, self._jobs, LONGEST)) as results:
                for piece, found in results:
                    self._take(piece, found, progress)
                    progress.show(lines.bytes_read, self.tally.short())
            progress.show(lines.bytes_read, self.tally.short())
            more = self._previous.verdicts.total() - self._matched
            if more:
                self._refuse(f"contains results for {more:,} lines that {self.name} does not have")

    def _pieces(self, lines: Lines, progress: Progress) -> Iterator[tuple[list[Line], int]]:
        """Lines that have no result yet, several together, and their bytes."""
        most = 1  # at first, so that the first results come soon
        piece: list[Line] = []
        size = 0
        for line in self._unchecked(lines, progress):
            piece.append(line)
            size += len(line.data)
            if len(piece) >= most or size > _PIECE_BYTES:
                yield piece, size
                piece, size = [], 0
                most = min(2 * most, _PIECE) if self._jobs > 1 else 1
        if piece:
            yield piece, size

    def _unchecked(self, lines: Lines, progress: Progress) -> Iterator[Line]:
        for line in lines:
            digest = self._previous.digest(line.number)
            if not digest:
                yield line
                continue
            record = read_record(line, self._task.path)
            if isinstance(record, Fault) or reply_digest(record) != digest:
                self._refuse(
                    f"contains the result of another reply for line {line.number:,} of {self.name}"
                )
            self._matched += 1
            progress.show(lines.bytes_read, self.tally.short())

    def _refuse(self, message: str) -> NoReturn:
        raise FileError(Problem("file/results", f"{self.out}: {message}", None, START_OVER))

    def _take(self, piece: Sequence[Line], found: Sequence[Outcome], progress: Progress) -> None:
        """Write the results of a piece, and report its lines without a reply."""
        results = [one for one in found if one.fault is None]
        if results:
            with self._writer.uninterrupted():
                self._writer.write("\n".join(one.text for one in results))
                self.tally.verdicts.update(one.verdict for one in results)
        for line, one in zip(piece, found, strict=True):
            if one.fault == NO_CONTEXT and self._task.schemas.error is not None:
                raise self._task.schemas.error
            if one.fault is not None:
                self.tally.faulty += 1
                self._report(line, one.fault, progress)

    def _report(self, line: Line, fault: Fault, progress: Progress) -> None:
        if self.tally.faulty <= _SHOWN:
            progress.write(Terminal.stderr().problem(problem(line, fault, self.name)))
        elif self.tally.faulty == _SHOWN + 1:
            progress.write("… further lines without a reply are only counted")

    def _progress(self) -> Progress:
        """A bar if standard error is a terminal that results do not go to."""
        terminal = Terminal.stderr()
        is_free = self.out is not None or not Terminal.stdout().is_tty
        status = _status(self._stream)
        total = status.st_size if status else None
        return Progress(terminal, total, shown=terminal.is_tty and is_free)


def _status(stream: BinaryIO) -> os.stat_result | None:
    """What the system knows about a stream, if it is a regular file."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:  # it is not a stream of the system
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _is_file(stream: BinaryIO, file: str) -> bool:
    status = _status(stream)
    try:
        return status is not None and os.path.samestat(status, Path(file).stat())
    except OSError:  # it is new
        return False
