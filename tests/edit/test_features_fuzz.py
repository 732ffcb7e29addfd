"""Completion, hover, signatures and hints at every place of whole and of broken prompts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import PROMPTS

from pdl.edit.document import Document, Range
from pdl.edit.features.completion import complete
from pdl.edit.features.hover import hover
from pdl.edit.features.inlay import inferred_inputs, inlay_hints
from pdl.edit.features.signature import signature_help
from pdl.edit.workspace import Workspace

HERE = Path(__file__).parents[2]
TEXTS = [path.read_text() for path in PROMPTS]
SIGNS = "{{ }} {% %} {# <| |> { } [ ( \" ' | . , ="
PIECES = SIGNS.split()
STARTS = ("", "<|user|>\n", "<|schema|>\n", "<|tools|>\n", "<|config|>\n", "{{ ", "{% for ")
WORKSPACE = Workspace((HERE / "prompts",))


def ask(workspace: Workspace, document: Document, offset: int) -> None:
    """Ask everything of a place; ranges are of the line, around the place."""
    for snippets in (False, True):
        for one in complete(workspace, document, offset, snippets=snippets):
            assert one.range.holds(offset)
            assert "\n" not in document.text[one.range.start : one.range.end]
            assert one.label
            assert one.insert
    said = hover(workspace, document, offset)
    if said is not None:
        assert said.range.holds(offset)
        assert said.markdown
    called = signature_help(workspace, document, offset)
    if called is not None:
        assert -1 <= called.active < max(len(called.parameters), 1)


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_every_place_of_the_shipped_prompts(path: Path) -> None:
    """Nothing fails, and the inputs of all of them are known."""
    document = WORKSPACE.document(path)
    assert document is not None
    for offset in range(len(document.text) + 1):
        ask(WORKSPACE, document, offset)
    assert inferred_inputs(document) == ""
    assert all(one.label for one in inlay_hints(WORKSPACE, document, Range(0, len(document.text))))


@given(st.sampled_from(TEXTS), st.integers(0), st.integers(0), st.sampled_from(PIECES), st.data())
def test_what_is_left_of_a_prompt(
    text: str, start: int, end: int, piece: str, data: st.DataObject
) -> None:
    """Of a prompt with a part cut out and something else in its place, nothing fails either."""
    start, end = sorted((start % (len(text) + 1), end % (len(text) + 1)))
    broken = text[:start] + piece + text[end:]
    document = WORKSPACE.open(HERE / "prompts" / "broken.pdl", broken)
    offsets = [start, start + len(piece), data.draw(st.integers(0, len(broken)))]
    for offset in offsets:
        ask(WORKSPACE, document, offset)
    inlay_hints(WORKSPACE, document, Range(0, len(broken)))
    inferred_inputs(document)


@given(st.text(alphabet="{%}#|<>'\"[]().,:=?- \nabif", max_size=60), st.integers(0, 60))
def test_any_text(text: str, offset: int) -> None:
    """Texts of nothing but signs."""
    for start in (
        "",
        "<|user|>\n",
        "<|schema|>\n",
        "<|tools|>\n",
        "<|config|>\n",
        "{{ ",
        "{% for ",
    ):
        document = Document(start + text)
        ask(Workspace(), document, min(offset + len(start), len(document.text)))
        inlay_hints(Workspace(), document, Range(0, len(document.text)))
        inferred_inputs(document)
