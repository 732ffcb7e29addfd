"""Optimized grammars: what becomes of each kind of thing, and what must stay."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from llama import llama, needs_llama
from snapshots import CASES, Snapshot

from pdl import gbnf
from pdl.gbnf import Grammar
from pdl.gbnf.nodes import Rule, RuleRef, Sequence
from pdl.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

GRAMMARS = sorted((CASES / "gbnf" / "optimize").glob("*.gbnf"))
DEEP = 60  # more than is rewritten


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_is_rewritten(path: Path, snapshot: Snapshot) -> None:
    grammar = gbnf.parse(path.read_text(encoding="utf-8"), name=path.name)
    snapshot.check(path.with_suffix(".optimized"), str(grammar.optimize()))


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_reads_back_and_stays_as_it_is(path: Path) -> None:
    once = gbnf.parse(path.read_text(encoding="utf-8")).optimize()
    assert gbnf.parse(str(once)) == once
    assert once.optimize() == once


def most_stacks(grammar: Grammar, texts: Iterable[str]) -> int:
    """The most live stacks that llama.cpp has on the way through some texts."""
    with llama(str(grammar), grammar.root) as judge:
        assert judge is not None
        return max(judge.match(text)[2] for text in texts)


def words(count: int) -> list[str]:
    rng = Random(5)  # noqa: S311
    return ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(count)]


CHUNKS = "".join(f"c{n} ::= char{{0,100}} c{n + 1}\n" for n in range(10))
FEWER = {
    "words": ("root ::= " + " | ".join(f'"{word}"' for word in words(500)), words(500), 500, 26),
    "optionals": ("root ::= " + "[a-z]? " * 12, ["abcdef"], 13, 2),
    "chunks": (f'root ::= c0\n{CHUNKS}c10 ::= "."\nchar ::= [a-z]\n', ["abc" * 9], 254, 2),
    "names": (
        "root ::= a | b | c\n" + "".join(f'{one} ::= "x" {one}-end\n' for one in "abc")
        + 'a-end ::= "1"\nb-end ::= "2"\nc-end ::= "3"\n',
        ["x1"],
        3,
        1,
    ),
    "doubling": (
        "root ::= r0\n" + "".join(f'r{n} ::= r{n + 1} | r{n + 1} "x"\n' for n in range(8))
        + 'r8 ::= "y"\n',
        ["yxx"],
        256,
        2,
    ),
}  # fmt: skip


@needs_llama
@pytest.mark.parametrize("name", FEWER)
def test_llama_has_fewer_stacks(name: str) -> None:
    text, texts, before, after = FEWER[name]
    grammar = gbnf.parse(text)
    assert (most_stacks(grammar, texts), most_stacks(grammar.optimize(), texts)) == (before, after)


def test_keeps_root_comments_and_limits() -> None:
    limits = Limits(grammar_depth=20)
    text = '# other\nother ::= "a" | "b"\nroot ::= "x"\n# end'
    grammar = gbnf.parse(text, root="other", limits=limits).optimize()
    assert str(grammar) == "# other\nother ::= [ab]\n# end\n"
    assert (grammar.root, grammar.limits) == ("other", limits)


def test_groups_do_not_nest_deeper_than_the_limit() -> None:
    limits = Limits(grammar_depth=2)
    text = 'root ::= "abcd" | "abce" | "abf" | "ag" | "ah" "i" | "abj"'
    grammar = gbnf.parse(text, limits=limits).optimize()
    assert gbnf.parse(str(grammar), limits=limits) == grammar


def test_a_rule_that_nests_deep_stays_as_it_is() -> None:
    deep = "(" * DEEP + '"a" | "b"' + ")" * DEEP
    grammar = gbnf.parse(f"root ::= deep next\ndeep ::= {deep}\nnext ::= next-one\n" + NEXT)
    said = str(grammar.optimize()).splitlines()
    assert said[0] == "root ::= deep [cd]"
    assert said[1] == f"deep ::= {deep}"


NEXT = 'next-one ::= "c" | "d"\n'


def test_of_rules_with_one_name_the_last_counts() -> None:
    grammar = gbnf.parse('root ::= a a\na ::= "x"\na ::= "y" | "z"\n').optimize()
    assert str(grammar) == "root ::= [yz]{2}\n"


def test_rules_that_name_no_rule_are_left_alone() -> None:
    """A grammar that nobody parsed may have such."""
    grammar = Grammar((Rule("root", (Sequence((RuleRef("nobody"),)),)),))
    assert grammar.optimize() == grammar


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("body", ['"a" r{}', '"a" r{} | "b"', '"a"? r{}', "r{}"])
def test_long_chains_of_rules(body: str, count: int) -> None:
    """No recursion over rules; no quadratic copies of what was inlined."""
    rules = "".join(f"r{n} ::= {body.format(n + 1)}\n" for n in range(count))
    grammar = gbnf.parse(f'root ::= r0\n{rules}r{count} ::= "z"\n').optimize()
    assert len(grammar.rules) <= count // 3


def test_many_words() -> None:
    grammar = gbnf.parse("root ::= " + " | ".join(f'"{word}"' for word in words(10_000)))
    assert grammar.optimize().match(words(10_000)[777])
