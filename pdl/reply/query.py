"""A reply and the request: the input of the readers of all forms."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.segments.dialects import DIALECTS, Dialects, Patterns
from pdl.reply.validation.compiled import Validator, validator_of
from pdl.schema.parts import json_form

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.result import Span, Violation
    from pdl.reply.segments.spans import Segmented
    from pdl.reply.validation.schema_walk import Document
    from pdl.schema import Schema
    from pdl.schema.parts import Form


def form_of(schema: Schema | None) -> Form:
    """The form of a schema; a free string that was requested as JSON is read like text.

    Models usually omit its quotes, and quotes can be part of the text: they count as JSON's only
    where an escape or a mark shows that it is JSON, or where the text does not fit with them.
    """
    if schema is None or is_quoted(schema):
        return "text"
    return schema.form


def is_quoted(schema: Schema | None) -> bool:
    """Whether the answer is a free string that was requested as JSON."""
    return schema is not None and schema.form == "json" and json_form(schema.document) == "text"


def string_of(text: str) -> str | None:
    """The value of a text that is exactly one JSON string (RFC 8259, section 7)."""
    if not (text.startswith('"') and text.endswith('"')):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


@dataclass(frozen=True)
class Query:
    """The text of a reply, its parts, and the JSON Schema that the answer must fit.

    `lang` is the language that a code block must have, `tasks` bound the items of a task list.
    `quoted`: the text can be written as a JSON string; `spelled`: the reply is one and contains
    marks, which are characters of its value.
    """

    text: str
    parts: Segmented
    document: Document
    limits: Limits
    coercions: Coercions = NO_COERCIONS
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)
    dialects: Dialects = DIALECTS
    quoted: bool = False
    spelled: bool = False

    @property
    def patterns(self) -> Patterns:
        """The marks of the dialects as patterns."""
        return self.dialects.patterns

    @cached_property
    def front(self) -> str:
        """The text with spaces instead of reasoning, whose words are not about what follows it.

        Of the same length. The words after an answer are read in `text`: there a second thought can
        withdraw it.
        """
        parts: list[str] = []
        at = 0
        for segment in self.parts.segments:
            if segment.kind == "reasoning":
                start, end = segment.span
                parts += [self.text[at:start], " " * (end - start)]
                at = end
        return "".join([*parts, self.text[at:]]) if parts else self.text

    @cached_property
    def validator(self) -> Validator:
        """The compiled schema."""
        return validator_of(self.document)

    def is_valid(self, value: Json) -> bool:
        """Whether a value fits the schema."""
        return self.validator.is_valid(value)

    def violations(self, value: Json, span: Span | None) -> tuple[Violation, ...]:
        """The violations of a value that does not fit, all with one span."""
        from pdl.reply.validation.referee import violations_of  # noqa: PLC0415 - most values fit

        found = violations_of(self.document, value)
        return tuple(replace(error, span=span) for error in found)

    @property
    def kinds(self) -> frozenset[str]:
        """The types that the schema allows at its root."""
        return self.validator.kinds
