"""Texts of grammars: the shortest, all in order, random ones, and those that just miss."""

# ruff: noqa: S311 - what is drawn must be the same in every run

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import pytest
from snapshots import CASES, Snapshot

import pdl
from pdl import gbnf
from pdl.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = CASES / "gbnf" / "texts"
VALID = sorted((FOLDER / "valid").glob("*.gbnf"))
INVALID = sorted((FOLDER / "invalid").glob("*.gbnf"))
SHOWN = 25
JSON = gbnf.parse(
    r"""
root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" (pair ("," pair)*)? "}"
pair ::= string ":" value
array ::= "[" (value ("," value)*)? "]"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-f]{4})
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]+)?
"""
)
CHAIN = 20_000


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_texts_come_in_order(path: Path, snapshot: Snapshot) -> None:
    grammar = gbnf.parse(path.read_text())
    texts = list(grammar.texts(SHOWN))
    lines = [f"shortest: {grammar.shortest()!a}", *map(ascii, texts)]
    snapshot.check(path.with_suffix(".txt"), "\n".join(lines))
    assert texts == sorted(set(texts), key=lambda text: (len(text), text))
    assert all(grammar.match(text) for text in (*texts, grammar.shortest()))


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_why_there_is_no_text_is_told(path: Path, snapshot: Snapshot) -> None:
    grammar = gbnf.parse(path.read_text(), name=path.name)
    with pytest.raises(pdl.PdlError) as error:
        grammar.shortest()
    snapshot.check(path.with_suffix(".txt"), str(error.value))
    with pytest.raises(type(error.value)):
        grammar.generate(Random(0))
    with pytest.raises(type(error.value)):
        next(grammar.near_misses(Random(0), 1))


def test_there_are_no_texts_where_none_matches() -> None:
    assert list(gbnf.parse('root ::= "a" root').texts()) == []


def test_a_text_is_given_before_the_next_is_too_long_to_be() -> None:
    grammar = gbnf.parse('root ::= "" | "ab" | r{2000}\nr ::= s{2000}\ns ::= "x"{2000}')
    texts = grammar.texts()
    assert list(islice(texts, 2)) == ["", "ab"]
    with pytest.raises(pdl.LimitError, match="8,000,000,000 characters, over the 64,000,000"):
        next(texts)


def test_a_limit_is_kept() -> None:
    grammar = replace(gbnf.parse('root ::= "abc"'), limits=Limits(output_chars=2))
    with pytest.raises(pdl.LimitError):
        grammar.shortest()
    assert replace(grammar, limits=Limits(output_chars=3)).shortest() == "abc"


def test_the_same_seed_gives_the_same_texts() -> None:
    assert JSON.generate(Random(7)) == JSON.generate(Random(7))
    assert list(JSON.near_misses(Random(7), 5)) == list(JSON.near_misses(Random(7), 5))


def test_a_size_is_kept_where_the_grammar_allows() -> None:
    rng = Random(1)
    assert {JSON.generate(rng, size=0) for _ in range(50)} <= {*"0123456789"}
    for size in (1, 5, 50, 500):
        lengths = {len(JSON.generate(rng, size=size)) for _ in range(50)}
        assert max(lengths) <= size
        assert len(lengths) > min(size, 10) / 2
    assert len(gbnf.parse('root ::= "abc" .{3}').generate(rng, size=2)) == 6


@pytest.mark.parametrize("size", [-1, -200])
def test_a_negative_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"size must be 0 or more, not {size}"):
        JSON.generate(Random(0), size=size)


def test_all_alternatives_and_counts_are_drawn() -> None:
    rng = Random(5)
    words = gbnf.parse('root ::= "a" | ("b" | "c" "d"?) | word\nword ::= "e"{0,3}')
    drawn = {words.generate(rng) for _ in range(500)}
    assert drawn == {"a", "b", "c", "cd", "", "e", "ee", "eee"}


def test_characters_are_mostly_plain_but_not_all() -> None:
    rng = Random(5)
    text = "".join(gbnf.parse("root ::= .{100}").generate(rng) for _ in range(20))
    plain = sum(" " <= char <= "~" for char in text)
    assert 0.8 < plain / len(text) < 1
    assert {len(char.encode()) for char in text} == {1, 2, 3, 4}
    only = gbnf.parse("root ::= [é-ü]{50}").generate(rng)
    assert len(set(only)) > 10


@pytest.mark.parametrize(
    ("grammar", "text"),
    [("[^a]", "b"), ("[0-z]", "a"), ("[!-@]", "0"), ("[!-/]", "!"), ("[é-ü]", "é"), ("[^]", "")],
)
def test_the_shortest_text_is_easy_to_read(grammar: str, text: str) -> None:
    assert gbnf.parse(f"root ::= {grammar}").shortest() == text


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "a" root root root | "b" root root | "c"',
        "root ::= a{200}\na ::= b{50}\nb ::= [xy]?",
        'root ::= e f a\ne ::= f\nf ::= "x" | ""\na ::= e a | ""',
        "".join(f"r{n} ::= r{n + 1} r{n + 1}\n" for n in range(200))
        + 'r200 ::= "x" | ""\nroot ::= r0',
    ],
    ids=["branching", "counted", "empty-circle", "doubling"],
)
def test_what_explodes_comes_to_an_end(grammar: str) -> None:
    made, rng = gbnf.parse(grammar), Random(2)
    for size in (0, 1, 40, 400):
        text = made.generate(rng, size=size)
        assert len(text) <= max(size, len(made.shortest()))
        assert made.match(text)


def test_a_chain_of_many_rules_is_gone_through() -> None:
    rules = (f'r{n} ::= "x" r{n + 1}\n' for n in range(CHAIN))
    grammar = gbnf.parse("".join(rules) + f'r{CHAIN} ::= "y"', root="r0")
    assert grammar.shortest() == "x" * CHAIN + "y"
    assert grammar.generate(Random(0)) == grammar.shortest()


def test_groups_may_be_as_deep_as_they_may_be_read() -> None:
    depth = DEFAULT_LIMITS.grammar_depth - 1
    grammar = gbnf.parse("root ::= " + '("x" ' * depth + '"a"' + ")*" * depth)
    assert grammar.shortest() == ""
    assert set(grammar.generate(Random(3), size=5000)) <= {"x", "a"}


def test_near_misses_are_different_and_miss() -> None:
    found = list(JSON.near_misses(Random(3), 100, size=40))
    assert len(set(found)) == 100
    assert not any(JSON.match(text) for text in found)


def test_near_misses_end_where_all_texts_match() -> None:
    every = gbnf.parse(r"root ::= .*")
    assert list(every.near_misses(Random(3), 5, size=10)) == []
    nearly = gbnf.parse("root ::= [^q]*")
    assert all(text.count("q") == 1 for text in nearly.near_misses(Random(3), 5, size=10))
