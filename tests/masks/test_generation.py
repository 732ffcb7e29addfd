"""Real generation with masks: every text that a random model gives is one of the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import vocabularies as made
from random_models import llama_file, transformers_model

import pdl
from pdl import gbnf
from pdl.masks import Masker, vocabulary_of
from pdl.masks.processors import (
    LlamaCppProcessor,
    TransformersProcessor,
    Triggered,
    VllmProcessor,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.masks import Vocabulary
    from pdl.masks.protocol import TokenMasker

SCHEMA = pdl.Schema.parse('{ name: str<1, 6>, tags: [ "a" | "ö" ]<0, 2>, n: int<-5, 20> | null }')
GRAMMAR = gbnf.compile(SCHEMA).grammar
MOST = 80


def vocabulary(size: int | None = None) -> Vocabulary:
    return vocabulary_of(made.byte_level(), eos="<|end_of_text|>", size=size)


def text_of(held: Vocabulary, tokens: list[int]) -> bytes:
    ends = [at for at, token in enumerate(tokens) if token in held.eos]
    return b"".join(held.tokens[token] for token in tokens[: ends[0] if ends else None])


def ended(held: Vocabulary, tokens: list[int]) -> bool:
    return bool(held.eos & set(tokens))


def check(held: Vocabulary, tokens: list[int]) -> None:
    """A text that has ended is one of the grammar, any other the beginning of one."""
    text = text_of(held, tokens)
    assert GRAMMAR.match(text, prefix=not ended(held, tokens))
    if ended(held, tokens):
        assert pdl.check(SCHEMA, text.decode()).ok


def sampled_rows(held: Vocabulary, prompts: int, most: int, masker: TokenMasker) -> list[list[int]]:
    """What a model of torch samples behind prompts of two tokens."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    model = transformers_model(len(held), min(held.eos))
    given = torch.full((prompts, 2), 5)
    found = model.generate(
        given,
        attention_mask=torch.ones_like(given),
        max_new_tokens=most,
        do_sample=True,
        logits_processor=[TransformersProcessor(masker)],
    )
    return [row[2:] for row in found.tolist()]


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("sampled", [True, False])
def test_transformers(beams: int, sampled: bool) -> None:  # noqa: FBT001 - a parameter of the test
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    held = vocabulary()
    model = transformers_model(len(held), min(held.eos))
    prompts = torch.tensor([[5, 6, 7], [0, 8, 9], [0, 0, 4]])
    processor = TransformersProcessor(Masker(GRAMMAR, held), beams=beams > 1)
    found = model.generate(
        prompts,
        attention_mask=(prompts != 0).long(),
        max_new_tokens=MOST,
        num_beams=beams,
        do_sample=sampled,
        temperature=3.0 if sampled else None,
        logits_processor=[processor],
    )
    assert len(found) == 3
    for row in found.tolist():
        check(held, row[3:])


def test_many_samples_end_and_satisfy_the_schema() -> None:
    held = vocabulary()
    rows = sampled_rows(held, 16, MOST, Masker(GRAMMAR, held))
    for row in rows:
        check(held, row)
    assert sum(ended(held, row) for row in rows) > 8


def test_free_text_then_the_grammar() -> None:
    held = vocabulary()
    said = 0
    for row in sampled_rows(held, 8, 2 * MOST, Triggered(Masker(GRAMMAR, held), "e")):
        free, mark, text = text_of(held, row).partition(b"e")
        said += bool(mark and text)
        assert GRAMMAR.match(text, prefix=not ended(held, row))
        assert mark or not ended(held, row)
        assert b"e" not in free
    assert said


def test_requests_as_vllm_makes_them() -> None:
    """Rows of one tensor, and lists that grow."""
    torch = pytest.importorskip("torch")
    held = vocabulary(size=720)
    processor = VllmProcessor(Masker(GRAMMAR, held))
    torch.manual_seed(2)
    said: list[list[int]] = [[], [], []]
    for _ in range(MOST):
        logits = torch.randn(len(said), 720).to(torch.bfloat16)
        for at, tokens in enumerate(said):
            if not ended(held, tokens):
                logits[at] = processor(tokens, logits[at])
                tokens.append(int(torch.multinomial(logits[at].float().softmax(-1), 1)))
    for tokens in said:
        check(held, tokens)


def test_llama_cpp_python(tmp_path: Path) -> None:
    library: Any = pytest.importorskip("llama_cpp")
    own = vocabulary()
    path = llama_file(tmp_path / "x.gguf", made.byte_level(), own.special, min(own.eos))
    model = library.Llama(str(path), n_ctx=256, verbose=False, seed=3)
    held = vocabulary_of(model)
    assert held.digest == vocabulary_of(path).digest
    assert list(held.tokens) == list(own.tokens)
    finished = 0
    for seed in range(6):
        processor = LlamaCppProcessor(Masker(GRAMMAR, held))
        found = model.create_completion(
            [5, 6],
            max_tokens=MOST,
            temperature=2.0,
            seed=seed,
            logits_processor=library.LogitsProcessorList([processor]),
        )["choices"][0]
        done = found["finish_reason"] == "stop"
        finished += done
        assert GRAMMAR.match(found["text"], prefix=not done) or "\ufffd" in found["text"]
        if done:
            assert pdl.check(SCHEMA, found["text"]).ok
    assert finished
