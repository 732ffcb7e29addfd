"""What the keywords of a schema say of the values that do not satisfy it.

A value fails a schema if it fails one of its keywords; one function a keyword gives the ways to do
so, each a conjunction of constraints.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.asserted import grouped, others, spelled_out
from pdl.gbnf.compiling.constraints import (
    KINDS,
    Constraint,
    Constraints,
    Contains,
    ItemRule,
    KeyRule,
    Keys,
    Length,
    Members,
    NumberAtom,
    OnlyBooleans,
    OnlyKinds,
    SchemaLiteral,
    Some,
    StringAtom,
    lacks,
    requires,
)
from pdl.gbnf.compiling.custom_rules import KEYWORD, rule_kind
from pdl.gbnf.compiling.document import OF_NUMBERS, OF_STRINGS, Place, compared, kinds_named, stored
from pdl.gbnf.compiling.string_language import is_known_format
from pdl.schema.keywords import DRAFT_4_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_NUMBER, _STRING = OnlyKinds(frozenset({"number"})), OnlyKinds(frozenset({"string"}))
_ARRAY, _OBJECT = OnlyKinds(frozenset({"array"})), OnlyKinds(frozenset({"object"}))


def denied(place: Place) -> tuple[Constraints, ...]:
    """The ways to fail a schema."""
    return tuple(
        way
        for keyword, value in place.schema.items()
        if keyword in _KEYWORDS
        for way in _KEYWORDS[keyword](place, value)
    )


def _ref(place: Place, value: str) -> Iterator[Constraints]:
    yield (SchemaLiteral(place.document.target(value), positive=False),)


def _type(_place: Place, value: str | list[str]) -> Iterator[Constraints]:
    kinds, integers = kinds_named(value)
    rest = frozenset(KINDS) - kinds
    if rest:
        yield (OnlyKinds(rest),)
    if integers:
        yield _NUMBER, NumberAtom("integer", positive=False)


def _digits(_place: Place, value: Any) -> Iterator[Constraints]:
    if value is True:
        yield _NUMBER, NumberAtom("digits", positive=False)


def _enum(place: Place, values: list[Any]) -> Iterator[Constraints]:
    constraints: list[Constraint] = []
    simple = grouped([value for value in values if not isinstance(value, list | dict)])
    if "null" in simple:
        constraints.append(OnlyKinds(frozenset(KINDS) - {"null"}))
    if "boolean" in simple:
        constraints.append(OnlyBooleans(frozenset({True, False}) - frozenset(simple["boolean"])))
    if "number" in simple:
        numbers = frozenset(map(stored, simple["number"]))
        constraints.append(NumberAtom("enum", numbers, positive=False))
    if "string" in simple:
        constraints.append(StringAtom("enum", frozenset(simple["string"]), positive=False))
    deep = (value for value in values if isinstance(value, list | dict))
    yield (*constraints, *(place.made(spelled_out(value), positive=False) for value in deep))


def _const(place: Place, value: Any) -> Iterator[Constraints]:
    return _enum(place, [value])


def _bound(_place: Place, value: float, keyword: Any) -> Iterator[Constraints]:
    yield _NUMBER, NumberAtom(keyword, compared(keyword, value), positive=False)


def _text(_place: Place, value: int | str, keyword: Any) -> Iterator[Constraints]:
    if keyword != "format" or is_known_format(str(value)):
        yield _STRING, StringAtom(keyword, value, positive=False)


def _gbnf(place: Place, _value: str) -> Iterator[Constraints]:
    place.weaken(place.pointer, KEYWORD, "the opposite of a rule is no rule")
    yield (_STRING,) if rule_kind(place.schema) == "string" else ()


def _properties(place: Place, value: Mapping[str, Any]) -> Iterator[Constraints]:
    for name in value:
        opposite = place.denied(place.literal("properties", name))
        if opposite:
            yield _OBJECT, requires(name), KeyRule(Keys(frozenset({name})), opposite)


def _pattern_properties(place: Place, value: Mapping[str, Any]) -> Iterator[Constraints]:
    for pattern in value:
        opposite = place.denied(place.literal("patternProperties", pattern))
        if opposite:
            yield _OBJECT, Some(Keys(patterns=(pattern,)), (opposite,))


def _additional_properties(place: Place, _value: Any) -> Iterator[Constraints]:
    opposite = place.denied(place.literal("additionalProperties"))
    if opposite:
        yield _OBJECT, Some(others(place), (opposite,))


def _property_names(place: Place, _value: Any) -> Iterator[Constraints]:
    literal = place.literal("propertyNames")
    if place.document.simplified(literal) != ():
        yield _OBJECT, Some(Keys(unlike=(literal,)))


def _required(_place: Place, value: list[str]) -> Iterator[Constraints]:
    return ((_OBJECT, lacks(name)) for name in value)


def _dependent_required(_place: Place, value: Mapping[str, list[str]]) -> Iterator[Constraints]:
    for key, needed in value.items():
        for other in needed:
            if other != key:
                yield _OBJECT, requires(key), lacks(other)


def _dependent_schemas(place: Place, value: Mapping[str, Any]) -> Iterator[Constraints]:
    for key in value:
        yield _OBJECT, requires(key), place.literal("dependentSchemas", key, positive=False)


def _min_properties(_place: Place, value: float) -> Iterator[Constraints]:
    if value > 0:
        yield _OBJECT, Members(most=int(value) - 1)


def _max_properties(_place: Place, value: float) -> Iterator[Constraints]:
    yield _OBJECT, Members(least=int(value) + 1)


def _prefix_items(place: Place, value: list[Any]) -> Iterator[Constraints]:
    for index in range(len(value)):
        opposite = place.denied(place.literal("prefixItems", index))
        if opposite:
            yield _ARRAY, Length(least=index + 1), ItemRule(index, index + 1, opposite)


def _items(place: Place, _value: Any) -> Iterator[Constraints]:
    opposite = place.denied(place.literal("items"))
    if opposite:
        start = len(place.schema.get("prefixItems", ()))
        yield _ARRAY, Length(least=start + 1), Contains(opposite, start=start)


def _contains(place: Place, _value: Any) -> Iterator[Constraints]:
    literal = place.literal("contains")
    least = int(place.schema.get("minContains", 1))
    most = place.schema.get("maxContains")
    if least > 0:
        yield _ARRAY, Contains(literal, 0, least - 1)
    if most is not None:
        yield _ARRAY, Contains(literal, int(most) + 1)


def _min_items(_place: Place, value: float) -> Iterator[Constraints]:
    if value > 0:
        yield _ARRAY, Length(most=int(value) - 1)


def _max_items(_place: Place, value: float) -> Iterator[Constraints]:
    yield _ARRAY, Length(least=int(value) + 1)


def _unique_items(place: Place, value: bool) -> Iterator[Constraints]:  # noqa: FBT001 - a keyword's value
    if value:
        place.weaken(place.pointer, "uniqueItems", "no grammar tells that two items are equal")
        yield _ARRAY, Length(least=2)


def _all_of(place: Place, value: list[Any]) -> Iterator[Constraints]:
    return ((place.literal("allOf", index, positive=False),) for index in range(len(value)))


def _any_of(place: Place, value: list[Any]) -> Iterator[Constraints]:
    yield tuple(place.literal("anyOf", index, positive=False) for index in range(len(value)))


def _one_of(place: Place, value: list[Any]) -> Iterator[Constraints]:
    yield tuple(place.literal("oneOf", index, positive=False) for index in range(len(value)))
    literals = [place.literal("oneOf", index) for index in range(len(value))]
    for one, other in combinations(literals, 2):
        if place.overlap(one, other):
            yield one, other


def _not(place: Place, _value: Any) -> Iterator[Constraints]:
    yield (place.literal("not"),)


def _if(place: Place, _value: Any) -> Iterator[Constraints]:
    if "then" in place.schema:
        yield place.literal("if"), place.literal("then", positive=False)
    if "else" in place.schema:
        yield place.literal("if", positive=False), place.literal("else", positive=False)


def _unevaluated(place: Place, _value: Any, keyword: str) -> Iterator[Constraints]:
    place.weaken(place.pointer, keyword, "its opposite is not told by a grammar")
    yield (_OBJECT if keyword == "unevaluatedProperties" else _ARRAY,)


_KEYWORDS: dict[str, Callable[[Place, Any], Iterator[Constraints]]] = {
    "$ref": _ref,
    "type": _type,
    DRAFT_4_INTEGER: _digits,
    "enum": _enum,
    "const": _const,
    **{keyword: partial(_bound, keyword=keyword) for keyword in OF_NUMBERS},
    **{keyword: partial(_text, keyword=keyword) for keyword in OF_STRINGS},
    KEYWORD: _gbnf,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "minProperties": _min_properties,
    "maxProperties": _max_properties,
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "minItems": _min_items,
    "maxItems": _max_items,
    "uniqueItems": _unique_items,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "unevaluatedProperties": partial(_unevaluated, keyword="unevaluatedProperties"),
    "unevaluatedItems": partial(_unevaluated, keyword="unevaluatedItems"),
}
