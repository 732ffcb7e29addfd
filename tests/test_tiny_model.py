"""The random-weight model itself: small, always the same, and what llama.cpp makes of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from llama import needs_llama
from shares import share

if sys.platform == "linux":
    import tiny_model
    from sampled import RefusedError, Sampler

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_llama

ROOT = Path(__file__).parents[1]
STRING = r'root ::= ["] [^"\\\x00-\x1F]* ["]'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="module")
def sampler(path: Path) -> Iterator[Sampler]:
    found = Sampler(path)
    yield found
    found.close()


def test_it_is_small(path: Path) -> None:
    assert path.stat().st_size < 500_000


def test_a_seed_is_a_model(path: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again.gguf", tmp_path / "other.gguf"
    assert tiny_model.write(again).read_bytes() == path.read_bytes()
    assert tiny_model.write(other, seed=1).read_bytes() != path.read_bytes()


def test_it_is_a_script(path: Path, tmp_path: Path) -> None:
    written = tmp_path / "written.gguf"
    subprocess.run([sys.executable, "-m", "tests.tiny_model", written], cwd=ROOT, check=True)  # noqa: S603 - our own
    assert written.read_bytes() == path.read_bytes()


def test_every_byte_and_no_token_twice() -> None:
    pieces = tiny_model.pieces()
    assert pieces[:256] == [bytes([byte]) for byte in range(256)]
    assert len(set(pieces)) == len(pieces)


def test_a_seed_is_a_text(sampler: Sampler) -> None:
    """In whatever order they are asked for."""
    texts = [sampler.sample(STRING, seed=seed) for seed in range(30)]
    again = [sampler.sample(STRING, seed=seed) for seed in reversed(range(30))]
    assert texts == again[::-1]
    assert len({one.text for one in texts}) > 20


def test_what_may_go_on_ends(sampler: Sampler) -> None:
    texts = [sampler.sample(STRING, seed=seed) for seed in range(100)]
    assert sum(one.ended for one in texts) > 95
    assert 2 < sum(one.tokens for one in texts) / 100 < 80


def test_all_text_is_utf_8(sampler: Sampler) -> None:
    """Of 40 characters each, no byte is lost, and no control token stands for its name."""
    for seed in range(share(200)):
        text = sampler.sample('root ::= ["] [^"]{40} ["]', seed=seed).text
        assert len(text) == 42
        assert "\ufffd" not in text


@pytest.mark.parametrize("tokens", range(1, 8))
def test_a_bound_cuts(tokens: int, sampler: Sampler) -> None:
    text = "😀🙂" * 4
    found = sampler.sample(f'root ::= "{text}"', tokens=tokens)
    assert (found.ended, found.tokens) == (False, tokens)
    assert text.startswith(found.text.rstrip("\ufffd"))


def test_control_tokens_are_printed_on_request(sampler: Sampler) -> None:
    """As the marks of Llama's and Mistral's tool calls are."""
    for mark in ("<|python_tag|>", "[TOOL_CALLS]"):
        bias = [[tiny_model.marks()[mark], 100]]
        grammar = f'root ::= "{mark}" "{{}}"'
        assert sampler.sample(grammar, logit_bias=bias).text == "{}"
        kept = sampler.sample(grammar, logit_bias=bias, preserved_tokens=[mark])
        assert kept.text == mark + "{}"


@pytest.mark.parametrize("grammar", ["root ::= (", 'root ::= root "a"', 'start ::= "a"'])
def test_what_is_no_grammar_is_refused(grammar: str, sampler: Sampler) -> None:
    with pytest.raises(RefusedError, match="failed to parse grammar"):
        sampler.sample(grammar)


def test_it_says_nothing_else(sampler: Sampler, capfd: pytest.CaptureFixture[str]) -> None:
    sampler.sample(STRING)
    assert capfd.readouterr() == ("", "")
