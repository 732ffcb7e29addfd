"""A run over shards into a directory: units in several processes, resumable, each row once.

The result file of a unit is written under another name, synced, and renamed; then the journal gets
its line. A process that is killed before that loses the unit, which the next run does again.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pdl.batch.asked_units import ANSWERS
from pdl.batch.columns import arrow
from pdl.batch.manifest import START_OVER, Journal, Manifest, UnitRecord, write_manifest
from pdl.batch.processes import map_as_done
from pdl.batch.rechecking import Keep, Stay, what_stays
from pdl.batch.shards import find_shards, unit_bytes
from pdl.batch.splitting import Unit, split
from pdl.batch.units import OURS, Done, Job, Piece, do_unit
from pdl.errors import FileError, PdlError, Problem

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


class Run:
    """A run of a job, which `units` does: all that is not done yet.

    `stays` has what stays of results of earlier tasks, by why. Raises FileError for a source that
    can't be read, and for a directory that can't be used; ConfigError for Parquet without pyarrow.
    """

    def __init__(self, job: Job, jobs: int) -> None:
        if job.form == "parquet":
            arrow()  # rather than that each unit reports that it is not there
        self.job = job
        self._jobs = jobs
        self.shards = find_shards(job.source)
        self._source = os.path.realpath(job.source)
        if Path(os.path.realpath(job.directory)).is_relative_to(self._source):
            message = f"{job.directory} is inside of {job.source}, so results would become input"
            raise FileError(Problem("file/results", message, None, "name another --out"))
        self._journal = Journal(Path(job.directory))
        try:
            self._stays: dict[str, Stay] = {}
            self._manifest = self._started()
            self._clean()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other runs use the directory."""
        self._journal.close()

    @property
    def size(self) -> int:
        """How many bytes the input has."""
        return sum(one.size for one in self.shards)

    @property
    def stays(self) -> list[Stay]:
        """What stays of the results of earlier tasks, and why."""
        return [*dict.fromkeys(self._stays.values())]

    def _started(self) -> Manifest:
        """The manifest from now on. Raises FileError if the directory is of something else."""
        job, old = self.job, self._journal.manifest
        done = self._journal.done.values()
        tasks = {one.task: old.tasks.get(one.task) for one in done} if old is not None else {}
        manifest = Manifest(
            command=job.command,
            source=self._source,
            unit_bytes=max(job.least, unit_bytes(self.shards)) if old is None else old.unit_bytes,
            results=job.form,
            reading=list(job.reading),
            task=job.digest,
            tasks={**tasks, job.digest: job.task},
            started=_now() if old is None else old.started,
            pdl=version("pdl-prompts"),
        )
        if old is not None:
            for name, what in _FIXED.items():
                before, now = getattr(old, name), getattr(manifest, name)
                if before != now:
                    _refuse(f"{job.directory}: contains results {what}: {before}")
        if job.do is not None and tasks.keys() - {job.digest}:
            what = "what was asked differs: the prompt, its values, the model, or options"
            _refuse(f"{job.directory}: {what}")
        known = {one.name for one in self.shards}
        gone = sorted({shard for shard, _ in self._journal.done} - known)
        if gone:
            _refuse(f"{job.directory}: contains results for {gone[0]}, which {job.source} lacks")
        self._stays = {
            name: what_stays(task, job.task) for name, task in tasks.items() if name != job.digest
        }
        write_manifest(self._journal.directory, manifest, self._journal.done)
        return manifest

    def _clean(self) -> None:
        """Remove what a killed run left: files that were not finished, or not written down."""
        known = {one.file for one in self._journal.done.values()}
        for path in self._journal.directory.iterdir():
            if path.name not in known and OURS.fullmatch(path.name):
                path.unlink()

    def units(self) -> Generator[Done, None, None]:
        """Do what is not done yet; yield what came of each unit, also of those done earlier.

        Raises FileError if the results can't be written, and for results of rows that the input
        does not have.
        """
        self._told: list[Done] = []
        self._seen: set[tuple[str, int]] = set()
        self._unread: set[str] = set()
        work = partial(do_unit, self.job)
        with closing(map_as_done(work, self._pieces(), self._jobs)) as found:
            for piece, done in found:
                yield from self._drained()
                yield self._taken(piece, done)
        yield from self._drained()
        yield from self._changed()
        left = self._journal.done.keys() - self._seen
        more = sum(self._journal.done[one].rows for one in left if one[0] not in self._unread)
        if more:
            what = f"contains results for {more:,} rows that {self.job.source} does not have"
            _refuse(f"{self.job.directory}: {what}")
        if not self._unread:
            for path in self._journal.directory.glob(f"{ANSWERS}*"):
                path.unlink()  # of a unit that was complete when a process was killed
        ended = replace(self._manifest, ended="" if self._unread else _now())
        write_manifest(self._journal.directory, ended, self._journal.done)

    def _drained(self) -> Iterator[Done]:
        while self._told:
            yield self._told.pop(0)

    def _changed(self) -> Iterator[Done]:
        """Report shards that have changed since they were found: their units can be others now."""
        for shard in self.shards:
            if shard.name not in self._unread and not shard.is_as_found():
                self._unread.add(shard.name)
                message = f"{shard.path}: has changed while it was read"
                problem = Problem("file/changed", message, None, "run the same command again")
                yield Done(shard, None, (), (problem,))

    def _taken(self, piece: Piece, done: Done) -> Done:
        """Write down what came of a unit. Raises FileError if it could not be written."""
        if done.is_fatal:
            raise FileError(*done.problems)
        if done.record is None:
            self._unread.add(piece.unit.shard.name)
            return done
        self._journal.add(done.record)
        if piece.old is not None and piece.old.file != done.record.file:
            Path(self.job.directory, piece.old.file).unlink(missing_ok=True)
        if done.leftover:
            Path(done.leftover).unlink(missing_ok=True)
        return done

    def _pieces(self) -> Iterator[Piece]:
        for shard in self.shards:
            try:
                for unit in split(shard, self._manifest.unit_bytes):
                    self._seen.add((shard.name, unit.number))
                    old = self._journal.done.get((shard.name, unit.number))
                    if old is not None and self._is_done(unit, old):
                        self._told.append(Done(unit, old, is_earlier=True))
                    else:
                        yield Piece(unit, old, self._keep(old))
            except PdlError as error:
                self._unread.add(shard.name)
                self._told.append(Done(shard, None, (), error.problems))

    def _is_done(self, unit: Unit, old: UnitRecord) -> bool:
        """Whether a unit needs no look: rows that can't be used are reported again."""
        is_same = old.is_of(unit) and old.task == self.job.digest
        return is_same and not old.faulty and self._is_whole(old)

    def _is_whole(self, old: UnitRecord) -> bool:
        with suppress(OSError):
            return Path(self.job.directory, old.file).stat().st_size == old.bytes
        return False

    def _keep(self, old: UnitRecord | None) -> Keep:
        if old is None or not self._is_whole(old):
            return "none"
        return "all" if old.task == self.job.digest else self._stays[old.task].keep


_FIXED = {
    "command": "of another command",
    "source": "of another source",
    "results": "in another format",
}


def _refuse(message: str) -> NoReturn:
    raise FileError(Problem("file/results", message, None, START_OVER))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
