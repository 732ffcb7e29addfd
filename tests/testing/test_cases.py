"""Files of cases, run without a model: `files/NAME.tests.pdl`, each with what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.limits import DEFAULT_LIMITS
from pdl.models.callables import FunctionModel
from pdl.source import Source
from pdl.testing import Outcome, RunOptions, parse_cases, parts_of, read_cases, run_case
from pdl.testing.cases import Case, Row
from pdl.testing.differences import is_equal
from pdl.testing.sections import MARKS, sections_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snapshots import Snapshot

FILES = Path(__file__).parent / "files"
NAMES = sorted(one.relative_to(FILES).as_posix() for one in FILES.rglob("*.tests.pdl"))


def report(file: str) -> Iterator[str]:
    """All problems of a file, and the outcome of each case."""
    found = read_cases(file, root=".")
    yield from map(str, found.problems)
    for case in found.cases:
        yield from outcome_lines(run_case(case))


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """What is told of an outcome."""
    yield f"== {outcome.case.name}: {outcome.status} {outcome.skipped}".rstrip()
    yield from (f"note: {one}" for one in outcome.notes)
    for one in outcome.failures:
        yield f"{one.kind}, {one.problem.code}: {one.problem}"


@pytest.mark.parametrize("name", NAMES)
def test_outcomes(name: str, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each failure says where it is, and what was found."""
    monkeypatch.chdir(FILES)
    snapshot.check(FILES / name.replace(".tests.pdl", ".out"), "\n".join(report(name)))


PIECES = st.sampled_from(
    [f"<|{name}|>" for name in MARKS]
    + ["\n", " ", "{", "}", '"', "a: 1", "# c", "@x", "refused", "[1]"]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=15).map("".join)


@given(TEXTS)
def test_any_text_has_cases_or_problems(text: str) -> None:
    """Nothing is raised, whatever the text."""
    clean = text.replace("\r", "\n")
    file = parse_cases(Source(clean, "p.tests.pdl"), Path("p.tests.pdl"))
    assert file.cases or file.problems
    for case in file.cases:
        for one in parts_of(case).problems:
            assert one.span is not None
            str(one)


@given(TEXTS)
def test_sections_cover_the_text(text: str) -> None:
    """What is in no section is blank, or before the first one."""
    clean = text.replace("\r", "\n")
    found = sections_of(clean)
    covered = [found.preamble]
    for one in found.all:
        covered += [one.mark, one.argument, one.body]
    at = 0
    for start, end in sorted(one for one in covered if one[0] < one[1]):
        assert start >= at
        assert not clean[at:start].strip()
        at = end
    assert not clean[at:].strip()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, 0.5])
    | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_values_differ_as_json(left: object, right: object) -> None:
    """1 is 1.0 and neither is true; all else is as Python sees it with its types."""

    def typed(value: object) -> object:
        if isinstance(value, bool):
            return ("bool", value)
        if isinstance(value, list):
            return [typed(one) for one in value]
        if isinstance(value, dict):
            return {key: typed(one) for key, one in value.items()}
        return value

    assert is_equal(left, right) == (typed(left) == typed(right))


ROWS = st.fixed_dictionaries(
    {},
    optional={
        name: VALUES | st.sampled_from(["any", "true", "@x", "{", "value", "# c", "refused"])
        for name in ("name", "data", "reply", "refused", "expect", "assert", "x", "judge")
    },
)


@given(ROWS, st.sampled_from(["words.jsonl", "words.csv"]))
def test_any_row_has_an_outcome(row: dict[str, Any], name: str) -> None:
    """Nothing is raised, whatever a row has."""
    file = parse_cases(Source("", "words.tests.pdl"), FILES / "words.tests.pdl")
    text = json.dumps(row)
    if name.endswith(".csv"):
        row = {key: json.dumps(one).replace('"', "'") for key, one in row.items()}
        text = ",".join(row.values())
    span = Source(text, name).span(0, len(text))
    outcome = run_case(Case("a", span, file, row=Row(span, row, Path(name))))
    for one in outcome.failures:
        str(one.problem)


def answered(_: object) -> str:
    """What the model says."""
    return '{"stars": 1}'


def case_of(text: str, name: str = "a", *, model: bool = True) -> Outcome:
    """The outcome of the first case of a text, of the prompt `review.pdl`."""
    source = Source(f'<|case|> {name}\n<|data|> {{"review": "x"}}\n{text}', "review.tests.pdl")
    file = parse_cases(source, FILES / "review.tests.pdl")
    options = RunOptions(FunctionModel(answered) if model else None, retries=1)
    return run_case(file.cases[0], options)


def test_a_model_is_asked_instead_of_the_record() -> None:
    """The replies on record are not used then."""
    outcome = case_of('<|reply|>\n{"stars": 1, "refund": true, "problems": []}')
    assert outcome.error is not None
    assert len(outcome.error.attempts) == 2
    assert {one.kind for one in outcome.failures} == {"reply"}


def test_what_the_checker_does_is_not_asked_of_a_model() -> None:
    """A reply that must be refused says nothing of a model."""
    outcome = case_of("<|reply|> refused truncated\n{")
    assert outcome.status == "skipped"
    assert "must be refused" in outcome.skipped


def test_assertions_have_the_time_of_one_rendering() -> None:
    """Two that would need seconds each end together, at the limit of one."""
    lines = '([range(99999)]*9999) | map("sum") | sum > 0\n' * 9
    outcome = case_of(f"<|reply|> @good_reply.txt\n<|assert|>\n{lines}", model=False)
    assert {one.problem.code for one in outcome.failures} == {"limit/template"}
    assert len(outcome.failures) == 9
    assert outcome.seconds < 2 * DEFAULT_LIMITS.render_seconds + 1


def test_a_model_that_must_refuse_and_answers_fails() -> None:
    """A refusal is expected of the model, too."""
    outcome = case_of("<|reply|> refused I can't.")
    assert [one.problem.code for one in outcome.failures] == ["test/accepted"]
