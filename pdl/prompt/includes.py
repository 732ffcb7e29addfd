"""The files that the tags of a template name: all of them, or those without which it fails."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import nodes

from pdl.errors import PromptError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.files import read_prompt
from pdl.prompt.outline import descendants
from pdl.prompt.scan import scan, tokens
from pdl.prompt.template import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.prompt.scan import Piece

_REFERRING = frozenset({"include", "import", "from", "extends"})
_JOINED = 3  # tokens of a tag before what a name is joined with
_KINDS = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


class Reference(NamedTuple):
    """A tag that names files, of which it takes the first that exists.

    `is_lenient` says that the tag may find none of them (`ignore missing`), or that it also
    computes a name. `prints_turns` says that turns of the file are turns of the prompt.
    """

    line: int
    names: tuple[str, ...]
    is_lenient: bool
    is_computed: bool
    prints_turns: bool


def references(tree: nodes.Template) -> Iterator[Reference]:
    """The tags of a template that include, import or extend others."""
    for node in descendants(tree, _KINDS):
        asked = node.template  # type: ignore[attr-defined]  # all of these have it
        items = asked.items if isinstance(asked, (nodes.List, nodes.Tuple)) else [asked]
        values = [one.value for one in items if isinstance(one, nodes.Const)]
        names = tuple(one for one in values if isinstance(one, str))
        is_computed = len(names) < len(items)
        is_lenient = is_computed or getattr(node, "ignore_missing", False)
        prints_turns = isinstance(node, (nodes.Include, nodes.Extends))
        yield Reference(node.lineno, names, is_lenient, is_computed, prints_turns)


def named_files(tree: nodes.Template) -> dict[str, list[Reference]]:
    """The files that a template names, each with the tags that do."""
    found: dict[str, list[Reference]] = {}
    for reference in references(tree):
        for name in reference.names:
            found.setdefault(name, []).append(reference)
    return found


def included_files(
    path: str | os.PathLike[str], *, media_root: str | os.PathLike[str] | None = None
) -> set[Path]:
    """Return the resolved paths that a prompt file includes, imports or extends by name."""
    folder = Path(path).parent if media_root is None else Path(media_root)
    return {(folder / name).resolve() for name in _names_in(Path(path)).whole}


def part_folders(
    files: Sequence[str], media_root: str | os.PathLike[str] | None = None
) -> dict[Path, list[Path]]:
    """Return the files that prompts include, however indirectly, by their resolved paths.

    Each has the folders that the names in it are relative to: those of the prompts, which are the
    files that no other includes, and whose names don't begin with `_`. Where a prompt computes a
    name, all files count whose paths begin as the name does.
    """
    own = {
        Path(file).resolve(): Path(file).parent if media_root is None else Path(media_root)
        for file in files
    }
    walk = _Walk(tuple(own))
    mains = {path: folder for path, folder in own.items() if not path.name.startswith("_")}
    named = walk.reached(mains)
    found = walk.reached({path: one for path, one in mains.items() if path not in named})
    return {path: [own.get(path, path.parent)] for path in named} | found


class _Walk:
    """Follows the tags that name files; each file once for each folder its names start at."""

    def __init__(self, files: tuple[Path, ...]) -> None:
        self.files = files
        self.names: dict[Path, Named] = {}

    def reached(self, mains: dict[Path, Path]) -> dict[Path, list[Path]]:
        """The files that others include, with the folders of the prompts that do."""
        found: dict[Path, list[Path]] = {}
        left = list(mains.items())
        seen = set(left)
        for path, folder in left:
            for target in self._targets(path, folder.resolve()) - {path}:
                folders = found.setdefault(target, [])
                if folder not in folders:
                    folders.append(folder)
                if (target, folder) not in seen:
                    seen.add((target, folder))
                    left.append((target, folder))
        return found

    def _targets(self, path: Path, folder: Path) -> set[Path]:
        if path not in self.names:
            self.names[path] = _names_in(path)
        whole, begun = self.names[path]
        paths = {(folder / name).resolve() for name in whole}
        heads = tuple(os.path.normpath(folder / name) for name in begun)
        paths |= {one for one in self.files if str(one).startswith(heads)} if heads else set()
        return {one for one in paths if one.is_relative_to(folder)}


class Named(NamedTuple):
    """The names of files in the tags of a file: the whole ones, and how computed ones begin."""

    whole: set[str]
    begun: set[str]


def _names_in(file: Path) -> Named:
    """The names in a file, which need not parse."""
    try:
        raw = read_prompt(file, str(file), DEFAULT_LIMITS, is_named=False)
    except (PromptError, ValueError):  # a path with a NUL
        return Named(set(), set())
    text = source_of(raw, str(file)).text
    return names_in(text, scan(text))


def names_in(text: str, pieces: Iterable[Piece]) -> Named:
    """Return the names of files in the tags of a text, of which `scan` made the pieces."""
    named = Named(set(), set())
    for piece in pieces:
        found = [(one.kind, text[one.start : one.end]) for one in tokens(text, piece)]
        if found and found[0][1] in _REFERRING:
            words = [word[1:-1] for kind, word in found if kind == "string"]
            named.whole.update(word for word in words if "\0" not in word)
            if len(found) > _JOINED and found[1][0] == "string" and found[2][1] in ("~", "+"):
                named.begun.update(word for word in words[:1] if word.strip("./"))
    return named
