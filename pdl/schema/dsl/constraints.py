"""Bounds and constraints of a type as JSON Schema keywords, and the values of the DSL as JSON."""

from __future__ import annotations

import json
import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.errors import quoted
from pdl.schema.dsl.tree import Bounds, Item, ListValue, MapValue, Node, Range, Scalar, Value
from pdl.schema.dsl.words import CONSTANTS, nearest
from pdl.schema.patterns import DIALECT, pattern_error
from pdl.trampoline import Recur, call, gather, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json, JsonSchema
    from pdl.limits import Limits
    from pdl.schema.dsl.words import Report


_ESCAPE = re.compile(r"""\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}|(?P<bad>u?.))""")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Values:
    """Reads the values of one text."""

    def __init__(self, report: Report, limits: Limits) -> None:
        self._report = report
        self._limits = limits

    def read(self, value: Value) -> Json:
        """The JSON value; None where a problem was reported."""
        return run(self._value(value))

    def key(self, scalar: Scalar) -> str:
        """The key that a word, a number or a string represents."""
        if scalar.kind in ("string", "raw"):
            return self.string(scalar)
        if scalar.kind == "word" and "." in scalar.text:
            hint = f'quote a key with a dot: `"{scalar.text}"`'
            self._report.add("schema/bad-key", f"invalid key `{scalar.text}`", scalar, hint)
        return scalar.text

    def string(self, scalar: Scalar) -> str:
        """A string's text: `'…'` is raw, `"…"` has the escapes of JSON (RFC 8259, section 7)."""
        if scalar.kind == "raw":
            return scalar.text[1:-1]
        bad = next((match for match in _ESCAPE.finditer(scalar.text) if match["bad"]), None)
        if bad:
            self._bad_escape(scalar, bad)
            return scalar.text[1:-1]
        text: str = json.loads(scalar.text, strict=False)
        if _SURROGATE.search(text):
            message = "this string contains an unpaired surrogate, which is not a character"
            self._report.add("schema/bad-escape", message, scalar)
        return text

    def number(self, scalar: Scalar) -> int | float:
        """The JSON number: an integer of any size, or a double."""
        text = scalar.text
        if re.fullmatch(r"-?[0-9]+", text):
            return self._integer(scalar)
        number = float(text)
        if math.isinf(number):
            message = (
                f"{quoted(text)} is too large for a number with a decimal point or an exponent"
            )
            self._report.add("schema/bad-number", message, scalar)
        return number

    def _integer(self, scalar: Scalar) -> int:
        most = self._limits.integer_digits
        if len(scalar.text) > most:
            message = f"an integer of more than {most:,} digits"
            self._report.add("limit/integer-digits", message, scalar)
            return 0
        return int(scalar.text)

    def _value(self, value: Value) -> Recur[Json]:
        if isinstance(value, ListValue):
            return (yield from gather(map(self._value, value.items)))
        if isinstance(value, MapValue):
            return (yield from self._map(value))
        return self._scalar(value)

    def _map(self, value: MapValue) -> Recur[dict[str, Json]]:
        result: dict[str, Json] = {}
        for scalar, inner in value.entries:
            key = self.key(scalar)
            if key in result:
                self._report.add("schema/duplicate-key", f"duplicate key `{key}`", scalar)
            result[key] = yield from call(self._value(inner))
        return result

    def _scalar(self, scalar: Scalar) -> Json:
        if scalar.kind == "number":
            return self.number(scalar)
        if scalar.kind != "word":
            return self.string(scalar)
        if scalar.text in CONSTANTS:
            return CONSTANTS[scalar.text]
        message = f"expected a value, found the word {quoted(scalar.text)}"
        self._report.add("schema/bad-value", message, scalar, _value_hint(scalar.text))
        return None

    def _bad_escape(self, scalar: Scalar, match: re.Match[str]) -> None:
        start = scalar.start + match.start()
        hint = "write a backslash as `\\\\`, or use single quotes: `'\\d'`"
        if match["bad"].startswith("u"):
            hint = "write four hexadecimal digits after `\\u`"
        message = f"invalid escape `{match[0]}`"
        self._report.add("schema/bad-escape", message, Range(start, start + len(match[0])), hint)


def _value_hint(word: str) -> str:
    if word.lower() in ("none", "nil", "undefined"):
        return "write `null`"
    if word.lower() in CONSTANTS:
        return f"write `{word.lower()}`"
    return "write a string in quotes"


_Pair: TypeAlias = tuple[str, Node, Value]

_LENGTHS = {"min": "count", "max": "count"}
_NUMBERS = ("min", "max", "gt", "lt")

_TAKES = MappingProxyType(
    {
        "string": {**_LENGTHS, "pattern": "pattern", "gbnf": "text"},
        "moment": {**_LENGTHS, "pattern": "pattern", "gbnf": "text", "zone": "flag"},
        "integer": {**dict.fromkeys(_NUMBERS, "integer"), "multiple": "step"},
        "number": {**dict.fromkeys(_NUMBERS, "number"), "multiple": "step"},
        "array": {**_LENGTHS, "unique": "flag"},
        "tuple": {"unique": "flag"},
        "object": _LENGTHS,
        "code": {**_LENGTHS, "lang": "text"},
        "tasklist": _LENGTHS,
    }
)
"""The constraints of each kind of type, and the kind of value that each takes."""

_UNITS = MappingProxyType(
    {
        "string": "characters",
        "moment": "characters",
        "array": "items",
        "object": "keys",
        "code": "characters",
        "tasklist": "tasks",
    }
)

_LENGTH_NAMES = MappingProxyType(
    {
        "string": "Length",
        "moment": "Length",
        "array": "Items",
        "object": "Properties",
        "code": "Length",
    }
)

_KEYWORDS = MappingProxyType(
    {
        "min": "minimum",
        "max": "maximum",
        "gt": "exclusiveMinimum",
        "lt": "exclusiveMaximum",
        "multiple": "multipleOf",
        "unique": "uniqueItems",
        "gbnf": "x-gbnf",
    }
)
_INSTEAD = MappingProxyType(
    {
        "group": "write bounds and constraints inside the parentheses",
        "name": "write bounds and constraints where the name is defined",
        "tuple": "remove it: a tuple has as many items as types",
    }
)
"""What to do about a length that a type does not have."""

_ALIASES = MappingProxyType({"len_min": "min", "len_max": "max"})


class Kind(NamedTuple):
    """The constraints that a type takes, and its name for the author."""

    takes: str
    name: str

    @property
    def constraints(self) -> Mapping[str, str]:
        """The constraints of this kind, and the kind of value that each takes."""
        return _TAKES.get(self.takes, {})

    @property
    def unit(self) -> str:
        """What its length counts; empty if it has no length."""
        return _UNITS.get(self.takes, "")


class Constraints:
    """Reads the constraints of one text's types."""

    def __init__(self, report: Report, values: Values) -> None:
        self._report = report
        self._values = values

    def keywords(self, kind: Kind, item: Item) -> JsonSchema:
        """The keywords that an item's constraints add to a schema of that kind.

        `lang` and the bounds of a task list, which have no keyword, keep their names.
        """
        read: dict[str, Json] = {}
        for key, place, node in self._pairs(kind, item):
            value = self._value(kind, key, node)
            if value is not None:
                read[key] = value
                self._check_range(kind, read, key, place)
        return {
            _keyword(kind.takes, key): value for key, value in read.items() if value is not False
        }

    def _pairs(self, kind: Kind, item: Item) -> Iterator[_Pair]:
        """The constraints that this kind takes, each once."""
        seen: set[str] = set()
        for written, place, value in self._written(kind, item):
            key = _ALIASES.get(written, written)
            if key in seen:
                also = "" if key == written else f" (`{written}` is `{key}`)"
                message = f"duplicate constraint `{key}`{also}"
                self._report.add("schema/duplicate-constraint", message, place)
            elif key in kind.constraints:
                yield key, place, value
            else:
                self._refuse_key(kind, written, place)
            seen.add(key)

    def _written(self, kind: Kind, item: Item) -> Iterator[_Pair]:
        bounds = item.bounds
        if bounds and self._has_bounds(kind, bounds):
            for key, value in (("min", bounds.low), ("max", bounds.high)):
                if value is not None:
                    yield key, bounds, value
        for constraint in item.constraints:
            yield self._values.key(constraint.key), constraint.key, constraint.value

    def _has_bounds(self, kind: Kind, bounds: Bounds) -> bool:
        if "min" not in kind.constraints:
            hint = _INSTEAD.get(kind.takes, "")
            self._report.add("schema/no-bounds", f"{kind.name} has no bounds", bounds, hint)
            return False
        if bounds.exact and not kind.unit:
            message = f"a single bound is a length, and {kind.name} has no length"
            number, word = bounds.low.text if bounds.low else "", kind.name.strip("`")
            hint = f"write `{word}<{number},>`, `{word}<,{number}>`, or the number alone"
            self._report.add("schema/exact-bound", message, bounds, hint)
            return False
        return True

    def _refuse_key(self, kind: Kind, key: str, place: Node) -> None:
        known = kind.constraints
        message = f"{kind.name} has no constraint `{key}`"
        hint = f"use {', '.join(known)}" if known else "remove it: it takes no constraints"
        hint = nearest(key, known) or (_INSTEAD.get(kind.takes, hint) if key in _LENGTHS else hint)
        self._report.add("schema/unknown-constraint", message, place, hint)

    def _value(self, kind: Kind, key: str, node: Value) -> Json:
        """The value of a constraint, or None if it is of the wrong kind, which is reported."""
        wanted = kind.constraints[key]
        value = self._values.read(node)
        wrong = _complaint(wanted, kind, value)
        if not wrong:
            return self._pattern(value, node) if wanted == "pattern" else value
        shown = node.text if isinstance(node, Scalar) else "a list or a map"
        if value is None and shown != "null":
            return None  # an invalid value has been reported as such
        message = f"`{key}` of {kind.name}: expected {wrong}, found {shown}"
        self._report.add("schema/bad-constraint", message, node)
        return None

    def _pattern(self, pattern: str, node: Node) -> str | None:
        wrong = pattern_error(pattern)
        if wrong:
            message = f"invalid regular expression: {wrong}"
            self._report.add("schema/bad-pattern", message, node, DIALECT)
        return None if wrong else pattern

    def _check_range(self, kind: Kind, read: dict[str, Json], key: str, place: Node) -> None:
        if key in _NUMBERS and _is_empty(kind.takes, read):
            unit = kind.unit
            verb, tail = ("has", f" {unit}") if unit else ("is", "")
            low = _said(read, (("min", "at least"), ("gt", "more than")))
            high = _said(read, (("max", "at most"), ("lt", "less than")))
            message = f"no value of {kind.name} {verb} {low} and {high}{tail}"
            self._report.add("schema/empty-range", message, place)
            for bound in ("max", "lt"):
                read.pop(bound, None)


def _complaint(wanted: str, kind: Kind, value: Json) -> str:
    """What a constraint's value must be, if it is something else; else nothing."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    number = whole or isinstance(value, float)
    match wanted:
        case "count":
            said = f"a number of {kind.unit}"
            return "" if whole and value >= 0 else said
        case "integer":
            return "" if whole else "an integer"
        case "number":
            return "" if number else "a number"
        case "step":
            fits = (whole if kind.takes == "integer" else number) and value > 0
            said = "an integer" if kind.takes == "integer" else "a number"
            return "" if fits else f"{said} above 0"
        case "flag":
            return "" if isinstance(value, bool) else "`true` or `false`"
    return "" if isinstance(value, str) else "a string"


def _is_empty(kind: str, read: dict[str, Json]) -> bool:
    """Whether no number is within the bounds."""
    step = 1 if kind == "integer" else 0
    lows = [read["min"]] if "min" in read else []
    highs = [read["max"]] if "max" in read else []
    lows += [read["gt"] + step] if "gt" in read else []
    highs += [read["lt"] - step] if "lt" in read else []
    low, high = max(lows, default=-math.inf), min(highs, default=math.inf)
    if low == high and kind == "number":
        return read.get("gt") == low or read.get("lt") == high
    return bool(low > high)


def _said(read: dict[str, Json], names: tuple[tuple[str, str], ...]) -> str:
    return " and ".join(f"{words} {read[key]}" for key, words in names if key in read)


def _keyword(kind: str, key: str) -> str:
    if key in _LENGTHS and kind in _LENGTH_NAMES:
        return key + _LENGTH_NAMES[kind]
    return key if kind == "tasklist" else _KEYWORDS.get(key, key)
