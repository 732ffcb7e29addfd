"""`Renderer`: each row is what `Prompt.render` makes of its values, in every container."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from batches import CONTAINERS, called

import pdl
from pdl.batch import Checker, ColumnError, Renderer

if TYPE_CHECKING:
    from pathlib import Path

MAIL = """<|config|>
temperature: 0.5
<|input|>
{ text: str, labels: [str]<1,>, tone?: str = "calm" }
<|system|>
Answer in a {{ tone }} tone.
<|user|>
{{ text }}
<|schema|>
{ label: {{ labels | map('tojson') | join(' | ') }} }
"""
ROWS: dict[str, list[Any]] = {
    "id": ["a", "b", "c"],
    "text": ["Hello <|user|> é\n", "x", "y"],
    "labels": [["good", "bad"], [], ["one"]],
    "tone": ["warm", None, None],
}


@pytest.fixture(params=CONTAINERS)
def container(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_each_row_is_rendered(container: str) -> None:
    prompt = pdl.loads(MAIL, name="mail.pdl")
    made = called(Renderer(prompt), container, ROWS)
    assert made["id"] == ["a", "b", "c"]
    for row, tone in ((0, "warm"), (2, "calm")):
        values = {name: ROWS[name][row] for name in ("text", "labels")}
        wanted = prompt.render(values, tone=tone).to_json()
        for name in ("messages", "schema", "config", "reasoning"):
            assert json.loads(made[name][row]) == wanted[name], name
        assert (made["tools"][row], made["form"][row]) == (None, "json")
        assert (made["error"][row], made["fingerprint"][row]) == (None, prompt.fingerprint)
    assert made["messages"][1] is made["schema"][1] is None
    assert made["error"][1].startswith("mail.pdl:4:14: input `labels`: expected at least 1 item")


def test_the_digest_is_that_of_the_checker() -> None:
    prompt = pdl.loads(MAIL)
    replies = Checker.of(prompt)({**ROWS, "reply": ["", "", ""]})
    assert Renderer(prompt)(ROWS)["schema_digest"] == replies["schema_digest"]


def test_a_body_for_a_provider(container: str) -> None:
    prompt = pdl.loads(MAIL)
    made = called(Renderer(prompt, family="anthropic", model="m"), container, ROWS)
    values = {name: ROWS[name][0] for name in ("text", "labels", "tone")}
    assert json.loads(made["body"][0]) == prompt.render(values).to("anthropic", "m")
    assert made["body"][1] is None


def test_what_a_provider_refuses_is_an_error_of_the_row() -> None:
    prompt = pdl.loads("<|user|>\n<|media({{ where }})|>")
    rows = {"where": ["https://a.b/c.wav", "https://a.b/c.png"]}
    made = Renderer(prompt, family="anthropic", model="m")(rows)
    assert made["body"][0] is None
    assert "wav" in made["error"][0]
    assert made["error"][1] is None


def test_an_empty_batch_has_the_same_types() -> None:
    pa = pytest.importorskip("pyarrow")
    renderer = Renderer(pdl.loads(MAIL), family="openai")
    table = pa.table(ROWS)
    for rows in (table, table.slice(0, 0)):
        wanted = renderer.arrow_schema(table.schema)
        assert renderer(rows).schema.equals(wanted, check_metadata=True)


def test_values_for_all_rows() -> None:
    renderer = Renderer(pdl.loads(MAIL), data=["text"], values={"labels": ["a"]})
    made = renderer({"text": ["x"]})
    assert made["error"] == [None]
    assert "id" not in made


def test_a_prefilled_turn() -> None:
    prompt = pdl.loads("<|user|>\n{{ x }}\n<|assistant|>\nDear")
    rows = {"x": ["a"]}
    assert "assistant" in Renderer(prompt)(rows)["error"][0]
    assert Renderer(prompt, prefill=True)(rows)["error"] == [None]


def test_a_pickle_renders_alike(tmp_path: Path) -> None:
    (tmp_path / "part.txt").write_text("in a file\n", encoding="utf-8")
    (tmp_path / "p.pdl").write_text("<|user|>\n{% include 'part.txt' %}{{ x }}", encoding="utf-8")
    renderer = Renderer(pdl.load(tmp_path / "p.pdl"))
    packed = pickle.dumps(renderer)
    again = pickle.loads(packed)  # noqa: S301
    assert again is pickle.loads(packed)  # noqa: S301
    assert again({"x": ["a"]}) == renderer({"x": ["a"]})


def test_files_that_differ_on_a_node(tmp_path: Path) -> None:
    """The prompt would be another one there."""
    part = tmp_path / "part.txt"
    part.write_text("one", encoding="utf-8")
    (tmp_path / "p.pdl").write_text("<|user|>\n{% include 'part.txt' %}{{ x }}", encoding="utf-8")
    packed = pickle.dumps(Renderer(pdl.load(tmp_path / "p.pdl")))
    part.write_text("two", encoding="utf-8")
    with pytest.raises(ColumnError, match="the files of this prompt differ here"):
        pickle.loads(packed)  # noqa: S301


def test_an_unknown_family() -> None:
    with pytest.raises(ValueError, match="family must be one of openai, "):
        Renderer(pdl.loads(MAIL), family="opanai")


def test_a_prompt_is_wanted() -> None:
    given: Any = "p.pdl"
    with pytest.raises(TypeError, match=r"prompt must be a pdl\.Prompt, not a str"):
        Renderer(given)


COUNTS = "<|input|>\n{ n?: int, x?: float, by?: { [str]: int } }\n<|user|>\n{{ %s }}\n"


def shown(variable: str, batch: Any) -> list[str | None]:
    made = Renderer(pdl.loads(COUNTS % variable))(batch)["messages"]
    made = made.to_pylist() if hasattr(made, "to_pylist") else list(made)
    return [one and json.loads(one)[0]["content"][0]["text"] for one in made]


def test_integers_that_a_null_made_floats() -> None:
    """As pandas does. Whole numbers stay where others are allowed, and if they are large."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [7, None, 2**60 + 1], "x": [7, None, 0.5]})
    assert shown("n", frame) == ["7", None, "1.152921504606847e+18"]
    assert shown("x", frame) == ["7.0", None, "0.5"]


def test_a_map_of_arrow_is_an_object() -> None:
    pa = pytest.importorskip("pyarrow")
    kind = pa.map_(pa.string(), pa.int64())
    table = pa.table({"by": pa.array([[("a", 1), ("b", 2)], None, []], kind)})
    assert shown("by", table) == ["{'a': 1, 'b': 2}", None, "{}"]
    twice = pa.table({"by": pa.array([[("a", 1), ("a", 2)]], kind)})
    with pytest.raises(ColumnError, match=r"the column `by` can't be read: .*duplicate"):
        shown("by", twice)
