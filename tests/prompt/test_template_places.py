"""Errors of a template stand at the tag and the word that they mean."""

from __future__ import annotations

import re

import pytest

import pdl
from pdl.prompt.lint import lint_text

INPUT = "<|input|>\n{ a?: str, x: str, items: [str] }\n<|user|>\n"
VALUES = {"a": "a", "x": "x", "items": ["i"]}

# What is wrong is between `[[` and `]]`; then the message and the hint, or their beginnings.
BOTH = [
    # words that stand elsewhere on the line too
    ("{{ uper }}{% set uper = 1 %}{{ x | [[uper]] }}", "unknown filter `uper`", "did you mean"),
    ("{% set odds = 1 %}{{ odds }}{{ 1 is [[odds]] }}", "unknown test `odds`", "did you mean"),
    ("{% set odds = 1 %}{{ odds }}{{ 1 is not [[odds]] }}", "unknown test `odds`", "did you mean"),
    ("{% filter [[uper]] %}{% endfilter %}", "unknown filter `uper`", "did you mean"),
    ("{{ 'uper' }}{{ x\n | upper\n | [[uper]] }}", "unknown filter `uper`", "did you mean"),
    ('{% if x %}{{ "endfor" }} {% [[endfor]] %}{% endif %}', "`endfor` is not allowed", "expected"),
    ("{% for i in x %}{% endfor %}{% [[endfor]] %}", "`endfor` is not allowed here", ""),
    ("{{ if }}{% if x %}{% [[fi]] %}", "unknown tag `fi`", "expected `elif` or `else` or `endif`"),
    # the faulty tag among others
    ("{{ x }} {{ items[ [[}}]] {{ x }}", "expected `]`, found `}}`", ""),
    ("{{ x }} {% if x %}a{% elif (x [[%}]]b{% endif %}", "expected `)`, found `%}`", ""),
    ("{{ x }} {{ (x[[]]] }} {{ x }}", "expected `)`, found `]`", ""),
    ("{{ x }} {{ x[[)]] }}", "unexpected `)`", ""),
    ("{{ items }}{{ x | [[}}]]", "expected a name, found `}}`", ""),
    ("{{ f(1, 2) }}{{ f(1 [[2]]) }}", "expected `,`, found a number", ""),
    ("{{ x }}{{ x\n  [[y]]\n  y }}", "expected `}}`, found `y`", ""),
    ("{% block a %}{{x}}{% endblock [[b]] %}", "expected `%}`, found `b`", ""),
    ("{{ x [[$]] }}", "unexpected character '$'", "remove the `$`"),
    ('{{ x | default([["]]a) }}\n\nit\'s {{ "ok" }}', "unclosed quoted string", ""),
    ('{{ "a" ~ [["]]b }}', "unclosed quoted string", ""),
    # what is not closed
    ("{% [[if]] x %}\nA\n{% if items %}B{% endif %}\nC", "unclosed `if`: expected `elif`", ""),
    ("{% if x %}{% [[if]] a %}\n{% if items %}B{% endif %}", "unclosed `if`: expected", ""),
    ('{% [[for]] i in items %}\n{{ "{% for j %}" }}', "unclosed `for`: expected `endfor`", ""),
    ("{% set y = 1 %}{% [[set]] y %}\n{% set z = 1 %}", "unclosed `set`: expected `endset`", ""),
    ('{{ "{{" }}{{ x }}[[{{]] x', "unclosed `{{`: expected `}}`", ""),
    ("[[{{]] x\nmore {{ x }}", "unclosed `{{`: expected `}}`", ""),
    ("{{ x [[}]]\nmore {{ x }}", "expected `}}`, found `}`", ""),
    ('{{ "{#" }}[[{#]] a', "unclosed `{#`: expected `#}`", ""),
    ("{% [[raw]] %}{{ x }}", "unclosed `raw`: expected `endraw`", ""),
    # words of pdl instead of those of Jinja, and hints
    ("{% if [[%}]]{% endif %}", "expected an expression, found `%}`", ""),
    ("{% [[%}]]", "expected the name of a tag", ""),
    ("{% if x %}a{% [[else if]] items %}b{% endif %}", "expected `%}`, found `if`", "write `elif`"),
    ("{% if x [[=]] 1 %}{% endif %}", "expected `%}`, found `=`", "write `==` to compare"),
    ("{% for a [[=]] items %}{% endfor %}", "expected `in`, found `=`", ""),
    ("{% [[do]] x %}", "unknown tag `do`", "templates only read data; assign a value with `set`"),
    ("{% if x %}{% [[elseif]] a %}{% endif %}", "unknown tag `elseif`", "did you mean `elif`?"),
]  # fmt: skip
LINTED = [
    ('{{ "aa" }} {{ aa }}', "1:15"),
    ("{{ x.foo }} {{ foo }}", "1:16"),
    ("{{ x | default(baz=1) }} {{ baz }}", "1:29"),
    ("{{ x | foo }} {{ foo }}", "1:18"),
    ("{{ x is foo }} {{ foo }}", "1:19"),
    ("{{ x\n ~ foo }}", "2:4"),
    ("{{ no }} {{ 'no' }}", "1:4"),
]
RENDERED = [  # values of an object
    ("{{ foo }}{{ 'foo' }}{{ x.foo }}", 25),
    ("{{ foo }}{{ x['foo'] }}", 15),
    ("{{ x.y.foo }}{{ foo }}", 7),
]


@pytest.mark.parametrize(("marked", "message", "hint"), BOTH)
def test_the_place_of_an_error(marked: str, message: str, hint: str) -> None:
    before, rest = marked.split("[[", 1)
    word, after = re.split(r"\]\](?!\])", rest, maxsplit=1)
    text = INPUT + before + word + after
    start = len(INPUT + before)
    with pytest.raises(pdl.PromptError) as raised:
        pdl.loads(text).render(VALUES)
    linted = [one.problem for one in lint_text(text) if one.severity == "error"]
    for problem in (raised.value.problem, linted[0]):
        assert problem.span is not None
        assert (problem.span.start, problem.span.text) == (start, word)
        assert problem.message.startswith(message)
        assert problem.hint.startswith(hint)
        assert bool(problem.hint) == bool(hint)


@pytest.mark.parametrize(("text", "place"), LINTED)
def test_the_place_of_a_name(text: str, place: str) -> None:
    linted = [one.problem for one in lint_text(INPUT + text, base="/nowhere")]
    line, column = map(int, place.split(":"))
    found = [one.span for one in linted if one.code == "template/undefined"]
    assert [(span.line, span.column) for span in found if span] == [(line + 3, column)]


@pytest.mark.parametrize(("text", "at"), RENDERED)
def test_the_place_of_a_key(text: str, at: int) -> None:
    with pytest.raises(pdl.PromptError) as raised:
        pdl.loads("<|user|>\n" + text).render({"foo": 1, "x": {"y": {}}})
    span = raised.value.problem.span
    assert span is not None
    assert (span.line, span.column - 1, span.text) == (2, at, "foo")


BEGINNINGS = [
    ('<|system|>\n{{- "x" }}\n<|user|>\n{{ 1 }}', "1:1 media/unknown-block"),
    ("a <|system|>\nb\n<|user|>\na", "1:1 turn/no-role, 1:3 media/unknown-block"),
    ('{{ "x" -}}\n<|system|>\na', "1:1 turn/no-role, 2:1 media/unknown-block"),
]


@pytest.mark.parametrize(("text", "expected"), BEGINNINGS)
def test_a_first_marker_that_is_not_alone_on_its_line(text: str, expected: str) -> None:
    with pytest.raises(pdl.PromptError) as raised:
        pdl.loads(text).render()
    linted = [one.problem for one in lint_text(text)]
    for problems in (raised.value.problems, linted):
        found = [f"{one.span.line}:{one.span.column} {one.code}" for one in problems if one.span]
        assert ", ".join(found) == expected
