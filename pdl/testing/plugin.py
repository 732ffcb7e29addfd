"""A pytest plugin that runs the cases of `*.tests.pdl`, each as an item of its own.

pytest imports it in every run where pdl is installed, so that it must cost nothing where there are
no such files: what runs cases is imported when the first one is collected.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pdl._types import CASES_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

    from pdl.errors import Problem
    from pdl.testing.cases import Case
    from pdl.testing.outcome import Outcome
    from pdl.testing.recording import Change
    from pdl.testing.session import Session
    from pdl.testing.writing import ChangeWriter, Written

_SESSION = pytest.StashKey["Session"]()
_REPORTS = "pdl-reports"
_CHANGE = "pdl_change"
"""The attribute of a report with what is to be written into its case."""
_PROBLEMS = "pdl_problems"
"""The attribute of a report with the problems of its failure, for another process."""
_FILE = "(file)"
"""The item that fails with what is wrong with a file of cases itself."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the group `pdl`."""
    group = parser.getgroup("pdl", f"pdl: cases beside prompts (*{CASES_SUFFIX})")
    group.addoption(
        "--pdl-model",
        metavar="NAME",
        help="ask this model, such as openai:MODEL, instead of using the replies on record",
    )
    group.addoption(
        "--pdl-judge",
        metavar="NAME",
        help="the model that judges answers (default: that of --pdl-model)",
    )
    group.addoption(
        "--pdl-base-url",
        metavar="URL",
        help="the address of another server with the same API, for both models",
    )
    group.addoption(
        "--pdl-retries",
        type=int,
        metavar="N",
        help="retries that --pdl-model has for a valid answer (default: 3)",
    )
    group.addoption(
        "--pdl-update",
        action="store_true",
        help="write golden messages (<|messages|>) that differ, or are empty, as they are now",
    )
    group.addoption(
        "--pdl-record",
        action="store_true",
        help="write what --pdl-model says into the files of cases, as their replies on record",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Connect to the models that are named. Raises UsageError."""
    given = config.option
    if given.pdl_record and not given.pdl_model:
        raise pytest.UsageError("--pdl-record requires --pdl-model")
    if given.pdl_base_url and not (given.pdl_model or given.pdl_judge):
        raise pytest.UsageError("--pdl-base-url requires --pdl-model or --pdl-judge")
    if given.pdl_model or given.pdl_judge:
        _session(config)
    is_worker = hasattr(config, "workerinput")  # of pytest-xdist
    if (given.pdl_update or given.pdl_record) and not is_worker:
        config.pluginmanager.register(_Writer(), "pdl-writer")


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    data: dict[str, Any],
) -> Generator[None, pytest.CollectReport | pytest.TestReport | None, Any]:
    """Have the report of a worker say what its case failed with as one of this process does."""
    report = yield
    told = data.get(_PROBLEMS)
    if told and report is not None:
        shown: Any = _Shown(told)
        report.longrepr = shown
    return report


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CasesFile | None:
    """Collect files of cases."""
    if not file_path.name.endswith(CASES_SUFFIX):
        return None
    if not parent.config.pluginmanager.has_plugin(_REPORTS):
        parent.config.pluginmanager.register(_Reports(), _REPORTS)
    file: CasesFile = CasesFile.from_parent(parent, path=file_path)
    return file


def _session(config: pytest.Config) -> Session:
    """What runs the cases of this process. Raises UsageError for models that can't be asked."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        return session
    from pdl.errors import PdlError  # noqa: PLC0415 - most runs have no cases
    from pdl.testing.session import Session, run_options  # noqa: PLC0415

    given = config.option
    try:
        options = run_options(
            given.pdl_model, given.pdl_judge, given.pdl_retries, given.pdl_base_url
        )
    except PdlError as error:
        raise pytest.UsageError(str(error)) from error
    session = Session(options, update=given.pdl_update, record=given.pdl_record)
    config.stash[_SESSION] = session
    return session


class CasesFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for what is wrong with the file, if anything is, and one for each case."""
        from pdl.errors import PdlError, visible  # noqa: PLC0415 - most runs have no cases
        from pdl.testing.reader import read_cases, root_of  # noqa: PLC0415

        root = self.config.rootpath
        path = _shown(self.path, self.config.invocation_params.dir)
        try:
            file = read_cases(path, root=root_of(self.path, root))
        except PdlError as error:
            yield FileItem.from_parent(self, name=_FILE, problems=error.problems)
            return
        names = _Names()
        if file.problems:
            names.unique(_FILE)
            yield FileItem.from_parent(self, name=_FILE, problems=file.problems)
        for case in file.cases:
            name = case.name
            if "::" in name or not name.isprintable():  # pytest splits ids at `::`
                name = visible(name).replace("::", ": :")
            yield CaseItem.from_parent(self, name=names.unique(name), case=case)


class _Names:
    """The names of items, none of which is there twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, name: str) -> str:
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name} ({number})", number + 1
        self._taken.add(found)
        return found


def _shown(path: Path, directory: Path) -> Path:
    """A path as messages show it: relative to the directory where pytest was run, if below."""
    return path.relative_to(directory) if path.is_relative_to(directory) else path


class CaseFailure(Exception):  # noqa: N818 - pytest never shows its name
    """A case, or a file of cases, failed with these problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class _Shown:
    """Problems as pytest prints them; `reprcrash` is what its summary says of them.

    `told` is the message of the first one, and then the text of each.
    """

    def __init__(self, told: list[str]) -> None:
        self.told = told
        message, *self._problems = told
        self.reprcrash = _Crash(message)

    def __str__(self) -> str:
        return "\n".join(self._problems)

    def toterminal(self, writer: Any) -> None:
        for problem in self._problems:
            first, *rest = problem.split("\n")
            writer.line(first, red=True, bold=True)
            for line in rest:
                writer.line(line)


class _Crash:
    """The message of a failure, on one line."""

    def __init__(self, message: str) -> None:
        self.message = message.split("\n", 1)[0]


class _Item(pytest.Item):
    """An item that fails with problems, which need no traceback."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is wrong; of an error that is none of these, its traceback."""
        if isinstance(excinfo.value, CaseFailure):
            problems = excinfo.value.problems
            return _Shown([problems[0].message, *map(str, problems)])
        return super().repr_failure(excinfo, style)


class FileItem(_Item):
    """What is wrong with a file of cases itself."""

    def __init__(self, *, problems: tuple[Problem, ...], **given: Any) -> None:
        super().__init__(**given)
        self.problems = problems

    def runtest(self) -> None:
        """Fail."""
        raise CaseFailure(self.problems)

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        """Return the file, the line of the first problem (from 0), and the name."""
        place = self.problems[0].location
        return self.path, place.line - 1 if place is not None else 0, self.name


class CaseItem(_Item):
    """A case; its outcome is known once it has run."""

    outcome: Outcome | None = None
    change: Change | None = None

    def __init__(self, *, case: Case, **given: Any) -> None:
        super().__init__(**given)
        self.case = case

    def runtest(self) -> None:
        """Run the case."""
        outcome, self.change = _session(self.config).run(self.case)
        self.outcome = outcome
        if outcome.failures:
            raise CaseFailure(one.problem for one in outcome.failures)
        if outcome.skipped:
            pytest.skip(outcome.skipped)

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        """Return the file, the line of the case (from 0), and its name."""
        return self.path, self.case.span.line - 1, self.name


class _Reports:
    """Reports of cases; it is registered in runs that have some."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Have a skip name the place of its case, and add what another process has to know."""
        report = yield
        shown: Any = report.longrepr
        if isinstance(shown, _Shown):
            setattr(report, _PROBLEMS, shown.told)
        if isinstance(item, CaseItem) and item.outcome is not None and call.when == "call":
            if report.skipped:
                path, line, _ = item.reportinfo()
                report.longrepr = (os.fspath(path), line + 1, item.outcome.skipped)
            if item.change is not None:
                from pdl.testing.writing import Pending  # noqa: PLC0415 - few runs write

                setattr(report, _CHANGE, Pending.of(item.change).packed())
        return report


class _Writer:
    """Writes what all reports bring: in the process that workers of xdist report to."""

    def __init__(self) -> None:
        self._writer: ChangeWriter | None = None
        self._written: Written | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        change = getattr(report, _CHANGE, None)
        if change is not None:
            from pdl.testing.writing import ChangeWriter, Pending  # noqa: PLC0415 - few runs write

            self._writer = self._writer or ChangeWriter()
            self._writer.add(Pending.parse(change))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._written = self._writer.finish() if self._writer is not None else None
        if self._written is not None and self._written.errors:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        written = self._written
        if written is None or not (written.paths or written.errors):
            return
        terminalreporter.section("pdl")
        for path in written.paths:
            terminalreporter.write_line(f"wrote {path}")
        for error in written.errors:
            terminalreporter.write_line(str(error), red=True)
