"""Lint of texts that are not saved, and of those that do not parse."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from effort import effort
from hypothesis import assume, given
from hypothesis import strategies as st
from shipped import prompts_below

import pdl
from pdl.prompt.includes import part_folders
from pdl.prompt.lint import Finding, included_files, lint_file, lint_text
from pdl.prompt.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[2]
FILES = prompts_below("prompts", "tests/cases/lint", "tests/cases/turns")
SYNTAX = frozenset(
    "template/syntax template/unclosed template/unknown-tag template/misplaced-tag"  # noqa: SIM905
    " limit/template-depth limit/template".split()
)


def shown(findings: Iterable[Finding]) -> list[str]:
    return [
        f"{span.line}:{span.column} {one.problem.code}"
        for one in findings
        if (span := one.problem.location) is not None
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_text_has_the_findings_of_its_file(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert lint_text(text, str(path), base=path.parent) == lint_file(path)


BROKEN = {
    "the rest of a file with an unclosed expression": (
        (
            "<|input|>\n{ name: str, old: str, reveiw: str }\n"
            "<|system|>\n{{ name | uper }}, {{ nam\n<|usr|>\n{{ review }}\n"
            "<|schema|>\n{ a: strr }\n<|schema|>\nint<5,1>\n<|user|>\n<user>\n"
        ),
        (
            "2:14 input/unused, 2:24 input/unused, 4:11 template/unknown-filter,"
            " 4:20 template/unclosed, 5:1 turn/unknown-role, 6:4 template/undefined,"
            " 8:6 schema/unknown-type, 9:1 turn/second-schema, 10:4 schema/empty-range,"
            " 12:1 turn/lookalike"
        ),
    ),
    "each faulty tag": (
        "<|user|>\n{{ a & b }} {{ c ? d }}\n{{ e | }} {% fi x %}{{ f(1 }}{{ g\n",
        (
            "2:6 template/syntax, 2:18 template/syntax, 3:8 template/syntax,"
            " 3:14 template/unknown-tag, 3:28 template/syntax, 3:30 template/unclosed"
        ),
    ),
    "an unclosed tag behind a faulty one": (
        "<|user|>\n{{ a | }}\n{{ b\nIt's {{ c }}\n",
        "2:8 template/syntax, 3:1 template/unclosed",
    ),
    "an if without its end: where it ends is not known": (
        "<|user|>\na\n{% if x %}\n<|user|>\nb\n<|schema|>\n{ a: strr }\n",
        "3:4 template/unclosed, 7:6 schema/unknown-type",
    ),
    "an end without its if": (
        "<|user|>\na\n<|user|>\nb\n{% endif %}\n<|schema|>\nstrr\n",
        "5:4 template/misplaced-tag, 7:1 schema/unknown-type",
    ),
    "turns of an order that no tag changes": (
        "<|user|>\n{{ a\n<|user|>\nb\n{{ b }}\n",
        "2:1 template/unclosed, 3:1 turn/doubled",
    ),
    "a turn that a tag swallows": (
        "<|user|>\na\n{% if x <|assistant|>\nb\n{% endif %}\n<|user|>\nb",
        "3:1 template/unclosed",
    ),
    "the branches of a faulty if": (
        "{% if x & y %}\n<|user|>\na\n{% else %}\n<|user|>\nb\n{% endif %}\n<|schema|>\nstrr",
        "1:9 template/syntax, 9:1 schema/unknown-type",
    ),
    "a comment without its end hides all that follows": (
        "<|user|>\n{{ a | uper }}\n{# b\n<|schema|>\nstrr\n",
        "2:8 template/unknown-filter, 3:1 template/unclosed",
    ),
    "a raw text without its end": (
        "<|user|>\n{{ a | uper }}\n{% raw %}\n{{ b | uper }}\n<|schema|>\nstrr\n",
        "2:8 template/unknown-filter, 3:4 template/unclosed",
    ),
    "typed turns with a faulty tag": (
        "<|input|>\n{ a: strr {{\n<|schema|>\n{ a: {{ x\n }\n<|config|>\nmodl: {{ y\n<|user|>\nb\n",
        "2:11 template/unclosed, 4:6 template/unclosed, 7:7 template/unclosed",
    ),
    "a faulty macro": (
        "{% macro m( %}\n<|usr|>\n{% endmacro %}\n<|usr|>\n{{ m() }}\n",
        "1:13 template/syntax, 4:1 turn/unknown-role",
    ),
    "a macro without its end": ("{% macro m() %}\n<|usr|>\n<|user|>\na\n", "1:4 template/unclosed"),
    "a definition that has no name yet": (
        "<|input|>\n{ a: str }\n<|user|>\n{% set %}{{ b }}{{ a | uper }}\n",
        "4:8 template/syntax, 4:24 template/unknown-filter",
    ),
    "names of faulty definitions": (
        (
            "<|input|>\n{ a: str }\n<|user|>\n"
            "{% set b = & %}{{ b }}{{ c }}\n{% for d i a %}{{ d }}{% endfor %}"
        ),
        "4:12 template/syntax, 4:26 template/undefined, 5:10 template/syntax",
    ),
    "names to import that are not written yet": (
        '<|input|>\n{ a: str }\n<|user|>\n{% from "m.pdl" import %}{{ a }}{{ f(1) }}\n',
        "4:24 template/syntax",
    ),
    "a second target that is not written yet": (
        "<|input|>\n{ a: [str] }\n<|user|>\n{% for b, in %}{{ b }}{{ c }}{% endfor %}{{ a }}\n",
        "4:14 template/syntax",
    ),
    "a name for an import that is not written yet": (
        '<|input|>\n{ a: str }\n<|user|>\n{% import "m.pdl" %}{{ a }}{{ m.f() }}\n',
        "4:19 template/syntax",
    ),
    "a string without its end, and one that this makes": (
        '<|user|>\n{{ a | default("b) }}\n\nit\'s {{ "c" }}{{ d | uper }}\n',
        "2:16 template/unclosed, 4:22 template/unknown-filter",
    ),
    "a tag without its block and a faulty one": (
        "<|user|>\n{% endif %}\n{{ a | }}\n",
        "2:4 template/misplaced-tag, 3:8 template/syntax",
    ),
    "a block that its end names, and a faulty tag": (
        "<|user|>\n{% block a %}{% endblock a %}{{ b | }}\n",
        "2:37 template/syntax",
    ),
    "an include that might read an input": (
        "<|input|>\n{ a: str }\n<|user|>\n{% include & 'x.pdl' %}\n",
        "4:12 template/syntax",
    ),
    "a block that is defined twice": (
        "<|user|>\n{% block a %}{% endblock %}{% block a %}{% endblock %}\n<|schema|>\nstrr\n",
        "2:1 template/syntax, 4:1 schema/unknown-type",
    ),
    "the same mistake twice": (
        "<|user|>\n{{ a & b }}\n{{ a & b }}\n",
        "2:6 template/syntax, 3:6 template/syntax",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_syntax_error_silences_no_others(name: str) -> None:
    text, expected = BROKEN[name]
    assert ", ".join(shown(lint_text(text))) == expected
    with pytest.raises(pdl.PromptError):
        pdl.loads(text)


def test_an_input_turn_that_is_invalid_silences_no_others() -> None:
    text = "<|input|>\n{ a: strr }\n<|user|>\n{{ a | uper }}{{ schema }}\n<|usr|>\n"
    expected = ["2:6 schema/unknown-type", "4:8 template/unknown-filter", "5:1 turn/unknown-role"]
    assert shown(lint_text(text)) == expected


def test_lost_turns_silence_no_others(tmp_path: Path) -> None:
    (tmp_path / "base.pdl").write_text("<|user|>\n{% block a %}{% endblock %}\n", "utf-8")
    text = "{% extends 'base.pdl' %}\n<|user|>\na\n{% block a %}{{ b | uper }}{% endblock %}"
    found = shown(lint_text(text, base=tmp_path))
    assert found == ["2:1 turn/outside-block", "4:21 template/unknown-filter"]


def test_open_files_replace_those_of_the_disk(tmp_path: Path) -> None:
    (tmp_path / "part.pdl").write_text("{{ a | uper }}", "utf-8")
    text = "<|user|>\n{% include 'part.pdl' %}{% include './new.pdl' %}\n<|schema|>\n@new.json\n"
    files = {"part.pdl": "{{ a", "new.pdl": "{{ a | lowr }}", "new.json": "{"}
    found = lint_text(text, base=tmp_path, files=files)
    places = {(Path(one.problem.location.source.name).name, one.problem.code) for one in found
              if one.problem.location}  # fmt: skip
    assert places == {
        ("part.pdl", "template/unclosed"),
        ("new.pdl", "template/unknown-filter"),
        ("new.json", "schema/not-json"),
    }


def test_a_fault_in_an_included_file_silences_no_others(tmp_path: Path) -> None:
    (tmp_path / "part.pdl").write_text("{{ a | uper }}{% include 'inner.pdl' %}", "utf-8")
    (tmp_path / "inner.pdl").write_text("{{ a", "utf-8")
    text = "<|user|>\n{% include 'part.pdl' %}\n<|schema|>\nstrr"
    found = {one.problem.code for one in lint_text(text, base=tmp_path)}
    assert found == {"template/unknown-filter", "template/unclosed", "schema/unknown-type"}


INPUT = "<|input|>\n{ items: [str] }\n<|user|>\n"
MACRO = "{% macro listed(x) %}{{ x }}{% endmacro %}"
BLOCK = "{% block x %}{{ listed(items) }}{% endblock %}"
PARTS = {
    "base.pdl": "<|user|>\n{% block x %}{% endblock %}",
    "with.pdl": "{% set greeting = 1 %}<|user|>\n{% block x %}{{ greeting }}{% endblock %}",
    "sets.txt": "{% set greeting = 1 %}",
    "reads.txt": "{{ greeting }}",
    "macros.txt": MACRO,
    "broken.txt": "{{ a",
}
LINKED = {
    "an imported macro in a block": (
        "{% from 'macros.txt' import listed %}\n" + INPUT + BLOCK, ""),
    "a renamed macro in a block": (
        "{% from 'macros.txt' import listed as f %}\n" + INPUT
        + "{% block x %}{{ f(items) }}{{ listed }}{% endblock %}",
        "5:31 template/undefined"),
    "a module in a block": (
        "{% import 'macros.txt' as m %}\n" + INPUT
        + "{% block x %}{{ m.listed(items) }}{% endblock %}", ""),
    "a macro of a file that extends another": (
        "{% extends 'base.pdl' %}" + MACRO + INPUT.replace("<|user|>", "") + BLOCK, ""),
    "a name that the extended file sets": (
        ("{% extends 'with.pdl' %}\n<|input|>\n{ a: str }\n"
        "{% block x %}{{ a }}{{ greeting }}{% endblock %}"), ""),
    "a block of the extended file that reads a name that it sets": (
        "{% extends 'with.pdl' %}\n<|input|>\n{ a: str }\n{% block y %}{{ a }}{% endblock %}", ""),
    "a name that an included file sets for itself": (
        INPUT + "{{ items }}{% include 'sets.txt' %}{{ greeting }}", "4:39 template/undefined"),
    "a name that a file sets for what it includes": (
        INPUT + "{{ items }}{% set greeting = 1 %}{% include 'reads.txt' %}", ""),
    "an input that a file of a computed name may read": (
        "<|input|>\n{ which: str, part: str }\n<|user|>\n{% include 'tone_' ~ which %}", ""),
    "one of several files": (
        ("<|input|>\n{ a: bool, b: str }\n<|user|>\n"
        "{% include 'sets.txt' if a else 'reads.txt' %}"), ""),
    "an input that hides a function": (
        "<|input|>\n{ range: [int], now: str }\n<|user|>\n{{ range }}", "2:17 input/unused"),
    "a schema that is missing": (
        "<|input|>\n{ a: str }\n<|user|>\n{{ a }} {{ schema }}", "4:12 template/undefined"),
    "a list of files, of which one exists": (
        "<|user|>\n{% include ['no.txt', 'sets.txt'] %}\n{% include ['no.txt'] %}",
        "3:14 template/include"),
    "files that may be missing": (
        ("<|user|>\n{% include ['no.txt', 'none.txt'] ignore missing %}"
        "{% include 'no.txt' ignore missing %}"), ""),
    "a list of files, of which none exists": (
        "<|user|>\n{% include ['no.txt', 'none.txt'] %}",
        "2:14 template/include, 2:24 template/include"),
    "the tag that needs a file, of two": (
        "<|user|>\n{% include 'no.txt' ignore missing %}\n{% include 'no.txt' %}",
        "3:13 template/include"),
    "a file that may be missing, and is invalid": (
        "<|user|>\na{% include 'broken.txt' ignore missing %}", "1:1 template/unclosed"),
    "a list with a computed name": (
        "<|input|>\n{ a: str, b: str }\n<|user|>\n{% include ['no.txt', a] %}", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", LINKED)
def test_names_and_files_that_tags_link(name: str, tmp_path: Path) -> None:
    text, expected = LINKED[name]
    for part, content in PARTS.items():
        (tmp_path / part).write_text(content, "utf-8")
    assert ", ".join(shown(lint_text(text, base=tmp_path))) == expected


def test_a_missing_schema_is_told_once_and_is_no_error() -> None:
    (found,) = lint_text("<|input|>\n{ a: str }\n<|user|>\n{{ a }} {{ schema }}")
    assert found.severity == "warning"
    assert "has no `schema` turn" in found.problem.message


MISTYPED = {
    "an unknown turn after inputs": (
        "<|input|>\n{ a: int }\n<|usr|>\n{{ a }}\n<|user|>\nb", "error 3:1 turn/unknown-role"),
    "one that is like no other": (
        "<|input|>\n{ a: int }\n<|foo|>\n{% if a %}<|user|>\n{{ a }}{% endif %}\n<|user|>\nb",
        "error 3:1 turn/unknown-role"),
    "half a marker": (
        "<|input|>\n{ a: int }\n<|\n<|user|>\n{{ a }}", "error 3:1 turn/lookalike"),
    "half a name": (
        "<|input|>\n{ a: int }\n<|syst\n<|user|>\n{{ a }}", "error 3:1 turn/lookalike"),
    "a whole name": (
        "<|input|>\n{ a: int }\n  <|user >\n{{ a }}\n<|user|>\nb", "error 3:3 turn/lookalike"),
    "a faulty type, too": (
        "<|input|>\n{ a: itn }\n<|usr|>\n{{ a }}\n<|user|>\nb",
        "error 2:6 schema/unknown-type, error 3:1 turn/unknown-role"),
    "after a schema": (
        "<|user|>\na\n<|schema|>\nint\n<|usr|>\n{{ a }}", "error 5:1 turn/unknown-role"),
    "half a marker after a schema": (
        "<|user|>\na\n<|schema|>\n{ a: int\n<|", (
            "error 4:1 schema/unclosed, error 5:1 turn/lookalike")),
    "after tools": (
        "<|user|>\na\n<|tools|>\nf(a: int)\n<|sys\n", "error 5:1 turn/lookalike"),
    "after settings": (
        "<|user|>\na\n<|config|>\nseed: 1\n<|usr|>\nb\n<|config|>\nx\n<|user\n", (
            "error 5:1 turn/unknown-role, error 8:1 config/line, error 9:1 turn/lookalike")),
    "after a schema with an expression": (
        "<|user|>\na\n<|schema|>\n{ a: str<{{ n }}>, b: strr }\n<|usr|>\n", (
            "error 4:23 schema/unknown-type, error 5:1 turn/unknown-role")),
    "beside a syntax error": (
        "<|user|>\n{{ a\n<|schema|>\nint\n<|syst\n",
        "error 2:1 template/unclosed, error 5:1 turn/lookalike"),
    "in a message they are text": (
        "<|user|>\n<|syst\n<|\n<|user\n<|schema|>\nint", "warning 4:1 turn/lookalike"),
    "no marker": (
        "<|user|>\na\n<|schema|>\nint |\n<||>\n", "error 5:1 schema/syntax"),
    "what a tag continues": (
        "<|user|>\na\n<|config|>\nseed: 1\n<|{{ a }}|>\nb\n<|sys{% if a %}{% endif %}tem|>\nc",
        ""),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTYPED)
def test_types_end_at_a_mistyped_marker(name: str) -> None:
    text, expected = MISTYPED[name]
    found = lint_text(text)
    severe = [f"{one.severity} {where}" for one, where in zip(found, shown(found), strict=True)]
    assert ", ".join(severe) == expected


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("<|", "write a turn, such as `<|user|>`"),
        ("<|s", "write a turn, such as `<|user|>`"),
        ("<|syst", "write `<|system|>`"),
        ("<|usre>", "write `<|user|>`"),
        ("<|zzzz|>", "write a turn, such as `<|user|>`"),
        ("<|usr|>", "did you mean `user`?"),
    ],
)
def test_no_hint_makes_a_marker_text_among_types(line: str, hint: str) -> None:
    found = lint_text(f"<|input|>\n{{ a: int }}\n{line}\n<|user|>\n{{{{ a }}}}")
    assert [one.problem.hint for one in found] == [hint]


def test_a_model_without_a_provider_is_the_value() -> None:
    (found,) = lint_text("<|user|>\na\n<|config|>\n model : gpt-5 mini \n")
    assert found.problem.location is not None
    assert found.problem.location.text == "gpt-5 mini"


def test_a_tag_at_the_end_of_the_file_is_unclosed() -> None:
    (found,) = lint_text("<|user|>\n{% if")
    assert found.problem.message == "unclosed `{%`: expected `%}`"


@pytest.mark.parametrize(
    ("type_", "hint"),
    [
        ('{ a: "x" or "y" }', "write `|`"),
        ("{ a: int or: str }", "add a comma before it"),
    ],
)
def test_a_union_is_written_with_a_bar(type_: str, hint: str) -> None:
    (found,) = lint_text(f"<|user|>\na\n<|schema|>\n{type_}\n")
    assert found.problem.hint == hint


def test_included_files_are_known_without_a_tree(tmp_path: Path) -> None:
    path = tmp_path / "a.pdl"
    path.write_text("{{ a\n{% include 'b.pdl' %}{% import \"c.pdl\" as c %}{# {% include 'd' %} #}")
    assert included_files(path) == {(tmp_path / name).resolve() for name in ("b.pdl", "c.pdl")}


def test_findings_say_what_explains_them() -> None:
    text = "<|input|>\n{ review: str }\n<|schema|>\nstr\n<|schema|>\nint\n<|user|>\n{{ reveiw }}\n"
    related = {
        one.problem.code: [(str(span), words) for span, words in one.related]
        for one in lint_text(text)
    }
    assert related == {
        "input/unused": [],
        "turn/second-schema": [("<string>:3:1", "the first one")],
        "template/undefined": [("<string>:2:3", "`review` is declared here")],
    }
    assert [one.unnecessary for one in lint_text(text)] == [True, False, False]


MISTAKES = st.sampled_from(
    ["{{", "{{ a", "{% ", "{% if", "{% if x", "{% if x %}", "{% endif %}", "{% else %}",
     "{{ a | }}", "{{ a.b( }}", "{% set", "{% set x", "{% for a in b %}", "{% endfor %}",
     "{% fi x %}", "{#", "{% macro m() %}", "{% endmacro %}", "{% raw %}", "{{ 'a",
     "{% include 'a.pdl'", "{%}", "{% set x %}", "{% call m() %}", "{% block b %}",
     "{{ ? }}", "{{ }}"]
)  # fmt: skip
LINES = st.sampled_from(
    ["<|user|>", "<|user|>", "<|assistant|>", "<|system|>", "<|schema|>", "<|tools|>",
     "<|config|>", "<|usr|>", "<user>", "</user>", "text", "Hi {{ name }}, {{ oter | uper }}",
     "{ a: strr }", "int<5,1>", "{% if name %}", "{% else %}", "{% endif %}",
     "{% for a in other %}", "{{ a }}", "{% endfor %}", "{% set b = 1 %}", "{{ b }}",
     "{% set c %}", "{% endset %}", "{{ c }}", "{{ schema }}", "modl: 1", "{% macro m(d) %}",
     "{% endmacro %}", "{{ m(1) }}", "<|media(no.png)|>", "<|media({{ name }})|>",
     "{# <|usr|> #}", "{# a", "b #}", "{% raw %}{{ x }}", "{% endraw %}", "f(a: strr)",
     "{ a: {{ name }} }", "{{ m(1,", "  2) }}", "{% include 'no.pdl' %}",
     "{% if name -%} <|usr|> {%- endif %}", "<|{{ a }}|>", "{% filter upper %}",
     "{% endfilter %}", "<|input|>", "{% block e %}", "{% endblock %}", "temperature: 9"]
)  # fmt: skip
START = "<|input|>\n{ name: str, other: [str], old: str }\n"


def certain(text: str, start: int, end: int, put: str) -> bool:
    """Whether each finding of the edited text is one of the text; false if it parses."""
    edited = text[:start] + put + text[end:]
    after = lint_text(edited)
    if not any(one.problem.code in SYNTAX for one in after):
        return False
    before = {place(one) for one in lint_text(text)}
    for one in after:
        code, at = place(one)
        if code in SYNTAX or start <= at < start + len(put):
            continue
        moved = at if at < start else at + end - start - len(put)
        assert (code, moved) in before, (str(one.problem), edited)
    return True


def test_each_further_input_turn_is_told() -> None:
    found = lint_text(START + START + "<|input|>\n" + "<|user|>\nHi\n")
    places = [place(one) for one in found if one.problem.code == "input/second"]
    assert places == [("input/second", len(START)), ("input/second", 2 * len(START))]


def place(finding: Finding) -> tuple[str, int]:
    span = finding.problem.location
    assert span is not None
    return finding.problem.code, span.start


def parses(text: str) -> bool:
    return not any(one.problem.code in SYNTAX for one in lint_text(text))


@given(st.lists(LINES, max_size=12), st.data())
def test_findings_beside_a_syntax_error_are_those_of_the_mended_text(
    lines: list[str], data: st.DataObject
) -> None:
    text = START + "".join(f"{line}\n" for line in lines)
    assume(parses(text))
    tags = [one for one in scan(text) if one.kind not in ("text", "raw")]
    if data.draw(st.booleans()) and tags:
        tag = data.draw(st.sampled_from(tags))
        start = data.draw(st.integers(tag.start, tag.end - 1))
        end = data.draw(st.integers(start + 1, min(tag.end, start + 3)))
        assume(certain(text, start, end, ""))
    else:
        at = data.draw(st.integers(len(START), len(text)))
        assume(not text[at - 1 : at + 1].isidentifier())
        assume(certain(text, at, at, data.draw(MISTAKES) + " "))


UNITS = [
    "{{ a\n", "{% if x %}", "{% endif %}", "{% for x in y %}{% endif %}", "{{ ", "{% set x\n",
    "{# ", "<|user|>\n{{ a & b }}\n", "{% raw %}", "{{ a }} %}\n", "{% block a %}"
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_the_time_is_linear(unit: str) -> None:
    small, large = (effort(lint_text, "<|user|>\n" + unit * size) for size in (100, 400))
    assert large < 6 * small


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_that_a_prompt_names_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdl")
    file = tmp_path / "a.pdl"
    file.write_text("<|user|>\n{% include 'pipe.pdl' %}\n")
    assert part_folders([str(file)]) == {tmp_path / "pipe.pdl": [tmp_path]}
    assert shown(lint_file(file)) == ["2:13 template/include"]
