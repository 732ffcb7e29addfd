"""`Subset`: which part of JSON Schema a provider holds its models to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
"""The types of values that most providers take in an `enum`."""

Recursion = Literal["any", "optional", "none"]
"""Where a schema may lead back to itself: anywhere, in keys that may be absent, nowhere."""


@dataclass(frozen=True)
class Subset:
    """What a provider takes of JSON Schema, beside types, `properties`, `items` and `anyOf`.

    `keywords` are those about strings, numbers and arrays that it holds, `integers` those that it
    holds of whole numbers alone, `formats` the formats; `enums` are the types of values that it
    takes in `enum`. `is_closed`: every object must list its keys and have no others; in other
    subsets schemas may also say nothing (any value). `all_required`: an object must have all of
    its keys. `object_root`: the whole must be an object. `most_min_items` is the largest
    `minItems`. `keeps_order`: `propertyOrdering` keeps keys in their order. `simple_patterns`: it
    takes no `pattern` but those of a whole text.
    """

    provider: str
    keywords: frozenset[str]
    integers: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    enums: frozenset[str] = SCALARS
    has_tuples: bool = False
    is_closed: bool = True
    all_required: bool = False
    object_root: bool = False
    recursion: Recursion = "any"
    most_min_items: int | None = None
    keeps_order: bool = False
    simple_patterns: bool = False
