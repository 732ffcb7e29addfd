"""The file `attempts.jsonl` of a run: a line for each call, and for each trial that ended.

A line is written when its call ends, so that a killed process loses no more than the calls that
were in flight. Kinds of lines: `{"call": …}` has what a call brought, `{"trial": …}` what came of a
trial, whose attempts name their calls by number, and `{"again": …}` says that a trial starts anew.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pdl.appending import AppendedFile, InUseError, whole_lines
from pdl.errors import FileError, Problem
from pdl.evaluation.encoding import cell_of, fault_json, fault_of, record_json, reply_of, trial_of
from pdl.evaluation.manifest import FILE as MANIFEST
from pdl.evaluation.manifest import changes, read_manifest, write_manifest
from pdl.evaluation.outcomes import priced
from pdl.evaluation.records import Cell, Run, Trial
from pdl.models.exchange import Usage
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl._types import Json
    from pdl.evaluation.manifest import Manifest
    from pdl.models.exchange import Reply
    from pdl.models.faults import Fault

FILE = "attempts.jsonl"
_SHOWN = 5  # changes that are shown
_SYNC_AFTER = 1.0  # seconds of lines that a power cut can take; a kill takes none


class Call(NamedTuple):
    """A call that was made for a trial: a reply, or a fault. `seconds` is how long it took.

    `judge` is the number of the judge that it was made for, from 1; 0 for the prompt itself.
    `charged` are the tokens that a budget is charged for, estimated where they were not counted.
    """

    model: str
    reply: Reply | None
    fault: Fault | None = None
    seconds: float = 0.0
    judge: int = 0
    charged: Usage | None = None


@dataclass
class Records:
    """What the journal of a run has.

    `trials` have the last outcome of each. `calls` are those of all trials, in their order, since
    each was last started; `earlier` those of trials that were started anew after them. `size` is
    how many bytes are whole lines.
    """

    trials: dict[Cell, Trial] = field(default_factory=dict)
    calls: dict[Cell, list[Call]] = field(default_factory=lambda: defaultdict(list))
    earlier: list[Call] = field(default_factory=list)
    size: int = 0
    numbers: dict[tuple[Cell, int], int] = field(default_factory=lambda: defaultdict(int))
    """Of the last call of each trial, and of each of its judges."""

    def add(self, value: Any) -> None:
        """Add a line. Raises KeyError, TypeError, or ValueError for one of another kind."""
        if "call" in value:
            cell, call = cell_of(value["call"]), _call_of(value)
            self._count(cell, call, value.get("number"))
            self.calls[cell].append(call)
        elif "trial" in value:
            trial = self._trial_of(value["trial"])
            self.trials[trial.cell] = trial
        else:
            cell = cell_of(value["again"])
            self.earlier += self.calls.pop(cell, [])
            self.trials.pop(cell, None)
            self.restart(cell)

    def restart(self, cell: Cell) -> None:
        """Number the calls of a trial from 1 again."""
        for key in [key for key in self.numbers if key[0] == cell]:
            del self.numbers[key]

    def _count(self, cell: Cell, call: Call, number: int | None) -> None:
        """Note the number of a call. Raises ValueError for a call that is there already."""
        last = self.numbers[cell, call.judge]
        if number is not None and number <= last:
            raise ValueError(number)
        self.numbers[cell, call.judge] = last + 1 if number is None else number

    def _trial_of(self, value: dict[str, Json]) -> Trial:
        """A trial, with the texts of the calls that its attempts are."""
        made = [one for one in self.calls.get(cell_of(value["cell"]), ()) if not one.judge]
        attempts = []
        for attempt in value["attempts"]:
            number = attempt.pop("call", 0)
            reply = made[number - 1].reply if number else None
            if reply is not None:
                cached = reply.usage.cached_tokens
                attempt.update(text=reply.text, cached_tokens=cached)
            attempts.append(attempt)
        return trial_of({**value, "attempts": attempts})


def _call_of(value: dict[str, Json]) -> Call:
    reply, fault = value.get("reply"), value.get("fault")
    return Call(
        str(value["model"]),
        None if reply is None else reply_of(reply),
        None if fault is None else fault_of(fault),
        float(value["seconds"]),
        int(value.get("judge", 0)),
        Usage(**value["charged"]) if "charged" in value else None,
    )


def read_records(directory: Path) -> Records:
    """Return what the journal of a run has; nothing if there is none yet.

    A last line that was not finished is left out. Raises FileError for a file that can't be read,
    and for a line that is not one of a journal.
    """
    path = directory / FILE
    found = Records()
    try:
        for number, data in whole_lines(path):
            _add(found, path, number, data)
            found.size += len(data)
    except FileNotFoundError:
        return found
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(Problem("file/unreadable", f"{path}: {reason}")) from error
    return found


def _add(found: Records, path: Path, number: int, data: bytes) -> None:
    try:
        found.add(json.loads(data))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        shown = "\n" * (number - 1) + data.decode("utf-8", "replace")
        span = Source(shown, str(path)).span(number - 1)
        message = "this line is not one that `pdl eval` wrote"
        hint = "remove it: what it was about is asked again"
        raise FileError(Problem("file/run", message, span, hint)) from error


def read_run(path: str | Path) -> Run:
    """Return the run of a directory, finished or not, also while it goes on.

    Raises FileError if the directory is not a run, or its files are damaged.
    """
    directory = Path(path)
    manifest = read_manifest(directory)
    records, prices = read_records(directory), manifest.prices
    places = {cell: index for index, cell in enumerate(cells(manifest))}
    trials = ((cell, one) for cell, one in records.trials.items() if cell in places)
    ended = sorted((places[cell], priced(one, prices)) for cell, one in trials)
    return Run(
        name=manifest.name,
        columns=manifest.columns,
        cases=manifest.cases,
        trials=tuple(trial for _, trial in ended),
        planned=manifest.planned,
        repeats=manifest.repeats,
        started=manifest.started,
        fingerprints={one.name: one.fingerprint for one in manifest.prompts},
        schemas={one.name: one.schema for one in manifest.prompts},
        invalid=manifest.invalid,
        options=manifest.asked,
        timeouts=manifest.timeouts,
    )


def cells(manifest: Manifest) -> Iterator[Cell]:
    """Yield the cells of a run in the order in which they are asked.

    Whenever a run ends early, all columns have about the same cases.
    """
    of_prompt = {one.name: frozenset(one.cases) for one in manifest.prompts}
    for repeat in range(1, manifest.repeats + 1):
        for case in manifest.cases:
            for column in manifest.columns:
                if case.name in of_prompt[column.prompt]:
                    yield Cell(*column, case.name, repeat)


class Journal:
    """The journal of a run, which this process writes, and no other.

    `records` are what it had when it was opened. Raises FileError if the directory can't be
    written, is not a run, or another process writes to it; and if `manifest` differs from that of
    the run in what its trials depend on.
    """

    def __init__(self, directory: Path, manifest: Manifest) -> None:
        if directory.exists() and not directory.is_dir():
            hint = "name a new directory for --out"
            raise FileError(Problem("file/run", f"{directory} is not a directory", hint=hint))
        self._path = directory / FILE
        self._synced = time.monotonic()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            _check_own(directory)
            self._path.touch(0o600)  # as the manifest: replies can be confidential
            self._file = AppendedFile(self._path)
        except OSError as error:
            raise _unwritable(self._path, error) from error
        except InUseError as error:
            hint = "wait until it ends, or name another directory"
            message = f"another process runs the evaluation in {directory}"
            raise FileError(Problem("file/in-use", message, hint=hint)) from error
        try:
            self.manifest = _updated(directory, manifest)
            self.records = read_records(directory)
            self._file.cut(self.records.size)
        except OSError as error:
            self._file.close()
            raise _unwritable(directory / MANIFEST, error) from error
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file, after it was written to the disk."""
        with suppress(OSError):
            self._file.sync()
        self._file.close()

    def call(self, cell: Cell, call: Call) -> None:
        """Write what a call brought. Raises FileError."""
        found: dict[str, Json] = {"call": list(cell), "model": call.model}
        if call.judge:
            found["judge"] = call.judge
        self.records.numbers[cell, call.judge] += 1
        found["number"] = self.records.numbers[cell, call.judge]
        found["seconds"] = round(call.seconds, 6)
        if call.reply is not None:
            found["reply"] = record_json(call.reply)
            if call.charged is not None and call.charged != call.reply.usage:
                found["charged"] = call.charged.counts()
        if call.fault is not None:
            found["fault"] = fault_json(call.fault)
        self._append(found)

    def ended(self, trial: Trial, calls: Sequence[int]) -> None:
        """Write what came of a trial, each of whose attempts is the call of a number, or 0.

        Raises FileError.
        """
        value = record_json(trial)
        for attempt, number in zip(value["attempts"], calls, strict=True):
            if number:
                attempt.pop("text", None)
                attempt["call"] = number
        self._append({"trial": value})

    def again(self, cell: Cell) -> None:
        """Write that a trial starts anew. Raises FileError."""
        self._append({"again": list(cell)})
        self.records.restart(cell)

    def _append(self, value: Json) -> None:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        try:
            data = text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can write
            data = json.dumps(value, separators=(",", ":")).encode()
        try:
            self._file.append(data + b"\n")
            if time.monotonic() - self._synced > _SYNC_AFTER:
                self._file.sync()
                self._synced = time.monotonic()
        except OSError as error:
            raise _unwritable(self._path, error) from error


def _check_own(directory: Path) -> None:
    """Raise FileError for a directory that has files, but no run. Raises OSError."""
    names = {one.name for one in directory.iterdir()}
    others = {one for one in names if not one.startswith(f".{MANIFEST}.")} - {FILE}
    has_lines = FILE in names and (directory / FILE).stat().st_size
    if MANIFEST not in names and (others or has_lines):
        message = f"{directory} is not a run of `pdl eval`, and not empty"
        hint = "name a new directory for --out"
        raise FileError(Problem("file/run", message, hint=hint))


def _updated(directory: Path, manifest: Manifest) -> Manifest:
    """The manifest that a run has from now on. Raises FileError if its trials are of another."""
    manifest = replace(manifest, name=manifest.name or directory.resolve().name)
    if not (directory / MANIFEST).exists():
        write_manifest(directory, manifest)
        return manifest
    old = read_manifest(directory)
    found = [*changes(old, manifest)]
    if found:
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        message = f"{directory} is a run of something else: {'; '.join(found[:_SHOWN])}{more}"
        hint = "name a new directory for --out, or ask as you did before"
        raise FileError(Problem("file/run", message, hint=hint))
    new = replace(
        manifest,
        name=old.name,
        started=old.started,
        budget={**old.budget, **manifest.budget},
        timeouts=(
            *(one for one in old.timeouts if one not in manifest.timeouts),
            *manifest.timeouts,
        ),
    )
    if new != old:
        write_manifest(directory, new)
    return new


def _unwritable(path: Path, error: OSError) -> FileError:
    reason = (error.strerror or str(error)).lower()
    return FileError(Problem("file/unwritable", f"{path}: {reason}"))
