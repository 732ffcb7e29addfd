"""Pins: a prompt loads and renders in the one version that its fingerprint names, or not at all."""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshots import CASES, Snapshot

import pdl
import pdl.prompt
from pdl.prompt import lock as locks
from pdl.prompt.lock import Lock, Pin, git_blob, update_lock

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN = """\
{% include "part.pdl" %}
{{ schema }} {% include "later.pdl" ignore missing %}
<|media(dot.png)|>
<|schema|>
@answer.json
"""
DOT = b"\x89PNG\r\n\x1a\n one"
OTHER = "h1:" + "0" * 64


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    """A prompt that reads a template, an image, and a schema; and a template that is not there."""
    file = tmp_path / "prompts" / "main.pdl"
    file.parent.mkdir()
    file.write_text(MAIN)
    (file.parent / "part.pdl").write_text("<|user|>\nHi\n")
    (file.parent / "dot.png").write_bytes(DOT)
    (file.parent / "answer.json").write_text('{"type": "object", "properties": {"a": {}}}')
    return file


def change_template(file: Path) -> None:
    file.write_text(MAIN.replace("schema }}", "schema }} now"))


def change_part(file: Path) -> None:
    (file.parent / "part.pdl").write_text("<|user|>\nHo\n")


def remove_part(file: Path) -> None:
    (file.parent / "part.pdl").unlink()


def change_image(file: Path) -> None:
    (file.parent / "dot.png").write_bytes(DOT + b"!")


def change_schema(file: Path) -> None:
    (file.parent / "answer.json").write_text('{"type": "object", "properties": {"b": {}}}')


def add_later(file: Path) -> None:
    (file.parent / "later.pdl").write_text("Later.")


CHANGES: list[Callable[[Path], None]] = [
    change_template,
    change_part,
    remove_part,
    change_image,
    change_schema,
    add_later,
]


def unpickled(data: bytes) -> pdl.Prompt:
    found = pickle.loads(data)  # noqa: S301 - our own
    assert isinstance(found, pdl.Prompt)
    return found


def code_of(error: pytest.ExceptionInfo[pdl.PinError]) -> str:
    return error.value.problem.code


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_another_version_is_refused(prompt: Path, change: Callable[[Path], None]) -> None:
    pin = pdl.load(prompt).fingerprint
    assert pdl.load(prompt, pin=pin).fingerprint == pin
    change(prompt)
    with pytest.raises(pdl.PinError) as error:
        pdl.load(prompt, pin=pin)
    assert code_of(error) == "pin/changed"
    found = pdl.load(prompt).fingerprint
    assert str(error.value) == (
        f"{prompt}: is not the pinned version: expected {pin[:15]}…, found {found[:15]}…"
        "\n  hint: restore the pinned version"
    )
    with pytest.raises(pdl.PinError):
        pdl.load(prompt, pin=pin, strict=False)


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_each_rendering_is_of_the_pinned_version(
    prompt: Path, change: Callable[[Path], None]
) -> None:
    """Whatever happens to the files: the prompt has them as they were when it was verified."""
    before = pdl.load(prompt).render()
    pinned = pdl.load(prompt, pin=pdl.load(prompt).fingerprint)
    copy = pickle.dumps(pinned)
    change(prompt)
    for _ in range(2):
        after = pinned.render()
        assert after == before
        assert after.schema == before.schema
        assert pinned.fingerprint == pinned.pin
    if change is not change_template:  # a pickle has the text of the prompt, and no other file
        with pytest.raises(pdl.PinError):
            unpickled(copy)


def test_a_pickle_keeps_its_pin(prompt: Path) -> None:
    pinned = pdl.load(prompt, pin=pdl.load(prompt).fingerprint)
    copy = unpickled(pickle.dumps(pinned))
    assert copy == pinned
    assert copy.pin == pinned.pin
    assert copy.render() == pinned.render()
    change_part(prompt)
    assert copy.render() == pinned.render()
    assert unpickled(pickle.dumps(pdl.load(prompt))).pin == ""


def test_a_file_that_only_a_value_names_is_read_at_each_rendering(tmp_path: Path) -> None:
    """A pin covers no values, and so neither what they name."""
    image = tmp_path / "dot.png"
    image.write_bytes(DOT)
    text = "<|user|>\n<|media({{ name }})|>"
    plain = pdl.loads(text, base=tmp_path)
    pinned = pdl.loads(text, base=tmp_path, pin=plain.fingerprint)
    assert pinned.render(name="dot.png") == plain.render(name="dot.png")
    image.write_bytes(DOT + b"!")
    assert pinned.render(name="dot.png") == plain.render(name="dot.png")


def test_the_schema_of_a_package_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "pinned_answers"
    package.mkdir()
    (package / "__init__.py").touch()
    file = package / "a.json"
    file.write_text('{"type": "integer"}')
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "<|user|>\nHi\n<|schema|>\n@pinned_answers:a.json"
    pin = pdl.loads(text, base=tmp_path).fingerprint
    pinned = pdl.loads(text, base=tmp_path, pin=pin)
    file.write_text('{"type": "string"}')
    assert str(pinned.render().schema) == "int"
    with pytest.raises(pdl.PinError):
        pdl.loads(text, base=tmp_path, pin=pin)


def test_changes_that_render_the_same_are_accepted(prompt: Path) -> None:
    pin = pdl.load(prompt).fingerprint
    prompt.write_text("{# new #}" + MAIN.replace("{{ schema }}", "{{schema}}"))
    assert pdl.load(prompt, pin=pin).pin == pin


def test_text_has_a_fingerprint_for_a_pin() -> None:
    text = "<|user|>\nHi"
    pin = pdl.loads(text).fingerprint
    assert pdl.loads(text, pin=pin).render() == pdl.loads(text).render()
    with pytest.raises(pdl.PinError, match=r"^<string>: is not the pinned version"):
        pdl.loads(f"{text}!", pin=pin)
    for other in (True, "pdl.lock"):
        with pytest.raises(pdl.PinError, match="this prompt is not one") as error:
            pdl.loads(text, pin=other)  # type: ignore[arg-type]
        assert code_of(error) == "pin/absent"


@pytest.mark.parametrize("other", ["", "h1:", "h1:" + "a" * 63, "h1:" + "A" * 64, "h2:" + "a" * 64])
def test_what_is_not_a_fingerprint_is_refused(prompt: Path, other: str) -> None:
    """Nothing that could be meant as a pin loads any version."""
    with pytest.raises(pdl.PinError, match="is not a fingerprint") as error:
        pdl.load(prompt, pin=other)
    assert code_of(error) == "pin/invalid"
    with pytest.raises(pdl.PinError, match="is not a fingerprint"):
        pdl.loads(MAIN, pin=other)


@pytest.mark.parametrize("other", [1, b"h1:", ["pdl.lock"], 0])
def test_a_pin_has_another_type(prompt: Path, other: Any) -> None:
    with pytest.raises(TypeError, match=r"^pin must be a fingerprint, the path of a lock, or True"):
        pdl.load(prompt, pin=other)


def pinned_in(path: Path, **pins: str) -> Path:
    """Write a lock with pins of files, whose suffix is left out."""
    update_lock(path, {f"{name}.pdl": Pin(pin) for name, pin in pins.items()})
    return path


def test_a_lock_has_the_pins_of_many(prompt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin = pdl.load(prompt).fingerprint
    lock = pinned_in(prompt.parents[1] / "pdl.lock", **{"prompts/main": pin, "main": OTHER})
    monkeypatch.chdir(prompt.parents[1])
    relative = Path("prompts/main.pdl")
    for one in (lock, str(lock), "pdl.lock", True):
        for file in (prompt, relative):
            assert pdl.load(file, pin=one).pin == pin
    monkeypatch.chdir(prompt.parent)
    assert pdl.load("main.pdl", pin=True).pin == pin
    change_part(prompt)
    with pytest.raises(pdl.PinError, match=r"expected h1:.*… in ../pdl\.lock, found") as error:
        pdl.load("main.pdl", pin=True)
    assert error.value.problem.hint == "`pdl pin main.pdl` accepts this version"


def test_the_nearest_lock_counts(prompt: Path) -> None:
    """Also if it does not have the prompt: a lock further up is of something else."""
    pin = pdl.load(prompt).fingerprint
    pinned_in(prompt.parents[1] / "pdl.lock", **{"prompts/main": pin})
    assert pdl.load(prompt, pin=True).pin == pin
    near = pinned_in(prompt.parent / "pdl.lock", other=OTHER)
    with pytest.raises(pdl.PinError, match=rf"main\.pdl: is not pinned in {near}") as error:
        pdl.load(prompt, pin=True)
    assert code_of(error) == "pin/absent"
    assert error.value.problem.hint == f"run `pdl pin {prompt}`"


def test_without_a_lock_nothing_is_pinned(prompt: Path) -> None:
    with pytest.raises(pdl.PinError, match=r"is not pinned: there is no pdl\.lock") as error:
        pdl.load(prompt, pin=True)
    assert code_of(error) == "pin/absent"
    with pytest.raises(pdl.FileError, match=r"no\.lock: cannot be read: no such file"):
        pdl.load(prompt, pin=prompt.parent / "no.lock")
    with pytest.raises(pdl.FileError, match="is a directory"):
        pdl.load(prompt, pin=prompt.parent)


def test_a_prompt_is_found_through_a_link(prompt: Path, tmp_path: Path) -> None:
    pin = pdl.load(prompt).fingerprint
    lock = pinned_in(tmp_path / "pdl.lock", **{"prompts/main": pin})
    link = tmp_path.with_name(f"{tmp_path.name}-link")
    link.symlink_to(tmp_path)
    assert pdl.load(link / "prompts" / "main.pdl", pin=lock).pin == pin
    assert pdl.load(link / "prompts" / "main.pdl", pin=True).pin == pin


def test_resources_of_a_package_can_be_pinned(
    prompt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package in an archive has no directory with a lock, but a fingerprint pins its files."""
    pin = pdl.load(prompt).fingerprint
    archive = tmp_path / "pinned_package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("pinned_package/__init__.py", "")
        for path in prompt.parent.iterdir():
            file.write(path, f"pinned_package/{path.name}")
    monkeypatch.syspath_prepend(str(archive))
    resource = importlib.resources.files("pinned_package") / "main.pdl"
    assert pdl.load(resource, pin=pin).render() == pdl.load(prompt).render()
    with pytest.raises(pdl.PinError, match="pass the fingerprint itself"):
        pdl.load(resource, pin=True)
    lock = importlib.resources.files("pinned_package") / "pdl.lock"
    with pytest.raises(pdl.PinError, match="is not a file on disk, so it cannot be read as a lock"):
        pdl.load(resource, pin=lock)  # type: ignore[arg-type]


LOCKS = sorted((CASES / "locks").glob("*.lock"))


@pytest.mark.parametrize("case", LOCKS, ids=lambda case: case.stem)
def test_an_invalid_lock(
    case: Path, prompt: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Snapshot
) -> None:
    """Each error has its position, and says what was expected."""
    monkeypatch.chdir(case.parent)
    with pytest.raises(pdl.PdlError) as error:
        pdl.load(prompt, pin=case.name)
    assert error.value.problem.code == "pin/invalid"
    assert error.value.problem.span is not None
    snapshot.check(case.with_suffix(".txt"), str(error.value))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 100_000, ": is nested too deeply"),
        ('{"version": ' + "1" * 5_000 + "}", ": contains an integer with too many digits"),
        ('{"version": 1e999}', ":1:13: this contains the number 1e999, which is too large"),
        ('{"version": 1, "x": NaN}', ":1:21: this is not JSON: `NaN` is not a JSON value"),
    ],
    ids=["deep", "digits", "large", "NaN"],
)
def test_a_lock_that_python_does_not_read(prompt: Path, text: str, told: str) -> None:
    lock = prompt.with_name("deep.lock")
    lock.write_text(text)
    with pytest.raises(pdl.PinError, match=rf"deep\.lock{told}"):
        pdl.load(prompt, pin=lock)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: json.dumps(json.loads(text)),
        lambda text: text.replace('"version"', '"note": "<<<<<<< kept",\n  "version"'),
        lambda text: text.replace('"blob"', '"by": "Ann",\n      "blob"'),
    ],
    ids=["BOM", "CRLF", "one line", "another key", "another key of a prompt"],
)
def test_other_writers_of_a_lock(prompt: Path, change: Callable[[str], str]) -> None:
    """What is valid stays valid, and what pdl does not know is kept."""
    pin = pdl.load(prompt).fingerprint
    lock = pinned_in(prompt.parent / "pdl.lock", main=pin)
    lock.write_bytes(change(lock.read_bytes().decode()).encode())
    assert pdl.load(prompt, pin=True).pin == pin
    before = json.loads(lock.read_bytes().decode("utf-8-sig"))
    update_lock(lock, {"other.pdl": Pin(OTHER)})
    after = json.loads(lock.read_text())
    assert after["prompts"].pop("other.pdl") == {"fingerprint": OTHER, "blob": ""}
    assert after == before


def test_a_lock_is_sorted_and_written_for_people(tmp_path: Path) -> None:
    lock = tmp_path / "pdl.lock"
    for name in ("b.pdl", "ä.pdl", "a/c.pdl"):
        update_lock(lock, {name: Pin(OTHER, "", "e69de29")})
    entry = f'{{\n      "fingerprint": "{OTHER}",\n      "blob": "e69de29"\n    }}'
    names = ",\n".join(f'    "{name}": {entry}' for name in ("a/c.pdl", "b.pdl", "ä.pdl"))
    expected = f'{{\n  "version": 1,\n  "prompts": {{\n{names}\n  }}\n}}\n'
    assert lock.read_bytes().decode() == expected
    modified = lock.stat().st_mtime_ns
    update_lock(lock, {"b.pdl": Pin(OTHER, "", "e69de29")})
    assert lock.stat().st_mtime_ns == modified  # so that programs that watch it need not look
    update_lock(lock, dict.fromkeys(Lock.read(lock).names))
    assert Lock.read(lock).names == ()
    assert [path.name for path in tmp_path.iterdir()] == ["pdl.lock"]


PATHS = st.text(st.characters(exclude_characters="\0"), min_size=1)


@given(st.dictionaries(PATHS, st.integers(0, 1 << 256), max_size=4), st.lists(PATHS, max_size=2))
def test_a_lock_has_what_was_written(numbers: dict[str, int], removed: list[str]) -> None:
    """Under any name that a system gives a file, those that are not UTF-8 too."""
    pins = {name: Pin(f"h1:{number:064x}"[:67]) for name, number in numbers.items()}
    with TemporaryDirectory() as folder:
        lock = Path(folder, "pdl.lock")
        update_lock(lock, pins)
        update_lock(lock, dict.fromkeys(removed))
        left = {name: pin for name, pin in pins.items() if name not in removed}
        assert {name: Lock.read(lock).get(name) for name in Lock.read(lock).names} == left


def test_a_link_to_a_lock_stays_a_link_and_the_mode_is_kept(tmp_path: Path) -> None:
    lock, link = tmp_path / "shared.lock", tmp_path / "pdl.lock"
    pinned_in(lock, a=OTHER)
    lock.chmod(0o640)
    link.symlink_to(lock)
    pinned_in(link, b=OTHER)
    assert link.is_symlink()
    assert Lock.read(lock).names == ("a.pdl", "b.pdl")
    assert lock.stat().st_mode & 0o777 == 0o640


def test_a_blob_is_named_as_git_names_it() -> None:
    assert git_blob(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    data = MAIN.encode()
    assert git_blob(data) == hashlib.sha1(b"blob %d\0%b" % (len(data), data)).hexdigest()  # noqa: S324


PIN_SOME = """
import sys
from pathlib import Path
from pdl.prompt.lock import Lock, Pin, update_lock

path, first = Path(sys.argv[1]), int(sys.argv[2])
for number in range(first, first + 20):
    update_lock(path, {f"{number:03}.pdl": Pin(f"h1:{number:064}")})
    Lock.read(path)  # at no time is it half written
"""


def test_processes_that_pin_at_once_lose_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "pdl.lock"
    commands = [[sys.executable, "-c", PIN_SOME, str(lock), str(20 * n)] for n in range(3)]
    workers = [subprocess.Popen(command) for command in commands]  # noqa: S603  (our own words)
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    assert Lock.read(lock).names == tuple(f"{number:03}.pdl" for number in range(60))
    assert os.listdir(tmp_path) == ["pdl.lock"]  # noqa: PTH208


def test_a_lock_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "pdl.lock"
    with pytest.raises(pdl.FileError, match="cannot be written: no such file"):
        update_lock(tmp_path / "nowhere" / "pdl.lock", {})
    (tmp_path / "pdl.lock.new").touch()  # of a process that was killed, or still writes
    monkeypatch.setattr(locks, "_WAIT", 0.05)
    with pytest.raises(pdl.FileError, match="another process is writing it") as error:
        pinned_in(lock, a=OTHER)
    assert error.value.problem.hint.endswith(f"delete {lock}.new")
    (tmp_path / "pdl.lock.new").unlink()
    lock.write_text("{")
    with pytest.raises(pdl.PinError):
        pinned_in(lock, a=OTHER)
    assert lock.read_text() == "{"
    assert [path.name for path in tmp_path.iterdir()] == ["pdl.lock"]


def test_prompts_that_are_not_pinned_pay_nothing(prompt: Path) -> None:
    """Neither modules nor reading: their folder keeps no file."""
    assert type(pdl.load(prompt).folder) is pdl.prompt.Folder
    for nothing in (None, False):
        assert pdl.load(prompt, pin=nothing).pin == ""
