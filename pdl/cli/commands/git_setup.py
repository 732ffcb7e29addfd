"""`pdl git-setup`: diffs that name the turn of a change. `pdl git-textconv`: what they compare."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdl.cli.files import read_bytes
from pdl.cli.git import run_git, top_directory
from pdl.cli.help import Command
from pdl.cli.options import FILE, format_option, out_option
from pdl.cli.terminal import INVALID, Terminal
from pdl.errors import FileError, PdlError, Problem, unreadable, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.cli.output import Output

_HEADER, _TEXTCONV = "diff.pdl.xfuncname", "diff.pdl.textconv"
_PATTERN, _DRIVER = b"*.pdl", b"diff=pdl"
_MARKER = r"^[[:space:]]*(<\|[[:space:]]*([A-Za-z]+|\{\{.*\}\})[[:space:]]*\|>)[[:space:]]*$"
"""A turn marker as a POSIX extended expression; git shows the first group in the hunk's header."""


@click.command(
    "git-setup",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "changes": "What was changed, or is to be changed: a list of strings.",
    },
    exit_codes={
        0: "Done, or with --check: it is set up.",
        1: "With --check: it is not set up.",
        2: "There is no repository, or git or a file system refuses.",
    },
    examples=(
        ("name hunks by their turn", "pdl git-setup"),
        ("also compare what `{{ schema }}` prints", "pdl git-setup --textconv"),
        ("see whether it is set up", "pdl git-setup --check"),
        ("undo it", "pdl git-setup --remove"),
    ),
    short_help="Make git diff name the turn of each change.",
)
@click.option(
    "--textconv/--no-textconv",
    default=None,
    help="Let git diff, log, show, and blame compare what `pdl git-textconv` prints: the file, and"
    " the schema as the model reads it. Such a diff cannot be applied as a patch. Default: leave"
    " it as it is, which is off at first.",
)
@click.option("--check", is_flag=True, help="Change nothing: report what is not set up.")
@click.option("--remove", is_flag=True, help="Remove what this command wrote.")
@out_option
@format_option
def command(*, textconv: bool | None, check: bool, remove: bool, output: Output, form: str) -> None:
    """Set up git for prompt files, in the repository of the current directory.

    Adds `*.pdl diff=pdl` to the file .gitattributes, which is shared by commits, and sets
    `diff.pdl.xfuncname` in the repository's own configuration, which each clone has for itself. The
    header of each hunk then names the turn in which it begins: `@@ -5 +5 @@ <|schema|>`. Other
    lines and settings are kept, and a second run changes nothing.
    """
    if remove and (check or textconv is not None):
        raise click.UsageError("--remove cannot be used with --check or --textconv")
    top = top_directory(Path())
    settings = {_HEADER: None if remove else _MARKER}
    if remove or textconv is not None:
        settings[_TEXTCONV] = _textconv() if textconv else None
    others = [name for name in settings if _is_of_others(name, _settings(top, name))]
    if others and not remove:
        raise _occupied(top, others[0])
    kept = {name: value for name, value in settings.items() if name not in others}
    changes = list(_changes(top, kept, remove=remove, write=not check))
    output.write_result("\n".join(changes) or "nothing to do", form, {"changes": changes})
    if check and changes:
        raise click.exceptions.Exit(INVALID)


def _textconv() -> str:
    """The driver's command, which git passes to a shell with the file's name after it.

    It names this Python, as git also runs where `pdl` is not on the PATH: in editors, and outside
    the virtual environment. `-P` keeps modules of the repository from being imported. If this
    Python is gone, `cat` shows the file as it is: otherwise every `git diff` would fail. A file's
    name can begin with `-`.
    """
    python = shlex.quote(sys.executable)
    return f'f() {{ {python} -P -m pdl git-textconv -- "$1" 2>/dev/null || cat -- "$1"; }}; f'


def _settings(top: Path, name: str) -> list[str]:
    """The values of a setting in the repository's own configuration."""
    listed = run_git(top, "config", "--local", "--null", "--list").split(b"\0")
    entries = [os.fsdecode(entry).partition("\n") for entry in listed]
    return [value for key, _, value in entries if key == name]


def _is_of_others(name: str, values: list[str]) -> bool:
    """Whether a setting has a value that this command never writes."""
    if name == _HEADER:
        return any(value != _MARKER for value in values)
    return any(" -m pdl git-textconv " not in value for value in values)


def _occupied(top: Path, name: str) -> FileError:
    message = f"{top}: git's setting `{name}` already has another value"
    hint = f"if it is not needed, run `git config --local --unset-all {name}`"
    return FileError(Problem("file/git", message, None, hint))


def _changes(
    top: Path, settings: dict[str, str | None], *, remove: bool, write: bool
) -> Iterator[str]:
    """Make the changes, if `write` is set, and yield a line for each.

    Without the header's setting, the driver is of others, and so is the attribute that names it.
    """
    file = top / ".gitattributes"
    old = _attributes(file)
    if remove:
        new = _without_driver(old) if _HEADER in settings else old
    else:
        new = _with_driver(old, top)
    if new != old:
        if write:
            _write(file, new)
        yield f".gitattributes: {'remove' if remove else 'add'} `*.pdl diff=pdl`"
    for name, value in settings.items():
        if _settings(top, name) == ([] if value is None else [value]):
            continue
        if write and value is None:
            run_git(top, "config", "--local", "--unset-all", name)
        elif write and value is not None:
            run_git(top, "config", "--local", "--replace-all", name, value)
        yield f"git config: {'set' if value is not None else 'remove'} {name}"


def _attributes(file: Path) -> bytes:
    """The content of `.gitattributes`; empty without one. Raises FileError."""
    if file.is_symlink():
        hint = "replace the link with a copy of the file"
        message = f"{file}: is a symbolic link, which git ignores"
        raise FileError(Problem("file/unreadable", message, None, hint))
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise unreadable(str(file), error) from error


def _with_driver(old: bytes, top: Path) -> bytes:
    """The attributes with the driver. Raises FileError if prompt files have another one."""
    value = run_git(top, "check-attr", "-z", "diff", "--", "x.pdl").split(b"\0")[2]
    if value == b"pdl":
        return old
    if value not in (b"unspecified", b"set"):
        given = "-diff" if value == b"unset" else f"diff={value.decode(errors='replace')}"
        message = f"{top}: prompt files already have the attribute `{given}`"
        hint = "remove it from the attributes of `*.pdl`, or write `diff=pdl` instead"
        raise FileError(Problem("file/git", message, None, hint))
    newline = b"\r\n" if b"\r\n" in old else b"\n"
    gap = newline if old and not old.endswith(b"\n") else b""
    return old + gap + _PATTERN + b" " + _DRIVER + newline


def _without_driver(old: bytes) -> bytes:
    """The attributes without the driver; other attributes of prompt files are kept."""
    mark = BOM_UTF8 if old.startswith(BOM_UTF8) else b""  # which git skips
    kept = b"".join(map(_undone, old.removeprefix(mark).splitlines(keepends=True)))
    return mark + kept if kept else b""


def _undone(line: bytes) -> bytes:
    words = line.split()
    if words[:1] != [_PATTERN] or _DRIVER not in words:
        return line
    others = [word for word in words if word != _DRIVER]
    end = line[len(line.rstrip(b"\r\n")) :]
    return b" ".join(others) + end if others[1:] else b""


def _write(file: Path, content: bytes) -> None:
    try:
        if content:
            file.write_bytes(content)
        else:
            file.unlink()
    except OSError as error:
        raise unwritable(str(file), error) from error


@click.command(
    "git-textconv",
    cls=Command,
    exit_codes={0: "Done.", 2: "The file cannot be read."},
    examples=(
        ("as git diff compares it", "pdl git-textconv classify.pdl"),
        ("of another commit", "git show HEAD:classify.pdl | pdl git-textconv -"),
    ),
    short_help="Show a prompt file as git diff --textconv does.",
)
@click.argument("file", type=FILE)
def textconv_command(*, file: str) -> None:
    """Show a prompt file, and after it the schema as the model reads it.

    `pdl git-setup --textconv` makes git compare this text. It depends only on the text of FILE: git
    passes the older version as a temporary file, without the files that it includes. So nothing is
    added for a schema that comes from another file, or depends on values. A FILE without a turn
    `<|schema|>`, or with errors, is shown as it is.
    """
    data = read_bytes(file)
    text = data + _described(data)
    terminal = Terminal.stdout()
    if terminal.is_tty:
        terminal.write(terminal.safe(text.decode(errors="replace")))
        return
    try:
        click.echo(text, nl=False)
    except OSError as error:
        raise unwritable("<stdout>", error) from error


def _described(data: bytes) -> bytes:
    """The sections after a prompt file: its schema for a model, and in the DSL; or nothing."""
    import pdl  # noqa: PLC0415 - `git-setup` needs no prompts
    from pdl.cli.inputs import constant_schema  # noqa: PLC0415

    schema = None
    with contextlib.suppress(PdlError, UnicodeDecodeError):
        schema = constant_schema(pdl.loads(data.decode("utf-8")))[1]
    if schema is None:
        return b""
    dsl = ""
    with contextlib.suppress(PdlError):  # JSON Schema says more than the DSL can
        dsl = f"\n=== The schema in the DSL ===\n\n{schema.to_dsl()}\n"
    text = f"\n=== {{{{ schema }}}} prints ===\n\n{schema.describe()}\n{dsl}"
    gap = "" if data.endswith(b"\n") else "\n"
    newline = "\r\n" if b"\r\n" in data else "\n"
    return (gap + text).replace("\n", newline).encode("utf-8", "backslashreplace")
