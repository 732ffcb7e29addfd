"""Masks on logits, and texts that samplers reorder, drop, end and pad."""

from __future__ import annotations

from queue import Queue
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from plain_masks import PlainMasker

from pdl import gbnf
from pdl.masks import TokenError, Vocabulary, fill_bitmasks
from pdl.masks.processors import (
    LlamaCppProcessor,
    TransformersProcessor,
    Triggered,
    VllmProcessor,
    apply,
)
from pdl.masks.processors.samplers import Prefixes

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOKENS = [*(bytes([byte]) for byte in range(32, 127)), b"ab", b"abc", b'{"', b'"}', b"<s>", b"</s>"]
VOCABULARY = Vocabulary(TOKENS, special=[len(TOKENS) - 2], eos=len(TOKENS) - 1)
GRAMMAR = gbnf.parse('root ::= "{\\"" [a-c]{1,4} "\\"}"')
MASKER = PlainMasker(GRAMMAR, VOCABULARY)
EOS = len(TOKENS) - 1


def token(text: str) -> int:
    return TOKENS.index(text.encode())


def tokens(*texts: str) -> list[int]:
    return [token(text) for text in texts]


def zeros() -> NDArray[np.single]:
    return np.zeros(len(TOKENS), np.single)


def allowed(logits: Any) -> set[int]:
    return set(np.flatnonzero(np.isfinite(logits)).tolist())


def mask_of(numbers: list[int], size: int = len(TOKENS)) -> Any:
    bits = np.zeros(-(-size // 32) * 32, np.uint8)
    bits[numbers] = 1
    return np.packbits(bits, bitorder="little").view(np.int32)


@pytest.mark.parametrize("kind", [LlamaCppProcessor, TransformersProcessor, VllmProcessor])
def test_masks_are_prepared_while_the_model_reads_its_prompt(kind: Any) -> None:
    asked: Queue[float] = Queue()

    class Preparing(PlainMasker):
        def prepare(self, seconds: float) -> None:
            asked.put(seconds)

    kind(Preparing(GRAMMAR, VOCABULARY))
    assert asked.get(timeout=60) > 0
    kind(Triggered(Preparing(GRAMMAR, VOCABULARY), "<s>"))
    assert asked.get(timeout=60) > 0


def test_a_mask_leaves_the_logits_of_its_tokens_and_no_others() -> None:
    logits = np.arange(70, dtype=np.float32)
    found = apply(logits, mask_of([0, 31, 32, 69], 70))
    assert found is logits
    assert allowed(found) == {0, 31, 32, 69}
    assert found[31] == 31


def test_rows_have_masks_of_their_own_or_one_for_all() -> None:
    masks = np.stack([mask_of([1], 40), mask_of([2, 39], 40)])
    found = apply(np.zeros((2, 40)), masks)
    assert [allowed(row) for row in found] == [{1}, {2, 39}]
    found = apply(np.zeros((3, 40), np.float16), mask_of([5], 40))
    assert [allowed(row) for row in found] == [{5}] * 3


def test_logits_that_are_of_no_token_are_forbidden() -> None:
    """Models have more logits than tokens, and sometimes fewer."""
    assert allowed(apply(np.zeros(128), mask_of([3], 40))) == {3}
    assert allowed(apply(np.zeros(33), mask_of([3, 39], 40))) == {3}


@pytest.mark.parametrize(
    ("logits", "mask", "error", "message"),
    [
        (np.zeros(9, np.int64), mask_of([1], 9), TypeError, "floating point, not int64"),
        ([0.0], mask_of([0], 1), TypeError, "of numpy or of torch, not list"),
        (np.zeros((2, 9)), mask_of([1], 9)[None].repeat(3, 0), ValueError, "does not fit"),
        (np.zeros((1, 1, 9)), mask_of([1], 9), ValueError, "does not fit logits of"),
        (np.zeros(9), mask_of([], 9), TokenError, "allows none of the 9 tokens"),
        (np.zeros(9), mask_of([20], 40), TokenError, "allows none of the 9 tokens"),
        (np.zeros(9), mask_of([1], 9).astype(np.int64), TypeError, "of int32, one bit a token"),
        (np.zeros(9), np.ones(9, np.bool_), TypeError, "of int32, one bit a token, not bool"),
        (np.zeros(99), np.arange(27, dtype=np.int32), ValueError, "of 864 tokens does not fit 99"),
        (np.zeros(9), [1], TypeError, r"must be an array \(`state.bitmask\(\)`\), not list"),
        (np.zeros(9), None, TypeError, "must be an array"),
        (np.zeros(9), np.zeros((), np.int32), ValueError, "does not fit"),
        (np.zeros(()), mask_of([0], 1), ValueError, "does not fit"),
        (np.broadcast_to(0.0, (9,)), mask_of([1], 9), ValueError, "logits are read-only"),
    ],
)
def test_what_does_not_fit_is_refused(
    logits: Any, mask: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        apply(logits, mask)


def test_a_text_is_followed_behind_its_prompt() -> None:
    processor = LlamaCppProcessor(MASKER)
    prompt = tokens("a", "?")
    said: list[int] = []
    for step, expected in [
        ('{"', {"{", '{"'}),
        ("ab", {"a", "b", "c", "ab", "abc"}),
        ("c", {"a", "b", "c", '"', '"}', "ab"}),
        ('"', {"a", "b", "c", '"', '"}'}),
        ("}", {"}"}),
    ]:
        scores = zeros()
        found = processor(np.array(prompt + said, np.intc), scores)
        assert found is scores
        assert allowed(found) == {token(text) for text in expected}
        said.append(token(step))
    assert allowed(processor(np.array(prompt + said), zeros())) == {EOS}
    ended = processor(np.array([*prompt, *said, EOS]), zeros())
    assert allowed(ended) == set(range(len(TOKENS)))


def test_a_processor_is_for_one_generation() -> None:
    processor = LlamaCppProcessor(MASKER)
    processor(np.array(tokens("a", "b")), zeros())
    with pytest.raises(ValueError, match="there are 1 tokens, fewer than the prompt's 2"):
        processor(np.array(tokens("a")), zeros())
    with pytest.raises(
        TokenError, match=r"token 65, b'a', is not allowed here, after 0 tok"
    ) as error:
        processor(np.array(tokens("a", "b", "a")), zeros())
    assert "a processor is for one generation" in error.value.problem.hint
    later = LlamaCppProcessor(MASKER, prompt=1)
    assert allowed(later(np.array(tokens("a", "{", '"', "c")), zeros())) >= {token('"')}


def test_a_second_use_is_an_error_and_never_a_mask_for_another_place() -> None:
    """Whatever the second prompt is: as long, longer, or the first one with its answer."""
    first = [*tokens("x", "y")]
    answer = [*tokens('{"', "a", '"}'), EOS]
    for second, message in [
        (tokens("x", "z"), "the prompt differs from that of the first call"),
        (
            tokens("p", "q", "{"),
            "these tokens do not extend those of an earlier call by one",
        ),
        (tokens("p", "q", '{"', "a"), "these tokens do not extend those of an earlier call"),
        ([*first, *answer, *tokens("x")], "these tokens do not extend those of an earlier call"),
    ]:
        for make in (TransformersProcessor, LlamaCppProcessor):
            processor = make(MASKER)
            for size in range(len(answer)):
                assert _allowed(processor, first + answer[:size]) >= {answer[size]}
            with pytest.raises(ValueError, match=message):
                _allowed(processor, second)
    processor = TransformersProcessor(MASKER)
    for _ in range(2):  # the same prompt again is the same place again
        assert _allowed(processor, first) == set(tokens("{", '{"'))
        assert _allowed(processor, [*first, token("{")]) == {token('"')}


def _allowed(processor: Any, ids: list[int]) -> set[int]:
    if isinstance(processor, TransformersProcessor):
        return allowed(processor(np.array([ids]), zeros()[None])[0])
    return allowed(processor(np.array(ids), zeros()))


@pytest.mark.parametrize(
    ("ids", "scores", "error", "message"),
    [
        ([[1], [2]], np.zeros((3, 9)), ValueError, "a row for each of 2 texts"),
        ([[1], [2]], np.zeros(9), ValueError, "a row for each of 2 texts"),
        ([1, 2], np.zeros((2, 9)), ValueError, r"2 dimensions \(texts, tokens\), not 1"),
        ([[1.5]], np.zeros((1, 9)), TypeError, "tokens must be integers, not float64"),
        ([[True]], np.zeros((1, 9)), TypeError, "tokens must be integers, not bool"),
        ([["a"]], np.zeros((1, 9)), TypeError, "tokens must be integers"),
        ([[2**70]], np.zeros((1, 9)), TypeError, "tokens must be integers, not object"),
        ([[1]], [[0.0]], TypeError, "scores must be of numpy or of torch, not list"),
    ],
)
def test_what_are_no_tokens_or_scores_is_refused(
    ids: Any, scores: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        TransformersProcessor(MASKER)(ids, scores)


@pytest.mark.parametrize(
    ("prompt", "error"), [(-1, ValueError), (True, TypeError), ("a", TypeError)]
)
def test_the_length_of_a_prompt_is_one(prompt: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="prompt must be its number of tokens"):
        LlamaCppProcessor(MASKER, prompt=prompt)


@pytest.mark.parametrize(
    ("states", "out", "error", "message"),
    [
        (
            [MASKER],
            np.zeros((1, 4), np.int32),
            TypeError,
            r"`masker.start\(\)`\) or None, not Plain",
        ),
        (MASKER.start(), np.zeros((1, 4), np.int32), TypeError, "must be a list of states"),
        ([None], [[0]], TypeError, "out must be an array of numpy, not list"),
        ([None], np.zeros((1, 4), np.uint32), TypeError, "out must be of int32, not uint32"),
        ([None], np.zeros(4, np.int32), ValueError, "out must have two dimensions"),
        ([None], np.broadcast_to(np.int32(0), (1, 4)), ValueError, "out is read-only"),
    ],
)
def test_masks_are_written_into_arrays_of_masks(
    states: Any, out: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        fill_bitmasks(states, out)


def test_rows_of_a_batch_may_change_places_end_and_be_padded() -> None:
    """As beam search does it: the state of a row is found by its tokens."""
    processor = TransformersProcessor(MASKER)
    prompt = tokens("x", "y")
    drawn = Random(3)  # noqa: S311 - for tests
    rows = [list(prompt) for _ in range(6)]
    for _ in range(12):
        before = np.full((len(rows), len(TOKENS) + 5), 0.5, np.float32)
        scores = processor(np.array(rows), before)
        assert np.all(before == 0.5)
        for row, found in zip(rows, scores, strict=True):
            said = row[2:]
            if EOS in said:
                assert np.all(found == 0.5)
                row.append(token("x"))  # padding
                continue
            assert allowed(found) == _expected(said)
            row.append(drawn.choice(sorted(allowed(found))))
        rows = drawn.choices(rows, k=6)
        rows = [list(row) for row in rows]
    texts = [b"".join(TOKENS[one] for one in row[2 : row.index(EOS)]) for row in rows if EOS in row]
    assert texts
    assert all(GRAMMAR.match(text) for text in texts)


def _expected(said: list[int]) -> set[int]:
    state: Any = MASKER.start()
    for one in said:
        state = state.accept(one)
    return set(state.allowed().tolist())


def test_beam_search_keeps_forbidden_candidates_which_are_left_alone() -> None:
    rows = np.array([tokens("x", "{"), tokens("x", "z")])
    scores = np.zeros((2, len(TOKENS)))
    with pytest.raises(TokenError, match="b'z', is not allowed here, after 0 tokens"):
        TransformersProcessor(MASKER, prompt=1)(rows, scores)
    found = TransformersProcessor(MASKER, prompt=1, beams=True)(rows, scores)
    assert allowed(found[0]) == {token('"')}
    assert allowed(found[1]) == set(range(len(TOKENS)))


def test_requests_are_known_by_what_they_said() -> None:
    processor = VllmProcessor(MASKER)
    for said, expected in [
        ([], {"{", '{"'}),
        (["{"], {'"'}),
        ([], {"{", '{"'}),
        (['{"', "abc"], {"a", "b", "c", '"', '"}'}),
    ]:
        for one in (processor, processor.clone()):
            found = one(tokens(*said), np.zeros(len(TOKENS)))
            assert allowed(found) == {token(text) for text in expected}
    assert len(allowed(processor([*tokens('{"', "a", '"}'), EOS], np.zeros(9)))) == 9


def test_what_is_remembered_is_bounded() -> None:
    held = Prefixes(MASKER, room=5_000)
    said = tokens("{", '"', "a", "b", '"', "}")
    for size in [*range(len(said) + 1), *range(len(said), -1, -1)] * 3:
        state = held.state(np.array(said[:size], np.int64))
        assert state is not None
        assert set(state.allowed().tolist()) == _expected(said[:size])
    assert held._size <= 5_000  # noqa: SLF001 - the bound itself
