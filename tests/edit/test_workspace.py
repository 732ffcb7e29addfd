"""Which files of a workspace name which."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from pdl.edit.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

INCLUDES = [  # files, and who names whom
    ({"a.pdl": "{% include 'b.txt' %}", "b.txt": ""}, "a.pdl>b.txt"),
    ({"p/a.pdl": "{% include 'q/b.txt' %}", "p/q/b.txt": ""}, "p/a.pdl>p/q/b.txt"),
    # a file that is included names others as the prompt does
    (
        {"a.pdl": "{% extends 'q/b' %}", "q/b": "{% import 'q/c' as c %}", "q/c": ""},
        "a.pdl>q/b q/b>q/c",
    ),
    # a wider root, as `media_root`: the nearest folder that has the file
    ({"p/a.pdl": "{% from 's/b' import c %}", "s/b": ""}, "p/a.pdl>s/b"),
    ({"p/a.pdl": "{% include 'b' %}", "p/b": "", "b": ""}, "p/a.pdl>p/b"),
    ({"p/a.pdl": "{% include 's/b' %}", "s/b": "{% include 's/c' %}", "s/c": ""},
     "p/a.pdl>s/b s/b>s/c"),
    # a file that several prompts include from their own folders
    (
        {
            "p/a.pdl": "{% include 's/b' %}",
            "q/a.pdl": "{% include 's/b' %}",
            "s/b": "{% include 'c' ignore missing %}",
            "q/c": "",
            "s/c": "",
        },
        "p/a.pdl>s/b q/a.pdl>s/b",
    ),
    ({"a.pdl": "{% include ['x', 'b'] %}{% include 'c' if d else 'e' %}", "b": "", "e": ""},
     "a.pdl>b a.pdl>e"),
    ({"a.pdl": "{% include x %}{% include 'b' ~ x %}", "b": ""}, ""),
    ({"p/a.pdl": "{% include '../b' %}{% include '/etc/passwd' %}{% include '' %}", "b": ""}, ""),
    ({"a.pdl": "{% include 'a.pdl' %}{% include 'b.pdl' %}", "b.pdl": "{% include 'a.pdl' %}"},
     "a.pdl>a.pdl a.pdl>b.pdl b.pdl>a.pdl"),
    ({"a.pdl": "{# {% include 'b' %} #}{% raw %}{% include 'b' %}{% endraw %}", "b": ""}, ""),
    ({"a.pdl": "{% include 'b", "b": ""}, "a.pdl>b"),
]  # fmt: skip


def write(folder: Path, files: dict[str, str]) -> Workspace:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Workspace((folder,))


def _said(workspace: Workspace, folder: Path) -> str:
    found = [
        f"{path.relative_to(folder).as_posix()}>{one.target.relative_to(folder).as_posix()}"
        for path, includes in workspace.graph().targets.items()
        for one in includes
    ]
    return " ".join(sorted(found))


@pytest.mark.parametrize(("files", "expected"), INCLUDES)
def test_files_that_name_others(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    workspace = write(tmp_path, files)
    assert _said(workspace, tmp_path) == expected
    graph = workspace.graph()
    both = [(one.includer, one.target) for each in graph.includers.values() for one in each]
    assert sorted(both) == sorted(
        (one.includer, one.target) for each in graph.targets.values() for one in each
    )


def test_open_texts_count_instead_of_those_on_disk(tmp_path: Path) -> None:
    workspace = write(tmp_path, {"a.pdl": "{% include 'b' %}", "b": "", "c": ""})
    workspace.open(tmp_path / "a.pdl", "{% include 'c' %}{% include 'new' %}")
    workspace.open(tmp_path / "new", "")
    assert _said(workspace, tmp_path) == "a.pdl>c a.pdl>new"
    workspace.close(tmp_path / "a.pdl")
    assert _said(workspace, tmp_path) == "a.pdl>b"


def test_files_are_read_again_only_if_they_change(tmp_path: Path) -> None:
    workspace = write(tmp_path, {"a.pdl": "{% include 'b' %}", "b": "", "c.pdl": ""})
    graph, other = workspace.graph(), workspace.document(tmp_path / "c.pdl")
    assert workspace.graph() is graph
    (tmp_path / "a.pdl").write_text("{% include 'c.pdl' %}", "utf-8")
    assert _said(workspace, tmp_path) == "a.pdl>c.pdl"
    assert workspace.document(tmp_path / "c.pdl") is other
    (tmp_path / "a.pdl").unlink()
    assert _said(workspace, tmp_path) == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """A pipe would be waited for, for ever."""
    os.mkfifo(tmp_path / "pipe.pdl")
    os.mkfifo(tmp_path / "named")
    (tmp_path / "a.pdl").write_text("{% include 'pipe.pdl' %}{% include 'named' %}")
    (tmp_path / "device.pdl").symlink_to("/dev/zero")
    workspace = Workspace((tmp_path,))
    assert [one.path for one in workspace.documents()] == [tmp_path / "a.pdl"]
    assert list(workspace.graph().bases) == [tmp_path / "a.pdl"]
    assert workspace.document(tmp_path / "device.pdl") is None


def test_a_file_that_appears_is_found(tmp_path: Path) -> None:
    workspace = write(tmp_path, {"a.pdl": "{% include 'b' %}"})
    assert _said(workspace, tmp_path) == ""
    (tmp_path / "b").write_text("", "utf-8")
    assert _said(workspace, tmp_path) == "a.pdl>b"


@pytest.mark.skipif(os.name == "nt", reason="making a link is a privilege there")
def test_links_are_the_files_that_they_lead_to(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    workspace = write(folder, {"a.pdl": "{% include 'l' %}{% include 'out' %}", "b.pdl": "{{ x }}"})
    (tmp_path / "secret").write_text("", "utf-8")
    (folder / "l").symlink_to("b.pdl")
    (folder / "again.pdl").symlink_to("a.pdl")
    (folder / "loop").symlink_to(".")
    (folder / "out").symlink_to("../secret")
    assert _said(workspace, folder) == "a.pdl>b.pdl"
    assert workspace.document(folder / "l") is workspace.document(folder / "loop" / "b.pdl")
    assert len(list(workspace.documents())) == 2


def test_a_thousand_files(tmp_path: Path) -> None:
    text = "{{ x }}{% for i in y %}{{ i }}{% endfor %}\n" * 20
    files = {f"p{n}.pdl": f"{{% include 's/{n % 50}' %}}\n{text}" for n in range(1000)}
    workspace = write(tmp_path, files | {f"s/{n}": text for n in range(50)})
    start = time.process_time()
    assert sum(map(len, workspace.graph().targets.values())) == 1000
    first = time.process_time() - start
    workspace.graph()
    again = time.process_time() - start - first
    assert first < 4
    assert again < first / 4


def test_folders_are_trusted_for_a_while(tmp_path: Path) -> None:
    write(tmp_path, {"a.pdl": "", "b": ""})
    workspace = Workspace((tmp_path,), patience=1000)
    assert _said(workspace, tmp_path) == ""
    (tmp_path / "a.pdl").write_text("{% include 'b' %}", "utf-8")
    assert _said(workspace, tmp_path) == ""
    workspace.open(tmp_path / "c.pdl", "{% include 'b' %}")
    assert _said(workspace, tmp_path) == "a.pdl>b c.pdl>b"
    workspace.open(tmp_path / "c.pdl", "")
    assert _said(workspace, tmp_path) == "a.pdl>b"
    (tmp_path / "a.pdl").write_text("", "utf-8")
    workspace.refresh()
    assert _said(workspace, tmp_path) == ""


@pytest.mark.parametrize("name", ["a" * 300, "a\0b"])
def test_names_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    workspace = Workspace((tmp_path,))
    document = workspace.open(tmp_path / "a.pdl", f"{{% include '{name}' %}}")
    assert workspace.find(document, name) is None
    assert not workspace.graph().includers
