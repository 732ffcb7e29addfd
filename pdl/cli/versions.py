"""The versions of prompts that `pdl diff` compares: on disk, of commits, in pairs."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

import click

import pdl
from pdl.cli.files import (
    STDIN,
    matches,
    note_skipped,
    read_bytes,
    walk_files,
)
from pdl.cli.git import GitPath, Repository
from pdl.cli.inputs import PromptInput, parse_json_schema, required_schema
from pdl.cli.terminal import Terminal
from pdl.decoding import decoded
from pdl.errors import FileError, Problem, PromptError, unreadable
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.files import Folder, JailError, refuse_cases
from pdl.replacing import leads_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.cli.values import TemplateValues
    from pdl.prompt import Prompt
    from pdl.schema import Schema
    from pdl.source import Source

Place: TypeAlias = Path | GitPath

_NAMES_FILES = re.compile(
    rb"""\{%[-+]?\s*(?:include|import|from|extends)\b
        (?:\s+(["'])([\w./\ -]+)\1\s*(?=[-+]?%\}|as\b|import\b))?
      | @ | <\|(?!\s*[a-z]+\s*\|>)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How a prompt can name another file: a tag, whose second group is the name if it is a string; the
`@` of a schema's file; media."""

_OWN_FAULT = re.compile(
    r"(?:template|turn|input|config)/|schema/(?!bad-file|type-not-allowed|no-module|no-type|import)"
)
"""Errors of the text of a prompt: no file or module that is absent here would mend it."""


@dataclass(frozen=True)
class Reading:
    """How prompts are read: below which directory their includes are, and whether types are."""

    root: str | None
    types: bool

    def folder(self, place: Place | None) -> Place:
        """Return the directory of the files that a prompt names: of its own commit, if any."""
        if isinstance(place, GitPath):
            repository = place.objects.repository
            return place.parent if self.root is None else place.at(repository.relative(self.root))
        own = Path() if place is None else place.parent
        return own if self.root is None else Path(self.root)


@dataclass(frozen=True)
class Version:
    """One version of a prompt or a schema: on disk, of a commit, or on standard input (None)."""

    place: Place | None
    reading: Reading

    @property
    def name(self) -> str:
        """What messages call it."""
        return "<stdin>" if self.place is None else str(self.place)

    @cached_property
    def data(self) -> bytes:
        """Its bytes. Raises FileError, LimitError."""
        if not isinstance(self.place, GitPath):
            return read_bytes(STDIN if self.place is None else str(self.place))
        try:
            return self.place.read_bytes()
        except OSError as error:
            raise unreadable(self.name, error) from error

    @property
    def some_data(self) -> bytes:
        """Its bytes; none if it cannot be read."""
        try:
            return self.data
        except PromptError:
            return b""

    @property
    def text(self) -> Source:
        """Its text. Raises FileError for one that is not UTF-8, LimitError."""
        return decoded(self.data, self.name)

    @property
    def is_json(self) -> bool:
        """Whether it is a JSON Schema: a `.json` file, or an object on standard input."""
        if self.place is not None:
            return self.place.name.lower().endswith(".json")
        return re.match(r"\s*\{(?![{%#])", self.text.text) is not None

    @cached_property
    def prompt(self) -> Prompt:
        """The loaded prompt. Raises PromptError."""
        base = self.reading.folder(self.place)
        return pdl.loads(self.text.text, name=self.name, base=base, types=self.reading.types)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the prompt; empty if it is invalid."""
        try:
            return self.prompt.fingerprint
        except PromptError:
            return ""

    def schema(self, values: TemplateValues) -> Schema:
        """Return the JSON Schema, or the schema of a prompt. Raises PromptError, UsageError."""
        if self.is_json:
            return parse_json_schema(self.text)
        given = PromptInput(self.name, values, types=self.reading.types)
        return required_schema(self.name, given.schema(self.prompt))

    @property
    def key(self) -> str:
        """Its path, without links if it is on disk."""
        return _key(self.place) if self.place is not None else ""

    def fault(self) -> Problem | None:
        """Return what makes the text of a commit no prompt, whatever files and types there are."""
        if not isinstance(self.place, GitPath):
            return None
        try:
            assert self.prompt.template is not None
            self.prompt.template.constant_schema  # noqa: B018  (it is read for its errors)
        except PromptError as error:
            if isinstance(error, FileError) or all(
                _OWN_FAULT.match(problem.code) for problem in error.problems
            ):
                return error.problem
        return None

    def parts(self) -> set[str]:
        """Return the keys of the files that it includes, directly or not; none if it is invalid."""
        try:
            template = self.prompt.template
        except PromptError:
            return set()
        assert template is not None
        folder = self.reading.folder(self.place)
        return {_key(folder.joinpath(name)) for name in template.environment.sources if name}


def _key(place: Place) -> str:
    return str(place.resolve()) if isinstance(place, Path) else posixpath.normpath(str(place))


@dataclass(frozen=True)
class Pair:
    """Two versions of a prompt under one name; None where it does not exist.

    `is_named` if the command line has its name: a directory also has parts of prompts.
    """

    name: str
    old: Version | None
    new: Version | None
    is_named: bool = False

    @property
    def versions(self) -> tuple[Version, ...]:
        """Those that exist."""
        return tuple(one for one in (self.old, self.new) if one is not None)

    @property
    def is_untouched(self) -> bool:
        """Whether the two are equal, and include only templates that are equal, too.

        It is told by their bytes, without parsing them; where that is not enough, the answer is no.
        """
        if self.old is None or self.new is None:
            return False
        try:
            return _are_equal(self.old, self.new)
        except PromptError:  # it is reported when they are compared
            return False

    def is_part(self, parts: set[str]) -> bool:
        """Whether each version is a part of prompts: they include it, or its name says so."""
        return not self.is_named and all(
            PurePosixPath(self.name).name.startswith("_") or one.key in parts
            for one in self.versions
        )


def _are_equal(old: Version, new: Version) -> bool:
    """Whether two versions and all templates that they include have equal bytes."""
    folders = [Folder(one.reading.folder(one.place)) for one in (old, new)]
    pending, seen = [(old.data, new.data)], set[bytes]()
    for one, other in pending:  # it grows meanwhile
        names = {found[2] for found in _NAMES_FILES.finditer(one)}
        if one != other or None in names:
            return False
        try:
            for name in names - seen:
                before, after = (
                    folder.read(name.decode(), DEFAULT_LIMITS.source_chars) for folder in folders
                )
                pending.append((before, after))
        except JailError:  # it is absent, or the name is only in a comment
            return False
        seen |= names
    return True


@dataclass(frozen=True)
class Selection:
    """Which prompts are compared: of two arguments, or of a commit and the work tree."""

    paths: tuple[str, ...]
    against: str | None
    exclude: tuple[str, ...]
    reading: Reading

    def pairs(self) -> list[Pair]:
        """Return the pairs. Raises UsageError, FileError for what does not exist, CasesError."""
        for path in self.paths:
            refuse_cases(path)
        found = list(self._two() if self.against is None else self._against(self.against))
        kept = [pair for pair in found if not matches(pair.name, self.exclude)]
        if not kept:
            what = ", ".join(self.exclude) or " ".join(self.paths) or "."
            fault = "this excludes all files" if found else "there is no .pdl file"
            raise FileError(Problem("file/none", f"{what}: {fault}"))
        return kept

    def _two(self) -> Iterator[Pair]:
        if len(self.paths) != 2:  # noqa: PLR2004
            found = {0: "no path", 1: "one path"}.get(len(self.paths), f"{len(self.paths)} paths")
            expected = "expected two files or directories, or --against GITREF"
            raise click.UsageError(f"{expected}; found {found}")
        old, new = map(_place, self.paths)
        directories = [one is not None and one.is_dir() for one in (old, new)]
        if not any(directories):
            version = Version(new, self.reading)
            yield Pair(version.name, Version(old, self.reading), version, is_named=True)
        elif old is None or new is None or not all(directories):
            raise click.UsageError("expected two files or two directories, found one of each")
        else:
            yield from self._directories(old, new)

    def _directories(self, old: Place, new: Place) -> Iterator[Pair]:
        """The prompts of two directories, by their relative paths."""
        olds, news = _names(old), _names(new)
        for name in sorted(olds | news):
            yield Pair(
                str(new / name),
                Version(old / name, self.reading) if name in olds else None,
                Version(new / name, self.reading) if name in news else None,
            )

    def _against(self, ref: str) -> Iterator[Pair]:
        places = [Path(path) for path in self.paths] or [Path()]
        repository = Repository.around(_nearest_directory(places[0]))
        commit = _opened(repository, ref)
        for new in places:
            old = commit.at(repository.relative(new))
            if new.is_dir() or old.is_dir():
                yield from _of_one_repository(self._directories(old, new), new)
                continue
            before = Version(old, self.reading) if old.is_file() else None
            after = Version(new, self.reading) if new.exists() else None
            if leads_out(new, new.absolute().parent):
                note_skipped([str(new)])
                after = None
            if before is None and after is None:
                message = f"{new}: there is no such file or directory, and none in {ref}"
                raise FileError(Problem("file/unreadable", message))
            yield Pair(str(new), before, after, is_named=True)


def _of_one_repository(pairs: Iterable[Pair], top: Path) -> Iterator[Pair]:
    """The pairs without those of submodules and other repositories, which are reported."""
    others: set[Path] = set()
    for pair in pairs:
        above = [one for one in Path(pair.name).parents if top in one.parents]
        found = {one for one in above if (one / ".git").exists()}
        if not found:
            yield pair
        others |= found
    for one in sorted(others):
        note = f"{one}: is a repository of its own, which is not compared"
        Terminal.stderr().write(f"note: {Terminal.stderr().safe(note)}")


def _place(text: str) -> Place | None:
    """What an argument names: a file, standard input, or `REF:path`, if no such file exists."""
    ref, colon, path = text.partition(":")
    if text == STDIN:
        return None
    if not colon or not ref or Path(text).exists():
        if not colon and not Path(text).exists():
            _refuse_commit(text)
        return Path(text)
    repository = Repository.around(Path())
    is_relative = path.startswith(("./", "../"))  # else to the root, as for git
    inside = posixpath.normpath(posixpath.join(repository.prefix if is_relative else "", path))
    return _opened(repository, ref).at("" if inside == "." else inside)


def _refuse_commit(text: str) -> None:
    """Raise UsageError for what is the name of a commit, as in `git diff HEAD~1 HEAD`."""
    try:
        Repository.around(Path()).tree(text)
    except (FileError, click.UsageError):
        return
    advice = f"write `{text}:` for its files, or --against {text}"
    raise click.UsageError(f"`{text}` is a commit, not a file: {advice}")


def _opened(repository: Repository, ref: str) -> GitPath:
    """The root of a commit, until the command ends."""
    found = repository.tree(ref)
    click.get_current_context().call_on_close(found.objects.close)
    return found


def _nearest_directory(path: Path) -> Path:
    return next(one for one in (path, *path.absolute().parents) if one.is_dir())


def _names(directory: Place) -> set[str]:
    """The prompts below a directory, as relative paths."""
    if isinstance(directory, GitPath):
        return set(directory.files(".pdl"))
    if not directory.is_dir():
        return set()
    skipped: list[str] = []
    files = list(walk_files(str(directory), ".pdl", skipped))
    note_skipped(skipped)
    return {PurePath(file).relative_to(directory).as_posix() for file in files}
