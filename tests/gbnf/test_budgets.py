"""What is large, deep or ambiguous ends soon: in a result, or in a typed error."""

from __future__ import annotations

import threading
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from effort import effort

import pdl
from pdl import gbnf
from pdl.gbnf.matcher import Matcher

if TYPE_CHECKING:
    from collections.abc import Callable

AMBIGUOUS = {
    "tails": ('root ::= s\ns ::= "a" s "b" | "a" s "c" | "a" s | ""', "a", "bc"),
    "pairs": ('root ::= e\ne ::= "a" | "a" e | "a" e e', "a", ""),
    "triples": ('root ::= e\ne ::= "a" | "a" e e | "a" e e e', "a", ""),
    "palindromes": ('root ::= "a" root "a" | "b" root "b" | "a" | ""', "ab", ""),
    "closers": ('root ::= s\ns ::= "(" s ")"? s | ""', "(", ")"),
    "counters": ('root ::= "a"{0,2000} "a"{0,2000} "a"*', "a", ""),
    "nested counters": ('root ::= x{1,2000} "a"*\nx ::= "a"{1,2000} "b"?', "a", ""),
    "empty counters": ('root ::= x{2000} "a"*\nx ::= "a"? "b"?', "a", ""),
}
"""Grammars with their texts: what is repeated first, and behind that."""


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguity_costs_no_square(name: str) -> None:
    """Four times the text takes no sixteen times the calls; each byte leads to few states."""
    text, first, rest = AMBIGUOUS[name]
    efforts: list[int] = []
    for size in (400, 1600):
        matcher = gbnf.parse(text).matcher
        data = (first * size + rest * (size // 4)).encode()
        efforts.append(effort(matcher.run, matcher.start, data))
        here, taken = matcher.run(matcher.start, data)
        assert taken == size * len(first) + size // 4 * len(rest)
        assert len(here.items) < 20
    assert efforts[1] < 8 * efforts[0]


def test_what_is_forgotten_is_not_found_again_in_another_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With little memory the same steps are taken as with much; not ever more of them."""
    done: list[int] = []
    for room in (10**9, 20_000):
        monkeypatch.setattr("pdl.gbnf.matcher._ROOM", room)
        matcher = gbnf.parse('root ::= s\ns ::= "a" | "a" s | "a" s s').matcher
        _, taken = matcher.run(matcher.start, b"a" * 3000)
        assert taken == 3000
        done.append(matcher.steps)
    assert done[1] < 3 * done[0]


def test_the_work_for_each_byte_is_bounded() -> None:
    """Few states at once, and many steps to find them: repetitions inside each other."""
    grammar = gbnf.parse('root ::= r{0,500}\nr ::= "a" root "b" | "a"')
    few = replace(grammar, limits=pdl.Limits(grammar_configurations=5_000))
    with pytest.raises(pdl.LimitError, match=r"on average more than 50, most in rule `r`"):
        few.match("a" * 1000)
    assert grammar.match("a" * 100)


def test_too_many_ways_to_read_are_an_error() -> None:
    """With the rule that they are in; before the memory is full."""
    tight = pdl.Limits(grammar_configurations=30)
    grammar = gbnf.parse('root ::= word\nword ::= ("a" | "aa"){50}', limits=tight)
    with pytest.raises(
        pdl.LimitError, match=r"more than 30.*in rule `word`, after \d+ bytes"
    ) as error:
        grammar.match("a" * 90)
    assert error.value.problem.code == "limit/grammar-configurations"
    assert "Limits(grammar_configurations=" in error.value.problem.hint
    assert gbnf.parse(str(grammar)).match("a" * 90)


def test_left_recursion_in_rules_made_by_hand_is_an_error() -> None:
    grammar = gbnf.parse('root ::= root-b "a"\nroot-b ::= "b"')
    refs = grammar.rule["root"].options
    rules = (replace(grammar.rule["root"], options=(*refs, *grammar.rule["root-b"].options)),)
    looped = replace(rules[0], name="root-b", options=refs)
    with pytest.raises(pdl.LimitError, match="too many parses"):
        replace(grammar, rules=(rules[0], looped)).match("b")


STEPS: dict[str, Callable[[gbnf.Grammar], object]] = {
    "automaton": lambda grammar: grammar.match("a"),
    "plan": lambda grammar: grammar.shortest(),
    "rewriting": lambda grammar: grammar.optimize(),
    "export": lambda grammar: grammar.to_regex(),
}


@pytest.mark.parametrize("step", STEPS)
def test_time_is_bounded(step: str) -> None:
    grammar = gbnf.parse('root ::= "a" b\nb ::= "b"')
    with pytest.raises(pdl.LimitError, match="takes longer than 0 seconds"):
        STEPS[step](replace(grammar, limits=pdl.Limits(grammar_seconds=0)))


def test_the_time_for_matching_is_bounded() -> None:
    state = gbnf.parse('root ::= "a"*').start()
    matcher = Matcher(state.matcher.rtn, 0, pdl.Limits(grammar_seconds=0))
    with pytest.raises(pdl.LimitError, match="matching the text takes longer than 0 seconds"):
        matcher.run(matcher.start, b"aa")


def test_the_time_for_reading_is_bounded_as_well() -> None:
    none = pdl.Limits(grammar_seconds=0.0)
    with pytest.raises(pdl.LimitError, match="reading the text takes longer"):
        gbnf.parse('root ::= "a"\n' * 3, limits=none)
    assert [one.problem.code for one in gbnf.lint('root ::= "a"', limits=none)] == [
        "limit/grammar-seconds"
    ]


def everything(grammar: gbnf.Grammar) -> None:
    """Each thing that can be done with a grammar ends in a result or in an error of pdl."""
    actions: list[Callable[[], object]] = [
        lambda: str(grammar), grammar.lint, lambda: grammar.match("a"), grammar.shortest,
        lambda: grammar.generate(Random(1)),  # noqa: S311 lambda: list(grammar.texts(2)), grammar.optimize,
        grammar.diagram, grammar.to_lark, grammar.to_ebnf, grammar.to_regex,
    ]  # fmt: skip
    for action in actions:
        assert len(told(action)) < 20_000


def told(action: Callable[[], object]) -> str:
    """What the error says that an action ends in, if it does."""
    try:
        action()
    except pdl.PdlError as error:
        return str(error)
    return ""


SIZE = 3_000
HUGE = {
    "rules in a row": "root ::= r0\n"
    + "".join(f"r{n} ::= r{n + 1}\n" for n in range(SIZE))
    + f'r{SIZE} ::= "a"',
    "a circle": "root ::= r0\n"
    + "".join(f'r{n} ::= "a" r{n + 1} | "b"\n' for n in range(SIZE))
    + f"r{SIZE} ::= r0",
    "alternatives": "root ::= " + " | ".join(f'"w{n}"' for n in range(SIZE)),
    "a literal": f'root ::= "{"ab" * SIZE}"',
    "a class": f"root ::= [{''.join(chr(0x4E00 + 2 * n) for n in range(SIZE))}]",
    "comments": "# c\n" * SIZE + 'root ::= "a"',
    "the same rule": 'root ::= "a"\n' * SIZE,
    "groups": f"root ::= {('(' * 90 + chr(34) + 'a' + chr(34) + ')' * 90 + ' ') * 20}",
}


@pytest.mark.parametrize("name", HUGE)
def test_size_is_no_matter(name: str) -> None:
    everything(gbnf.parse(HUGE[name]))


REFUSED = {
    "undefined": ("".join(f"r{n} ::= x{n}\n" for n in range(SIZE)), SIZE + 1),
    "left recursion": (
        "root ::= r0\n" + "".join(f"r{n} ::= r{n + 1}\n" for n in range(SIZE)) + f"r{SIZE} ::= r0",
        1,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_all_is_told_and_not_all_is_shown(name: str) -> None:
    text, problems = REFUSED[name]
    with pytest.raises(pdl.GrammarError) as error:
        gbnf.parse(text)
    assert len(error.value.problems) == problems
    assert len(str(error.value)) < 20_000


def test_no_recursion_error_reaches_a_caller_that_is_deep() -> None:
    text = f"root ::= {'(' * 99}{chr(34)}a{chr(34)}{')' * 99}"
    grammar = gbnf.parse(text)

    def deep(calls: int) -> None:
        if calls:
            deep(calls - 1)
        else:
            everything(gbnf.parse('root ::= (("a"))'))
            everything(gbnf.Grammar(grammar.rules))
            with pytest.raises(pdl.LimitError, match="the rest of Python's stack"):
                gbnf.parse(text)

    deep(800)


def test_a_thread_with_little_stack_is_enough() -> None:
    done: list[bool] = []

    def work() -> None:
        everything(gbnf.parse(HUGE["groups"]))
        done.append(True)

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert done
