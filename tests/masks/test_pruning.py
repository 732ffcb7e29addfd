"""What of a grammar a vocabulary can say, against tokens that are tried one after the other."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_masks import PlainMasker
from shares import share

from pdl import gbnf
from pdl.errors import GrammarError
from pdl.gbnf.nodes import Rule, RuleRef, Sequence
from pdl.gbnf.utf8 import normal
from pdl.masks import Masker, Vocabulary
from pdl.masks.pruning import References, prune_to_vocabulary
from pdl.masks.spelling import spellable

ASCII = [bytes([byte]) for byte in range(1, 128)]
E_ACUTE = "é".encode()
LETTERS = "aéèßࠀ’“日本😀😁\U00040000"


def held(*tokens: bytes) -> Vocabulary:
    """The tokens after those of ASCII, from number 127 on, and one that ends texts."""
    return Vocabulary([*ASCII, *tokens, b"</s>"], eos=127 + len(tokens))


def first(text: str, vocabulary: Vocabulary) -> set[bytes]:
    """What a text of a grammar may begin with, ASCII aside."""
    masker = Masker(gbnf.parse(text), vocabulary)
    rules = prune_to_vocabulary(masker.grammar, vocabulary, References(vocabulary))
    plain = PlainMasker(gbnf.Grammar(tuple(rules.values())), vocabulary)
    allowed = masker.start().allowed().tolist()
    assert allowed == plain.start().allowed().tolist()
    return {vocabulary.tokens[token] for token in allowed if token >= len(ASCII)}


@pytest.mark.parametrize("other", [b"\xff", b"\xf0\x9f", b"\xa9", b"\xa9x", b"\xe0\x80", b"\x80x"])
def test_a_character_that_is_a_token_is_spellable(other: bytes) -> None:
    """Whatever other tokens are not whole characters."""
    vocabulary = held(E_ACUTE, other)
    for text in ('root ::= "é"', "root ::= [é]", "root ::= [^a]", 'root ::= [^"]+', "root ::= ."):
        assert first(text, vocabulary) == {E_ACUTE}


def test_a_character_may_be_made_in_pieces() -> None:
    """By its bytes, or by several at once, with which tokens begin or go on."""
    assert first('root ::= "é"', held(b"\xc3", b"\xa9")) == {b"\xc3"}
    assert first('root ::= "日"', held(b"\xe6\x97", b"\xa5")) == {b"\xe6\x97"}
    assert first('root ::= "😀"', held(b"\xf0", b"\x9f\x98", b"\x80")) == {b"\xf0"}
    assert first('root ::= "日" | "x"', held(b"\xe6", b"\xa5")) == set()


def test_what_tokens_begin_they_can_finish() -> None:
    """At least as one character of those that may stand there."""
    both = held(E_ACUTE, b"\xc3", b"\xa8")
    assert first("root ::= [éè]", both) == {E_ACUTE, b"\xc3"}
    assert first("root ::= [^a]", both) == {E_ACUTE, b"\xc3"}
    assert first('root ::= "x" | [é-ê]', held(E_ACUTE, b"x\xc3")) == set()
    assert first('root ::= "é" | "è"', both) == {b"\xc3"}
    assert first("root ::= [é😀ࠀ]", held(E_ACUTE, b"\xf0", b"\xe0", b"\x83\xa9")) == {E_ACUTE}
    assert first("root ::= [é日]", held(E_ACUTE, "日".encode(), b"\xc3")) == {"日".encode()}


def test_classes_stay_as_they_are_where_each_cut_can_be_finished() -> None:
    """So that a byte that is lacking costs nothing."""
    vocabulary = Vocabulary([bytes([byte]) for byte in range(256) if byte != 0x9F], eos=0)
    grammar = gbnf.parse('root ::= [^a] [Ø-ß] . [^"\\\\]')
    rules = prune_to_vocabulary(grammar, vocabulary, References(vocabulary))
    assert rules["root"] is grammar.rule["root"]
    with pytest.raises(GrammarError, match="'ß' is not a token or a sequence"):
        Masker(gbnf.parse('root ::= "ß"'), vocabulary)


def test_what_can_be_spelled_is_found_once() -> None:
    """A masker takes no longer than over a vocabulary that lacks nothing."""
    vocabulary = Vocabulary([bytes([byte]) for byte in range(256) if byte != 0x9F], eos=0)
    assert spellable(vocabulary) is spellable(vocabulary)
    assert spellable(Vocabulary([bytes([byte]) for byte in range(256)], eos=0)) is None
    start = process_time()
    for number in range(100):
        letter = chr(ord("A") + number % 26)
        Masker(gbnf.parse(f'root ::= [^{letter}]* [^a{letter}] [^"{letter}]'), vocabulary)
    assert process_time() - start < 4


NOTHING = "the vocabulary cannot spell any string of the rule `root`"


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        (
            'root ::= "a" root',
            "1:1",
            "the rule `root` matches no string",
            "each alternative refers to the rule itself, or to something that matches nothing",
        ),
        (
            'root ::= "a" <[9999]>',
            "1:14",
            NOTHING,
            "unknown token 9,999: the vocabulary has 130 tokens",
        ),
        (
            'root ::= ("ü" | "a") (other | "a" root)\nother ::= "b" [α-ω]+',
            "2:15",
            NOTHING,
            "no character of the class is a token or a sequence of tokens",
        ),
        (
            'root ::= "xü"',
            "1:10",
            NOTHING,
            "'ü' is not a token or a sequence of tokens; longer ones do not count",
        ),
        (
            'root ::= "日"',
            "1:10",
            NOTHING,
            "tokens can begin '日' as b'\\xe6', but none can complete it",
        ),
        (
            "root ::= [日本]",
            "1:10",
            NOTHING,
            "tokens can begin a character of the class, but none can complete it",
        ),
    ],
)
def test_the_error_says_what_is_lacking_and_where(
    text: str, place: str, message: str, hint: str
) -> None:
    """The grammar itself, a token, or characters: of what the root cannot do without."""
    vocabulary = held("日".encode(), b"a\xe6")
    with pytest.raises(GrammarError) as caught:
        Masker(gbnf.parse(text), vocabulary)
    problem = caught.value.problems[0]
    assert str(problem.location) == f"<grammar>:{place}"
    assert (problem.message, problem.hint) == (message, hint)


def test_a_grammar_without_a_source_has_no_place() -> None:
    """One that was made of nodes, or matches nothing over a vocabulary that lacks nothing."""
    whole = Vocabulary([bytes([byte]) for byte in range(256)], eos=0)
    made = gbnf.Grammar((Rule("root", (Sequence((RuleRef("root"),)),)),))
    with pytest.raises(GrammarError, match=r"^the rule `root` matches no string"):
        Masker(made, whole)
    with pytest.raises(GrammarError, match="unknown token 256: the vocabulary has 256"):
        Masker(gbnf.parse("root ::= <[256]>"), whole)


PIECES = st.tuples(
    st.text(st.sampled_from(LETTERS), min_size=1, max_size=3), st.integers(0, 3), st.integers(0, 3)
).map(lambda one: one[0].encode()[one[1] : len(one[0].encode()) - one[2]] or b"a")


@settings(max_examples=share(300))
@given(st.lists(PIECES, max_size=12), st.sets(st.sampled_from(LETTERS), min_size=1))
def test_what_is_kept_of_a_class_is_what_tokens_can_finish(
    pieces: list[bytes], letters: set[str]
) -> None:
    """All that can stay without leading to a place at which no token can go on."""
    vocabulary = Vocabulary([*pieces, b"</s>"], eos=len(pieces))
    texts = {letter.encode() for letter in letters}
    found = spellable(vocabulary)
    assert found is not None
    kept = found.kept(normal((ord(letter), ord(letter)) for letter in letters))
    codes = {code for low, high in kept for code in range(low, high + 1)}
    spoken = {piece for token, piece in enumerate(pieces) if token not in vocabulary.special}
    assert {chr(code).encode() for code in codes} == finished(texts, spoken)


def finished(texts: set[bytes], pieces: set[bytes]) -> set[bytes]:
    """The greatest set of characters in which each cut can be finished, and the start."""
    cuts = {b"", *reached(pieces)}
    while True:
        bad = {
            text
            for text in texts
            for size in range(len(text))
            if text[:size] in cuts
            and not any(one[:size] == text[:size] and made(one[size:], pieces) for one in texts)
        }
        if not bad:
            return texts
        texts = texts - bad


def made(data: bytes, pieces: set[bytes]) -> bool:
    """Whether some bytes are tokens, one behind the other."""
    return not data or any(
        data.startswith(piece) and made(data[len(piece) :], pieces) for piece in pieces
    )


def reached(pieces: set[bytes]) -> set[bytes]:
    """Where tokens may end amid a character, whatever the text in front of it."""
    found: set[bytes] = set()
    pending = [b""]
    while pending:
        start = pending.pop()
        for piece in pieces:
            cut = _open(start + piece)
            if cut and cut not in found:
                found.add(cut)
                pending.append(cut)
    return found


def _open(data: bytes) -> bytes:
    """The part of a character at the end of some text; nothing if it is none."""
    for size in range(4):
        end = data[len(data) - size :]
        try:
            data[: len(data) - size].decode()
        except UnicodeDecodeError:
            continue
        return end if any(chr(code).encode().startswith(end) for code in _CODES) else b""
    return b""


_CODES = [*range(0x80, 0xD800, 64), *range(0xE000, 0x110000, 64)]
