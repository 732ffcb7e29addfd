"""The formats of `pdl test`: for people, programs, CI servers (JUnit), and GitHub."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from pdl.cli.output import json_document, problem_fields, workflow_command
from pdl.cli.terminal import FAILED, INTERRUPTED, INVALID, UNREACHABLE
from pdl.errors import count
from pdl.testing.writing import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdl.cli.terminal import Terminal
    from pdl.errors import PdlError, Problem
    from pdl.testing import Case, CaseFile, Outcome


@dataclass(frozen=True)
class Report:
    """The files of cases that were read, and the outcomes of the cases that were run."""

    files: tuple[CaseFile, ...]
    outcomes: tuple[Outcome, ...]
    unread: tuple[PdlError, ...] = ()
    written: Written = field(default_factory=Written)
    seconds: float = 0.0
    is_interrupted: bool = False
    is_strict: bool = False
    """Whether nothing may be skipped."""

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the files themselves."""
        return [one for file in self.files for one in file.problems]

    @property
    def counts(self) -> Counter[str]:
        """How many cases passed, failed, and were skipped."""
        return Counter(one.status for one in self.outcomes)

    @property
    def code(self) -> int:
        """The exit code."""
        if self.is_interrupted:
            return INTERRUPTED
        if self.unread or self.written.errors or (not self.outcomes and not self.problems):
            return FAILED
        if any(
            one.error is not None and one.error.is_fault and one.failures for one in self.outcomes
        ):
            return UNREACHABLE
        has_skipped = self.is_strict and bool(self.left_out)
        return INVALID if self.counts["failed"] or self.problems or has_skipped else 0

    @property
    def summary(self) -> str:
        """The counts on one line: `12 cases: 10 passed, 1 failed, 1 skipped`."""
        counts = self.counts
        kinds = [
            f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped") if counts[kind]
        ]
        cases = f"{count(len(self.outcomes), 'case')}: {', '.join(kinds) or 'none was run'}"
        invalid = sum(bool(one.problems) for one in self.files)
        more = [count(invalid, "invalid file")] if invalid else []
        return "; ".join([cases, *more, *(["interrupted"] if self.is_interrupted else [])])

    @property
    def left_out(self) -> list[str]:
        """Why cases or parts of them were skipped, each reason once, and of how many cases."""
        reasons = Counter(one.skipped for one in self.outcomes if one.status == "skipped")
        notes = Counter(note for one in self.outcomes for note in one.notes)
        return [
            *(f"skipped {count(number, 'case')}: {why}" for why, number in reasons.items()),
            *(f"in {count(number, 'case')}: {note}" for note, number in notes.items()),
        ]

    def groups(self) -> Iterator[tuple[Problem, list[Case]]]:
        """Yield what is wrong, each problem once, with the cases that fail for it."""
        for problem in self.problems:
            yield problem, []
        found: dict[tuple[str, str, str], tuple[Problem, list[Case]]] = {}
        for outcome in self.outcomes:
            for one in outcome.failures:
                key = (str(one.problem.location), one.problem.code, one.problem.message)
                found.setdefault(key, (one.problem, []))[1].append(outcome.case)
        yield from found.values()


def _place(case: Case) -> str:
    return f"{case.file.path}:{case.span.line}"


def _names(problem: Problem, cases: Sequence[Case]) -> str:
    """The cases that a problem is of: the first one by name, and how many others there are."""
    if not cases:
        return ""
    first, location = cases[0], problem.location
    inside = location is not None and location.source.name == first.span.origin().source.name
    name = first.name if inside else f"{_place(first)}: {first.name}"
    return f"{name}, and {count(len(cases) - 1, 'other')}" if cases[1:] else name


def _text(report: Report, terminal: Terminal) -> str:
    return "\n".join(
        terminal.problem(
            problem, None, [("case", name)] if (name := _names(problem, cases)) else []
        )
        for problem, cases in report.groups()
    )


def _json(report: Report, terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    return json_document(
        {
            "ok": report.code == 0,
            "cases": [_fields(one) for one in report.outcomes],
            "problems": [
                *(
                    problem_fields(one)
                    for error in (*report.unread, *report.written.errors)
                    for one in error.problems
                ),
                *map(problem_fields, report.problems),
            ],
            "written": list(map(str, report.written.paths)),
            "seconds": round(report.seconds, 3),
        }
    )


def _fields(outcome: Outcome) -> dict[str, Any]:
    case, answer = outcome.case, outcome.answer
    failures = [{"kind": one.kind, **problem_fields(one.problem)} for one in outcome.failures]
    return {
        "path": str(case.file.path),
        "line": case.span.line,
        "name": case.name,
        "status": outcome.status,
        "why": outcome.skipped,
        "notes": list(outcome.notes),
        "failures": failures,
        "value": answer.data if answer is not None else None,
        "seconds": round(outcome.seconds, 3),
    }


def _github(report: Report, terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    """Workflow commands, which GitHub Actions turns into annotations of a pull request."""
    return "\n".join(_command(problem, cases) for problem, cases in report.groups())


def _command(problem: Problem, cases: Sequence[Case]) -> str:
    fields = problem_fields(problem)
    if fields["path"] is None and cases:  # the prompt can't be read
        fields |= {"path": str(cases[0].file.path), "line": cases[0].span.line}
    properties = {
        "file": fields["path"],
        "line": fields["line"],
        "col": fields["column"],
        "endColumn": fields["end_column"],
        "title": f"pdl: {fields['code']}",
    }
    name = _names(problem, cases)
    lines = (fields["message"], f"case: {name}" if name else "", fields["hint"])
    return workflow_command("error", properties, "\n".join(filter(None, lines)))


def _junit(report: Report, terminal: Terminal) -> str:  # noqa: ARG001  (FORMATS)
    """JUnit XML as GitLab, Jenkins, and others read it: a suite for each file."""
    by_file: dict[int, list[Outcome]] = {id(file): [] for file in report.files}
    for one in report.outcomes:
        by_file[id(one.case.file)].append(one)
    suites = [_suite(file, by_file[id(file)]) for file in report.files]
    total = {
        "name": "pdl",
        "tests": len(report.outcomes) + sum(bool(one.problems) for one in report.files),
        "failures": report.counts["failed"],
        "errors": sum(bool(one.problems) for one in report.files),
        "skipped": report.counts["skipped"],
        "time": f"{report.seconds:.3f}",
    }
    inner = "\n".join(["", *suites, ""])
    return f'<?xml version="1.0" encoding="utf-8"?>\n{_element("testsuites", total, inner)}'


def _suite(file: CaseFile, outcomes: Sequence[Outcome]) -> str:
    counts = Counter(one.status for one in outcomes)
    given = {
        "name": file.path,
        "tests": len(outcomes) + bool(file.problems),
        "failures": counts["failed"],
        "errors": int(bool(file.problems)),
        "skipped": counts["skipped"],
        "time": f"{sum(one.seconds for one in outcomes):.3f}",
    }
    cases = [_testcase(one) for one in outcomes]
    if file.problems:
        found = _element("error", *_fault(file.problems))
        place = file.problems[0].location
        cases.insert(0, _xml_case(file, "(file)", place.line if place is not None else 1, 0, found))
    return _element("testsuite", given, "\n".join(["", *cases, ""]))


def _testcase(outcome: Outcome) -> str:
    case, inner = outcome.case, ""
    if outcome.failures:
        inner = _element("failure", *_fault([one.problem for one in outcome.failures]))
    elif outcome.skipped:
        inner = _element("skipped", {"message": outcome.skipped})
    return _xml_case(case.file, case.name, case.span.line, outcome.seconds, inner)


def _xml_case(file: CaseFile, name: str, line: int, seconds: float, inner: str) -> str:
    given = {
        "classname": str(file.path).removesuffix(".pdl"),
        "name": name,
        "file": file.path,
        "line": line,
        "time": f"{seconds:.3f}",
    }
    return _element("testcase", given, inner)


def _fault(problems: Sequence[Problem]) -> tuple[dict[str, Any], str]:
    """What a failure has: attributes, and the problems as text."""
    first = problems[0]
    return {"message": first.message, "type": first.code}, _xml("\n".join(map(str, problems)))


def _element(name: str, attributes: dict[str, Any], inner: str = "") -> str:
    given = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


def _attribute(value: object) -> str:
    return _xml(str(value)).replace("\n", "&#10;").replace("\t", "&#9;")


def _xml(text: str) -> str:
    r"""Text as XML 1.0 takes it; characters that it has no way to write become `\x00`."""
    return escape("".join(one if _is_xml(one) else ascii(one)[1:-1] for one in text))


def _is_xml(character: str) -> bool:
    """Whether XML has a character: https://www.w3.org/TR/xml/#charsets."""
    return (
        " " <= character < "\ud800"
        or character in "\t\n"
        or "\ue000" <= character < "\ufffe"
        or character >= "\U00010000"
    )


FORMATS: dict[str, Callable[[Report, Terminal], str]] = {
    "text": _text,
    "json": _json,
    "junit": _junit,
    "github": _github,
}
