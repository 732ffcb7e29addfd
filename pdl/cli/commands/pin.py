"""`pdl pin`: writes the fingerprints of prompts to `pdl.lock`, or checks them against it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from pdl.cli.commands.lint import prompts_of
from pdl.cli.files import files_below, read_bytes
from pdl.cli.help import Command
from pdl.cli.inputs import check_root, importing
from pdl.cli.options import EXCLUDE, FILE, ROOT, TYPES, format_option, out_option
from pdl.cli.output import json_document
from pdl.cli.terminal import INVALID, Terminal, visible_line
from pdl.errors import PdlError, Problem, count, error_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.cli.output import Output
    from pdl.prompt.lock import Lock, Pin

# Help needs no prompts.
# ruff: noqa: PLC0415

Status = Literal["added", "changed", "removed", "unchanged"]
_CHECKED = {"added": "unpinned", "removed": "missing"}
"""What --check calls them."""


@dataclass(frozen=True)
class Entry:
    """A prompt: its file, its name in the lock, and its pins there and now, if it has them."""

    file: str
    name: str
    old: Pin | None
    new: Pin | None

    @property
    def status(self) -> Status:
        """What pinning does to the lock."""
        if self.old is None or self.new is None:
            return "added" if self.new is not None else "removed"
        return "unchanged" if self.old == self.new else "changed"

    def fields(self, *, check: bool) -> dict[str, str | None]:
        """Return the entry as JSON, as the command or its --check reports it."""
        status = _CHECKED.get(self.status, self.status) if check else self.status
        return {"path": self.file, "status": status, "pinned": self.old, "fingerprint": self.new}


@click.command(
    "pin",
    cls=Command,
    fields={
        "ok": "Whether the lock was written, or with --check: whether all prompts are pinned.",
        "lock": "The path of the lock.",
        "prompts": "A list of objects with path, status (added, changed, removed, or unchanged;"
        " with --check also missing and unpinned), pinned, and fingerprint.",
    },
    exit_codes={
        0: "Done, or with --check: all prompts are the versions that are pinned.",
        1: "With --check: a prompt differs, is missing, or is not pinned.",
        2: "A prompt, the lock, or an option is invalid.",
    },
    examples=(
        ("pin all prompts in a directory", "pdl pin prompts/"),
        ("except for some", "pdl pin prompts/ --exclude drafts"),
        ("pin the present versions of all that are pinned", "pdl pin"),
        ("find prompts that changed, in CI", "pdl pin --check"),
        ("also find those that are not pinned", "pdl pin --check prompts/"),
        ("unpin one", "pdl pin --remove prompts/old.pdl"),
    ),
    short_help="Pin prompts to their versions, in pdl.lock.",
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[FILE|DIR]...")
@click.option("--check", is_flag=True, help="Write nothing: compare the prompts with the lock.")
@click.option("--remove", is_flag=True, help="Remove the pins of the paths.")
@click.option(
    "--lock",
    "lock_file",
    type=FILE,
    metavar="FILE",
    help="The lock. Default: the nearest pdl.lock, in the current directory or above; without one,"
    " it is written to the current directory.",
)
@EXCLUDE
@ROOT
@TYPES
@out_option
@format_option
def command(  # noqa: PLR0913 - each is an option
    *,
    paths: tuple[str, ...],
    check: bool,
    remove: bool,
    lock_file: str | None,
    exclude: tuple[str, ...],
    root: str | None,
    types: bool,
    output: Output,
    form: str,
) -> None:
    """Write the fingerprints of prompts to pdl.lock.

    `pdl.load(FILE, pin=True)` and --locked of the other commands then refuse any other version:
    another template, schema, or input, or other content of an included or embedded file. Without
    paths, pins again what is in the lock, or, if there is none, all prompts below the current
    directory. Searches directories recursively for *.pdl files, skipping hidden files and
    directories, and parts of prompts: files that another one includes, or whose name begins with
    `_`.
    """
    from pdl.prompt.lock import update_lock

    check_root(root)
    if remove and (check or not paths):
        raise click.UsageError("--remove requires paths, and no --check")
    lock = _lock(lock_file)
    if remove:
        entries = list(_removed(paths, lock))
    else:
        with importing(types):
            files = _files(paths, exclude, lock, root)
            entries = list(_entries(files, lock, root, types=types))
    if check:
        _check(entries, lock, output, form)
        return
    changed = [entry for entry in entries if entry.status != "unchanged"]
    if changed:
        update_lock(lock.path, {entry.name: entry.new for entry in changed})
    _report(entries, lock, output, form)


def _lock(file: str | None) -> Lock:
    """The lock that is named, or the nearest one; an empty one if it does not exist yet."""
    from pdl.prompt.lock import LOCK, Lock, nearest_lock, new_lock

    path = Path(file) if file is not None else nearest_lock(Path())
    if path is None or not path.exists():
        return new_lock(path or Path(LOCK))
    return Lock.read(path)


def _pinned(paths: Sequence[str], lock: Lock) -> list[str]:
    """The files that are pinned: all, or those at and below paths. They may be missing."""
    within = [lock.name_of(Path(path)) for path in paths] or ["."]
    found = (
        name
        for name in lock.names
        if any(one in (".", name) or name.startswith(f"{one}/") for one in within)
    )
    return [_shown(lock.path.parent / name) for name in found]


def _shown(path: Path) -> str:
    """A path relative to the current directory, if it is not on another drive."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


def _files(paths: Sequence[str], exclude: Sequence[str], lock: Lock, root: str | None) -> list[str]:
    """The files to pin; those that are pinned may be missing."""
    pinned = _pinned(paths, lock)
    if pinned and not paths:
        return pinned
    sought = [path for path in paths or ["."] if Path(path).exists() or not _pinned([path], lock)]
    found = files_below(sought, ".pdl", exclude) if sought else []
    kept = [*pinned, *prompts_of(found, paths, root)]
    named_once = {lock.name_of(Path(file)): file for file in kept}
    return [named_once[name] for name in sorted(named_once)]


def _entries(files: Sequence[str], lock: Lock, root: str | None, *, types: bool) -> Iterator[Entry]:
    """The pins of files. Raises an error for all prompts that are invalid."""
    from pdl.prompt import load
    from pdl.prompt.fingerprint import content_of
    from pdl.prompt.lock import Pin, git_blob

    problems: list[Problem] = []
    for file in files:
        name = lock.name_of(Path(file))
        old = lock.get(name)
        if old is not None and not Path(file).exists():
            yield Entry(file, name, old, None)
            continue
        try:
            prompt = load(file, media_root=root, types=types)
            new = Pin(prompt.fingerprint, str(lock.path), git_blob(read_bytes(file)))
            if content_of(prompt).is_computed:
                _warn(file)
        except PdlError as error:
            problems += error.problems
            continue
        yield Entry(file, name, old, new)
    if problems:
        raise error_from(problems)


def _warn(file: str) -> None:
    message = "the name of an included file is computed, so its content is not pinned"
    message = f"{visible_line(file)}: {message}"
    warning = Problem("pin/computed", message, None, "include files by names that are text")
    Terminal.stderr().write(Terminal.stderr().problem(warning, "warning"))


def _removed(paths: Sequence[str], lock: Lock) -> Iterator[Entry]:
    """The entries at paths, and below them. Raises an error for a path without one."""
    absent = [path for path in paths if not _pinned([path], lock)]
    if absent:
        messages = [f"{path}: is not pinned in {lock.path}" for path in absent]
        raise error_from([Problem("pin/absent", message) for message in messages])
    for file in _pinned(paths, lock):
        name = lock.name_of(Path(file))
        yield Entry(file, name, lock.get(name), None)


def _report(entries: Sequence[Entry], lock: Lock, output: Output, form: str) -> None:
    from pdl.prompt.lock import short

    if form == "json":
        output.write_report(_json(entries, lock, ok=True, check=False))
        return
    lines = []
    for entry in entries:
        pins = " -> ".join(short(pin) for pin in (entry.old, entry.new) if pin is not None)
        if entry.status != "unchanged":
            lines.append(f"{entry.status} {visible_line(entry.file)} {pins}")
    output.write("\n".join(lines) or f"{lock.path}: nothing changed")


def _json(entries: Sequence[Entry], lock: Lock, *, ok: bool, check: bool) -> str:
    prompts = [entry.fields(check=check) for entry in entries]
    return json_document({"ok": ok, "lock": str(lock.path), "prompts": prompts})


def _check(entries: Sequence[Entry], lock: Lock, output: Output, form: str) -> None:
    """Report the prompts that are not the pinned versions. Raises Exit if there are any."""
    problems = [problem for entry in entries for problem in _differences(entry, lock)]
    if form == "json":
        output.write_report(_json(entries, lock, ok=not problems, check=True))
    elif problems:
        terminal = output.terminal
        output.write_report("\n".join(terminal.problem(one, "error") for one in problems))
    differences = count(len(problems), "difference") if problems else "no differences"
    Terminal.stderr().write(f"{count(len(entries), 'prompt')}: {differences}")
    if problems:
        raise click.exceptions.Exit(INVALID)


def _differences(entry: Entry, lock: Lock) -> Iterator[Problem]:
    """How an entry differs from the lock, and how to see and to accept that."""
    from pdl.prompt.pins import changed

    if entry.new is None:
        hint = f"restore it, or run `pdl pin --remove {entry.file}`"
        yield Problem("pin/missing", f"{entry.file}: is pinned, but does not exist", None, hint)
    elif entry.old is None:
        hint = f"run `pdl pin {entry.file}`"
        message = f"{entry.file}: is not pinned in {lock.path}"
        yield Problem("pin/absent", message, None, hint)
    elif entry.old != entry.new:
        same_text = entry.old.blob == entry.new.blob
        yield changed(entry.file, entry.old, entry.new, same_text=same_text)
