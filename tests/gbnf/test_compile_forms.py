"""The forms that are not JSON: what their grammars write, the checker takes as it is meant."""

# ruff: noqa: S311 - what is drawn must be the same in every run

from __future__ import annotations

import sys
from functools import lru_cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama import llama, needs_llama

import pdl
from pdl import gbnf
from pdl.gbnf import Grammar
from pdl.gbnf.compiling.compiler import Compiler
from pdl.gbnf.compiling.forms import form_rules
from pdl.gbnf.compiling.options import Options
from pdl.reply import DIALECTS

SIZES = (1, 4, 20, 80, 300)
FORMS = [
    "str", "str<1>", "str<1,80>", "str<3,>", "str<,2>", "str<40,60>",
    "str { pattern: '^[a-z]+ [0-9]{2}$' }", "str { pattern: 'a' }", "str<2,9> { pattern: '^ ?b' }",
    "date", "time", "datetime", "duration", "uuid", "ipv4", "ipv6", "email", "uri",
    "yesno", "code", "code { lang: 'py' }", "code { lang: 'c++' }", "code<5,8>", "code<90,>",
    "tasklist", "tasklist<1>", "tasklist<2,5>", "tasklist<,3>", "tasklist<4,>",
]  # fmt: skip


@lru_cache
def grammar_of(dsl: str) -> Grammar:
    rules = form_rules(pdl.Schema.parse(dsl), Options.generate())
    return Grammar(rules)


def meant(form: str, text: str) -> object:
    """The value that a reply of a form stands for."""
    if form == "yesno":
        return text == "yes"
    if form == "code":
        return text.partition("\n")[2].removesuffix("\n```")
    return text


@pytest.mark.parametrize("dsl", FORMS)
def test_the_checker_takes_what_the_grammar_writes(dsl: str) -> None:
    schema, grammar, rng = pdl.Schema.parse(dsl), grammar_of(dsl), Random(7)
    texts = [grammar.generate(rng, size=size) for size in SIZES for _ in range(40)]
    for text in (*texts, grammar.shortest()):
        check = pdl.check(schema, text)
        assert (check.ok, check.value) == (True, meant(schema.form, text)), text


@pytest.mark.parametrize("dsl", FORMS)
def test_the_grammar_is_sound_and_quick(dsl: str) -> None:
    """It reads back, and the linter has nothing to say of it."""
    grammar = grammar_of(dsl)
    assert gbnf.parse(str(grammar)) == grammar
    assert grammar.lint() == ()


@needs_llama
@pytest.mark.parametrize("dsl", FORMS)
def test_llama_follows_few_stacks(dsl: str) -> None:
    grammar, rng = grammar_of(dsl), Random(5)
    with llama(str(grammar)) as judge:
        assert judge is not None
        for _ in range(20):
            text = grammar.generate(rng, size=60)
            ok, _, stacks = judge.match(text)
            assert ok, text
            assert stacks <= 8, text


@pytest.mark.parametrize(
    ("dsl", "taken", "refused"),
    [
        (
            "str<2,4>",
            ["ab", "a b", "a\n\nb", "«🙂»"],
            ["", "a", "ab ", " ab", "abcde", "\u3000ab", "ab\x85"],
        ),
        ("yesno", ["yes", "no"], ["Yes", "yes.", "", "maybe"]),
        (
            "code { lang: 'py' }",
            [
                "```py\nx = 1\n```",
                "```py\n\n  x\n\n\n```",
                "```py\n`a\n``b\n  ``\nx ``` y\n```",
                "```py\n~~~\n```",
            ],
            [
                "```py\n```",
                "```py\n\n \n```",
                "```python\nx\n```",
                "```py\nx",
                "```py\nx\n```\n",
                "```py\nx\n  ```\n```",
                "```py\nx\n````\n```",
                "```py\nx\n```\n\ny\n```",
                "```py\nx\r\n```",
            ],
        ),
        (
            "code",
            [
                "```\nx\n```",
                "```rust\nx\n```",
                "```sql\nx\n```",
                "```tsx\nx\n```",
                "```c++\nx\n```",
            ],
            ["```think\nx\n```", "```scratchpad\nx\n```", "```Py\nx\n```", "```a b\nx\n```"],
        ),
        ("code<2,3>", ["```\nab\n```", "```\na\nb\n```"], ["```\na\n```", "```\nabcd\n```"]),
        (
            "tasklist<2,3>",
            ["- [ ] a\n- [x] b c", "- [ ] see [x](y)\n- [ ] -\n- [x] .gitignore"],
            [
                "- [ ] a",
                "- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d",
                "- [ ] a\n- [ ] b\n",
                "* [ ] a\n* [ ] b",
                "- [ ] a \n- [ ] b",
                "- [ ] a\n\n- [ ] b",
                "- [ ] ...\n- [ ] b",
                "- [ ] a - [ ] c\n- [ ] b",
                "- [ ] 1. [x] c\n- [ ] b",
            ],
        ),
    ],
)
def test_what_a_reply_looks_like(dsl: str, taken: list[str], refused: list[str]) -> None:
    schema, grammar = pdl.Schema.parse(dsl), grammar_of(dsl)
    for text in taken:
        assert grammar.match(text), text
        assert pdl.check(schema, text).value == meant(schema.form, text)
    for text in refused:
        assert not grammar.match(text), text


@given(st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), max_size=8))
def test_each_text_is_a_reply_but_for_the_blanks_around_it(text: str) -> None:
    assert bool(grammar_of("str").match(text)) == (text != "" and text == text.strip())


@given(st.text(alphabet="`a \n", max_size=12))
def test_code_is_what_a_fence_can_hold(text: str) -> None:
    """All code is taken, but what ends its fence, or may be thought to, or is blank."""
    ends = any(line.lstrip().startswith("```") for line in text.split("\n"))
    taken = grammar_of("code").match(f"```\n{text}\n```")
    assert bool(taken) == (not ends and text.strip() != "")


@pytest.mark.parametrize("dsl", ["str<2500,4100>", "str<2001>", "str<,2500>", "tasklist<3000,>"])
def test_long_ones_are_within_what_llama_takes(dsl: str) -> None:
    """It refuses a minimum over 2000, and drops a maximum over 2000."""
    grammar = gbnf.parse(str(grammar_of(dsl)))
    schema = pdl.Schema.parse(dsl)
    text = grammar.shortest()
    assert pdl.check(schema, text).ok
    if schema.form == "text":
        most = schema.document["maxLength"]
        assert grammar.match("x" * most)
        assert not grammar.match("x" * (most + 1))


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (pdl.Schema.parse("tasklist<0>"), "only an empty task list"),
        (pdl.Schema.parse("str<0>"), "only the empty string"),
        (pdl.Schema.parse("str { pattern: '^ *$' }"), "every string of this schema is blank"),
        (pdl.Schema.parse("code<0>"), "no code satisfies this schema"),
        (pdl.Schema.parse("code { lang: 'py x' }"), "`py x` is not an info string"),
        (pdl.Schema.parse("code { lang: 'Think' }"), "`Think` is not an info string"),
        (pdl.Schema({"not": {}}, "text"), "no string satisfies this schema"),
        (pdl.Schema({"type": "string"}, "yesno"), "neither yes nor no"),
    ],
)
def test_what_no_reply_satisfies_is_an_error(schema: pdl.Schema, why: str) -> None:
    with pytest.raises(pdl.SchemaError, match=f"^{why}"):
        form_rules(schema, Options())


def test_only_one_word_may_satisfy() -> None:
    rules = form_rules(pdl.Schema({"const": True}, "yesno"), Options())
    assert str(Grammar(rules)) == 'root ::= "yes"\n'


def test_bounds_on_code_beyond_what_is_counted_are_left_to_the_checker() -> None:
    schema = pdl.Schema.parse("code<2000,3000>")
    compiler = Compiler(schema.document, Options())
    assert form_rules(schema, Options(), compiler) == form_rules(
        pdl.Schema.parse("code"), Options()
    )
    found = [(one.pointer, one.keyword, one.level) for one in compiler.entries()]
    assert found == [("#", "minLength", "POST_HOC"), ("#", "maxLength", "POST_HOC")]


def test_blanks_are_those_that_python_strips() -> None:
    grammar = grammar_of("str<1>")
    blanks = [code for code in range(0xD800) if chr(code).isspace()]
    assert not any(map(grammar.match, map(chr, blanks)))
    assert not [one for one in range(0xE000, sys.maxunicode) if chr(one).isspace()]
    solid = [chr(code) for code in range(1, 0x3100) if not chr(code).isspace()]
    assert all(map(grammar.match, solid))


def test_no_fence_without_a_language_is_one_of_reasoning() -> None:
    grammar = grammar_of("code")
    for info in DIALECTS.reasoning_fences:
        assert not grammar.match(f"```{info}\nx\n```")
        with pytest.raises(pdl.SchemaError):
            form_rules(pdl.Schema({"type": "string"}, "code", info), Options())
