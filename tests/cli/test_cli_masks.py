"""`pdl masks bench`, whose figures differ each time, and what both commands say as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from snapshots import CASES

from pdl.cli.app import application
from pdl.cli.timing import Timing

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = CASES / "cli" / "valid" / "masks-trace"
GRAMMAR = str(FOLDER / "age.gbnf")
VOCABULARY = ("--vocab", str(FOLDER / "tokenizer.json"), "--eos", "<|end_of_text|>")


def said(*words: str) -> str:
    """What a command writes."""
    result = CliRunner().invoke(application, ["masks", *words], prog_name="pdl")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bench_times_random_texts_and_draws_them(tmp_path: Path) -> None:
    """Each step in milliseconds, the masks in microseconds, and a bar for each range of them."""
    picture = tmp_path / "masks.svg"
    text = said("bench", GRAMMAR, *VOCABULARY, "-n", "5", "--picture", str(picture))
    for words in ("vocabulary, ", "first mask", "masks of 5 texts", "p50=", "mean=", "█"):
        assert words in text
    root = ET.fromstring(picture.read_text(encoding="utf-8"))  # noqa: S314 - our own
    assert root.tag.endswith("svg")
    assert root.findall("{*}rect")


def test_bench_as_json() -> None:
    """The histogram has each mask once."""
    words = ("--text", '{"age": 12}', "--format", "json")
    found = json.loads(said("bench", GRAMMAR, *VOCABULARY, *words))
    assert found["texts"] == 1
    assert found["masks"] == sum(bar["masks"] for bar in found["histogram"])
    assert set(found["milliseconds"]) == {"vocabulary", "grammar", "masker", "first_mask"}
    assert found["microseconds"]["p50"] <= found["microseconds"]["max"]


def test_trace_as_json() -> None:
    """A step for each token, and what may come next."""
    words = ("--text", '{"age', "--format", "json")
    found = json.loads(said("trace", GRAMMAR, *VOCABULARY, *words))
    assert [step["text"] for step in found["steps"]] == ['{"', "age"]
    assert found["ok"]
    assert not found["complete"]
    assert found["forced"] == '": '
    assert found["next"]["allowed"] == 2


def test_histogram_of_a_range_beyond_all() -> None:
    """The last bar holds what took longer than the last limit."""
    timing = Timing(1, 1, 0, 0, 0, 0, (1.0, 3.0, 7.0, 2e6))
    assert timing.histogram() == [(5, 2), (10, 1), (pytest.approx(2e6 + 1), 1)]
