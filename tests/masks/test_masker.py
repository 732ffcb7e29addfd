"""Masks against the grammar's own matcher, which tries each token; and what a State does."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import re
from functools import lru_cache
from itertools import product
from random import Random
from threading import Thread
from typing import TYPE_CHECKING
from weakref import ref

import grammars as random_grammars
import numpy as np
import pytest
import schemata
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from large_vocabulary import large
from plain_masks import PlainMasker, PlainState
from shares import share

import pdl
from pdl import gbnf
from pdl.errors import GrammarError, PdlError
from pdl.gbnf import lexemes
from pdl.masks import (
    Masker,
    State,
    TokenError,
    Vocabulary,
    automaton,
    fill_bitmasks,
    lexeme_scan,
    mask_cache,
    walk,
)
from pdl.masks.pruning import References, prune_to_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pdl.gbnf import Grammar
    from pdl.masks.protocol import TokenState

LETTERS = [*'abxyzcéA019-:,.{}[]<&"\\ \n', "😀", "日本", "u"]
LEXICAL = dataclasses.replace(
    random_grammars.WIDE,
    literals=("a", "ab", '\\"', "x", ":"),
    classes=('[^"\\\\\\x00-\\x1f]', "[a-z]", "[^a]", "[ab]", ".", "[é-😀]"),
    suffixes=("*", "+", "{1,9}", "{0,30}", "{3,5}", "{2}"),
)
"""Long repetitions of wide classes."""
STYLES = (random_grammars.WIDE, random_grammars.SMALL, LEXICAL)
JSON = gbnf.parse(r"""
root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}"
array ::= "[" ws (value ("," ws value)*)? "]"
string ::= "\"" char* "\"" ws
char ::= [^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ws
ws ::= " "{0,20} | "\n" [ \t]{0,20}
""")


def spoken(rng: Random, count: int) -> list[bytes]:
    """Tokens of some letters, some of them cut off amid a character."""
    found = []
    for _ in range(count):
        size = rng.choice((1, 2, 2, 3, 3, 4, 5, 8))
        data = "".join(rng.choice(LETTERS) for _ in range(size)).encode()
        found.append(data[rng.random() < 0.1 : len(data) - (rng.random() < 0.1)] or b"q")
    return [*found, b"aaaa", b"a" * 20, b"", b"ab" * 8]


@lru_cache
def vocabulary(seed: int = 1, count: int = 300, kind: str = "bytes") -> Vocabulary:
    """A vocabulary with each byte as a token; of `chars`, whole characters only; or of `some`."""
    rng = Random(seed)  # noqa: S311 - tests draw
    alone = [bytes([byte]) for byte in range(256)] if kind == "bytes" else []
    if kind == "some":
        alone = [bytes([byte]) for byte in (*range(32, 127), 0xC3, 0xA9, 0xF0)]
    tokens = [*alone, *spoken(rng, count)]
    if kind == "chars":
        whole = [piece.decode("utf-8", "ignore").encode() for piece in tokens]
        tokens = [piece or b"a" for piece in whole] + [b"a", b"b", b"x", "é".encode()]
    size = len(tokens)
    tokens += [b"<|eot|>", b"<think>", b"<eos>"]
    return Vocabulary(tokens, special=[size, size + 1], eos=size + 2)


def prepared(grammar: Grammar, held: Vocabulary, seconds: float) -> Masker:
    """A masker that has computed masks in advance."""
    masker = Masker(grammar, held)
    masker.prepare(seconds)
    return masker


def spellable_part(grammar: Grammar, held: Vocabulary) -> Grammar:
    """The grammar without what leads nowhere, which masks never begin."""
    rules = prune_to_vocabulary(grammar, held, References(held))
    if all(rules[name] is grammar.rule[name] for name in rules):
        return grammar
    return gbnf.Grammar(tuple(rules.values()), grammar.root)


def walked(grammar: Grammar, held: Vocabulary, rng: Random, steps: int) -> Iterator[None]:
    """Compare masks on a random walk; each is that of the matcher, and none is empty."""
    try:
        here: TokenState = prepared(grammar, held, rng.choice((0, 0.01))).start()
    except GrammarError as error:
        assert error.problems[0].code == "gbnf/unsayable"  # noqa: PT017 - some grammars are
        return
    plain: TokenState = PlainMasker(spellable_part(grammar, held), held).start()
    for _ in range(steps):
        allowed = here.allowed().tolist()
        assert allowed == plain.allowed().tolist(), str(grammar)
        assert allowed, f"stranded: {grammar}"
        assert here.is_complete == plain.is_complete
        yield
        token = rng.choice(allowed)
        if token in held.eos:
            return
        here, plain = here.accept(token), plain.accept(token)


@settings(max_examples=share(60), suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(STYLES).flatmap(random_grammars.grammars),
    st.sampled_from(["bytes", "bytes", "chars", "some"]),
    st.integers(0, 1 << 30),
    st.sampled_from([(24, 24), (1, 1), (3, 0)]),
)
@pytest.mark.usefixtures("engine")
def test_a_mask_has_the_tokens_that_the_matcher_takes(
    grammar: Grammar, kind: str, seed: int, bounds: tuple[int, int]
) -> None:
    """Of any grammar, also where nearly everything is a lexeme, and every level has many nodes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexemes, "WIDE", bounds[0])
        patch.setattr(automaton, "WIDE", bounds[0])
        patch.setattr(walk, "WIDE", bounds[0])
        patch.setattr(walk, "FEW", bounds[1])
        patch.setattr(lexeme_scan, "SMALL", 4 * bounds[1])
        for _ in walked(grammar, vocabulary(kind=kind), Random(seed), 5):  # noqa: S311
            pass


@pytest.mark.usefixtures("engine")
def test_masks_of_many_grammars() -> None:
    """Compiled schemas, hand-written and random grammars, all over one small vocabulary."""
    rng = Random(20)  # noqa: S311
    held = vocabulary(3)
    states = grammars = 0
    while grammars < share(200):
        if grammars % 2:
            made = compiled(rng)
        else:
            made = random_grammars.parsed(random_grammars.written(rng, rng.choice(STYLES)))
        if made is None:
            continue
        grammars += 1
        states += sum(1 for _ in walked(made, held, rng, 6))
    assert states > share(600)


def compiled(rng: Random) -> Grammar | None:
    """The grammar of a random schema, if it has one."""
    try:
        return gbnf.compile(pdl.Schema.from_json_schema(schemata.schema(rng))).grammar
    except PdlError:
        return None


@pytest.mark.usefixtures("engine")
def test_many_states_over_a_large_vocabulary() -> None:
    """Each token that a mask allows is taken, each other one refused, of those that are tried."""
    rng = Random(5)  # noqa: S311
    held = large()
    states = 0
    while states < share(2_000):
        made = compiled(rng) if states % 3 else JSON
        if made is None:
            continue
        here: TokenState = Masker(made, held).start()
        plain = made.start()
        for _ in range(40):
            states += 1
            allowed = here.allowed()
            compare(allowed, plain, held, rng)
            texts = allowed[allowed < len(held) - 1]
            if not len(texts):
                break
            token = int(texts[rng.randrange(len(texts))])
            here, plain = here.accept(token), plain.accept_token(token, held.tokens[token])


def compare(allowed: NDArray[np.int32], plain: gbnf.State, held: Vocabulary, rng: Random) -> None:
    """Try tokens of a mask, others, and those that lie nearest to its own in the trie."""
    order, size = held.trie.order, len(allowed)
    tried = {int(allowed[rng.randrange(size)]) for _ in range(12)}
    tried |= {rng.randrange(len(held)) for _ in range(12)}
    places = np.flatnonzero(np.isin(order, allowed))
    for place in places[[rng.randrange(len(places)) for _ in range(8)]] if len(places) else ():
        tried |= set(order[max(0, place - 2) : place + 3].tolist())
    taken = set(allowed.tolist())
    for token in tried - held.eos:
        dead = plain.accept_token(token, held.tokens[token]).is_dead
        assert (token in taken) != dead, held.tokens[token]
    assert plain.is_complete == (held.eos <= taken)


@pytest.mark.usefixtures("engine")
def test_a_walk_over_all_tokens_finds_the_same() -> None:
    """With lexemes and without: each of some states of JSON over the large vocabulary."""
    held = large()
    texts = (
        '{"a',
        '{"a": "b c',
        '{"a": "\\',
        '{"a": "\\u0',
        '{"a": [1',
        '{"a":\n  ',
        '{"a": -',
        "{ ",
    )
    masker = Masker(JSON, held)
    for text in texts:
        here = after(masker, text)
        assert here.is_complete is False
        assert (all_walked(here) == here.bitmask()).all(), text


def all_walked(here: State) -> NDArray[np.int32]:
    """The mask of a state, without looking anything up."""
    engine = here.masker._engine  # noqa: SLF001 - the other way
    return engine.slow.mask(engine._configuration(here.configuration))  # noqa: SLF001


def after(masker: Masker, text: str) -> State:
    """The state behind a text, byte by byte."""
    here = masker.start()
    for byte in text.encode():
        here = here.accept(byte)  # type: ignore[assignment]  # not the end
    return here


PLAIN = vocabulary()
LINE = b'{"key": [1, 20.5, "text with \\n", {"a":true}], "b": null}'
ABC = gbnf.parse('root ::= "a" ("b" | "c"{2,3}) "d"?')


@lru_cache
def blank() -> Vocabulary:
    """The large vocabulary, and tokens of up to 128 blanks, as those of several models."""
    (eos,) = large().eos
    tokens = [token for number, token in enumerate(large().tokens) if number != eos]
    tokens += [b" " * size for size in range(2, 129)]
    return Vocabulary([*tokens, b"<eos>"], eos=len(tokens))


@pytest.mark.parametrize(
    "text",
    [
        'root ::= s+\ns ::= [^"]+',
        'root ::= (x | "<b>")*\nx ::= [^<]+',
        'root ::= t*\nt ::= [a-z]+ | [0-9]+ | " "+ | [.,;!?]',
        'root ::= "<a>" (root | text)* "</a>"\ntext ::= [^<]+',
        'root ::= (x y?)*\nx ::= [^a]+\ny ::= [^"]+',
        "root ::= [a-z] | [a-z] root | [a-z] root root",
        'root ::= a{10}\na ::= " "*',
        'root ::= stmt*\nstmt ::= ws [a-z]* ws ";"? ws\nws ::= [ \\n]*',
        'root ::= (word | " ")+\nword ::= [a-z ]+',
        'root ::= ("-" | [ -~])* | "none"',
        'root ::= w{1,40}\nw ::= [a-z]+ " "?',
        'root ::= (" " root ([ (] | ""){0,20} root) | [ (]+',
        'root ::= ([^%>] | again "!")* ">" root?\nagain ::= "%" [0-9a-z] again?',
    ],
)
@pytest.mark.usefixtures("engine")
def test_rules_that_go_on_as_themselves(text: str) -> None:
    """Each place of a token may be the beginning of the next one; what is learned stays bounded."""
    grammar, rng = gbnf.parse(text), Random(9)  # noqa: S311
    vocabulary = blank()
    masker = Masker(grammar, vocabulary)
    state: State = masker.start()
    plain = PlainMasker(grammar, vocabulary).start()
    for _ in range(4):
        allowed = set(state.allowed().tolist())
        tried = rng.sample(range(len(vocabulary)), 300)
        assert {token for token in tried if plain.following(token)} - vocabulary.eos == {
            token for token in tried if token in allowed
        } - vocabulary.eos
        token = rng.choice(sorted(allowed - vocabulary.eos))
        following = state.accept(token)
        assert isinstance(following, State)
        state, beside = following, plain.accept(token)
        assert isinstance(beside, PlainState)
        plain = beside
        assert mask_cache.mask_cache(vocabulary).size < 100 << 20


@pytest.mark.parametrize(
    "text",
    [
        'root ::= "\\"" x{0,6} "\\""\nx ::= [^"\\\\] | "\\\\" "b"',
        'root ::= "\\"" [a-z]{0,4} "\\""',
        'root ::= "\\"" [a-z]{3,7} "\\""',
        'root ::= "\\"" ([a-z] "b"?){0,4} "\\""',
        'root ::= "\\"" ([a-z] [a-z]){0,4} "\\""',
        'root ::= "\\"" (x "b"?){0,4} "\\""\nx ::= [a-z]',
        'root ::= "\\"" (x x){0,4} "\\""\nx ::= [a-z]',
        'root ::= "\\"" ([a-z]{0,3} "-"?){0,3} "\\""',
        'root ::= "\\"" (x{0,3} "b"){0,3} "\\""\nx ::= [a-z]',
        'root ::= "\\"" x{0,3} x{0,2} y "\\""\nx ::= [a-z]\ny ::= "1"*',
        'root ::= "\\"" x{0,3} [a-z]{2,4} "\\""\nx ::= [a-z]',
        'root ::= "\\"" x{0,3} x* "\\""\nx ::= [a-z]',
        'root ::= a [^z-a]{3,5} "x"\na ::= .{0,2}',
        "root ::= a [^z-a]{3,5}?\na ::= .{0,2}",
    ],
)
@pytest.mark.usefixtures("engine")
def test_counted_rounds(text: str) -> None:
    """So many and no more, wherever a text stands in them, of copies of several shapes."""
    rng = Random(3)  # noqa: S311
    letters = [b"a" * size for size in range(2, 9)] + [b"ab", b"abab", b"a-", b"a-b", b'a"', b"bb"]
    small = Vocabulary([*(bytes([byte]) for byte in range(256)), *letters, b"$"], eos=269)
    for held in (small, vocabulary(3)):
        for _ in range(6):
            assert len(list(walked(gbnf.parse(text), held, rng, 9))) > 0


@pytest.mark.parametrize("pattern", ["([ab]{0,3}){0,2}", "([b][ab]{0,3}){0,2}"])
@pytest.mark.usefixtures("engine")
def test_rounds_of_repetitions_that_begin_together(pattern: str) -> None:
    """All masks are those of the texts that a regular expression takes."""
    letters = ["".join(found) for size in range(9) for found in product("ab", repeat=size)]
    texts = list(filter(re.compile(pattern).fullmatch, letters))
    begun = {text[:size] for text in texts for size in range(len(text) + 1)}
    held = Vocabulary(
        [*(bytes([byte]) for byte in range(256)), b"ab", b"bab", b"aaaa", b"$"], eos=259
    )
    masker = Masker(gbnf.parse(f"root ::= {pattern}"), held)
    for text in begun:
        state = after(masker, text)
        assert state.is_complete == (text in texts)
        allowed = {held.tokens[token].decode() for token in {*state.allowed().tolist()} - held.eos}
        assert allowed == {
            token for token in ("a", "b", "ab", "bab", "aaaa") if text + token in begun
        }


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ('root ::= ("key" | "a" [a-d]+) "]"', b""),
        ('root ::= "xa" [a-d]* "]"', b"x"),
    ],
)
@pytest.mark.usefixtures("engine")
def test_rounds_that_tokens_leave_only(text: str, before: bytes) -> None:
    """Below a node no token may stay in the rounds, and some may leave them."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"aa]", b"a------------", b"$"]
    here: TokenState = Masker(gbnf.parse(text), Vocabulary(tokens, eos=258)).start()
    for byte in before:
        here = here.accept(byte)
    assert 256 in here.allowed()
    assert 257 not in here.allowed()


def test_layout_of_a_mask() -> None:
    """Bit n % 32 of number n // 32, of as many numbers as hold all tokens; nobody can change it."""
    mask = Masker(ABC, PLAIN).start().bitmask()
    assert mask.dtype == np.int32
    assert mask.shape == (-(-len(PLAIN) // 32),)
    assert mask[ord("a") // 32] >> ord("a") % 32 & 1
    assert not mask.flags.writeable


def test_state() -> None:
    """A state is a value: it stays what it is when a token is taken."""
    start = Masker(ABC, PLAIN).start()
    one = start.accept(ord("a"))
    assert isinstance(one, State)
    two = one.accept(ord("b"))
    assert [state.is_complete for state in (start, one, two)] == [False, False, True]
    assert one.accept(ord("c")) == one.accept(ord("c"))
    assert copy.copy(one) is one
    (eos,) = PLAIN.eos
    end = two.accept(eos)
    assert end.is_complete
    assert not len(end.allowed())
    for held in (one, one.masker):
        assert copy.deepcopy(held) is held
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(held)


@pytest.mark.usefixtures("engine")
def test_deep_texts() -> None:
    """What must come after thousands of rules that wait; and tokens that are named there."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"<t>", b"$"]
    held = Vocabulary(tokens, special=[256], eos=257)
    masker = Masker(gbnf.parse('root ::= "(" root ")" | "x" <[256]> | "y"'), held)
    here = after(masker, "(" * 5000 + "x")
    assert here.allowed().tolist() == [256]
    here = here.accept(256)  # type: ignore[assignment]  # not the end
    data, found = here.forced()
    assert (data, len(found)) == (b")" * 4096, 4096)
    for _ in range(4096):
        here = here.accept(ord(")"))  # type: ignore[assignment]
    assert here.forced()[0] == b")" * 904
    assert after(masker, "((y").forced()[0] == b"))"


@pytest.mark.usefixtures("engine")
def test_a_rule_that_comes_back_at_its_end_within_a_lexeme() -> None:
    """What follows the rule must come after it, however often it comes back."""
    grammar = gbnf.parse('root ::= ([^%>] | again "!")* ">" root?\nagain ::= "%" [0-9a-z] again?')
    masker = Masker(grammar, PLAIN)
    for text in ("%1", "%1%2", "%1%2%a"):
        found = {PLAIN.tokens[token][:1] for token in after(masker, text).allowed().tolist()}
        assert found == {b"!", b"%"}


@pytest.mark.usefixtures("engine")
def test_masks_are_made_ahead() -> None:
    """Those that a text is likely to need; a limit that they meet is not met before a text does."""
    held = vocabulary(4, 1_000)
    shared = mask_cache.mask_cache(held)
    before = shared.masks.size
    masker = Masker(JSON, held)
    masker.prepare(0)
    assert shared.masks.size == before
    for _ in range(60):  # as long as a busy machine may need
        masker.prepare(1)
        if shared.masks.size > before + 20 * 300:  # bytes of each
            break
    else:
        pytest.fail("hardly any masks are made in a minute")
    assert after(masker, '{"a": [1').allowed().tolist()
    tight = dataclasses.replace(
        JSON, limits=dataclasses.replace(pdl.Limits(), grammar_configurations=2)
    )
    assert prepared(tight, held, 1).spent >= 0


def test_errors() -> None:
    """Each token that cannot be taken is named, and so is each argument of another type."""
    start = Masker(ABC, PLAIN).start()
    (eos,) = PLAIN.eos
    for token in (ord("b"), eos, eos - 1):
        with pytest.raises(TokenError, match=f"token {token}, b.*is not allowed here"):
            start.accept(token)
    for token in (-1, len(PLAIN)):
        with pytest.raises(TokenError, match=f"unknown token {token}: the vocabulary has"):
            start.accept(token)
    with pytest.raises(TypeError, match="token must be an int, not str"):
        start.accept("a")  # type: ignore[arg-type]
    assert start.accept(np.int64(ord("a"))) == start.accept(ord("a"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="grammar must be a pdl Grammar, not str"):
        Masker("root ::= x", PLAIN)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"vocabulary must be a pdl\.masks\.Vocabulary, not list"):
        Masker(ABC, [b"a"])  # type: ignore[arg-type]


@pytest.mark.usefixtures("engine")
def test_special_tokens_only_where_they_are_named() -> None:
    """By number, by text, and not by a negation, which takes texts alone."""
    (eos,) = PLAIN.eos
    think, eot = eos - 1, eos - 2
    start = Masker(gbnf.parse(f'root ::= <think> "a"* <[{eot}]> !<think>'), PLAIN).start()
    assert start.allowed().tolist() == [think]
    inside = start.accept(think)
    assert ord("a") in inside.allowed()
    assert eot in inside.allowed()
    other = inside.accept(eot).allowed()
    assert other.tolist() == sorted(PLAIN.trie.order.tolist())
    assert inside.accept(eot).accept(ord("q")).allowed().tolist() == [eos]
    text = Masker(gbnf.parse('root ::= "<think>" | "<eos>"'), PLAIN).start()
    assert not {think, eos} & set(text.allowed().tolist())
    with pytest.raises(GrammarError, match="`<other>` is not one token"):
        Masker(gbnf.parse("root ::= <other>"), PLAIN)


@pytest.mark.usefixtures("engine")
def test_forced() -> None:
    """Bytes without a choice, in the longest tokens; none where the text may end."""
    grammar = gbnf.parse(r'root ::= "aaaab" ("é" | "è") "x"?')
    start = Masker(grammar, PLAIN).start()
    data, tokens = start.forced()
    assert data == b"aaaab\xc3"
    assert b"".join(map(PLAIN.tokens.__getitem__, tokens)) == data
    assert PLAIN.tokens[tokens[0]] == b"aaaa"
    assert Masker(gbnf.parse("root ::= [ab]"), PLAIN).start().forced() == (b"", ())
    assert Masker(gbnf.parse('root ::= "" | "ab"'), PLAIN).start().forced() == (b"", ())


@pytest.mark.usefixtures("engine")
def test_what_a_vocabulary_cannot_say() -> None:
    """It is not begun; if nothing is left, that is an error."""
    held = Vocabulary([b"a", b"b", b"c", b"ax", b"bc", b""], eos=5)
    for text, words in (
        ('root ::= "a" ("x" | "bc")', {b"a"}),
        ('root ::= "a" "x"? "b"', {b"a"}),
        ('root ::= "b" | [ax] [x-z] "a"', {b"b"}),
        ('root ::= ("b" | other)+ "c"\nother ::= "a" other', {b"b", b"bc"}),
        ('root ::= other{0} "b"', {b"b"}),
        ("root ::= [a-z]{2}", {b"a", b"b", b"c", b"ax", b"bc"}),
    ):
        found = Masker(gbnf.parse(text), held).start().allowed()
        assert {held.tokens[token] for token in found} == words, text
    for text in ('root ::= "x"', 'root ::= "é" "a"', 'root ::= "a" root'):
        with pytest.raises(GrammarError, match=r"cannot spell any|matches no string"):
            Masker(gbnf.parse(text), held)


def test_fill() -> None:
    """A row for each state; all bits for None."""
    masker = Masker(ABC, PLAIN)
    start = masker.start()
    out = np.zeros((3, len(start.bitmask())), np.int32)
    fill_bitmasks([start, None, start.accept(ord("a"))], out)
    assert (out[0] == start.bitmask()).all()
    assert (out[1] == -1).all()
    assert (out[2] == start.accept(ord("a")).bitmask()).all()
    with pytest.raises(ValueError, match="out has 3 rows for 1 states"):
        fill_bitmasks([start], out)
    with pytest.raises(ValueError, match="a row of out is"):
        fill_bitmasks([start], out[:1, 1:])
    with pytest.raises(TypeError, match="out must be of int32, not float64"):
        fill_bitmasks([start], np.zeros((1, 3)))  # type: ignore[arg-type]


@pytest.mark.usefixtures("engine")
def test_caches_keep_to_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is forgotten is learned again, and gives the same masks."""
    fresh = vocabulary.__wrapped__  # one that was not made before has no caches
    expected = [mask.tobytes() for mask in states(Masker(JSON, fresh(9, 2_000)), LINE)]
    monkeypatch.setattr(mask_cache, "MASKS", 20_000)
    monkeypatch.setattr(mask_cache, "LEARNED", 200_000)
    monkeypatch.setattr(mask_cache, "LEXEMES", 2_000)
    held = fresh(9, 2_000)
    shared = mask_cache.mask_cache(held)
    for _ in range(3):
        for mask, other in zip(states(Masker(JSON, held), LINE), expected, strict=True):
            assert mask.tobytes() == other
            assert shared.size < 1_000_000


def test_a_full_walk_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the kernel; places of the old one remain, and go on in the new one."""
    monkeypatch.setattr("pdl.masks.masker.library", lambda: None)
    monkeypatch.setattr(walk, "_ROOM", 30_000)
    held = gbnf.parse('root ::= "[" (root | word) ("," root)* "]"\nword ::= [a-z]{0,300}')
    masker = Masker(held, PLAIN)
    engine = masker._engine  # noqa: SLF001
    first, here, expected = engine.walk, masker.start(), set()
    while engine.walk is first:
        old = here
        here = here.accept(ord("["))  # type: ignore[assignment]  # not the end
        expected.add(here.bitmask().tobytes())
    assert old.configuration.walk is first  # type: ignore[union-attr]
    assert here.configuration.walk is first  # type: ignore[union-attr]
    assert here.accept(ord("[")).configuration.walk is engine.walk  # type: ignore[union-attr]
    assert len(expected) == 1
    assert {old.bitmask().tobytes(), here.accept(ord("[")).bitmask().tobytes()} == expected


@pytest.mark.usefixtures("engine")
def test_a_masker_goes_when_it_is_let_go() -> None:
    """Without the garbage collector, however it leads to itself inside."""
    held = vocabulary(9, 2_000)
    masker = Masker(JSON, held)
    here = masker.start()
    for byte in b'{"a": "b"':
        here.bitmask()
        here = here.accept(byte)  # type: ignore[assignment]
    engine = masker._engine  # noqa: SLF001 - its parts lead back to it
    held_by = ref(engine), ref(engine.walk), ref(engine.slow)
    del engine
    gc.disable()
    try:
        del masker, here
        assert [one() for one in held_by] == [None] * 3
    finally:
        gc.enable()


@pytest.mark.usefixtures("engine")
def test_threads_share_a_masker() -> None:
    """Each finds what one finds alone."""
    held = vocabulary(4, 1_000)
    expected = [mask.tobytes() for mask in states(Masker(JSON, held), LINE)]
    masker = Masker(JSON, held)
    found: list[list[bytes]] = []

    def work() -> None:
        found.append([mask.tobytes() for mask in states(masker, LINE)])

    threads = [Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6


def states(masker: Masker, text: bytes) -> Iterator[NDArray[np.int32]]:
    """The masks along a text."""
    here = masker.start()
    for byte in text:
        yield here.bitmask()
        here = here.accept(byte)  # type: ignore[assignment]


def test_what_is_no_grammar_and_no_time() -> None:
    compiled = gbnf.compile(pdl.Schema.parse("int"))
    vocabulary = Vocabulary([bytes([byte]) for byte in range(256)] + [b"<eos>"], eos=256)
    with pytest.raises(TypeError, match="not Compiled: take its `grammar`"):
        Masker(compiled, vocabulary)  # type: ignore[arg-type]
    masker = Masker(compiled.grammar, vocabulary)
    with pytest.raises(TypeError, match="seconds must be a number, not str"):
        masker.prepare("x")  # type: ignore[arg-type]
    for seconds in (float("nan"), -1, float("inf")):
        with pytest.raises(ValueError, match="seconds must be from 0 to 3600, not"):
            masker.prepare(seconds)
