"""What the keywords of a schema say of the values that satisfy it.

One function a keyword. Sources: JSON Schema Core 2020-12, sections 10 and 11, and Validation
2020-12, section 6.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.constraints import (
    LOOKED,
    Constraint,
    Constraints,
    Contains,
    Declares,
    Disjunction,
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
    SchemaLiteral,
    StringAtom,
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
from pdl.schema.keywords import DRAFT_4_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def asserted(place: Place) -> Iterator[tuple[str, Constraint]]:
    """All that a schema says, by keyword, in the order in which it is written."""
    for keyword, value in place.schema.items():
        function = _KEYWORDS.get(keyword)
        if function is not None:
            for constraint in function(place, value):
                yield keyword, constraint
    yield from (("unevaluated", constraint) for constraint in _unevaluated(place))


def _ref(place: Place, value: str) -> Iterator[Constraint]:
    yield SchemaLiteral(place.document.target(value))


def _type(_place: Place, value: str | list[str]) -> Iterator[Constraint]:
    kinds, integers = kinds_named(value)
    yield OnlyKinds(kinds)
    if integers:
        yield NumberAtom("integer")


def _digits(_place: Place, value: Any) -> Iterator[Constraint]:
    if value is True:
        yield NumberAtom("digits")


def _enum(place: Place, values: list[Any]) -> Iterator[Constraint]:
    simple = [value for value in values if not isinstance(value, list | dict)]
    deep = [value for value in values if isinstance(value, list | dict)]
    scalars = _scalars(simple)
    if not deep:
        yield from scalars
        return
    alternatives: list[Constraints] = [scalars] if simple else []
    alternatives += [(place.made(spelled_out(value)),) for value in deep]
    yield Disjunction(tuple(alternatives), place.pointer, "enum")


def _scalars(values: list[Any]) -> Constraints:
    """The value is one of these, none of which is an array or an object."""
    by_kind = grouped(values)
    constraints: list[Constraint] = [OnlyKinds(frozenset(by_kind))]
    if "boolean" in by_kind:
        constraints.append(OnlyBooleans(frozenset(by_kind["boolean"])))
    if "number" in by_kind:
        constraints.append(NumberAtom("enum", frozenset(map(stored, by_kind["number"]))))
    if "string" in by_kind:
        constraints.append(StringAtom("enum", frozenset(by_kind["string"])))
    return tuple(constraints)


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


def _const(place: Place, value: Any) -> Iterator[Constraint]:
    return _enum(place, [value])


def _bound(place: Place, value: float, keyword: Any) -> Iterator[Constraint]:  # noqa: ARG001 - one signature
    yield NumberAtom(keyword, compared(keyword, value))


def _text(_place: Place, value: int | str, keyword: Any) -> Iterator[Constraint]:
    yield StringAtom(keyword, value)


def _gbnf(place: Place, _value: str) -> Iterator[Constraint]:
    if rule_kind(place.schema) == "string":
        yield Written(place.pointer, frozenset({"string"}))
    else:
        yield Written(place.pointer)


def _properties(place: Place, value: Mapping[str, Any]) -> Iterator[Constraint]:
    yield Declares(tuple(value))
    for name in value:
        yield KeyRule(Keys(frozenset({name})), place.rule("properties", name))


def _pattern_properties(place: Place, value: Mapping[str, Any]) -> Iterator[Constraint]:
    for pattern in value:
        yield KeyRule(Keys(patterns=(pattern,)), place.rule("patternProperties", pattern))


def _additional_properties(place: Place, _value: Any) -> Iterator[Constraint]:
    yield KeyRule(others(place), place.rule("additionalProperties"))


def others(place: Place) -> Keys:
    """The keys that `additionalProperties` is about."""
    names = frozenset(place.schema.get("properties", ()))
    return Keys(names, tuple(place.schema.get("patternProperties", ())), among=False)


def _property_names(place: Place, _value: Any) -> Iterator[Constraint]:
    literal = place.literal("propertyNames")
    goal = place.document.simplified(literal)
    if goal != ():
        yield KeyRule(Keys(unlike=(literal,)), None)


def _required(_place: Place, value: list[str]) -> Iterator[Constraint]:
    return map(requires, value)


def _dependent_required(_place: Place, value: Mapping[str, list[str]]) -> Iterator[Constraint]:
    for key, needed in value.items():
        for other in needed:
            if other != key:
                yield Presence(frozenset({(key, False), (other, True)}))


def _dependent_schemas(place: Place, value: Mapping[str, Any]) -> Iterator[Constraint]:
    for key in value:
        then = place.literal("dependentSchemas", key)
        with_key = (OnlyKinds(frozenset({"object"})), requires(key), then)
        yield Disjunction(((lacks(key),), with_key), place.pointer, "dependentSchemas")


def _min_properties(_place: Place, value: float) -> Iterator[Constraint]:
    yield Members(least=int(value))


def _max_properties(_place: Place, value: float) -> Iterator[Constraint]:
    yield Members(most=int(value))


def _prefix_items(place: Place, value: list[Any]) -> Iterator[Constraint]:
    for index in range(len(value)):
        yield ItemRule(index, index + 1, place.rule("prefixItems", index))


def _items(place: Place, _value: Any) -> Iterator[Constraint]:
    yield ItemRule(len(place.schema.get("prefixItems", ())), None, place.rule("items"))


def _contains(place: Place, _value: Any) -> Iterator[Constraint]:
    least = int(place.schema.get("minContains", 1))
    most = place.schema.get("maxContains")
    yield Contains(place.literal("contains"), least, None if most is None else int(most))


def _min_items(_place: Place, value: float) -> Iterator[Constraint]:
    yield Length(least=int(value))


def _max_items(_place: Place, value: float) -> Iterator[Constraint]:
    yield Length(most=int(value))


def _unique_items(_place: Place, value: bool) -> Iterator[Constraint]:  # noqa: FBT001 - a keyword's value
    if value:
        yield Unique()


def _all_of(place: Place, value: list[Any]) -> Iterator[Constraint]:
    return (place.literal("allOf", index) for index in range(len(value)))


def _any_of(place: Place, value: list[Any]) -> Iterator[Constraint]:
    alternatives = tuple((place.literal("anyOf", index),) for index in range(len(value)))
    yield Disjunction(alternatives, place.pointer, "anyOf")


_MOST_RIVALS = 32
"""Schemas of a `oneOf` that one of them may have values in common with."""


def _one_of(place: Place, value: list[Any]) -> Iterator[Constraint]:
    literals = [place.literal("oneOf", index) for index in range(len(value))]
    looser = tuple((literal,) for literal in literals)
    rivals = _rivals(literals, place)
    if rivals is None:
        place.weaken(place.pointer, "oneOf", f"over {_MOST_RIVALS} of its schemas overlap")
        yield Disjunction(looser, place.pointer, "oneOf")
        return
    apart = tuple(
        (literal, *(place.literal("oneOf", other, positive=False) for other in rivals[index]))
        for index, literal in enumerate(literals)
    )
    yield Disjunction(apart, place.pointer, "oneOf", looser)


def _rivals(literals: list[SchemaLiteral], place: Place) -> list[list[int]] | None:
    """The others that each literal may have a value in common with; None if they are many."""
    rivals: list[list[int]] = [[] for _ in literals]
    for index, literal in enumerate(literals):
        for other in range(index + 1, len(literals)):
            if place.overlap(literal, literals[other]):
                rivals[index].append(other)
                rivals[other].append(index)
        if len(rivals[index]) > _MOST_RIVALS:
            return None
    return rivals


def _not(place: Place, _value: Any) -> Iterator[Constraint]:
    yield place.literal("not", positive=False)


def _if(place: Place, _value: Any) -> Iterator[Constraint]:
    schema = place.schema
    then: Constraints = (place.literal("then"),) if "then" in schema else ()
    otherwise: Constraints = (place.literal("else"),) if "else" in schema else ()
    met, unmet = place.literal("if"), place.literal("if", positive=False)
    asked = "then" in schema or "else" in schema
    yield Disjunction(((met, *then), (unmet, *otherwise)), place.pointer, "if" if asked else LOOKED)


def _unevaluated(place: Place) -> Iterator[Constraint]:
    """Comes behind all else that the schema says."""
    if "unevaluatedProperties" in place.schema:
        yield Unevaluated("properties", place.pointer, place.rule("unevaluatedProperties"))
    if "unevaluatedItems" in place.schema:
        yield Unevaluated("items", place.pointer, place.rule("unevaluatedItems"))


_KEYWORDS: dict[str, Callable[[Place, Any], Iterator[Constraint]]] = {
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
}
