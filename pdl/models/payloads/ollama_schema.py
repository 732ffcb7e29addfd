"""Ollama's `format`, which llama.cpp turns into a grammar (its `json-schema-to-grammar.cpp`)."""

from __future__ import annotations

from pdl.models.payloads.subset import SCALARS, Subset

OLLAMA = Subset(
    provider="Ollama",
    keywords=frozenset({"maxItems", "maxLength", "minItems", "minLength"}),
    integers=frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"}),
    formats=frozenset({"date", "date-time", "time", "uuid"}),
    enums=SCALARS | {"array", "object"},
    has_tuples=True,
    is_closed=False,
)
