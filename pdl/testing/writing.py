"""Writing what cases brought while others still run, so that a run that is killed loses little."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.errors import CasesError, PdlError, Problem, quoted
from pdl.models.exchange import Reply
from pdl.models.replay import record_of
from pdl.replacing import is_outside
from pdl.schema.json_values import json_line
from pdl.testing.reader import read_cases
from pdl.testing.recording import Change, refuse_change, replies_folder, slug_of, write_changes
from pdl.testing.replies import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.testing.cases import Case
    from pdl.testing.recording import Said

_SHARE = 10  # times that writing took, which pass before the next time


@dataclass(frozen=True)
class Written:
    """The files that were written, and what kept others from it."""

    paths: tuple[Path, ...] = ()
    errors: tuple[PdlError, ...] = ()


@dataclass(frozen=True)
class Pending:
    """A change of a case, which is found again in its file by its name, or by its own text."""

    path: str
    root: str
    name: str
    text: str
    said: tuple[Said, ...] | None
    messages: str | None

    @classmethod
    def of(cls, change: Change) -> Pending:
        """Return a change of a case as it was read."""
        case, file = change.case, change.case.file
        path, root, own = str(file.path), str(file.root), _own_text(case)
        return cls(path, root, case.name, own, change.said, change.messages)

    @classmethod
    def parse(cls, text: str) -> Pending:
        """Return what `packed` made a text of."""
        path, root, name, own, records, messages = json.loads(text)
        said = records and tuple(
            one if isinstance(one, str) else record_of(one).reply for one in records
        )
        return cls(path, root, name, own, said, messages)

    def packed(self) -> str:
        """Return it as text, which another process reads."""
        said = self.said and [one if isinstance(one, str) else record(one) for one in self.said]
        return json.dumps([self.path, self.root, self.name, self.text, said, self.messages])

    def within(self, cases: dict[str, Case]) -> Change:
        """Return the change of the case in a file that was read again. Raises CasesError."""
        case = cases.get(self.name)
        if case is None or _own_text(case) != self.text:
            same = [one for one in cases.values() if _own_text(one) == self.text]
            if len(same) != 1:
                how = "is not there any more" if case is None else "was changed while it ran"
                message = f"{self.path}: the case {quoted(self.name)} {how}, and is not written"
                raise CasesError(Problem("test/changed", message))
            case = same[0]
        change = Change(case, self.said, self.messages)
        refuse_change(change)
        return change


def _own_text(case: Case) -> str:
    """What the file or its table has for a case alone; empty cells don't count."""
    if case.row is not None:
        return json_line({key: one for key, one in case.row.values.items() if one != ""})
    ends = [end for one in case.sections for end in (one.argument.end, one.body.end)]
    return case.file.source.text[case.span.start : max(ends, default=case.span.end)]


class ChangeWriter:
    """Writes changes into files as they come, and those that fail once more at the end.

    Files are read again each time, so that what others write meanwhile stays.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._due = 0.0
        self._pending: list[Pending] = []
        self._failed: list[tuple[Pending, PdlError]] = []
        self._paths: dict[Path, None] = {}

    def add(self, change: Pending) -> None:
        """Write a change, now or, if writing takes long, with some that follow."""
        self._pending.append(change)
        if self._clock() >= self._due:
            self._flush()

    def finish(self) -> Written:
        """Write what is left; replies that can't be written are kept in files of their own."""
        self._pending += [one for one, _ in self._failed]
        self._failed = []
        self._flush()
        return Written(tuple(self._paths), tuple(self._errors()))

    def _flush(self) -> None:
        began = self._clock()
        by_file: dict[tuple[str, str], list[Pending]] = {}
        for one in self._pending:
            by_file.setdefault((one.path, one.root), []).append(one)
        for (path, root), found in by_file.items():
            self._write(path, root, found)
        self._pending = []
        now = self._clock()
        self._due = now + _SHARE * (now - began)

    def _write(self, path: str, root: str, found: list[Pending]) -> None:
        changes: list[tuple[Pending, Change]] = []
        try:
            file = read_cases(path, root=root)
            cases = {case.name: case for case in file.cases}
            for one in found:
                try:
                    changes.append((one, one.within(cases)))
                except CasesError as error:
                    self._failed.append((one, error))
            if changes:
                paths = write_changes(file, [change for _, change in changes])
                self._paths.update(dict.fromkeys(paths))
        except PdlError as error:
            left = [one for one, _ in changes] or found
            self._failed += [(one, error) for one in left]

    def _errors(self) -> Iterator[PdlError]:
        """What kept changes from being written, each once, and where their replies are."""
        by_error: dict[str, tuple[PdlError, list[Path]]] = {}
        for one, error in self._failed:
            kept = by_error.setdefault(str(error), (error, []))[1]
            kept += _kept(one)
        for error, paths in by_error.values():
            if paths:
                where = ", ".join(map(str, paths[:3])) + (", …" if paths[3:] else "")
                hint = f"what the model said is in {where}: name it after `<|reply|> @`"
                yield type(error)(*(replace(problem, hint=hint) for problem in error.problems))
            else:
                yield error


def _kept(change: Pending) -> Iterator[Path]:
    """Write what a model said into a new file, beside that of the cases; yield it if it can be."""
    replies = [one for one in change.said or () if isinstance(one, Reply)]
    path = Path(change.path)
    folder = path.parent / replies_folder(path)
    if not replies or is_outside(folder, path.parent):
        return
    text = "".join(f"{json_line(record(one))}\n" for one in replies)
    number = 1
    try:
        folder.mkdir(exist_ok=True)
        while True:
            file = folder / f"{slug_of(change.name)}-unwritten-{number}.jsonl"
            try:
                with file.open("x", encoding="utf-8") as out:
                    out.write(text)
            except FileExistsError:
                number += 1
            else:
                break
    except OSError:
        return
    yield file
