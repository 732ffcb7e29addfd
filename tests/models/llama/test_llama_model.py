"""A real llama.cpp as a model: seeds, limits, streams, threads, reasoning, and what it refuses."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl.models import Fault, Reply, Request, ask
from pdl.models.llama import LlamaModel
from pdl.models.llama.model import Settings, engine
from pdl.prompt import Media, Message, Rendered, Text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MESSAGES = (Message("user", (Text("Who is it?"),)),)
PERSON = pdl.Schema.parse('{ name: str<1,20>, age: int<0,120>, kind: "a" | "b" }')
ENDLESS = pdl.Schema.from_json_schema(
    {"type": "array", "items": {"type": "integer"}, "minItems": 9_999}
)


def request(schema: pdl.Schema | None = PERSON, **config: Any) -> Request:
    return Request(MESSAGES, schema, config={"max_tokens": 400, "temperature": 1, **config})


def test_an_answer_checks(tiny: LlamaModel) -> None:
    reply = tiny.reply(request(seed=1), timeout=20)
    assert pdl.check(PERSON, reply.text).ok
    assert reply.finish == "stop"
    assert reply.usage.input_tokens
    assert reply.usage.output_tokens
    assert not reply.reasoning


def test_a_seed_gives_the_same_again(tiny: LlamaModel) -> None:
    texts = [tiny.reply(request(seed=seed), timeout=20).text for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]


def test_all_ways_to_ask_give_the_same(tiny: LlamaModel) -> None:
    """Whole and in pieces, with and without an event loop."""

    async def both() -> tuple[str, str]:
        pieces = [delta.text async for delta in tiny.stream_async(request(seed=5), timeout=20)]
        return (await tiny.reply_async(request(seed=5), timeout=20)).text, "".join(pieces)

    whole = tiny.reply(request(seed=5), timeout=20)
    deltas = list(tiny.stream(request(seed=5), timeout=20))
    assert len(deltas) > 5
    assert {whole.text, "".join(delta.text for delta in deltas), *asyncio.run(both())} == {
        whole.text
    }
    assert [delta.finish for delta in deltas if delta.finish] == ["stop"]


def test_limits_of_a_reply(tiny: LlamaModel) -> None:
    """What is cut off says so; a stop text ends a reply."""
    assert tiny.reply(request(max_tokens=3), timeout=20).finish == "length"
    assert tiny.reply(request(stop=['"age"'], seed=1), timeout=20).text.strip().endswith(",")


ASKED: dict[str, Callable[[LlamaModel, Request], Reply]] = {
    "sync": lambda model, one: model.reply(one, timeout=0.3),
    "async": lambda model, one: asyncio.run(model.reply_async(one, timeout=0.3)),
}


@pytest.mark.parametrize("kind", ASKED)
def test_the_timeout_holds(kind: str, tiny: LlamaModel) -> None:
    """In the midst of a reply; the model is free again at once."""
    endless = request(ENDLESS, max_tokens=15_000)
    began = time.monotonic()
    with pytest.raises(Fault) as caught:
        ASKED[kind](tiny, endless)
    assert time.monotonic() - began < 10  # the whole reply takes longer
    assert (caught.value.kind, caught.value.is_transient) == ("timeout", True)
    assert tiny.reply(request(), timeout=5).text


def test_a_long_prompt_can_be_stopped(tiny: LlamaModel) -> None:
    """Also while it is read, before the first token."""
    long = Request((Message("user", (Text("to be " * 4_000),)),), PERSON)
    with pytest.raises(Fault, match="not done after"):
        tiny.reply(long, timeout=0.05)
    assert tiny.reply(request(), timeout=10).text


def test_closing_a_stream_stops_the_model(tiny: LlamaModel) -> None:
    endless = request(ENDLESS, max_tokens=15_000)
    stream = tiny.stream(endless, timeout=60)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    began = time.monotonic()
    tiny.reply(request(), timeout=10)
    assert time.monotonic() - began < 10


def test_several_threads(tiny: LlamaModel) -> None:
    """Each gets its own answer, the one that it gets alone."""
    alone = {seed: tiny.reply(request(seed=seed), timeout=30).text for seed in range(6)}
    together: dict[int, str] = {}

    def call(seed: int) -> None:
        together[seed] = tiny.reply(request(seed=seed), timeout=30).text

    threads = [threading.Thread(target=call, args=(seed,)) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


@pytest.mark.parametrize("think", [True, "<think>…</think>", "…</think>"])
def test_reasoning_before_an_answer(think: Any, tiny: LlamaModel) -> None:
    """It is room for the model that the grammar leaves, and no part of the answer."""
    reply = tiny.reply(request(think=think, seed=3, max_tokens=2_000), timeout=30)
    assert pdl.check(PERSON, reply.text).ok
    assert reply.text.startswith("{")
    assert reply.reasoning
    assert "</think>" not in reply.reasoning


def test_reasoning_that_has_no_end(tiny: LlamaModel) -> None:
    """It is no answer, and said to be cut off."""
    reply = tiny.reply(request(think="<think>…that is all</think>", max_tokens=40), timeout=30)
    assert (reply.text, reply.finish) == ("", "length")
    assert reply.reasoning


def test_a_wish_that_is_no_template(tiny: LlamaModel) -> None:
    for think in (5, "a…b…", "<think>…", "<think>"):
        with pytest.raises(pdl.ConfigError, match="`think`"):
            tiny.reply(request(think=think), timeout=5)


TEMPLATES = {
    "opens": "<|im_start|>assistant\n<think>\n",
    "says that there is none": (
        "<|im_start|>assistant\n{% if enable_thinking is defined and enable_thinking is false %}"
        "<think>\n\n</think>\n\n{% endif %}"
    ),
}


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("dsl", ["{ a: int<0,9>, b: str<,8> }", "str<1,30>"])
def test_reasoning_models(
    name: str, dsl: str, tiny: LlamaModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the prompt ends, the answer is the text, and llama.cpp does not take it away."""
    import tiny_model  # noqa: PLC0415  (there is none where `tiny` skips this)

    ending = "<|im_start|>assistant\n{% endif %}"
    assert ending in tiny_model.TEMPLATE
    changed = tiny_model.TEMPLATE.replace(ending, TEMPLATES[name] + "{% endif %}")
    monkeypatch.setattr(tiny_model, "TEMPLATE", changed)
    model = LlamaModel(tiny_model.write(tmp_path / "thinking.gguf"))
    assert repr(model) != repr(tiny)
    schema = pdl.Schema.parse(dsl)
    for think in (None, True):
        reply = model.reply(request(schema, think=think, seed=4, max_tokens=3_000), timeout=30)
        assert bool(reply.reasoning) == (think is True)
        assert "think>" not in reply.text
        assert pdl.check(schema, reply.text).ok


def test_a_prompt_that_is_too_long(tiny: LlamaModel) -> None:
    long = Request((Message("user", (Text("be " * 20_000),)),), PERSON)
    with pytest.raises(Fault, match=r"llama.cpp: request \(\d+ tokens\) exceeds") as caught:
        tiny.reply(long, timeout=20)
    assert not caught.value.is_transient
    assert "larger `context`" in caught.value.problem.hint


def test_what_llama_cpp_refuses(tiny: LlamaModel) -> None:
    with pytest.raises(Fault) as caught:
        tiny.reply(request(None, temperature="hot"), timeout=20)
    assert caught.value.kind == "bad_request"


def test_media_need_a_projector(tiny: LlamaModel) -> None:
    shown = Message("user", (Media("png", b"\x89PNG\r\n\x1a\n"),))
    with pytest.raises(pdl.MediaError, match="mmproj"):
        tiny.reply(Request((shown,)), timeout=5)


def test_a_schema_that_nothing_satisfies(tiny: LlamaModel) -> None:
    """It is an error, and not a model that nothing holds."""
    never = pdl.Schema.from_json_schema({"type": "integer", "minimum": 2, "maximum": 1})
    with pytest.raises(pdl.SchemaError, match="no value"):
        tiny.reply(request(never), timeout=5)


def test_without_constraint(tiny: LlamaModel) -> None:
    """Nothing holds the model, and what it says does not check."""
    free = Request(MESSAGES, PERSON, config={"max_tokens": 60, "seed": 1}, constrain=False)
    assert not pdl.check(PERSON, tiny.reply(free, timeout=20).text).ok


def test_what_the_grammar_leaves_to_the_check(tiny: LlamaModel) -> None:
    unique = pdl.Schema.parse("[str] { unique: true }")
    assert [one.keyword for one in tiny.dropped(request(unique))] == ["uniqueItems"]
    assert tiny.dropped(request()) == ()


def test_one_load_for_a_file(tiny_file: Path, tmp_path: Path) -> None:
    """Whatever names it, until it changes."""
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(tiny_file.read_bytes())
    first = engine(copy, Settings())
    assert engine(tmp_path / "." / "copy.gguf", Settings()) is first
    assert engine(copy, Settings(context=512)) is not first
    copy.write_bytes(tiny_file.read_bytes())
    assert engine(copy, Settings()) is not first


def test_a_file_that_is_gone(tiny_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "gone.gguf"
    path.write_bytes(tiny_file.read_bytes())
    model = LlamaModel(path)
    path.unlink()
    with pytest.raises(pdl.FileError, match="no such file"):
        model.reply(request(), timeout=5)


def test_misspelled_settings(tiny: LlamaModel) -> None:
    """llama.cpp passes over what it does not know; pdl tells so, and does not send it."""
    asked = request(temprature=0, temperature=0, max_tokens=9, top_k=2, zork=1)
    [first, second] = tiny.ignored(asked)
    assert (first.key, second.key) == ("temprature", "zork")
    assert first.why == "llama.cpp has no such setting: did you mean `temperature`?"
    assert second.why == "llama.cpp has no such setting"
    assert not {"temprature", "zork"} & set(tiny.job(asked).payload.body)


def test_identity(tiny: LlamaModel) -> None:
    """It changes with everything that a reply depends on, and with nothing else."""
    same, other = tiny.identity(request(seed=1)), tiny.identity(request(seed=2))
    assert same == tiny.identity(request(seed=1)) != other
    assert tiny.identity(request(pdl.Schema.parse("int"), seed=1)) != same


def test_nothing_is_printed(
    tiny_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "quiet.gguf"
    copy.write_bytes(tiny_file.read_bytes())
    LlamaModel(copy).reply(request(), timeout=20)
    assert capfd.readouterr() == ("", "")


def test_without_the_package(tiny_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names what to install."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(pdl.ConfigError, match=r"pip install 'pdl-prompts\[llama\]'"):
        LlamaModel(tiny_file)


def test_a_file_that_llama_cpp_refuses(tiny_file: Path, tmp_path: Path) -> None:
    """Its header is right and its model is none that is known."""
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(tiny_file.read_bytes().replace(b"llama.block_count", b"llama.block_xxxxx"))
    with pytest.raises(pdl.FileError, match=r"llama\.cpp cannot load this model"):
        LlamaModel(bad).reply(request(), timeout=20)


def test_ask_stops_at_the_first_certain_error(tiny: LlamaModel) -> None:
    """A reply that nothing holds is stopped in its stream; all attempts are told."""
    rendered = Rendered(MESSAGES, PERSON)
    with pytest.raises(pdl.PdlError) as caught:
        ask(rendered, tiny, constrain=False, stream=True, retries=1, config={"max_tokens": 40})
    assert len(caught.value.attempts) == 2  # type: ignore[attr-defined]
