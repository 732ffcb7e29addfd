"""Where the names of cases are declared and used, and renaming them with those of the prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked import marked, prepare

from pdl.edit.features import navigation
from pdl.edit.features.hover import hover
from pdl.edit.features.rename import Refusal, changed_text, rename
from pdl.edit.features.rename import prepare as prepared
from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from marked import Files

    from pdl.edit.document import Location

PROMPT = (
    "<|input|>\n{ text: str, tags: [{ word: str }] = [] }\n<|user|>\n{{ text }}\n"
    "<|schema|>\n{ stars: int, words: [Word] }\nWord = { text: str }"
)
CASE = "<|case|> a\n"


def at(mark: str) -> str:
    """The prompt with a range around the first of some words."""
    return PROMPT.replace(mark, f"[[{mark}]]", 1)


DEFINITIONS: list[Files] = [
    {"a.pdl": at("text"), "a.tests.pdl": CASE + "<|data|>\nte¦xt: x"},
    {"a.pdl": at("word"), "a.tests.pdl": CASE + "<|data|>\ntags:\n  - word¦: x"},
    {"a.pdl": at("word"), "a.tests.pdl": CASE + '<|data|>\n{"tags": [{"word¦": "x"}]}'},
    {"a.pdl": at("stars"), "a.tests.pdl": CASE + "<|expect|>\n{ st¦ars: 5 }"},
    {"a.pdl": at("stars"), "a.tests.pdl": CASE + '<|expect|> {"st¦ars": 5}'},
    {"a.pdl": at("stars"), "a.tests.pdl": CASE + "<|assert|>\nnot value.sta¦rs"},
    {"a.pdl": at("stars"), "a.tests.pdl": CASE + '<|assert|>\nvalue["sta¦rs"] > 1'},
    {
        "a.pdl": PROMPT.replace("{ text: str }", "{ [[text]]: str }"),
        "a.tests.pdl": CASE + "<|assert|>\nvalue.words[0].te¦xt",
    },
    {"a.pdl": at("text"), "a.tests.pdl": CASE + "<|assert|>\ndata.te¦xt"},
    {"a.pdl": at("<|schema|>"), "a.tests.pdl": CASE + "<|assert|>\nval¦ue.stars"},
    {"a.pdl": PROMPT, "a.tests.pdl": CASE + "<|data|>\noth¦er: x"},
    {"a.pdl": PROMPT, "a.tests.pdl": CASE + "<|reply|>\nte¦xt: <|user|> {{ text }}"},
    {"a.tests.pdl": CASE + "<|data|>\nte¦xt: x"},
    {"a.tests.pdl": CASE + "<|reply|> @r/o¦ne.txt", "r/one.txt": "[[]]x"},
    {"r/a.tests.pdl": CASE + "<|reply|> @../on¦e.txt", "one.txt": "[[]]x"},
    {"a.tests.pdl": CASE + "<|reply|> @../../on¦e.txt", "one.txt": "x"},
    {"a.tests.pdl": CASE + "<|judge|> jud¦ge.pdl true", "judge.pdl": "[[]]x"},
]


def shown(found: list[Location], workspace: Workspace, folder: Path) -> list[str]:
    places: dict[Path, list[tuple[int, int]]] = {}
    for path, where in found:
        assert path is not None
        places.setdefault(path, []).append(where)
    texts = []
    for path, ranges in places.items():
        document = workspace.document(path)
        assert document is not None
        texts.append(f"{path.relative_to(folder).as_posix()}: {marked(document.text, ranges)}")
    return sorted(texts)


@pytest.mark.parametrize("files", DEFINITIONS)
def test_definition(files: Files, tmp_path: Path) -> None:
    workspace, document, offset, expected = prepare(tmp_path, files)
    found = navigation.definition(workspace, document, offset)
    assert shown(found, workspace, tmp_path) == expected


def test_references_and_highlights(tmp_path: Path) -> None:
    text = CASE + "<|data|>\n[[text]]: x\n<|case|> b\n<|data|> {[[text]]: y}\n<|assert|>\n"
    text += "data.[[te¦xt]] == text and value.words[0].text"
    workspace, document, offset, expected = prepare(
        tmp_path, {"a.pdl": PROMPT, "a.tests.pdl": text}
    )
    found = navigation.references(workspace, document, offset, include_declaration=False)
    assert shown(found, workspace, tmp_path) == expected
    assert len(navigation.references(workspace, document, offset)) == len(found) + 1
    ranges: list[tuple[int, int]] = [one for one, _ in navigation.highlights(document, offset)]
    assert f"a.tests.pdl: {marked(document.text, ranges)}" == expected[0]


# files with a cursor in one of them; what becomes `new` is `[[…]]`
RENAMED: list[Files] = [
    {
        "a.pdl": "<|input|>\n{ [[te¦xt]]: str }\n<|user|>\n{{ [[text]] }}\n"
        "<|schema|>\n{ text: str }",
        "a.tests.pdl": "<|data|>\n[[text]]: text\n" + CASE + '<|data|> {"[[text]]": "text"}\n'
        "<|reply|>\ntext: x\n<|expect|> { text: str }\n<|assert|>\n"
        "data.[[text]] == text and value.text",
    },
    {
        "a.pdl": "<|input|>\n{ text: str }\n<|user|>\n{{ text }}\n<|schema|>\n{ [[te¦xt]]: str }",
        "a.tests.pdl": CASE + '<|data|>\ntext: x\n<|expect|> {"[[text]]": "text"}\n<|case|> b\n'
        "<|expect|>\n{ [[text]]: str }\n<|assert|>\n# text\nvalue.[[text]]\n"
        'value["[[text]]"] and\n  text and data.text',
    },
    {
        "a.pdl": "<|user|>\nx\n<|schema|>\n{ a: [Word], text: str }\nWord = { [[te¦xt]]: str }",
        "a.tests.pdl": CASE + '<|expect|> {"a": [{"[[text]]": "x"}], "text": "x"}\n'
        "<|assert|>\nvalue.a[0].[[text]] == value.text",
    },
    {  # from the cases
        "a.pdl": "<|input|>\n{ [[text]]: str }\n<|user|>\n{{ [[text]] }}",
        "a.tests.pdl": CASE + "<|data|>\n[[te¦xt]]: text",
    },
    {  # not declared
        "a.pdl": "<|user|>\n{{ [[te¦xt]] }}",
        "a.tests.pdl": CASE + "<|data|>\n[[text]]: text",
    },
    {  # set in the template
        "a.pdl": "<|user|>\n{% set [[te¦xt]] = 1 %}{{ [[text]] }}",
        "a.tests.pdl": CASE + "<|data|>\ntext: text",
    },
    {  # the cases of another prompt
        "a.pdl": "<|input|>\n{ [[te¦xt]]: str }\n<|user|>\n{{ [[text]] }}",
        "b.tests.pdl": CASE + "<|data|>\ntext: text",
    },
]


@pytest.mark.parametrize("files", RENAMED)
@pytest.mark.parametrize("new", ["new", "yes"])
def test_rename(files: Files, new: str, tmp_path: Path) -> None:
    workspace, document, offset, _ = prepare(tmp_path, files)
    assert not isinstance(prepared(workspace, document, offset), Refusal)
    edits = rename(workspace, document, offset, new)
    assert isinstance(edits, dict)
    for name, text in files.items():
        path = tmp_path / name
        before = workspace.document(path)
        assert before is not None
        after = changed_text(before, edits.get(path, []))
        expected = re.sub(r"\[\[.*?\]\]", new, text.replace("¦", ""))
        assert after.replace('"yes":', "yes:") == expected.replace('"yes":', "yes:")


def test_a_key_that_yaml_would_read_as_another_value_is_quoted(tmp_path: Path) -> None:
    workspace, document, offset, _ = prepare(tmp_path, RENAMED[3])
    edits = rename(workspace, document, offset, "yes")
    assert isinstance(edits, dict)
    assert '"yes": text' in changed_text(document, edits[document.path])


REFUSED = [
    ("{ a: [{ te¦xt: str }] }", "<|assert|>\n(value.a | first).text", "another `text` may be"),
    ("{ a: [{ te¦xt: str }] }", '<|assert|>\nvalue.a | map(attribute="text")', "another `text`"),
    ("{ te¦xt: str }", "<|expect|>\nWord\nWord = { text: str }", "another `text`"),
    ("{ text: str }", "<|data|>\nte¦xt: 1", "does not declare `text`"),
    ("{ text: str }", "<|expect|>\n{ oth¦er: str }", "does not declare `other`"),
    ("{ text: str }", "<|reply|>\nte¦xt", "no name to rename"),
    ("{ text: str }", "<|assert|>\nval¦ue.text", "no name to rename"),
]


@pytest.mark.parametrize(("schema", "case", "words"), REFUSED)
def test_refused(schema: str, case: str, words: str, tmp_path: Path) -> None:
    files = {"a.pdl": "<|user|>\nx\n<|schema|>\n" + schema, "a.tests.pdl": CASE + case}
    workspace, document, offset, _ = prepare(tmp_path, files)
    found = rename(workspace, document, offset, "new")
    assert isinstance(found, Refusal)
    assert words in found.message
    if document.path is not None and document.path.name == "a.tests.pdl":
        assert isinstance(prepared(workspace, document, offset), Refusal)


PIECES = ["<|case|> a", "<|data|>", "<|expect|>", "<|assert|>", "<|reply|> @a.pdl", "value.stars"]
PIECES += ["text", '"text"', "data", ".", ":", ",", "\n", "\n", " ", "- ", "[", "]", "{", "}"]
PIECES += ["<|judge|> a.pdl", "words[0]", "'", "|", "(", ")", "Word", "=", "&a", "*a", "\\", "!t"]


@given(st.lists(st.sampled_from(PIECES), max_size=15).map("".join), st.integers(0, 80))
def test_any_place_of_any_text_has_an_answer(
    tmp_path_factory: pytest.TempPathFactory, text: str, offset: int
) -> None:
    folder = tmp_path_factory.getbasetemp() / "cases"
    workspace = Workspace((folder,))
    prompt = workspace.open(folder / "a.pdl", PROMPT)
    document = workspace.open(folder / "a.tests.pdl", text)
    at = min(offset, len(text))
    hover(workspace, document, at)
    navigation.links(workspace, document)
    navigation.definition(workspace, document, at)
    navigation.references(workspace, document, at)
    navigation.highlights(document, at)
    navigation.type_definition(document, at)
    prepared(workspace, document, at)
    rename(workspace, prompt, PROMPT.index("text"), "new")
