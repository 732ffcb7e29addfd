"""What each metric is of: trials made by hand, and what is counted of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.evaluation.confusion import confusions
from pdl.evaluation.fields import field_scores, leaves
from pdl.evaluation.metrics import QUANTILES, measures_of
from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    Column,
    FailureRecord,
    Run,
    Trial,
)
from pdl.evaluation.table import Table

COLUMN = Column("a.pdl", "m")
GOOD = AttemptRecord(1, "{}", input_tokens=10, output_tokens=5)
BAD = AttemptRecord(1, "{", "truncated", input_tokens=10, output_tokens=5)
CUT = AttemptRecord(1, fault="cut")
UNCOUNTED = AttemptRecord(1, "{}")
CACHED = AttemptRecord(1, "{}", is_cached=True)
FAILURE = FailureRecord("assert", "a.tests.pdl:1:1", "is not so")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner),
    max_leaves=8,
)


def case(name: str = "one", **more: Any) -> CaseRecord:
    return CaseRecord(name, "a.tests.pdl:1:1", **more)


def expecting(value: Any, name: str = "one") -> CaseRecord:
    return case(name, expect=str(value), exact=(value,))


def trial(status: Any, *attempts: AttemptRecord, repeat: int = 1, **more: Any) -> Trial:
    name = more.pop("case", "one")
    return Trial(Cell(*COLUMN, name, repeat), status, attempts, **more)


def run_of(
    *trials: Trial, cases: tuple[CaseRecord, ...] = (), schema: Any = None, repeats: int = 1
) -> Run:
    return Run(
        "r", (COLUMN,), cases or (case(),), trials, repeats=repeats, schemas={"a.pdl": schema}
    )


def values(name: str, run: Run) -> list[list[float]]:
    (measure,) = [one for one in measures_of(run) if one.metric.name == name]
    return measure.of_cases(Table(run), COLUMN)


FAULT = trial("fault", CUT)
REFUSED = trial("refusal", AttemptRecord(1, fault="refusal"))


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("first", trial("valid", GOOD), 1),
        ("first", trial("valid", BAD, GOOD), 0),
        ("first", trial("valid", CUT, GOOD), 1),  # a connection that was cut is no attempt
        ("first", trial("invalid", BAD, BAD), 0),
        ("first", FAULT, 0),
        ("first", REFUSED, 0),
        ("valid", trial("valid", BAD, GOOD), 1),
        ("valid", trial("invalid", BAD), 0),
        ("valid", FAULT, 0),
        ("valid", REFUSED, 0),
        ("valid", trial("stopped", BAD), None),
        ("answered", trial("valid", GOOD), 1),
        ("answered", REFUSED, 0),
        ("answered", FAULT, None),
        ("ok", trial("valid", GOOD), 1),
        ("ok", trial("valid", GOOD, failures=(FAILURE,)), 0),
        ("ok", FAULT, 0),
        ("exact", trial("valid", GOOD, exact=True), None),  # the case expects nothing
        ("expected", trial("valid", GOOD), None),
        ("fields", trial("valid", GOOD), None),
        ("calls", trial("valid", CUT, BAD, GOOD), 3),
        ("input_tokens", trial("valid", BAD, GOOD), 20),
        ("input_tokens", trial("valid", CUT, GOOD), 10),
        ("output_tokens", trial("valid", UNCOUNTED, GOOD), None),
        ("output_tokens", FAULT, None),
        ("cost", trial("valid", GOOD, cost=0.5), 0.5),
        ("cost", trial("valid", GOOD), None),
        ("seconds", trial("valid", GOOD, seconds=2.0), 2.0),
        ("seconds", trial("valid", CACHED, seconds=2.0), None),
        ("first", trial("valid", CACHED), None),
        ("valid", trial("valid", CACHED), 1),
        ("calls", trial("valid", BAD, CACHED), None),
        ("cost", trial("valid", CACHED, cost=0.0), None),
        ("input_tokens", trial("valid", GOOD, CACHED), None),
        ("ok", trial("valid", GOOD, accepted=(None,), unjudged=("late",)), None),
        ("ok", trial("valid", GOOD, unjudged=("late",), failures=(FAILURE,)), 0),
        ("seconds", FAULT, None),
    ],
)
def test_the_value_of_a_trial(name: str, given: Trial, wanted: float | None) -> None:
    assert values(name, run_of(given)) == [[] if wanted is None else [wanted]]


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("exact", trial("valid", GOOD, value={"a": 1}, exact=True, expected=True), 1),
        ("exact", trial("valid", GOOD, value={"a": 2}, exact=False, expected=False), 0),
        ("exact", FAULT, 0),
        ("expected", trial("valid", GOOD, value={"a": 1}, expected=True), 1),
        ("expected", trial("invalid", BAD), 0),
        ("fields", trial("valid", GOOD, value={"a": 1.0}), 1),
        ("fields", trial("valid", GOOD, value={"a": True}), 0),
        ("fields", trial("valid", GOOD, value={"a": 1, "b": 2}), 2 / 3),
        ("fields", REFUSED, 0),
    ],
)
def test_the_value_of_a_trial_that_expects_one(name: str, given: Trial, wanted: float) -> None:
    assert values(name, run_of(given, cases=(expecting({"a": 1}),))) == [[wanted]]


def test_a_schema_that_is_expected_is_no_exact_value() -> None:
    run = run_of(trial("valid", GOOD, expected=True), cases=(case(expect="{ a: int }"),))
    assert values("expected", run) == [[1]]
    assert values("exact", run) == values("fields", run) == [[]]


def test_judges_have_a_metric_each() -> None:
    """Of the cases that have them; one without an answer is not accepted."""
    cases = (case("one", judges=("kind", "short")), case("two", judges=("short",)), case("three"))
    trials = [
        trial("valid", GOOD, accepted=(True, False)),
        trial("invalid", BAD, repeat=2),
        trial("valid", GOOD, accepted=(True,), case="two"),
        trial("valid", GOOD, case="three"),
    ]
    no_answer = trial("valid", GOOD, accepted=(None, True), unjudged=("late",), repeat=3)
    run = run_of(*trials, no_answer, cases=cases, repeats=3)
    assert values("judge:kind", run) == [[1, 0], [], []]
    assert values("judge:short", run) == [[0, 0, 1], [1], []]


@pytest.mark.parametrize(
    ("answers", "stable", "agreement"),
    [
        ([{"a": 1}, {"a": 1.0}, {"a": 1}], [1], [1]),
        ([{"a": 1}, {"a": 1}, {"a": 2}], [0], [1 / 3]),
        ([{"a": 1}, ..., ...], [0], [0]),  # two without an answer do not agree
        ([None, None, None], [1], [1]),  # null is an answer
        ([{"a": 1}], [], []),
    ],
)
def test_stability(answers: list[Any], stable: list[float], agreement: list[float]) -> None:
    trials = [
        trial("invalid", BAD, repeat=number)
        if one is ...
        else trial("valid", GOOD, value=one, repeat=number)
        for number, one in enumerate(answers, 1)
    ]
    run = run_of(*trials, repeats=3)
    assert values("stable", run) == [stable]
    assert values("agreement", run) == [pytest.approx(agreement)]


def test_without_repeats_nothing_is_said_of_stability() -> None:
    names = [one.metric.name for one in measures_of(run_of(trial("valid", GOOD)))]
    assert not {"stable", "agreement"} & set(names)
    assert len(names) == len(set(names))


# Fields


def scores(expected: Any, *answers: Any) -> dict[str, tuple[float | None, float | None]]:
    trials = [
        FAULT if one is ... else trial("valid", GOOD, value=one, repeat=number)
        for number, one in enumerate(answers, 1)
    ]
    found = field_scores(Table(run_of(*trials, cases=(expecting(expected),))))
    return {one.path: (one.precision, one.recall) for one in found}


@pytest.mark.parametrize(
    ("expected", "answer", "wanted"),
    [
        ({"a": 1}, {"a": 1}, {"$.a": (1, 1)}),
        ({"a": 1}, {"a": 2}, {"$.a": (0, 0)}),
        ({"a": 1}, {"b": 1}, {"$.a": (None, 0), "$.b": (0, None)}),
        ({"a": 1}, ..., {"$.a": (None, 0)}),
        (["x", "y"], ["y", "x"], {"$[*]": (1, 1)}),
        (["x", "y"], ["x", "x", "x", "y"], {"$[*]": (0.5, 1)}),
        ([], ["x"], {"$": (None, 0), "$[*]": (0, None)}),
        ({"a": []}, {"a": []}, {"$.a": (1, 1)}),
        (True, 1, {"$": (0, 0)}),
        ({"odd key": {"*": None}}, {"odd key": {"*": None}}, {'$["odd key"]["*"]': (1, 1)}),
        (
            [{"n": "a", "p": 1}, {"n": "b", "p": 2}],
            [{"n": "b", "p": 2}, {"n": "c", "p": 1}],
            {"$[*].n": (0.5, 0.5), "$[*].p": (1, 1)},
        ),
    ],
)
def test_fields(expected: Any, answer: Any, wanted: dict[str, Any]) -> None:
    assert scores(expected, answer) == wanted


def test_fields_are_counted_over_all_trials() -> None:
    assert scores({"a": 1}, {"a": 1}, {"a": 2}, ..., {"a": 1}) == {"$.a": (2 / 3, 2 / 4)}


@given(VALUES, VALUES)
def test_fields_of_equal_values_are_right_and_swapping_swaps(one: Any, other: Any) -> None:
    assert set(scores(one, one).values()) == {(1, 1)}
    swapped = {path: pair[::-1] for path, pair in scores(other, one).items()}
    assert scores(one, other) == swapped


@given(VALUES)
def test_every_value_has_leaves(value: Any) -> None:
    assert leaves(value).total() >= 1
    assert leaves([value, value]) == leaves([value]) + leaves([value])


# Confusions


def test_confusion() -> None:
    schema = {
        "properties": {
            "topic": {"enum": ["bug", "other"]},
            "inner": {"$ref": "#/$defs/Inner"},
            "tags": {"type": "array", "items": {"enum": ["x", "y"]}},
            "name": {"type": "string"},
        },
        "$defs": {
            "Inner": {
                "type": "object",
                "properties": {
                    "sure": {"type": ["boolean", "null"]},
                    "again": {"$ref": "#/$defs/Inner"},
                    "only": {"const": 1},
                },
            }
        },
    }
    right = {"topic": "bug", "inner": {"sure": None}, "tags": ["x"], "name": "n"}
    wrong = {**right, "topic": "other", "inner": {}}
    trials = [
        trial("valid", GOOD, value=right),
        trial("valid", GOOD, value=wrong, repeat=2),
        trial("invalid", BAD, repeat=3),
    ]
    found = confusions(Table(run_of(*trials, cases=(expecting(right),), schema=schema)))
    assert [(one.path, one.labels, one.counts) for one in found] == [
        (("topic",), ("bug", "other"), ((1, 1, 1), (0, 0, 0))),
        (
            ("inner", "sure"),
            ("true", "false", "null"),
            ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 1, 2)),
        ),
    ]


@pytest.mark.parametrize(
    ("schema", "expected", "labels"),
    [
        ({"type": "boolean"}, True, ("true", "false")),
        ({"anyOf": [{"const": 1}, {"const": "1"}]}, 1, ("1", '"1"')),
        ({"enum": ["a", "b", "a"]}, "a", ("a", "b")),
        ({"enum": [None, "null"]}, None, ("null", '"null"')),
    ],
)
def test_the_labels_of_a_whole_answer(schema: Any, expected: Any, labels: tuple[str, ...]) -> None:
    run = run_of(trial("valid", GOOD, value=expected), cases=(expecting(expected),), schema=schema)
    (found,) = confusions(Table(run))
    assert found.path == ()
    assert sorted(found.labels) == sorted(labels)
    row = found.counts[found.labels.index(str(labels[0]))]
    assert row[found.labels.index(labels[0])] == 1


@pytest.mark.parametrize(
    "schema",
    [
        None,
        True,
        {},
        {"type": "string"},
        {"const": "a"},
        {"anyOf": [{"const": "a"}, {"type": "string"}]},
        {"$ref": "#"},
        {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}},
    ],
)
def test_what_has_no_confusion(schema: Any) -> None:
    run = run_of(trial("valid", GOOD, value="a"), cases=(expecting("a"),), schema=schema)
    assert confusions(Table(run)) == ()


def test_the_page_defines_every_metric() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")
    run = run_of(trial("valid", GOOD), cases=(case(judges=("NAME",)),), repeats=2)
    metrics = [one.metric for one in measures_of(run)] + [metric for metric, _ in QUANTILES]
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("|"))
    assert [one.name for one in metrics if f"`{one.name}`" not in rows] == []
