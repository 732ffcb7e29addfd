"""What is offered in files of cases: marks, inputs, the answer's fields, names, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked import unmarked

from pdl.edit.features.completion import Completion, complete
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = """<|input|>
{
  text: str,       // of the review
  lang: "en" | "de" = "en",
  shop?: { name: str, open: bool },
  tags: [{ word: str, weight: float }] = [],
}

<|user|>
{{ text }}

<|schema|>
{ stars: int<1,5>, mood: "good" | "bad", words: [Word] }
Word = { text: str, count?: int }
"""
FILES = {
    "review.pdl": PROMPT,
    "judge.pdl": "<|user|>\nIs it so?",
    "other.tests.pdl": "<|case|>",
    "replies/one.txt": "x",
    "rows.csv": "name",
    "answer.json": "{}",
}


class Case(NamedTuple):
    """A text with a cursor: labels that come first, that are offered, and that are not."""

    text: str
    first: list[str]
    has: list[str] = []  # noqa: RUF012 - never changed
    lacks: list[str] = []  # noqa: RUF012


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cases")
    for name, text in FILES.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text, "utf-8")
    return made


def offered(text: str, folder: Path, *, snippets: bool = False) -> list[Completion]:
    plain = unmarked(text)
    workspace = Workspace((folder,))
    document = workspace.open(folder / "review.tests.pdl", plain.text)
    found = complete(workspace, document, plain.cursor, snippets=snippets)
    return sorted(found, key=lambda one: one.sort)


C = "<|case|> a\n"
D = C + "<|data|>\n"
E = C + "<|expect|>\n"
A = C + "<|assert|>\n"
MARKS = [
    Case("<¦", ["<|case|>", "<|data|>", "<|assert|>", "<|cases|>", "<|judge|>"], [], ["<|reply|>"]),
    Case("<|c¦", ["<|case|>"]),
    Case(C + "<|¦|>", ["<|data|>", "<|reply|>", "<|expect|>"], ["<|case|>", "<|messages|>"]),
    Case(C + "<|data|>\na: 1\n<|¦\n<|expect|>", ["<|reply|>"], [], ["<|data|>", "<|expect|>"]),
    Case(C + "<|reply|>\nx\n<|r¦", ["<|data|>", "<|reply|>"]),
    Case("¦", []),
    Case("# <¦", []),
    Case("<|case|> a¦", []),
    Case(C + "<|reply|>\nHel¦lo", []),
    Case(C + "<|messages|>\n{{ ¦ }}", []),
]
DATA = [
    Case(D + "¦", ["text", "lang", "shop", "tags"]),
    Case(D + "te¦", ["text", "lang"]),
    Case(D + "text: x\n¦\nlang: en\n", ["shop", "tags"], [], ["text", "lang"]),
    Case(D + "shop:\n  ¦", ["name", "open"], [], ["text"]),
    Case(D + "shop:\n  name: x\n  ¦", ["open"], [], ["name"]),
    Case(D + "shop:\n  open: ¦", ["true", "false"]),
    Case(D + "tags:\n  - ¦", ["word", "weight"]),
    Case(D + "tags:\n  - word: x\n    ¦", ["weight"], [], ["word"]),
    Case(D + "tags:\n  - word: x\n  - ¦", ["word", "weight"]),
    Case(D + "lang: ¦", ["en", "de"]),
    Case(D + 'lang: "¦', ['"en"', '"de"']),
    Case(D + "text: a ¦", []),
    Case(D + "{¦}", ["text", "lang", "shop", "tags"]),
    Case(D + '{"te¦"', ["text"]),
    Case(D + '{"text": "a", "lang": ¦}', ['"en"', '"de"']),
    Case(D + '{"text": "a", "lang": "¦"}', ['"en"', '"de"']),
    Case(D + '{"text": "a", "shop": {"name": "x", ¦}}', ["open"], [], ["name"]),
    Case(D + '{"tags": [{"word": "a"}, {¦', ["word", "weight"]),
    Case(D + '{"text": "a ¦"}', []),
    Case(D + '{"text"¦: "a"}', []),
    Case(C + "<|data|> {¦", ["text"]),
    Case("<|data|>\n¦\n\n" + C, ["text"]),
]
EXPECT = [
    Case(E + "{ ¦ }", ["stars", "mood", "words"]),
    Case(E + "{ stars: ¦ }", [], ["int", "str"]),
    Case(E + "{ stars: 1, mood: ¦ }", ['"good"', '"bad"'], ["str"]),
    Case(E + '{"stars": 1, "¦', ["mood", "words"], [], ["stars", "str"]),
    Case(E + '{"stars": 1, "mood": ¦}', ['"good"', '"bad"']),
    Case(E + '{"words": [{"¦', ["text", "count"]),
    Case(E + "{ stars: int<1,5>, ¦", ["mood", "words"], [], ["stars"]),
    Case(E + "{ stars: int<¦", [], [], ["stars", "mood"]),
    Case(C + "<|expect|> { ¦", ["stars"]),
    Case(C + "<|expect|> @r¦", ["answer.json"], [], ["rows.csv"]),
]
ASSERT = [
    Case(A + "¦", ["attempts", "calls", "data"], ["value", "usage", "range"], ["schema", "super"]),
    Case(A + "val¦", [], ["value"]),
    Case(A + "value.¦", ["stars", "mood", "words"]),
    Case(A + "value.words[0].¦\nvalue.stars", ["text", "count"]),
    Case(A + "data.¦", ["text", "lang", "shop", "tags"]),
    Case(A + "usage.¦", ["input_tokens"], ["output_tokens"]),
    Case(A + "value.stars > 3\n  and value.¦", ["stars"]),
    Case(A + "value.mood == ¦", ['"good"', '"bad"']),
    Case(A + 'value.words | map(attribute="¦', ["text", "count"]),
    Case(A + "value.words | ¦", [], ["length", "map"]),
    Case(A + "value.stars is ¦", [], ["odd"]),
    Case(A + "# value.¦", []),
    Case(C + "<|assert|> value.¦", ["stars"]),
]
FILE = [
    Case(C + "<|reply|> @¦", ["answer.json", "judge.pdl"], ["replies/one.txt", "rows.csv"]),
    Case(C + "<|reply|> @replies/¦", [], ["replies/one.txt"]),
    Case("<|cases|> @¦", ["rows.csv"], [], ["judge.pdl"]),
    Case(C + "<|judge|> ¦", ["judge.pdl", "review.pdl"], [], ["other.tests.pdl", "rows.csv"]),
    Case(C + "<|judge|> judge.pdl ¦", []),
    Case(C + "<|reply|> ¦", ["refused"]),
    Case(C + "<|reply|> refused ¦", ["any"], ["truncated", "wrong-schema"]),
    Case("<|case|> @¦", []),
]


@pytest.mark.parametrize("case", [*MARKS, *DATA, *EXPECT, *ASSERT, *FILE], ids=lambda one: one.text)
def test_offers(case: Case, folder: Path) -> None:
    labels = [one.label for one in offered(case.text, folder)]
    assert labels[: len(case.first)] == case.first
    assert set(case.has) <= set(labels)
    assert not set(case.lacks) & set(labels)
    if not case.first and not case.has and not case.lacks:
        assert labels == []


CHANGES = [  # what is typed, the label, the text after it
    ("<|ca¦", "<|case|>", "<|case|> $0"),
    (C + "<|d¦|>", "<|data|>", C + "<|data|>\n$0"),
    (C + "<|j¦", "<|judge|>", C + "<|judge|> $0"),
    (D + "te¦", "text", D + "text: "),
    (D + "te¦: x", "text", D + "text: x"),
    (D + "lang: d¦", "de", D + "lang: de"),
    (D + '{"te¦": 1}', "text", D + '{"text": 1}'),
    (D + "{te¦}", "text", D + '{"text": }'),
    (D + '{"lang": "d¦"}', '"de"', D + '{"lang": "de"}'),
    (E + "{ st¦ }", "stars", E + "{ stars:  }"),
    (E + '{"stars": 1, m¦}', "mood", E + '{"stars": 1, "mood": }'),
    (A + "value.st¦ == 1", "stars", A + "value.stars == 1"),
    (A + "# a\nvalue.stars == 1\nnot va¦", "value", A + "# a\nvalue.stars == 1\nnot value"),
    (C + "<|reply|> @re¦", "replies/one.txt", C + "<|reply|> @replies/one.txt"),
]


@pytest.mark.parametrize(("text", "label", "after"), CHANGES)
def test_what_an_offer_inserts(text: str, label: str, after: str, folder: Path) -> None:
    one = next(one for one in offered(text, folder, snippets=True) if one.label == label)
    plain = text.replace("¦", "")
    assert plain[: one.range.start] + one.insert + plain[one.range.end :] == after


def test_files_of_folders_above_are_offered_below_the_root(folder: Path) -> None:
    workspace = Workspace((folder,))
    document = workspace.open(folder / "replies" / "a.tests.pdl", "<|case|>\n<|reply|> @")
    labels = {one.label for one in complete(workspace, document, len(document.text))}
    assert {"one.txt", "../rows.csv"} <= labels


PIECES = ["<|case|> a", "<|data|>", "<|expect|>", "<|assert|>", "<|reply|> @", "value.", "{", "}"]
PIECES += ['"stars"', ":", ",", "\n", "\n", " ", "- ", "text", "[", "]", "'", "<", "|", "//", "#"]


@given(st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
def test_any_place_of_any_text_has_an_answer(folder: Path, text: str) -> None:
    workspace = Workspace((folder,))
    document = workspace.open(folder / "review.tests.pdl", text)
    for at in range(len(text) + 1):
        for one in complete(workspace, document, at):
            assert 0 <= one.range.start <= at <= one.range.end <= len(text)
