"""Grammars for other engines: each takes the same texts, or the export says why there is none.

llguidance and xgrammar are asked where they are installed, or in the Python that the environment's
`PDL_ENGINES_PYTHON` names.
"""

from __future__ import annotations

import random
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from engines import ask, has
from grammars import GRAMMARS, SMALL, WIDE, parsed, written
from hypothesis import given, settings
from hypothesis import strategies as st
from shares import share
from snapshots import CASES, Snapshot
from walks import walk

import pdl
from pdl import gbnf
from pdl.gbnf.nodes import Rule, RuleRef, Sequence
from pdl.gbnf.regex import EMPTY, character, options, repeat, row
from pdl.gbnf.regex import written as spelled
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from pathlib import Path

EXPORTS = sorted((CASES / "gbnf" / "export").glob("*.gbnf"))
ENGINES = (("llguidance", "to_lark"), ("xgrammar", "to_ebnf"))
ODD = ["", "a", "b", "ab", "\0", "a\0", "\n", "\U0010ffff", "\ue000"]
LONGEST = 12  # characters of a text, as `re` may try all ways of a repetition in another


def exported(grammar: gbnf.Grammar, method: str) -> str:
    """An export, or its error."""
    try:
        return str(getattr(grammar, method)())
    except pdl.GrammarError as error:
        return f"GrammarError: {error}"


def texts_of(grammar: gbnf.Grammar, rng: random.Random) -> list[str]:
    """Texts that match, and some that do not."""
    walks = [walk(grammar, rng) for _ in range(6)]
    with suppress(pdl.PdlError):  # of a grammar that matches nothing
        walks += [grammar.shortest(), grammar.generate(rng, size=LONGEST)]
    return ODD + walks


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_exports(path: Path, snapshot: Snapshot) -> None:
    grammar = gbnf.parse(path.read_text(encoding="utf-8"), name=path.name)
    text = "\n".join(
        f"--- {method}\n{exported(grammar, method)}"
        for method in ("to_lark", "to_ebnf", "to_regex")
    )
    snapshot.check(path.with_suffix(".txt"), text)


@given(GRAMMARS, st.randoms(use_true_random=False))
def test_a_regular_expression_matches_the_same_texts(
    grammar: gbnf.Grammar, rng: random.Random
) -> None:
    try:
        pattern = re.compile(grammar.to_regex())
    except pdl.GrammarError:
        return
    for text in [*texts_of(grammar, rng), "\ud800", "a\n"]:
        if len(text) <= LONGEST:
            assert bool(pattern.match(text)) == grammar.match(text).ok, text


@pytest.mark.parametrize(("engine", "method"), ENGINES)
def test_engines_take_the_same_texts(engine: str, method: str) -> None:
    if not has(engine):
        pytest.skip(f"{engine} is not installed")
    rng = random.Random(7)  # noqa: S311 - a test
    found = [parsed(written(rng, rng.choice((WIDE, SMALL)))) for _ in range(share(400))]
    found += [gbnf.parse(path.read_text(encoding="utf-8")) for path in EXPORTS]
    questions, expected = [], []
    for grammar in found:
        said = exported(grammar, method) if grammar else "GrammarError"
        if grammar and not said.startswith("GrammarError"):
            texts = texts_of(grammar, rng)
            questions.append((engine, said, texts))
            expected.append([grammar.match(text).ok for text in texts])
    assert len(questions) > share(300)
    for question, want, got in zip(questions, expected, ask(questions), strict=True):
        assert got == want, question


def test_lark_keeps_its_lexer_from_taking_the_longest_terminal() -> None:
    """Or else llguidance refuses `ab` for `"a" "b" | "ab" "c"` where each literal is a terminal."""
    grammar = gbnf.parse('root ::= ("a" "b" | "ab" "c") root?\n')
    assert grammar.to_lark() == 'start: ("a" "b" | ("a" "b") "c") start?\n'
    flat = gbnf.parse('root ::= "a" "b" | "ab" "c"\n')
    assert flat.to_lark() == 'start: ROOT\nROOT: "a" "b" | "ab" "c"\n'


def test_the_root_may_have_any_name() -> None:
    grammar = gbnf.parse('root ::= "r"\nmy-root ::= "m" root my-root?\n', root="my-root")
    assert grammar.to_ebnf() == 'root ::= "m" root_2 root?\nroot_2 ::= "r"\n'
    assert grammar.to_lark() == 'start: "m" root start?\nroot: "r"\n'


@pytest.mark.parametrize("name", ["x y", 'a"', "é", "ROOT", "a\n::= b", "start: x"])
def test_names_that_no_parser_reads_become_others(name: str) -> None:
    body = Sequence((RuleRef(name), RuleRef("a-2")))
    rules = (Rule("root", (body,)), Rule(name, (Sequence(),)), Rule("a-2", (Sequence(),)))
    grammar = gbnf.Grammar(rules)
    for line in grammar.to_ebnf().splitlines():
        assert re.fullmatch(r'[A-Za-z][A-Za-z0-9_-]* ::= (""|[A-Za-z][\w-]* [A-Za-z][\w-]*)', line)
    for line in grammar.to_lark().splitlines():
        assert re.fullmatch(r'\w[\w-]*: (""|\w[\w-]*( \w[\w-]*)?)', line)


def test_comments_stay_comments() -> None:
    rule = Rule("root", (Sequence(),), ("one\nroot ::= x\r\u2028y\x00z",))
    grammar = gbnf.Grammar((rule,))
    assert grammar.to_ebnf() == '# one root ::= x  y z\nroot ::= ""\n'
    assert grammar.to_lark().splitlines()[1:] == ["// one root ::= x  y z", 'ROOT: ""']


def test_a_regular_expression_takes_whole_texts_only() -> None:
    pattern = gbnf.parse('root ::= "a" | "b"\n').to_regex()
    assert pattern == r"^(?:a|b)(?![\s\S])"
    assert not re.search(pattern, "a\n")
    assert not re.search(pattern, "xa")


def test_a_regular_expression_that_would_be_too_long_is_refused() -> None:
    rules = "".join(f"r{n} ::= r{n + 1} r{n + 1}\n" for n in range(2000))
    grammar = gbnf.parse(f'root ::= r0\n{rules}r2000 ::= "a"\n')
    with pytest.raises(pdl.GrammarError, match="more than 100,000 characters"):
        grammar.to_regex()
    short = gbnf.parse('root ::= "a"{3} "b"\n')
    assert short.to_regex(most=5) == r"^(?:a{3}b)(?![\s\S])"
    with pytest.raises(pdl.GrammarError, match="more than 4 characters"):
        short.to_regex(most=4)


def test_a_regular_expression_that_would_nest_too_deep_is_refused() -> None:
    def nested(depth: int) -> gbnf.Grammar:
        return gbnf.parse("root ::= " + '("x" ' * depth + '"a"' + ")?" * depth + "\n")

    assert re.match(nested(79).to_regex(), "x" * 79 + "a")
    with pytest.raises(pdl.GrammarError, match="nest 90 groups"):
        nested(90).to_regex()


def test_long_chains_of_rules() -> None:
    size = 5_000
    rules = "".join(f'r{n} ::= "a" r{n + 1}\n' for n in range(size))
    grammar = gbnf.parse(f'root ::= r0\n{rules}r{size} ::= "b" | r0\n')
    assert grammar.to_regex() == rf"^(?:(?:{'a' * size})*{'a' * size}b)(?![\s\S])"
    assert grammar.to_lark().count("\n") == size + 2
    assert grammar.to_ebnf().count("\n") == size + 2


@pytest.mark.parametrize("ends", [('("x" ', ")+"), ("(", ")?")])
def test_groups_may_nest_as_deep_as_grammars_do(ends: tuple[str, str]) -> None:
    depth = DEFAULT_LIMITS.grammar_depth
    grammar = gbnf.parse(f"""root ::= {ends[0] * depth}"a"{ends[1] * depth}\n""")
    assert grammar.to_ebnf().count("(") == depth
    assert grammar.to_lark().count("(") == depth


def test_repetitions_of_what_may_be_empty_do_not_make_re_slow() -> None:
    grammar = gbnf.parse('root ::= ((("\\\\"{0,2}){3,5} "b"?){3,5}){3,5} "y"\n')
    assert grammar.to_regex() == r"^(?:(?:(?:(?:\\{0,2}){0,5}b?){0,5}){0,5}y)(?![\s\S])"
    assert not re.match(grammar.to_regex(), "\\x")


FEW = st.integers(0, 3)
PATTERNS = st.recursive(
    st.sampled_from([EMPTY, character(ord("a")), character(ord("b"))]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(row)
        | st.lists(inner, min_size=1, max_size=3).map(options)
        | st.builds(lambda one, least, more: repeat(one, least, least + more), inner, FEW, FEW)
        | st.builds(repeat, inner, FEW, st.none())
    ),
    max_leaves=8,
)


@settings(max_examples=share(300))
@given(PATTERNS)
def test_patterns_are_no_longer_and_no_deeper_than_they_say(pattern: object) -> None:
    text = spelled(pattern)  # type: ignore[arg-type]
    assert len(text) <= pattern.size  # type: ignore[attr-defined]
    deepest = depth = 0
    for mark in text:
        depth += {"(": 1, ")": -1}.get(mark, 0)
        deepest = max(deepest, depth)
    assert deepest <= pattern.depth  # type: ignore[attr-defined]
    re.compile(text)
