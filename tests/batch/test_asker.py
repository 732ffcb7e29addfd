"""`Asker`: each row is asked as `pdl.ask` asks, within bounds that all rows share."""

from __future__ import annotations

import asyncio
import itertools
import json
import pickle
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from batches import CONTAINERS, called
from provider import Provider, Says

import pdl
from pdl.batch import Asker, ColumnError
from pdl.models import Backoff, Budget, Fault, Price

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROMPT = pdl.loads("<|user|>\n{{ name }}\n<|schema|>\n{ stars: int<1,5> }\n")
GOOD = '{"stars": 4}'
QUICK = Backoff(first=0.001, most=0.001)
NAMES = [f"n{at}" for at in range(20)]
PRICES = {"openai:tiny": Price(input=1.0, output=2.0)}


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[str, int], str | Says]], Provider]]:
    """Starts a provider that answers by a function; it stops when the test ends."""
    started: list[Provider] = []

    def start(answer: Callable[[str, int], str | Says]) -> Provider:
        started.append(Provider(answer).__enter__())
        return started[-1]

    yield start
    for one in started:
        one.__exit__(None, None, None)


def asker(provider: Provider, prompt: pdl.Prompt = PROMPT, **options: Any) -> Asker:
    return Asker(prompt, "openai:tiny", base_url=provider.url, **{"backoff": QUICK, **options})


def rows_of(made: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(made, row, strict=True)) for row in zip(*made.values(), strict=True)]


@pytest.mark.parametrize("container", CONTAINERS)
def test_each_row_is_asked(container: str, serve: Any) -> None:
    def answer(name: str, number: int) -> str:
        if name == "bad":
            return '{"stars": 9}'
        return GOOD if number > 1 or name != "again" else "no idea"

    provider = serve(answer)
    made = called(
        asker(provider, retries=1, budget=Budget(prices=PRICES)),
        container,
        {"id": [1, 2, 3], "name": ["good", "again", "bad"], "other": [0, 0, 0]},
    )
    assert list(made) == [
        "id", "ok", "value", "reason", "reply", "attempts", "input_tokens", "output_tokens",
        "cost", "error", "fingerprint",
    ]  # fmt: skip
    good, again, bad = rows_of(made)
    value = {"stars": 4}
    print_ = PROMPT.fingerprint
    assert good == {
        "id": 1, "ok": True, "value": value, "reason": None, "reply": GOOD, "attempts": 1,
        "input_tokens": 10, "output_tokens": 5, "cost": pytest.approx(20e-6), "error": None,
        "fingerprint": print_,
    }  # fmt: skip
    assert again == {
        **good, "id": 2, "attempts": 2, "input_tokens": 20, "output_tokens": 10,
        "cost": pytest.approx(40e-6),
    }  # fmt: skip
    error = bad.pop("error")
    assert bad == {
        "id": 3, "ok": False, "value": None, "reason": "wrong-schema", "reply": '{"stars": 9}',
        "attempts": 2, "input_tokens": 20, "output_tokens": 10, "cost": pytest.approx(40e-6),
        "fingerprint": print_,
    }  # fmt: skip
    assert "$.stars" in error


def test_no_more_rows_than_allowed_are_asked_at_the_same_time(serve: Any) -> None:
    """Whoever calls: threads, and copies that were pickled."""
    provider = serve(lambda _, __: Says(GOOD, seconds=0.02))
    one = asker(provider, concurrency=3)
    copies = [one, one, pickle.loads(pickle.dumps(one))]  # noqa: S301 - ours
    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(lambda each: each({"name": NAMES}), copies))
    assert all(all(each["ok"]) for each in made)
    assert len(provider.calls) == 60
    assert provider.most == 3


@pytest.mark.parametrize("bounds", [{"rate": 600}, {"token_rate": 9_000, "concurrency": 1}])
def test_calls_keep_to_a_rate(bounds: dict[str, Any], serve: Any) -> None:
    """They start a tenth of a second apart."""
    provider = serve(lambda _, __: GOOD)
    began = time.monotonic()
    assert all(asker(provider, **bounds)({"name": NAMES[:6]})["ok"])
    assert time.monotonic() - began > 0.45


def test_a_limited_provider_loses_no_row(serve: Any) -> None:
    """It turns calls away, which are no attempts; nothing starts until it allows it again."""
    pauses = itertools.count()

    def answer(_: str, __: int) -> str | Says:
        number = next(pauses)
        if number % 4 == 3:
            return Says(status=429, body="{}", headers={"retry-after-ms": "60"})
        return GOOD

    provider = serve(answer)
    made = asker(provider, concurrency=1, retries=0)({"name": NAMES})
    assert made["ok"] == [True] * 20
    assert made["attempts"] == [1] * 20
    assert len(provider.calls) == 26
    turned_away = range(3, 26, 4)
    waits = [provider.starts[at + 1] - provider.ends[at] for at in turned_away]
    assert min(waits) >= 0.06


def test_all_rows_wait_when_one_is_turned_away() -> None:
    starts: list[float] = []
    turned_away: list[float] = []

    async def model(_: object) -> str:
        starts.append(time.monotonic())
        if len(starts) == 3:
            turned_away.append(time.monotonic())
            raise Fault("rate_limited", "not now", retry_after=0.2)
        await asyncio.sleep(0.01)
        return GOOD

    assert all(Asker(PROMPT, model, concurrency=4, retries=0)({"name": NAMES})["ok"])
    assert len(starts) == 21
    pause = turned_away[0], turned_away[0] + 0.2
    assert not [one for one in starts if pause[0] < one < pause[1]]


def test_a_provider_that_asks_for_no_pause_gets_one() -> None:
    """It turns all calls away until the time of the row is up."""
    calls = 0

    async def model(_: object) -> str:
        nonlocal calls
        calls += 1
        raise Fault("rate_limited", "not now", retry_after=0)

    backoff = Backoff(first=0.2, most=0.2, rng=Random(7))  # noqa: S311 - pauses
    made = Asker(PROMPT, model, timeout=1.5, backoff=backoff)({"name": ["a"]})
    assert made["reason"] == ["rate-limited"]
    assert 1 < calls < 60


@pytest.mark.parametrize("retries", [0, 3])
def test_a_pause_that_is_too_long_ends_the_row(retries: int, serve: Any) -> None:
    provider = serve(
        lambda name, _: (
            Says(status=429, body="{}", headers={"retry-after": "3600"}) if name == "n0" else GOOD
        )
    )
    made = asker(provider, timeout=20, retries=retries)({"name": NAMES})
    assert made["reason"] == ["rate-limited", *[None] * 19]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Says(status=500, body="{}"), "server"),
        (Says(status=503, body="{}", headers={"retry-after": "0"}), "server"),
        (Says(body="<html>"), "not-json"),
        (Says(body="{}"), "bad-payload"),
        (Says(GOOD, cut=True), "cut"),
        (Says(GOOD, seconds=60), "timeout"),
        (Says("{'stars': 9", finish="length"), "truncated"),
        (Says("no idea"), "absent"),
    ],
    ids=str,
)
def test_what_goes_wrong_once_and_always(said: Says, reason: str, serve: Any) -> None:
    """Row `once` recovers, row `always` does not; the others don't notice."""
    provider = serve(
        lambda name, number: said if name == "always" or (name == "once" and number == 1) else GOOD
    )
    names = ["good", "once", "always", "other"]
    made = asker(provider, retries=1, call_timeout=2 if said.seconds else 60)({"name": names})
    assert made["ok"] == [True, True, False, True]
    assert made["attempts"] == [1, 2, 2, 1]
    assert made["reason"] == [None, None, reason, None]
    assert made["reply"][1] == GOOD
    assert Counter(provider.calls) == {"good": 1, "once": 2, "always": 2, "other": 1}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_budget_is_overspent_by_no_more_than_was_in_flight(concurrency: int, serve: Any) -> None:
    provider = serve(lambda _, __: Says(GOOD, seconds=0.01, usage=(10, 5)))
    budget = Budget(tokens=100)
    made = asker(provider, concurrency=concurrency, budget=budget)({"name": NAMES})
    spent = 15 * len(provider.calls)
    assert budget.tokens_spent == spent
    assert 100 - 15 <= spent < 100 + 15 * concurrency
    assert made["ok"].count(True) == len(provider.calls)
    assert set(made["reason"]) == {None, "tokens"}
    assert made["attempts"].count(0) == 20 - len(provider.calls)


def test_a_cost_is_bounded_over_batches(serve: Any) -> None:
    provider = serve(lambda _, __: Says(GOOD, usage=(10, 5)))
    budget = Budget(cost=100e-6, prices=PRICES)
    one = asker(provider, concurrency=1, budget=budget)
    made = [one({"name": NAMES[at : at + 5]}) for at in range(0, 20, 5)]
    assert [each["ok"].count(True) for each in made] == [5, 0, 0, 0]
    assert len(provider.calls) == 5
    assert made[1]["reason"] == ["cost"] * 5


def test_nothing_is_asked_twice_with_a_cache(serve: Any, tmp_path: Path) -> None:
    """Neither alike rows of a batch, nor those of a later one, nor of another process."""
    provider = serve(lambda _, __: Says(GOOD, seconds=0.01))
    one = asker(provider, cache=tmp_path / "replies.db")
    made = one({"name": NAMES * 3})
    assert sorted(provider.calls) == sorted(NAMES)
    assert made["attempts"].count(1) == 20
    assert made["value"] == [{"stars": 4}] * 60
    assert made["input_tokens"].count(None) == 40
    copy = pickle.loads(pickle.dumps(one))  # noqa: S301 - ours
    assert copy({"name": NAMES})["attempts"] == [0] * 20
    assert len(provider.calls) == 20


def test_without_a_cache_each_row_is_asked(serve: Any) -> None:
    provider = serve(lambda _, __: GOOD)
    asker(provider)({"name": ["a"] * 5})
    assert len(provider.calls) == 5


def test_a_row_that_failed_is_asked_again_for_those_alike(serve: Any, tmp_path: Path) -> None:
    """A bad reply is not stored."""
    provider = serve(lambda _, number: GOOD if number > 1 else "no")
    made = asker(provider, cache=tmp_path / "replies.db", retries=0)({"name": ["a"] * 4})
    assert sorted(made["ok"]) == [False, True, True, True]
    assert len(provider.calls) == 2


def test_where_an_event_loop_runs(serve: Any) -> None:
    provider = serve(lambda _, __: Says(GOOD, seconds=0.05))
    one = asker(provider, concurrency=4)

    async def notebook() -> None:
        assert all(one({"name": NAMES[:4]})["ok"])
        ticks = 0
        task = asyncio.ensure_future(one.call_async({"name": NAMES[:8]}))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0.005)
        assert all(task.result()["ok"])
        assert ticks > 5

    asyncio.run(notebook())
    assert provider.most == 4


def test_cancelling_stops_the_asking(serve: Any) -> None:
    """No further row starts, and those that wait for a reply wait no more."""
    provider = serve(lambda name, _: GOOD if name == "later" else Says(GOOD, seconds=60))
    one = asker(provider, concurrency=2)

    async def impatient() -> None:
        task = asyncio.ensure_future(one.call_async({"name": NAMES}))
        while len(provider.calls) < 2:  # noqa: ASYNC110 - the provider is in other threads
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(impatient())
    assert one({"name": ["later"]})["ok"] == [True]  # a place is free again
    assert provider.calls[2:] == ["later"]


@pytest.mark.parametrize(
    ("said", "reason", "most"),
    [
        (Says(status=401, body='{"error": {"message": "no key"}}'), "auth", 2),
        (Says(status=404, body="{}"), "not-found", 2),
        (Says(status=500, body="{}"), "server", 12),
    ],
    ids=["auth", "not-found", "server"],
)
def test_a_model_that_is_lost_is_asked_no_more(
    said: Says, reason: str, most: int, serve: Any
) -> None:
    """After one fault that no retry fixes, or five rows in succession that end by another."""
    provider = serve(lambda _, __: said)
    one = asker(provider, concurrency=2, retries=1)
    made = one({"name": NAMES})
    assert made["reason"] == [reason] * 20
    assert len(provider.calls) <= most
    assert made["attempts"][-1] == 0
    assert made["error"][-1].startswith("not asked, since other rows of the batch failed: ")
    provider.answer = lambda _, __: GOOD
    assert all(one({"name": NAMES})["ok"])  # the next batch tries again


def test_a_server_that_is_not_there() -> None:
    with Provider(lambda _, __: GOOD) as gone:
        one = asker(gone, retries=0, concurrency=1)
    made = one({"name": NAMES})
    assert made["reason"] == ["connection"] * 20
    assert made["attempts"] == [1] * 5 + [0] * 15


def test_rows_that_cannot_be_asked(serve: Any) -> None:
    """They fail by themselves."""
    prompt = pdl.loads(
        "<|input|>\n{ name: str, age: int<0,> }\n<|user|>\n{{ name }}\n<|schema|>\nbool\n"
    )
    provider = serve(lambda _, __: "true")
    made = asker(provider, prompt)({"name": ["a", None, "c"], "age": [1, 2, -3]})
    assert made["ok"] == [True, False, False]
    assert made["reason"] == [None, "not-rendered", "not-rendered"]
    assert "name" in made["error"][1]
    assert "age" in made["error"][2]
    assert provider.calls == ["a"]
    with pytest.raises(ColumnError, match="no column `age`"):
        asker(provider, prompt)({"name": ["a"]})


def test_an_exception_costs_one_row(serve: Any) -> None:
    """The answers to the others are paid for."""

    def validate(value: dict[str, int]) -> None:
        assert value["stars"] != 3, "broken"

    provider = serve(lambda name, _: f'{{"stars": {name}}}')
    made = asker(provider, validate=validate)({"name": ["1", "3", "5"]})
    assert made["ok"] == [True, False, True]
    assert made["reason"][1] == "unchecked"
    assert made["error"][1].startswith("AssertionError: broken")


def test_columns_and_values(serve: Any) -> None:
    """`data` names columns, `values` are the same in each row."""
    prompt = pdl.loads("<|user|>\n{{ greeting }} {{ name }}\n")
    provider = serve(lambda asked, _: asked.upper())
    one = asker(
        prompt=prompt,
        provider=provider,
        data={"name": "who"},
        values={"greeting": "Hi"},
        keep="who",
    )
    made = one({"id": [1, 2], "who": ["Ann", "Bob"], "name": ["x", "y"]})
    assert made["who"] == ["Ann", "Bob"]
    assert made["value"] == ["HI ANN", "HI BOB"]
    assert "id" not in made


def test_a_batch_runs_no_tools(serve: Any) -> None:
    prompt = pdl.loads("<|user|>\n{{ name }}\n<|tools|>\nlook(what: str)\n")
    call = {
        "id": "1", "type": "function", "function": {"name": "look", "arguments": '{"what": "x"}'}
    }  # fmt: skip
    provider = serve(lambda _, __: Says(calls=(call,), finish="tool_calls"))
    made = asker(provider, prompt)({"name": ["a"]})
    assert (made["ok"], made["reason"]) == ([False], ["tool-calls"])
    assert made["error"] == ["the model called `look`, and a batch runs no tools"]


def test_recorded_replies_are_given_in_the_order_of_rows(tmp_path: Path) -> None:
    """Also the second reply to a row whose first one is wrong."""
    replies = [GOOD, "no", '{"stars": 1}', '{"stars": 2}']
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps({"text": one}) + "\n" for one in replies))
    made = Asker(PROMPT, f"replay:{path}")({"name": ["a", "b", "c", "d"]})
    assert made["value"] == [{"stars": 4}, {"stars": 1}, {"stars": 2}, None]
    assert made["attempts"] == [1, 2, 1, 1]
    assert made["reason"][3] == "exhausted"


def test_a_copy_goes_on_with_the_models_of_its_process(tmp_path: Path) -> None:
    """An engine makes one for each task: none is loaded again, and no reply is given twice."""
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps({"text": f'{{"stars": {at}}}'}) + "\n" for at in (1, 2)))
    pickled = pickle.dumps(Asker(PROMPT, f"replay:{path}"))
    made = [pickle.loads(pickled)({"name": ["a"]}) for _ in range(2)]  # noqa: S301 - ours
    assert [one["value"] for one in made] == [[{"stars": 1}], [{"stars": 2}]]


def test_the_model_of_the_prompt(tmp_path: Path) -> None:
    """It is connected to once: a file of replies is not begun again for each row."""
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps({"text": f'{{"stars": {at}}}'}) + "\n" for at in (1, 2)))
    config = "<|config|>\nmodel: replay:replies.jsonl\n"
    (tmp_path / "a.pdl").write_text(f"{config}{PROMPT.source.text}")
    made = Asker(pdl.load(tmp_path / "a.pdl"))({"name": ["a", "b"]})
    assert made["value"] == [{"stars": 1}, {"stars": 2}]


def test_another_model_answers_where_the_first_fails(serve: Any) -> None:
    provider = serve(lambda name, _: GOOD if name == "a" else Says(status=400, body="{}"))
    one = Asker(PROMPT, ["openai:tiny", lambda _: '{"stars": 1}'], base_url=provider.url, retries=0)
    assert one({"name": ["a", "b"]})["value"] == [{"stars": 4}, {"stars": 1}]


def test_a_value_that_arrow_does_not_have(serve: Any) -> None:
    """Nothing wraps around: the row fails, and its reply is there."""
    pytest.importorskip("pyarrow")
    prompt = pdl.loads("<|user|>\n{{ name }}\n<|schema|>\n{ n: int }\n")
    provider = serve(lambda name, _: f'{{"n": {name}}}')
    made = called(asker(provider, prompt), "table", {"name": ["1", str(2**63)]})
    assert made["ok"] == [True, False]
    assert made["value"] == [{"n": 1}, None]
    assert made["reason"] == [None, "limit"]
    assert made["reply"][1] == f'{{"n": {2**63}}}'


def test_what_concerns_the_whole_batch_is_raised(serve: Any, tmp_path: Path) -> None:
    provider = serve(lambda _, __: GOOD)
    unpriced = Budget(cost=1, prices={"openai:other": Price(1, 1)})
    with pytest.raises(pdl.ConfigError, match="has no price"):
        asker(provider, budget=unpriced)({"name": NAMES})
    with sqlite3.connect(tmp_path / "other.db") as base:
        base.execute("CREATE TABLE a (b)")
    with pytest.raises(pdl.FileError, match="another program"):
        asker(provider, cache=tmp_path / "other.db")({"name": NAMES})
    with pytest.raises(pdl.ConfigError, match="unknown provider"):
        Asker(PROMPT, "oponai:tiny")({"name": NAMES})
    assert provider.calls == []


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"concurrency": 0}, ValueError, "concurrency must be 1 or more"),
        ({"rate": 0}, ValueError, "rate must be a number above 0"),
        ({"token_rate": "9"}, TypeError, "token_rate must be a number or None, not str"),
        ({"retries": -1}, ValueError, "retries must be 0 or more"),
        ({"default": None}, TypeError, "an Asker has no option `default`"),
        ({"temperature": 1}, TypeError, "ask has no option `temperature`"),
        ({"keep": "ok"}, ValueError, "keep must not name `ok`"),
        ({"model": []}, ValueError, "model must not be an empty list"),
    ],
    ids=str,
)
def test_arguments(options: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        Asker(PROMPT, **{"model": "openai:tiny", **options})


def test_no_key_is_pickled() -> None:
    model = pdl.models.connect("openai:tiny", base_url="http://127.0.0.1:9/v1", key="sk-1234567890")
    with pytest.raises(TypeError, match="pass its name, and `base_url`"):
        pickle.dumps(Asker(PROMPT, model))
    with pytest.raises(TypeError, match="max_output_tokens"):
        pickle.dumps(Asker(PROMPT, "openai:tiny", budget=Budget(tokens=9)))
