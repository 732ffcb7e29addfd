"""What the keywords of a schema say of the values that satisfy it.

One function a keyword. Sources: JSON Schema Core 2020-12, sections 10 and 11, and Validation
2020-12, section 6.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.claims import (
    LOOKED,
    Branch,
    Claim,
    Contains,
    Declares,
    Fact,
    Facts,
    ItemRule,
    KeyRule,
    Keys,
    Kind,
    Length,
    Members,
    NumberAtom,
    OnlyBooleans,
    OnlyKinds,
    Presence,
    TextAtom,
    Unevaluated,
    Unique,
    Written,
    lacks,
    requires,
)
from pdl.gbnf.compiling.custom_rules import KEYWORD, rule_kind
from pdl.gbnf.compiling.document import (
    OF_NUMBERS,
    OF_STRINGS,
    Place,
    compared,
    kind_of,
    kinds_named,
    stored,
)
from pdl.schema.keywords import DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def asserted(place: Place) -> Iterator[tuple[str, Fact]]:
    """All that a schema says, by keyword, in the order in which it is written."""
    for keyword, value in place.schema.items():
        function = _KEYWORDS.get(keyword)
        if function is not None:
            for fact in function(place, value):
                yield keyword, fact
    yield from (("unevaluated", fact) for fact in _unevaluated(place))


def _ref(place: Place, value: str) -> Iterator[Fact]:
    yield Claim(place.document.target(value))


def _type(_place: Place, value: str | list[str]) -> Iterator[Fact]:
    kinds, integers = kinds_named(value)
    yield OnlyKinds(kinds)
    if integers:
        yield NumberAtom("integer")


def _digits(_place: Place, value: Any) -> Iterator[Fact]:
    if value is True:
        yield NumberAtom("digits")


def _enum(place: Place, values: list[Any]) -> Iterator[Fact]:
    simple = [value for value in values if not isinstance(value, list | dict)]
    deep = [value for value in values if isinstance(value, list | dict)]
    scalars = _scalars(simple)
    if not deep:
        yield from scalars
        return
    alternatives: list[Facts] = [scalars] if simple else []
    alternatives += [(place.made(spelled_out(value)),) for value in deep]
    yield Branch(tuple(alternatives), place.pointer, "enum")


def _scalars(values: list[Any]) -> Facts:
    """The value is one of these, none of which is an array or an object."""
    by_kind = grouped(values)
    facts: list[Fact] = [OnlyKinds(frozenset(by_kind))]
    if "boolean" in by_kind:
        facts.append(OnlyBooleans(frozenset(by_kind["boolean"])))
    if "number" in by_kind:
        facts.append(NumberAtom("enum", frozenset(map(stored, by_kind["number"]))))
    if "string" in by_kind:
        facts.append(TextAtom("enum", frozenset(by_kind["string"])))
    return tuple(facts)


def grouped(values: list[Any]) -> dict[Kind, list[Any]]:
    """Values by their kinds."""
    by_kind: dict[Kind, list[Any]] = {}
    for value in values:
        by_kind.setdefault(kind_of(value), []).append(value)
    return by_kind


def spelled_out(value: Any) -> dict[str, Any]:
    """A schema that an array or object alone satisfies, with one for each part of it."""
    if isinstance(value, list):
        parts = {"prefixItems": [_constant(one) for one in value]} if value else {}
        return {"type": "array", **parts, "minItems": len(value), "maxItems": len(value)}
    return {
        "type": "object",
        "properties": {key: _constant(one) for key, one in value.items()},
        "required": list(value),
        "additionalProperties": False,
    }


def _constant(value: Any) -> dict[str, Any]:
    return {"const": value}


def _const(place: Place, value: Any) -> Iterator[Fact]:
    return _enum(place, [value])


def _bound(place: Place, value: float, keyword: Any) -> Iterator[Fact]:  # noqa: ARG001 - one signature
    yield NumberAtom(keyword, compared(keyword, value))


def _text(_place: Place, value: int | str, keyword: Any) -> Iterator[Fact]:
    yield TextAtom(keyword, value)


def _gbnf(place: Place, _value: str) -> Iterator[Fact]:
    if rule_kind(place.schema) == "string":
        yield Written(place.pointer, frozenset({"string"}))
    else:
        yield Written(place.pointer)


def _properties(place: Place, value: Mapping[str, Any]) -> Iterator[Fact]:
    yield Declares(tuple(value))
    for name in value:
        yield KeyRule(Keys(frozenset({name})), place.rule("properties", name))


def _pattern_properties(place: Place, value: Mapping[str, Any]) -> Iterator[Fact]:
    for pattern in value:
        yield KeyRule(Keys(patterns=(pattern,)), place.rule("patternProperties", pattern))


def _additional_properties(place: Place, _value: Any) -> Iterator[Fact]:
    yield KeyRule(others(place), place.rule("additionalProperties"))


def others(place: Place) -> Keys:
    """The keys that `additionalProperties` is about."""
    names = frozenset(place.schema.get("properties", ()))
    return Keys(names, tuple(place.schema.get("patternProperties", ())), among=False)


def _property_names(place: Place, _value: Any) -> Iterator[Fact]:
    claim = place.claim("propertyNames")
    goal = place.document.simplified(claim)
    if goal != ():
        yield KeyRule(Keys(unlike=(claim,)), None)


def _required(_place: Place, value: list[str]) -> Iterator[Fact]:
    return map(requires, value)


def _dependent_required(_place: Place, value: Mapping[str, list[str]]) -> Iterator[Fact]:
    for key, needed in value.items():
        for other in needed:
            if other != key:
                yield Presence(frozenset({(key, False), (other, True)}))


def _dependent_schemas(place: Place, value: Mapping[str, Any]) -> Iterator[Fact]:
    for key in value:
        then = place.claim("dependentSchemas", key)
        with_key = (OnlyKinds(frozenset({"object"})), requires(key), then)
        yield Branch(((lacks(key),), with_key), place.pointer, "dependentSchemas")


def _min_properties(_place: Place, value: float) -> Iterator[Fact]:
    yield Members(least=int(value))


def _max_properties(_place: Place, value: float) -> Iterator[Fact]:
    yield Members(most=int(value))


def _prefix_items(place: Place, value: list[Any]) -> Iterator[Fact]:
    for index in range(len(value)):
        yield ItemRule(index, index + 1, place.rule("prefixItems", index))


def _items(place: Place, _value: Any) -> Iterator[Fact]:
    yield ItemRule(len(place.schema.get("prefixItems", ())), None, place.rule("items"))


def _contains(place: Place, _value: Any) -> Iterator[Fact]:
    least = int(place.schema.get("minContains", 1))
    most = place.schema.get("maxContains")
    yield Contains(place.claim("contains"), least, None if most is None else int(most))


def _min_items(_place: Place, value: float) -> Iterator[Fact]:
    yield Length(least=int(value))


def _max_items(_place: Place, value: float) -> Iterator[Fact]:
    yield Length(most=int(value))


def _unique_items(_place: Place, value: bool) -> Iterator[Fact]:  # noqa: FBT001 - a keyword's value
    if value:
        yield Unique()


def _all_of(place: Place, value: list[Any]) -> Iterator[Fact]:
    return (place.claim("allOf", index) for index in range(len(value)))


def _any_of(place: Place, value: list[Any]) -> Iterator[Fact]:
    alternatives = tuple((place.claim("anyOf", index),) for index in range(len(value)))
    yield Branch(alternatives, place.pointer, "anyOf")


_MOST_RIVALS = 32
"""Schemas of a `oneOf` that one of them may have values in common with."""


def _one_of(place: Place, value: list[Any]) -> Iterator[Fact]:
    claims = [place.claim("oneOf", index) for index in range(len(value))]
    looser = tuple((claim,) for claim in claims)
    rivals = _rivals(claims, place)
    if rivals is None:
        place.weaken(place.pointer, "oneOf", f"over {_MOST_RIVALS} of its schemas overlap")
        yield Branch(looser, place.pointer, "oneOf")
        return
    apart = tuple(
        (claim, *(place.claim("oneOf", other, holds=False) for other in rivals[index]))
        for index, claim in enumerate(claims)
    )
    yield Branch(apart, place.pointer, "oneOf", looser)


def _rivals(claims: list[Claim], place: Place) -> list[list[int]] | None:
    """The others that each claim may have a value in common with; None if they are many."""
    rivals: list[list[int]] = [[] for _ in claims]
    for index, claim in enumerate(claims):
        for other in range(index + 1, len(claims)):
            if place.overlap(claim, claims[other]):
                rivals[index].append(other)
                rivals[other].append(index)
        if len(rivals[index]) > _MOST_RIVALS:
            return None
    return rivals


def _not(place: Place, _value: Any) -> Iterator[Fact]:
    yield place.claim("not", holds=False)


def _if(place: Place, _value: Any) -> Iterator[Fact]:
    schema = place.schema
    then: Facts = (place.claim("then"),) if "then" in schema else ()
    otherwise: Facts = (place.claim("else"),) if "else" in schema else ()
    met, unmet = place.claim("if"), place.claim("if", holds=False)
    asked = "then" in schema or "else" in schema
    yield Branch(((met, *then), (unmet, *otherwise)), place.pointer, "if" if asked else LOOKED)


def _unevaluated(place: Place) -> Iterator[Fact]:
    """Comes behind all else that the schema says."""
    if "unevaluatedProperties" in place.schema:
        yield Unevaluated("properties", place.pointer, place.rule("unevaluatedProperties"))
    if "unevaluatedItems" in place.schema:
        yield Unevaluated("items", place.pointer, place.rule("unevaluatedItems"))


_KEYWORDS: dict[str, Callable[[Place, Any], Iterator[Fact]]] = {
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
}
