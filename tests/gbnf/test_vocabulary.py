"""References to tokens, against a vocabulary that says what each token stands for."""

from __future__ import annotations

import pytest

import pdl
from pdl import gbnf

PIECES: dict[int, bytes | str] = {
    3: "<think>", 4: "</think>", 5: "a", 6: " word", 7: b"\xc3", 8: b"\xa4", 9: "<|end|>",
}  # fmt: skip
THINKING = "root ::= <think> thought </think> [ -~]+\nthought ::= (!</think>)*"


@pytest.mark.parametrize(
    ("grammar", "tokens", "ok", "token", "position"),
    [
        (THINKING, [3, 5, 6, 4, 5], True, 5, 22),
        (THINKING, [3, 4, 6], True, 3, 20),
        (THINKING, [3, 4], False, 2, 15),
        (THINKING, [5], False, 0, 0),
        (THINKING, [3, 5, 4, 4], True, 4, 24),
        ('root ::= <[3]> "a"', [3, 5], True, 2, 8),
        ('root ::= !<[3]> "a"', [3, 5], False, 0, 0),
        ('root ::= "ä" "a"', [7, 8, 5], True, 3, 3),
        ('root ::= "ä" "a"', [7, 5], False, 1, 1),
        ('root ::= "<think>"', [3], True, 1, 7),
    ],
)
def test_tokens_are_matched_by_number_by_text_and_by_bytes(
    grammar: str,
    tokens: list[int],
    ok: bool,  # noqa: FBT001 - a parameter of the test
    token: int,
    position: int,
) -> None:
    match = gbnf.parse(grammar, vocabulary=PIECES).match_tokens(tokens, PIECES)
    assert (match.ok, match.token, match.position) == (ok, token, position)


def test_the_beginning_of_a_text_may_be_enough() -> None:
    grammar = gbnf.parse(THINKING)
    assert grammar.match_tokens([3, 6], PIECES, prefix=True)
    match = grammar.match_tokens([3, 6], gbnf.Vocabulary(PIECES))
    expected = "the token </think> or any token except </think>"
    assert str(match) == f"at token 2 in root: expected {expected}"


def test_a_text_that_is_no_token_is_refused() -> None:
    """As llama.cpp refuses it, but with all places; lint finds it as well."""
    text = 'root ::= <thinks> "a" | !<b c>'
    with pytest.raises(pdl.GrammarError, match="did you mean `<think>`") as error:
        gbnf.parse(text, vocabulary=PIECES)
    assert [one.code for one in error.value.problems] == ["gbnf/unknown-token"] * 2
    with pytest.raises(pdl.GrammarError, match="is not one token of the vocabulary"):
        gbnf.parse(text).match_tokens([5], PIECES)
    with pytest.raises(pdl.GrammarError, match="`<\ufffd>` is not one token"):
        gbnf.parse("root ::= <\ufffd>", vocabulary=[b"<\xff>"])  # which no text is
    found = [one for one in gbnf.lint(text, vocabulary=PIECES) if "token" in one.problem.code]
    assert [one.severity for one in found] == ["error", "error"]


def test_a_list_is_a_vocabulary_and_a_text_is_none() -> None:
    assert gbnf.parse('root ::= <[1]> "x"').match_tokens([1, 0], ["x", b"<s>"])
    with pytest.raises(TypeError, match="vocabulary must be a mapping or a sequence"):
        gbnf.Vocabulary("abc")
    with pytest.raises(ValueError, match="has no token 12"):
        gbnf.parse('root ::= "x"').match_tokens([12], ["x"])
