"""What is looked at: a prompt's text, its data and a reply, each read once for all parts."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl import reply as replies
from pdl.edit.features.stand_ins import stand_ins
from pdl.errors import LimitError, PdlError, Problem
from pdl.play.looking.bounds import KEPT, MOST_DATA, MOST_ITEMS, PAGE_LIMITS
from pdl.play.looking.folder import folder_at
from pdl.play.looking.kept import Recent, kept
from pdl.play.looking.offsets import Lines
from pdl.prompt.lint import lint_in_folder
from pdl.prompt.prompt import in_folder
from pdl.prompt.render_budget import TooLargeError, measure_size
from pdl.prompt.template import source_of
from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.testing.forms import data_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json
    from pdl.prompt import Prompt, Rendered
    from pdl.prompt.lint import Finding
    from pdl.reply import Check
    from pdl.schema import Schema
    from pdl.source import Source

_NAME = "prompt.pdl"
_LACKING = {"input/missing", "template/undefined"}
"""The codes of what is wrong where data are missing."""


@dataclass(frozen=True)
class Options:
    """What of a look is wanted; anything else that a page sends has no effect."""

    parts: tuple[str, ...] | None = None
    name: str = _NAME
    rule: str = ""
    coercions: Coercions = NO_COERCIONS

    @classmethod
    def of(cls, given: Mapping[str, Json]) -> Options:
        """Read an object of a page."""
        texts = {one: given.get(one) for one in ("name", "rule")}
        named = {one: text for one, text in texts.items() if isinstance(text, str) and text}
        parts = _texts(given.get("parts"))
        allowed = {one.replace("-", "_") for one in _texts(given.get("coercions")) or ()}
        known = {one.name: True for one in fields(Coercions) if one.name in allowed}
        return cls(parts=parts, coercions=Coercions(**known), **named)


def _texts(given: Json) -> tuple[str, ...] | None:
    """The strings of a list; None for anything else."""
    if not isinstance(given, list | tuple):
        return None
    return tuple(one for one in given if isinstance(one, str))


class Draft:
    """The text of a prompt, and the folder that it reads files of."""

    def __init__(self, text: str, name: str, base: object) -> None:
        self.text = text
        self.name = name
        self.folder = folder_at(base)

    @cached_property
    def source(self) -> Source:
        """The text that pdl's offsets refer to."""
        return source_of(self.text, self.name)

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text as the page has it."""
        return Lines(self.text, self.source)

    @kept
    def prompt(self) -> Prompt:
        """The prompt, compiled."""
        return in_folder(self.text, self.name, self.folder, PAGE_LIMITS)

    @kept
    def findings(self) -> tuple[Finding, ...]:
        """What `pdl lint` finds."""
        return lint_in_folder(self.text, self.name, self.folder, PAGE_LIMITS)

    @kept
    def constant_schema(self) -> tuple[bool, Schema[Any] | None]:
        """Whether the schema is the same for all data, and that schema, if there is one."""
        template = self.prompt.template
        assert template is not None
        return template.constant_schema


class Rendering(NamedTuple):
    """A rendered prompt, and the values that were made up for it, since the data lack them."""

    rendered: Rendered[Any]
    stand_ins: dict[str, Json]


class Filled:
    """A prompt with its data. `views` are the parts of a look that were made of it."""

    def __init__(self, draft: Draft, data: str) -> None:
        self.draft = draft
        self.data = data
        self.views: dict[tuple[str, ...], Json] = {}

    @cached_property
    def places(self) -> Lines:
        """The lines of the data as the page has them."""
        return Lines(self.data, source_of(self.data, "data"))

    @kept
    def values(self) -> dict[str, Json]:
        """The data as they are written; nothing is an empty object."""
        if len(self.data) > MOST_DATA:
            message = f"the data are longer than {MOST_DATA:,} characters"
            raise LimitError(Problem("limit/input", message))
        if not self.data.strip("\ufeff \t\r\n"):
            return {}
        source = source_of(self.data, "data")
        found = data_of(source, source.span(0))
        try:
            measure_size(found, MOST_ITEMS)
        except TooLargeError as error:
            raise LimitError(Problem("limit/input", f"the data are too large: {error}")) from error
        return found

    @kept
    def rendering(self) -> Rendering:
        """The prompt with the data, and with stand-ins where it needs more."""
        prompt, values = self.draft.prompt, self.values
        try:
            return Rendering(prompt.render(values, prefill=True), {})
        except PdlError as error:
            if not {one.code for one in error.problems} <= _LACKING:
                raise
            first = error
        for optional in (False, True):
            invented = stand_ins(prompt, optional=optional)
            whole = {**invented, **values}
            try:
                rendered = prompt.render(whole, prefill=True)
            except PdlError as error:
                if not all(one.code.startswith("media/") for one in error.problems):
                    continue
                # A stand-in names no file.
                rendered = prompt.render(whole, prefill=True, strict=False)
            made = {name: one for name, one in invented.items() if name not in values}
            return Rendering(rendered, made)
        raise first

    @property
    def rendered(self) -> Rendered[Any]:
        """The rendered prompt."""
        return self.rendering.rendered

    @property
    def schema(self) -> Schema[Any] | None:
        """The schema of the answer, which needs data only if it depends on them."""
        is_constant, schema = self.draft.constant_schema
        return schema if is_constant else self.rendered.schema


class Subject(NamedTuple):
    """A prompt with its data, a reply, and what is wanted."""

    filled: Filled
    reply: str | None
    options: Options

    @property
    def draft(self) -> Draft:
        """The prompt."""
        return self.filled.draft

    def check(self) -> Check[Any] | None:
        """Return the check of the reply, if there is one."""
        if self.reply is None:
            return None
        coercions = self.options.coercions
        return replies.check(
            self.filled.schema, self.reply, coercions=coercions, limits=PAGE_LIMITS
        )


_DRAFTS: Recent[Draft] = Recent(KEPT)
_FILLED: Recent[Filled] = Recent(KEPT)


def subject_of(
    prompt: str, data: str, reply: str | None, options: Options, base: object
) -> Subject:
    """Return what is looked at; what is known of the same texts is kept, unless files changed."""
    key = prompt, options.name, None if base is None else str(base)
    draft = _DRAFTS.get(
        key, lambda: Draft(prompt, options.name, base), lambda one: one.folder.is_current()
    )
    filled = _FILLED.get((*key, data), lambda: Filled(draft, data), lambda one: one.draft is draft)
    return Subject(filled, reply, options)


def content_key(schema: Schema[Any] | None) -> str:
    """Return a text that schemas share which are written, described and compiled alike."""
    if schema is None:
        return ""
    source_map = schema.source_map
    names = [dict(source_map.renamed), dict(source_map.moved)]
    return json.dumps([schema.document, schema.form, schema.lang, schema.tasks, *names])
