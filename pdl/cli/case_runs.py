"""Which cases `pdl test` runs, and what comes of them."""

from __future__ import annotations

import os
import re
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pdl._types import CASES_SUFFIX
from pdl.cli.case_reports import Report
from pdl.cli.files import entered, files_below, matches
from pdl.cli.terminal import Terminal, visible_line
from pdl.errors import CasesError, PdlError, Problem, quoted
from pdl.interrupts import interrupts_deferred
from pdl.testing.reader import read_cases, root_of
from pdl.testing.recording import refuse_unwritable
from pdl.testing.writing import ChangeWriter, Pending

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from pdl.cli.batch.reports import Progress
    from pdl.testing import Case, CaseFile, Outcome
    from pdl.testing.session import Session

_NEAR = re.compile(r"[^/\\]\.tests?\.pdl$", re.IGNORECASE)
_MANY = 200  # cases that take long enough for a bar


class Selection(NamedTuple):
    """Which cases are run: those of files below paths, whose names have all of the words."""

    paths: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    first_only: bool = False

    def files(self) -> list[str]:
        """Return the files of cases. Raises FileError, also if there are none."""
        return files_below([_cases_of(path) for path in self.paths], CASES_SUFFIX, self.exclude)

    def misnamed(self) -> list[str]:
        """Return the files below directories whose names are nearly those of files of cases."""
        found: list[str] = []
        for path in self.paths:
            for directory, inner, names in os.walk(path):
                inner[:] = entered(directory, inner, CASES_SUFFIX)
                found += (str(Path(directory, name)) for name in sorted(names))
        return [one for one in found if _is_misnamed(one) and not matches(one, self.exclude)]

    def takes(self, case: Case) -> bool:
        """Return whether a case is selected."""
        name = case.name.casefold()
        return all(word in name for word in self.words)

    def run(self, paths: Sequence[str], session: Session) -> Report:
        """Run the cases of files that are selected; Ctrl-C ends it early.

        Raises CasesError if no case has the words.
        """
        began = time.monotonic()
        files: list[CaseFile] = []
        unread: list[PdlError] = []
        for path in paths:
            try:
                file = read_cases(path, root=root_of(Path(path), Path()))
                if session.record:
                    refuse_unwritable(file)  # before its cases are asked
                files.append(file)
            except PdlError as error:
                unread.append(error)
        cases = [case for file in files for case in file.cases if self.takes(case)]
        if self.words and not cases and not unread:
            message = f"no case has {quoted(' '.join(self.words))} in its name"
            raise CasesError(Problem("test/none", message))
        found: list[Outcome] = []
        writer = ChangeWriter()
        is_interrupted = False
        try:
            if not self.first_only or not any(file.problems for file in files):
                self._run(cases, session, found, writer)
        except KeyboardInterrupt:  # what was found so far is reported, and written
            is_interrupted = True
        written = writer.finish()
        seconds = time.monotonic() - began
        return Report(tuple(files), tuple(found), tuple(unread), written, seconds, is_interrupted)

    def _run(
        self, cases: Sequence[Case], session: Session, found: list[Outcome], writer: ChangeWriter
    ) -> None:
        with _progress(len(cases), is_asked=session.options.model is not None) as bar:
            for number, case in enumerate(cases):
                if bar is not None:
                    bar.show(number, visible_line(case.name))
                outcome, change = session.run(case)
                found.append(outcome)
                if change is not None:
                    with interrupts_deferred():
                        writer.add(Pending.of(change))
                if self.first_only and outcome.failures:
                    return


def _cases_of(path: str) -> str:
    """The file of cases beside a prompt; any other path as it is."""
    is_prompt = path.endswith(".pdl") and not path.endswith(CASES_SUFFIX) and Path(path).is_file()
    is_prompt = is_prompt and not _is_misnamed(path)
    return path.removesuffix(".pdl") + CASES_SUFFIX if is_prompt else path


def _is_misnamed(path: str) -> bool:
    """Whether a file has nearly the name of a file of cases; one with cases of its own has not."""
    is_near = _NEAR.search(path) is not None and not path.endswith(CASES_SUFFIX)
    return is_near and not Path(path[: -len(".pdl")] + CASES_SUFFIX).exists()


def _progress(total: int, *, is_asked: bool) -> AbstractContextManager[Progress | None]:
    """A bar on a terminal, for a run that takes a while; else nothing."""
    terminal = Terminal.stderr()
    if not terminal.is_tty or (total < _MANY and not is_asked):
        return nullcontext()
    from pdl.cli.batch.reports import Progress  # noqa: PLC0415 - few runs show one

    return Progress(terminal, total, shown=True)
