"""What the tags of a turn depend on: the names that other tags of the template define."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.compare.sections import Outline

_NAME = re.compile(r"[^\W\d]\w*")
_INCLUDED = re.compile(r"\{% include [^%]*")
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_TARGETS = {
    "set": re.compile(r"\{% set ([^=|%]*)"),
    "set_global": re.compile(r"\{% set_global ([^=]*)"),
    "macro": re.compile(r"\{% macro (\w*)"),
    "import": re.compile(r"\{% import .* as (\w+)"),
    "from": re.compile(r"\{% from .* import (.*)"),
    "for": re.compile(r"\{% for (.*?) in "),
    "with": re.compile(r"\{% with (.*)"),
}
"""The names that a statement defines; words too many do no harm."""


def definitions(outlines: Iterable[Outline]) -> dict[str, list[str]]:
    """Return the statements that define each name, as texts; a block's text is all of it."""
    found = defaultdict[str, list[str]](list)
    for outline in outlines:
        ends = dict(outline.blocks)
        for index, fragment in enumerate(outline.fragments):
            pattern = _TARGETS.get(fragment.name)
            match = pattern.match(fragment.text) if pattern is not None else None
            if match is None:
                continue
            is_whole = fragment.name in ("set", "macro")
            last = ends.get(index, index) if is_whole else index
            text = "".join(one.text for one in outline.fragments[index : last + 1])
            for name in dict.fromkeys(_NAME.findall(match[1])):
                found[name].append(text)
    return dict(found)


def depended(
    texts: Iterable[str], defined: Mapping[str, list[str]], files: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return what texts of tags depend on: names with their definitions, files with their texts."""
    found: dict[str, list[str]] = {}
    pending = list(texts)
    for text in pending:  # it grows meanwhile
        for name in dict.fromkeys(_NAME.findall(text)):
            if name in defined and name not in found:
                found[name] = defined[name]
                pending += defined[name]
        for path in (
            one or other for tag in _INCLUDED.findall(text) for one, other in _QUOTED.findall(tag)
        ):
            if path in files and path not in found:
                found[path] = [files[path]]
                pending.append(files[path])
    return found
