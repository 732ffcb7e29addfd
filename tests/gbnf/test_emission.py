"""Emission: the rules of goals whose languages are made by hand, as one reads and samples them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from emitted import (
    BOOLEAN,
    INTEGER,
    NEVER,
    NULL,
    NUMBER,
    STRING,
    goal,
    grammar,
    items,
    ordered,
    words,
)
from llama import llama, needs_llama
from snapshots import CASES, Snapshot

from pdl.automata import build
from pdl.automata.charset import CharSet
from pdl.errors import LimitError
from pdl.gbnf import parse
from pdl.gbnf.compiling.compiled import emit
from pdl.gbnf.compiling.machine import Lengths, Machine, Member, ValueLanguages
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.validation import Symbols

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.grammar import Grammar

FOLDER = CASES / "gbnf" / "emitted"
NAMES = {"s": STRING, "i": INTEGER, "n": NUMBER, "b": BOOLEAN, "null": NULL, "never": NEVER}
PERSON = ordered(("name", "s"), ("age", "i"), needed=["name", "age"])
OPTIONAL = ordered(("name", "s"), ("nick", "s"), ("age", "i"), ("tags", "tags"), needed=["age"])
TAGS = items("s")
COLOR = words("red", "green", "blue")


def tools(*names: str) -> dict[str, ValueLanguages]:
    """Objects that say first what they are, and then hold what belongs to it."""
    languages = {}
    first, rows = [], []
    for at, name in enumerate(names):
        languages[f"is-{name}"] = words(name)
        languages[name] = ordered((f"{name}-id", "i"), needed=[f"{name}-id"])
        first.append((Member("tool", goal(f"is-{name}")), at + 1))
        rows.append(((Member("with", goal(name)), len(names) + 1),))
    machine = Machine((tuple(first), *rows, ()), frozenset([len(names) + 1]))
    return {**languages, "root": ValueLanguages(objects=machine)}


def unordered(needed: int, optional: int) -> ValueLanguages:
    """Objects with keys in any order: some must come, others may."""
    must = [Member(f"must{at}", goal("i")) for at in range(needed)]
    may = [Member(f"may{at}", goal("s")) for at in range(optional)]
    rows = tuple(
        (
            *((member, state | 1 << at) for at, member in enumerate(must)),
            *((member, state) for member in may),
        )
        for state in range(2**needed)
    )
    return ValueLanguages(objects=Machine(rows, frozenset([2**needed - 1])))


CHAIN = Machine((*(((goal("s"), at + 1),) for at in range(5)), ()), frozenset([0, 3, 4, 5]))
PAIRS = Machine((((goal("s"), 1),), ((goal("i"), 0),)), frozenset([0]))
CASES_: dict[str, tuple[Mapping[str, ValueLanguages], Options]] = {
    "any": ({"root": items("", 1)}, Options.generate()),
    "any-usual": ({"root": items("", 1)}, Options()),
    "arrays": (
        {
            "root": ordered(
                ("tags", "tags"), ("pair", "pair"), ("few", "few"), ("chain", "chain"),
                ("turns", "turns"), ("empty", "empty"),
                needed=["tags", "pair", "few", "chain", "turns", "empty"],
            ),
            "tags": TAGS, "few": items("s", 1, 3), "pair": items("b", 1, 4, ["s", "i"]),
            "chain": ValueLanguages(arrays=CHAIN), "turns": ValueLanguages(arrays=PAIRS),
            "empty": items("s", 0, 0),
        },
        Options.generate(),
    ),
    "compact": ({"root": OPTIONAL, "tags": TAGS}, Options(whitespace="compact")),
    "spaced": ({"root": OPTIONAL, "tags": TAGS}, Options(whitespace="spaced")),
    "accept": ({"root": OPTIONAL, "tags": TAGS}, Options.accept()),
    "enums": ({"root": ordered(("color", "c"), needed=["color"]), "c": COLOR}, Options.generate()),
    "kinds": (
        {
            "root": ValueLanguages(
                null=True, booleans=frozenset([True]), strings=Lengths(1, 3),
                numbers=INTEGER.numbers, arrays=TAGS.arrays, objects=PERSON.objects,
            )
        },
        Options.generate(),
    ),
    "lengths": ({"root": ValueLanguages(strings=Lengths(2500, 7000))}, Options.generate()),
    "map": ({"root": ordered(others="i")}, Options.generate()),
    "nested": (
        {
            "root": ordered(
                ("owner", "person"), ("others", "people"), ("address", "address"), needed=["owner"]
            ),
            "person": PERSON, "people": items("person"),
            "address": ordered(("street", "s"), ("state", "s"), ("zip", "s")),
        },
        Options.generate(),
    ),
    "open": (
        {"root": ordered(("name", "s"), ("age", "i"), needed=["name"], others="")},
        Options.generate(),
    ),
    "optional": ({"root": OPTIONAL, "tags": TAGS}, Options.generate()),
    "patterns": (
        {
            "root": items("code", prefix=["user", "word"]),
            "code": ValueLanguages(strings=build.repeat(build.chars(CharSet.of("abc")), 2, 8)),
            "user": ValueLanguages(strings=build.concat(
                build.plus(build.chars(CharSet.range(97, 122))), build.literal("@example.com"))),
            "word": ValueLanguages(strings=build.complement(build.words(["no", "never"]))),
        },
        Options.generate(),
    ),
    "required": ({"root": PERSON}, Options.generate()),
    "tools": (tools("search", "send", "stop"), Options.generate()),
    "tree": (
        {"root": ordered(("value", "i"), ("left", "root"), ("right", "root"), needed=["value"])},
        Options.generate(),
    ),
    "unordered": ({"root": unordered(2, 3)}, Options.generate()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES_)
def test_rules(name: str, snapshot: Snapshot) -> None:
    """The grammar as it is written, which reads back, and has no findings."""
    languages, options = CASES_[name]
    made = grammar({**NAMES, **languages}, options)
    snapshot.check(FOLDER / f"{name}.gbnf", str(made))
    assert parse(str(made)) == made
    assert not [found for found in made.lint(json=True) if found.severity != "note"]


@needs_llama
@pytest.mark.parametrize("name", CASES_)
def test_llama_takes_them(name: str) -> None:
    languages, options = CASES_[name]
    with llama(str(grammar({**NAMES, **languages}, options))) as judge:
        assert judge is not None


def stacks(made: Grammar, value: object) -> int:
    """How many stacks llama.cpp has at once while it reads a value."""
    with llama(str(made)) as judge:
        assert judge is not None
        taken, _, most = judge.match(json.dumps(value))
    assert taken
    return most


KEYS = [f"{first}{second}{at}" for at, (first, second) in enumerate(
    (first, second) for first in "abcdefghijklmnopqrst" for second in "aeiouxyzlrstnmkdpgbhwcvfj"
)]  # fmt: skip


@needs_llama
def test_many_words_are_a_tree() -> None:
    """Of 500 words at most as many are alive as have different first encoder."""
    made = grammar({"root": words(*KEYS)})
    assert len(str(made)) < 10_000
    assert stacks(made, KEYS[300]) <= 25


@needs_llama
def test_many_optional_keys_share_their_rules() -> None:
    made = grammar({**NAMES, "root": ordered(*((key, "i") for key in KEYS))})
    assert len(str(made)) < 200_000
    assert stacks(made, {KEYS[3]: 1, KEYS[200]: 2, KEYS[499]: 3}) <= 28


@needs_llama
def test_a_name_tells_what_follows() -> None:
    """A hundred tools take as many stacks as their names have encoder at one place."""
    names = KEYS[:100]
    made = grammar({**NAMES, **tools(*names)})
    assert stacks(made, {"tool": names[60], "with": {f"{names[60]}-id": 1}}) <= 25


@needs_llama
def test_keys_in_any_order() -> None:
    """What may come anywhere is written once, not in each state."""
    made = grammar({**NAMES, "root": unordered(8, 30)})
    assert len(str(made)) < 120_000
    value = {"may3": "x", **{f"must{at}": at for at in (3, 1, 7, 0, 2, 6, 5, 4)}, "may29": ""}
    assert stacks(made, value) <= 30
    assert not made.match(json.dumps({"must1": 1, "may3": "x"}))


@pytest.mark.parametrize(
    ("least", "most"),
    [(0, 2000), (0, 2001), (1, 4000), (1999, 2000), (2001, None), (4000, 4000), (5000, 10_000)],
)
def test_lengths_beyond_what_a_repetition_takes(least: int, most: int | None) -> None:
    for told in (ValueLanguages(strings=Lengths(least, most)), items("null", least, most)):
        made = grammar({**NAMES, "root": told}, Options(whitespace="compact"))
        assert parse(str(made)) == made
        sizes = {max(least - 1, 0), least, (most or least + 3), (most or least + 2) + 1}
        for size in sizes:
            text = json.dumps("x" * size if told.strings is not None else [None] * size)
            wanted = size >= least and (most is None or size <= most)
            assert bool(made.match(text.replace(" ", ""))) == wanted, size


def test_repetitions_do_not_multiply() -> None:
    """llama.cpp refuses repetitions that multiply to more than 2000 in one rule."""
    inner = ValueLanguages(strings=Lengths(0, 300))
    languages = {
        "root": items("a", 2, 90),
        "a": items("b", 0, 70),
        "b": items("c", 1, 60),
        "c": inner,
    }
    made = grammar(languages)
    assert not Symbols(made.rules).excessive
    assert made.match('[[], [["", "x"]]]')


def test_what_has_no_value_is_left_out() -> None:
    languages = {
        **NAMES,
        "root": ordered(("a", "never"), ("b", "i"), ("c", "loop"), ("d", "maybe")),
        "loop": ordered(("again", "loop"), needed=["again"]),
        "maybe": ValueLanguages(null=True, arrays=items("never", 1).arrays),
    }
    made = grammar(languages)
    assert made.match('{"b": 1, "d": null}')
    assert not made.match('{"a": 1}')
    assert "loop" not in str(made)
    assert "[" not in str(grammar({**languages, "root": languages["maybe"]}))


@pytest.mark.parametrize(
    "root",
    [
        NEVER,
        ordered(("a", "never"), needed=["a"]),
        ordered(("a", "root"), needed=["a"]),
        items("root", 1),
        items(None, 2, None, ["i", "never"]),
        ordered(("a\ud800", "i"), needed=["a\ud800"]),
    ],
)
def test_a_root_without_values_has_no_rules(root: ValueLanguages) -> None:
    assert grammar({**NAMES, "root": root}).rules == ()


def test_too_many_rules() -> None:
    languages = {**NAMES, "root": ordered(*((key, "i") for key in KEYS))}
    with pytest.raises(LimitError) as caught:
        grammar(languages, Options(max_rules=50))
    assert caught.value.problem.code == "limit/grammar-rules"


def test_names_are_valid_and_different() -> None:
    """Whatever goals are called, rules get names of encoder, digits and hyphens, each its own."""
    names = ["string", "a b", "a-b", "", "ü", "x" * 100, "root", "ws"]
    languages = {f"g{at}": PERSON for at in range(len(names))}
    keys = [(f"k{at}", f"g{at}") for at in range(len(names))]
    for at in range(len(names)):
        languages[f"g{at}"] = ordered((f"only{at}", "s"), needed=[f"only{at}"])
    languages["root"] = ordered(*keys, needed=[key for key, _ in keys])
    languages["s"] = STRING
    wishes = {f"g{at}": name for at, name in enumerate(names)}
    rules = emit(
        goal("root"),
        lambda one: languages[one[0].pointer],
        Options(),
        lambda one: wishes.get(one[0].pointer, "root"),
    )
    told = [rule.name for rule in rules]
    assert len(set(told)) == len(told)
    assert told[0] == "root"
    text = "\n".join(map(str, told))
    assert text.replace("-", "").replace("\n", "").isalnum()
    assert text.isascii()


def test_equal_goals_are_one_rule() -> None:
    languages = {
        **NAMES,
        "root": items(None, 2, 2, ["one", "other"]),
        "one": PERSON,
        "other": PERSON,
    }
    made = grammar(languages)
    assert len([rule for rule in made.rules if '"age' in str(rule)]) <= 1


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_bounded_whitespace_takes_what_programs_write(indent: int | None) -> None:
    value = {"name": "x", "age": 1, "tags": ["a", "b"]}
    made = grammar({**NAMES, "root": OPTIONAL, "tags": TAGS})
    assert made.match(json.dumps(value, indent=indent))
    assert made.match(json.dumps(value, separators=(",", ":")))


@pytest.mark.parametrize("depth", [500, 5000])
def test_depth(depth: int) -> None:
    """Goals in goals take no recursion."""
    languages: dict[str, ValueLanguages] = {
        f"g{at}": items(f"g{at + 1}", 1, 2) for at in range(depth)
    }
    languages |= {f"g{depth}": STRING, "root": ordered(("a", "g0"), needed=["a"])}
    made = grammar(languages, Options(whitespace="compact"))
    assert made.match('{"a":' + "[" * depth + '""' + "]" * depth + "}")
