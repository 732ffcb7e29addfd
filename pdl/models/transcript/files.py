"""Transcripts in a folder: two new files a run, none of which is ever written over."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC
from itertools import count
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from pdl.errors import FileError, Problem
from pdl.models.transcript.recording import record
from pdl.models.transcript.source import prompt_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models.transcript.run import Run

_ODD = re.compile(r"[^\w.-]+")
_LONGEST = 80


def write(run: Run, folder: str | Path) -> Path:
    """Write the transcript of a run into a folder, which is made if there is none; its `.pdl` file.

    Beside it stands the `.json` file of the same name. The name is the prompt's and the time in
    UTC. Raises FileError for what cannot be written.
    """
    folder = prepare(folder)
    texts = prompt_source(run), json.dumps(record(run), ensure_ascii=False, indent=2) + "\n"
    try:
        for stem in _stems(run):
            written = _write_both(folder / stem, *texts)
            if written is not None:
                return written
    except OSError as error:
        raise _unwritable(folder, error) from error
    raise AssertionError("numbers do not end")


def prepare(folder: str | Path) -> Path:
    """The folder, made if there is none. Raises FileError: better before a model is asked."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def _unwritable(folder: Path, error: OSError) -> FileError:
    reason = (error.strerror or str(error)).lower()
    message = f"{folder}: transcripts cannot be written there: {reason}"
    return FileError(Problem("file/unwritable", message))


def _stems(run: Run) -> Iterator[str]:
    name = _ODD.sub("-", PurePath(run.prompt).stem).strip("-.")[:_LONGEST] or "prompt"
    first = f"{name}-{run.started.astimezone(UTC):%Y%m%d-%H%M%S}"
    yield first
    for number in count(2):
        yield f"{first}-{number}"


def _write_both(path: Path, prompt: str, details: str) -> Path | None:
    """Both files, or None if one of that name exists; a file that is just being written counts."""
    first, second = (path.with_name(path.name + ending) for ending in (".pdl", ".json"))
    if second.exists():
        return None
    try:
        with open(first, "xb", opener=_private) as stream:
            stream.write(_encoded(prompt))
    except FileExistsError:
        return None
    with open(second, "xb", opener=_private) as stream:
        stream.write(_encoded(details))
    return first


def _private(path: str, flags: int) -> int:
    """Open a file that only its owner may read: prompts and replies may be anybody's secrets."""
    return os.open(path, flags, 0o600)


def _encoded(text: str) -> bytes:
    """UTF-8. It has no lone surrogates: JSON has an escape for them, and the prompt none left."""
    return text.encode("utf-8", "backslashreplace")
