"""What keywords mean: the signed rules of the tableau, which assert a schema or deny it.

`assert_schema` has one function a keyword for the constraints that a value satisfies all (an alpha
rule). `deny_schema` returns the alternatives of which a value that fails the schema satisfies one
(a beta rule): mostly one for each constraint that the keyword asserts, with the opposite of it.
Keywords whose constraints are disjunctions have functions of their own for that.

Sources: Smullyan, First-Order Logic, 1968, for signed formulas; JSON Schema Core 2020-12, sections
10 and 11, and Validation 2020-12, section 6, for the keywords.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pdl.gbnf.compiling.constraints import (
    EVALUATED_ONLY,
    KINDS,
    Constraint,
    Constraints,
    Contains,
    CustomRule,
    Declares,
    Disjunction,
    ItemRule,
    KeyRule,
    Keys,
    Kind,
    Limit,
    NumberAtom,
    Presence,
    SchemaLiteral,
    Some,
    StringAtom,
    Unevaluated,
    kinds,
    lacks,
    length,
    members,
    requires,
)
from pdl.gbnf.compiling.document import (
    KEYWORD,
    OF_NUMBERS,
    OF_STRINGS,
    Subschema,
    compared,
    is_known_format,
    kind_of,
    kinds_named,
    rule_kind,
    stored,
)
from pdl.schema.keywords import DRAFT_4_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_NUMBER, _STRING = kinds("number"), kinds("string")
_ARRAY, _OBJECT = kinds("array"), kinds("object")


def assert_schema(schema: Subschema, *, evaluating: bool = False) -> Constraints:
    """All that a schema says, in the order in which it is written; `unevaluated…` come last.

    With `evaluating`, these are left out.
    """
    later = [keyword for keyword in schema.keywords if keyword.startswith("unevaluated")]
    keywords = [keyword for keyword in schema.keywords if keyword not in later]
    return tuple(
        constraint
        for keyword in (*keywords, *(() if evaluating else later))
        if keyword in _ASSERT
        for constraint in _ASSERT[keyword](schema, schema.keywords[keyword])
    )


def _type(_schema: Subschema, value: str | list[str]) -> Iterator[Constraint]:
    named, integers = kinds_named(value)
    yield Limit("kinds", named)
    if integers:
        yield NumberAtom("integer")


def _number(_schema: Subschema, value: float, *, keyword: Any) -> Iterator[Constraint]:
    yield NumberAtom(keyword, compared(keyword, value))


def _string(_schema: Subschema, value: int | str, *, keyword: Any) -> Iterator[Constraint]:
    yield StringAtom(keyword, value)


def _enum(schema: Subschema, values: list[Any]) -> Iterator[Constraint]:
    scalars, containers = _parted(values)
    listed: list[Constraint] = [Limit("kinds", frozenset(scalars))]
    if "boolean" in scalars:
        listed.append(Limit("booleans", frozenset(scalars["boolean"])))
    listed += _listed(scalars, positive=True)
    if not containers:
        yield from listed
        return
    alternatives: list[Constraints] = [tuple(listed)] if scalars else []
    alternatives += [(schema.made(_spelled_out(value)),) for value in containers]
    yield Disjunction(tuple(alternatives), schema.pointer, "enum")


def _parted(values: list[Any]) -> tuple[dict[Kind, list[Any]], list[Any]]:
    """Values by their kinds, and those that are arrays or objects."""
    scalars: dict[Kind, list[Any]] = {}
    containers: list[Any] = []
    for value in values:
        if isinstance(value, list | dict):
            containers.append(value)
        else:
            scalars.setdefault(kind_of(value), []).append(value)
    return scalars, containers


def _listed(scalars: dict[Kind, list[Any]], *, positive: bool) -> Iterator[Constraint]:
    if "number" in scalars:
        yield NumberAtom("enum", frozenset(map(stored, scalars["number"])), positive)
    if "string" in scalars:
        yield StringAtom("enum", frozenset(scalars["string"]), positive)


def _spelled_out(value: Any) -> dict[str, Any]:
    """A schema that an array or object alone satisfies, with one for each part of it."""
    if isinstance(value, list):
        items = {"prefixItems": [{"const": one} for one in value]} if value else {}
        return {"type": "array", **items, "minItems": len(value), "maxItems": len(value)}
    return {
        "type": "object",
        "properties": {key: {"const": one} for key, one in value.items()},
        "required": list(value),
        "additionalProperties": False,
    }


def _custom_rule(schema: Subschema, _value: str) -> Iterator[Constraint]:
    if rule_kind(schema.keywords) == "string":
        yield CustomRule(schema.pointer, frozenset({"string"}))
    else:
        yield CustomRule(schema.pointer)


def _properties(schema: Subschema, value: Mapping[str, Any]) -> Iterator[Constraint]:
    yield Declares(tuple(value))
    for name in value:
        yield KeyRule(Keys(frozenset({name})), schema.rule("properties", name))


def _pattern_properties(schema: Subschema, value: Mapping[str, Any]) -> Iterator[Constraint]:
    for pattern in value:
        yield KeyRule(Keys(patterns=(pattern,)), schema.rule("patternProperties", pattern))


def _additional_properties(schema: Subschema, _value: Any) -> Iterator[Constraint]:
    names = frozenset(schema.keywords.get("properties", ()))
    keys = Keys(names, tuple(schema.keywords.get("patternProperties", ())), among=False)
    yield KeyRule(keys, schema.rule("additionalProperties"))


def _property_names(schema: Subschema, _value: Any) -> Iterator[Constraint]:
    literal = schema.literal("propertyNames")
    if schema.document.simplified(literal) != ():
        yield KeyRule(Keys(unlike=(literal,)), None)


def _dependent_required(_schema: Subschema, value: Mapping[str, list[str]]) -> Iterator[Constraint]:
    for key, needed in value.items():
        for other in needed:
            if other != key:
                yield Presence(frozenset({(key, False), (other, True)}))


def _dependent_schemas(schema: Subschema, value: Mapping[str, Any]) -> Iterator[Constraint]:
    for key in value:
        with_key = (_OBJECT, requires(key), schema.literal("dependentSchemas", key))
        yield Disjunction(((lacks(key),), with_key), schema.pointer, "dependentSchemas")


def _prefix_items(schema: Subschema, value: list[Any]) -> Iterator[Constraint]:
    for index in range(len(value)):
        yield ItemRule(index, index + 1, schema.rule("prefixItems", index))


def _items(schema: Subschema, _value: Any) -> Iterator[Constraint]:
    start = len(schema.keywords.get("prefixItems", ()))
    yield ItemRule(start, None, schema.rule("items"))


def _contains(schema: Subschema, _value: Any) -> Iterator[Constraint]:
    least = int(schema.keywords.get("minContains", 1))
    most = schema.keywords.get("maxContains")
    yield Contains(schema.literal("contains"), least, None if most is None else int(most))


def _all_of(schema: Subschema, value: list[Any]) -> Iterator[Constraint]:
    return (schema.literal("allOf", index) for index in range(len(value)))


def _any_of(schema: Subschema, value: list[Any]) -> Iterator[Constraint]:
    alternatives = tuple((schema.literal("anyOf", index),) for index in range(len(value)))
    yield Disjunction(alternatives, schema.pointer, "anyOf")


_MOST_RIVALS = 32
"""Schemas of a `oneOf` that one of them may have values in common with."""


def _one_of(schema: Subschema, value: list[Any]) -> Iterator[Constraint]:
    literals = [schema.literal("oneOf", index) for index in range(len(value))]
    looser = tuple((literal,) for literal in literals)
    rivals = _rivals(literals, schema)
    if rivals is None:
        schema.weaken(schema.pointer, "oneOf", f"more than {_MOST_RIVALS} of its schemas overlap")
        yield Disjunction(looser, schema.pointer, "oneOf")
        return
    apart = tuple(
        (literal, *(literals[other].opposite for other in others))
        for literal, others in zip(literals, rivals, strict=True)
    )
    yield Disjunction(apart, schema.pointer, "oneOf", looser)


def _rivals(literals: list[SchemaLiteral], schema: Subschema) -> list[list[int]] | None:
    """The others that each literal may have a value in common with; None if they are many."""
    rivals: list[list[int]] = [[] for _ in literals]
    for index, literal in enumerate(literals):
        for other in range(index + 1, len(literals)):
            if schema.overlap(literal, literals[other]):
                rivals[index].append(other)
                rivals[other].append(index)
        if len(rivals[index]) > _MOST_RIVALS:
            return None
    return rivals


def _if(schema: Subschema, _value: Any) -> Iterator[Constraint]:
    then, otherwise = (
        (schema.literal(keyword),) if keyword in schema.keywords else ()
        for keyword in ("then", "else")
    )
    met = schema.literal("if")
    alternatives = (met, *then), (met.opposite, *otherwise)
    yield Disjunction(alternatives, schema.pointer, "if" if then or otherwise else EVALUATED_ONLY)


def _unevaluated(schema: Subschema, _value: Any, *, keyword: str) -> Iterator[Constraint]:
    parts: Any = keyword.removeprefix("unevaluated").lower()
    yield Unevaluated(parts, schema.pointer, schema.rule(keyword))


_ASSERT: dict[str, Callable[[Subschema, Any], Iterable[Constraint]]] = {
    "$ref": lambda schema, value: [SchemaLiteral(schema.document.target(value, schema.pointer))],
    "type": _type,
    DRAFT_4_INTEGER: lambda _, value: [NumberAtom("digits")] if value is True else [],
    "enum": _enum,
    "const": lambda schema, value: _enum(schema, [value]),
    **{keyword: partial(_number, keyword=keyword) for keyword in OF_NUMBERS},
    **{keyword: partial(_string, keyword=keyword) for keyword in OF_STRINGS},
    KEYWORD: _custom_rule,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": lambda _, value: map(requires, value),
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "minProperties": lambda _, value: [members(int(value))],
    "maxProperties": lambda _, value: [members(0, int(value))],
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "minItems": lambda _, value: [length(int(value))],
    "maxItems": lambda _, value: [length(0, int(value))],
    "uniqueItems": lambda _, value: [Limit("unique", value=True)] if value else [],
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": lambda schema, _: [schema.literal("not", positive=False)],
    "if": _if,
    "unevaluatedProperties": partial(_unevaluated, keyword="unevaluatedProperties"),
    "unevaluatedItems": partial(_unevaluated, keyword="unevaluatedItems"),
}


def deny_schema(schema: Subschema) -> tuple[Constraints, ...]:
    """The ways to fail a schema: a value fails it if it fails one of its keywords."""
    return tuple(
        alternative
        for keyword, value in schema.keywords.items()
        for alternative in _deny(schema, keyword, value)
    )


def _deny(schema: Subschema, keyword: str, value: Any) -> Iterator[Constraints]:
    if keyword in _DENY:
        yield from _DENY[keyword](schema, value)
    elif keyword in _ASSERT:
        for constraint in _ASSERT[keyword](schema, value):
            yield from _opposites(schema, constraint)


def _opposites(schema: Subschema, constraint: Constraint) -> Iterator[Constraints]:  # noqa: C901, PLR0912 - one case a constraint
    """The ways to fail a constraint that is not a disjunction."""
    match constraint:
        case SchemaLiteral():
            yield (constraint.opposite,)
        case NumberAtom():
            yield _NUMBER, constraint._replace(positive=False)
        case StringAtom(word, value):
            if word != "format" or is_known_format(str(value)):
                yield _STRING, constraint._replace(positive=False)
        case Limit("kinds", named):
            if len(named) < len(KINDS):
                yield (Limit("kinds", frozenset(KINDS) - named),)
        case Limit("members" | "length" as field, (least, most)):
            kind = _OBJECT if field == "members" else _ARRAY
            if least > 0:
                yield kind, Limit(field, (0, least - 1))
            if most is not None:
                yield kind, Limit(field, (most + 1, None))
        case Limit("unique"):
            why = "a grammar can't express that two items are equal"
            schema.weaken(schema.pointer, "uniqueItems", why)
            yield _ARRAY, length(2), Limit("repeated", value=True)
        case Presence(clause):
            yield _OBJECT, *(Presence(frozenset({(key, not on)})) for key, on in sorted(clause))
        case Contains(literal, least, most):
            if least > 0:
                yield _ARRAY, Contains(literal, 0, least - 1)
            if most is not None:
                yield _ARRAY, Contains(literal, most + 1)
        case KeyRule() | ItemRule():
            opposite = () if constraint.literal is None else (constraint.literal.opposite,)
            if schema.document.joined(opposite) is not None:
                yield _exception(constraint, opposite)
        case Unevaluated(parts):
            kind = _OBJECT if parts == "properties" else _ARRAY
            yield kind, constraint._replace(positive=False)


def _exception(rule: KeyRule | ItemRule, opposite: tuple[SchemaLiteral, ...]) -> Constraints:
    """That there is a key or item of a rule, with a value that satisfies the opposite."""
    if isinstance(rule, ItemRule) and rule.stop is None:
        some = (Contains(literal, start=rule.start) for literal in opposite)
        return _ARRAY, length(rule.start + 1), *some
    if isinstance(rule, ItemRule):
        items = (rule._replace(literal=literal) for literal in opposite)
        return _ARRAY, length(rule.start + 1), *items
    if not rule.keys.are_listed:
        return _OBJECT, Some(rule.keys, opposite)
    values = (KeyRule(rule.keys, literal) for literal in opposite)
    return _OBJECT, *map(requires, sorted(rule.keys.names)), *values


def _deny_enum(schema: Subschema, values: list[Any]) -> Iterator[Constraints]:
    scalars, containers = _parted(values)
    none_of: list[Constraint] = []
    if "null" in scalars:
        none_of.append(Limit("kinds", frozenset(KINDS) - {"null"}))
    if "boolean" in scalars:
        none_of.append(Limit("booleans", frozenset({True, False}) - set(scalars["boolean"])))
    none_of += _listed(scalars, positive=False)
    yield (*none_of, *(schema.made(_spelled_out(one), positive=False) for one in containers))


def _deny_custom_rule(schema: Subschema, _value: str) -> Iterator[Constraints]:
    schema.weaken(schema.pointer, KEYWORD, "a grammar can't express the opposite of a rule")
    yield (_STRING,) if rule_kind(schema.keywords) == "string" else ()


def _deny_dependent_schemas(schema: Subschema, value: Mapping[str, Any]) -> Iterator[Constraints]:
    for key in value:
        yield _OBJECT, requires(key), schema.literal("dependentSchemas", key, positive=False)


def _deny_any_of(schema: Subschema, value: list[Any]) -> Iterator[Constraints]:
    yield tuple(schema.literal("anyOf", index, positive=False) for index in range(len(value)))


def _deny_one_of(schema: Subschema, value: list[Any]) -> Iterator[Constraints]:
    literals = [schema.literal("oneOf", index) for index in range(len(value))]
    yield tuple(literal.opposite for literal in literals)
    for one, other in combinations(literals, 2):
        if schema.overlap(one, other):
            yield one, other


def _deny_if(schema: Subschema, _value: Any) -> Iterator[Constraints]:
    if "then" in schema.keywords:
        yield schema.literal("if"), schema.literal("then", positive=False)
    if "else" in schema.keywords:
        yield schema.literal("if", positive=False), schema.literal("else", positive=False)


_DENY: dict[str, Callable[[Subschema, Any], Iterator[Constraints]]] = {
    "enum": _deny_enum,
    "const": lambda schema, value: _deny_enum(schema, [value]),
    KEYWORD: _deny_custom_rule,
    "dependentSchemas": _deny_dependent_schemas,
    "anyOf": _deny_any_of,
    "oneOf": _deny_one_of,
    "if": _deny_if,
}
