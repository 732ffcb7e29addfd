"""What the keywords of a schema say of the values that do not satisfy it.

A value fails a schema if it fails one of its keywords; one function a keyword gives the ways to do
so, each a conjunction of facts.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.asserted import grouped, others, spelled_out
from pdl.gbnf.compiling.claims import (
    KINDS,
    Claim,
    Contains,
    Fact,
    Facts,
    ItemRule,
    KeyRule,
    Keys,
    Length,
    Members,
    NumberAtom,
    OnlyBooleans,
    OnlyKinds,
    Some,
    TextAtom,
    lacks,
    requires,
)
from pdl.gbnf.compiling.custom_rules import KEYWORD, rule_kind
from pdl.gbnf.compiling.document import OF_NUMBERS, OF_STRINGS, Place, compared, kinds_named, stored
from pdl.gbnf.compiling.texts import is_known_format
from pdl.schema.keywords import DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_NUMBER, _STRING = OnlyKinds(frozenset({"number"})), OnlyKinds(frozenset({"string"}))
_ARRAY, _OBJECT = OnlyKinds(frozenset({"array"})), OnlyKinds(frozenset({"object"}))


def denied(place: Place) -> tuple[Facts, ...]:
    """The ways to fail a schema."""
    return tuple(
        way
        for keyword, value in place.schema.items()
        if keyword in _KEYWORDS
        for way in _KEYWORDS[keyword](place, value)
    )


def _ref(place: Place, value: str) -> Iterator[Facts]:
    yield (Claim(place.document.target(value), holds=False),)


def _type(_place: Place, value: str | list[str]) -> Iterator[Facts]:
    kinds, integers = kinds_named(value)
    rest = frozenset(KINDS) - kinds
    if rest:
        yield (OnlyKinds(rest),)
    if integers:
        yield _NUMBER, NumberAtom("integer", holds=False)


def _digits(_place: Place, value: Any) -> Iterator[Facts]:
    if value is True:
        yield _NUMBER, NumberAtom("digits", holds=False)


def _enum(place: Place, values: list[Any]) -> Iterator[Facts]:
    facts: list[Fact] = []
    simple = grouped([value for value in values if not isinstance(value, list | dict)])
    if "null" in simple:
        facts.append(OnlyKinds(frozenset(KINDS) - {"null"}))
    if "boolean" in simple:
        facts.append(OnlyBooleans(frozenset({True, False}) - frozenset(simple["boolean"])))
    if "number" in simple:
        numbers = frozenset(map(stored, simple["number"]))
        facts.append(NumberAtom("enum", numbers, holds=False))
    if "string" in simple:
        facts.append(TextAtom("enum", frozenset(simple["string"]), holds=False))
    deep = (value for value in values if isinstance(value, list | dict))
    yield (*facts, *(place.made(spelled_out(value), holds=False) for value in deep))


def _const(place: Place, value: Any) -> Iterator[Facts]:
    return _enum(place, [value])


def _bound(_place: Place, value: float, keyword: Any) -> Iterator[Facts]:
    yield _NUMBER, NumberAtom(keyword, compared(keyword, value), holds=False)


def _text(_place: Place, value: int | str, keyword: Any) -> Iterator[Facts]:
    if keyword != "format" or is_known_format(str(value)):
        yield _STRING, TextAtom(keyword, value, holds=False)


def _gbnf(place: Place, _value: str) -> Iterator[Facts]:
    place.weaken(place.pointer, KEYWORD, "the opposite of a rule is no rule")
    yield (_STRING,) if rule_kind(place.schema) == "string" else ()


def _properties(place: Place, value: Mapping[str, Any]) -> Iterator[Facts]:
    for name in value:
        opposite = place.denied(place.claim("properties", name))
        if opposite:
            yield _OBJECT, requires(name), KeyRule(Keys(frozenset({name})), opposite)


def _pattern_properties(place: Place, value: Mapping[str, Any]) -> Iterator[Facts]:
    for pattern in value:
        opposite = place.denied(place.claim("patternProperties", pattern))
        if opposite:
            yield _OBJECT, Some(Keys(patterns=(pattern,)), (opposite,))


def _additional_properties(place: Place, _value: Any) -> Iterator[Facts]:
    opposite = place.denied(place.claim("additionalProperties"))
    if opposite:
        yield _OBJECT, Some(others(place), (opposite,))


def _property_names(place: Place, _value: Any) -> Iterator[Facts]:
    claim = place.claim("propertyNames")
    if place.document.simplified(claim) != ():
        yield _OBJECT, Some(Keys(unlike=(claim,)))


def _required(_place: Place, value: list[str]) -> Iterator[Facts]:
    return ((_OBJECT, lacks(name)) for name in value)


def _dependent_required(_place: Place, value: Mapping[str, list[str]]) -> Iterator[Facts]:
    for key, needed in value.items():
        for other in needed:
            if other != key:
                yield _OBJECT, requires(key), lacks(other)


def _dependent_schemas(place: Place, value: Mapping[str, Any]) -> Iterator[Facts]:
    for key in value:
        yield _OBJECT, requires(key), place.claim("dependentSchemas", key, holds=False)


def _min_properties(_place: Place, value: float) -> Iterator[Facts]:
    if value > 0:
        yield _OBJECT, Members(most=int(value) - 1)


def _max_properties(_place: Place, value: float) -> Iterator[Facts]:
    yield _OBJECT, Members(least=int(value) + 1)


def _prefix_items(place: Place, value: list[Any]) -> Iterator[Facts]:
    for index in range(len(value)):
        opposite = place.denied(place.claim("prefixItems", index))
        if opposite:
            yield _ARRAY, Length(least=index + 1), ItemRule(index, index + 1, opposite)


def _items(place: Place, _value: Any) -> Iterator[Facts]:
    opposite = place.denied(place.claim("items"))
    if opposite:
        start = len(place.schema.get("prefixItems", ()))
        yield _ARRAY, Length(least=start + 1), Contains(opposite, start=start)


def _contains(place: Place, _value: Any) -> Iterator[Facts]:
    claim = place.claim("contains")
    least = int(place.schema.get("minContains", 1))
    most = place.schema.get("maxContains")
    if least > 0:
        yield _ARRAY, Contains(claim, 0, least - 1)
    if most is not None:
        yield _ARRAY, Contains(claim, int(most) + 1)


def _min_items(_place: Place, value: float) -> Iterator[Facts]:
    if value > 0:
        yield _ARRAY, Length(most=int(value) - 1)


def _max_items(_place: Place, value: float) -> Iterator[Facts]:
    yield _ARRAY, Length(least=int(value) + 1)


def _unique_items(place: Place, value: bool) -> Iterator[Facts]:  # noqa: FBT001 - a keyword's value
    if value:
        place.weaken(place.pointer, "uniqueItems", "no grammar tells that two items are equal")
        yield _ARRAY, Length(least=2)


def _all_of(place: Place, value: list[Any]) -> Iterator[Facts]:
    return ((place.claim("allOf", index, holds=False),) for index in range(len(value)))


def _any_of(place: Place, value: list[Any]) -> Iterator[Facts]:
    yield tuple(place.claim("anyOf", index, holds=False) for index in range(len(value)))


def _one_of(place: Place, value: list[Any]) -> Iterator[Facts]:
    yield tuple(place.claim("oneOf", index, holds=False) for index in range(len(value)))
    claims = [place.claim("oneOf", index) for index in range(len(value))]
    for one, other in combinations(claims, 2):
        if place.overlap(one, other):
            yield one, other


def _not(place: Place, _value: Any) -> Iterator[Facts]:
    yield (place.claim("not"),)


def _if(place: Place, _value: Any) -> Iterator[Facts]:
    if "then" in place.schema:
        yield place.claim("if"), place.claim("then", holds=False)
    if "else" in place.schema:
        yield place.claim("if", holds=False), place.claim("else", holds=False)


def _unevaluated(place: Place, _value: Any, keyword: str) -> Iterator[Facts]:
    place.weaken(place.pointer, keyword, "its opposite is not told by a grammar")
    yield (_OBJECT if keyword == "unevaluatedProperties" else _ARRAY,)


_KEYWORDS: dict[str, Callable[[Place, Any], Iterator[Facts]]] = {
    "$ref": _ref,
    "type": _type,
    DIGITS: _digits,
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
