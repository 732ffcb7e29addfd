"""The three forms of a report: the page, Markdown, and JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import Skill, made_run

from pdl.evaluation.analysis import results_of
from pdl.evaluation.comparing import compare_runs
from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    Column,
    ErrorRecord,
    FailureRecord,
    RepairRecord,
    Run,
    Trial,
)
from pdl.evaluation.report import markdown, results_json, views, write_html
from pdl.evaluation.report.page import _bars, _pairs, page
from pdl.evaluation.report.replies import MOST_MARKS, attempt_json
from pdl.evaluation.results import Results
from pdl.reply.marks import marks_of, pieces

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = (
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "<!--<script>",
    "\u202egnp.exe \u2066 \u200b\ufeff",
    "a\x00b\x1b[31m\x7f\x85",
    "\ud83d alone \udc00",
    "\u2028\u2029",
    "{{ 7 * 7 }}{% raw %}",
    "'\"><svg/onload=alert(1)>",
    "`` ``` | \n\n# title\n<details>",
    "@everyone #1 [a](javascript:alert(1))",
    " ",
    "x" * 3_000,
)


class _Elements(HTMLParser):
    """The start tags of a page, and its text outside of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts.append(data)


def hostile_run(word: str) -> Run:
    """A run in which every text is hostile: two columns, which answer two cases twice."""
    columns = (Column(word, word), Column(word, f"{word} 2"))
    error = ErrorRecord((word, 0), (0, 5), word)
    repair = RepairRecord(word, (2, 9), word, word)
    attempt = AttemptRecord(1, word, word, word, (1, len(word)), (error,), (repair,), seconds=0.1)
    failure = FailureRecord("expect", word, word)
    value = {word: [word], "kind": word}
    cases = tuple(
        CaseRecord(name, word, {word: word}, word, (value,), (word,))
        for name in (word, f"{word} 2")
    )
    trials = []
    for column, case in product(columns, cases):
        bad, good = (Cell(*column, case.name, repeat) for repeat in (1, 2))
        trials.append(Trial(bad, "invalid", (attempt,), failures=(failure,)))
        made = Trial(good, "valid", (attempt,), value, True, True, (word,), (True,))  # noqa: FBT003 - of its fields
        trials.append(made)
    schema = {"type": "object", "properties": {"kind": {"enum": [word, "b"]}}}
    names = {word: word}
    return Run(word, columns, cases, tuple(trials), 9, 2, word, names, {word: schema})


def hostile_results(word: str) -> Results:
    return replace(results_of(hostile_run(word)), changed=(word,), notes=(word,))


@pytest.mark.parametrize("word", HOSTILE)
def test_text_of_a_run_is_no_markup_in_the_page(word: str) -> None:
    """The elements, attributes, and scripts of the page are the same whatever the run says."""
    plain = _Elements(page(hostile_results("plain")))
    hostile = _Elements(page(hostile_results(word)))
    assert [tag for tag, _ in hostile.found] == [tag for tag, _ in plain.found]
    assert [sorted(names) for _, names in hostile.found] == [
        sorted(names) for _, names in plain.found
    ]
    assert len(hostile.scripts) == 2
    assert hostile.scripts[1] == plain.scripts[1]


@pytest.mark.parametrize("word", HOSTILE)
def test_the_data_of_the_page_are_those_of_the_run(word: str) -> None:
    data: Any = json.loads(_Elements(page(hostile_results(word))).scripts[0])
    case = data["cases"][0]
    assert case["name"] == word
    attempt = case["trials"][0][0]["attempts"][0]
    assert "".join(text for text, _, _ in attempt["pieces"]) == word
    assert json.loads(case["trials"][0][1]["value"]) == {word: [word], "kind": word}


@pytest.mark.parametrize("word", HOSTILE)
def test_the_page_has_no_invisible_characters(word: str) -> None:
    """Except in the data, which the script shows."""
    text = page(hostile_results(word))
    summary = re.sub("(?s)<script.*?</script>", "", text)
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", summary
    )
    assert text.encode()


@pytest.mark.parametrize("word", HOSTILE)
def test_text_of_a_run_is_one_cell_of_markdown(word: str) -> None:
    plain = markdown(hostile_results("plain"))
    hostile = markdown(hostile_results(word))
    assert hostile.encode()
    assert len(hostile.splitlines()) == len(plain.splitlines())
    for line, like in zip(hostile.splitlines(), plain.splitlines(), strict=True):
        assert len(re.findall(r"(?<!\\)\|", line)) == like.count("|")


@pytest.mark.parametrize("word", HOSTILE)
def test_results_are_strict_json(word: str) -> None:
    text = json.dumps(results_json(hostile_results(word)), allow_nan=False)
    assert json.loads(text)["run"]["name"] == word


def test_the_file_is_the_page(tmp_path: Path) -> None:
    results = results_of(made_run(cases=3))
    write_html(results, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8") == page(results)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_the_page_names_no_address() -> None:
    text = page(results_of(made_run(cases=3)))
    assert not re.search("https?:|//[a-z]|@import|url\\(", text)
    assert "default-src &#39;none&#39;" in text


def test_an_unfinished_run_is_said_to_be_one() -> None:
    results = results_of(hostile_run("plain"))
    words = "The run is unfinished: it has 8 of 9 trials."
    assert words in page(results)
    assert words in markdown(results)


def test_notes_come_first_in_each_form() -> None:
    results = replace(results_of(made_run(cases=3)), notes=("the sky fell",))
    text = page(results)
    assert "The sky fell." in text[text.index("<header>") : text.index("</header>")]
    assert markdown(results).splitlines()[4] == "The sky fell."
    assert next(iter(results_json(results).items())) == ("notes", ["the sky fell"])


def test_a_value_from_fewer_cases_says_of_how_many() -> None:
    run = made_run(cases=60, expecting=0.5)
    exact = sum(case.exact is not None for case in run.cases)
    results = results_of(run)
    words = f"n = {exact} of 60"
    assert exact < 60
    assert f'<span class="sample">{words}</span>' in page(results)
    summary = markdown(results).partition("### Paired")[0]
    rows = {row.split("|")[1].strip(): row for row in summary.splitlines() if "|" in row}
    assert rows["exactly the expected value"].count(words) == 3
    assert "n =" not in rows["all as the case says"]


def test_a_value_from_fewer_trials_says_of_how_many() -> None:
    run = made_run(cases=10, repeats=3)
    text = markdown(results_of(replace(run, trials=run.trials[1:])))
    assert "n = 29 of 30 trials" in text
    assert "n = 10 of" not in text


def test_statuses_refusals_and_faults_are_apart() -> None:
    run = made_run(cases=200)
    bars = {group["title"]: group for group in _bars(results_of(run))}
    assert "refusal" in bars["How trials ended"]["kinds"]
    assert sorted(bars["Faults of transport"]["kinds"]) == ["server", "timeout"]
    declined = bars["Calls that the model declined"]
    assert declined["kinds"] == ["refusal"]
    for column in run.columns:
        number = sum(
            one.fault == "refusal"
            for trial in run.trials
            if trial.cell.column == column
            for one in trial.attempts
        )
        assert declined["by_column"][column].get("refusal", 0) == number


def failed_run(*attempts: AttemptRecord, failure: FailureRecord) -> Run:
    """One trial without an answer."""
    column = Column("a.pdl", "m")
    trial = Trial(Cell(*column, "case", 1), "invalid", attempts, failures=(failure,))
    return Run("failed", (column,), (CaseRecord("case", ""),), (trial,), 1)


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (
            AttemptRecord(2, "{}", "wrong-schema", errors=(ErrorRecord(("a",), None, "is bad"),)),
            "wrong-schema: $.a: is bad",
        ),
        (
            AttemptRecord(2, fault="server", errors=(ErrorRecord((), None, "status 503"),)),
            "server: status 503",
        ),
        (AttemptRecord(2, "", "absent"), "absent"),
    ],
)
def test_markdown_has_the_cause_of_a_failure_first(attempt: AttemptRecord, words: str) -> None:
    message = "m gave no valid answer in 2 attempts:\n  attempt 1 (0.1 s): …"
    first = AttemptRecord(1, "", "absent")
    run = failed_run(first, attempt, failure=FailureRecord("reply", "", message))
    text = markdown(Results(run, (), ()))
    assert f"| `{words}` |" in text
    assert "no valid answer" not in text


def test_a_long_failure_is_cut_between_words() -> None:
    failure = FailureRecord("expect", "", "some words " * 99)
    text = markdown(Results(failed_run(failure=failure), (), ()))
    assert re.search("(some words )+some(words)?…` ", text.replace(" words…", "words…"))


def test_distinguishable_comparisons_come_first() -> None:
    results = results_of(made_run(cases=40, repeats=2))
    pairs = [one.is_distinguishable for one, _ in _pairs(results)]
    assert pairs == sorted(pairs, reverse=True)
    assert any(pairs)
    assert not all(pairs)


def test_two_runs_have_one_report() -> None:
    first = replace(made_run(cases=5, name="monday"), started="2026-11-16T20:00:00Z")
    second = replace(made_run(cases=5, seed=1, name="tuesday"), cases=first.cases[1:])
    results = compare_runs(first, second)
    text = markdown(results)
    assert text.startswith("## Evaluation `monday → tuesday`\n")
    assert "\nLeft out: `review 1`.\n" in text
    assert "Cases that are left out" in page(results)
    assert "started 2026-11-16T20:00:00Z → 2026-11-23T20:00:00Z" in page(results)


def test_a_run_without_trials_has_a_report() -> None:
    run = Run("empty", (), (), ())
    assert "empty" in page(Results(run, (), ()))
    assert markdown(Results(run, (), ())).startswith("## Evaluation `empty`\n")
    assert results_json(Results(run, (), ()))["trials"] == []


def test_the_worst_cases_come_first() -> None:
    run = made_run(cases=40, repeats=2)
    data = json.loads(_Elements(page(Results(run, (), ()))).scripts[0])
    failed = [(case["failed"], case["answers"]) for case in data["cases"]]
    assert failed == sorted(failed, reverse=True)
    assert failed[0][0] > failed[-1][0]


def test_two_thousand_trials_are_a_small_page() -> None:
    run = made_run(cases=334, repeats=2)
    assert len(run.trials) > 2_000
    assert len(page(Results(run, (), ())).encode()) < 10_000_000


def test_markdown_of_many_columns_fits_a_comment() -> None:
    """GitHub's have at most 65,536 characters."""
    columns = {Column("a.pdl", f"provider:model-{at}"): Skill() for at in range(8)}
    text = markdown(results_of(made_run(cases=5, skills=columns)))
    assert re.search("And [0-9,]+ more, which the HTML page has", text)
    assert len(text) < 65_536


def test_a_long_comparison_is_folded() -> None:
    text = markdown(results_of(made_run(cases=40, repeats=2)))
    assert re.search(r"<summary>\d+ not distinguishable</summary>", text)
    assert "is better by" in text


def test_a_value_that_is_nested_deeply_is_not_shown() -> None:
    value: Any = 1
    for _ in range(200_000):
        value = [value]
    run = hostile_run("plain")
    trials = tuple(Trial(trial.cell, "valid", (), value) for trial in run.trials)
    deep = Run("deep", run.columns, run.cases, trials)
    assert "nested too deeply" in page(Results(deep, (), ()))


SPANS = st.tuples(st.integers(-3, 25), st.integers(-3, 25))


@given(st.text(max_size=20), st.none() | SPANS, st.lists(SPANS, max_size=6))
def test_pieces_are_the_text(text: str, answer: Any, spans: list[tuple[int, int]]) -> None:
    """Each mark covers its span, however spans overlap, and one without width is still there."""
    errors = tuple(ErrorRecord((), span, "wrong") for span in spans)
    found = pieces(text, answer, marks_of(errors, ()))
    assert "".join(piece.text for piece in found) == text
    for index, span in enumerate(spans):
        start, end = (min(max(at, 0), len(text)) for at in span)
        covered = "".join(piece.text for piece in found if index in piece.marks)
        assert covered == text[start:end]
        assert any(index in piece.marks for piece in found)


def test_marks_beyond_the_most_are_counted() -> None:
    repairs = tuple(RepairRecord("bare-key", (at, at + 1), "a", '"a"') for at in range(150))
    made = attempt_json(AttemptRecord(1, "a" * 150, repairs=repairs))
    assert (len(made["marks"]), made["more"]) == (MOST_MARKS, 50)


def test_a_repair_without_one_of_its_spellings_is_said_in_words() -> None:
    repairs = (
        RepairRecord("quotes", (0, 1), "'a'", '"a"'),
        RepairRecord("trailing-comma", (0, 1), ",", ""),
        RepairRecord("bracket", (1, 1), "", "]"),
    )
    words = [mark.words for mark in marks_of((), repairs)]
    assert words == ["quotes: 'a' → \"a\"", "trailing-comma: removed ,", "bracket: added ]"]


def test_a_trial_that_was_not_judged_is_not_wrong() -> None:
    """It is no failure of the model, so that its case is not among the worst."""
    run = made_run(cases=2)
    unjudged = [
        replace(one, status="valid", accepted=(None,), unjudged=("late",), failures=())
        for one in run.trials
    ]
    [first, second] = views.cases(replace(run, trials=tuple(unjudged)))
    assert (first.failed, second.failed) == (0, 0)
    assert views.cell_words(unjudged[:1]) == "not judged"
