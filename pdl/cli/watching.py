"""Which files of cases are to be run again, since they or what they depend on changed."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.errors import FileError, PdlError
from pdl.prompt.includes import part_folders
from pdl.testing.reader import read_cases, root_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PAUSE = 0.5  # seconds between two looks at the files
_SHARE = 10  # times that a look took, which the pause is at least
_NAMED = re.compile(
    r"""@ ([^\s"'{}<>|]+)  |  <\|\s*media\s*\( ([^()\n]+) \)  |  <\|\s*judge\s*\|> [ \t]* (\S+)""",
    re.VERBOSE | re.IGNORECASE,
)
"""What names a file, besides the tags of a template; some that it finds name none."""

_State = tuple[int, int] | None
"""The time and the size of a file."""


def changes(files: Callable[[], list[str]], pause: float = _PAUSE) -> Iterator[list[str]]:
    """Yield all files of cases, then, without end, those that are to be run again.

    `files` lists them; where it raises FileError, there are none for the moment.
    """
    seen: dict[str, dict[Path, _State]] = {}
    while True:
        began = time.monotonic()
        try:
            found = files()
        except FileError:
            found = []
        changed = [file for file in found if file not in seen or _has_changed(seen[file])]
        seen = {file: seen.get(file, {}) for file in found}
        for file in changed:
            # Before the run, so that what changes meanwhile is a change.
            seen[file] = {path: _state(path) for path in dependencies(Path(file))}
        if changed:
            yield changed
        time.sleep(max(pause, _SHARE * (time.monotonic() - began)))


def _has_changed(states: dict[Path, _State]) -> bool:
    return any(_state(path) != state for path, state in states.items())


def _state(path: Path) -> _State:
    try:
        found = path.stat()
    except (OSError, ValueError):  # there is none, or a name that can't be one
        return None
    return found.st_mtime_ns, found.st_size


def dependencies(file: Path) -> set[Path]:
    """Return the files that the cases of a file depend on: itself, prompts, what these name."""
    found = {file}
    try:
        cases = read_cases(file, root=root_of(file, Path()))
    except PdlError:
        return found
    for path in _named(file, cases.root):
        found.add(path)
        if path.suffix == ".pdl":
            found |= _of_prompt(path)
    return found | _of_prompt(cases.prompt)


def _of_prompt(prompt: Path) -> set[Path]:
    """A prompt, the files that it includes, and those that it and they name."""
    own = {prompt, *part_folders([str(prompt)])}
    return own | {path for one in own for path in _named(one, prompt.parent)}


def _named(file: Path, root: Path) -> set[Path]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    names = (next(filter(None, one.groups())) for one in _NAMED.finditer(text))
    return {folder / name.strip() for name in names for folder in {root, file.parent}}
