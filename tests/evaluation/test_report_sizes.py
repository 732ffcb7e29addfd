"""What a page has of long replies and large runs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from made_runs import made_run

from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    Column,
    ErrorRecord,
    FailureRecord,
    Run,
    Trial,
)
from pdl.evaluation.report.data import MOST_BYTES
from pdl.evaluation.report.page import page
from pdl.evaluation.report.replies import LONGEST, attempt_json, window
from pdl.evaluation.results import Results

MEGABYTE = 1_000_000


def data_of(text: str) -> Any:
    found = re.search('(?s)<script type="application/json" id="data">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


def long_run(trials: int = 120, size: int = MEGABYTE) -> Run:
    """Trials of which every second one fails, each with a long reply."""
    column = Column("a.pdl", "m")
    cases = tuple(CaseRecord(f"case {at}", "") for at in range(trials))
    made = []
    for at, case in enumerate(cases):
        cell, number = Cell(*column, case.name, 1), at % 7
        failure = (FailureRecord("expect", "", "w" * size),) if at % 2 else ()
        text = "é" * size + json.dumps(number)
        attempt = AttemptRecord(1, text, span=(size, size + 1))
        made.append(Trial(cell, "valid", (attempt,), number, failures=failure))
    return Run("long", (column,), cases, tuple(made), trials)


def test_a_page_of_long_replies_is_bounded() -> None:
    run = long_run()
    text = page(Results(run, (), ()))
    assert len(text.encode()) < MOST_BYTES + 100_000
    cases = data_of(text)["cases"]
    whole = [not case["trials"][0][0]["brief"] for case in cases]
    assert whole == sorted(whole, reverse=True)
    assert 60 < sum(whole) < 120
    assert f"Of {120 - sum(whole)} of 120 cases, the page has the verdicts only" in text
    assert [case["trials"][0][0]["outcome"] for case in cases][59:61] == ["not as expected", "ok"]


def test_a_page_that_is_small_has_every_reply() -> None:
    data = data_of(page(Results(made_run(cases=20), (), ())))
    assert not any(
        one["brief"] for case in data["cases"] for ended in case["trials"] for one in ended
    )


def test_a_long_reply_has_the_answer_and_says_what_is_left_out() -> None:
    text = "<" * MEGABYTE + '{"a": 1}' + ">" * MEGABYTE
    attempt = AttemptRecord(1, text, span=(MEGABYTE, MEGABYTE + 8))
    found = attempt_json(attempt)
    kept = "".join(piece.text for piece in found["pieces"])
    before, after = found["left"]
    assert text[before : len(text) - after] == kept
    assert len(kept) == LONGEST
    assert [piece.text for piece in found["pieces"] if piece.is_answer] == ['{"a": 1}']


def test_marks_outside_of_the_window_have_no_place() -> None:
    near, far = (MEGABYTE, MEGABYTE + 1), (0, 1)
    errors = (ErrorRecord((), far, "far"), ErrorRecord((), near, "near" * MEGABYTE))
    found = attempt_json(AttemptRecord(1, "x" * (2 * MEGABYTE), span=near, errors=errors))
    assert [has_place for _, _, has_place in found["marks"]] == [False, True]
    assert len(json.dumps(found)) < 2 * LONGEST


@given(
    st.integers(0, 3 * LONGEST),
    st.none() | st.tuples(st.integers(-9, 200_000), st.integers(0, 200_000)),
)
def test_a_window_is_within_the_text_and_has_the_begin_of_its_span(
    size: int, span: tuple[int, int] | None
) -> None:
    text = "x" * size
    first, last = window(text, span)
    assert 0 <= first <= last <= size
    assert last - first == min(size, LONGEST)
    if span is not None and span[0] < span[1]:
        assert first <= min(max(span[0], 0), size) <= last


def test_values_and_data_are_bounded() -> None:
    run = made_run(cases=1)
    long = {"a": "x" * MEGABYTE}
    case = replace(run.cases[0], data=long, exact=(long,), expect="e" * MEGABYTE)
    trials = tuple(
        replace(trial, status="valid", value=long, judged=(long,)) for trial in run.trials
    )
    text = page(Results(replace(run, cases=(case,), trials=trials), (), ()))
    assert len(text) < 13 * LONGEST
    assert "more characters)" in text
