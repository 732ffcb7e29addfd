"""Lint: each finding with its place, why it matters, and how to mend it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from grammars import GRAMMARS
from hypothesis import given
from snapshots import CASES, Snapshot

from pdl import gbnf
from pdl.errors import PromptError
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import Literal, Rule, Sequence
from pdl.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = CASES / "gbnf"
FILES = sorted((FOLDER / "lint").glob("*.gbnf"))
VALID = sorted((FOLDER / "valid").glob("*.gbnf"))
INVALID = sorted((FOLDER / "invalid").glob("*.gbnf"))


def codes(text: str | Grammar, *, json: bool = False) -> list[str]:
    """The codes of the findings, without their common beginning."""
    return [found.problem.code.removeprefix("gbnf/") for found in gbnf.lint(text, json=json)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_findings(path: Path, snapshot: Snapshot) -> None:
    text = path.read_bytes().decode()
    found = gbnf.lint(text, name=path.name, json=path.stem.startswith("json"))
    said = "\n".join(f"{finding.severity}: {finding}" for finding in found)
    snapshot.check(path.with_suffix(".txt"), said or "(none)")


@pytest.mark.parametrize("path", [*FILES, *VALID, *INVALID], ids=lambda path: path.stem)
def test_each_finding_is_complete(path: Path) -> None:
    """All have a place in the text, a reason, and a way to mend it."""
    for found in gbnf.lint(path.read_bytes().decode(), json=True):
        assert found.problem.span is not None
        assert found.why
        assert found.problem.hint


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_what_is_refused_is_found(path: Path) -> None:
    """Every problem for which `parse` refuses a text is an error of the lint, at its place."""
    text = path.read_bytes().decode()
    with pytest.raises(PromptError) as caught:
        gbnf.parse(text)
    found = {(one.problem.code, one.problem.span): one.severity for one in gbnf.lint(text)}
    for problem in caught.value.problems:
        assert any(code == problem.code for code, _ in found)
    assert "error" in found.values()


@given(grammar=GRAMMARS)
def test_every_grammar_can_be_linted(grammar: Grammar) -> None:
    """Nothing raises; findings stand in order, in the text, and say all that they should."""
    found = gbnf.lint(str(grammar), json=True)
    starts = [one.problem.span.start for one in found if one.problem.span]
    assert starts == sorted(starts)
    assert len(starts) == len(found)
    assert all(one.why and one.problem.hint for one in found)


def test_a_grammar_from_a_text_is_linted_in_it() -> None:
    text = '# first\nroot ::= "a"\nb ::= "b"\n'
    found = gbnf.parse(text, name="my.gbnf").lint()
    assert [str(one.problem.span) for one in found] == ["my.gbnf:3:1"]


def test_a_grammar_without_a_text_is_linted_as_it_is_written() -> None:
    rules = tuple(Rule(name, (Sequence((Literal((98,)),)),)) for name in ("root", "b"))
    found = Grammar(rules).lint()
    assert [str(one.problem).splitlines()[1] for one in found] == ['  2 | b ::= "b"']


def test_the_root_may_be_another_rule() -> None:
    text = 'start ::= "a"\nroot ::= "b"\n'
    assert codes(text) == ["unused-rule"]
    found = gbnf.lint(text, root="start")
    assert [one.problem.span.line for one in found if one.problem.span] == [2]


def test_an_older_target_refuses_more() -> None:
    found = gbnf.lint('root ::= "a"{2}\n', target="2023-07")
    assert [one.problem.code for one in found] == ["gbnf/target"]
    assert found[0].severity == "error"


def test_limits_are_findings() -> None:
    found = gbnf.lint("root ::= a\n" * 20, limits=Limits(grammar_rules=10))
    assert [one.problem.code for one in found] == ["limit/grammar-rules"]
    assert "beyond" in found[0].why


def test_what_is_no_text_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        gbnf.lint(b"root ::= 1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("json", "code"),
    [
        (r'root ::= "\"" [^"]* "\""', "not-json"),
        (r'root ::= "\"" [^"\\]* "\""', "not-json"),
        (r'root ::= "\"" [^"\\\x00-\x1F]* "\""', ""),
        ('root ::= "-"? [0-9]+', "not-json"),
        ('root ::= "-"? ("0" | [1-9] [0-9]*)', ""),
        ('root ::= "1" "." [0-9]*', "not-json"),
        ('root ::= "tru" [e]', ""),
        ('root ::= "tru" [ex]', "not-json"),
        ('root ::= ("1" | "2")?', "not-json"),
        ('root ::= "[" ("1" ("," "1")*)? "]"', ""),
        ('root ::= "[" ("1" ","?)* "]"', "not-json"),
        ('root ::= "[" x\nx ::= "1" "]" | "[" x "]"', ""),
        ('root ::= "[" x\nx ::= "1" "]" | "[" x', "not-json"),
        (r'root ::= "{\"a\": 1" ("}" | ",}")', "not-json"),
        (r'root ::= "\"\\u" [0-9a-f]{4} "\""', ""),
        (r'root ::= "\"\\u" [0-9a-g]{4} "\""', "not-json"),
        ('root ::= "1" <[3]>', "json-unknown"),
        ('root ::= "[" ("[" "[1]" "]"){1999} "]"', "json-tried"),
        ('root ::= "-" ("Infinity" | "1")', "not-json"),
    ],
)
def test_json(json: str, code: str) -> None:
    """No finding where it is proved that all texts are JSON; a text that is not one, if not."""
    found = [one for one in codes(json, json=True) if "json" in one]
    assert found[:1] == ([code] if code else [])
    assert not [one for one in codes(json) if "json" in one]


def test_a_counterexample_is_a_text_of_the_grammar() -> None:
    grammar = gbnf.parse('root ::= "[" [a-z1]+ "]"\n')
    found = [one for one in grammar.lint(json=True) if one.problem.code == "gbnf/not-json"]
    said = re.match("the grammar matches `(.*?)`, which", found[0].problem.message)
    assert said
    assert grammar.match(said[1])
