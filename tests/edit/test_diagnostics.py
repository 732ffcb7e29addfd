"""What is wrong in documents: as `pdl lint` says, of texts that are not saved too."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdl.edit.document import Document, Location, Range
from pdl.edit.features.actions import changed_text, fix_all, fixes
from pdl.edit.features.diagnostics import diagnostics
from pdl.edit.workspace import Workspace
from pdl.prompt.lint import included_files, lint_file
from pdl.testing.lint import lint_cases
from pdl.testing.sections import is_cases

FOLDERS = [Path("prompts").resolve(), Path("tests/cases/cli").resolve()]


def _shown(workspace: Workspace, document: Document) -> list[str]:
    return [
        f"{one.severity} {one.code} `{document.text[slice(*one.range)]}`"
        for one in diagnostics(workspace, document)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<|usr|>\nhi\n<|user|>\nho", ["error turn/unknown-role `<|usr|>`"]),
        (
            "<|input|>\n{ word: str, b: int }\n<|user|>\n{{ wrd }}",
            [
                "warning input/unused `word`",
                "warning input/unused `b`",
                "error template/undefined `wrd`",
            ],
        ),
        ("<|user|>\nx\n<|schema|>\n{ a: strr }", ["error schema/unknown-type `strr`"]),
    ],
)
def test_ranges_cover_words(text: str, expected: list[str]) -> None:
    assert _shown(Workspace(), Document(text)) == expected


def test_an_unused_input_is_unnecessary_and_an_unknown_one_names_the_nearest() -> None:
    document = Document("<|input|>\n{ word: str, word2: str }\n<|user|>\n{{ wrd }}{{ word2 }}")
    unused, undefined = diagnostics(Workspace(), document)
    assert unused.is_unnecessary
    ((location, words),) = undefined.related
    assert document.text[slice(*location.range)] == "word"
    assert words == "`word` is declared here"


def test_files_that_are_open_count_as_they_are(tmp_path: Path) -> None:
    """The finding in a part is shown in the part, and follows each text of the editor."""
    main, part = tmp_path / "main.pdl", tmp_path / "part.pdl"
    main.write_text('<|input|>\n{ a: str }\n<|user|>\n{% include "part.pdl" %}\n')
    part.write_text("{{ a }}\n")
    workspace = Workspace((tmp_path,))
    documents = {one: workspace.document(one) for one in (main, part)}
    assert not any(diagnostics(workspace, one) for one in documents.values() if one)
    changed = workspace.open(part, "{{ aa }}\n")
    assert _shown(workspace, changed) == ["error template/undefined `aa`"]
    whole = workspace.document(main)
    assert whole is not None
    assert _shown(workspace, whole) == ["warning input/unused `a`"]
    workspace.close(part)
    assert not diagnostics(workspace, whole)


FILES = {
    "main.pdl": (
        '<|input|>\n{ a: str }\n<|user|>\n{% include "part.txt" %}\n{{ a }}{{ b }}\n'
        "<|schema|>\n@answers/out.json"
    ),
    "part.txt": "x\n{{ c }}\n{% include 'texts/deep.txt' %}",
    "texts/deep.txt": "x\nx\n{{ d }}",
    "answers/out.json": '{\n  "type": "strng"\n}',
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_is_wrong_in_files_that_are_not_open_is_shown_where_they_are_named(
    files: Path,
) -> None:
    workspace = Workspace((files,))
    main = workspace.open(files / "main.pdl", FILES["main.pdl"])
    found = {
        one.message.partition(":")[0]: (main.text[slice(*one.range)], *one.related)
        for one in diagnostics(workspace, main)
        if one.file is not None and not fixes(workspace, main, one)
    }
    assert {words: (text, *place) for words, (text, place) in found.items()} == {
        f"in `{name}`, line {line}": (
            written,
            Location(files / name, Range(at, at + length)),
            "it is here",
        )
        for name, line, at, length, written in (
            ("part.txt", 2, 5, 1, "part.txt"),
            ("texts/deep.txt", 3, 7, 1, "part.txt"),
            ("answers/out.json", 2, 12, 7, "@answers/out.json"),
        )
    }
    part = workspace.open(files / "part.txt", FILES["part.txt"])
    texts = [main.text[slice(*one.range)] for one in diagnostics(workspace, main)]
    assert texts == ["part.txt", "b", "@answers/out.json"]
    assert _shown(workspace, part) == ["error template/undefined `c`"]
    deep = workspace.open(files / "texts" / "deep.txt", FILES["texts/deep.txt"])
    assert [one.range.start for one in diagnostics(workspace, main)] == [
        main.text.index("b }}"),
        main.text.index("@"),
    ]
    assert _shown(workspace, deep) == ["error template/undefined `d`"]


PARTS = {
    "main.pdl": '<|user|>\n{% include "sub/rules.txt" %}{% include "sub/_rules.pdl" %}',
    "sub/rules.txt": 'x {% include "sub/deep.txt" %}',
    "sub/_rules.pdl": 'x {% include "sub/deep.pdl" %}',
    "sub/deep.txt": "x",
    "sub/deep.pdl": 'y {% include "near.txt" %}',
    "sub/other.pdl": '<|user|>\n{% include "deep.pdl" %}',
    "sub/near.txt": "x",
    "sub/rules.pdl": '<|user|>\n{% include "sub/deep.txt" %}',
}


def test_the_names_in_a_part_are_relative_to_the_prompts_that_include_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, text in PARTS.items():
        (tmp_path / name).write_text(text)
    workspace = Workspace((tmp_path,))
    found = {
        name: len(diagnostics(workspace, workspace.open(tmp_path / name, text)))
        for name, text in PARTS.items()
    }
    wrong = {"sub/rules.pdl": 1}  # nothing includes it
    assert found == {name: wrong.get(name, 0) for name in PARTS}
    rules = workspace.open(tmp_path / "sub" / "rules.txt", 'x {% include "sub/depe.txt" %}')
    (finding,) = diagnostics(workspace, rules)
    assert [one.edits[0].text for one in fixes(workspace, rules, finding)] == ["sub/deep.txt"]


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_has_the_findings_of_the_command(folder: Path) -> None:
    """But for files that an editor can't show as text, and hidden ones."""
    assert _of_editors(folder) == _of_the_command(folder)


def test_findings_in_texts_and_schemas_are_those_of_the_command(files: Path) -> None:
    assert len(_of_editors(files)) == 4
    assert _of_editors(files) == _of_the_command(files)


def _of_the_command(folder: Path) -> set[tuple[str, str, str]]:
    files = [one for one in sorted(folder.rglob("*.pdl")) if "/." not in str(one)]
    parts = {part for file in files for part in included_files(file)}
    return {
        (
            str(problem.location or f"{file}:1:1"),
            problem.code,
            problem.message.replace(f"{file.parent}/", ""),
        )
        for file in files
        for finding in (
            lint_cases(file, root=folder)
            if is_cases(file)
            else lint_file(file, partial=file in parts or file.name[0] == "_")
        )
        for problem in [finding.problem]
        if problem.code != "file/encoding"
    }


def _of_editors(folder: Path) -> set[tuple[str, str, str]]:
    workspace = Workspace((folder,), patience=60)
    found = set()
    for path in workspace.graph().bases:
        document = workspace.document(path)
        assert document is not None
        for one in diagnostics(workspace, document):
            if one.file is None:
                found.add((_place(document, one.range.start), one.code, one.message))
                continue
            other = workspace.document(one.file)
            assert other is not None
            line, column = other.source.position(one.related[0][0].range.start)
            place = f"{one.file.relative_to(folder).as_posix()}:{line}:{column}"
            found.add((place, one.code, one.message.partition(": ")[2]))
    return found


def _place(document: Document, offset: int) -> str:
    line, column = document.source.position(offset)
    return f"{document.path}:{line}:{column}"


def test_a_schema_that_changes_on_disk_is_read_again_once_the_files_are(tmp_path: Path) -> None:
    main = tmp_path / "main.pdl"
    main.write_text("<|user|>\nhi\n<|schema|>\n@answer.json\n")
    workspace = Workspace((tmp_path,))
    document = workspace.document(main)
    assert document is not None
    assert [one.code for one in diagnostics(workspace, document)] == ["schema/bad-file"]
    (tmp_path / "answer.json").write_text('{"type": "integer"}')
    workspace.refresh()
    assert not diagnostics(workspace, document)


def test_a_file_whose_name_a_prompt_computes_needs_no_turn(tmp_path: Path) -> None:
    (tmp_path / "tone_a.txt").write_text("Hi")
    (tmp_path / "other.txt").write_text("Hi")
    main = tmp_path / "main.pdl"
    main.write_text("<|user|>\n{% include 'tone_' ~ which ~ '.txt' %}")
    workspace = Workspace((tmp_path,))
    assert not diagnostics(workspace, workspace.open(tmp_path / "tone_a.txt", "Hi"))
    other = diagnostics(workspace, workspace.open(tmp_path / "other.txt", "Hi"))
    assert [one.code for one in other] == ["turn/no-role"]
    workspace.open(main, "<|user|>\n")
    changed = diagnostics(workspace, workspace.open(tmp_path / "tone_a.txt", "Hi"))
    assert [one.code for one in changed] == ["turn/no-role"]


CASES = {
    "a.pdl": "<|input|>\n{ name: str }\n<|user|>\n{% include 'part.txt' %}{{ name }}\n",
    "part.txt": "Hi ",
    "rows.jsonl": '{"data": {"name": 5}}\n',
    "a.tests.pdl": "<|case|> one\n<|data|>\nname: Ann\n<|assert|>\nvalue == 1\n",
}


def test_cases_are_those_of_the_text_and_of_its_prompt(tmp_path: Path) -> None:
    for name, text in CASES.items():
        (tmp_path / name).write_text(text)
    workspace = Workspace((tmp_path,))
    cases = workspace.open(tmp_path / "a.tests.pdl", CASES["a.tests.pdl"])
    assert not diagnostics(workspace, cases)
    workspace.open(tmp_path / "a.pdl", CASES["a.pdl"].replace("name", "word"))
    assert [(one.code, cases.text[slice(*one.range)]) for one in diagnostics(workspace, cases)] == [
        ("input/missing", "<|case|>"),
        ("input/unknown", "name"),
    ]
    assert diagnostics(workspace, cases)[1].message == "unknown input `name` (in a.pdl:2:1)"
    workspace.open(tmp_path / "part.txt", "{{ other }}")
    found = diagnostics(workspace, cases)
    workspace.close(tmp_path / "a.pdl")
    assert found != diagnostics(workspace, cases)
    workspace.close(tmp_path / "part.txt")
    assert not diagnostics(workspace, cases)


def test_what_is_wrong_with_a_table_is_shown_where_it_is_named(tmp_path: Path) -> None:
    for name, text in CASES.items():
        (tmp_path / name).write_text(text)
    workspace = Workspace((tmp_path,))
    cases = workspace.open(tmp_path / "a.tests.pdl", "<|cases|> @rows.jsonl\n")
    (found,) = diagnostics(workspace, cases)
    assert cases.text[slice(*found.range)] == "@rows.jsonl"
    assert found.message.startswith("in `rows.jsonl`, line 1: input `name`: expected `str`")


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("<|case|> a\n<|daat|>\nname: Ann\n", "<|case|> a\n<|data|>\nname: Ann\n"),
        ("<|case|> a\n<|data|>\nnaem: Ann\n", "<|case|> a\n<|data|>\nname: Ann\n"),
        (
            "<|case|> a\n<|data|> name: A\n<|assert|>\nvalu == 1\n",
            "<|case|> a\n<|data|> name: A\n<|assert|>\nvalue == 1\n",
        ),
        (
            "<|case|> a\n<|data|> name: A\n<|expect|> { a: strr }\n",
            "<|case|> a\n<|data|> name: A\n<|expect|> { a: str }\n",
        ),
    ],
)
def test_fixes_of_cases(tmp_path: Path, text: str, mended: str) -> None:
    (tmp_path / "a.pdl").write_text(CASES["a.pdl"])
    (tmp_path / "part.txt").write_text("")
    workspace = Workspace((tmp_path,))
    cases = workspace.open(tmp_path / "a.tests.pdl", text)
    assert changed_text(text, fix_all(workspace, cases)) == mended
