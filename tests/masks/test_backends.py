"""Other engines, given pdl's grammar: the same masks as pdl's own matcher gives."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import vocabularies as made
from plain_masks import PlainMasker

import pdl
from pdl import gbnf
from pdl.masks import TokenError, Vocabulary, vocabulary_of
from pdl.masks.backends import EngineMasker, LlguidanceMasker, XgrammarMasker
from pdl.masks.processors import Triggered
from pdl.masks.protocol import Ended

if TYPE_CHECKING:
    from pdl.gbnf import Grammar
    from pdl.masks.protocol import TokenState

GRAMMARS = [
    'root ::= "{\\"key\\": " [0-9]{1,3} "}"',
    'root ::= item ("," item)*\nitem ::= "a" | "ab" [^\\x00-\\x1F"] | "é" root "!"',
    'root ::= "\\"" ([^"\\\\] | "\\\\" ["\\\\nt])* "\\""',
    "root ::= [ -~]{0,5} | [ä-ü]+",
]
ENGINES = [LlguidanceMasker, XgrammarMasker]


def vocabulary() -> Vocabulary:
    return vocabulary_of(made.byte_level(), eos=["<|end_of_text|>", "<|eot_id|>"])


def masker(engine: Any, given: Any) -> Any:
    pytest.importorskip(engine.library)
    return engine(given, vocabulary())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", GRAMMARS)
def test_masks_are_those_of_the_matcher(engine: Any, text: str) -> None:
    grammar = gbnf.parse(text)
    drawn = Random(1)  # noqa: S311 - for tests
    here: TokenState = masker(engine, grammar).start()
    plain: TokenState = PlainMasker(grammar, vocabulary()).start()
    for _ in range(25):
        expected = plain.allowed().tolist()
        assert here.allowed().tolist() == expected
        assert here.bitmask().tolist() == plain.bitmask().tolist()
        assert here.is_complete == plain.is_complete
        token = drawn.choice(expected)
        refused = next(token for token in range(len(vocabulary())) if token not in expected)
        with pytest.raises(TokenError, match="is not allowed"):
            here.accept(refused)
        before = here
        here, plain = here.accept(token), plain.accept(token)
        assert before.allowed().tolist() == expected
        if not here.allowed().size:
            break


@pytest.mark.parametrize("engine", ENGINES)
def test_a_schema_is_compiled_by_pdl_which_says_what_is_weakened(engine: Any) -> None:
    schema = pdl.Schema.from_json_schema(
        {"type": "object", "properties": {"a": {"type": "string", "pattern": r"^(a)\1$"}}}
    )
    found = masker(engine, schema)
    assert [(entry.pointer, entry.keyword) for entry in found.weakened] == [
        ("#/properties/a", "pattern")
    ]
    exact = masker(engine, gbnf.compile(pdl.Schema.parse("{ a: int<1, 5> }")))
    assert exact.weakened == ()
    state = exact.start()
    for byte in b'{"a":':
        state = state.accept(_alone(byte))
    digits = {_alone(byte) for byte in b"12345"}
    assert digits <= set(state.allowed().tolist())
    assert _alone(ord("6")) not in state.allowed()


def _alone(byte: int) -> int:
    return list(vocabulary().tokens).index(bytes([byte]))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_schema_is_compiled_as_for_a_model(engine: Any) -> None:
    """An integer has one spelling."""
    schema = pdl.Schema.parse("{ a: int }")
    state = masker(engine, schema).start()
    other = masker(engine, gbnf.compile(schema)).start()
    for byte in b'{"a": 6':
        state, other = state.accept(_alone(byte)), other.accept(_alone(byte))
    assert _alone(ord(".")) in other.allowed()
    assert _alone(ord(".")) not in state.allowed()
    assert _alone(ord("}")) in state.allowed()


class Unasked(EngineMasker):
    """An engine that takes every grammar."""

    library = "json"

    def _begun(self, engine: Any, grammar: Grammar) -> TokenState:
        assert engine.dumps(str(grammar))
        return Ended(self.vocabulary)


@pytest.mark.parametrize("engine", [*ENGINES, Unasked])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("root ::= <|begin|>", ["`<|begin|>`"]),
        ('root ::= <[257]> "a"', ["`<[257]>`"]),
        ('root ::= "a" | x\nx ::= !<[1]> <[0]>\ny ::= <[7]>', ["`!<[1]>`", "`<[0]>`"]),
    ],
)
def test_grammars_that_name_tokens_are_refused(engine: Any, text: str, told: list[str]) -> None:
    """Each reference that the root leads to has its place; one that it does not is no matter."""
    with pytest.raises(pdl.GrammarError) as caught:
        masker(engine, gbnf.parse(text))
    problems = caught.value.problems
    assert [one.message.partition(" names a token")[0] for one in problems] == told
    assert all(one.span is not None and f"`{one.span.text}`" in one.message for one in problems)
    masker(engine, gbnf.parse('root ::= "a"\ny ::= <[7]>'))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_must_follow_is_told_with_tokens(engine: Any) -> None:
    state = masker(engine, gbnf.parse(GRAMMARS[0])).start()
    data, tokens = state.forced()
    assert data == b'{"key": '
    assert b"".join(vocabulary().tokens[token] for token in tokens) == data
    for token in tokens:
        state = state.accept(token)
    assert state.forced() == (b"", ())


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_does_not_take_is_an_error(engine: Any) -> None:
    with pytest.raises(TypeError, match="must be a Schema, a Compiled or a Grammar, not str"):
        masker(engine, 'root ::= "a"')
    state: Any = masker(engine, gbnf.parse(GRAMMARS[0])).start()
    for token in (True, 1.0, "a", None):
        with pytest.raises(TypeError, match=f"must be an int, not {type(token).__name__}"):
            state.accept(token)
    assert state.accept(np.int64(state.allowed()[0]))


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_work_where_maskers_work(engine: Any) -> None:
    held = Triggered(masker(engine, gbnf.parse('root ::= "x"')), "<think>")
    state = held.start().accept(made.byte_level().token_to_id("<think>") or 0)
    assert state.allowed().tolist() == [_alone(ord("x"))]
    state = state.accept(_alone(ord("x")))
    assert set(state.allowed().tolist()) == vocabulary().eos
    assert state.accept(min(vocabulary().eos)).allowed().tolist() == []
    with pytest.raises(TokenError, match="unknown token 70000"):
        state.accept(70_000)
