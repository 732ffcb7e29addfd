"""Prompts without data: stand-ins that fit, and what they render to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import PROMPTS

import pdl
from pdl.edit.document import Document
from pdl.edit.features import preview
from pdl.edit.features.stand_ins import stand_ins
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

STAND_INS: list[tuple[str, dict[str, Any]]] = [
    ("a: str, b?: str, c: str = 'x'", {"a": "«a»"}),
    ("a: int, b: int<3,9>, c: float<,0.5>, d: int { gt: 4 }", {"a": 1, "b": 3, "c": 0.5, "d": 5}),
    ("a: bool, b: null, c: any, d: 'x' | 'y', e: str?", {"a": True, "d": "x"}),
    ("a: [str], b: [{ c: str }]<2,3>", {"a": ["«a»"], "b": [{"c": "«c»"}, {"c": "«c 2»"}]}),
    ("a: date, b: email", {"a": "2025-01-31", "b": "name@example.org"}),
    ("a: str<,2>, b: str<9,>", {"a": "a", "b": "«b» «b» «b»"}),
    ("a: { b: int, c?: str }", {"a": {"b": 1, "c": "«c»"}}),
]


@pytest.mark.parametrize(("fields", "wanted"), STAND_INS)
def test_stand_ins_are_readable(fields: str, wanted: dict[str, Any]) -> None:
    prompt = pdl.loads(f"<|input|>\n{{ {fields} }}\n<|user|>\nx")
    found = stand_ins(prompt)
    assert {name: found[name] for name in wanted} == wanted
    assert prompt.render(found).messages


SCALARS = """int; int<3,>; int<,-5>; float<0,1>; str; str<5,9>; bool; null; any; date; uuid
datetime; time; duration; 'a' | 'b'; str { pattern: '^[a-c]{3}$' }; float { gt: 0, lt: 1 }
int { multiple: 7, min: 8 }; email; ipv6; uri""".replace("\n", "; ").split("; ")
TYPES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map("[{}]".format),
        inner.map("[{}]<2,3>".format),
        inner.map("{}?".format),
        inner.map("{{ k: {} }}".format),
        inner.map("{{ [str]: {} }}".format),
        st.tuples(inner, inner).map("({0[0]} | {0[1]})".format),
        st.tuples(inner, inner).map("[{0[0]}, {0[1]}]".format),
    ),
    max_leaves=4,
)


@given(TYPES)
def test_stand_ins_fit_every_type(form: str) -> None:
    try:
        prompt = pdl.loads(f"<|input|>\n{{ a: {form} }}\n<|user|>\nx")
    except pdl.PdlError:
        return
    assert prompt.render(stand_ins(prompt)).messages
    assert stand_ins(prompt) == stand_ins(prompt)


def test_inputs_that_are_not_declared_get_what_the_template_does_with_them() -> None:
    text = "<|user|>\n{% for one in all %}{{ one.name.first }}{% endfor %}{{ all2 }}{{ x.y }}"
    found = stand_ins(pdl.loads(text))
    assert found == {"all": [{"name": {"first": "«first»"}}], "all2": "«all2»", "x": {"y": "«y»"}}


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_the_shipped_prompts_have_previews(path: Path) -> None:
    workspace, document = Workspace(), Document(path.read_text(), path)
    rendered = preview.render(workspace, document)
    assert rendered.error == ""
    assert rendered.messages
    assert rendered.text.count("<|user|>") >= 1
    grammar = preview.grammar(workspace, document)
    assert "root ::=" in grammar.text
    assert preview.json_schema(workspace, document).text.startswith("{")


def test_a_preview_has_included_texts_that_are_not_saved(tmp_path: Path) -> None:
    (tmp_path / "part.txt").write_text("old")
    (tmp_path / "part.pdl").write_text("old")
    workspace = Workspace((tmp_path,))
    document = workspace.open(tmp_path / "main.pdl", "<|user|>\n{% include 'part.pdl' %}")
    assert preview.render(workspace, document).text == "<|user|>\nold"
    workspace.open(tmp_path / "part.pdl", "new")
    assert preview.render(workspace, document).text == "<|user|>\nnew"


FAILURES = [
    ("", "no turns"),
    ("<|usr|>\nx", "unknown turn"),
    ("<|user|>\n{{", "unclosed"),
    ("<|user|>\n{{ a.b() }}", "not callable"),
]


@pytest.mark.parametrize(("text", "words"), FAILURES)
def test_a_preview_says_what_is_wrong(text: str, words: str) -> None:
    assert words in preview.render(Workspace(), Document(text)).error


def test_media_that_a_stand_in_names_do_not_keep_a_prompt_from_being_shown() -> None:
    text = "<|input|>\n{ image: str }\n<|user|>\n<|media({{ image }})|> Describe it."
    assert "Describe it." in preview.render(Workspace(), Document(text)).text
