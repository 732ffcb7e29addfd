"""`pdl fmt`: files in place, standard input, what would change, and what goes wrong."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pdl.cli.app import application

if TYPE_CHECKING:
    from click.testing import Result

ROOT = Path(__file__).parents[2]
OLD = "<|user|>\n{{x}}\n<|schema|>\n{a:int}"
NEW = "<|user|>\n{{ x }}\n\n<|schema|>\n{ a: int }\n"


@pytest.fixture(autouse=True)
def _in_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fmt(*words: str, data: bytes | str = "", color: bool = False) -> Result:
    environment = {"NO_COLOR": None, "FORCE_COLOR": "1" if color else None}
    result = CliRunner().invoke(application, ["fmt", *words], data, environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def put(**texts: str | bytes) -> None:
    for name, text in texts.items():
        data = text.encode() if isinstance(text, str) else text
        Path(f"{name}.pdl").write_bytes(data)


def test_it_writes_in_place() -> None:
    put(a=OLD, b=NEW)
    inner = Path("inner")
    inner.mkdir()
    (inner / "c.pdl").write_text(OLD)
    (inner / "d.txt").write_text(OLD)
    before = Path("b.pdl").stat()
    result = fmt(".")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "3 files: 2 formatted, 1 unchanged\n"
    assert Path("a.pdl").read_text() == (inner / "c.pdl").read_text() == NEW
    assert (inner / "d.txt").read_text() == OLD
    after = Path("b.pdl").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert fmt(".").stderr == "3 files: 3 unchanged\n"
    assert sorted(map(str, Path().iterdir())) == ["a.pdl", "b.pdl", "inner"]


def test_line_ends_and_the_mark_are_kept() -> None:
    put(a=b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode())
    fmt("a.pdl")
    assert Path("a.pdl").read_bytes() == b"\xef\xbb\xbf" + NEW.replace("\n", "\r\n").encode()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
@pytest.mark.parametrize("mode", [0o600, 0o755, 0o664])
def test_permissions_are_kept(mode: int) -> None:
    put(a=OLD)
    Path("a.pdl").chmod(mode)
    assert fmt("a.pdl").exit_code == 0
    assert stat.S_IMODE(Path("a.pdl").stat().st_mode) == mode
    assert Path("a.pdl").read_text() == NEW


def test_what_may_not_be_written_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for a file whose directory may be written, so that it could be replaced."""
    put(a=OLD, b=OLD)
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "a.pdl")
    result = fmt("a.pdl", "b.pdl")
    assert result.exit_code == 2
    assert "a.pdl: cannot be written: permission denied" in result.stderr
    assert "2 files: 1 formatted, 1 failed" in result.stderr
    assert (Path("a.pdl").read_text(), Path("b.pdl").read_text()) == (OLD, NEW)


def test_a_write_that_fails_leaves_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    put(a=OLD)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = fmt("a.pdl")
    assert result.exit_code == 2
    assert "a.pdl: cannot be written: no space left on device" in result.stderr
    assert Path("a.pdl").read_text() == OLD
    assert [*Path().iterdir()] == [Path("a.pdl")]


def test_a_link_stays_one_and_does_not_lead_out(tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.pdl"
    outside.write_text(OLD)
    put(a=OLD)
    for name, target in (("inside.pdl", "a.pdl"), ("out.pdl", outside)):
        Path(name).symlink_to(target)
    assert fmt("inside.pdl").exit_code == 0
    assert Path("inside.pdl").is_symlink()
    assert Path("a.pdl").read_text() == NEW
    result = fmt("out.pdl")
    assert result.exit_code == 2
    assert "out.pdl: cannot be written: it is a link that points outside" in result.stderr
    assert "note: out.pdl: is a link that points outside" in fmt(".").stderr
    assert outside.read_text() == OLD


def test_check_names_files_and_writes_nothing() -> None:
    put(a=OLD, b=NEW, c=OLD)
    result = fmt("--check", ".")
    assert (result.exit_code, result.stdout) == (1, "a.pdl\nc.pdl\n")
    assert result.stderr == "3 files: 2 would change, 1 unchanged\n"
    assert Path("a.pdl").read_text() == OLD
    assert fmt("--check", "b.pdl").exit_code == 0


def test_a_diff_can_be_applied() -> None:
    put(a=OLD, b=NEW, c="<|user|>\r\n{{x}}\r\n")
    result = fmt("--diff", ".")
    assert result.exit_code == 0
    assert fmt("--diff", "--check", ".").exit_code == 1
    assert Path("a.pdl").read_text() == OLD
    patch = ["git", "apply", "-p0", "-"]
    subprocess.run(patch, input=result.stdout_bytes, check=True)  # noqa: S603
    assert Path("a.pdl").read_text() == NEW
    assert Path("c.pdl").read_bytes() == b"<|user|>\r\n{{ x }}\r\n"


def test_a_diff_has_colors() -> None:
    put(a="<|user|>\n{{x}}\n")
    lines = fmt("--diff", "a.pdl", color=True).stdout_bytes.decode().splitlines()
    styles = ["\x1b[1m", "\x1b[1m", "\x1b[36m", " ", "\x1b[31m", "\x1b[32m"]
    assert [line.startswith(style) for line, style in zip(lines, styles, strict=True)] == [True] * 6


def test_standard_input() -> None:
    result = fmt("-", data=OLD)
    assert (result.exit_code, result.stdout, result.stderr) == (0, NEW, "")
    crlf = fmt("-", data=OLD.replace("\n", "\r\n").encode())
    assert crlf.stdout_bytes == NEW.replace("\n", "\r\n").encode()
    checked = fmt("-", "--check", data=OLD)
    assert (checked.exit_code, checked.stdout) == (1, "<stdin>\n")
    named = fmt("-", "--diff", "--stdin-name", "x/a.pdl", data=OLD)
    assert named.stdout.startswith("--- x/a.pdl\n+++ x/a.pdl\n")
    excluded = fmt("-", "--stdin-name", "x/a.pdl", "--exclude", "x", data=OLD)
    assert (excluded.exit_code, excluded.stdout) == (0, OLD)


def test_a_file_that_cannot_be_read_stops_no_other() -> None:
    put(a=b"<|user|>\na\n\xff", b=OLD, c="<|user|>\n{{ x\n<|schema|>\n{a:int}\n")
    result = fmt("a.pdl", "b.pdl", "c.pdl")
    assert result.exit_code == 2
    assert "a.pdl:3:1: this byte (0xff) is not UTF-8" in result.stderr
    assert "3 files: 2 formatted, 1 failed" in result.stderr
    assert Path("b.pdl").read_text() == NEW
    assert Path("c.pdl").read_text() == "<|user|>\n{{ x\n\n<|schema|>\n{ a: int }\n"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("-", "a.pdl"),
        ("--stdin-name", "b", "a.pdl"),
        ("none.pdl",),
        ("--exclude", "*", "."),
    ],
)
def test_wrong_arguments(words: tuple[str, ...]) -> None:
    put(a=OLD)
    assert fmt(*words).exit_code == 2
    assert Path("a.pdl").read_text() == OLD


def test_excluded_files_stay() -> None:
    put(a=OLD, b=OLD)
    assert fmt(".", "--exclude", "b.pdl").stderr == "1 file: 1 formatted\n"
    assert Path("b.pdl").read_text() == OLD


def test_all_that_a_hook_names_may_be_excluded() -> None:
    Path("drafts").mkdir()
    put(**{"drafts/a": "<|schema|>\n{ a: }"})
    for name in ("fmt", "lint"):
        words = [name, "--exclude", "drafts", "drafts/a.pdl"]
        result = CliRunner().invoke(application, words)
        assert (result.exit_code, result.stdout) == (0, "")
        assert result.stderr.startswith("0 files")
    result = CliRunner().invoke(application, ["lint", "drafts/a.pdl"])
    assert result.exit_code == 1


@pytest.mark.parametrize("command", ["fmt --check", "lint", "fingerprint"])
def test_hidden_files_are_no_prompts(command: str) -> None:
    """Such as the locks of Emacs, which are links to nothing, and what macOS adds to archives."""
    put(a=NEW, **{"._a": b"\x00\x05\x16\x07"})
    Path(".#a.pdl").symlink_to("me@host.1:2")
    result = CliRunner().invoke(application, [*command.split(), "."])
    assert result.exit_code == 0
    assert ".#a" not in result.output
    assert "._a" not in result.output
    put(**{".b": OLD})
    assert fmt(".b.pdl").stderr == "1 file: 1 formatted\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such pipes")
def test_a_pipe_is_not_waited_for() -> None:
    put(a=OLD)
    os.mkfifo("pipe.pdl")
    result = fmt("pipe.pdl", "a.pdl")
    assert result.exit_code == 2
    assert "pipe.pdl: cannot be written: it is not a regular file" in result.stderr
    assert "2 files: 1 formatted, 1 failed" in result.stderr


def test_the_prompts_of_the_repository_are_formatted() -> None:
    result = fmt("--check", str(ROOT / "prompts"))
    assert (result.exit_code, result.stdout) == (0, "")


def test_it_starts_fast() -> None:
    """Without what renders, checks, or asks."""
    code = (
        "import sys; sys.argv = ['pdl', 'fmt', '-']; from pdl.cli.app import application\n"
        "application.main(standalone_mode=False)\n"
        "assert not {'jsonschema', 'httpx', 'pygls', 'pdl.models'} & set(sys.modules)"
    )
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", code], input=OLD, capture_output=True, text=True, check=True
    )
    assert done.stdout == NEW
