"""Files of a prompt's folder: never one outside, whatever happens meanwhile."""

from __future__ import annotations

import os
import threading
import zipfile
from pathlib import Path

import pytest

import pdl
from pdl.prompt.files import Folder, JailError


def test_a_link_that_is_swapped_while_it_is_read_does_not_lead_out(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder, text in ((inside, "inside"), (outside, "secret")):
        (folder / "sub").mkdir(parents=True)
        (folder / "sub" / "a.txt").write_text(text)
    link = inside / "link"
    stopped = threading.Event()

    def swap() -> None:
        for turn in range(1_000_000):
            if stopped.is_set():
                return
            fresh = inside / "fresh"
            fresh.symlink_to((inside, outside)[turn % 2] / "sub")
            fresh.replace(link)

    link.symlink_to(inside / "sub")
    thread = threading.Thread(target=swap)
    thread.start()
    found = set()
    try:
        for _ in range(2_000):
            try:
                found.add(Folder(inside).read("link/a.txt", 99))
            except JailError:
                found.add(b"refused")
    finally:
        stopped.set()
        thread.join()
    assert b"secret" not in found
    assert b"inside" in found


def test_what_is_opened_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The swap at the worst moment: when the link has been looked at and found to be good."""
    (tmp_path / "inside" / "a").mkdir(parents=True)
    (tmp_path / "inside" / "a" / "x.txt").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.txt").write_text("secret")
    looked = Path.is_file

    def swap(path: Path) -> bool:
        answer = looked(path)
        (tmp_path / "inside" / "a").rename(tmp_path / "gone")
        (tmp_path / "inside" / "a").symlink_to(tmp_path / "outside")
        return answer

    monkeypatch.setattr(Path, "is_file", swap)
    with pytest.raises(JailError, match="was not found"):
        Folder(tmp_path / "inside").read("a/x.txt", 99)


def test_links_within_the_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("a")
    (tmp_path / "by").symlink_to("real")
    (tmp_path / "b.txt").symlink_to("by/a.txt")
    assert Folder(tmp_path).read("b.txt", 9) == Folder(tmp_path).read("by/a.txt", 9) == b"a"


@pytest.mark.parametrize("name", ["pipe", "device", "folder"])
def test_only_regular_files_are_read(name: str, tmp_path: Path) -> None:
    """A pipe would be waited for, for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    with pytest.raises(JailError):
        Folder(tmp_path).read(name, 9)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(pdl.TemplateError, match=r"`a\.txt` cannot be read: permission denied"):
        pdl.loads("<|user|>\n{% include 'a.txt' %}", base=tmp_path).render()


def test_a_name_that_is_too_long_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(JailError, match="cannot be followed: File name too long"):
        Folder(tmp_path).read("a" * 300, 9)


def test_an_escape_in_a_path_is_shown_and_told(tmp_path: Path) -> None:
    prompt = pdl.loads('<|user|>\n{% include "partials\\a.txt" %}', base=tmp_path)
    with pytest.raises(pdl.TemplateError) as raised:
        prompt.render()
    assert "`partials\\x07.txt`" in str(raised.value)
    assert "write `/` between directories" in str(raised.value)


def test_a_prompt_that_is_not_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("prompts/a.pdl", "<|user|>\nHi")
    inside = zipfile.Path(tmp_path / "p.zip", "prompts/")
    assert pdl.load(inside / "a.pdl").render().messages[0].text == "Hi"
    with pytest.raises(pdl.FileError, match=r"nope\.pdl: cannot be read: no such file"):
        pdl.load(inside / "nope.pdl")


@pytest.mark.parametrize(
    "text", ["{{ v }}", "{{ v }}\n", "{% if v %}{{ v }}{% endif %}", "{{ v }}.json"]
)
@pytest.mark.parametrize("value", ["@a.json", " @a.json", "@pdl:a.json", "@a"])
def test_a_value_names_no_schema_file(text: str, value: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"type": "string", "description": "secret"}')
    prompt = pdl.loads(f"<|user|>\nHi\n<|schema|>\n{text}", base=tmp_path)
    with pytest.raises(pdl.SchemaError, match="comes from a value") as raised:
        prompt.render(v=value)
    assert raised.value.problem.location is not None


@pytest.mark.parametrize("text", ["@a.json", "{% if v %}\n@a.json\n{% endif %}", "@{{ v }}.json"])
def test_the_prompt_itself_does(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"type": "string"}')
    prompt = pdl.loads(f"<|user|>\nHi\n<|schema|>\n{text}", base=tmp_path)
    schema = prompt.render(v="a").schema
    assert schema is not None
    assert schema.to_json_schema()["type"] == "string"
