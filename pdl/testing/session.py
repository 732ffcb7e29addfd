"""Running many cases, by pytest or by `pdl test`, and writing down what they brought."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pdl.errors import CasesError, PdlError, Problem, quoted
from pdl.models.connecting import connect_at
from pdl.models.replay import record_of
from pdl.testing.judging import golden_text
from pdl.testing.parts import parts_of
from pdl.testing.reader import read_cases
from pdl.testing.recording import Change, said_in, write_changes
from pdl.testing.replies import is_refusal, record
from pdl.testing.running import RunOptions, run_case

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pdl.models.answer import Answer, AskError
    from pdl.testing.cases import Case
    from pdl.testing.outcome import Outcome


def run_options(
    model: str | None, judge: str | None, retries: int | None, base_url: str | None = None
) -> RunOptions:
    """Return the options of a run whose models are given by name, at an address if they have one.

    Raises what `connect` raises.
    """
    options = RunOptions(
        connect_at(model, base_url) if model is not None else None,
        connect_at(judge, base_url) if judge is not None else None,
    )
    return options if retries is None else replace(options, retries=retries)


@dataclass(frozen=True)
class Session:
    """Runs cases, with `update` taking their renderings for golden, with `record` the replies."""

    options: RunOptions
    update: bool = False
    record: bool = False

    def run(self, case: Case) -> tuple[Outcome, Change | None]:
        """Run a case. Returns the outcome, and what is to be written into the case."""
        outcome = run_case(case, self.options)
        messages, said = None, None
        if self.update and outcome.rendered is not None and _differs(outcome):
            messages = golden_text(outcome.rendered)
            kept = tuple(one for one in outcome.failures if one.kind != "messages")
            outcome = replace(outcome, failures=kept)
        if self.record:
            result = outcome.error if outcome.answer is None else outcome.answer
            is_whole = outcome.error is None or not outcome.error.is_fault
            said = said_in(result) if result is not None and is_whole else None
            told = _unwanted(case, result) if result is not None and said else ""
            if told:
                outcome, said = replace(outcome, notes=(*outcome.notes, told)), None
        change = Change(case, said or None, messages)
        return outcome, change if change != Change(case) else None


def _unwanted(case: Case, result: Answer | AskError) -> str:
    """Why what a model said is not recorded: with it on record, a failed case would pass."""
    must_refuse = parts_of(case).must_refuse
    if must_refuse == is_refusal(result):
        return ""
    if must_refuse:
        return "the model answered, though it must refuse; the answer was not recorded"
    return "the model refused to answer; the refusal was not recorded"


def _differs(outcome: Outcome) -> bool:
    return any(one.kind == "messages" for one in outcome.failures)


@dataclass(frozen=True)
class Written:
    """The files that were written, and what kept others from it."""

    paths: tuple[Path, ...] = ()
    errors: tuple[PdlError, ...] = ()


def write_all(changes: Iterable[Change]) -> Written:
    """Write changes into their files; an error of one keeps no other from being written."""
    by_file: dict[int, list[Change]] = {}
    for one in changes:
        by_file.setdefault(id(one.case.file), []).append(one)
    paths: list[Path] = []
    errors: list[PdlError] = []
    for found in by_file.values():
        try:
            paths += write_changes(found[0].case.file, found)
        except PdlError as error:
            errors.append(error)
    return Written(tuple(dict.fromkeys(paths)), tuple(errors))


def packed(change: Change) -> str:
    """Return a change as text, which `write_packed` reads in another process."""
    file = change.case.file
    said = change.said and [one if isinstance(one, str) else record(one) for one in change.said]
    place = [str(file.path), str(file.root), change.case.name]
    return json.dumps([*place, said, change.messages])


def write_packed(texts: Iterable[str]) -> Written:
    """Write the changes that texts hold, as `write_all` does, into files that are read again."""
    files: dict[tuple[str, str], dict[str, Case]] = {}
    errors: list[PdlError] = []
    changes: list[Change] = []
    for text in texts:
        path, root, name, records, messages = json.loads(text)
        try:
            if (path, root) not in files:
                files[path, root] = {}
                read = read_cases(path, root=root)
                files[path, root] = {case.name: case for case in read.cases}
        except PdlError as error:
            errors.append(error)
        case = files[path, root].get(name)
        if case is None:
            message = f"{path}: the case {quoted(name)} is not there any more, and not written"
            errors.append(CasesError(Problem("test/changed", message)))
            continue
        said = records and tuple(
            one if isinstance(one, str) else record_of(one).reply for one in records
        )
        changes.append(Change(case, said, messages))
    written = write_all(changes)
    return Written(written.paths, (*errors, *written.errors))
