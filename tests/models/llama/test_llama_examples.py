"""Every example prompt, asked of a real llama.cpp: all answers check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import schemata
import yaml
from click.testing import CliRunner
from shares import share

import pdl
import pdl.tools
from pdl.cli.app import application
from pdl.errors import MediaError
from pdl.models import ask, connect
from pdl.prompt import Message, Rendered, Text
from pdl.tools.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models import Model
    from pdl.models.llama import LlamaModel

ROOT = Path(__file__).parents[3]
CONTEXTS = sorted((ROOT / "examples").glob("**/context.*"))
# A code block ends with a line of its own, which by pure chance comes too seldom.
BIAS = [["\n", 3.0], ["```", 4.0]]
SAMPLING = {"temperature": 1, "max_tokens": 2_000, "logit_bias": BIAS}
SCHEMAS = share(100)


def rendered(context: Path) -> Rendered:
    """An example's prompt with its data; `examples/NAME/…` belongs to `prompts/NAME.pdl`."""
    name = context.relative_to(ROOT / "examples").parts[0]
    data = yaml.safe_load(context.read_text(encoding="utf-8"))  # JSON is YAML
    return pdl.load(ROOT / "prompts" / f"{name}.pdl").render(data)


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_examples(context: Path, tiny: LlamaModel) -> None:
    """The answer checks, though the model understands nothing."""
    prompt = rendered(context)
    if prompt.messages[-1].parts != (Text(prompt.messages[-1].text),):
        with pytest.raises(MediaError, match="loaded without a projector"):
            ask(prompt, tiny)
        return
    answer = ask(prompt, tiny, seed=1, config=SAMPLING)
    assert answer.check is not None
    assert answer.check.ok


@pytest.mark.parametrize("name", ["ticket", "moderate", "agent/choose"])
def test_the_command(name: str, tiny_file: Path, tmp_path: Path) -> None:
    """`pdl run` prints a value that `pdl check` takes; its transcript runs again.

    The model stands in another folder than the transcript, so it is named again.
    """
    prompt = str(ROOT / "prompts" / f"{name.partition('/')[0]}.pdl")
    context = str(ROOT / "examples" / name / "context.json")
    model = ["--model", f"llama:{tiny_file}", "--seed", "1"]
    words = ["run", prompt, "--context", context, *model, "--transcript", str(tmp_path)]
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


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_examples_over_http(context: Path, server: Model) -> None:
    prompt = rendered(context)
    if prompt.messages[-1].parts == (Text(prompt.messages[-1].text),):
        answer = ask(prompt, server, seed=1, config=SAMPLING)
        assert answer.check is not None


def test_random_schemas_over_http(server: Model) -> None:
    for seed, schema in enumerate(schemata.satisfiable("llama", 25, strict=True)):
        ask(question(schema), server, seed=seed, config=SAMPLING, retries=9)


def question(schema: pdl.Schema | None, **more: Any) -> Rendered:
    return Rendered((Message("user", (Text("Say anything."),)),), schema, **more)
