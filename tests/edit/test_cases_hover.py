"""What is said of a place of a file of cases: marks, inputs, the answer's fields, names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from marked import unmarked

from pdl.edit.features.hover import hover
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = """<|input|>
{
  text: str, // of the review
  tags: [{ word: str }] = [],
}

<|user|>
{{ text }}

<|schema|>
{ stars: int<1,5>, words: [Word] }
Word = { text: str }
"""
C = "<|case|> a\n"
CASES = [  # a text with a cursor and the range that is explained; parts of what is said
    ("[[<|ca¦se|>]] a", ["**case**", "A case, by the name"]),
    (C + "[[<|reply|>¦]] refused any", ["**reply**"]),
    (C + "<|data|>\n[[te¦xt]]: a", ["*input*", "text: str", "of the review"]),
    (C + "<|data|>\ntags:\n  - [[wo¦rd]]: a", ["*input*", "word: str"]),
    (C + '<|data|>\n{"tags": [{"[[word¦]]": "a"}]}', ["word: str"]),
    (C + '<|expect|> {"[[st¦ars]]": 1}', ["*answer*", "stars: int<1,5>", "from 1 to 5"]),
    (C + "<|expect|>\n{ words: [{ [[te¦xt]]: str }] }", ["*answer*", "text: str"]),
    (C + "<|expect|>\n{ stars: [[in¦t]]<4,5> }", ["**int**"]),
    (C + "<|assert|>\n[[val¦ue]].stars > 1", ["The answer", "stars: int<1,5>"]),
    (C + "<|assert|>\nvalue.[[st¦ars]] > 1", ["stars: int<1,5>"]),
    (C + "<|assert|>\nvalue.words[0].[[te¦xt]]", ["text: str"]),
    (C + "<|assert|>\n(value.words | first).[[te¦xt]]", ["text: str"]),
    (C + "<|assert|>\nvalue.words | [[leng¦th]] > 1", ["length"]),
    (C + "<|assert|>\n[[atte¦mpts]] == 1", ["How many replies"]),
]
NOTHING = [
    C + "<|reply|>\ntext: <|us¦er|> {{ text }}",
    C + "<|data|>\ntext: va¦lue",
    C + "<|data|>\nnot¦hing: 1",
    C + "<|data|>\n{te¦xt: [",
    C + "<|case|> te¦xt",
    "# te¦xt",
]


@pytest.mark.parametrize(("text", "parts"), CASES)
def test_hover(text: str, parts: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.pdl").write_text(PROMPT, "utf-8")
    plain = unmarked(text)
    workspace = Workspace((tmp_path,))
    document = workspace.open(tmp_path / "a.tests.pdl", plain.text)
    found = hover(workspace, document, plain.cursor)
    assert found is not None
    assert [tuple(found.range)] == plain.ranges
    assert "\n".join(part for part in parts if part not in found.markdown) == ""


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_said_of_other_places(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.pdl").write_text(PROMPT, "utf-8")
    plain = unmarked(text)
    workspace = Workspace((tmp_path,))
    document = workspace.open(tmp_path / "a.tests.pdl", plain.text)
    assert hover(workspace, document, plain.cursor) is None
