"""Prices and budgets: what an answer cost, and where tokens, time, and cost end a run."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.hostile import GOOD
from models.scripted import BAD, VALUE, asked, says
from models.test_bounds import World

import pdl
from pdl.models import Answer, AskError, Budget, Fault, Price, Reply, Usage

PRICES = {"function:model": Price(input=2.0, output=10.0, cached=0.5)}


def counted(text: str, read: int = 1_000, written: int = 200, cached: int | None = None) -> Reply:
    return Reply(text, usage=Usage(read, written, cached))


@pytest.mark.parametrize(
    ("price", "usage", "cost"),
    [
        (Price(2, 10), Usage(1_000_000, 0), 2.0),
        (Price(2, 10), Usage(500_000, 100_000), 2.0),
        (Price(2, 10, 0.5), Usage(1_000_000, 0, 600_000), 1.1),
        (Price(2, 10), Usage(1_000_000, 0, 600_000), 2.0),
        (Price(2, 10), Usage(None, 5), None),
        (Price(2, 10), Usage(5, None), None),
        (Price(0, 0), Usage(), 0.0),
    ],
)
def test_what_a_call_costs(price: Price, usage: Usage, cost: float | None) -> None:
    assert price.of(usage) == (None if cost is None else pytest.approx(cost))


def test_what_an_answer_costs(rendered: pdl.Rendered) -> None:
    """All attempts count, and a call that brought no reply costs nothing."""
    model = says(counted(BAD), Fault("server", "busy"), counted(GOOD, cached=400))
    answer = asked(rendered, model, budget=Budget(prices=PRICES))
    assert [one.cost for one in answer.attempts] == pytest.approx([0.004, 0.0, 0.0034])
    assert answer.cost == pytest.approx(0.0074)


@pytest.mark.parametrize("budget", [None, Budget(), Budget(prices={"function:x": Price(1, 1)})])
def test_an_unknown_price_is_no_cost(budget: Budget | None, rendered: pdl.Rendered) -> None:
    answer = asked(rendered, says(counted(GOOD)), budget=budget)
    assert answer.cost is None


def test_an_unknown_count_is_no_cost(rendered: pdl.Rendered) -> None:
    """But it counts in the budget, by its characters."""
    budget = Budget(cost=1, prices=PRICES)
    answer = asked(rendered, says(GOOD), budget=budget)
    assert answer.cost is None
    assert 0 < budget.cost_spent < 0.001
    assert 8 < budget.tokens_spent < 20


def test_a_cost_without_a_price_is_an_error_before_the_call(rendered: pdl.Rendered) -> None:
    budget = Budget(cost=1, prices={"function:modell": Price(1, 1)})
    with pytest.raises(pdl.ConfigError) as caught:
        asked(rendered, [says(GOOD), pytest.fail], budget=budget)
    assert caught.value.problem.code == "config/price"
    assert str(caught.value).splitlines() == [
        "the cost is bounded, but `function:model` has no price",
        "  hint: add it to the `prices` of the budget, which have `function:modell`",
    ]


@pytest.mark.parametrize(
    ("config", "limit"), [({}, None), ({"max_tokens": 90_000}, 90_000), ({"max_tokens": 50}, 50)]
)
def test_a_large_budget_is_no_limit_of_a_call(
    config: dict[str, int], limit: int | None, rendered: pdl.Rendered
) -> None:
    """A model would reject one that is higher than its own."""
    for budget in (Budget(tokens=100_000), Budget(cost=1, prices=PRICES)):
        answer = asked(rendered, says(counted(GOOD)), budget=budget, config=config)
        assert answer.attempts[0].request.config.get("max_tokens") == limit
    budget = Budget(tokens=1_000)
    answer = asked(rendered, says(counted(GOOD)), budget=budget, config=config)
    lowered = answer.attempts[0].request.config["max_tokens"]
    assert lowered == 50 if limit == 50 else 990 < lowered < 1_000


def test_the_cost_ends_a_run(rendered: pdl.Rendered) -> None:
    """Each call may write what is left to pay for."""
    budget = Budget(cost=0.0065, prices=PRICES)
    with pytest.raises(AskError) as caught:
        asked(rendered, says(counted(BAD), counted(BAD)), budget=budget, retries=9)
    error = caught.value
    assert (error.ending, len(error.attempts)) == ("cost", 2)
    assert error.cost == pytest.approx(0.008)
    limits: list[Any] = [one.request.config["max_tokens"] for one in error.attempts]
    assert limits[0] == 649  # of 650, one is for the prompt
    assert limits[1] < 250
    assert "; the cost that was allowed is spent" in str(error)


def test_tokens_end_a_run(rendered: pdl.Rendered) -> None:
    """Those that are read count, too."""
    budget = Budget(tokens=2_300)
    with pytest.raises(AskError) as caught:
        asked(rendered, says(counted(BAD), counted(BAD)), budget=budget, retries=9)
    assert (caught.value.ending, len(caught.value.attempts)) == ("tokens", 2)
    assert budget.tokens_spent == 2_400


def test_a_budget_is_shared(rendered: pdl.Rendered) -> None:
    """The second ask makes no call, since the first one left nothing; a default is still given."""
    budget = Budget(tokens=1_200)
    assert asked(rendered, says(counted(GOOD)), budget=budget).value == VALUE
    with pytest.raises(AskError) as caught:
        asked(rendered, says(), budget=budget)
    error = caught.value
    assert (error.ending, error.attempts, error.is_fault) == ("tokens", (), False)
    assert str(error) == "function:model was not asked; the tokens that were allowed are spent"
    assert asked(rendered, says(), budget=budget, default=None).is_default


def test_the_input_of_running_calls_counts(rendered: pdl.Rendered) -> None:
    """Or all of them would begin, since none has ended yet; what they hold is given back."""

    async def slow(messages: object) -> Reply:
        await asyncio.sleep(0.01)
        assert messages
        return counted(GOOD, 5, 5)

    async def several(budget: Budget) -> list[Answer | BaseException]:
        asked = (pdl.ask_async(rendered, slow, budget=budget) for _ in range(20))
        return await asyncio.gather(*asked, return_exceptions=True)

    prices = {"function:slow": Price(10, 0)}
    for budget in (Budget(tokens=50), Budget(cost=0.0005, prices=prices)):
        found = asyncio.run(several(budget))
        assert 5 < sum(isinstance(one, Answer) for one in found) < 15
        assert all(isinstance(one, Answer) or one.attempts == () for one in found)  # type: ignore[attr-defined]

    async def stuck(messages: object) -> Reply:
        await asyncio.sleep(9)
        return await slow(messages)

    late = Budget(tokens=10)
    with pytest.raises(AskError, match="timeout"):
        asked(rendered, stuck, budget=late, call_timeout=0.1, retries=0)
    assert asked(rendered, slow, budget=late).value == VALUE


def test_seconds_run_from_the_first_ask(rendered: pdl.Rendered) -> None:
    budget = Budget(seconds=10)
    world = World([(4.0, Reply(BAD))])
    with pytest.raises(AskError) as caught:
        world.run(rendered, budget=budget, retries=1)
    assert (caught.value.ending, world.calls) == ("attempts", [10.0, 6.0])
    with pytest.raises(AskError) as caught:
        world.run(rendered, budget=budget, retries=9)
    assert (caught.value.ending, world.calls[2:]) == ("time", [2.0])
    with pytest.raises(AskError, match=r"was not asked; there is no time left$"):
        world.run(rendered, budget=budget)


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900)), min_size=1, max_size=30))
def test_every_call_counts_once(counts: list[tuple[int, int]]) -> None:
    """However many threads share a budget, its sums are those of the calls."""
    rendered = pdl.loads("<|user|>\nWho is it?\n<|schema|>\n{ name: str, age: int }\n").render()
    budget = Budget(prices=PRICES)
    with ThreadPoolExecutor(4) as pool:
        costs = pool.map(
            lambda count: asked(rendered, says(counted(GOOD, *count)), budget=budget).cost, counts
        )
    assert budget.tokens_spent == sum(map(sum, counts))
    assert budget.cost_spent == pytest.approx(sum(cost or 0.0 for cost in costs))


def test_the_cache_costs_nothing(rendered: pdl.Rendered, tmp_path: Any) -> None:
    """Not even where the budget is spent: its key does not depend on what is left."""
    from pdl.models.callables import FunctionModel  # noqa: PLC0415

    class Known(FunctionModel):
        def identity(self, request: pdl.models.Request) -> Any:
            return dict(request.config)

    budget = Budget(tokens=1_200, prices=PRICES)
    options: Any = {"budget": budget, "cache": tmp_path / "kept.db"}
    first = asked(rendered, Known(says(counted(GOOD))), **options)
    again = asked(rendered, Known(says()), **options)
    assert (first.attempts[0].is_cached, again.attempts[0].is_cached) == (False, True)
    assert again.cost == 0.0


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"tokens": 0}, ValueError, "tokens must be 1 or more, not 0"),
        ({"tokens": 1.5}, TypeError, "tokens must be an int, not float"),
        ({"seconds": -1}, ValueError, "seconds must be a number of seconds above 0"),
        ({"cost": -1}, ValueError, "cost must be a number of at least 0, not -1"),
        ({"cost": "1"}, TypeError, "cost must be a number, not str"),
        ({"prices": [1]}, TypeError, "prices must be a mapping, not list"),
        ({"prices": {"a": 1}}, TypeError, "the price of `a` must be a pdl.Price, not int"),
        ({"prices": {1: 1}}, TypeError, "prices must have names of models as keys, not int"),
    ],
)
def test_what_is_no_budget(given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Budget(**given)


@pytest.mark.parametrize("amount", [-1, float("inf"), float("nan"), "1", True])
@pytest.mark.parametrize("name", ["input", "output", "cached"])
def test_what_is_no_price(name: str, amount: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{name} must be a number"):
        Price(**{"input": 1, "output": 1, name: amount})


def test_an_option_that_is_no_budget(rendered: pdl.Rendered) -> None:
    with pytest.raises(TypeError, match=r"budget must be a pdl\.Budget or None, not int"):
        asked(rendered, says(), budget=3)


def test_a_budget_goes_to_other_processes_only_as_prices() -> None:
    """Each process would spend all that it allows."""
    pickled = pickle.dumps(Budget(prices=PRICES))
    assert pickle.loads(pickled).prices == PRICES  # noqa: S301 - ours
    for bounded in (Budget(tokens=1), Budget(seconds=1), Budget(cost=1, prices=PRICES)):
        with pytest.raises(TypeError, match="max_output_tokens"):
            pickle.dumps(bounded)
