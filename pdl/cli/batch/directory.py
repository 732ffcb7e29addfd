"""A batch whose results go to a directory: a result file for each unit, and a manifest."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.batch.asked_units import UNANSWERED
from pdl.batch.auditing import audit
from pdl.batch.manifest import read_journal
from pdl.batch.runs import Run
from pdl.batch.shards import find_shards, left_out
from pdl.batch.units import Job
from pdl.cli.batch.reports import Progress, Tally, summarized
from pdl.cli.inputs import Shipped
from pdl.cli.terminal import INVALID, Terminal

if TYPE_CHECKING:
    from pdl.batch.results import ResultFormat
    from pdl.batch.units import Done
    from pdl.cli.batch import BatchInput
    from pdl.cli.batch.reports import Nouns


@dataclass(frozen=True)
class ShippedJob(Job):
    """A job for processes that may have to import modules of types, as this one does."""

    has_types: bool = False

    def __reduce__(self) -> Any:
        values = tuple(getattr(self, one.name) for one in fields(self))
        return _made, (Shipped(values, has_types=self.has_types),)


def _made(values: tuple[Any, ...]) -> ShippedJob:
    return ShippedJob(*values)


def run_into_directory(job: Job, jobs: int, nouns: Nouns) -> int:
    """Do what is not done yet, and print the summary. Returns the exit code.

    Raises FileError for files that can't be used, or do not belong together.
    """
    tally = Tally(nouns=nouns)
    with closing(Run(job, jobs)) as run:
        batch = _Batch(run, tally)
        return summarized(tally, job.source, batch.run, resumes=True)


def result_format(source: BatchInput) -> ResultFormat:
    """Return the format of result files: by default that of the input, if it has only one."""
    formats = {one.format for one in find_shards(source.file)}
    return source.results or (formats.pop() if len(formats) == 1 else "jsonl")


def report_audit(directory: str) -> int:
    """Print what is wrong with the results in a directory. Returns the exit code.

    Raises FileError if it has no run.
    """
    terminal = Terminal.stdout()
    found = audit(directory)
    done, _ = read_journal(Path(directory))
    rows, files = sum(one.rows for one in done.values()), len(done)
    whole = f"{directory}: nothing is wrong: {rows:,} results in {files:,} files"
    terminal.write(terminal.safe("\n".join(found or [whole])))
    return INVALID if found else 0


class _Batch:
    """A run, whose units are counted and reported."""

    def __init__(self, run: Run, tally: Tally) -> None:
        self._run = run
        self._tally = tally
        self._at = 0

    def run(self) -> None:
        """Do what is not done yet."""
        terminal = Terminal.stderr()
        nouns = self._tally.nouns
        for stay in self._run.stays:
            which = "valid results are kept" if stay.keep == "valid" else "all are done again"
            terminal.write(terminal.safe(f"note: earlier results: {which}: {stay.why}"))
        if others := left_out(self._run.job.source):
            count = f"{len(others):,} files are" if len(others) > 1 else "1 file is"
            message = f"note: {self._run.job.source}: {count} not read, by the suffix: {others[0]}"
            terminal.write(terminal.safe(message))
        with Progress(
            terminal, self._run.size, shown=terminal.is_tty, lacks=nouns.lacks
        ) as progress:
            with closing(self._run.units()) as units:
                for done in units:
                    self._take(done, progress)
                    progress.show(self._at, self._tally.short())
            progress.show(self._run.size, self._tally.short())
        if self._tally.kept:
            terminal.write(f"note: {self._tally.kept:,} {nouns.several} kept an earlier result")

    def _take(self, done: Done, progress: Progress) -> None:
        self._at += done.source.size
        for problem in done.problems:
            if problem.code == UNANSWERED:
                self._tally.unanswered += 1
            else:
                self._tally.unread += 1
            progress.write(Terminal.stderr().problem(problem))
        name = done.shard.path
        if done.has_changed:
            progress.write(
                Terminal.stderr().safe(f"note: {name}: has changed since an earlier run")
            )
        for bad in done.faults:
            progress.problem(bad.problem(name))
        if done.record is not None:
            self._tally.add(done.record, is_earlier=done.is_earlier)
