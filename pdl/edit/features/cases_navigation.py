"""The files that a file of cases names, and where the prompt declares its keys."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.edit.document import Location, Range
from pdl.edit.features.cases_keys import declared, key_at, keys_of
from pdl.edit.features.cases_prompt import prompt_of, root_of, typed_of
from pdl.edit.workspace import is_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Document
    from pdl.edit.features.cases_keys import Key
    from pdl.edit.workspace import Workspace

_NAME = re.compile(r"\S+")


def named_files(workspace: Workspace, document: Document) -> Iterator[tuple[Range, Path]]:
    """Yield the files that a file of cases names, which exist, and where."""
    for section in document.sections.all if document.sections is not None else ():
        start, end = section.argument
        if document.text.startswith("@", start) and section.name != "case":
            start += 1
        elif section.name == "judge" and (found := _NAME.match(document.text, start, end)):
            end = found.end()
        else:
            continue
        path = _located(workspace, document, document.text[start:end].strip())
        if path is not None:
            yield Range(start, end), path


def _located(workspace: Workspace, document: Document, name: str) -> Path | None:
    root = root_of(workspace, document)
    if root is None or document.path is None or not name or "\0" in name:
        return None
    here = workspace.canonical(document.path).parent
    path = workspace.canonical(Path(os.path.normpath(here / name)))
    return path if path.is_relative_to(root) and is_file(path) else None


def declaration(workspace: Workspace, document: Document, offset: int) -> list[Location]:
    """Return where the prompt declares the key at an offset; else the turn that it is of."""
    key, prompt = key_at(document, offset), prompt_of(workspace, document)
    if key is None or prompt is None:
        return []
    typed = typed_of(prompt, key.role)
    if typed is None:
        return []
    found = declared(typed, key.path) if typed.language == "dsl" else []
    is_known = bool(found) or not key.path or typed.language != "dsl"
    return [Location(prompt.path, one) for one in found or [typed.turn.marker] if is_known]


def same(document: Document, offset: int) -> list[Key]:
    """Return the keys of a file of cases that are the one at an offset, itself included."""
    key = key_at(document, offset)
    if key is None:
        return []
    return [one for one in keys_of(document) if one[:2] == key[:2]]
