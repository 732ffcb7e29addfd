"""The files that the tags of a template name: all of them, or those without which it fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import nodes

from pdl.errors import PromptError
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.files import read_prompt
from pdl.prompt.outline import descendants
from pdl.prompt.scan import scan, tokens
from pdl.prompt.template import normalize_newlines

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

_REFERRING = frozenset({"include", "import", "from", "extends"})
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
    return {(folder / name).resolve() for name in included_names(path)}


def included_names(path: str | os.PathLike[str]) -> set[str]:
    """Return the names by which a prompt file includes, imports or extends others."""
    file = Path(path)
    try:
        text = normalize_newlines(
            read_prompt(file, str(file), DEFAULT_LIMITS).removeprefix("\ufeff")
        )
    except PromptError:
        return set()
    return {name for name in _referenced(text) if "\0" not in name}


def _referenced(text: str) -> Iterator[str]:
    """The names of other templates in the tags of a text, which need not parse."""
    for piece in scan(text):
        found = [(one.kind, text[one.start : one.end]) for one in tokens(text, piece)]
        if found and found[0][1] in _REFERRING:
            yield from (word[1:-1] for kind, word in found if kind == "string")
