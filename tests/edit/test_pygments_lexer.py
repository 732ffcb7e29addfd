"""The lexers for Pygments: what they call the parts of a prompt file, and that no text is lost."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.token import STANDARD_TYPES, Error, Keyword, Punctuation, Whitespace
from shipped import prompts_below

from pdl.edit.document import Document
from pdl.edit.pygments_lexer import GbnfLexer, PromptLexer
from pdl.testing.sections import sections_of

if TYPE_CHECKING:
    from pygments.lexer import Lexer

ROOT = Path(__file__).parents[2]
PARTS = [
    *(
        "\n<|case|>",
        "<|reply|>",
        "<|assert|>\n",
        "<|data|>",
        "<|expect|>",
        "<|messages|>",
        "refused",
    ),
    *("{{", "}}", "{%", "%}", "{#", "#}", "<|", "|>", "<|user|>", "<|schema|>", "<|config|>"),
    *("{% raw %}", "{% endraw %}", "<|media(", ")", '"', "'", "\\", " ", "\n", "\t", "a", "is"),
    *(
        "{",
        "}",
        "[",
        ":",
        "?",
        "//",
        "```",
        "@",
        "-",
        "1.",
        "not",
        "|",
        "&lt;|",
        "é",
        "\u2028",
        "\ud800",
    ),
]
ANY_TEXT = st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=40).map("".join)

# Text, of which what is before ¦ only leads there, and tokens by Pygments' short names.
CASES = {
    "turn": ("¦<|user|>\nHi", "p:<| k:user p:|> text:Hi"),
    "turn with blanks": ("¦ <| User |> ", "p:<| k:User p:|>"),
    "turn in a branch": (
        "{% if a %}¦<|schema|>{% endif %}\nint",
        "p:<| k:schema p:|> cp:{% k:endif cp:%} kt:int",
    ),
    "not alone on its line": ("¦a <|user|>", "text:a p:<| text:user p:|>"),
    "computed role": ("<|schema|>\n¦<|{{ role }}|>\nstr", "p:<| cp:{{ nv:role cp:}} p:|> text:str"),
    "field": (
        "<|input|>\n{ ¦lang?: str<1,80> = 'en' }",
        "na:lang o:? p:: kt:str p:< m:1 p:, m:80 p:> o:= s:' s:en s:' p:}",
    ),
    "definition": (
        "<|schema|>\n[Node]\n¦Node = { kids: [Node]? } // a {{ b }}\nint",
        "nc:Node o:= p:{ na:kids p:: p:[ nc:Node p:] o:? p:} c1:// c1:a cp:{{ nv:b cp:}} kt:int",
    ),
    "tag in a type": (
        '<|schema|>\nstr<1,¦{{ n * 2 }}> | "a{{ b }}"',
        'cp:{{ nv:n o:* m:2 cp:}} p:> o:| s:" s:a cp:{{ nv:b cp:}} s:"',
    ),
    "fence": (
        '<|schema|>\n¦```json\n{"a": [true, 1]}\n```',
        'p:``` nl:json p:{ na:"a" p:: p:[ kc:true p:, m:1 p:] p:} p:```',
    ),
    "file": ("<|schema|>\n¦@shop:a/b.json", "sx:@shop:a/b.json"),
    "open string": ('<|schema|>\n¦"a\nint', 's:" s:a kt:int'),
    "tool": ("<|tools|>\n¦ping(host: str)", "nf:ping p:( na:host p:: kt:str p:)"),
    "settings": (
        '<|config|>\n¦// a: 1\nmodel: a/b:c\ntop_p: 0.5\nstop: ["a"]',
        'c1:// a: 1 na:model p:: sx:a/b:c na:top_p p:: m:0.5 na:stop p:: p:[ s:" s:a s:" p:]',
    ),
    "setting of several words": (
        "<|config|>\n¦a: 1 b\nc: null",
        "na:a p:: m:1 sx:b na:c p:: kc:null",
    ),
    "media": (
        "<|user|>\n¦<|media({{ a }}.png)|> b",
        "p:<| nf:media p:( cp:{{ nv:a cp:}} sx:.png p:)|> text:b",
    ),
    "media that is not closed": ("¦<|media(a\n<|user|>", "p:<| text:media(a p:<| k:user p:|>"),
    "escapes": ("¦&lt;|a|&gt; &amp;", "se:&lt;| text:a se:|&gt; se:&amp;"),
    "filter, test, attribute": (
        "¦{{ a.b | join(',') is not none }}",
        "cp:{{ nv:a p:. na:b o:| nf:join p:( s:' s:, s:' p:) ow:is ow:not nf:none cp:}}",
    ),
    "braces and strings with the end of a tag": (
        "¦{{ {'}}': {}} }} a",
        "cp:{{ p:{ s:' s:}} s:' p:: p:{ p:} p:} cp:}} text:a",
    ),
    "statement": ("¦{%- set_global a = 1 -%}", "cp:{%- k:set_global nv:a o:= m:1 cp:-%}"),
    "raw": (
        "¦{% raw %}{{ a }}{% endraw %}",
        "cp:{% k:raw cp:%} text:{ text:{ text:a }} cp:{% k:endraw cp:%}",
    ),
    "comment over lines": ("¦{# a\n<|user|>\n#}", "cm:{# cm:a\n<|user|> cm:#}"),
    "case": ("# a {{\n¦<|case|> b {{ c\nd", "p:<| k:case p:|> nl:b {{ c text:d"),
    "data": (
        "<|data|>\n¦- a: 'b' # c\nd: [1, {\"e\": null}]",
        "p:- na:a p:: text:'b' c1:# c na:d p:: text:[1, text:{ na:\"e\" p:: kc:null text:}]",
    ),
    "reply": (
        "<|reply|>¦ refused wrong-schema\n<|user|>\n{{ a:\n```json\n{'a'",
        "k:refused no:wrong-schema text:<|user|> text:{{ text:a: p:``` nl:json text:{'a'",
    ),
    "refusal": ("<|reply|>¦ refused I can't.", "k:refused s:I can't."),
    "expectation": (
        '<|expect|>¦ { a: 1 | "{{", // b\n<|case|>',
        'p:{ na:a p:: m:1 o:| s:"{{" p:, c1:// b p:<| k:case p:|>',
    ),
    "assertion": (
        "<|assert|>\n¦# a\nvalue.b == 'c\n<|case|> d",
        "c1:# a nv:value p:. na:b o:= o:= s:' s:c p:<| k:case p:|> nl:d",
    ),
    "golden messages": (
        "<|messages|>\n¦<|user|>\n{{ a\n<|schema|>\nstr\n<|cases|> @b.csv",
        "p:<| nt:user p:|> text:{{ text:a p:<| nt:schema p:|> kt:str p:<| k:cases p:|> sx:@b.csv",
    ),
    "indented marks": (
        "<|expect|>\nint \n ¦<|assert|>\na\n  <| Case |> b",
        "p:<| k:assert p:|> nv:a p:<| k:Case p:|> nl:b",
    ),
    "judge": ("<|judge|>¦ a.pdl false\nNo.", "sx:a.pdl kc:false text:No."),
    "open tag": ("¦{{ a[\n<|user|>\nb", "cp:{{ nv:a p:[ p:<| k:user p:|> text:b"),
    "open string in a tag": ("¦{{ {'a\n<|user|>\nb", "cp:{{ p:{ s:' s:a p:<| k:user p:|> text:b"),
}
GRAMMAR = (
    '¦root ::= "a\\n" [^b]{2,} (x | !<[7]>)',
    'nc:root o:::= s:" s:a se:\\n s:" sr:[^ sr:b sr:] p:{ m:2 p:, p:} p:( n:x o:| no:!<[7]> p:)',
)


def _tokens(lexer: Lexer, marked: str) -> str:
    """The kinds and texts of tokens from the mark on, without blank ones."""
    start = marked.index("¦")
    found = lexer.get_tokens_unprocessed(marked.replace("¦", "", 1))
    return " ".join(
        f"{STANDARD_TYPES[kind] or 'text'}:{text.strip()}"
        for at, kind, text in found
        if at >= start and text.strip()
    )


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_parts_of_prompts(text: str, expected: str) -> None:
    assert _tokens(PromptLexer(), text) == expected


def test_parts_of_grammars() -> None:
    assert _tokens(GbnfLexer(), GRAMMAR[0]) == GRAMMAR[1]


@given(ANY_TEXT)
@pytest.mark.parametrize("lexer", [PromptLexer(), GbnfLexer()], ids=lambda lexer: lexer.name)
def test_no_text_is_lost(lexer: Lexer, text: str) -> None:
    found = list(lexer.get_tokens_unprocessed(text))
    assert "".join(value for _, _, value in found) == text
    assert all(text.startswith(value, at) for at, _, value in found)


@pytest.mark.parametrize(("lexer", "pattern"), [(PromptLexer(), "*.pdl"), (GbnfLexer(), "*.gbnf")])
def test_files_of_the_repository_have_no_errors(lexer: Lexer, pattern: str) -> None:
    files = [
        file for top in ("prompts", "examples", "tests") for file in (ROOT / top).rglob(pattern)
    ]
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        found = list(lexer.get_tokens_unprocessed(text))
        assert "".join(value for _, _, value in found) == text, file
        assert Error not in {kind for _, kind, _ in found}, file


def test_turns_are_those_of_documents() -> None:
    for file in prompts_below("prompts", "tests"):
        document = Document(file.read_bytes().decode(errors="surrogateescape"))
        tokens = PromptLexer().get_tokens_unprocessed(document.text)
        solid = [token for token in tokens if token[1] is not Whitespace]
        found = [
            after[0]
            for before, after in pairwise(solid)
            if before[1:] == (Punctuation, "<|") and after[1] is Keyword
        ]
        turns = [turn.name.start for turn in document.turns if turn.role and turn.is_known]
        assert found == turns, file


def test_sections_are_those_of_files_of_cases() -> None:
    files = [file for top in ("prompts", "tests") for file in (ROOT / top).rglob("*.tests.pdl")]
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        tokens = [t for t in PromptLexer().get_tokens_unprocessed(text) if t[1] is not Whitespace]
        found = [
            before[0]
            for before, after in pairwise(tokens)
            if before[1:] == (Punctuation, "<|") and after[1] is Keyword
        ]
        assert found == [section.mark.start for section in sections_of(text).all], file


def test_pygments_finds_the_lexers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points = project["entry-points"]["pygments.lexers"]
    found = [EntryPoint(name="", value=value, group="").load() for value in points.values()]
    assert found == [PromptLexer, GbnfLexer]


def test_pdl_does_not_need_pygments() -> None:
    code = "import sys; sys.modules['pygments'] = None; import pdl.edit, pdl.cli.app"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code
