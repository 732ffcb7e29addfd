"""Reading and writing grammars, beside the real llama.cpp."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from random import Random
from typing import TYPE_CHECKING

import pytest
from llama import llama, needs_llama
from snapshots import CASES, Snapshot

import pdl
from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VALID = sorted((CASES / "gbnf" / "valid").glob("*.gbnf"))
INVALID = sorted((CASES / "gbnf" / "invalid").glob("*.gbnf"))
WORSE = {
    "min-over-max",
    "hidden-left",
    "hidden-left-group",
    "deep",
    "nul-character",
    "nul-in-comment",
    "nul-at-end",
}
"""What llama.cpp hangs or crashes on, or does not notice."""


def read(path: Path) -> str:
    """The text of a case, with its line ends as they are."""
    return path.read_bytes().decode()


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_what_is_read_is_written_as_the_same(path: Path, snapshot: Snapshot) -> None:
    grammar = gbnf.parse(read(path))
    snapshot.check(path.with_suffix(".txt"), str(grammar))
    assert gbnf.parse(str(grammar)) == grammar
    assert str(gbnf.parse(str(grammar))) == str(grammar)


@needs_llama
@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_llama_takes_what_is_read_and_what_is_written(path: Path) -> None:
    grammar = gbnf.parse(read(path))
    if path.stem == "tokens":
        return  # needs a vocabulary
    for text in (read(path), str(grammar)):
        with llama(text) as judge:
            assert judge is not None


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_what_is_wrong_is_told_with_its_place(path: Path, snapshot: Snapshot) -> None:
    with pytest.raises(pdl.PdlError) as error:
        gbnf.parse(read(path), name=f"{path.stem}.gbnf")
    assert all(problem.span is not None for problem in error.value.problems)
    snapshot.check(path.with_suffix(".txt"), str(error.value))


@needs_llama
@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_llama_refuses_what_is_refused(path: Path) -> None:
    if path.stem in WORSE or path.stem.startswith("token"):
        return
    with llama(read(path)) as judge:
        assert judge is None


def test_rules_keep_their_comments() -> None:
    """Those above a rule, behind it and in it; those behind the last rule are the grammar's."""
    grammar = gbnf.parse(
        "# one\n\n# two\nroot ::= a # three\na ::= ( # four\n 'x' | \"y\")\n#last".replace(
            "'x'", '"x"'
        )
    )
    assert grammar.rule["root"].comments == ("one", "two", "three")
    assert grammar.rule["a"].comments == ("four",)
    assert grammar.comments == ("last",)


def test_grammars_compare_by_meaning_not_by_place() -> None:
    one, other = gbnf.parse('root ::= "a"|[b]'), gbnf.parse('\n  root   ::= "\\x61" | [b]')
    assert one == other
    assert hash(one) == hash(other)


def test_another_rule_may_be_the_root() -> None:
    assert gbnf.parse('start ::= "a"', root="start").match("a")
    with pytest.raises(pdl.GrammarError, match="undefined rule `start`"):
        gbnf.parse('root ::= "a"', root="start")


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ('root ::= "a"{2,3}', "2024-06"),
        ("root ::= .", "2024-06"),
        ("root ::= <[3]>", "2025-12"),
        (r"root ::= [a\-z]", "2026-08"),
        ('root ::= "a"{0,3000}', "2026-08"),
        ('root ::= "a"{2000}', "2026-09"),
        (r'root ::= "\\-"* "a"+ [b]?', "2023-07"),
    ],
)
def test_an_older_llama_is_told_apart(text: str, since: str) -> None:
    """A month before a feature came it is refused, from then on it is read."""
    for target in gbnf.TARGETS:
        if target < since:
            with pytest.raises(pdl.GrammarError, match=f"since {since}"):
                gbnf.parse(text, target=target)
        else:
            gbnf.parse(text, target=target)


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="text must be a str"):
        gbnf.parse(b'root ::= "a"')  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="target must be one of"):
        gbnf.parse('root ::= "a"', target="2022-01")


def test_limits_are_typed_errors_with_a_place() -> None:
    tight = pdl.Limits(source_chars=20, grammar_rules=2, grammar_depth=3, grammar_states=10)
    for text in ('root ::= "' + "a" * 20 + '"', "a::=b\nb::=c\nc::=d", "root ::= ((((a))))"):
        with pytest.raises(pdl.LimitError, match="<grammar>:"):
            gbnf.parse(text, limits=tight)
    with pytest.raises(pdl.LimitError, match="more than 10 states"):
        gbnf.parse('root ::= "a"{9} [b]', limits=tight).match("a")


@pytest.mark.parametrize("size", [5_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_long_chains_and_deep_nests_end_in_a_result_or_an_error(size: int) -> None:
    """So many rules in a row; as many brackets in brackets; as many suffixes."""
    rules = "\n".join(f"r{n} ::= r{n + 1}" for n in range(size))
    grammar = gbnf.parse(f'root ::= r0\n{rules}\nr{size} ::= "x"')
    assert grammar.match("x")
    for text in ("(" * size + '"a"' + ")" * size, '"a"' + "*" * size):
        with pytest.raises(pdl.LimitError, match="nested deeper than 100"):
            gbnf.parse(f"root ::= {text}")


def test_half_a_surrogate_pair_is_refused_wherever_it_stands() -> None:
    """It cannot be written in UTF-8, so that llama.cpp could not be given it."""
    for text in ('root ::= "\ud800"', 'root ::= "a" # \udfff', "root ::= [\ud800]"):
        with pytest.raises(pdl.GrammarError, match="unpaired surrogate") as error:
            gbnf.parse(text)
        assert len(error.value.problems) == 1


@needs_llama
@pytest.mark.parametrize(
    "text",
    [
        'root ::= "a" b{0}', 'root ::= "a" b{2}{0}', 'root ::= "a" b?{0}', 'root ::= "a" (b){0}',
        'root ::= "a" b{0}\nc ::= "c"\nd ::= "d"', 'root ::= b{0} "a"\nc ::= "c" | [d]*',
    ],
)  # fmt: skip
def test_a_name_that_is_repeated_no_times_need_not_be_defined(text: str) -> None:
    """Where llama.cpp has forgotten it."""
    with llama(text) as judge:
        if judge is None:
            with pytest.raises(pdl.GrammarError, match="undefined rule `b`"):
                gbnf.parse(text)
        else:
            assert gbnf.parse(text).match("a")


@pytest.mark.parametrize("module", ["linting", "diagram", "export", "generate", "optimize"])
def test_reading_and_matching_import_no_more_than_they_need(module: str) -> None:
    code = (
        "import sys; from pdl.gbnf import parse; parse('root ::= [a]').match('a');"
        f"print(*(name for name in sys.modules if name.startswith('pdl.gbnf.{module}')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert not done.stdout.strip()


def test_groups_nest_no_deeper_than_can_be_worked_with() -> None:
    """Whatever the limit says: so all that was read can be compared, written and kept."""
    for opened, closed in (("(" * 100, ")" * 100), ("", "+" * 100)):
        text = f'root ::= {opened}"a"{closed}'
        grammar = gbnf.parse(text, limits=pdl.Limits(grammar_depth=100_000))
        assert pickle.loads(pickle.dumps(grammar)) == grammar  # noqa: S301 - our own
        assert copy.deepcopy(grammar) == grammar
        assert hash(grammar) == hash(gbnf.parse(text))
        assert repr(grammar).startswith("Grammar(")
        deeper = text.replace("(" * 100, "(" * 101).replace("+" * 100, "+" * 101)
        with pytest.raises(pdl.LimitError, match=r"^<grammar>:1:\d+: .* the maximum") as error:
            gbnf.parse(deeper, limits=pdl.Limits(grammar_depth=100_000))
        assert "Limits" not in error.value.problem.hint


def test_a_grammar_is_frozen() -> None:
    """Its rules by name as well; what it has learned is not copied with it."""
    grammar = gbnf.parse('root ::= "a" root?')
    assert grammar.match("aaa")
    with pytest.raises(TypeError):
        grammar.rule["b"] = grammar.rules[0]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        grammar.rules[0].other = 1  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del grammar.rules[0].name
    assert "matcher" not in vars(copy.copy(grammar))
    assert copy.deepcopy(grammar).match("aa")


def test_a_state_is_frozen_and_not_pickled() -> None:
    """However deep its stack is."""
    grammar = gbnf.parse('root ::= "(" root ")" | "x"')
    state = grammar.start().accept("(" * 20_000)
    assert copy.copy(state) is copy.deepcopy(state) is state
    assert hash(state) == hash(copy.copy(state))
    with pytest.raises(TypeError, match="belongs to its grammar"):
        pickle.dumps(state)
    for name in ("position", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(state, name, 1)


WRONG: list[tuple[Callable[[gbnf.Grammar], object], type[Exception], str]] = [
    (lambda _: gbnf.parse("", limits=None), TypeError, "limits must be a pdl Limits"),  # type: ignore[arg-type]
    (lambda _: gbnf.parse("", root=None), TypeError, "root must be a str"),  # type: ignore[arg-type]
    (lambda one: one.generate(1), TypeError, "rng must be a random.Random, not int"),  # type: ignore[arg-type]
    (lambda one: one.generate(Random(1), size=1.5), TypeError, "size must be an int"),  # type: ignore[arg-type]  # noqa: S311
    (lambda one: one.generate(Random(1), size=-1), ValueError, "size must be 0 or more"),  # noqa: S311
    (lambda one: one.near_misses(1, 2), TypeError, "rng must be a random.Random"),  # type: ignore[arg-type]
    (lambda one: one.near_misses(Random(1), -2), ValueError, "count must be 0 or more"),  # noqa: S311
    (lambda one: one.texts(-1), ValueError, "limit must be 0 or more, not -1"),
    (lambda one: one.start().accept_token(None, "x"), TypeError, "piece must be bytes"),  # type: ignore[arg-type]
    (lambda one: one.start().accept_token("42", b"x"), TypeError, "token must be an int"),  # type: ignore[arg-type]
    (lambda one: one.start().accept_token(-1, b"x"), ValueError, "token must be 0 or more"),
    (lambda one: one.match_tokens([0], [42]), TypeError, "contains str or bytes, not int"),  # type: ignore[list-item]
    (lambda one: one.match_tokens(["0"], ["a"]), ValueError, "has no token '0'"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("call", "kind", "said"), WRONG, ids=[said for _, _, said in WRONG])
def test_wrong_arguments_are_named(
    call: Callable[[gbnf.Grammar], object], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        call(gbnf.parse('root ::= "a"'))


def test_what_is_expected_stands_in_the_order_of_the_grammar_and_once() -> None:
    grammar = gbnf.parse(
        'root ::= "a" ("b" | [0-9] | c | "d")? "e"\nc ::= [1-9] "x" | [a-z] | [k-n]'
    )
    assert grammar.start().accept("a").expected() == (
        "`b`",
        "a digit",
        "`d`",
        "`e`",
        "a lowercase letter",
    )
