"""Code actions: each fix mends its finding, and adds none."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.document import Document, Range
from pdl.edit.features.actions import FIXES, actions, changed_text, fix_all, fixes
from pdl.edit.features.diagnostics import Diagnostic, diagnostics
from pdl.edit.workspace import Workspace

LEADS = {
    "text": "",
    "user": "<|user|>\n",
    "file": "<|user|>\n",
    "schema": "<|user|>\nx\n<|schema|>\n",
    "tools": "<|user|>\nx\n<|tools|>\n",
    "config": "<|user|>\nx\n<|config|>\n",
}
FIXED = [  # the code, what the text begins with, the rest of it, and that after the first fix
    ("template/syntax", "user", "{{ a && b }}", "{{ a and b }}"),
    ("template/syntax", "user", "{% if !a %}x{% endif %}", "{% if not a %}x{% endif %}"),
    ("template/syntax", "user", "{{ $a }}", "{{ a }}"),
    ("template/syntax", "user", "{{ a ~ `b` }}", '{{ a ~ "b" }}'),
    ("template/syntax", "user", "{% if a = 1 %}x{% endif %}", "{% if a == 1 %}x{% endif %}"),
    (
        "template/syntax",
        "user",
        "{% if a %}x{% else if b %}y{% endif %}",
        "{% if a %}x{% elif b %}y{% endif %}",
    ),
    ("template/syntax", "user", "{{ a }.", "{{ a }}."),
    ("template/syntax", "user", "{% if a }x{% endif %}", "{% if a %}x{% endif %}"),
    ("template/unclosed", "user", "{% raw %}{{ a }}", "{% raw %}{{ a }}\n{% endraw %}"),
    ("template/unclosed", "user", "{{ name", "{{ name }}"),
    ("template/unclosed", "user", "{{ name\nmore {{ name }}", "{{ name }}\nmore {{ name }}"),
    ("template/unclosed", "user", "a {# words\nmore", "a {# words #}\nmore"),
    ("template/unclosed", "user", "{% if a %}x{% endif\nmore", "{% if a %}x{% endif %}\nmore"),
    ("template/unclosed", "user", '{{ a ~ "b }}', '{{ a ~ "b" }}'),
    (
        "template/unclosed",
        "user",
        "{% if a %}\nx\n{% for b in a %}\n{% endfor %}\n<|assistant|>\ny\n<|user|>\nz",
        "{% if a %}\nx\n{% for b in a %}\n{% endfor %}\n{% endif %}\n<|assistant|>\ny\n<|user|>\nz",
    ),
    (
        "template/unclosed",
        "user",
        "{% if a %}x\n\n<|assistant|>\ny\n<|user|>\nz",
        "{% if a %}x{% endif %}\n\n<|assistant|>\ny\n<|user|>\nz",
    ),
    (
        "template/unclosed",
        "user",
        "{% if a %}\nx{% for b in a %}\n<|assistant|>\n{% endfor %}\ny\n<|user|>\nz",
        "{% if a %}\nx{% for b in a %}\n<|assistant|>\n{% endfor %}\ny\n<|user|>\nz\n{% endif %}",
    ),
    ("template/misplaced-tag", "user", "a\n{% endif %}\nb", "a\nb"),
    ("template/misplaced-tag", "user", "a {% endif %} b", "a  b"),
    (
        "template/misplaced-tag",
        "user",
        "{% for a in b %}{% if a %}x{% endfor %}",
        "{% for a in b %}{% if a %}x{% endif %}{% endfor %}",
    ),
    ("template/unknown-tag", "user", "{% iff a %}x{% endif %}", "{% if a %}x{% endif %}"),
    ("template/unknown-filter", "user", "{{ a | uper }}", "{{ a | upper }}"),
    ("template/unknown-test", "user", "{{ a is evne }}", "{{ a is even }}"),
    (
        "template/undefined",
        "text",
        "<|input|>\n{ name: str }\n<|user|>\n{{ name }} {{ nmae }} {{ nmae | upper }}",
        "<|input|>\n{ name: str }\n<|user|>\n{{ name }} {{ name }} {{ name | upper }}",
    ),
    (
        "template/undefined",
        "text",
        "<|input|>\n{ a: str }\n<|user|>\n{{ a }}{% for x in other %}{% endfor %}",
        "<|input|>\n{ a: str, other: [any] }\n<|user|>\n{{ a }}{% for x in other %}{% endfor %}",
    ),
    (
        "template/undefined",
        "text",
        "<|input|>\n{\n  a: str // words\n}\n<|user|>\n{{ a }} {{ other + 1 }}",
        "<|input|>\n{\n  a: str, // words\n  other: float,\n}\n<|user|>\n{{ a }} {{ other + 1 }}",
    ),
    (
        "template/undefined",
        "text",
        "<|input|>\n{}\n<|user|>\n{{ other }}",
        "<|input|>\n{ other: str }\n<|user|>\n{{ other }}",
    ),
    ("template/undefined", "user", "{{ schema }}", "{{ schema }}\n\n<|schema|>\n{ answer: str }\n"),
    ("template/include", "file", '{% include "fooer.txt" %}', '{% include "footer.txt" %}'),
    ("turn/no-role", "text", "hello\n<|user|>\nx", "<|system|>\nhello\n<|user|>\nx"),
    ("turn/no-role", "text", "hello\n<|assistant|>\nx", "<|user|>\nhello\n<|assistant|>\nx"),
    ("turn/no-role", "text", "<user>\nx", "<|user|>\nx"),
    ("turn/unknown-role", "text", "<|usr|>\nx", "<|user|>\nx"),
    ("turn/unknown-role", "user", "a\n<|wizard|>\nx", "a\n&lt;|wizard|>\nx"),
    ("turn/doubled", "user", "x\n<|user|>\ny", "x\ny"),
    ("turn/second-tools", "user", "x\n<|tools|>\nf()\n<|tools|>\ng()", "x\n<|tools|>\nf()\ng()"),
    ("turn/system-not-first", "text", "<|user|>\nx\n<|system|>\ny", "<|system|>\ny\n<|user|>\nx\n"),
    ("turn/lookalike", "user", "x\n<|assistant>\ny\n", "x\n<|assistant|>\ny\n"),
    ("media/unknown-block", "user", "a <|assistant|> b", "a \n<|assistant|>\n b"),
    ("media/unknown-block", "user", "a <|foo bar|> b", "a &lt;|foo bar|> b"),
    ("media/unknown-block", "file", "a <|image(pic.png)|> b", "a <|media(pic.png)|> b"),
    ("media/file", "file", "<|media(pics.png)|>", "<|media(pic.png)|>"),
    ("media/kind", "user", "<|raw_media(pngg:iVBORw0KGgo=)|>", "<|raw_media(png:iVBORw0KGgo=)|>"),
    (
        "media/wrong-kind",
        "user",
        "<|raw_media(gif:iVBORw0KGgo=)|>",
        "<|raw_media(png:iVBORw0KGgo=)|>",
    ),
    (
        "media/url",
        "user",
        "<|media(http://ann:secret@a.example/a.png)|>",
        "<|media(http://a.example/a.png)|>",
    ),
    ("config/line", "config", "temperature = 0.5", "temperature: 0.5"),
    ("config/line", "config", "# words", "// words"),
    ("config/line", "config", "words", "// words"),
    ("config/value", "config", "temperature:", ""),
    ("config/value", "config", 'user: "ann', 'user: "ann"'),
    ("config/value", "config", "temperature: 1 // words", "// words\ntemperature: 1"),
    ("config/value", "config", "temperature: .5", "temperature: 0.5"),
    (
        "config/repeated",
        "config",
        "temperature: 1\nseed: 1\ntemperature: 2",
        "temperature: 1\nseed: 1\n",
    ),
    ("config/address", "config", "seed: 1\napi_key: abc", "seed: 1\n"),
    ("config/unknown", "config", "max_token: 5", "max_tokens: 5"),
    ("config/kind", "config", 'temperature: "0.5"', "temperature: 0.5"),
    ("config/kind", "config", "max_tokens: 5.0", "max_tokens: 5"),
    ("config/kind", "config", "stop: 5", 'stop: "5"'),
    ("config/kind", "config", "store: yes", "store: true"),
    ("config/model", "config", "model: openia:gpt-5", "model: openai:gpt-5"),
    ("config/model", "config", 'model: "gpt-5"', 'model: "openai:gpt-5"'),
    (
        "input/unused",
        "text",
        "<|input|>\n{ a: str, b: int }\n<|user|>\n{{ a }}",
        "<|input|>\n{ a: str }\n<|user|>\n{{ a }}",
    ),
    (
        "input/unused",
        "text",
        "<|input|>\n{ a: str, b: int }\n<|user|>\n{{ b }}",
        "<|input|>\n{ b: int }\n<|user|>\n{{ b }}",
    ),
    ("input/unused", "text", "<|input|>\n{ a: str }\n\n<|user|>\nx", "<|user|>\nx"),
    (
        "input/unused",
        "text",
        "<|input|>\n{\n  // b\n  // b\n  b: [str],  // b\n  // d\n  d: int\n}\n<|user|>\n{{ d }}",
        "<|input|>\n{\n  // d\n  d: int\n}\n<|user|>\n{{ d }}",
    ),
    (
        "input/unused",
        "text",
        "<|input|>\n{\n  a: str,\n  // of b\n  b: int = 5 // behind\n}\n<|user|>\n{{ a }}",
        "<|input|>\n{\n  a: str,\n}\n<|user|>\n{{ a }}",
    ),
    ("schema/empty", "schema", "", "str\n"),
    ("schema/unknown-type", "schema", "{ a: strr }", "{ a: str }"),
    ("schema/unknown-type", "schema", "{ a: none }", "{ a: null }"),
    ("schema/unknown-type", "schema", "{ a: list }", "{ a: [any] }"),
    ("schema/unknown-type", "schema", "{ a: xyzzy | str }", '{ a: "xyzzy" | str }'),
    (
        "schema/undefined-name",
        "schema",
        "{ a: Persn }\nPerson = { x: int, y: Person? }",
        "{ a: Person }\nPerson = { x: int, y: Person? }",
    ),
    ("schema/undefined-name", "schema", "{ a: Person }", "{ a: Person }\n\nPerson = any"),
    (
        "schema/unused-name",
        "schema",
        "{ a: B }\n\nA = int // words\nB = { b?: B }\n",
        "{ a: B }\nB = { b?: B }\n",
    ),
    ("schema/bad-name", "schema", "{ a: A.B }\nA.B = int", "{ a: A-B }\nA-B = int"),
    ("schema/quoted-type", "schema", '{ a: "int" }', "{ a: int }"),
    ("schema/root-only", "schema", "{ a: yesno }", "{ a: bool }"),
    ("schema/root-only", "schema", "code?", "code"),
    ("schema/bad-constraint", "schema", '{ a: int { max: "5" } }', "{ a: int { max: 5 } }"),
    ("schema/bad-constraint", "schema", "{ a: str { gbnf: 5 } }", '{ a: str { gbnf: "5" } }'),
    (
        "schema/bad-default",
        "schema",
        '{ a: int = "5", b: str = "x" }',
        '{ a: int = 5, b: str = "x" }',
    ),
    ("schema/bad-default", "schema", "{ a: str = 5 }", '{ a: str = "5" }'),
    ("schema/unknown-constraint", "schema", "{ a: int { minimum: 5 } }", "{ a: int { min: 5 } }"),
    ("schema/unknown-constraint", "schema", "{ a: bool { min: 5 } }", "{ a: bool }"),
    (
        "schema/unknown-constraint",
        "schema",
        "{ a: int { qqqq: 5, max: 5 } }",
        "{ a: int { max: 5 } }",
    ),
    (
        "schema/duplicate-constraint",
        "schema",
        "{ a: str { min: 1, len_min: 2 } }",
        "{ a: str { min: 1 } }",
    ),
    ("schema/duplicate-key", "schema", "{ a: str, b: int, a: int }", "{ a: str, b: int }"),
    ("schema/duplicate-value", "schema", '{ a: "x" | "y" | "x" }', '{ a: "x" | "y" }'),
    ("schema/empty-range", "schema", "{ a: int<9,0> }", "{ a: int<0,9> }"),
    (
        "schema/empty-range",
        "schema",
        "{ a: str { min: 5, max: 1 } }",
        "{ a: str { min: 1, max: 5 } }",
    ),
    ("schema/exact-bound", "schema", "{ a: int<5> }", "{ a: int<,5> }"),
    ("schema/no-bounds", "schema", "{ a: [int, str]<2,3> }", "{ a: [int, str] }"),
    ("schema/bad-value", "schema", "{ a: str? = None }", "{ a: str? = null }"),
    ("schema/bad-value", "schema", "{ a: str = hello }", '{ a: str = "hello" }'),
    ("schema/bad-number", "schema", "{ a: 1.2.3 }", '{ a: "1.2.3" }'),
    (
        "schema/bad-escape",
        "schema",
        '{ a: str { pattern: "\\d" } }',
        '{ a: str { pattern: "\\\\d" } }',
    ),
    ("schema/bad-key", "schema", "{ a.b: int }", '{ "a.b": int }'),
    ("schema/bad-map-key", "schema", "{ [int]: str }", "{ [str]: str }"),
    ("schema/comment", "schema", "{ a: int # words\n}", "{ a: int // words\n}"),
    ("schema/comment", "schema", "{ a: int /* words */\n}", "{ a: int // words \n}"),
    ("schema/unclosed", "schema", "{ a: int, b: { c: int }", "{ a: int, b: { c: int } }"),
    ("schema/unclosed", "schema", "{\n  a: Name\n\nName = int", "{\n  a: Name\n}\n\nName = int"),
    ("schema/mismatched", "schema", "{ a: [str // words\n}\n", "{ a: [str] // words\n}\n"),
    ("schema/unclosed", "schema", "{ a: str // words\n\n", "{ a: str // words\n}\n\n"),
    ("schema/unclosed-string", "schema", '{ a: "x }', '{ a: "x" }'),
    ("schema/unopened", "schema", "[int]]", "[int]"),
    ("schema/mismatched", "schema", "{ a: [int) }", "{ a: [int] }"),
    ("schema/mismatched", "schema", "{ a: [int }", "{ a: [int] }"),
    (
        "schema/bad-fence",
        "schema",
        '```json\n{"type": "string"}',
        '```json\n{"type": "string"}\n```',
    ),
    (
        "schema/bad-fence",
        "schema",
        '```yaml\n{"type": "string"}\n```',
        '```json\n{"type": "string"}\n```',
    ),
    (
        "schema/bad-file",
        "file",
        "x\n<|schema|>\n@person.json",
        "x\n<|schema|>\n@schemas/person.json",
    ),
    (
        "schema/bare-json-schema",
        "schema",
        '{"type": "object", "properties": {}}',
        '```json\n{"type": "object", "properties": {}}\n```',
    ),
    (
        "schema/not-json",
        "schema",
        '```json\n{"type": "string",}\n```',
        '```json\n{"type": "string"}\n```',
    ),
    (
        "schema/bad-keyword",
        "schema",
        '```json\n{"type": "strng"}\n```',
        '```json\n{"type": "string"}\n```',
    ),
    ("schema/unexpected-character", "schema", "{ a: “x” }", '{ a: "x" }'),
    ("schema/unexpected-character", "schema", "{ a: int; b: int }", "{ a: int, b: int }"),
    ("schema/unexpected-character", "schema", "{ a： int }", "{ a: int }"),
    ("schema/unexpected-character", "schema", "{ a: int<+5,> }", "{ a: int<5,> }"),
    ("schema/unexpected-character", "schema", "{ a$b: int }", '{ "a$b": int }'),
    ("schema/unexpected-character", "schema", "{ a!: int }", "{ a: int }"),
    ("schema/syntax", "schema", "{ a: int b: int }", "{ a: int, b: int }"),
    (
        "schema/syntax",
        "schema",
        "{\n  a: int // words\n  b: int\n}",
        "{\n  a: int, // words\n  b: int\n}",
    ),
    ("schema/syntax", "schema", "{ a = int }", "{ a : int }"),
    ("schema/syntax", "schema", "{ a int }", "{ a: int }"),
    ("schema/syntax", "schema", "{ a, b: int }", "{ a: str, b: int }"),
    ("schema/syntax", "schema", "{ a: A }\nA: int", "{ a: A }\nA = int"),
    ("schema/syntax", "schema", "{ a: int?? }", "{ a: int? }"),
    ("schema/syntax", "schema", "{ a: int<1..5> }", "{ a: int<1,5> }"),
    ("schema/syntax", "schema", "{ a: int(1,5) }", "{ a: int<1,5> }"),
    ("schema/syntax", "schema", '{ a: "x" or "y" }', '{ a: "x" | "y" }'),
    ("schema/syntax", "schema", "{ a: = 5 }", "{ a: int = 5 }"),
    ("schema/syntax", "schema", "{ a: list[str] }", "{ a: [str] }"),
    ("schema/syntax", "schema", "{ a: str[] }", "{ a: [str] }"),
    ("schema/syntax", "schema", "{ a: | str }", "{ a:  str }"),
    ("schema/syntax", "schema", "{ a: int,, b: int }", "{ a: int, b: int }"),
    ("tool/syntax", "tools", "- f(a: int)", "f(a: int)"),
    ("tool/syntax", "tools", "f(a: int),\ng()", "f(a: int)\ng()"),
    ("tool/syntax", "tools", "These are tools\nf()", "// These are tools\nf()"),
    ("tool/syntax", "tools", "f(a: int) -> str", "f(a: int) // returns str"),
    ("tool/syntax", "tools", "def f(a: int)", "f(a: int)"),
    ("tool/unclosed", "tools", "f(a: int // words\ng()", "f(a: int) // words\ng()"),
    ("tool/unclosed", "tools", "f(a: [int)", "f(a: [int])"),
    ("tool/bad-name", "tools", "a.b(x: int)", "a_b(x: int)"),
    ("tool/bad-fence", "tools", "```json\n[]", "```json\n[]\n```"),
]

NO_FIX = {
    "only data or a run shows it": (
        "template/forbidden template/mark template/failed turn/ends-with-assistant turn/prefill"
        " turn/missing turn/empty turn/result turn/left-out turn/computed-role turn/computed-block"
        " turn/damaged warning/empty-turn media/no-folder media/size media/provider"
        " media/no-projector input/missing input/unknown input/value input/text"
        " config/computed-key"
        " config/setting config/option config/no-model config/price config/port config/pyodide"
        " config/no-key config/base-url"
        " config/think config/package schema/none schema/type-not-allowed schema/no-module"
        " schema/import schema/no-type schema/not-a-schema schema/unwritable schema/no-notation"
        " schema/inexact-type schema/unsupported-type schema/post-hoc tool/bad-function"
        " tool/no-function tool/unknown tool/mcp tool/async"
    ),
    "only its author knows the text that is missing": (
        "turn/none media/raw config/key schema/bad-pattern schema/bad-type-name"
        " schema/bad-reference tool/none tool/not-a-list tool/bad-tool input/object"
    ),
    "one of two has to go or to be renamed, or both to be merged": (
        "turn/second-schema input/second input/taken schema/duplicate-name tool/duplicate-name"
        " schema/trailing-text"
    ),
    "where it belongs is another place, or another file": (
        "template/schema-place turn/outside-block input/place input/template"
    ),
    "the schema has to say something else": (
        "schema/endless-name schema/endless schema/irregular-pattern schema/old-draft"
        " schema/unsatisfiable"
    ),
    "it is a note": "schema/dynamic tool/dynamic",
}
PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
KINDS = ("template", "turn", "media", "input", "config", "schema", "tool", "warning")


def opened(kind: str, text: str, folder: Path) -> tuple[Workspace, Document]:
    """A document of a kind of text; a `file` has others beside it."""
    text = LEADS[kind] + text
    if kind != "file":
        return Workspace(), Document(text)
    (folder / "schemas").mkdir()
    (folder / "schemas" / "person.json").write_text('{"type": "string"}')
    (folder / "footer.txt").write_text("words")
    (folder / "pic.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    workspace = Workspace((folder,))
    return workspace, workspace.open(folder / "a.pdl", text)


def changed(workspace: Workspace, document: Document, text: str) -> Document:
    return Document(text) if document.path is None else workspace.open(document.path, text)


def errors(workspace: Workspace, document: Document) -> Counter[tuple[str, str]]:
    found = diagnostics(workspace, document)
    return Counter((one.code, one.message) for one in found if one.severity == "error")


@pytest.mark.parametrize(("code", "kind", "before", "after"), FIXED)
def test_a_fix_mends_its_finding_and_adds_none(
    code: str, kind: str, before: str, after: str, tmp_path: Path
) -> None:
    workspace, document = opened(kind, before, tmp_path)
    finding = next(one for one in diagnostics(workspace, document) if one.code == code)
    known = errors(workspace, document)
    texts = [changed_text(document.text, fix.edits) for fix in fixes(workspace, document, finding)]
    assert texts[0] == LEADS[kind] + after
    for text in texts:
        mended = changed(workspace, document, text)
        assert code not in {one.code for one in diagnostics(workspace, mended)}, text
        assert errors(workspace, mended) <= known, text


def test_each_code_has_a_fix_or_a_reason_to_have_none() -> None:
    listed = re.findall(r"^\| `([a-z]+/[a-z0-9-]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    without = [code for codes in NO_FIX.values() for code in codes.split()]
    decided = [*FIXES, *without]
    assert sorted(decided) == sorted(one for one in listed if one.split("/")[0] in KINDS)
    assert {code for code, *_ in FIXED} == set(FIXES)


ALL_FIXED = [
    (
        (
            "<|input|>\n{ a: str, b: int, c: itn, d: srt }\n<|usr|>\n{{ aa | uper }}\n{{ d }}"
            "\n<|schema|>\n{ a: int b: “x”; }"
        ),
        (
            "<|input|>\n{ a: str, d: str }\n<|user|>\n{{ a | upper }}\n{{ d }}"
            '\n<|schema|>\n{ a: int, b: "x", }'
        ),
    ),
    ("<|user|>\n{% if a %}{{ b\n<|schema|>\n{ a: [int }", None),
    ("<|input|>\n{ a: int, b: int, c: int }\n<|user|>\nx", "<|user|>\nx"),
    ("<|tools|>\n- f(a: int),\n- g(b: [int)\n<|user|>\nx", None),
    (
        (
            "<|user|>\nx\n<|config|>\ntop_p: 0.9\nseed: 1\ntop_p : 0.9\n<|schema|>\n"
            "{ a: [str] { max: 2, max: 2 }, b: int, a: [str] // one\n { max: 2, max: 2 } }"
        ),
        (
            "<|user|>\nx\n<|config|>\ntop_p: 0.9\nseed: 1\n<|schema|>\n"
            "{ a: [str] { max: 2 }, b: int }"
        ),
    ),
]


@pytest.mark.parametrize(("before", "after"), ALL_FIXED)
def test_all_fixes_together(before: str, after: str | None) -> None:
    """Those that are preferred, and those of what is found then, until nothing is wrong."""
    workspace, document = Workspace(), Document(before)
    text = changed_text(document.text, fix_all(workspace, document))
    assert after is None or text == after
    assert not diagnostics(workspace, Document(text))


def test_all_fixes_together_make_no_second_system_turn() -> None:
    document = Document("intro\n<|user|>\nx\n<|system|>\nz")
    text = changed_text(document.text, fix_all(Workspace(), document))
    assert text == "intro\n<|system|>\nz\n<|user|>\nx\n"
    assert [one.code for one in diagnostics(Workspace(), Document(text))] == ["turn/no-role"]


@pytest.mark.parametrize(
    "text",
    [
        "<|user|>\nx\n<|config|>\ntop_p: 0.9\ntop_p: 0.1\n",
        "<|user|>\nx\n<|schema|>\n{ a: str, a: int }",
        "<|user|>\nx\n<|schema|>\n{ a: str { min: 1, len_min: 2 } }",
        "<|user|>\nx\n<|schema|>\n{ [str]: int, [str]: str }",
        "<|user|>\nx\n<|schema|>\n{ a: { b: str, a: int }, a: { a: int, b: str } }",
    ],
)
def test_of_two_that_differ_none_is_preferred(text: str) -> None:
    document = Document(text)
    (finding,) = diagnostics(Workspace(), document)
    assert not [one for one in fixes(Workspace(), document, finding) if one.is_preferred]
    assert not fix_all(Workspace(), document)


REFACTORED = [  # the title, the text with a cursor, and that after the change
    (
        "declare the inputs that have no type",
        "<|user|>\n{{ n¦ame }}{% for x in xs %}{{ x }}{% endfor %}",
        (
            "<|input|>\n{\n  name: str,\n  xs: [str],\n}\n\n<|user|>\n{{ name }}"
            "{% for x in xs %}{{ x }}{% endfor %}"
        ),
    ),
    (
        "extract to a type `HomeAddress`",
        "<|schema|>\n{\n  home_address: {¦\n    city: str,\n  }?,\n}\n\n<|user|>\nx",
        (
            "<|schema|>\n{\n  home_address: HomeAddress?,\n}\n\nHomeAddress = {\n  city: str,\n}"
            "\n\n<|user|>\nx"
        ),
    ),
    (
        "extract to a type `Item2`",
        "<|schema|>\n{ i¦tem: { a: Item } }\nItem = int",
        "<|schema|>\n{ item: Item2 }\nItem = int\n\nItem2 = { a: Item }",
    ),
    (
        "inline `Name`",
        "<|schema|>\n{ a: [Na¦me], b: Other }\nName = int | str\n\nOther = int",
        "<|schema|>\n{ a: [(int | str)], b: Other }\n\nOther = int",
    ),
    (
        "inline `Other`",
        "<|schema|>\n{ a: Name, b: Other }\nName = int\n\nOth¦er = { c: int? }\n",
        "<|schema|>\n{ a: Name, b: { c: int? } }\nName = int\n",
    ),
    (
        "write the bounds as constraints",
        "<|schema|>\n{ a: i¦nt<0,9>? }",
        "<|schema|>\n{ a: int { min: 0, max: 9 }? }",
    ),
    (
        "write the bounds as constraints",
        "<|schema|>\n{ a: i¦nt<,9> }",
        "<|schema|>\n{ a: int { max: 9 } }",
    ),
    (
        "write the constraints as bounds",
        "<|schema|>\n{ a: i¦nt { min: 0 }? }",
        "<|schema|>\n{ a: int<0,>? }",
    ),
    (
        "convert to the schema DSL",
        '<|schema|>\n```json\n{"type": ¦"integer"}\n```\n<|user|>\nx',
        "<|schema|>\nint\n<|user|>\nx",
    ),
    (
        "convert to JSON Schema",
        "<|schema|>\n\n¦[int]\n<|user|>\nx",
        (
            '<|schema|>\n\n```json\n{\n  "type": "array",\n  "items": {\n    "type": "integer"\n'
            "  }\n}\n```\n<|user|>\nx"
        ),
    ),
]


@pytest.mark.parametrize(("title", "before", "after"), REFACTORED)
def test_refactorings(title: str, before: str, after: str) -> None:
    document = Document(before.replace("¦", ""))
    at = before.index("¦")
    (action,) = (
        one for one in actions(Workspace(), document, Range(at, at), []) if one.title == title
    )
    assert action.kind == "refactor"
    assert changed_text(document.text, action.edits[None]) == after


@pytest.mark.parametrize(
    "text",
    [
        "<|schema|>\n{ a: i¦nt }",  # no bounds
        "<|schema|>\n{¦ a: int }\n{% if a %}{% endif %}",  # the root, and with tags
        "<|schema|>\n{ a: N¦ame, b: Name }\nName = int\n{% if a %}{% endif %}",  # used twice
        "<|schema|>\n{ a: { b: int }¦ { min: 1 } }\n{% if a %}{% endif %}",
        "<|user|>\nx¦",
    ],
)
def test_what_cannot_be_refactored(text: str) -> None:
    document, at = Document(text.replace("¦", "")), text.index("¦")
    found = actions(Workspace(), document, Range(at, at), [])
    assert not [one for one in found if not one.title.startswith("convert")]


def test_actions_are_those_of_a_range() -> None:
    document = Document("<|usr|>\nx\n<|assistnt|>\ny\n<|user|>\nz")
    found = diagnostics(Workspace(), document)
    at = document.text.index("assistnt")
    first, second, both = actions(Workspace(), document, Range(at, at), found)
    assert first.title == "change to `assistant`"
    assert first.is_preferred
    assert [one.code for one in first.fixes] == ["turn/unknown-role"]
    assert (second.title, second.is_preferred) == ("write it as text: `&lt;|`", False)
    assert (both.title, both.kind) == ("fix all that can be fixed", "source")


def test_what_mends_several_findings_in_the_same_way_is_offered_once() -> None:
    document = Document("<|input|>\n{ a: T, b: T }\n<|user|>\n{{ a }}{{ b }}")
    found = diagnostics(Workspace(), document)
    (one,) = actions(Workspace(), document, Range(0, len(document.text)), found)
    assert (one.title, one.fixes) == ("define `T`", tuple(found))


@given(st.data())
def test_a_finding_of_another_text_does_no_harm(data: st.DataObject) -> None:
    """An editor may ask with findings that are out of date."""
    texts = st.sampled_from([LEADS[kind] + before for _, kind, before, _ in FIXED])
    document, other = Document(data.draw(texts)), Document(data.draw(texts))
    found: list[Diagnostic] = diagnostics(Workspace(), other)
    for action in actions(Workspace(), document, Range(0, len(document.text)), found):
        at = 0
        for edit in action.edits[None]:
            assert at <= edit.start <= edit.end <= len(document.text)
            at = edit.end
