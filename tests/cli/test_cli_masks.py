"""`pdl masks bench`, whose figures differ each time, and what both commands say as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from snapshots import CASES

from pdl.cli.app import application
from pdl.cli.commands.masks_bench import Timing
from pdl.masks import Vocabulary, save

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


def failed(*words: str) -> str:
    """What a command writes that fails."""
    result = CliRunner().invoke(application, ["masks", *words], prog_name="pdl")
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code in {1, 2}, result.output
    return result.output


@pytest.fixture
def lines(tmp_path: Path) -> tuple[str, ...]:
    """A vocabulary with a token that is the end of an object and a newline."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"}\n", b"12", b"<eos>"]
    save(Vocabulary(tokens, eos=258), tmp_path / "lines.npz")
    return ("--vocab", str(tmp_path / "lines.npz"))


@pytest.mark.parametrize("name", ["trace", "bench"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_newline_of_a_file(name: str, end: str, lines: tuple[str, ...], tmp_path: Path) -> None:
    """`--chomp` removes one, and a hint names it if it is missing, whatever the tokens."""
    file = tmp_path / "reply.txt"
    for vocabulary in (lines, VOCABULARY):
        words = (name, GRAMMAR, str(file), *vocabulary)
        file.write_text('{"age": 12}' + end, newline="")
        assert "--chomp removes the newline" in failed(*words)
        assert said(*words, "--chomp")
        file.write_text('{"age": 12}' + end * 2, newline="")
        assert "several newlines" in failed(*words, "--chomp")
        text = failed(name, GRAMMAR, *vocabulary, "--text", '{"age": 12}' + end)
        assert "--chomp" not in text


def test_a_hint_is_no_part_of_json(lines: tuple[str, ...], tmp_path: Path) -> None:
    """Standard output stays one document."""
    file = tmp_path / "reply.txt"
    file.write_text('{"age": 12}\n')
    assert not json.loads(failed("trace", GRAMMAR, str(file), *lines, "--format", "json"))["ok"]


def test_bench_says_which_text_does_not_match_and_where(
    lines: tuple[str, ...], tmp_path: Path
) -> None:
    """The file, the position, the token, and the allowed tokens."""
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text('{"age": 12}')
    bad.write_text('{"age":\n012}', newline="")
    text = failed("bench", GRAMMAR, str(good), str(bad), *lines)
    assert text.startswith(
        f"{bad}:1:8: token 10, b'\\n', is not allowed here; 1 are: b' '\n  1 | {{\"age\":\n"
    )
    words = ("bench", GRAMMAR, *lines, "--text", '{"age": 12}', "--text", '{"age": é}')
    found = json.loads(failed(*words, "--format", "json"))
    (problem,) = found["problems"]
    place = (problem["path"], problem["line"], problem["column"], problem["end_column"])
    assert place == ("--text 2", 1, 9, 10)
    message = r"token 195, b'\xc3', is not allowed here; 10 are: b'1', b'3', b'5', b'7', b'9', …"
    assert problem["message"] == message


def test_bench_says_which_text_no_token_spells() -> None:
    """The byte, its offset, and its place."""
    text = failed("bench", GRAMMAR, *VOCABULARY, "--text", '{"age": 12}', "--text", '{"x": 1}')
    assert text.startswith("--text 2:1:3: no token of the vocabulary begins with the byte 0x78")


@pytest.mark.parametrize("name", ["trace", "bench"])
@pytest.mark.parametrize("values", [("--context", "no-such-file.json"), ("--set", "a=1")])
def test_a_grammar_takes_no_values(name: str, values: tuple[str, str]) -> None:
    """They are for a prompt, and are not ignored in silence."""
    text = failed(name, GRAMMAR, *VOCABULARY, "--text", '{"age": 12}', *values)
    assert "--context and --set require a prompt (.pdl), found the grammar age.gbnf" in (
        text.replace(str(FOLDER) + "/", "")
    )


def test_trace_as_json() -> None:
    """A step for each token, and what can come next."""
    words = ("--text", '{"age', "--format", "json")
    found = json.loads(said("trace", GRAMMAR, *VOCABULARY, *words))
    assert [step["text"] for step in found["steps"]] == ['{"', "age"]
    assert found["ok"]
    assert not found["complete"]
    assert found["forced"] == '": '
    assert found["next"]["allowed"] == 2


def test_histogram_of_a_range_beyond_all() -> None:
    """The last bar counts what took longer than the last limit."""
    timing = Timing(1, 1, {}, (1.0, 3.0, 7.0, 2e6))
    assert timing.histogram() == [(5, 2), (10, 1), (pytest.approx(2e6 + 1), 1)]
