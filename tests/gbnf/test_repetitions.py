"""Networks are compiled rule by rule, and repetitions once: what that must not change."""

from __future__ import annotations

import re
import sys
from itertools import product
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import pytest
from grammars import GRAMMARS, SMALL, Style, grammars
from hypothesis import given
from hypothesis import strategies as st
from walks import walk

import pdl
from pdl import gbnf
from pdl.gbnf.nodes import Group, Repeat, Rule, Sequence, bounded

if TYPE_CHECKING:
    from random import Random
    from types import FrameType

    from pdl.gbnf import Grammar
    from pdl.gbnf.nodes import Item

NESTED = Style(
    literals=("a", "b", "ab", "é", ""),
    classes=("[ab]", "[^a]", "[é€]", "[]"),
    suffixes=("?", "{2}", "{0,2}", "{1,3}", "{2,4}", "{3,}", "{0,5}"),
    names=("root", "a", "b"),
    depth=3,
)
"""Grammars with repetitions in repetitions."""
SEEDS = st.randoms(use_true_random=False)
MOST = 20  # rounds that are written out


def unrolled(grammar: Grammar) -> Grammar:
    """The same texts, with each bounded repetition written out: `x{1,3}` is `x (x x?)?`."""
    rules = (Rule(one.name, tuple(map(_sequence, one.options))) for one in grammar.rules)
    return gbnf.Grammar(tuple(rules), grammar.root)


def _sequence(sequence: Sequence) -> Sequence:
    return Sequence(tuple(map(_item, sequence.items)))


def _item(item: Item) -> Item:
    if isinstance(item, Group):
        return Group(tuple(map(_sequence, item.options)))
    if not isinstance(item, Repeat):
        return item
    inner, most = _item(item.item), bounded(item)
    if (most or item.min) > MOST:
        return Repeat(inner, item.min, item.max)
    rest: tuple[Item, ...] = (Repeat(inner, 0, None),) if most is None else ()
    for _ in range((most or item.min) - item.min):
        rest = (Group((Sequence(), Sequence((inner, *rest)))),)
    return Group((Sequence((inner,) * item.min + rest),))


@given(grammars(NESTED) | grammars(SMALL) | GRAMMARS, SEEDS)
def test_a_repetition_takes_what_it_takes_written_out(grammar: Grammar, rng: Random) -> None:
    other = unrolled(grammar)
    for one in (grammar, other):
        for _ in range(5):
            text = walk(one, rng)
            first, second = grammar.match(text), other.match(text)
            assert (first.ok, first.position) == (second.ok, second.position), text


NESTS = (
    "([ab]{0,3}){0,2}",
    "([b][ab]{0,3}){0,2}",
    "([b][ab]{0,4}){0,3}",
    "([b][a]{0,3}){0,4}",
    "([ab]([b][ab]{0,2}[a]?){0,2}){0,3}",
    "(([b][ab]{0,2}){0,2}[a]){0,3}",
    "(([b][a]{0,3}){2}[ab]{0,3}){0,3}",
)
"""Repetitions whose states begin with those of another one; regular expressions, too."""


@pytest.mark.parametrize("pattern", NESTS)
def test_repetitions_that_begin_together(pattern: str) -> None:
    """The rounds that are left of one are not taken for those of the other."""
    grammar = gbnf.parse(f"root ::= {pattern}")
    taken = re.compile(pattern)
    for size in range(12):
        for letters in product("ab", repeat=size):
            text = "".join(letters)
            assert grammar.match(text).ok == bool(taken.fullmatch(text)), text


def test_what_no_text_reaches_is_not_compiled() -> None:
    grammar = gbnf.parse('root ::= "a" | "b" c\nc ::= (d{40} | "x"){1,50}\nd ::= [a-z]')
    assert grammar.match("a")
    assert len(grammar.rtn.moves) < 10
    assert grammar.match("b" + "x" * 5)
    assert len(grammar.rtn.moves) < 60
    assert len(grammar.rtn.states(1)) > 2_000


def test_a_rule_with_too_many_states_is_an_error_where_a_text_reaches_it() -> None:
    text = 'root ::= "a" | "b" c | "c" d\nc ::= ([a-z]{9} "-"){9}\nd ::= "x"'
    grammar = gbnf.parse(text, limits=pdl.Limits(grammar_states=50))
    assert grammar.match("a")
    for _ in range(2):
        with pytest.raises(pdl.LimitError, match=r"2:1: .*more than 50 states"):
            grammar.match("b")
    assert grammar.match("cx")


def test_threads_compile_a_rule_once() -> None:
    names = [f"r{number}" for number in range(200)]
    rules = "\n".join(f'{name} ::= "{name}" [a-é]{{2,9}}' for name in names)
    grammar = gbnf.parse(f"root ::= {' | '.join(names)}\n{rules}")
    start = Barrier(8)
    found: list[list[int]] = []

    def ask() -> None:
        start.wait()
        found.append([grammar.rtn.starts[rule] for rule in range(len(grammar.rules))])

    grammar.rtn  # noqa: B018 - made once
    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == found[:1] * 8
    places = [grammar.rtn.states(rule) for rule in range(len(grammar.rules))]
    assert sum(map(len, places)) == max(place.stop for place in places)


INTERRUPTED = 'root ::= x "a"{0,3} y{2,4}\nx ::= ("(" [x-z]{1,3} ")"){0,2}\ny ::= [bc]{1,3} "d"?'
TEXTS = ("bb", "(x)(yz)abcdbcd", "(x)(yz)a", "((", "aaaab", '"a"')


def answers(grammar: Grammar) -> list[str]:
    """What a grammar says of some texts."""
    return [str(grammar.match(text)) for text in TEXTS]


def interrupted(grammar: Grammar, left: int) -> int:
    """Match, interrupted after so many instructions that add rules; how many were left."""

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        module = frame.f_globals.get("__name__")
        if module not in {f"pdl.gbnf.{name}" for name in ("rule_compiler", "edges", "repetitions")}:
            return None
        frame.f_trace_opcodes = frame.f_code.co_name in {"add", "__missing__"}
        left -= event == "opcode"
        if left < 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        answers(grammar)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return left


def test_an_interrupt_while_a_rule_is_compiled() -> None:
    """It is compiled again, and the numbers of its states fit."""
    expected = answers(gbnf.parse(INTERRUPTED))
    most = 100_000 - interrupted(gbnf.parse(INTERRUPTED), 100_000)
    for left in range(most):
        grammar = gbnf.parse(INTERRUPTED)
        interrupted(grammar, left)
        assert answers(grammar) == expected, left
