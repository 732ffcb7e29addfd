"""The schemas of one document by their JSON pointers, and those that are made while it is compiled.

`Subschema` is one of them, for the functions that say what its keywords mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from json import dumps
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pdl.gbnf.compiling.constraints import Conjunction, Kind, SchemaLiteral
from pdl.schema.keywords import ASSERTIONS, DRAFT_4_INTEGER, lookup, pointer, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl._types import Json, JsonSchema


KEYWORD = "x-gbnf"
"""The keyword of custom rules."""

_NO_ALIASES: Mapping[str, str] = {}

TELLING = ASSERTIONS | {KEYWORD, DRAFT_4_INTEGER}
"""Keywords that say what a value is; one of them is our own."""


class Document:
    """Finds schemas, and brings conjunctions of literals to one form.

    `made` has the pointers of schemas that are not in the document. `bases` are the pointers of
    documents in the document: a reference in one of them begins there. `aliases` are pointers that
    represent others: equal schemas are then one literal. With `checked`, the document says what the
    checker reads in it, which ignores custom rules.
    """

    def __init__(
        self,
        root: Json,
        bases: tuple[str, ...] = (),
        aliases: Mapping[str, str] = _NO_ALIASES,
        *,
        checked: bool = False,
    ) -> None:
        self._root: Any = root
        self._bases = bases
        self._aliases = aliases
        self._checked = checked
        self._known: dict[str, Json] = {"#": self._read(root)}
        self.made: set[str] = set()
        self._made: dict[tuple[str, str], str] = {}
        self._simple: dict[SchemaLiteral, Conjunction | None] = {}

    def at(self, place: str) -> Any:
        """The schema at a JSON pointer."""
        known = self._known
        if place not in known:
            known[place] = self._read(lookup(self._root, place))
        return known[place]

    def _read(self, schema: Any) -> Any:
        """A schema without what is not read."""
        if self._checked and isinstance(schema, dict) and KEYWORD in schema:
            return {keyword: value for keyword, value in schema.items() if keyword != KEYWORD}
        return schema

    def add(self, place: str, schema: Json) -> str:
        """Give a schema that is not in the document a pointer, which nothing in it has.

        The same schema has the same one at a place, or goals that come up again would be new ones.
        """
        key = place, dumps(schema)
        if key not in self._made:
            self._made[key] = made = f"{place}/{len(self._known)}"
            self._known[made] = schema
            self.made.add(made)
        return self._made[key]

    def inside(self, place: str, *path: str | int) -> str:
        """The pointer to a schema inside another one."""
        if place in self._known and not path:
            return place
        found = place + pointer(path)[1:]
        found = self._aliases.get(found, found)
        if found not in self._known:
            value: Any = self.at(place)
            for step in path:
                value = value[step]
            self._known[found] = self._read(value)
        return found

    def target(self, reference: str, place: str) -> str:
        """The pointer of what a `$ref` in a schema names, spelled as all pointers are."""
        base = next((one for one in self._bases if place.startswith(one)), "")
        found = base + pointer(steps(reference))[1:] if base else pointer(steps(reference))
        return self._aliases.get(found, found)

    def joined(self, literals: Iterable[SchemaLiteral | None]) -> Conjunction | None:
        """A goal of some literals; None if they contradict each other, or one is None.

        What every value satisfies is left out, and references are followed.
        """
        found: dict[SchemaLiteral, None] = {}
        for literal in literals:
            simple = None if literal is None else self.simplified(literal)
            if simple is None:
                return None
            found.update(dict.fromkeys(simple))
        if any(one.opposite in found for one in found):
            return None
        return tuple(found)

    def simplified(self, literal: SchemaLiteral) -> Conjunction | None:
        """A literal without what says nothing: `()` if all values satisfy it, None if none does."""
        if literal not in self._simple:
            self._simple[literal] = self._simplify(literal)
        return self._simple[literal]

    def _simplify(self, literal: SchemaLiteral) -> Conjunction | None:
        seen: set[SchemaLiteral] = set()
        while literal not in seen:
            seen.add(literal)
            schema = self.at(literal.pointer)
            if isinstance(schema, bool):
                return () if schema == literal.positive else None
            said = [key for key in schema if key in TELLING]
            if not said:
                return () if literal.positive else None
            if said == ["$ref"]:
                literal = SchemaLiteral(
                    self.target(schema["$ref"], literal.pointer), literal.positive
                )
            elif said == ["not"]:
                literal = SchemaLiteral(self.inside(literal.pointer, "not"), not literal.positive)
            elif (
                len(said) == 1 and said[0] in ("allOf", "anyOf", "oneOf") and _lone(schema[said[0]])
            ):
                literal = SchemaLiteral(self.inside(literal.pointer, said[0], 0), literal.positive)
            else:
                break
        return (literal,)


def _lone(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


OF_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
"""Keywords that compare numbers with one of their own."""

OF_STRINGS = ("minLength", "maxLength", "pattern", "format")
"""Keywords that say what a string looks like."""


@dataclass(frozen=True, slots=True)
class Subschema:
    """A schema of a document that is an object, with what its keywords need.

    `weaken` reports that a keyword of this schema is not enforced exactly, and why; `overlap` says
    whether two literals may have a value in common (True where that can't be told).
    """

    document: Document
    pointer: str
    keywords: Mapping[str, Any]
    weaken: Callable[[str, str, str], None]
    overlap: Callable[[SchemaLiteral, SchemaLiteral], bool]

    def literal(self, *path: str | int, positive: bool = True) -> SchemaLiteral:
        """A literal about a schema inside this one."""
        return SchemaLiteral(self.document.inside(self.pointer, *path), positive)

    def rule(self, *path: str | int) -> SchemaLiteral | None:
        """A literal for the values of keys or items; None if no value satisfies it."""
        literal = self.literal(*path)
        return None if self.document.simplified(literal) is None else literal

    def made(self, schema: Any, *, positive: bool = True) -> SchemaLiteral:
        """A literal about a schema that the document does not have."""
        return SchemaLiteral(self.document.add(self.pointer, schema), positive)


def exact(number: float) -> Fraction:
    """The number as JSON spells it, not the value of its float."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def stored(number: float) -> Fraction:
    """The number that comparisons are made with: of a whole float, all the digits that it has.

    1e23 is read as the float below it, which is less than the integer 10**23.
    """
    if not isinstance(number, int) and not number.is_integer():
        return exact(number)
    return Fraction(number)


def compared(keyword: str, number: float) -> Fraction:
    """The number of a keyword of `OF_NUMBERS`: a divisor is as the schema spells it."""
    return exact(number) if keyword == "multipleOf" else stored(number)


def is_known_format(name: str) -> bool:
    """Whether strings can fail a format; others are annotations (Validation 2020-12, 7.2.3)."""
    from pdl.automata.formats import format_of  # noqa: PLC0415 - formats are rarely denied

    return format_of(name) is not None


def kind_of(value: Any) -> Kind:
    """The kind of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def kinds_named(value: str | list[str]) -> tuple[frozenset[Kind], bool]:
    """The kinds that `type` names, and whether of the numbers only the integers."""
    names = {value} if isinstance(value, str) else set(value)
    integers = "integer" in names and "number" not in names
    return frozenset(_KINDS[name] for name in names), integers


_KINDS: dict[str, Kind] = {
    "null": "null",
    "boolean": "boolean",
    "integer": "number",
    "number": "number",
    "string": "string",
    "array": "array",
    "object": "object",
}


RuleKind: TypeAlias = Literal["string", "value"]


def rule_kind(schema: JsonSchema) -> RuleKind:
    """What the rule of a schema is for: its strings if `type` names them, else the whole value.

    Beside `"type": ["string", "null"]` a rule leaves null as it is, as `pattern` does.
    """
    types = schema.get("type", ())
    return "string" if types == "string" or "string" in types else "value"


_SURROGATE = re.compile("[\ud800-\udfff]")
_OF_VALUES = ("const", "enum")
_OF_NAMES = ("dependentSchemas", "properties")


def lone_surrogate(value: Json) -> str:
    """The first lone surrogate in the strings and keys of a value; an empty string for none."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            found = None if one.isascii() else _SURROGATE.search(one)
            if found:
                return found[0]
        elif isinstance(one, dict):
            pending += (*one.values(), *one)
        elif isinstance(one, list):
            pending += one
    return ""


def lone_surrogates(schema: JsonSchema) -> Iterator[tuple[str, str]]:
    """The keywords with a lone surrogate outside of inner schemas, each with the surrogate."""
    for keyword, value in schema.items():
        if keyword in _OF_VALUES:
            found = lone_surrogate(value)
        elif keyword in _OF_NAMES:
            found = lone_surrogate(list(value))
        else:
            found = lone_surrogate(value) if keyword in ("dependentRequired", "required") else ""
        if found:
            yield keyword, found


def surrogate_problem(found: str) -> str:
    r"""What is wrong with a lone surrogate, which is named by its escape, `\ud800`."""
    return f"`\\u{ord(found):04x}` is an unpaired surrogate, not a character"
