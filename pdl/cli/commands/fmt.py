"""`pdl fmt`: formats prompt files in place, or says what it would change."""

from __future__ import annotations

import os
from difflib import unified_diff
from errno import EACCES
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pdl.cli.files import (
    STDIN,
    display_name,
    files_below,
    matches,
    read_bytes,
)
from pdl.cli.help import Command
from pdl.cli.options import EXCLUDE
from pdl.cli.terminal import FAILED, INVALID, Terminal, visible_line
from pdl.decoding import decoded
from pdl.errors import FileError, PdlError, Problem, count, unwritable
from pdl.interrupts import interrupts_deferred
from pdl.replacing import leads_out, replacing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.terminal import Style


class _Formatted(NamedTuple):
    """A file, and its text before and after."""

    name: str
    old: str
    new: str

    @property
    def is_changed(self) -> bool:
        """Whether formatting changes it."""
        return self.old != self.new


_HEADER = 2  # lines of a diff
_STYLES: dict[str, Style] = {"-": "removed", "+": "inserted", "@": "hint"}


@click.command(
    "fmt",
    cls=Command,
    exit_codes={
        0: "Done, or with --check: all files are formatted.",
        1: "With --check: some files are not formatted.",
        2: "A path does not exist, a file cannot be read or written, or an option is invalid.",
    },
    examples=(
        ("all prompts in a directory", "pdl fmt prompts/"),
        ("in CI", "pdl fmt --check prompts/"),
        ("see the changes first", "pdl fmt --diff prompts/"),
        ("from an editor", "pdl fmt - --stdin-name prompts/a.pdl < prompts/a.pdl"),
    ),
    short_help="Format prompt files.",
)
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(readable=False, allow_dash=True),
    metavar="FILE|DIR...",
)
@click.option("--check", is_flag=True, help="Write nothing: name the files that would change.")
@click.option("--diff", is_flag=True, help="Write nothing: show the changes.")
@click.option(
    "--stdin-name",
    metavar="NAME",
    help="What messages call standard input. A NAME that --exclude matches isn't formatted.",
)
@EXCLUDE
def command(
    *,
    paths: tuple[str, ...],
    check: bool,
    diff: bool,
    stdin_name: str | None,
    exclude: tuple[str, ...],
) -> None:
    """Format prompt files in place; or standard input, for `-`, to standard output.

    Never changes the text of messages, nor what a valid prompt renders and its fingerprint, with
    two exceptions: prompts that make a value of what an included file prints, and fingerprints of
    prompts that include a file which ends in a typed turn.

    Typed turns get a canonical layout with all comments, turns one blank line between them, tags
    spaces inside their delimiters. Brackets on several lines stay on several lines. Typed turns and
    settings with errors stay as they are, and so do blank lines in files whose names begin with
    `_`, and turns in blocks. Line ends and a byte order mark are kept.

    In files of cases, NAME.tests.pdl, formats marks, the blank lines around sections, and
    expectations that are schemas; all else in them stays.

    Searches directories recursively for *.pdl files, skipping hidden files and directories, and
    links that lead out. A summary goes to standard error.
    """
    if stdin_name is not None and STDIN not in paths:
        raise click.UsageError("--stdin-name requires `-` (standard input)")
    if STDIN in paths and len(paths) > 1:
        raise click.UsageError("`-` (standard input) cannot be used with other paths")
    files = [STDIN] if STDIN in paths else files_below(paths, ".pdl", exclude, cases=True)
    writes = not (check or diff)
    done = []
    for file in files:
        try:
            one = _formatted(file, stdin_name, exclude, writes=writes)
            if writes:
                _write(file, one)
            elif one.is_changed:
                terminal = Terminal.stdout()
                terminal.write(_diff(one, terminal) if diff else visible_line(one.name))
            done.append(one)
        except PdlError as error:
            Terminal.stderr().write_error(error)
    changed = sum(one.is_changed for one in done)
    if files != [STDIN] or not writes:
        Terminal.stderr().write(_summary(len(files), changed, len(done), writes=writes))
    if len(done) < len(files):
        raise click.exceptions.Exit(FAILED)
    if check and changed:
        raise click.exceptions.Exit(INVALID)


def _refuse_special(file: str) -> None:
    """Raise FileError for what nothing can replace, such as a pipe, which might never end."""
    if file != STDIN and not Path(file).is_file():
        why = "it is not a regular file"
        raise FileError(Problem("file/unwritable", f"{file}: cannot be written: {why}"))


def _formatted(
    file: str, stdin_name: str | None, exclude: Sequence[str], *, writes: bool
) -> _Formatted:
    """A file, which is to be written if `writes`, and its formatted text.

    Raises FileError, LimitError.
    """
    from pdl.edit.formatting.format import formatted  # noqa: PLC0415 - help needs no prompts

    if writes:
        _refuse_special(file)
    name = stdin_name or display_name(file)
    text = decoded(read_bytes(file), name, keep_mark=True).text
    is_left = file == STDIN and stdin_name is not None and matches(stdin_name, exclude)
    return _Formatted(name, text, text if is_left else formatted(text, Path(name)))


def _diff(done: _Formatted, terminal: Terminal) -> str:
    """The changes as a patch, with colors if the terminal has them."""
    name = visible_line(done.name)
    old, new = (_lines(text) for text in (done.old, done.new))
    found = unified_diff(old, new, name, name, lineterm="")
    return "\n".join(_styled(line, terminal, number) for number, line in enumerate(found))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
        return lines
    return lines[:-1]


def _styled(line: str, terminal: Terminal, number: int) -> str:
    shown = terminal.safe(line.removesuffix("\r")) if terminal.is_tty else line
    if number < _HEADER:
        return terminal.style(shown, "strong")
    style = _STYLES.get(line[:1])
    return terminal.style(shown, style) if style else shown


def _write(file: str, done: _Formatted) -> None:
    """Write a text to where it came from, a file only if it is another. Raises FileError."""
    if file == STDIN:
        _echo(done.new)
    elif done.is_changed:
        _replace(file, done.new)


def _echo(text: str) -> None:
    """Write a text as it is. Raises FileError."""
    terminal = Terminal.stdout()
    try:
        click.echo(terminal.safe(text).encode(), nl=False)
    except OSError as error:
        raise unwritable("<stdout>", error) from error


def _replace(file: str, text: str) -> None:
    """Replace a file, or what a link leads to, in one step. Raises FileError."""
    if leads_out(Path(file), Path(file).parent):
        why = "it is a link that points outside its directory and repository"
        raise FileError(Problem("file/unwritable", f"{file}: cannot be written: {why}"))
    target = Path(os.path.realpath(file))
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        with interrupts_deferred(), replacing(target, keeps_mode=True) as out:
            out.write(text.encode())
    except OSError as error:
        raise unwritable(file, error) from error


def _summary(files: int, changed: int, done: int, *, writes: bool) -> str:
    """The counts on one line: `3 files: 1 formatted, 2 unchanged`."""
    counts = {
        "formatted" if writes else "would change": changed,
        "unchanged": done - changed,
        "failed": files - done,
    }
    said = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    return f"{count(files, 'file')}: {said}" if said else count(files, "file")
