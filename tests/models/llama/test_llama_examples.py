"""Every example prompt, asked of a real llama.cpp: all answers check."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from click.testing import CliRunner
from shares import share
from shipped import examples

import pdl
import pdl.tools
from pdl.cli.app import application
from pdl.errors import MediaError
from pdl.models import ask, connect
from pdl.prompt import Message, Rendered, Text
from pdl.tools.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shipped import Example

    from pdl.models import Model
    from pdl.models.llama import LlamaModel

# A code block ends with a line of its own, which by pure chance comes too seldom.
BIAS = [["\n", 3.0], ["```", 4.0]]
SAMPLING = {"temperature": 1, "max_tokens": 2_000, "logit_bias": BIAS}
SCHEMAS = share(100)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.id)
def test_examples(example: Example, tiny: LlamaModel) -> None:
    """The answer checks, though the model understands nothing."""
    prompt = pdl.load(example.prompt).render(example.data)
    if prompt.messages[-1].parts != (Text(prompt.messages[-1].text),):
        with pytest.raises(MediaError, match="loaded without a projector"):
            ask(prompt, tiny)
        return
    answer = ask(prompt, tiny, seed=1, config=SAMPLING)
    assert answer.check is not None
    assert answer.check.ok


@pytest.mark.parametrize("name", ["ticket", "moderate", "agent"])
def test_the_command(name: str, tiny_file: Path, tmp_path: Path) -> None:
    """`pdl run` prints a value that `pdl check` takes; its transcript runs again.

    The model stands in another folder than the transcript, so it is named again.
    """
    example = next(one for one in examples() if one.prompt.stem == name)
    context = tmp_path / "context.json"
    context.write_text(json.dumps(example.data), encoding="utf-8")
    model = ["--model", f"llama:{tiny_file}", "--seed", "1"]
    words = ["run", str(example.prompt), "--context", str(context), *model]
    words += ["--transcript", str(tmp_path)]
    first = CliRunner().invoke(application, words, catch_exceptions=False)
    assert (first.exit_code, first.stderr) == (0, "")
    [kept] = tmp_path.glob("*.pdl")
    again = CliRunner().invoke(application, ["run", str(kept), *model[:2]], catch_exceptions=False)
    assert (again.exit_code, again.stdout) == (0, first.stdout)


def test_random_schemas(tiny: LlamaModel) -> None:
    """All answers check, whatever the schema; some model would have to be lucky without grammar."""
    for seed, schema in enumerate(schemata.satisfiable("llama", SCHEMAS, strict=True)):
        answer = ask(question(schema), tiny, seed=seed, config=SAMPLING, retries=9)
        assert not answer.dropped


TOOLS = pdl.tools.ToolSet.parse(
    """
    find(city: "Oslo" | "Rome", days: int<1,9>)  // Find hotels
    book(hotel: str<1,12>, nights?: int<1,30>)
    stop()
    """
)


@pytest.mark.parametrize("name", FORMATS)
def test_calls_of_tools(name: str, tiny: LlamaModel) -> None:
    """Calls check in each format, with and without an answer that might come in their place."""
    model = replace(tiny, tool_format=name)
    for seed in range(share(5)):
        config = SAMPLING | {"tool_choice": "required"}
        answer = ask(question(None, tools=TOOLS), model, seed=seed, config=config)
        assert answer.calls
        assert {call.name for call in answer.calls} <= set(TOOLS.names)
    rated = question(pdl.Schema.parse("{ stars: int<1,5> }"), tools=TOOLS)
    found = [ask(rated, model, seed=seed, config=SAMPLING) for seed in range(share(6))]
    assert all(one.calls or 1 <= one.value["stars"] <= 5 for one in found)


def test_text_or_calls(tiny: LlamaModel) -> None:
    """Without a schema a reply is a text, a call, or both."""
    found = [
        ask(question(None, tools=TOOLS), tiny, seed=seed, config=SAMPLING) for seed in range(9)
    ]
    assert any(one.value for one in found)


def test_a_conversation_with_tools(tiny: LlamaModel) -> None:
    """Calls and their results go back to the model, which then answers."""
    asked = question(pdl.Schema.parse("int<0,99>"), tools=TOOLS)
    first = ask(asked, tiny, seed=1, config=SAMPLING | {"tool_choice": "required"})
    results = tuple(pdl.tools.ToolResult(call, "3 hotels") for call in first.calls)
    going_on = replace(asked, messages=(*first.messages, Message("user", results)))
    answer = ask(going_on, tiny, seed=1, config=SAMPLING | {"tool_choice": "none"})
    assert 0 <= answer.value <= 99


@pytest.fixture(scope="module")
def server(tiny_file: Path) -> Iterator[Model]:
    """The same model behind its own HTTP server."""
    from sampled import Sampler  # noqa: PLC0415  (it needs xllamacpp)

    sampler = Sampler(tiny_file)
    yield connect("llama-server:tiny", base_url=f"{sampler.address}/v1")
    sampler.close()


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.id)
def test_examples_over_http(example: Example, server: Model) -> None:
    prompt = pdl.load(example.prompt).render(example.data)
    if prompt.messages[-1].parts == (Text(prompt.messages[-1].text),):
        answer = ask(prompt, server, seed=1, config=SAMPLING)
        assert answer.check is not None


def test_random_schemas_over_http(server: Model) -> None:
    for seed, schema in enumerate(schemata.satisfiable("llama", 25, strict=True)):
        ask(question(schema), server, seed=seed, config=SAMPLING, retries=9)


def question(schema: pdl.Schema | None, **more: Any) -> Rendered:
    return Rendered((Message("user", (Text("Say anything."),)),), schema, **more)
