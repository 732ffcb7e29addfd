"""What the tags of a turn depend on: the names that other tags of the template define."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from pdl.schema.json_values import copy_json
from pdl.schema.keywords import schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.compare.sections import Outline
    from pdl.prompt.inputs import Inputs

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
    texts: Iterable[str],
    defined: Mapping[str, list[str]],
    files: Mapping[str, str],
    inputs: Mapping[str, str],
) -> dict[str, list[str]]:
    """Return what tags depend on, by name: definitions, texts of files, types of inputs."""
    found: dict[str, list[str]] = {}
    pending = list(texts)
    for text in pending:  # it grows meanwhile
        for name in dict.fromkeys(_NAME.findall(text)):
            if name in found:
                continue
            if name in defined:
                found[name] = defined[name]
                pending += defined[name]
            elif name in inputs:
                found[name] = [inputs[name]]
        quoted = (pair for tag in _INCLUDED.findall(text) for pair in _QUOTED.findall(tag))
        for path in (one or other for one, other in quoted):
            if path in files and path not in found:
                found[path] = [files[path]]
                pending.append(files[path])
    return found


def input_types(inputs: Inputs | None) -> dict[str, str]:
    """Return the types of inputs as texts, without their descriptions."""
    if inputs is None:
        return {}
    document = copy_json(inputs.schema.document)
    for _, schema in schemas(document):
        schema.pop("description", None)
    shared = json.dumps(document.get("$defs"), sort_keys=True)
    found: dict[str, str] = {}
    for name, declared in document.get("properties", {}).items():
        text = json.dumps(declared, sort_keys=True)
        found[name] = text + shared if "$ref" in text else text
    return found
