"""Evaluations of functions: each trial once, whatever ends a session."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl.evaluation import EvaluationOptions, Run, evaluate, read_run
from pdl.evaluation.engine import Engine, Progress
from pdl.evaluation.journal import Journal, read_records
from pdl.evaluation.matrix import make_plan
from pdl.models.callables import FunctionModel
from pdl.models.exchange import Reply, Usage
from pdl.models.faults import Backoff, Fault

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = "<|user|>\n{{ text }}\n<|schema|>\n{ stars: int<1,5> }\n"
GOOD = '{"stars": 5}'
FAST = Backoff(first=0.0)


def cases_text(count: int) -> str:
    return "".join(f"<|case|> c{n}\n<|data|>\ntext: t{n}\n" for n in range(count))


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    """A prompt with four cases."""
    (tmp_path / "review.pdl").write_text(PROMPT)
    (tmp_path / "review.tests.pdl").write_text(cases_text(4))
    return tmp_path / "review.pdl"


class Crash(BaseException):
    """What ends the process."""


@dataclass
class Counted:
    """A model that counts its requests, by the text of all messages, and does what it is told."""

    answers: Any = GOOD
    crash_after: int = 10**9
    requests: list[Any] = field(default_factory=list)

    def __call__(self, request: Any) -> Any:
        if len(self.requests) >= self.crash_after:
            raise Crash
        self.requests.append(request)
        said = self.answers(request) if callable(self.answers) else self.answers
        if isinstance(said, Exception):
            raise said
        return said

    __name__ = "counted"

    @property
    def texts(self) -> Counter[tuple[str, ...]]:
        """How often each conversation was sent."""
        return Counter(tuple(str(one) for one in request) for request in self.requests)


def options(**given: Any) -> EvaluationOptions:
    return EvaluationOptions(backoff=FAST, **given)


def crashed(prompt: Path, model: Any, out: Path, **given: Any) -> None:
    """Run an evaluation that ends like a killed process."""
    with suppress(Crash):
        evaluate(prompt, model, out=out, options=options(**given))


def test_each_trial_is_asked_once_and_never_again(prompt: Path, tmp_path: Path) -> None:
    model = Counted()
    run = evaluate(prompt, model, out=tmp_path / "run", options=options(repeats=3))
    assert len(run.trials) == run.planned == 12
    assert {trial.status for trial in run.trials} == {"valid"}
    assert len({trial.cell for trial in run.trials}) == 12
    assert set(model.texts.values()) == {3}
    again = Counted()
    assert evaluate(prompt, again, out=tmp_path / "run", options=options(repeats=3)) == run
    assert again.requests == []


def test_without_a_directory_nothing_is_kept(prompt: Path) -> None:
    assert len(evaluate(prompt, lambda _: GOOD).trials) == 4
    assert {one.name for one in prompt.parent.iterdir()} == {"review.pdl", "review.tests.pdl"}


def test_an_evaluation_within_an_event_loop(prompt: Path) -> None:
    """As in a notebook, whose thread has one."""

    async def main() -> Run:
        return evaluate(prompt, lambda _: GOOD)

    assert len(asyncio.run(main()).trials) == 4


@pytest.mark.parametrize("after", range(5))
def test_a_killed_run_goes_on(prompt: Path, tmp_path: Path, after: int) -> None:
    crashed(prompt, Counted(crash_after=after), tmp_path / "run", concurrency=1)
    assert len(read_run(tmp_path / "run").trials) == min(after, 4)
    model = Counted()
    run = evaluate(prompt, model, out=tmp_path / "run", options=options(concurrency=1))
    assert len(run.trials) == 4
    assert len(model.requests) == 4 - after


def test_a_trial_goes_on_after_its_calls_on_record(prompt: Path, tmp_path: Path) -> None:
    """What was answered before the process died is told to the model, and not asked again."""

    def says(request: Any) -> str:
        return "no idea" if len(request) < 5 else GOOD

    out = tmp_path / "run"
    crashed(prompt, Counted(says, crash_after=2), out, concurrency=1)
    assert read_run(out).trials == ()
    model = Counted(says)
    run = evaluate(prompt, model, out=out, options=options(concurrency=1))
    assert [len(request) for request in model.requests[:2]] == [5, 1]
    first = run.trials[0]
    assert [one.text for one in first.attempts] == ["no idea", "no idea", GOOD]
    assert [one.reason for one in first.attempts] == ["absent", "absent", ""]
    assert first.attempts[0].errors
    assert len(model.requests) == 12 - 2


def slow(seconds: float, running: Counter[str]) -> Any:
    async def model(_request: Any) -> Any:
        running["all"] += 1
        running["now"] += 1
        running["most"] = max(running["most"], running["now"])
        await asyncio.sleep(seconds)
        running["now"] -= 1
        return GOOD

    return model


def stopped_after(prompt: Path, model: Any, out: Path, calls: int, **given: Any) -> Progress:
    """Run an evaluation that is told to stop after so many calls."""
    plan = make_plan([prompt], [model], None, options(**given))
    with Journal(out, plan.manifest) as journal:

        def stop(progress: Progress) -> None:
            if progress.calls >= calls:
                engine.stop()

        engine = Engine(plan, journal, options(**given), stop)
        asyncio.run(asyncio.wait_for(engine.run(), 20))
    return engine.progress


def test_stopping_waits_for_calls_and_loses_none(prompt: Path, tmp_path: Path) -> None:
    out, running = tmp_path / "run", Counter[str]()
    given = {"repeats": 5, "concurrency": 3}
    for calls in (1, 2, 4):
        progress = stopped_after(prompt, slow(0.002, running), out, calls, **given)
        assert progress.is_stopped
        assert len(read_run(out).trials) == running["all"]
    run = evaluate(prompt, slow(0.002, running), out=out, options=options(**given))
    assert len(run.trials) == running["all"] == 20
    assert running["most"] == 3


def test_stopping_does_not_wait_for_a_pause(prompt: Path, tmp_path: Path) -> None:
    """A server that asks to come back in a minute is not waited for."""

    def busy(_request: Any) -> str:
        raise Fault("rate_limited", "busy", retry_after=60.0)

    began = time.monotonic()
    stopped_after(prompt, busy, tmp_path / "run", 4, concurrency=4)
    assert time.monotonic() - began < 10
    assert len(read_records(tmp_path / "run").calls) == 4
    run = evaluate(prompt, lambda _: GOOD, out=tmp_path / "other")
    assert len(run.trials) == 4


def test_a_rate_spaces_the_calls(prompt: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    evaluate(prompt, lambda _: GOOD, out=tmp_path / "run", options=options(rate=3000))
    assert time.monotonic() - began > 3 * 60 / 3000


def late(_request: Any) -> Exception:
    return Fault("timeout", "too late")


def test_trials_that_ended_by_a_fault_are_asked_again_if_told_so(
    prompt: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    given: dict[str, Any] = {"retries": 0, "concurrency": 1}
    run = evaluate(prompt, Counted(late), out=out, options=options(**given))
    assert [trial.status for trial in run.trials] == ["fault"] * 4
    assert run.trials[0].attempts[0].fault == "timeout"
    model = Counted()
    assert evaluate(prompt, model, out=out, options=options(**given)) == run
    run = evaluate(prompt, model, out=out, options=options(retry_faults=True, **given))
    assert [trial.status for trial in run.trials] == ["valid"] * 4
    assert len(model.requests) == 4


def test_a_model_that_never_answers_is_given_up(prompt: Path, tmp_path: Path) -> None:
    model = Counted(late)
    seen: list[Progress] = []
    given: dict[str, Any] = {"retries": 0, "concurrency": 1, "repeats": 9}
    out = tmp_path / "run"
    run = evaluate(prompt, model, out=out, options=options(**given), on_progress=seen.append)
    assert (len(run.trials), run.planned, len(model.requests)) == (5, 36, 5)
    assert seen[-1].unreached == {"function:counted": "timeout: too late"}


def test_a_key_that_is_refused_ends_no_trial(prompt: Path, tmp_path: Path) -> None:
    """Once it is mended, the same command asks everything."""

    def refused(_request: Any) -> str:
        raise Fault("auth", "the key is invalid")

    out = tmp_path / "run"
    seen: list[Progress] = []
    counted = Counted()
    given = options(concurrency=1)
    run = evaluate(prompt, [refused, counted], out=out, options=given, on_progress=seen.append)
    assert [trial.cell.model for trial in run.trials] == ["function:counted"] * 4
    assert list(seen[-1].unreached) == ["function:refused"]

    def mended(_request: Any) -> str:
        return GOOD

    mended.__name__ = "refused"
    assert len(evaluate(prompt, [mended, counted], out=out, options=given).trials) == 8
    assert len(counted.requests) == 4


def priced(_request: Any) -> Reply:
    return Reply(GOOD, usage=Usage(1_000_000, 0))


PRICES = {"function:counted": pdl.Price(1.0, 1.0)}


def test_a_budget_ends_the_run_and_a_higher_one_goes_on(prompt: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "run", Counted(priced)
    seen: list[Progress] = []

    def run(cost: float) -> Run:
        given = options(budget=pdl.Budget(cost=cost, prices=PRICES), concurrency=1)
        return evaluate(prompt, model, out=out, options=given, on_progress=seen.append)

    assert len(run(2.0).trials) == 2
    assert seen[-1].is_spent
    assert seen[-1].cost == 2.0
    assert run(2.0).trials == run(1.5).trials
    assert len(model.requests) == 2
    found = run(9.0)
    assert [trial.cost for trial in found.trials] == [1.0] * 4
    assert len(model.requests) == 4


def test_a_trial_that_a_budget_stopped_goes_on(prompt: Path, tmp_path: Path) -> None:
    def says(request: Any) -> Reply:
        return Reply("no" if len(request) == 1 else GOOD, usage=Usage(1_000_000, 0))

    out, model = tmp_path / "run", Counted(says)

    def run(cost: float) -> Run:
        given = options(budget=pdl.Budget(cost=cost, prices=PRICES), concurrency=1)
        return evaluate(prompt, model, out=out, options=given)

    assert [trial.status for trial in run(3.0).trials] == ["valid", "stopped"]
    found = run(20.0)
    assert [(trial.status, trial.cost) for trial in found.trials] == [("valid", 2.0)] * 4
    assert set(model.texts.values()) == {1}


def test_a_model_without_a_price_is_refused_before_anything_is_asked(prompt: Path) -> None:
    model = Counted()
    given = options(budget=pdl.Budget(cost=1.0, prices=PRICES))
    with pytest.raises(pdl.ConfigError, match="`function:<lambda>` has no price"):
        evaluate(prompt, [model, lambda _: GOOD], options=given)
    assert model.requests == []


def test_each_repeat_has_its_own_reply_in_the_cache(prompt: Path, tmp_path: Path) -> None:
    class Known(FunctionModel):
        def identity(self, request: Any) -> Any:
            return str(request.messages)

    model = Counted()
    for out, calls in (("a", 8), ("b", 8), ("c", 12)):
        given = options(cache=tmp_path / "replies", repeats=3 if out == "c" else 2)
        run = evaluate(prompt, Known(model), out=tmp_path / out, options=given)
        assert len(model.requests) == calls
    cached = [trial.attempts[0].is_cached for trial in run.trials]
    assert cached == [True] * 8 + [False] * 4
    assert {trial.attempts[0].text for trial in run.trials} == {GOOD}


def test_recorded_replies_are_not_given_twice(prompt: Path, tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(f'{{"text": "{{\\"stars\\": {n}}}"}}\n' for n in range(1, 5)))
    out = tmp_path / "run"
    plan = make_plan([prompt], [f"replay:{replies}"], None, options())
    with Journal(out, plan.manifest) as journal:

        def stop(progress: Progress) -> None:
            if progress.ended == 2:
                engine.stop()

        engine = Engine(plan, journal, options(), stop)
        asyncio.run(engine.run())
    run = evaluate(prompt, f"replay:{replies}", out=out)
    assert [trial.value["stars"] for trial in run.trials] == [1, 2, 3, 4]


def test_each_repeat_has_a_seed_of_its_own(prompt: Path) -> None:
    model = Counted()
    evaluate(prompt, model, options=options(seed=7, repeats=3))
    assert Counter(request.seed for request in model.requests) == {7: 4, 8: 4, 9: 4}


def test_what_a_case_expects_is_judged(tmp_path: Path) -> None:
    (tmp_path / "a.pdl").write_text(PROMPT)
    (tmp_path / "a.tests.pdl").write_text(
        '<|case|> exact\n<|data|>\ntext: a\n<|expect|>\n{"stars": 5}\n'
        "<|case|> schema\n<|data|>\ntext: b\n<|expect|>\n{ stars: 1 }\n"
        "<|case|> neither\n<|data|>\ntext: c\n"
    )
    run = evaluate(tmp_path / "a.pdl", lambda _: GOOD)
    found = [(trial.exact, trial.expected, trial.ok) for trial in run.trials]
    assert found == [(True, True, True), (None, False, False), (None, None, True)]
    (failure,) = run.trials[1].failures
    assert failure.kind == "expect"
    assert failure.place.endswith("a.tests.pdl:10:3")
    assert [case.exact for case in run.cases] == [({"stars": 5},), None, None]


def test_a_refusal_that_a_case_wants_is_ok(tmp_path: Path) -> None:
    (tmp_path / "a.pdl").write_text(PROMPT)
    (tmp_path / "a.tests.pdl").write_text(
        "<|case|> must refuse\n<|data|>\ntext: a\n<|reply|> refused I can't\n"
        "<|case|> must not\n<|data|>\ntext: b\n"
    )

    def model(_request: Any) -> str:
        raise Fault("refusal", "no")

    run = evaluate(tmp_path / "a.pdl", model)
    assert [(trial.status, trial.ok) for trial in run.trials] == [
        ("refusal", True),
        ("refusal", False),
    ]


@pytest.mark.parametrize("usage", [Usage(1_000_000, 0), Usage()])
def test_what_calls_cost_before_a_kill_is_not_forgotten(
    prompt: Path, tmp_path: Path, usage: Usage
) -> None:
    """Also that of trials that did not end, and of calls that no provider counted."""

    def says(request: Any) -> Reply:
        return Reply("no" if len(request) < 5 else GOOD, usage=usage)

    def given(cost: float = 1e9) -> dict[str, Any]:
        return {"concurrency": 1, "budget": pdl.Budget(cost=cost, prices=PRICES)}

    out, seen = tmp_path / "run", list[Progress]()
    crashed(prompt, Counted(says, crash_after=2), out, **given())
    model = Counted(says)
    evaluate(prompt, model, out=out, options=options(**given(0.000001)), on_progress=seen.append)
    assert model.requests == []
    assert seen[0].cost == seen[-1].cost > 0
    spent = seen[-1].cost
    evaluate(prompt, model, out=out, options=options(**given()), on_progress=seen.append)
    assert len(model.requests) == 10
    costs = [one.cost for one in seen]
    assert costs == sorted(costs)
    assert costs[-1] >= 4 * spent
    again = list[Progress]()
    evaluate(prompt, model, out=out, options=options(**given()), on_progress=again.append)
    assert again[-1].cost == pytest.approx(costs[-1])


def test_costs_are_by_the_last_prices(prompt: Path, tmp_path: Path) -> None:
    """Also those of trials that had none when they ran."""
    out, model = tmp_path / "run", Counted(priced)
    assert {one.cost for one in evaluate(prompt, model, out=out).trials} == {None}
    for price in (1.0, 2.0):
        budget = pdl.Budget(prices={"function:counted": pdl.Price(price, 0.0)})
        run = evaluate(prompt, model, out=out, options=options(budget=budget))
        assert {one.cost for one in run.trials} == {price}
    assert evaluate(prompt, model, out=out) == read_run(out) == run
    assert len(model.requests) == 4


@pytest.fixture
def judged(prompt: Path) -> Path:
    """The same prompt, with a judge."""
    (prompt.parent / "kind.pdl").write_text("<|user|>\n{{ value }}?\n<|schema|>\nbool\n")
    (prompt.parent / "review.tests.pdl").write_text(f"<|judge|> kind.pdl\n{cases_text(4)}")
    return prompt


def test_a_judge_without_an_answer_is_no_failure(judged: Path, tmp_path: Path) -> None:
    def mumbling(_request: Any) -> str:
        return "well"

    model, out = Counted(), tmp_path / "run"
    given = options(judge=FunctionModel(mumbling), retries=0)
    run = evaluate(judged, model, out=out, options=given)
    assert [(one.status, one.ok, one.accepted) for one in run.trials] == [
        ("valid", None, (None,))
    ] * 4
    assert run.trials[0].unjudged[0].startswith("kind (function:mumbling): ")
    assert run.trials[0].failures == ()


def test_the_server_of_a_judge_stops_no_column(judged: Path, tmp_path: Path) -> None:
    """Once it is there again, the judge is asked, and the model is not."""
    asked = Counter[str]()
    is_there = False

    def judge(_request: Any) -> str:
        asked["judge"] += 1
        if not is_there:
            raise Fault("unavailable", "no server")
        return "true"

    model, out = Counted(), tmp_path / "run"
    seen: list[Progress] = []
    given = options(judge=FunctionModel(judge), retries=0, concurrency=1)
    run = evaluate(judged, model, out=out, options=given, on_progress=seen.append)
    assert [one.ok for one in run.trials] == [None] * 4
    assert (asked["judge"], len(model.requests), seen[-1].unjudged) == (1, 4, 4)
    assert seen[-1].lost == {"function:judge": "unavailable: no server"}
    is_there = True
    run = evaluate(judged, model, out=out, options=given, on_progress=seen.append)
    assert [(one.ok, one.accepted) for one in run.trials] == [(True, (True,))] * 4
    assert (asked["judge"], len(model.requests), seen[-1].unjudged) == (5, 4, 0)
