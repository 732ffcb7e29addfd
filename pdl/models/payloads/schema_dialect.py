"""`Subset`: which part of JSON Schema a provider holds its models to.

Also which keywords of JSON Schema speak of values of which type, and the error for a part of a
schema that a subset has no form for (`UnheldError`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pdl.models.exchange import Dropped
from pdl.schema.keywords import ANNOTATIONS, ASSERTIONS, pointer

if TYPE_CHECKING:
    from pdl._types import Json, JsonPath, JsonSchema


class UnsupportedSchemaError(Exception):
    """Raised where a schema cannot be narrowed: neither as it is nor without a keyword."""

    def __init__(self, path: JsonPath, keyword: str, why: str) -> None:
        super().__init__(path, keyword, why)
        self.path = path
        self.keyword = keyword
        self.why = why

    def dropped(self, more: str = "") -> Dropped:
        """The same, as something that is left to the check."""
        return Dropped(pointer(self.path), self.keyword, self.why + more)


_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
KEYWORDS_OF_TYPE = {
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
    "number": _NUMBERS,
    "integer": _NUMBERS,
    "array": frozenset(
        {
            *("contains", "items", "maxContains", "maxItems", "minContains", "minItems"),
            *("prefixItems", "unevaluatedItems", "uniqueItems"),
        }
    ),
    "object": frozenset(
        {
            *("additionalProperties", "dependentRequired", "dependentSchemas", "maxProperties"),
            *("minProperties", "patternProperties", "properties", "propertyNames", "required"),
            "unevaluatedProperties",
        }
    ),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
"""The keywords that only values of a type can violate."""

_ALL = frozenset[str]().union(*KEYWORDS_OF_TYPE.values())


def asserted(node: JsonSchema) -> list[str]:
    """The keywords of a schema that a value may violate, in their order."""
    return [key for key in node if key in ASSERTIONS]


def types(node: JsonSchema) -> list[str]:
    """The types that a schema takes; without `type` those that its keywords speak of.

    A schema without `type` takes every value of a type that none of its keywords speaks of. That
    is hardly ever meant, and what is left is still right.
    """
    named = node.get("type")
    if isinstance(named, str):
        return [named]
    if named:
        found = list(named)
        return [one for one in found if one != "integer" or "number" not in found]
    spoken = [kind for kind, keywords in KEYWORDS_OF_TYPE.items() if keywords & node.keys()]
    return [kind for kind in spoken if kind != "integer"]


def of_type(node: JsonSchema, kind: str) -> dict[str, Json]:
    """What a schema says of values of one type; what speaks of all of them is kept."""
    other = _ALL - KEYWORDS_OF_TYPE[kind]
    said = {key: value for key, value in node.items() if key not in other}
    return {**{key: value for key, value in said.items() if key not in ANNOTATIONS}, "type": kind}


_ODD = re.compile(r"\(\?|\\[^dDwWsSnrtfv.^$*+?()\[\]{}|/\\-]|[*+?}][+?]")


def is_plain(pattern: str) -> bool:
    """Whether all engines read a pattern alike: it has no lookaround, references or classes."""
    return _ODD.search(pattern) is None


_SINGLE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*(?:\]|\\?\Z)", re.DOTALL)  # or up to the end
_GROUP = re.compile(r"\([^()]*\)")
_TOKEN = re.compile(r"\{(\d+)(?:,(\d*))?\}|.", re.DOTALL)
_MOST_TIMES = 64
_MOST_SIGNS = 256


def is_simple(pattern: str) -> bool:
    """Whether a plain pattern speaks of the whole text, and counts to no large numbers.

    A pattern without anchors could be taken for one of the whole text.
    """
    bare = _SINGLE.sub("x", pattern)
    if _written_out(bare) > _MOST_SIGNS:
        return False
    while bare != (inner := _GROUP.sub("x", bare)):
        bare = inner
    return len(bare) > 1 and (bare[0], bare[-1]) == ("^", "$") and "|" not in bare


def _written_out(bare: str) -> int:
    """How many signs a pattern has when its counts are written out; too many for a large count."""
    sizes, last = [0], 0
    for token in _TOKEN.finditer(bare):
        if token[1] is not None:
            times = int(token[2] or token[1])
            sizes[-1] += last * (times - 1) if times <= _MOST_TIMES else _MOST_SIGNS + 1
        elif token[0] == "(":
            sizes.append(0)
        elif token[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif token[0] not in "*+?|^$":
            last = 1
            sizes[-1] += 1
    return sizes[0]


SCALARS = frozenset({"string", "integer", "number", "boolean", "null"})
"""The types of values that most providers take in an `enum`."""

Recursion = Literal["any", "optional", "none"]
"""Where a schema may lead back to itself: anywhere, in keys that may be absent, nowhere."""


@dataclass(frozen=True)
class SchemaDialect:
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
