"""Free text until a trigger, then the grammar."""

from __future__ import annotations

import codecs
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_masks import PlainMasker

from pdl import gbnf
from pdl.masks import Masker, TokenError, Vocabulary
from pdl.masks.processors import LlamaCppProcessor, Triggered
from pdl.masks.processors.triggered import UTF8, AhoCorasick
from pdl.masks.vocabulary import build_trie

TOKENS = [b"a", b"b", b"<", b"/", b">", b"<t", b"t>", b"<t>", b"<t>a", b"a<t>", b"t", b"<<t>>",
          b"<think>", b"<t>", b"<eos>", b"<pad>"]  # fmt: skip
SPECIAL = [12, 13, 14, 15]
EOS = 14
VOCABULARY = Vocabulary(TOKENS, special=SPECIAL, eos=EOS)
MASKER = PlainMasker(gbnf.parse('root ::= "a" "b"'), VOCABULARY)


def behind(masker: Any, *tokens: int) -> Any:
    state = masker.start()
    for token in tokens:
        state = state.accept(token)
    return state


def test_all_is_free_until_the_trigger() -> None:
    masker = Triggered(MASKER, "<t>")
    start = masker.start()
    assert set(start.allowed()) == set(range(len(TOKENS))) - {8, 11, 12, EOS, 15}
    assert not start.is_complete
    assert start.forced() == (b"", ())
    assert not start.bitmask().flags.writeable
    for trigger in [(7,), (2, 10, 4), (5, 4), (2, 6), (0, 2, 5, 4), (9,), (13,)]:
        found = behind(masker, *trigger)
        assert found.allowed().tolist() == [0]
        assert behind(masker, *trigger, 0, 1).is_complete
    assert behind(masker, 2, 5).allowed().tolist() == behind(masker, 5).allowed().tolist()


def test_a_token_with_more_behind_the_trigger_is_forbidden() -> None:
    """Where that is depends on what stands in front."""
    tokens = [b"<", b"t", b"t>a", b">b", b">", b"x", b"</e>"]
    plain = PlainMasker(gbnf.parse('root ::= "x"'), Vocabulary(tokens, eos=6))
    masker = Triggered(plain, "<t>")
    assert set(masker.start().allowed()) == {0, 1, 2, 3, 4, 5}
    assert set(behind(masker, 0).allowed()) == {0, 1, 3, 4, 5}
    assert set(behind(masker, 0, 1).allowed()) == {0, 1, 2, 4, 5}
    with pytest.raises(TokenError, match="token 3, b'>b', continues after the end of a trigger"):
        behind(masker, 0, 1, 3)


def test_a_text_may_end_without_a_trigger_if_it_need_not_come() -> None:
    masker = Triggered(MASKER, "<t>", required=False)
    assert EOS in masker.start().allowed()
    assert masker.start().is_complete
    assert behind(masker, 0, EOS).allowed().tolist() == []
    with pytest.raises(TokenError, match="is not allowed after the end of the text"):
        behind(masker, 0, EOS, 0)
    assert not behind(masker, 7).is_complete
    with pytest.raises(TokenError, match="ends the text"):
        behind(Triggered(MASKER, "<t>"), EOS)
    with pytest.raises(TokenError, match="unknown token 99: the vocabulary has 16"):
        behind(masker, 99)


def test_a_token_may_be_the_trigger() -> None:
    masker = Triggered(MASKER, [12, "a<t>"])
    assert behind(masker, 12).allowed().tolist() == [0]
    assert behind(masker, 7).is_complete is False
    assert 8 in masker.start().allowed()
    assert behind(masker, 0, 5, 4).allowed().tolist() == [0]


@pytest.mark.parametrize(
    ("trigger", "error", "message"),
    [
        ([], ValueError, "there must be a trigger"),
        ("", ValueError, "not ''"),
        (99, ValueError, "trigger 99 is not a token ID: there are 16"),
        ([1.5], TypeError, "a trigger must be a text or a token ID, not 1.5"),
        (True, TypeError, "not True"),
        ("x" * 1_001, ValueError, "triggers may have at most 1,000 bytes in all"),
        (None, TypeError, "a trigger must be a text or a token ID, not None"),
        (bytearray(b"<t>"), TypeError, "not bytearray"),
        ([["<t>"]], TypeError, "not \\['<t>'\\]"),
        ("\ud800", ValueError, "a trigger must be valid UTF-8"),
        (b"\xe2", ValueError, "a trigger must be valid UTF-8"),
        (EOS, ValueError, "trigger 14, b'<eos>', ends a text: nothing can follow it"),
        ("<eos>", ValueError, "trigger 14, b'<eos>', ends a text"),
        ("</think>", ValueError, "cannot spell the trigger b'</think>'"),
        (["<t>", "x"], ValueError, "cannot spell the trigger b'x'"),
        ("<pad>x", ValueError, "cannot spell the trigger b'<pad>x'"),
    ],
)
def test_what_is_no_trigger_is_refused(trigger: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Triggered(MASKER, trigger)


def test_it_works_where_maskers_work() -> None:
    processor = LlamaCppProcessor(Triggered(MASKER, "<t>"), prompt=0)
    found = processor(np.array([0, 1, 5, 4]), np.zeros(len(TOKENS), np.single))
    assert np.flatnonzero(np.isfinite(found)).tolist() == [0]


BYTES = [bytes([byte]) for byte in range(256)]


def test_special_tokens_are_no_free_text_and_their_letters_do_not_count() -> None:
    """Nor are tokens without bytes; one whose text is a trigger is the trigger."""
    tokens = [*BYTES, b"<pad>", b"</think>", b"", b"<eos>"]
    vocabulary = Vocabulary(tokens, special=[256, 257], eos=259)
    masker = Triggered(PlainMasker(gbnf.parse('root ::= "a"'), vocabulary), "</think>")
    held = set(masker.start().allowed().tolist())
    assert held & {256, 257, 258, 259} == {257}
    assert behind(masker, ord("x"), 257).allowed().tolist() == [97]
    assert behind(masker, *b"x</think>").allowed().tolist() == [97]
    for token, why in [
        (256, "b'<pad>', is neither text nor a trigger"),
        (258, "b'', is neither text nor a trigger"),
        (259, "b'<eos>', ends the text, which cannot end here"),
        (0xFF, "makes the text invalid UTF-8"),
    ]:
        with pytest.raises(TokenError, match=why):
            masker.start().accept(token)


def test_free_text_is_utf_8() -> None:
    """Token by token, with the parts of characters that may go on; it does not end amid one."""
    tokens = [*BYTES, b"\xa9x", b"<eos>"]
    plain = PlainMasker(gbnf.parse('root ::= "a"'), Vocabulary(tokens, eos=257))
    masker = Triggered(plain, "X", required=False)
    texts = "aé€😀\U0010ffff\ud7ff\ue000\u0800\U00010000"
    for char in texts:
        here: Any = masker.start()
        *first, _ = char.encode()
        for byte in first:
            here = here.accept(byte)
            assert not here.is_complete
            assert 257 not in here.allowed()
            assert ord("X") not in here.allowed()
        assert masker.start().accept(0xC3).allowed().tolist() == [*range(0x80, 0xC0), 256]
    for wrong in (b"\x80", b"\xc0", b"\xe0\x80", b"\xed\xa0", b"\xf0\x8f", b"\xf4\x90", b"\xf5"):
        with pytest.raises(TokenError, match="makes the text invalid UTF-8"):
            behind(masker, *wrong)


@given(st.binary(max_size=6))
def test_parts_of_characters_are_those_of_python(data: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(data)
    except UnicodeDecodeError:
        assert UTF8.run(0, data) == UTF8.dead
    else:
        assert (UTF8.run(0, data) == 0) == (not decoder.getstate()[0])


def test_no_text_is_begun_that_cannot_come_to_a_trigger() -> None:
    """Where a vocabulary lacks bytes: here nothing completes what token 2 begins."""
    vocabulary = Vocabulary([b"x", b"<", b"\xe2", b"a\xe2", b"t>", b"<eos>"], eos=5)
    plain = PlainMasker(gbnf.parse('root ::= "x"'), vocabulary)
    masker = Triggered(plain, "<t>")
    assert masker.start().allowed().tolist() == [0, 1, 4]
    assert behind(masker, 1, 4).allowed().tolist() == [0]
    with pytest.raises(TokenError, match="no trigger could follow it"):
        behind(masker, 2)
    with pytest.raises(ValueError, match=r"trigger 2, b'.xe2', ends in the middle of"):
        Triggered(plain, 2)
    with pytest.raises(ValueError, match="cannot spell the trigger b'a'"):
        Triggered(plain, ["<t>", "a"])


@pytest.mark.parametrize("token", [True, 1.0, "a", None, [1], np.float32(1), np.array([1, 2])])
def test_tokens_are_integers_for_all_states(token: Any) -> None:
    """Of Python or of numpy, in the text, in front of it, behind its end."""
    grammar = gbnf.parse('root ::= "a" "b"')
    free = Triggered(Masker(grammar, VOCABULARY), "<t>")
    states: list[Any] = [free.start(), behind(free, 7), behind(free, 7, 0, 1, EOS)]
    for state in states:
        with pytest.raises(TypeError):
            state.accept(token)
    held: Any = (np.int64(7), np.uint8(0))
    assert behind(free, *held).allowed().tolist() == [1]


@pytest.mark.parametrize("masker", [None, VOCABULARY, gbnf.parse('root ::= "a"')])
def test_what_is_no_masker_is_refused(masker: Any) -> None:
    for made in (Triggered, _processor):
        with pytest.raises(TypeError, match=r"masker must be a pdl.masks.Masker or a Triggered"):
            made(masker, "<t>")


def _processor(masker: Any, _: str) -> LlamaCppProcessor:
    return LlamaCppProcessor(masker)


TEXTS = st.text("ab<", min_size=1, max_size=4).map(str.encode)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(st.text("ab<", max_size=5), max_size=8))
def test_the_search_finds_the_first_of_all_texts(texts: list[bytes], pieces: list[str]) -> None:
    """In whatever pieces a stream comes, and in each token of a trie."""
    search = AhoCorasick(texts)
    tokens = [piece.encode() for piece in pieces]
    trie = build_trie(tokens, range(len(tokens)))
    place, stream = 0, b""
    for _ in range(2):
        beyond = {n for n, one in enumerate(tokens) if one and _over(texts, stream + one)}
        if not _over(texts, stream) and search.found != place:
            places = search.run_trie(place, trie)
            nodes = {n: trie.find(one) for n, one in enumerate(tokens) if one}
            assert {n for n, at in nodes.items() if places[at] == search.beyond} == beyond
        for piece in tokens:
            stream += piece
            place = search.run(place, piece)
            ended = any(stream.endswith(text) for text in texts)
            over = _over(texts, stream)
            assert (place == search.beyond) == over
            assert (place == search.found) == (ended and not over)


def _over(texts: list[bytes], stream: bytes) -> bool:
    """Whether one of the texts ends before the stream does."""
    return any(text in stream[:-1] for text in texts)
