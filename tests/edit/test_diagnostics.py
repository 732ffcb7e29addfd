"""What is wrong in documents: as `pdl lint` says, of texts that are not saved too."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdl.edit.diagnostics import diagnostics
from pdl.edit.document import Document
from pdl.edit.workspace import Workspace
from pdl.prompt.lint import included_files, lint_file

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


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_has_the_findings_of_the_command(folder: Path) -> None:
    """But for files that an editor can't show as text, and hidden ones."""
    files = [one for one in sorted(folder.rglob("*.pdl")) if "/." not in str(one)]
    parts = {part for file in files for part in included_files(file)}
    expected = {
        (str(problem.location or f"{file}:1:1"), problem.code, problem.message)
        for file in files
        for finding in lint_file(file, partial=file in parts or file.name[0] == "_")
        for problem in [finding.problem]
        if not problem.code.startswith("file/")
    }
    workspace = Workspace((folder,), patience=60)
    found = {
        (_place(document, one.range.start), one.code, one.message)
        for document in workspace.documents()
        for one in diagnostics(workspace, document)
    }
    assert found == expected


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
