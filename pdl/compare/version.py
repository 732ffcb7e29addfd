"""A version of a prompt: its turns, what they mean without data, and what they depend on."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

from pdl.compare.files import read_files, read_media
from pdl.compare.parts import Given, Settings
from pdl.compare.sections import QUOTED, outline
from pdl.compare.turns import Placed, placed
from pdl.errors import PromptError
from pdl.prompt.config import parse_config
from pdl.prompt.template import parse_schema
from pdl.schema.json_values import copy_json
from pdl.schema.keywords import schemas
from pdl.tools import ToolSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.compare.sections import Outline
    from pdl.compare.verdicts import Part
    from pdl.limits import Limits
    from pdl.prompt.inputs import Inputs
    from pdl.prompt.prompt import Prompt
    from pdl.schema import Schema
    from pdl.source import Source

_T = TypeVar("_T")
PARTS: dict[str, Part] = {
    "schema": "schema",
    "tools": "tools",
    "config": "config",
    "reasoning": "reasoning",
    "input": "inputs",
}
"""The parts that turns with these roles are; others are messages."""
_NAME = re.compile(r"[^\W\d]\w*")
_INCLUDED = re.compile(r"\{% include [^%]*")
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


@dataclass(frozen=True)
class Constant(Generic[_T]):
    """What turns of a role mean; unless `known`, it depends on data, or is invalid by `reason`."""

    known: bool
    value: _T | None = None
    reason: str = ""


class Version:
    """A version of a prompt: its turns, what they mean, and the files that it reads."""

    def __init__(self, prompt: Prompt, limits: Limits) -> None:
        self.prompt = prompt
        self.template = prompt.template
        environment = None if self.template is None else self.template.environment
        self.outline = outline(prompt.source, environment, part=False)
        self.files = read_files(prompt, self.outline)
        self.turns = placed(self.outline.sections)
        outlines = [self.outline, *(file.outline for file in self.files.values())]
        self.sections = [section for one in outlines for section in one.sections]
        self.media = read_media(self.sections, prompt.folder, limits)

    def of_roles(self, *roles: str) -> list[Placed]:
        """The turns of the file itself that have one of the roles."""
        return [turn for turn in self.turns if turn.section.role in roles]

    @property
    def messages(self) -> list[Placed]:
        """The turns that are sent; their roles may be computed."""
        return [one for one in self.turns if one.section.role not in ("", *PARTS)]

    def first(self, role: str) -> Placed | None:
        """The first turn of a role."""
        return next((turn for turn in self.turns if turn.section.role == role), None)

    def given(self, role: str, schema: Schema | None = None) -> Given:
        """The first turn of a role, with the schema that it means."""
        turn = self.first(role)
        return Given(schema, None if turn is None else turn.section)

    @property
    def reads_inputs(self) -> bool:
        """Whether it is known what the prompt takes: an error hides the inputs, or the names."""
        declares = self.first("input") is not None
        return self.template is not None and declares == (self.prompt.inputs is not None)

    @cached_property
    def schema(self) -> Constant[Schema]:
        """The schema, if it doesn't depend on data."""
        source = self._only_source("schema")
        if source is None or self.template is None:
            return Constant(known=source is None and self._has_no("schema"))
        env = self.template.environment
        try:
            found = parse_schema(source, env.folder, env.limits, env.types)
        except PromptError as error:
            return Constant(known=False, reason=error.problems[0].message)
        return Constant(known=True, value=found)

    @cached_property
    def tools(self) -> Constant[ToolSet]:
        """The tools, if they don't depend on data."""
        source = self._only_source("tools")
        if source is None:
            return Constant(known=self._has_no("tools"))
        try:
            limits = self.prompt.limits
            found = ToolSet.parse(source, limits=limits) if source.text.strip() else None
        except PromptError as error:
            return Constant(known=False, reason=error.problems[0].message)
        return Constant(known=True, value=found)

    @cached_property
    def settings(self) -> Settings | None:
        """The settings; None if they depend on data, or are invalid."""
        sources = self._sources("config")
        if sources is None:
            return None
        found = [parse_config(source) for source in sources]
        if any(problems for _, problems in found):
            return None
        merged = dict(chain.from_iterable(values.items() for values, _ in found))
        return Settings(merged, tuple(sources))

    def _sources(self, role: str) -> list[Source] | None:
        """The texts of the turns of a role; None if one of them depends on data.

        What files contain that the template does not name as text is unknown, and does not count.
        """
        sources = None if self.template is None else self.template.certain_turns(role)
        count = sum(section.role == role for section in self.sections)
        return sources if sources is not None and len(sources) == count else None

    def _only_source(self, role: str) -> Source | None:
        sources = self._sources(role)
        return sources[0] if sources is not None and len(sources) == 1 else None

    def _has_no(self, role: str) -> bool:
        return self._sources(role) == []

    def depended(self, role: str, inputs: Mapping[str, str]) -> dict[str, list[str]]:
        """What the turns of a role depend on; `inputs` are the types of those that count."""
        files = {name: file.source.text for name, file in self.files.items() if file.source}
        defined = _definitions([self.outline, *(file.outline for file in self.files.values())])
        turns = [section for section in self.sections if section.role == role]
        tags = [tag.text for one in turns for _, tag in one.anchors if tag.name]
        tags += [tag.text for one in turns for tag in one.context]
        return _depended(tags, defined, files, inputs)


def _definitions(outlines: Iterable[Outline]) -> dict[str, list[str]]:
    """Return the statements that define each name, as texts; a block's text is all of it."""
    found = defaultdict[str, list[str]](list)
    for one in outlines:
        ends = dict(one.blocks)
        for index, fragment in enumerate(one.fragments):
            pattern = _TARGETS.get(fragment.name)
            match = pattern.match(fragment.text) if pattern is not None else None
            if match is None:
                continue
            is_whole = fragment.name in ("set", "macro")
            last = ends.get(index, index) if is_whole else index
            text = "".join(each.text for each in one.fragments[index : last + 1])
            for name in dict.fromkeys(_NAME.findall(match[1])):
                found[name].append(text)
    return dict(found)


def _depended(
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
        quoted = (pair for tag in _INCLUDED.findall(text) for pair in QUOTED.findall(tag))
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
