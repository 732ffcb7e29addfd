"""Attempts, tokens and time are bounded, whatever happens; in a time of its own."""

from __future__ import annotations

import random
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models.conftest import QUICK
from models.hostile import GOOD
from models.scripted import BAD, VALUE, asked, says

from pdl.models import Answer, AskError, AskOptions, Backoff, Budget, Fault, Reply, Request, Usage
from pdl.models.ask_loop import AskLoop
from pdl.models.callables import model_of
from pdl.models.model_loop import ModelCall, Outcome, Sleep, Step

if TYPE_CHECKING:
    import pdl


def test_tokens(rendered: pdl.Rendered) -> None:
    """All attempts together write no more than they may."""
    bad = Reply(BAD, usage=Usage(10, 40))
    with pytest.raises(AskError) as caught:
        asked(rendered, says(bad, bad, bad), max_output_tokens=70, retries=9)
    assert caught.value.ending == "tokens"
    limits = [attempt.request.config["max_tokens"] for attempt in caught.value.attempts]
    assert limits == [70, 30]
    assert caught.value.usage == Usage(20, 80)


def test_tokens_that_nobody_counted(rendered: pdl.Rendered) -> None:
    with pytest.raises(AskError) as caught:
        asked(rendered, says("x" * 400), max_output_tokens=100, retries=9)
    assert caught.value.ending == "tokens"


def test_tokens_of_the_prompt(rendered: pdl.Rendered) -> None:
    """The prompt's own limit holds where it is lower, under its own name."""
    config = {"max_completion_tokens": 50}
    answer = asked(rendered, says(GOOD), config=config, max_output_tokens=900)
    assert answer.attempts[0].request.config == config


MODELS = (print, min, max)


class World:
    """A clock that moves when something is done."""

    def __init__(self, outcomes: list[tuple[float, Reply | Fault]]) -> None:
        self.now = 100.0
        self.outcomes = outcomes
        self.calls: list[float] = []
        self.sleeps: list[float] = []

    def run(self, rendered: pdl.Rendered, models: int = 1, **options: Any) -> Answer:
        request = Request(rendered.messages, rendered.schema)
        options = {"options": AskOptions(**options), "clock": lambda: self.now}
        steps = AskLoop(tuple(map(model_of, MODELS[:models])), request, **options).ask_steps()
        outcome: Outcome | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            outcome = self.did(step)

    def did(self, step: Step) -> Outcome | None:
        if isinstance(step, Sleep):
            self.sleeps.append(step.seconds)
            self.now += step.seconds
            return None
        assert isinstance(step, ModelCall)
        took, result = self.outcomes[min(len(self.calls), len(self.outcomes) - 1)]
        self.calls.append(step.timeout)
        self.now += min(took, step.timeout)
        return Outcome(fault=result) if isinstance(result, Fault) else Outcome(result)


def test_time(rendered: pdl.Rendered) -> None:
    """Each call has what is left of the time, and none begins when it is up."""
    world = World([(4.0, Reply(BAD))])
    with pytest.raises(AskError) as caught:
        world.run(rendered, timeout=10.0, retries=9)
    assert caught.value.ending == "time"
    assert world.calls == [10.0, 6.0, 2.0]
    assert caught.value.seconds == 10.0


def test_call_timeout(rendered: pdl.Rendered) -> None:
    world = World([(9.0, Fault("timeout", "late")), (1.0, Reply(GOOD))])
    answer = world.run(rendered, timeout=10.0, call_timeout=3.0, backoff=QUICK)
    assert answer.value == VALUE
    assert world.calls == [3.0, 3.0]
    assert [attempt.seconds for attempt in answer.attempts] == [3.0, 1.0]


def test_a_pause_that_would_be_too_long(rendered: pdl.Rendered) -> None:
    """A server that wants to be left alone for longer than there is time is not waited for."""
    world = World([(0.0, Fault("rate_limited", "wait", retry_after=60.0))])
    with pytest.raises(AskError) as caught:
        world.run(rendered, timeout=30.0)
    assert caught.value.ending == "time"
    assert world.sleeps == []
    assert world.now == 100.0


@given(st.integers(0, 1000), st.integers(1, 30))
def test_backoff(seed: int, faults: int) -> None:
    """A pause is at most what it may be, and the same for the same seed."""
    pauses = [
        Backoff(0.5, 8.0, random.Random(seed)).pause(Fault("server", ""), faults)  # noqa: S311 - no secret
        for _ in range(2)
    ]
    assert 0 <= pauses[0] <= min(8.0, 0.5 * 2 ** (faults - 1))
    assert pauses[0] == pauses[1]


OUTCOMES = st.lists(
    st.tuples(
        st.floats(0, 20),
        st.one_of(
            st.sampled_from([GOOD, BAD, "", "hm", "{"]).flatmap(
                lambda text: st.builds(
                    Reply,
                    st.just(text),
                    usage=st.builds(
                        Usage, st.none() | st.integers(0, 99), st.none() | st.integers(0, 99)
                    ),
                    finish=st.sampled_from(["stop", "length", "other"]),
                )
            ),
            st.builds(
                Fault,
                st.sampled_from(["timeout", "server", "cut", "auth"]),
                st.just("so"),
                retry_after=st.none() | st.floats(0, 50),
            ),
        ),
    ),
    min_size=1,
    max_size=8,
)


@given(OUTCOMES, st.integers(0, 5), st.floats(0.1, 100), st.none() | st.integers(1, 200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_laws(
    rendered: pdl.Rendered,
    outcomes: list[tuple[float, Reply | Fault]],
    retries: int,
    timeout: float,
    tokens: int | None,
) -> None:
    """Never more calls than allowed, never past the time, usage the sum, nothing lost."""
    world = World(outcomes)
    result: Answer | AskError
    try:
        result = world.run(rendered, retries=retries, timeout=timeout, max_output_tokens=tokens)
    except AskError as error:
        result = error
    made = result.attempts
    assert 1 <= len(world.calls) == len(made) <= retries + 1
    assert world.now - 100.0 <= timeout + 0.01
    whole = Usage()
    for attempt in made:
        whole += attempt.usage
    assert result.usage == whole
    assert isinstance(result, Answer) == made[-1].ok
    assert not any(attempt.ok for attempt in made[:-1])
    counted = [one.reply.usage.output_tokens or 0 for one in made[:-1] if one.reply]
    assert tokens is None or sum(counted) < tokens


@given(
    OUTCOMES, st.integers(0, 2), st.integers(1, 3), st.floats(0.1, 100), st.integers(20, 300),
    st.sets(st.sampled_from(["answers", "refusals"])),
)  # fmt: skip
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_laws_of_several_models(  # noqa: PLR0913, PLR0917 - what is drawn
    rendered: pdl.Rendered,
    outcomes: list[tuple[float, Reply | Fault]],
    retries: int,
    models: int,
    seconds: float,
    tokens: int,
    fallback: set[str],
) -> None:
    """Each has its attempts, from the same start, and all of them share the budget."""
    world, budget = World(outcomes), Budget(seconds=seconds, tokens=tokens)
    result: Answer | AskError
    try:
        result = world.run(rendered, models, retries=retries, budget=budget, fallback=fallback)
    except AskError as error:
        result = error
    made = result.attempts
    runs = [(name, list(run)) for name, run in groupby(made, lambda attempt: attempt.model)]
    assert [name for name, _ in runs] == [model_of(one).name for one in MODELS[: len(runs)]]
    assert all(len(run) <= retries + 1 for _, run in runs)
    assert all(run[0].request.messages == rendered.messages for _, run in runs)
    assert all(run[-1].fault or "answers" in fallback for _, run in runs[:-1])
    assert isinstance(result, Answer) == made[-1].ok
    assert not any(attempt.ok for attempt in made[:-1])
    assert world.now - 100.0 <= seconds + 0.01
    assert made[1:] == () or tokens > sum(
        (one.usage.input_tokens or 0) + (one.usage.output_tokens or 0) for one in made[:-1]
    )
