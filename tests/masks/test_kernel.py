"""The masks of the kernel in C: those of numpy and of the matcher; and any misuse of it."""

from __future__ import annotations

import ctypes
from random import Random
from typing import TYPE_CHECKING, Any

import grammars as random_grammars
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shares import share

from pdl import Limits, gbnf
from pdl.errors import LimitError
from pdl.masks import Masker, Vocabulary, native
from pdl.masks import kernel as kernels
from pdl.masks.engine import Engine
from pdl.masks.mask_cache import mask_cache
from pdl.masks.pushdown import Place

if TYPE_CHECKING:
    from pdl.gbnf import Grammar

needs_kernel = pytest.mark.skipif(
    native.library() is None, reason="the kernel was not built, or PDL_NATIVE is 0"
)
LETTERS = [*'abxyzcéA019-:,.{}[]<&"\\ \n', "😀", "日本", "u"]


def vocabulary(rng: Random) -> Vocabulary:
    """A few tokens, with all bytes or without most of them."""
    bytes_ = range(256) if rng.random() < 0.7 else [*range(32, 127), 0xC3, 0xA9]
    found = [bytes([byte]) for byte in bytes_]
    for _ in range(rng.choice((5, 40, 200))):
        size = rng.choice((2, 2, 3, 4, 8, 16))
        data = "".join(rng.choice(LETTERS) for _ in range(size)).encode()
        found.append(data[rng.random() < 0.1 : len(data) - (rng.random() < 0.1)] or b"q")
    found += [b"a" * size for size in (2, 5, 17, 40)] + [b"<|eot|>", b"", b"<eos>"]
    return Vocabulary(found, special=[len(found) - 3], eos=len(found) - 1)


def both(grammar: Grammar, held: Vocabulary) -> tuple[Engine, Engine]:
    """The engine of a grammar with the kernel, and with numpy."""
    one, other = (
        Engine(grammar, None, mask_cache(held), native=native) for native in (True, False)
    )
    return one, other


def walked(grammar: Grammar, held: Vocabulary, rng: Random, steps: int) -> int:
    """Compare the masks of both engines along random tokens; returns how many were the kernel's."""
    one, other = both(grammar, held)
    here: Any = one.start
    there: Any = other.start
    found = 0
    for _ in range(steps):
        mask = other.mask(there)
        assert (one.mask(here) == mask).all(), str(grammar)
        assert here.complete == there.complete
        found += isinstance(here, Place)
        tokens = np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
        if not len(tokens):
            break
        data = held.tokens[int(rng.choice(tokens.tolist()))]
        here, there = one.run(here, data), other.run(there, data)
    return found


@needs_kernel
@settings(max_examples=share(100), suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from((random_grammars.WIDE, random_grammars.SMALL)).flatmap(
        random_grammars.grammars
    ),
    st.integers(0, 1 << 30),
)
def test_masks_are_those_of_numpy(grammar: Grammar, seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - tests draw
    walked(grammar, vocabulary(rng), rng, 6)


COUNTED = {
    "in a string": r'root ::= "\"" [^"\\]{0,40} "\"" root?',
    "at least": r'root ::= "\"" [^"\\]{3,40} "\"" root?',
    "of a rule": 'root ::= "<" char{0,100} ">" root?\nchar ::= [^<>&] | "&" [a-z] ";"',
    "in each other": r'root ::= ("<" ([a-z] "b"?){0,9} ">"){0,60} "!"',
    "beginning together": r'root ::= ("b" ([a-z]{0,9}){0,9}){0,60} "!"',
    "side by side": r"root ::= [a-z]{0,30} [a-m ]{2,40} [0-9]{0,20} root?",
    "of alternatives": 'root ::= char{20} char{0,9} "x" | char{0,19} "y"\nchar ::= [^xy]',
    "blanks": r"""
root ::= "[" ws ("1" ws ("," ws "1" ws){0,50})? "]"
ws ::= " "{0,20} | "\n" [ \t]{0,40}
""",
    "nullable": 'root ::= x{0,30} "."\nx ::= "a"? "b"?',
}


CHARACTERS = {
    "one": r'root ::= "\"" ("a" [^é"]* | [^a"] [^"]*) "\"" root?',
    "names": r'root ::= "\"" ("é" [^"]* | "日本" | [^é"日] [^"]*) "\"" root?',
    "ranges": r'root ::= "\"" ([é-ÿ] [a-z]* | [^é-ÿ"] [^"]*) "\"" root?',
    "some": r'root ::= "\"" ("a" [^"x]* | [é日] "x" [^"]* | [^aé日"] [^"]*) "\"" root?',
    "counted characters": r'root ::= "\"" ("a" [^"]{0,40} | [^a"] [^"]{0,9}) "\"" root?',
}


@needs_kernel
@pytest.mark.parametrize("text", (COUNTED | CHARACTERS).values(), ids=COUNTED | CHARACTERS)
def test_what_is_alike_for_some_bytes(text: str) -> None:
    """Repetitions far from their ends are endless; parts of characters may be those of others."""
    rng = Random(text)  # noqa: S311 - tests draw
    grammar = gbnf.parse(text)
    found = sum(walked(grammar, vocabulary(rng), rng, 12) for _ in range(share(20)))
    assert found > share(20)


@needs_kernel
def test_tokens_in_repetitions() -> None:
    """Each copy has an edge for its token, and the rounds are counted."""
    held = Vocabulary([*(bytes([byte]) for byte in range(256)), b"<|eot|>", b"$"], eos=257)
    grammar = gbnf.parse('root ::= (("a" <[256]>){2} "b"?){0,3} "!"')
    state: Any = Masker(grammar, held).start()
    for round_ in range(3):
        for _ in range(2):
            assert ord("a") in state.allowed()
            state = state.accept(ord("a"))
            assert list(state.allowed()) == [256]
            state = state.accept(256)
        assert (ord("a") in state.allowed()) == (round_ < 2)
        assert {ord("b"), ord("!")} <= set(state.allowed())
    assert 256 not in state.allowed()


@needs_kernel
def test_what_is_too_ambiguous_goes_to_the_matcher() -> None:
    """And comes out with the same masks."""
    held = vocabulary(Random(2))  # noqa: S311 - tests draw
    one, other = both(gbnf.parse('root ::= "x" | "a" root "b" | "a" root "c"'), held)
    here: Any = one.start
    there: Any = other.start
    for text in (b"a" * 6, b"a" * 10, b"x", b"bc" * 8):
        here, there = one.run(here, text), other.run(there, text)
        assert isinstance(here, Place) == (text == b"a" * 6)
        assert (one.mask(here) == other.mask(there)).all()
    assert here.complete


@needs_kernel
def test_a_full_kernel_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of the old one remain, and go on in the new one."""
    monkeypatch.setattr(kernels, "_BOUND", 400_000)
    held = vocabulary(Random(3))  # noqa: S311 - tests draw
    one, other = both(
        gbnf.parse('root ::= "[" (root | word) ("," root)* "]"\nword ::= [a-z]*'), held
    )
    kernel = one.walk  # the one of the beginning
    here: Any = one.start
    there: Any = other.start
    old = here
    while one.walk is kernel:
        old, here, there = here, one.run(here, b"["), other.run(there, b"[")
    assert old.walk is kernel
    assert here.walk is one.walk
    assert (one.mask(here) == other.mask(there)).all()
    assert one.run(old, b"[") == here


@needs_kernel
def test_limits_are_those_of_the_matcher() -> None:
    """They are met where a text gets there, each time anew, and not before."""
    text = 'root ::= "a" many | "b" few\nmany ::= "' + "x" * 200 + '"\nfew ::= "c"'
    grammar = gbnf.parse(text, limits=Limits(grammar_states=100))
    one, other = both(grammar, vocabulary(Random(4)))  # noqa: S311 - tests draw
    here = one.run(one.start, b"b")
    assert isinstance(here, Place)
    assert (one.mask(here) == other.mask(other.run(other.start, b"b"))).all()  # type: ignore[arg-type]
    for _ in range(3):
        with pytest.raises(LimitError, match="more than 100 states"):
            one.run(one.start, b"a")
    single = Vocabulary([bytes([byte]) for byte in range(256)] + [b"$"], eos=256)
    assert list(Masker(grammar, single).start().allowed()) == [ord("a"), ord("b")]


def test_tokens_of_any_length() -> None:
    """Longer ones than the kernel counts go to numpy."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"a" * 66_000, b"$"]
    held = Vocabulary(tokens, eos=257)
    for text, is_allowed in (('root ::= [a-z]* "!"', True), ('root ::= [a-z]{0,99} "!"', False)):
        allowed = Masker(gbnf.parse(text), held).start().allowed()
        assert (256 in allowed) == is_allowed


def test_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As asked for; and if it is required it must be there."""
    assert native.library("0") is None
    with pytest.raises(ImportError, match="PDL_NATIVE must be 0, 1 or require, not 'yes'"):
        native.library("yes")
    monkeypatch.setattr(native, "_PATH", native._PATH.with_name("_missing.native"))  # noqa: SLF001
    native.library.cache_clear()
    try:
        assert native.library("1") is None
        with pytest.raises(ImportError, match=r"is require, but _missing\.native can't be"):
            native.library("require")
        monkeypatch.delenv("PDL_NATIVE", raising=False)
        held = vocabulary(Random(1))  # noqa: S311 - tests draw
        assert len(Masker(gbnf.parse('root ::= "a" | "b"'), held).start().allowed()) == 2
    finally:
        monkeypatch.undo()
        native.library.cache_clear()


@needs_kernel
@settings(max_examples=share(300), deadline=None)
@given(st.integers(0, 1 << 30))
def test_whatever_numbers_it_is_given(seed: int) -> None:
    """It refuses what it does not know: states, configurations, stacks, members, records."""
    rng = Random(seed)  # noqa: S311 - tests draw
    held = vocabulary(Random(seed % 5))  # noqa: S311
    one, _ = both(gbnf.parse('root ::= "\\"" [^"]{0,9} "\\"" ("," root)? | "x" root "y"'), held)
    lib, engine = native.library(), one.walk._engine  # type: ignore[union-attr]  # noqa: SLF001
    room = np.zeros(1 << 15, np.int32)
    mask = np.zeros(len(held) // 32 + 1, np.int32)

    def number() -> int:
        return rng.choice((-1, 0, 1, 2, 3, 7, 40, rng.randrange(100), -(1 << 31), (1 << 31) - 1))

    def ints(size: int) -> Any:
        return (ctypes.c_int32 * size)(*(number() for _ in range(size)))

    def rule() -> int:
        """Load a rule whose records are nearly right, and use its states."""
        first = rng.choice((100, 200, 300, 600, 5_000, number()))
        end = first + rng.choice((10, 40, 90, 3_000))
        near = [*range(100, 110), 130, 205, *range(256), *(number() for _ in range(40))]
        records: list[int] = []
        for state in rng.sample(range(8), rng.randrange(8)):
            kind = rng.choice((1, 1, 2, 3, 4, 5, 5, 6, 6, 6, number()))
            size = {1: 3 * rng.randrange(3), 3: 2, 4: 0, 6: 5}.get(kind, rng.randrange(4))
            data = [
                rng.choice((first + rng.randrange(10), *rng.sample(near, 3))) for _ in range(size)
            ]
            if kind == 6:
                data[:2] = rng.choice(((1, 2), (2, 3), (4, 9), (6, 2), (2, 1 << 30)))
            given = rng.choice((size, size, size, size, number()))
            records += (rng.choice((first + state,) * 5 + (number(),)), kind, given, *data)
        held = (ctypes.c_int32 * len(records))(*records)
        start = first + rng.randrange(3)
        try:
            code = lib.pdl_rule(engine, rng.randrange(9), start, first, end, held, len(records))
        except ctypes.ArgumentError:
            return 0
        items = [one for _ in range(8) for one in (first + rng.randrange(end - first), 0)]
        for step in range(0, 16, 2):
            found = lib.pdl_config(engine, (ctypes.c_int32 * 2)(*items[step : step + 2]), 1, 0)
            if found > 1:
                lib.pdl_walk(engine, found >> 1, ints(1), bits)
                lib.pdl_kind(engine, found >> 1, out)
        return int(code)

    out, more, bits = map(native.pointer, (room, room[1 << 14 :], mask))
    keys, ends, nodes, members = ints(3), (ctypes.c_int32 * 3)(1, 2, 3), ints(3), ints(4)
    calls = (
        lambda: lib.pdl_walk(engine, number(), ints(1), bits),
        lambda: lib.pdl_differ(engine, number(), number(), ints(1), bits),
        lambda: lib.pdl_kind(engine, number(), out),
        lambda: lib.pdl_lexeme(engine, number(), out, more),
        lambda: lib.pdl_run(engine, number(), b"\"abc,x'", 6),
        lambda: lib.pdl_items(engine, number(), out, 100),
        lambda: lib.pdl_frame(engine, number(), out),
        lambda: lib.pdl_push(engine, number(), number()),
        lambda: lib.pdl_config(engine, ints(8), 4, number() & 1),
        rule,
        rule,
        rule,
        lambda: lib.pdl_leave(engine, members, 4, keys, ends, 3, nodes, bits),
    )
    for _ in range(40):
        assert rng.choice(calls)() >= -4
