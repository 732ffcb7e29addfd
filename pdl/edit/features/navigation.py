"""Where names are defined and used, in all files of a workspace; the files that a text names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.edit.document import Location, Range
from pdl.edit.features import cases_navigation
from pdl.edit.features.cases_navigation import declaration
from pdl.edit.template.inference import Inference
from pdl.edit.template.keys import occurrences_at, same_keys
from pdl.edit.template.linked import Linked
from pdl.edit.template.names import names_of
from pdl.edit.template.tags import named_files
from pdl.edit.workspace import Workspace
from pdl.prompt.files import JailError, media_path, package_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pdl.edit.document import Document, Typed
    from pdl.edit.template.linked import Occurrence
    from pdl.edit.template.names import Name

HighlightKind: TypeAlias = Literal["read", "write"]


class Link(NamedTuple):
    """A range of a text that names a file or a web page."""

    range: Range
    target: Path | str


def definition(workspace: Workspace, document: Document, offset: int) -> list[Location]:
    """Return where the name at an offset is defined, or the file that is named there."""
    for link in links(workspace, document):
        if link.range.holds(offset) and not isinstance(link.target, str):
            return [Location(link.target, Range(0, 0))]
    found_keys = declaration(workspace, document, offset)
    if found_keys:
        return found_keys
    name = names_of(document).at(offset)
    if name is None:
        same = same_keys(workspace, document, offset)
        keys = same.keys if same is not None else []
        keys = [one for one in keys if one.document is document] or keys
        return [Location(one.document.path, one.range) for one in keys]
    occurrences = Linked(workspace, document).occurrences(name, aliases=True)
    found = [one for one in occurrences if _defines(one, document, name)]
    found = [one for one in found if one.name.kind != "import"] or found
    own = [one for one in found if one.document is document]
    return _locations(own if own and not _is_shared(document, name) else found)


def _is_shared(document: Document, name: Name) -> bool:
    """Whether a name that the document defines can be one of another file there."""
    names = names_of(document)
    is_input = any(one.kind == "input" for one in names.same(name.symbol))
    is_top = names.passed(name.text) == name.symbol
    return name.kind == "block" or (is_top and not is_input and names.is_passed(name.text))


def _defines(one: Occurrence, document: Document, name: Name) -> bool:
    """Whether an occurrence is a definition that the name can be read from."""
    if one.name.access == "read":
        return False
    if one.document is not document or min(one.name.frame, name.frame) < 0:
        return True
    frames = names_of(document).scopes.frames
    frame = name.frame
    while frame > one.name.frame:
        frame = frames[frame].parent
    return frame == one.name.frame


def _locations(found: Iterable[Occurrence]) -> list[Location]:
    return [Location(one.document.path, one.name.range) for one in found]


def references(
    workspace: Workspace, document: Document, offset: int, *, include_declaration: bool = True
) -> list[Location]:
    """Return all names that are the same as the one at an offset, in all files."""
    keys = cases_navigation.same(document, offset)
    if keys:
        declared = declaration(workspace, document, offset) if include_declaration else []
        return [*declared, *(Location(document.path, one.range) for one in keys)]
    _, found = occurrences_at(workspace, document, offset, aliases=True)
    kept = (one for one in found if include_declaration or one.name.access == "read")
    return _locations(kept)


def highlights(document: Document, offset: int) -> list[tuple[Range, HighlightKind]]:
    """Return the names of this document that are the same as the one at an offset."""
    keys = cases_navigation.same(document, offset)
    if keys:
        return [(one.range, "read") for one in keys]
    _, found = occurrences_at(Workspace(), document, offset)
    return [
        (one.name.range, "read" if one.name.access == "read" else "write")
        for one in found
        if one.document is document
    ]


def type_definition(document: Document, offset: int) -> list[Location]:
    """Return where the named types of what is at an offset are defined."""
    names = names_of(document)
    name = names.at(offset)
    if name is not None and name.kind == "type":
        symbols = {name.symbol}
    else:
        same = same_keys(Workspace(), document, offset)
        own = {one.range.start for one in same.keys} if same is not None else set()
        if name is not None:
            own |= {one.start for one in names.same(name.symbol)}
        starts = {start for typed in document.typed for start in _types_of(typed, own)}
        symbols = {one.symbol for one in map(names.at, starts) if one is not None}
        if name is not None and name.frame >= 0 and name.kind != "input":
            symbols |= _inferred(document, name)
    return [
        Location(document.path, one.range)
        for one in names.definitions
        if one.symbol in symbols and one.kind == "type"
    ]


def _inferred(document: Document, name: Name) -> set[int]:
    """The named types of a variable's values, or of their items."""
    known = Inference(Workspace(), document).variable(name.text, name.end)
    words: set[str] = set()
    pending = [known.type.schema] if known is not None else []
    for schema in pending:
        inner = [*schema.get("anyOf", ()), schema.get("items")]
        pending += [one for one in inner if isinstance(one, dict)]
        words.add(str(schema.get("$ref", "")).removeprefix("#/$defs/"))
    inputs = [one.turn.body for one in document.typed if one.turn.role == "input"]
    return {
        one.symbol
        for one in names_of(document).definitions
        if one.kind == "type"
        and one.text in words
        and any(each.holds(one.start) for each in inputs)
    }


def _types_of(typed: Typed, keys: set[int]) -> Iterator[int]:
    """Where the types of some keys are, which are not of keys within."""
    notation = typed.notation
    for index, token in enumerate(notation.tokens):
        if token.role == "type":
            path = notation.path(index)
            key = notation.tokens[path[-1]] if path else None
            if key is not None and (key.start in keys or key.start + 1 in keys):
                yield token.start


def links(workspace: Workspace, document: Document) -> list[Link]:
    """Return the files and the web pages that a document names, in the order of the text."""
    if document.sections is not None:
        return [Link(*one) for one in cases_navigation.named_files(workspace, document)]
    found = [*_includes(workspace, document), *_media(workspace, document)]
    for typed in document.typed:
        one = schema_reference(workspace, document, typed)
        if one is not None and one.path is not None:
            found.append(Link(one.range, one.path))
    return sorted(found, key=lambda link: link.range)


def _includes(workspace: Workspace, document: Document) -> Iterator[Link]:
    for name in named_files(document):
        path = workspace.find(document, name.text)
        if path is not None:
            yield Link(Range(name.start, name.end), path)


def _media(workspace: Workspace, document: Document) -> Iterator[Link]:
    for mark in document.marks:
        if not mark.names_media or not mark.is_whole:
            continue
        text = document.text
        start, end = text.find("(", mark.start) + 1, text.rfind(")", mark.start, mark.end)
        written = text[start:end].strip()
        start = text.find(written, start)
        where = Range(start, start + len(written))
        path = workspace.find(document, media_path(mark.text)) if media_path(mark.text) else None
        if path is not None:
            yield Link(where, path)
        elif written.lower().startswith(("http://", "https://")):
            yield Link(where, written)


class SchemaReference(NamedTuple):
    """`@file.json`, `@package:path` or `@type:module:Name`: the name, and the file if there is one.

    The last would have to run code.
    """

    name: str
    range: Range
    path: Path | None
    is_type: bool


def schema_reference(
    workspace: Workspace, document: Document, typed: Typed
) -> SchemaReference | None:
    """Return what a `schema` turn names instead of having a schema of its own."""
    written = typed.text.strip()
    if typed.language != "file" or not written[1:]:
        return None
    start = typed.turn.body.start + typed.text.index(written) + 1
    name = written[1:]
    package, colon, relative = name.partition(":")
    path = workspace.find(document, name) if not colon else None
    if colon and package != "type":
        path = _packaged(package, relative)
    return SchemaReference(name, Range(start, start + len(name)), path, name.startswith("type:"))


def _packaged(package: str, relative: str) -> Path | None:
    try:
        return package_folder(package).locate(relative)
    except (JailError, OSError, ImportError, ValueError):
        return None
