"""Turns, typed texts and tags of documents that parse, and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import prompts_below

import pdl
from pdl.edit.document import Document, Range
from pdl.prompt.outline import all_turns

if TYPE_CHECKING:
    from pathlib import Path

PROMPTS = prompts_below("prompts")
PIECES = [
    *("<|", "|>", "<|user|>", "<|schema|>\n", "<|input|>\n{ a: int }\n", "<|{{ r }}|>", "&lt;|"),
    *("\n", " ", "x", "{{ a }}", "{{", "}}", "{%", "%}", "{% if a %}", "{% endif %}", "{#", "#}"),
    *(
        "{% raw %}",
        "{% endraw %}",
        '"',
        "'",
        "{ a: {{ b }} }",
        "```json\n",
        "@f.json",
        "<|config|>",
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<|user|>\nhi", [("user", "hi")]),
        ("hm\n <| USER |> \nhi\n<|usr|>\n", [("user", "hi\n"), ("usr", "")]),
        ("<|user|>\na <|user|> b\n<|media(x.png)|>\n", None),
        ("{% if a %}<|user|>{% endif %}\nx", [("user", "x")]),
        ("<|user|>\n{{ x\n<|schema|>\nint", [("user", "{{ x\n"), ("schema", "int")]),
        ("<|{{ role }}|>\nx", [("", "x")]),
        ("{% raw %}\n<|user|>\n{% endraw %}", [("user", "{% endraw %}")]),
        ("{# <|user|> #}\n<|system|>", [("system", "")]),
        ("", []),
    ],
)
def test_turns(text: str, expected: list[tuple[str, str]] | None) -> None:
    document = Document(text)
    found = [(one.role, text[slice(*one.body)]) for one in document.turns]
    assert found == (expected if expected is not None else [("user", text[9:])])
    assert all(
        text[slice(*one.name)].strip().lower() == one.role or not one.role for one in document.turns
    )


@pytest.mark.parametrize("path", PROMPTS, ids=str)
def test_the_turns_are_those_of_the_template(path: Path) -> None:
    prompt = pdl.load(path)
    assert prompt.template is not None
    known = [one.role for one in all_turns(prompt.template._items)]  # noqa: SLF001
    found = [one.role for one in Document(path.read_text("utf-8"), path).turns]
    assert [role for role in found if role] == known


@pytest.mark.parametrize(
    ("body", "language", "text"),
    [
        ("int<0,{{ a | length }}>", "dsl", "int<0,1               >"),
        ("{# no #}{% if a %}int{% endif %}", "dsl", " " * 18 + "int" + " " * 11),
        ("```json\n{}\n```", "fence", "```json\n{}\n```"),
        (" @a.json", "file", " @a.json"),
    ],
)
def test_typed_texts_are_as_long_as_their_turns(body: str, language: str, text: str) -> None:
    (typed,) = Document(f"<|schema|>\n{body}").typed
    assert (typed.language, typed.text) == (language, text)


def test_tags_at_offsets() -> None:
    document = Document("a{{ b }}c{%if d")
    found = {at: tag.kind for at in range(16) if (tag := document.tag_at(at))}
    assert found == dict.fromkeys(range(3, 7), "expression") | dict.fromkeys(
        range(11, 16), "statement"
    )


def test_inputs_and_where_they_are_declared() -> None:
    text = '<|input|>\n{ a: { b: T }, "c d": int = 1,\n e: [{ f: str'
    inputs = Document(text).inputs
    assert {name: text[slice(*found)] for name, found in inputs.items()} == {
        "a": "a",
        "c d": '"c d"',
        "e": "e",
    }


@given(TEXTS, st.booleans())
def test_every_text_is_a_document(text: str, crlf: bool) -> None:  # noqa: FBT001
    raw = text.replace("\n", "\r\n") if crlf else text
    document = Document(raw)
    assert document.text == text
    ends = [0, *(turn.body.end for turn in document.turns)]
    for turn, before in zip(document.turns, ends, strict=False):
        assert before <= turn.marker.start < turn.marker.end <= turn.body.start <= turn.body.end
    for typed in document.typed:
        assert len(typed.text) == typed.turn.body.end - typed.turn.body.start
        assert all(
            text[one.start : one.end] == one.text or typed.tags for one in typed.notation.tokens
        )
    for offset in range(len(text) + 1):
        piece = document.piece_at(offset)
        assert (piece is None) == (not text)
        document.tag_at(offset)
        document.turn_at(offset)
        document.typed_at(offset)
    within = document.pieces_in(Range(0, len(text)))  # with empty `raw` texts between others
    filled = [piece for piece in document.pieces if piece.end > piece.start]
    assert [piece for piece in within if piece.end > piece.start] == filled


CASES = """\
# cases
<|case|> a
<|reply|>
<|user|> {{ x }}
<|expect|> { a: int }
<|expect|>

{ b:
  str }
<|expect|> {"c": 1}
<|expect|> @c.json
"""


def test_a_file_of_cases_has_sections_and_no_template(tmp_path: Path) -> None:
    document = Document(CASES, tmp_path / "a.tests.pdl")
    assert document.sections is not None
    assert [one.name for one in document.sections.all] == ["case", "reply", *["expect"] * 4]
    assert not document.pieces
    assert not document.turns
    assert [(one.text, one.language) for one in document.typed] == [
        ("{ a: int }", "dsl"),
        ("{ b:\n  str }", "dsl"),
        ('{"c": 1}', "fence"),
        ("@c.json", "file"),
    ]
    assert document.typed[1].notation.tokens[0].start == CASES.index("{ b")


def test_a_prompt_has_no_sections(tmp_path: Path) -> None:
    assert Document(CASES).sections is None
    assert Document(CASES, tmp_path / "a.pdl").sections is None
