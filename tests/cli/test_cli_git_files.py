"""Files of a commit, read from real repositories."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
from typing import TYPE_CHECKING

import click
import pytest
from repositories import Work, work_tree

import pdl
from pdl.cli import git
from pdl.cli.git import GitPath, Repository
from pdl.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["work_tree"]


@pytest.fixture
def root(work_tree: Work) -> Iterator[GitPath]:
    """The root of a commit with a directory, a link, and names of all kinds."""
    work_tree.write("prompts/a.pdl", '<|user|>\n{% include "_part.pdl" %}')
    work_tree.write("prompts/_part.pdl", "Hello")
    work_tree.write("prompts/deep/ä b.pdl", "<|user|>\nHi")
    work_tree.write("prompts/.hidden/c.pdl", "<|user|>\nHi")
    work_tree.write("prompts/deep/.d.pdl", "<|user|>\nHi")
    work_tree.write("x missing", "in the way")
    (work_tree.path / "prompts/link.pdl").symlink_to("a.pdl")
    (work_tree.path / "prompts/away.pdl").symlink_to("/etc/passwd")
    (work_tree.path / "prompts/loop.pdl").symlink_to("loop.pdl")
    work_tree.commit()
    work_tree.write("prompts/_part.pdl", "Changed")
    found = Repository.around(work_tree.path).tree("HEAD")
    yield found
    found.objects.close()


def test_a_prompt_is_loaded_with_the_includes_of_its_commit(root: GitPath) -> None:
    prompt = pdl.load(root / "prompts" / "a.pdl")
    assert prompt.source.name == "HEAD:prompts/a.pdl"
    assert prompt.render().messages[0].text == "Hello"


def test_files_are_found_as_on_disk(root: GitPath) -> None:
    below = (root / "prompts").files(".pdl")
    assert below == ["_part.pdl", "a.pdl", "away.pdl", "deep/ä b.pdl", "link.pdl", "loop.pdl"]
    assert [one.name for one in (root / "prompts").iterdir()][:3] == [
        ".hidden",
        "_part.pdl",
        "a.pdl",
    ]
    assert [one.path for one in root.iterdir()] == ["prompts", "x missing"]
    assert root.files(".none") == []


def test_links_are_followed_within_the_commit(root: GitPath) -> None:
    below = root / "prompts"
    assert (below / "link.pdl").read_text() == (below / "a.pdl").read_text()
    for name in ("away.pdl", "loop.pdl", "none.pdl", "a.pdl/b", "deep", "new\nline", "x"):
        assert not (below / name).is_file(), name
        with pytest.raises(FileNotFoundError):
            (below / name).read_bytes()
    assert (below / "deep").is_dir()
    assert root.is_dir()
    assert (root / "x missing").read_bytes() == b"in the way"
    assert (below / "deep/ä b.pdl").parent.path == "prompts/deep"
    with (below / "_part.pdl").open() as text, (below / "_part.pdl").open("rb") as data:
        assert (text.read(), data.read()) == ("Hello", b"Hello")


def test_a_file_that_no_reader_takes_is_not_read(
    root: GitPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "_MOST_BYTES", 5)
    with pytest.raises(FileError, match=r"a\.pdl: has 34 bytes, which is too many"):
        (root / "prompts/a.pdl").read_bytes()
    assert (root / "prompts/_part.pdl").read_bytes() == b"Hello"


def test_a_pointer_of_lfs_is_its_file_if_the_clone_has_that(work_tree: Work) -> None:
    data = b"\x89PNG\r\n\x1a\n"
    digest = hashlib.sha256(data).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 8\n"
    work_tree.write("a.png", pointer)
    work_tree.commit()
    root = Repository.around(work_tree.path).tree("HEAD")
    assert (root / "a.png").read_bytes() == pointer.encode()
    stored = work_tree.path / ".git/lfs/objects" / digest[:2] / digest[2:4] / digest
    stored.parent.mkdir(parents=True)
    stored.write_bytes(data)
    assert (root / "a.png").read_bytes() == data
    root.objects.close()


def test_an_absent_object_is_not_downloaded(work_tree: Work, tmp_path: Path) -> None:
    """In a partial clone, git would ask the server for it, by a program that its settings name."""
    work_tree.write("a.pdl", "<|user|>\nHi")
    work_tree.commit()
    work_tree.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    url = work_tree.path.as_uri()
    work_tree.git("clone", "-q", "--no-checkout", "--filter=blob:none", url, str(clone))
    mark, program = _program(tmp_path)
    work_tree.git("-C", str(clone), "config", "remote.origin.uploadpack", program)
    root = Repository.around(clone).tree("HEAD")
    assert not (root / "a.pdl").is_file()
    root.objects.close()
    assert not mark.exists()


def _program(directory: Path) -> tuple[Path, str]:
    """A program that a repository's configuration can name, and the file that it creates."""
    mark, program = directory / "mark", directory / "program"
    program.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(mark))}\n")
    program.chmod(0o755)
    return mark, str(program)


def test_no_program_of_the_repository_is_run(work_tree: Work, tmp_path: Path) -> None:
    """Its configuration can name one that tells git which files have changed."""
    work_tree.write("a.pdl", "<|user|>\nHi")
    work_tree.commit()
    mark, program = _program(tmp_path)
    work_tree.git("config", "core.fsmonitor", program)
    work_tree.git("status")
    assert mark.exists()
    work_tree.git("update-index", "--fsmonitor")
    mark.unlink()
    assert b"unspecified" in git.run_git(work_tree.path, "check-attr", "diff", "--", "a.pdl")
    assert not mark.exists()


@pytest.mark.parametrize("name", [":a", "-a", ":(glob)*", "*", "a\\b"])
def test_a_directory_of_any_name(work_tree: Work, name: str) -> None:
    work_tree.write(f"{name}/b.pdl", "<|user|>\nHi")
    work_tree.write("a/c.pdl", "<|user|>\nHi")
    work_tree.commit()
    root = Repository.around(work_tree.path).tree("HEAD")
    assert (root / name).files(".pdl") == ["b.pdl"]


@pytest.mark.parametrize("ref", ["", "-h", "--all", "^HEAD", "a\nb"])
def test_what_cannot_name_a_commit(work_tree: Work, ref: str) -> None:
    with pytest.raises(click.UsageError, match="expected a commit, a branch, or a tag; found"):
        Repository.around(work_tree.path).tree(ref)


@pytest.mark.parametrize("ref", ["nope", "HEAD:prompts", "HEAD^{tree}", "origin/main", "HEAD HEAD"])
def test_an_unknown_commit(root: GitPath, ref: str) -> None:
    with pytest.raises(FileError) as caught:
        root.objects.repository.tree(ref)
    assert str(caught.value) == f"unknown commit, branch, or tag `{ref}`"


def test_where_an_unknown_commit_might_be(work_tree: Work, tmp_path: Path) -> None:
    """On a server, or before the first commit of a shallow clone."""
    for number in range(2):
        work_tree.write("a.pdl", f"<|user|>\n{number}")
        work_tree.commit()
    clone = tmp_path / "clone"
    work_tree.git("clone", "-q", "--depth=1", work_tree.path.as_uri(), str(clone))
    with pytest.raises(FileError, match="hint: this clone is shallow: fetch the commit"):
        Repository.around(clone).tree("HEAD~1")
    work_tree.git("remote", "add", "up", work_tree.path.as_uri())
    with pytest.raises(FileError, match="hint: git fetch up topic/one"):
        Repository.around(work_tree.path).tree("up/topic/one")


def test_without_a_repository_or_a_work_tree(work_tree: Work, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is not in a git repository"):
        Repository.around(tmp_path)
    work_tree.write("a.pdl", "<|user|>\nHi")
    work_tree.commit()
    bare = tmp_path / "bare"
    work_tree.git("clone", "-q", "--bare", work_tree.path.as_uri(), str(bare))
    found = Repository.around(bare)
    root = found.tree("HEAD")
    assert root.files(".pdl") == ["a.pdl"]
    with pytest.raises(FileError, match="this repository has no work tree"):
        found.relative("a.pdl")


def test_without_git(work_tree: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileError, match=r"git is not installed\n  hint: install it"):
        Repository.around(work_tree.path)


def test_another_failure_of_git_has_its_words(
    work_tree: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "one")
    with pytest.raises(FileError, match=r"git rev-parse failed: .*GIT_CONFIG_COUNT"):
        Repository.around(work_tree.path)


def test_paths_are_relative_to_the_root(work_tree: Work, tmp_path: Path) -> None:
    below = work_tree.path / "a" / "b"
    below.mkdir(parents=True)
    found = Repository.around(below)
    assert found.prefix == "a/b/"
    assert found.relative(work_tree.path) == ""
    assert found.relative(below / "c.pdl") == "a/b/c.pdl"
    assert found.relative(below / ".." / "c.pdl") == "a/c.pdl"
    (tmp_path / "link").symlink_to(below)
    assert found.relative(tmp_path / "link" / "c.pdl") == "a/b/c.pdl"
    with pytest.raises(click.UsageError, match="is outside the repository"):
        found.relative(tmp_path)


def test_no_process_outlives_its_objects(root: GitPath) -> None:
    assert (root / "prompts").is_dir()
    process = root.objects._process  # noqa: SLF001  (whether it has ended)
    assert isinstance(process, subprocess.Popen)
    root.objects.close()
    assert process.poll() is not None
    assert (root / "prompts").is_dir()
    assert (root / "x missing").is_file()
