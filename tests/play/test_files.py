"""The opened file or folder: what can be listed, read and saved, and no more."""

from __future__ import annotations

import os
import stat
from tempfile import gettempdir
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.errors import FileError
from pdl.play.access import BODY_BYTES, RefusedError
from pdl.play.files import OpenedFiles, digest_of, kept_ends

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "prompts"
    found.joinpath("parts").mkdir(parents=True)
    found.joinpath(".git").mkdir()
    for name in (
        "a.pdl",
        "a.tests.pdl",
        "b.pdl",
        "parts/head.txt",
        "parts/c.pdl",
        ".hidden.pdl",
        ".git/config.txt",
        "key.pem",
        "program.py",
    ):
        found.joinpath(name).write_text(f"{name}\n")
    tmp_path.joinpath("outside.pdl").write_text("SECRET\n")
    tmp_path.joinpath("other").mkdir()
    tmp_path.joinpath("other", "d.pdl").write_text("SECRET\n")
    found.joinpath("link.pdl").symlink_to(tmp_path / "outside.pdl")
    found.joinpath("inner.pdl").symlink_to(found / "a.pdl")
    found.joinpath("linked").symlink_to(tmp_path / "other")
    os.mkfifo(found / "pipe.pdl")
    found.joinpath("folder.pdl").mkdir()
    return found


def refusal(function: object, *arguments: object) -> RefusedError:
    assert callable(function)
    with pytest.raises(RefusedError) as refused:
        function(*arguments)
    told = str(refused.value) + refused.value.hint
    assert gettempdir() not in told
    assert "SECRET" not in told + str(refused.value.more)
    return refused.value


def test_a_folder_shows_its_prompts_their_cases_and_what_they_include(folder: Path) -> None:
    assert [(one.name, one.kind) for one in OpenedFiles.open(str(folder)).list()] == [
        ("a.pdl", "prompt"),
        ("a.tests.pdl", "cases"),
        ("b.pdl", "prompt"),
        ("parts/c.pdl", "prompt"),
        ("parts/head.txt", "other"),
    ]


def test_a_file_shows_itself_and_its_cases(folder: Path) -> None:
    files = OpenedFiles.open(str(folder / "a.pdl"))
    assert [one.name for one in files.list()] == ["a.pdl", "a.tests.pdl"]
    assert files.label == "prompts"
    assert refusal(files.read, "b.pdl").status == 403
    assert refusal(files.create, "new.pdl", "").status == 403


@pytest.mark.parametrize("name", ["key.pem", "a.tests.pdl", "pipe.pdl", "none.pdl"])
def test_only_a_prompt_or_a_folder_is_opened(folder: Path, name: str) -> None:
    with pytest.raises(FileError):
        OpenedFiles.open(str(folder / name))


ELSEWHERE = [
    "../outside.pdl",
    "parts/../../outside.pdl",
    "/etc/passwd",
    "C:\\x.pdl",
    "C:x.pdl",
    "..\\outside.pdl",
    "\\\\host\\x.pdl",
    "link.pdl",
    "inner.pdl",
    "linked/d.pdl",
    "pipe.pdl",
    "folder.pdl",
    ".hidden.pdl",
    ".git/config.txt",
    "key.pem",
    "program.py",
    "parts",
    "a.pdl\0.txt",
    "",
    " ",
    ".",
    "/",
    "none.pdl",
    "a.pdl/x.pdl",
    "x" * 5000 + ".pdl",
]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_nothing_else_is_read_or_saved(folder: Path, name: str) -> None:
    files = OpenedFiles.open(str(folder))
    assert refusal(files.read, name).status in {403, 404}
    assert refusal(files.save, name, "x", "").status in {403, 404}


@pytest.mark.parametrize("name", [*ELSEWHERE[:-4], "parts/head.txt", "a:b.pdl", "a.txt"])
def test_nothing_else_is_created(folder: Path, name: str) -> None:
    before = sorted(folder.parent.rglob("*"))
    assert refusal(OpenedFiles.open(str(folder)).create, name, "x").status in {400, 403, 409}
    assert sorted(folder.parent.rglob("*")) == before


def test_a_folder_that_is_not_there_is_told(folder: Path) -> None:
    found = refusal(OpenedFiles.open(str(folder)).create, "far/away/new.pdl", "")
    assert (found.status, str(found)) == (404, "there is no folder `far/away`")
    assert not folder.joinpath("far").exists()


def test_a_file_is_created_once(folder: Path) -> None:
    files = OpenedFiles.open(str(folder))
    digest = files.create("parts/new.pdl", "<|user|>\n")
    assert files.read("parts/new.pdl") == ("<|user|>\n", digest)
    assert refusal(files.create, "parts/new.pdl", "").status == 409


@pytest.mark.parametrize(
    ("before", "shown", "text", "after"),
    [
        (b"a\nb\n", "a\nb\n", "a\nc\n", b"a\nc\n"),
        (b"a\r\nb\r\n", "a\r\nb\r\n", "a\nc\nd\n", b"a\r\nc\r\nd\r\n"),
        (b"a\nb\r\nc\n", "a\nb\r\nc\n", "x\nb\nc\n", b"x\nb\r\nc\n"),
        (b"\xef\xbb\xbfa\n", "a\n", "b", b"\xef\xbb\xbfb"),
        (b"a\rb", "a\rb", "a\nb\n", b"a\rb\r"),
        (b"a\r\n", "a\r\n", "a\r\nb", b"a\r\nb"),
        (b"", "", "a\n", b"a\n"),
        (b"a\r\n", "a\r\n", "", b""),
    ],
)
def test_saving_keeps_line_ends_and_marks(
    folder: Path, before: bytes, shown: str, text: str, after: bytes
) -> None:
    path = folder / "a.pdl"
    path.write_bytes(before)
    path.chmod(0o640)
    files = OpenedFiles.open(str(folder))
    found, digest = files.read("a.pdl")
    assert found == shown
    assert files.save("a.pdl", text, digest) == digest_of(after)
    assert path.read_bytes() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not list(folder.glob(".a.pdl.*"))


ENDS = st.sampled_from(["\n", "\r\n", "\r"])
LINES = st.lists(st.tuples(st.sampled_from(["a", "b", ""]), ENDS), max_size=6)


@given(LINES, LINES)
def test_a_text_is_saved_as_it_is_but_for_line_ends(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    old = "".join(line + end for line, end in before)
    new = "".join(f"{line}\n" for line, _ in after)
    kept = kept_ends(old, new)
    assert kept.replace("\r\n", "\n").replace("\r", "\n") == new
    same = old.replace("\r\n", "\n").replace("\r", "\n")
    assert kept_ends(old, same) == old


def test_what_has_changed_meanwhile_is_not_overwritten(folder: Path) -> None:
    files = OpenedFiles.open(str(folder))
    _, digest = files.read("a.pdl")
    folder.joinpath("a.pdl").write_text("other\n")
    refused = refusal(files.save, "a.pdl", "mine", digest)
    assert refused.status == 409
    assert refused.more["text"] == "other\n"
    assert files.save("a.pdl", "mine", str(refused.more["digest"]))
    assert folder.joinpath("a.pdl").read_text() == "mine"


def test_only_text_in_utf8_is_read_and_saved(folder: Path) -> None:
    files = OpenedFiles.open(str(folder))
    folder.joinpath("b.pdl").write_bytes(b"\xff")
    assert refusal(files.read, "b.pdl").status == 415
    _, digest = files.read("a.pdl")
    assert refusal(files.save, "a.pdl", "\ud800", digest).status == 400


def test_large_files_are_neither_read_nor_written(folder: Path) -> None:
    files = OpenedFiles.open(str(folder))
    _, digest = files.read("a.pdl")
    assert refusal(files.save, "a.pdl", "x" * (BODY_BYTES + 1), digest).status == 413
    with folder.joinpath("b.pdl").open("wb") as file:
        file.truncate(BODY_BYTES + 1)
    assert refusal(files.read, "b.pdl").status == 413


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything can be written")
def test_a_folder_that_cannot_be_written_is_an_error(folder: Path) -> None:
    files = OpenedFiles.open(str(folder))
    _, digest = files.read("a.pdl")
    folder.chmod(0o500)
    try:
        assert refusal(files.save, "a.pdl", "x", digest).status == 403
    finally:
        folder.chmod(0o700)


def test_a_large_folder_is_cut(tmp_path: Path) -> None:
    for number in range(2_010):
        tmp_path.joinpath(f"{number}.pdl").touch()
    assert len(OpenedFiles.open(str(tmp_path)).list()) == 2_000
