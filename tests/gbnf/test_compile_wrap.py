"""What may stand in front of an answer: free text up to a mark, and where the answer begins."""

# ruff: noqa: S311 - what is drawn must be the same in every run

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama import llama, needs_llama

import pdl
from pdl import gbnf
from pdl.gbnf import Grammar
from pdl.gbnf.compiling.forms import form_rules, wrap
from pdl.gbnf.compiling.options import Options

JSON = gbnf.parse('root ::= "{" ws "\\"n\\":" ws [0-9] ws "}"\nws ::= [ \\n]?\n').rules
THINK = "<think>…</think>"
TEMPLATES = [
    THINK,
    "<think>...</think>",
    "…</think>",
    "<think>\n…\n</think>\n\n",
    "[THINK]…[/THINK]",
]
FORMS = ["{ n: int }", "str", "str<1,30>", "yesno", "code", "tasklist"]


def wrapped(template: str, dsl: str = "{ n: int }", *, optional: bool = False) -> Grammar:
    schema = pdl.Schema.parse(dsl)
    rules = JSON if schema.form == "json" else form_rules(schema, Options.generate())
    return Grammar(wrap(rules, template, optional=optional))


@pytest.mark.parametrize("dsl", FORMS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_checker_skips_what_stands_in_front(template: str, dsl: str) -> None:
    schema, grammar, rng = pdl.Schema.parse(dsl), wrapped(template, dsl), Random(7)
    bare = Grammar(JSON if schema.form == "json" else form_rules(schema, Options.generate()))
    for size in (1, 30, 60, 200):
        for _ in range(15):
            text = grammar.generate(rng, size=size)
            check = pdl.check(schema, text)
            assert check.ok, text
            assert check.span is not None
            answer = (
                text[check.span[0] :] if schema.form != "code" else text[text.rfind("```", 0, -3) :]
            )
            assert bare.match(answer), text


@pytest.mark.parametrize("template", TEMPLATES)
def test_it_is_sound_and_quick(template: str) -> None:
    grammar = wrapped(template, "code")
    assert gbnf.parse(str(grammar)) == grammar
    assert grammar.lint() == ()


@needs_llama
def test_llama_follows_few_stacks() -> None:
    grammar = wrapped("<a>…aababaabaab</a>", optional=True)
    with llama(str(grammar)) as judge:
        assert judge is not None
        ok, _, stacks = judge.match('<a>aabaababaabaabaababaabaab</a>\n{"n":1}')
        assert ok
        assert stacks <= 4


def test_the_grammar_is_readable() -> None:
    assert str(wrapped("(…)", "yesno")) == (
        'root ::= "(" thought "\\n"{1,2} answer\nthought ::= [^)]* ")"\nanswer ::= "yes" | "no"\n'
    )


@given(
    st.text(alphabet="ab\n", min_size=1, max_size=6).filter(lambda mark: mark == mark.strip()),
    st.text(alphabet="ab\n", max_size=20),
)
def test_free_text_goes_up_to_the_first_mark(mark: str, text: str) -> None:
    grammar = Grammar(wrap(gbnf.parse('root ::= "!"').rules, f"<…{mark} "))
    assert bool(grammar.match(f"<{text}{mark} !")) == ((text + mark).find(mark) == len(text))


def test_a_template_may_begin_with_free_text() -> None:
    """The prompt of such a model ends in the opening mark."""
    grammar = wrapped("…</think>")
    assert grammar.match('well\n{"n": 2}?\n</think>\n\n{"n":1}')
    assert not grammar.match('{"n":1}')


def test_whitespace_behind_the_mark_is_taken_as_it_is() -> None:
    """If there is none, the answer begins on a line of its own."""
    assert wrapped("<a>…</a>  ").match('<a>x</a>  {"n":1}')
    assert not wrapped("<a>…</a>  ").match('<a>x</a>\n{"n":1}')
    assert wrapped("<a>…</a>").match('<a>x</a>\n\n{"n":1}')
    assert not wrapped("<a>…</a>").match('<a>x</a>{"n":1}')


def test_line_breaks_of_the_answer_are_its_own() -> None:
    """Where it may begin with some, a text has one way through them."""
    rules = gbnf.parse('root ::= [ \\n]* "x"').rules
    grammar = Grammar(wrap(rules, "<a>…</a>"))
    assert grammar.lint() == ()
    assert grammar.match("<a></a>\n\n\n x")


def test_a_beginning_may_be_fixed() -> None:
    assert wrapped("Answer: ", "yesno").match("Answer: yes")
    assert str(wrapped("Answer: ", "yesno")).startswith('root ::= "Answer: " answer\n')


def test_a_model_may_be_let_off() -> None:
    grammar = wrapped(THINK, optional=True)
    assert grammar.match('{"n":1}')
    assert grammar.match('<think></think>\n{"n":1}')
    assert not wrapped(THINK).match('{"n":1}')


def test_names_that_are_taken_stay_with_their_rules() -> None:
    rules = gbnf.parse(
        'root ::= thought answer (root)? thought-2\nthought ::= "t"\nanswer ::= "a"\n'
        'thought-2 ::= "2"\n'
    ).rules
    grammar = gbnf.parse(str(Grammar(wrap(rules, "<a>…</a>\n"))))
    assert grammar.match("<a></a>\ntata22")
    assert len(grammar.rules) == len(grammar.rule)


def test_another_root_keeps_its_name() -> None:
    rules = gbnf.parse('top ::= "x" | "(" top ")"', root="top").rules
    grammar = Grammar(wrap(rules, "<a>…</a>\n", root="top"), "top")
    assert grammar.match("<a>y</a>\n((x))")


@pytest.mark.parametrize(
    ("template", "optional", "why"),
    [
        ("", False, "an empty template"),
        ("…", False, "nothing after its free text"),
        ("<a>… \n", False, "nothing after its free text"),
        ("<a>…</a>…", False, "several `…`"),
        ("<a>...</a>…", False, "several `…`"),
        ("<a>......</a>", False, "several `…`"),
        ("…</a>", True, "begins with free text"),
        ("\udcff…</a>", False, "bytes that are not valid UTF-8"),
        ("<a>…</a\ud83d>", False, "bytes that are not valid UTF-8"),
    ],
)
def test_templates_that_cannot_work(template: str, optional: bool, why: str) -> None:  # noqa: FBT001 - a case's field
    with pytest.raises(ValueError, match=why):
        wrap(JSON, template, optional=optional)
