"""Gemini's `responseJsonSchema` (reference of `GenerationConfig` in the Gemini API)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.models.payloads.form import Form, narrowed
from pdl.models.payloads.subset import Subset

if TYPE_CHECKING:
    from pdl.schema import Schema

GEMINI = Subset(
    provider="Gemini",
    keywords=frozenset({"maxItems", "maximum", "minItems", "minimum"}),
    formats=frozenset({"date", "date-time", "time"}),
    enums=frozenset({"integer", "number", "string"}),
    has_tuples=True,
    is_closed=False,
    recursion="optional",
    keeps_order=True,
)


def gemini_form(schema: Schema) -> Form:
    """A schema as Gemini takes it; what it cannot say is any value there."""
    return narrowed(schema.document, GEMINI)
