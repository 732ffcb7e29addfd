"""What lint finds by following texts: as many stacks as llama.cpp has, and true ambiguity."""

from __future__ import annotations

import json
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from grammars import GRAMMARS, SMALL, grammars
from hypothesis import given
from hypothesis import strategies as st
from llama import llama, needs_llama
from walks import walk

from pdl import gbnf
from pdl.gbnf.analysis import NEVER, TOKEN, Shortest
from pdl.gbnf.linting.ambiguity import Reader, loops
from pdl.gbnf.linting.json_proof import ENDS, START, kinds, step
from pdl.gbnf.linting.llama_stacks import Elements, SpentError, Stacks
from pdl.gbnf.linting.rules import reached_rules
from pdl.gbnf.linting.stack_explosion import Search
from pdl.gbnf.nodes import CharClass, Group, Literal, Repeat, RuleRef, bounded
from pdl.gbnf.utf8 import of_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.nodes import Item, Rule, Sequence

DOUBLING = [f'r{n} ::= r{n + 1} | r{n + 1} "x"\n' for n in range(20)]
CHUNKS = [f"g{n} ::= c{{0,100}} g{n + 1}\n" for n in range(10)]
HOSTILE = {
    "min-over-max": ('root ::= "a"{5,2}', "min-over-max"),
    "hidden": ('root ::= a root "y" | "x"\na ::= b\nb ::= "q" | ', "left-recursion"),
    "hidden-group": ('root ::= ("a"?) root "y" | "x"', "left-recursion"),
    "doubling": ("root ::= r0\n" + "".join(DOUBLING) + 'r20 ::= "a"', "recursion-check"),
    "doubling-stacks": ("root ::= r0\n" + "".join(DOUBLING) + 'r20 ::= "a"', "many-stacks"),
    "parentheses": ("root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000, "limit/grammar-depth"),
    "optional": ("root ::= " + r'[^"\\]? ' * 50, "ambiguous-repeats"),
    "optional-mask": ("root ::= " + r'[^"\\]? ' * 50, "mask-blow-up"),
    "flat": ("root ::= " + " | ".join(f'"item {n}"' for n in range(500)), "flat-alternatives"),
    "chunks": ("root ::= g0\n" + "".join(CHUNKS) + 'g10 ::= "."\nc ::= [^"]', "ambiguous-repeats"),
    "chunks-stacks": ("root ::= g0\n" + "".join(CHUNKS) + 'g10 ::= "."\nc ::= [^"]', "many-stacks"),
    "brackets": ('root ::= "(" root ")" | "(" root ")" | "x"', "exponential-ambiguity"),
}


@pytest.mark.parametrize(("text", "code"), HOSTILE.values(), ids=HOSTILE)
def test_what_stops_llama_is_named_at_once(text: str, code: str) -> None:
    start = time.process_time()
    found = gbnf.lint(text)
    assert time.process_time() - start < 1
    assert any(one.problem.code.endswith(code) for one in found)


@needs_llama
@given(grammar=GRAMMARS, seed=st.integers(0, 2**32))
def test_stacks_are_those_of_llama(grammar: Grammar, seed: int) -> None:
    text = walk(grammar, Random(seed))  # noqa: S311 - a walk, no secret
    elements, stacks = Elements(grammar.rule), Stacks(20_000)
    try:
        live = stacks.entered(elements.rule("root"))
        most = len(live)
        for char in text:
            live = stacks.step(live, ord(char))
            most = max(most, len(live))
    except SpentError:
        return
    with llama(str(grammar)) as judge:
        assert judge is not None
        assert judge.match(text)[2] == most


@needs_llama
@given(grammar=GRAMMARS)
def test_the_worst_input_has_so_many_stacks_in_llama(grammar: Grammar) -> None:
    """What is said to be reached is reached: by that text, from the root on."""
    reached, shortest = reached_rules(grammar), Shortest(grammar.rule, undefined=TOKEN)
    search = Search(grammar, reached, shortest)
    peak, _ = search.worst()
    if not peak.proved or peak.peak.more:
        return
    with llama(str(grammar)) as judge:
        assert judge is not None
        assert judge.match(peak.peak.text)[2] == peak.peak.size


@given(grammar=grammars(SMALL))
def test_shortest_lengths_are_those_of_the_generator(grammar: Grammar) -> None:
    shortest = Shortest(grammar.rule, undefined=TOKEN)
    length = shortest.rule("root")
    if length < NEVER:
        text = shortest.text((RuleRef("root"),))
        assert len(text) == length == len(grammar.shortest())
        assert grammar.match(text)
    else:
        assert not any(True for _ in grammar.texts(1))


@given(grammar=grammars(SMALL))
def test_ambiguity_that_is_found_doubles(grammar: Grammar) -> None:
    """Three rounds of what is found have four ways at least, counted in another way.

    The first round need not double: `root ::= [ab] root*` has 1, 2, 5, 14 … ways.
    """
    shortest = Shortest(grammar.rule, undefined=TOKEN)
    for symbol, node in loops(grammar.rule, Elements(grammar.rule)):
        found = Reader(symbol, shortest, 500).doubled()
        if found is None:
            continue
        repeated = isinstance(node, Repeat)
        item: Item = Repeat(node.item, 0) if isinstance(node, Repeat) else RuleRef(node.name)
        middle = "" if repeated else shortest.text((item,))
        if shortest.item(item) < NEVER:
            text = found.before * 3 + middle + found.after * 3
            assert Ways(grammar.rule, text).of(item) >= 2**2


class Ways:
    """Counts the ways to read a text, the slow and certain way."""

    def __init__(self, rules: Mapping[str, Rule], text: str) -> None:
        self._rules = rules
        self._text = text
        self._known: dict[tuple[object, int], dict[int, int]] = {}

    def of(self, item: Item) -> int:
        return self._item(item, 0).get(len(self._text), 0)

    def _item(self, item: Item, at: int) -> dict[int, int]:
        """How many ways there are to each place where the item may end."""
        if isinstance(item, Literal):
            text = item.text
            return {at + len(text): 1} if self._text.startswith(text, at) else {}
        if isinstance(item, CharClass) and not item.ranges:
            return {at: 1}
        if isinstance(item, RuleRef | Group | Repeat):
            key = (item.name if isinstance(item, RuleRef) else id(item), at)
            if key not in self._known:
                self._known[key] = {}  # a circle without a character counts for nothing
                self._known[key] = self._inner(item, at)
            return self._known[key]
        ranges = of_class(item) if isinstance(item, CharClass) else ((1, 0x10FFFF),)
        code = ord(self._text[at]) if at < len(self._text) else 0
        return {at + 1: 1} if any(low <= code <= high for low, high in ranges) else {}

    def _inner(self, item: RuleRef | Group | Repeat, at: int) -> dict[int, int]:
        if isinstance(item, RuleRef):
            return self._options(self._rules[item.name].options, at)
        if isinstance(item, Group):
            return self._options(item.options, at)
        most = bounded(item)
        rounds = len(self._text) + item.min + 1 if most is None else most
        ends: dict[int, int] = {}
        here = {at: 1}
        for done in range(rounds + 1):
            if done >= item.min:
                _add(ends, here, 1)
            here = self._then(here, item.item)
        return ends

    def _options(self, options: Iterable[Sequence], at: int) -> dict[int, int]:
        ends: dict[int, int] = {}
        for option in options:
            here = {at: 1}
            for item in option.items:
                here = self._then(here, item)
            _add(ends, here, 1)
        return ends

    def _then(self, here: dict[int, int], item: Item) -> dict[int, int]:
        ends: dict[int, int] = {}
        for at, count in here.items():
            _add(ends, self._item(item, at), count)
        return ends


def _add(to: dict[int, int], found: dict[int, int], times: int) -> None:
    for at, count in found.items():
        to[at] = to.get(at, 0) + count * times


BASES = (
    '{"a": [1, -2.5e+10, true, false, null, "x\\u00e9\\n"], "b": {}}', "[[],{}]", "0", "-0.1",
    '"\\\\\\""', "1E5", "[true]", ' {"k":"v"} ',
)  # fmt: skip


EDITS = st.lists(
    st.tuples(
        st.integers(0, 70), st.sampled_from('{}[]",:0123456789eE+-.truefalsn\\ \n\x01éb\x7f/')
    ),
    max_size=3,
)


@given(st.sampled_from(BASES), EDITS)
def test_the_machine_reads_json(text: str, edits: list[tuple[int, str]]) -> None:
    """It takes what `json.loads` takes, for texts that are JSON but for some edits."""
    for at, char in edits:
        text = text[:at] + char + text[at + ord(char) % 2 :]
    try:
        json.loads(text, parse_constant=_refuse)
    except ValueError:
        is_json = False
    else:
        is_json = True
    assert _takes(text) == is_json


def _refuse(name: str) -> None:
    raise ValueError(name)


def _takes(text: str) -> bool:
    state, opened = START, ""
    for char in text:
        (kind,) = kinds(((ord(char), ord(char)),))
        found = step(state, opened[-1:], kind)
        if found is None:
            return False
        state = found.state
        opened = opened[:-1] if found.closed else opened + found.opened
    return state in ENDS and not opened
