"""A batch whose results go to one file, or to standard output, in the order of its rows."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import click

from pdl.batch.manifest import START_OVER
from pdl.batch.processes import map_in_order
from pdl.batch.rows import LONGEST, BadRow, Line, Lines, Row
from pdl.batch.shards import find_shards, format_of
from pdl.batch.splitting import rows, split, unzipped
from pdl.cli.batch.reports import Progress, Tally, summarized
from pdl.cli.batch.results import PreviousResults, ResultWriter
from pdl.cli.batch.work import NO_CONTEXT, Outcome, Task, do_items
from pdl.cli.files import STDIN, display_name, opened
from pdl.cli.terminal import Terminal
from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.cli.batch import BatchInput
    from pdl.cli.batch.reports import Nouns
    from pdl.cli.batch.work import Item
    from pdl.errors import PdlError

_PIECE = 64  # rows that another process gets together
_PIECE_BYTES = 1 << 18
_UNIT_BYTES = 1 << 24


def run_into_file(
    source: BatchInput, task: Task, out: str | None, nouns: Nouns, error: PdlError | None
) -> int:
    """Do all rows, and print the summary. Returns the exit code.

    `error` is raised for a row without the values that it needs. Raises FileError for files that
    cannot be used, or do not belong together.
    """
    out = None if out == STDIN else out
    with opened(source.file) as stream:
        if out and _is_file(stream, out):
            # The results would be read as further rows, indefinitely.
            raise click.UsageError("--out must not be the file that --batch reads")
        with ResultWriter(out) as writer:
            batch = _Batch(source, task, stream, writer, out, nouns, error)
            return summarized(batch.tally, batch.name, batch.run, resumes=out is not None)


class _Input:
    """The rows of a file or a stream, or the lines that have them; `at` is how far it is read."""

    def __init__(self, stream: BinaryIO, file: str, name: str) -> None:
        self._file = file
        known, is_compressed = (None, False) if file == STDIN else format_of(file)
        self._is_table = known in {"csv", "parquet"}
        self._at = 0
        status = _status(stream)
        self.total = status.st_size if status else None
        self._stream = stream
        self._lines = Lines(unzipped(stream) if is_compressed else stream, name)
        self._is_compressed = is_compressed

    @property
    def at(self) -> int:
        """How many bytes were read."""
        if self._is_table:
            return self._at
        return self._stream.tell() if self._is_compressed else self._lines.bytes_read

    def items(self, task: Task) -> Iterable[Item]:
        """Return the rows, or the lines that have them. Iterating raises FileError."""
        return self._rows(task) if self._is_table else self._lines

    def _rows(self, task: Task) -> Iterator[Item]:
        for unit in chain.from_iterable(split(one, _UNIT_BYTES) for one in find_shards(self._file)):
            yield from rows(unit, task.reading)
            self._at += unit.size


class _Batch:
    """One run over a file of rows; `out` is the file of the results, if they go to one."""

    def __init__(  # noqa: PLR0913, PLR0917  (what a run is of)
        self,
        source: BatchInput,
        task: Task,
        stream: BinaryIO,
        writer: ResultWriter,
        out: str | None,
        nouns: Nouns,
        error: PdlError | None,
    ) -> None:
        self.name = display_name(source.file)
        self._out = out
        self._jobs = source.jobs
        self._task = task
        self._error = error
        self._input = _Input(stream, source.file, self.name)
        self._writer = writer
        self._previous = PreviousResults.read(out, task.digest) if out else PreviousResults()
        if out:
            writer.size = self._previous.size
        self._matched = 0
        verdicts = self._previous.verdicts
        self.tally = Tally(verdicts.copy(), verdicts.total(), nouns=nouns)

    def run(self) -> None:
        """Do what has no result yet, in order; each result is written as it comes."""
        with self._progress() as progress:
            work = partial(do_items, self._task)
            pieces = self._pieces(progress)
            with closing(map_in_order(work, pieces, self._jobs, LONGEST)) as results:
                for _, found in results:
                    self._take(found, progress)
                    self._show(progress)
            self._show(progress)
            more = self._previous.verdicts.total() - self._matched
            if more:
                self._refuse(f"contains results for {more:,} lines that {self.name} does not have")

    def _show(self, progress: Progress) -> None:
        progress.show(self._input.at, self.tally.short())

    def _pieces(self, progress: Progress) -> Iterator[tuple[list[Item], int]]:
        """Rows that have no result yet, several together, and their bytes."""
        most = 1  # at first, so that the first results come soon
        piece: list[Item] = []
        size = 0
        for item in self._new(progress):
            piece.append(item)
            size += _size(item)
            if len(piece) >= most or size > _PIECE_BYTES:
                yield piece, size
                piece, size = [], 0
                most = min(2 * most, _PIECE) if self._jobs > 1 else 1
        if piece:
            yield piece, size

    def _new(self, progress: Progress) -> Iterator[Item]:
        for item in self._input.items(self._task):
            number = item.line.number if isinstance(item, BadRow) else item.number
            digest = self._previous.digest(number)
            if not digest:
                yield item
                continue
            row = self._task.row(item)
            if isinstance(row, BadRow) or row.digest != digest:
                self._refuse(
                    f"contains the result of another {self.tally.nouns.one} for line {number:,} of"
                    f" {self.name}"
                )
            self._matched += 1
            self._show(progress)

    def _refuse(self, message: str) -> NoReturn:
        raise FileError(Problem("file/results", f"{self._out}: {message}", None, START_OVER))

    def _take(self, found: Sequence[Outcome], progress: Progress) -> None:
        """Write the results of a piece, and report the rows that can't be used."""
        results = [one for one in found if one.bad is None]
        if results:
            with self._writer.uninterrupted():
                self._writer.write("\n".join(one.text for one in results))
                self.tally.verdicts.update(one.verdict for one in results)
        for bad in (one.bad for one in found if one.bad is not None):
            if bad.fault == NO_CONTEXT and self._error is not None:
                raise self._error
            self.tally.faulty += 1
            progress.problem(bad.problem(self.name))

    def _progress(self) -> Progress:
        """A bar if standard error is a terminal that results do not go to."""
        terminal, lacks = Terminal.stderr(), self.tally.nouns.lacks
        is_free = self._out is not None or not Terminal.stdout().is_tty
        return Progress(terminal, self._input.total, shown=terminal.is_tty and is_free, lacks=lacks)


def _size(item: Item) -> int:
    """About how many bytes a row is."""
    if isinstance(item, Line):
        return len(item.data)
    return len(item.reply or "") if isinstance(item, Row) else len(item.line.data)


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
