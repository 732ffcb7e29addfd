"""A vocabulary: what it holds, what it refuses, and what it costs."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import Any

import numpy as np
import pytest

from pdl.masks import Vocabulary

TOKENS = [b"a", b"b", b"", b"<eot>", b"ab"]


def test_special_tokens_are_those_that_end_a_text_and_those_without_bytes_as_well() -> None:
    held = Vocabulary(TOKENS, special=[1], eos=3)
    assert held.special == {1, 2, 3}
    assert held.eos == {3}
    assert held.trie.order.tolist() == [0, 4]
    assert (len(held), list(held.tokens), held.tokens[3]) == (5, TOKENS, b"<eot>")
    assert repr(held) == "<Vocabulary of 5 tokens, 3 of them special>"
    assert held.missing_bytes == frozenset(range(256)) - {ord("a")}


def test_tokens_are_a_sequence() -> None:
    tokens = Vocabulary(TOKENS, eos=[3]).tokens
    assert (tokens[-1], tokens[1:4:2], tokens.index(b"ab")) == (b"ab", [b"b", b"<eot>"], 4)
    with pytest.raises(IndexError, match="unknown token 5: the vocabulary has 5"):
        _ = tokens[5]


def test_numbers_may_be_those_of_numpy() -> None:
    held = Vocabulary(TOKENS, special=np.array([0]), eos=np.int64(3))  # type: ignore[arg-type]
    assert held.special == {0, 2, 3}
    assert all(type(token) is int for token in held.special)


@pytest.mark.parametrize(
    ("tokens", "special", "eos", "error", "message"),
    [
        ("abc", (), 0, TypeError, "tokens must be a list of bytes, not str"),
        ({0: b"a"}, (), 0, TypeError, "tokens must be a list of bytes, not dict"),
        ([b"a", "b"], (), 0, TypeError, "token 1 must be bytes, not str: 'b'"),
        (TOKENS, (), 5, ValueError, "eos names token 5, but there are only 5 tokens"),
        (TOKENS, (), [], ValueError, "eos must name a token"),
        (TOKENS, [-1], 3, ValueError, "special names token -1, but there are only 5 tokens"),
        (TOKENS, (), "3", TypeError, "eos must be token IDs, not str: '3'"),
        (TOKENS, [True], 3, TypeError, "special must be token IDs, not bool: True"),
        (TOKENS, (), None, TypeError, "eos must be token IDs, not NoneType"),
    ],
)
def test_what_is_no_vocabulary_is_refused(
    tokens: Any, special: Any, eos: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(")):
        Vocabulary(tokens, special=special, eos=eos)


def test_equal_tokens_give_equal_digests() -> None:
    held = Vocabulary(TOKENS, eos=3)
    others = [
        Vocabulary([b"ab", *TOKENS[1:]], eos=3),
        Vocabulary([b"", b"ab", *TOKENS[2:]], eos=3),
        Vocabulary(TOKENS, eos=4),
        Vocabulary(TOKENS, special=[0], eos=3),
    ]
    assert held.digest == Vocabulary(list(TOKENS), special=[2], eos=[3]).digest
    assert len({held.digest, *(other.digest for other in others)}) == 5


def test_a_large_one_is_built_at_once_and_is_small() -> None:
    """128,000 tokens of words: 0.2 s here; the bound is what a slow machine may take."""
    drawn = Random(5)  # noqa: S311 - for tests
    letters = "etaoinshrdlu"
    words = {
        "".join(drawn.choices(letters, k=drawn.randint(1, 9))).encode() for _ in range(140_000)
    }
    tokens = [bytes([byte]) for byte in range(256)] + sorted(words)
    start = process_time()
    held = Vocabulary([*tokens, b"<end>"], eos=len(tokens))
    assert process_time() - start < 5
    trie = held.trie
    arrays = sum(getattr(trie, name).nbytes for name in type(trie).__slots__)
    assert arrays + len(held.tokens.blob) + held.tokens.ends.nbytes < 20_000_000
    assert not held.missing_bytes
