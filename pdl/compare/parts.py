"""The changes of what turns mean, where that doesn't depend on data: schema, tools, settings."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pdl.compare.nodes import cut
from pdl.compare.schemas import compare_schemas
from pdl.compare.tools import compare_tools
from pdl.compare.verdicts import No, audiences
from pdl.compare.words import Effect, text_change
from pdl.prompt.config import setting_span
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json
    from pdl.compare.sections import Section
    from pdl.compare.verdicts import Change, Comparison
    from pdl.limits import Limits
    from pdl.source import Source, Span
    from pdl.tools import ToolSet

_SHOWN = 60  # characters of a value in a message


class Compared(NamedTuple):
    """The changes of a part of a prompt, and the comparison that they are from."""

    changes: tuple[Change, ...] = ()
    comparison: Comparison | None = None


class Given(NamedTuple):
    """A schema, or None for free text, and the turn that has it."""

    schema: Schema | None
    section: Section | None = None

    @property
    def span(self) -> Span | None:
        """Where the turn begins."""
        return None if self.section is None else self.section.span()

    def place(self, path: str) -> Span | None:
        """Where the turn has the key that a path ends with, if only once; else where it begins."""
        key = _LAST_KEY.search(path)
        if self.section is None or key is None:
            return self.span
        # Not in a comment.
        pattern = rf'^(?:(?!//).)*?(?<!\w)("?{key[1]}"?)\s*\??\s*:'
        found = re.finditer(pattern, self.section.text, re.MULTILINE)
        places = [self.section.span(one.start(1), len(one[1])) for one in found]
        return places[0] if len(places) == 1 else self.span


_LAST_KEY = re.compile(r"(?:^|\.)(\w+)(?:\[[^\]]*\])*$")


def schema_changes(old: Given, new: Given, limits: Limits) -> Compared:
    """Compare two schemas; without one, every text is an answer."""
    if old.schema is None and new.schema is None:
        return Compared()
    free = Schema.parse("str")
    one, other = old.schema or free, new.schema or free
    found = compare_schemas(one, other, limits=limits)
    if old.schema is None or new.schema is None:
        return Compared((_whole_schema(old, new, found),), found)
    if found.changes or one == other:
        return Compared(tuple(located(change, old, new) for change in found.changes), found)
    # Nothing that is checked differs, such as the order of keys; the model reads the schema.
    texts = (str(one), str(other))
    message = "the schema is written in another way"
    effect = Effect("schema", "compatible")
    return Compared((text_change(effect, "$", message, texts, (old.span, new.span)),), found)


def located(change: Change, old: Given, new: Given) -> Change:
    """Return the change with the positions of its key, if it has none: the DSL keeps none."""
    if change.old_span is not None or change.new_span is not None:
        return change
    return replace(change, old_span=old.place(change.path), new_span=new.place(change.path))


def _whole_schema(old: Given, new: Given, found: Comparison) -> Change:
    """The change of a schema that is new, or gone."""
    if new.schema is None:
        message = "the schema was removed: every text is an answer now"
    else:
        message = "the schema was added: before, every text was an answer"
    texts = tuple("" if one.schema is None else str(one.schema) for one in (old, new))
    effect = Effect("schema", found.verdict, audiences(found.changes))
    return replace(
        text_change(effect, "$", message, (texts[0], texts[1]), (old.span, new.span)),
        lost=found.forward if isinstance(found.forward, No) else None,
        gained=found.backward if isinstance(found.backward, No) else None,
    )


def tools_changes(old: ToolSet | None, new: ToolSet | None, limits: Limits) -> Compared:
    """Compare two sets of tools; None is no tools."""
    if old is None and new is None:
        return Compared()
    found = compare_tools(old, new, limits=limits)
    return Compared(found.changes, found)


class Settings(NamedTuple):
    """The settings of a prompt, and the turns that set them, last one last."""

    values: Mapping[str, Json]
    sources: tuple[Source, ...] = ()

    def span(self, key: str) -> Span | None:
        """Where a setting gets its value."""
        spans = (setting_span(source, key) for source in reversed(self.sources))
        found = next((span for span in spans if span is not None), None)
        return None if found is None else found.origin()


def config_changes(old: Settings, new: Settings) -> Iterator[Change]:
    """Compare settings, key by key: those of the new version first. They break nobody."""
    for key in (*new.values, *(key for key in old.values if key not in new.values)):
        if key in old.values and key in new.values:
            values = (old.values[key], new.values[key])
            if json.dumps(values[0], sort_keys=True) == json.dumps(values[1], sort_keys=True):
                continue
            texts = _written(values[0]), _written(values[1])
            if texts[0] == texts[1]:  # a string that is written like another value
                texts = _json(values[0]), _json(values[1])
            message = f"`{key}`: {_short(texts[0])} became {_short(texts[1])}"
        elif key in new.values:
            texts = "", _written(new.values[key])
            message = f"`{key}` was added: {_short(texts[1])}"
        else:
            texts = _written(old.values[key]), ""
            message = f"`{key}` was removed: it was {_short(texts[0])}"
        spans = old.span(key), new.span(key)
        yield text_change(Effect("config"), key, message, texts, spans)


def _written(value: Json) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return cut(" ".join(text.split()), _SHOWN)
