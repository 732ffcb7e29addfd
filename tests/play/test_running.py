"""Runs against models: which are asked, what the page is told, and when they end."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from models.hostile import GOOD, Hostile, Wire, long_stream, respond, silence, stream, streamed

from pdl.play.choice import label_of, models_in

if TYPE_CHECKING:
    from pathlib import Path

    from play.conftest import Served, Start

KEY = "sk-secret-0123456789abcdef"
PROMPT = "<|user|>\nWho is {{ who }}?\n<|schema|>\n{ name: str, age: int<0,120> }\n"
ASKED = {"prompt": PROMPT, "data": '{"who": "it"}', "model": "openai:tiny"}
BAD = '{"name": "Ann", "age": 300}'


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDL_API_KEY", KEY)


def kinds(events: list[Any]) -> list[str]:
    return list(dict.fromkeys(one["event"] for one in events))


def test_a_run_is_told_as_it_goes(start: Start) -> None:
    replies = [stream(*streamed(BAD[:10], BAD[10:])), stream(*streamed(GOOD[:9], GOOD[9:]))]
    with (
        Hostile(tuple(replies)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        assert served.call("hello")[1]["models"] == ["openai:tiny"]
        events = served.events("run", **ASKED, retries=1)
    assert set(kinds(events)) >= {"attempt", "text", "partial", "verdict", "usage", "done"}
    attempts = [one for one in events if one["event"] == "attempt"]
    assert [one["number"] for one in attempts] == [1, 2]
    assert attempts[0]["request"]["messages"][-1] == {"role": "user", "text": "Who is it?"}
    first, second = (one for one in events if one["event"] == "verdict")
    assert not first["ok"]
    assert first["check"]["errors"][0]["path"] == "$.age"
    assert "age" in first["check"]["feedback"]
    assert second["check"]["value"] == {"name": "Ann", "age": 30}
    assert "".join(one["delta"] for one in events if one["event"] == "text").endswith(GOOD)
    assert events[-1]["event"] == "done"
    assert events[-1]["ok"]
    assert events[-1]["attempts"] == 2
    assert events[-1]["value"] == {"name": "Ann", "age": 30}
    assert provider.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(events)


def test_what_does_not_succeed_is_told(start: Start) -> None:
    said = json.dumps({"error": {"message": f"the key {KEY} is not known"}})
    with (
        Hostile((respond("401 Unauthorized", said),)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        events = served.events("run", **ASKED, retries=0)
    assert kinds(events)[-2:] == ["error", "done"]
    assert not events[-1]["ok"]
    assert KEY not in json.dumps(events)
    assert "***" in json.dumps(events)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<|config|>\nmodel: openai:a\n<|user|>\nHi", ["openai:a"]),
        ('<|config|>\nmodel: "openai:a"\n<|user|>\nHi', ["openai:a"]),
        ("<|config|>\nmodel: {{ model }}\n<|user|>\nHi", []),
        ("<|config|>\nmodel: [1]\n<|user|>\nHi", []),
        ("<|config|>\nmodel: 5\n<|user|>\nmodel: openai:b", []),
        ("<|user|>\nmodel: openai:a\n", []),
        ("", []),
    ],
)
def test_a_prompt_names_models_in_its_config_turn(text: str, found: list[str]) -> None:
    assert models_in(text) == found


def test_only_models_that_the_user_named_are_asked(start: Start, tmp_path: Path) -> None:
    """Those of a prompt as it is saved, not as the page sends it."""
    named = "<|config|>\nmodel: openai:saved\n"
    tmp_path.joinpath("a.pdl").write_text(f"{named}{PROMPT}")
    tmp_path.joinpath("b.pdl").write_text(PROMPT)
    with (
        Hostile((stream(*streamed(GOOD)),)) as provider,
        start(tmp_path, models=["openai:tiny"], base_url=provider.url) as served,
    ):
        asked = {**ASKED, "prompt": f"<|config|>\nmodel: openai:sent\n{PROMPT}"}

        def outcome(model: str, file: str | None) -> str:
            events = served.events("run", **{**asked, "model": model}, file=file)
            return str(events[-1]["event"])

        assert outcome("openai:tiny", None) == "done"
        assert outcome("openai:saved", "a.pdl") == "done"
        assert outcome("openai:saved", "b.pdl") == "error"
        assert outcome("openai:saved", None) == "error"
        assert outcome("openai:sent", "a.pdl") == "error"
        assert outcome(f"replay:{tmp_path}/r.jsonl", "a.pdl") == "error"
        assert outcome("", "a.pdl") == "error"
    assert {one.body["model"] for one in provider.received} == {"tiny", "saved"}


def test_a_recorded_reply_answers(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    record = json.dumps({"text": GOOD}) + "\n"
    tmp_path.joinpath("elsewhere.jsonl").write_text(record)
    folder.joinpath("r.jsonl").write_text(record)
    folder.joinpath("a.pdl").write_text(f"<|config|>\nmodel: replay:r.jsonl\n{PROMPT}")
    folder.joinpath("b.pdl").write_text(f"<|config|>\nmodel: replay:../elsewhere.jsonl\n{PROMPT}")
    given = f"replay:{tmp_path}/elsewhere.jsonl"
    with start(folder, models=[given, f"replay:{tmp_path}/none.jsonl"]) as served:
        _, hello = served.call("hello")
        assert hello["models"] == ["replay:elsewhere.jsonl", "replay:none.jsonl"]
        for model, file, ok in (
            ("replay:elsewhere.jsonl", None, True),
            ("replay:elsewhere.jsonl", None, True),
            ("replay:r.jsonl", "a.pdl", True),
            ("replay:../elsewhere.jsonl", "b.pdl", False),
            ("replay:none.jsonl", None, False),
            (given, None, False),
        ):
            events = served.events("run", **{**ASKED, "model": model}, file=file)
            assert (events[-1]["event"] == "done") == ok, events
            assert str(tmp_path) not in json.dumps(events)


def test_a_failed_run_does_not_tell_where_files_are(start: Start, tmp_path: Path) -> None:
    """A model without a name of its own is called by its file."""
    record = tmp_path / "r.jsonl"
    record.write_text(json.dumps({"text": BAD}) + "\n")
    with start(models=[f"replay:{record}"]) as served:
        events = served.events("run", **{**ASKED, "model": "replay:r.jsonl"}, retries=3)
    told = next(one for one in events if one["event"] == "error")["message"]
    assert told.startswith("replay:r.jsonl gave no valid answer in 2 attempts")
    assert str(tmp_path) not in json.dumps(events)


def test_calls_of_tools_that_there_are_not_are_told(start: Start) -> None:
    """The reply has no text: without them, nobody would see what the model did."""
    call = {"index": 0, "id": "c", "function": {"name": "look", "arguments": '{"at": 1}'}}
    choice = {"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}
    said = f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n"
    with (
        Hostile((stream(said),)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        text = "<|user|>\nHi\n<|schema|>\n{ a: int }"
        events = served.events("run", prompt=text, model="openai:tiny", retries=0)
    (verdict,) = [one for one in events if one["event"] == "verdict"]
    assert not verdict["ok"]
    assert verdict["calls"] == [{"name": "look", "arguments": {"at": 1}}]


def test_the_calls_of_a_reply_are_told(start: Start) -> None:
    """No tool is run: the answer is that the model calls it."""
    function = {"name": "look", "arguments": '{"place": "`x`"}'}
    call = {"index": 0, "id": "a", "type": "function", "function": function}
    choice = {"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}
    event = f"data: {json.dumps({'choices': [choice]})}\n\n"
    asked = {**ASKED, "prompt": "<|tools|>\nlook(place: str)\n<|user|>\nHi\n", "data": ""}
    with (
        Hostile((stream(event, "data: [DONE]\n\n"),)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        events = served.events("run", **asked)
    calls = [{"name": "look", "arguments": {"place": "`x`"}}]
    verdict = next(one for one in events if one["event"] == "verdict")
    assert (verdict["ok"], verdict["check"], verdict["calls"]) == (True, None, calls)
    assert events[-1]["calls"] == calls


def test_pieces_that_come_at_once_are_sent_as_one(start: Start) -> None:
    """The page would spend its time on them, and come late to what its user does."""
    pieces = "".join(streamed(*["ab"] * 5_000))
    with (
        Hostile((stream(pieces),)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        events = served.events("run", **{**ASKED, "prompt": "<|user|>\n{{ who }}"})
    texts = [one["delta"] for one in events if one["event"] == "text"]
    assert "".join(texts) == "ab" * 5_000
    assert len(texts) < 1_000


def test_a_run_ends_when_the_page_goes_away(start: Start) -> None:
    """The connection of the model is closed, too."""
    closed = threading.Event()

    with (
        Hostile((long_stream(closed),)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        with served.ask("run", **{**ASKED, "prompt": "<|user|>\n{{ who }}"}) as answer:
            while json.loads(answer.readline())["event"] != "text":
                pass
        assert closed.wait(10)


def test_a_silent_model_is_left_when_the_page_goes_away(start: Start) -> None:
    asked, closed = threading.Event(), threading.Event()

    def silent(wire: Wire) -> None:
        asked.set()
        inner = wire._inner  # noqa: SLF001 - whether the other end is there
        inner.settimeout(20)
        with suppress(ConnectionError):
            assert not inner.recv(1)
        closed.set()

    with (
        Hostile((silent,)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        with served.ask("run", **ASKED) as answer:
            assert json.loads(answer.readline())["event"] == "attempt"
            assert asked.wait(10)
        assert closed.wait(10)


def test_there_are_only_so_many_runs(start: Start) -> None:
    with (
        Hostile((silence,)) as provider,
        start(models=["openai:tiny"], base_url=provider.url) as served,
    ):
        answers = [served.ask("run", **ASKED) for _ in range(4)]
        assert [one.status for one in answers] == [200] * 4
        assert served.call("run", **ASKED)[0] == 429
        for one in answers:
            one.close()
        assert _until(served, 200)


def _until(served: Served, status: int) -> bool:
    for _ in range(100):
        with served.ask("run", **ASKED) as answer:
            if answer.status == status:
                return True
    return False


@pytest.mark.parametrize(
    "params",
    [{"retries": -1}, {"retries": 1000}, {"retries": True}, {"model": 5}, {"file": 5}],
)
def test_parameters_of_a_run_are_checked(start: Start, params: dict[str, Any]) -> None:
    with start() as served:
        assert served.call("run", **{**ASKED, **params})[0] == 400


def test_an_invalid_prompt_is_an_error_event(start: Start) -> None:
    with start(models=["openai:tiny"], base_url="http://127.0.0.1:9") as served:
        events = served.events("run", **{**ASKED, "data": "{}"})
    assert kinds(events) == ["error"]
    assert "who" in events[0]["message"]


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("openai:gpt/x", "openai:gpt/x"),
        ("llama:/home/me/x.gguf", "llama:x.gguf"),
        ("llama:C:\\me\\x.gguf", "llama:x.gguf"),
        ("replay:x.jsonl", "replay:x.jsonl"),
    ],
)
def test_the_page_does_not_learn_where_a_model_is(model: str, label: str) -> None:
    assert label_of(model) == label
