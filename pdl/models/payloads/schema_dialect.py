"""`SchemaDialect`: the part of JSON Schema that a provider enforces.

Also which keywords of JSON Schema apply to which type, and the error for a schema that a dialect
can't express.
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
    """Raised for a schema that has no projection, not even without a keyword."""

    def __init__(self, path: JsonPath, keyword: str, why: str) -> None:
        super().__init__(path, keyword, why)
        self.path = path
        self.keyword = keyword
        self.why = why

    def dropped(self, more: str = "") -> Dropped:
        """Return the same as something that only the check enforces."""
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
    """Return the keywords of a schema that a value can violate, in their order."""
    return [key for key in node if key in ASSERTIONS]


def types(node: JsonSchema) -> list[str]:
    """Return the types of a schema; without `type` those that its keywords apply to.

    A schema without `type` allows every value of the other types. That is hardly ever intended, and
    what remains is still valid.
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
    """Return the part of a schema for values of one type, with keywords that apply to all."""
    other = _ALL - KEYWORDS_OF_TYPE[kind]
    said = {key: value for key, value in node.items() if key not in other}
    return {**{key: value for key, value in said.items() if key not in ANNOTATIONS}, "type": kind}


_ODD = re.compile(r"\(\?|\\[^dDwWsSnrtfv.^$*+?()\[\]{}|/\\-]|[*+?}][+?]")


def is_plain(pattern: str) -> bool:
    """Return whether all engines agree on a pattern: no lookaround, references or classes."""
    return _ODD.search(pattern) is None


_SINGLE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*(?:\]|\\?\Z)", re.DOTALL)  # or up to the end
_GROUP = re.compile(r"\([^()]*\)")
_TOKEN = re.compile(r"\{(\d+)(?:,(\d*))?\}|.", re.DOTALL)
_MOST_TIMES = 64
_MOST_SYMBOLS = 256


def is_simple(pattern: str) -> bool:
    """Return whether a plain pattern is anchored at both ends, without large counts.

    A pattern without anchors might be read as an anchored one.
    """
    bare = _SINGLE.sub("x", pattern)
    if _written_out(bare) > _MOST_SYMBOLS:
        return False
    while bare != (inner := _GROUP.sub("x", bare)):
        bare = inner
    return len(bare) > 1 and (bare[0], bare[-1]) == ("^", "$") and "|" not in bare


def _written_out(bare: str) -> int:
    """The size of a pattern with its counts written out; too large for a large count."""
    sizes, last = [0], 0
    for token in _TOKEN.finditer(bare):
        if token[1] is not None:
            times = int(token[2] or token[1])
            sizes[-1] += last * (times - 1) if times <= _MOST_TIMES else _MOST_SYMBOLS + 1
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
"""The types of values that most providers accept in an `enum`."""

Recursion = Literal["any", "optional", "none"]
"""Where a schema may be recursive: anywhere, in optional keys, nowhere."""


@dataclass(frozen=True)
class SchemaDialect:
    """What a provider supports of JSON Schema, besides types, `properties`, `items` and `anyOf`.

    `keywords` are those for strings, numbers and arrays that it enforces, `integers` those that it
    enforces for integers only, `formats` the formats; `enums` are the types of values that it
    accepts in `enum`. `is_closed`: every object must list its keys and have no others; in open
    dialects a schema may also be empty (any value). `all_required`: all keys of an object are
    required. `object_root`: the root must be an object. `most_min_items` is the largest `minItems`.
    `keeps_order`: `propertyOrdering` keeps keys in their order. `simple_patterns`: it accepts only
    a `pattern` that is anchored at both ends.
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
