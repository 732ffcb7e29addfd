"""Values of the DSL as JSON, and bounds and constraints of a type as JSON Schema keywords.

`Report` gathers the problems of one text, so that all are reported together.
"""

from __future__ import annotations

import json
import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.errors import MOST_PROBLEMS, Problem, error_from, quoted
from pdl.schema.dsl.tree import Bounds, Item, ListValue, MapValue, Node, Range, Scalar, Value
from pdl.schema.dsl.words import CONSTANTS, nearest
from pdl.schema.formats import has_no_number
from pdl.trampoline import Recur, call, gather, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pdl._types import Json, JsonSchema
    from pdl.limits import Limits
    from pdl.source import Source


class Report:
    """The problems of a source, in the order in which they were found."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._problems: list[Problem] = []

    def add(self, code: str, message: str, node: Node, hint: str = "") -> None:
        """Add a problem at a node, once; `code` includes its kind (`schema/unknown-type`)."""
        span = self.source.span(node.start, max(node.end, node.start + 1))
        problem = Problem(code, message, span, hint)
        if len(self._problems) < MOST_PROBLEMS and problem not in self._problems:
            self._problems.append(problem)

    @property
    def is_full(self) -> bool:
        """Whether no further problem would be reported."""
        return len(self._problems) >= MOST_PROBLEMS

    def __bool__(self) -> bool:
        return bool(self._problems)

    def check(self) -> None:
        """Raise what was found, in the order of the text."""
        if self._problems:
            raise error_from(
                sorted(self._problems, key=lambda one: one.span.start if one.span else 0)
            )


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

    def _number(self, scalar: Scalar) -> int | float | None:
        """The JSON number: an integer of any size, or a double; None if it is too large."""
        text = scalar.text
        if re.fullmatch(r"-?[0-9]+", text):
            return self._integer(scalar)
        number = float(text)
        if math.isinf(number):
            message = (
                f"{quoted(text)} is too large for a number with a decimal point or an exponent"
            )
            self._report.add("schema/bad-number", message, scalar)
            return None
        return number

    def _integer(self, scalar: Scalar) -> int | None:
        most = self._limits.integer_digits
        if len(scalar.text) > most:
            message = f"an integer of more than {most:,} digits"
            self._report.add("limit/integer-digits", message, scalar)
            return None
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
            return self._number(scalar)
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

KEYWORDS = MappingProxyType(
    {
        "min": "minimum",
        "max": "maximum",
        "gt": "exclusiveMinimum",
        "lt": "exclusiveMaximum",
        "multiple": "multipleOf",
        "pattern": "pattern",
        "unique": "uniqueItems",
        "gbnf": "x-gbnf",
    }
)
"""The constraints of the DSL and their keywords; of sizes, `min` is `minLength` and so on."""

_ALIASES = MappingProxyType({"len_min": "min", "len_max": "max"})
_LENGTHS = {"min": "count", "max": "count"}
_NUMBERS = ("min", "max", "gt", "lt")


class Kind(NamedTuple):
    """A kind of type: its constraints, and the kind of value that each takes.

    `unit` is what its size counts and `size` the end of the keywords for it (`minLength`), both
    empty if it has no size; `instead` advises those who gave it one.
    """

    constraints: Mapping[str, str]
    unit: str = ""
    size: str = ""
    instead: str = ""


_STRING = {**_LENGTHS, "pattern": "pattern", "gbnf": "text"}
_ANY = Kind({})
_KINDS = MappingProxyType(
    {
        "string": Kind(_STRING, "characters", "Length"),
        "moment": Kind({**_STRING, "zone": "flag"}, "characters", "Length"),
        "integer": Kind({**dict.fromkeys(_NUMBERS, "integer"), "multiple": "integer step"}),
        "number": Kind({**dict.fromkeys(_NUMBERS, "number"), "multiple": "number step"}),
        "array": Kind({**_LENGTHS, "unique": "flag"}, "items", "Items"),
        "tuple": Kind({"unique": "flag"}, instead="remove it: a tuple has as many items as types"),
        "object": Kind(_LENGTHS, "keys", "Properties"),
        "code": Kind({**_LENGTHS, "lang": "text"}, "characters", "Length"),
        "tasklist": Kind(_LENGTHS, "tasks"),
        "group": Kind({}, instead="write bounds and constraints inside the parentheses"),
        "name": Kind({}, instead="write bounds and constraints where the name is defined"),
    }
)


def constraints_of(kind: str) -> Mapping[str, str]:
    """Return the constraints that a kind of type takes, and the kind of value of each."""
    return _KINDS.get(kind, _ANY).constraints


def _is_integer(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return _is_integer(value) or isinstance(value, float)


_VALUES: MappingProxyType[str, tuple[Callable[[Json], bool], str]] = MappingProxyType(
    {
        "count": (lambda value: _is_integer(value) and value >= 0, "a number"),
        "integer": (_is_integer, "an integer"),
        "number": (_is_number, "a number"),
        "integer step": (lambda value: _is_integer(value) and value > 0, "an integer above 0"),
        "number step": (lambda value: _is_number(value) and value > 0, "a number above 0"),
        "flag": (lambda value: isinstance(value, bool), "`true` or `false`"),
        "text": (lambda value: isinstance(value, str), "a string"),
        "pattern": (lambda value: isinstance(value, str), "a string"),
    }
)
"""The kinds of values of constraints: a test, and a name for the author."""


class Constraints:
    """Reads the constraints of one type; `name` is what its author calls it."""

    def __init__(self, report: Report, values: Values, kind: str, name: str) -> None:
        self._report = report
        self._values = values
        self._number = kind
        self._kind = _KINDS.get(kind, _ANY)
        self._name = name

    def keywords(self, item: Item) -> JsonSchema:
        """The keywords that an item's constraints add to a schema of this kind.

        `lang` and the bounds of a task list, which have no keyword, keep their names.
        """
        read: dict[str, Json] = {}
        for key, at, node in self._pairs(item):
            value = self._value(key, node)
            if value is not None:
                read[key] = value
                self._check_range(read, key, at)
        return {self._keyword(key): value for key, value in read.items() if value is not False}

    def _pairs(self, item: Item) -> Iterator[_Pair]:
        """The constraints that this kind takes, each once."""
        seen: set[str] = set()
        for written, at, value in self._written(item):
            key = _ALIASES.get(written, written)
            if key in seen:
                also = "" if key == written else f" (`{written}` is `{key}`)"
                message = f"duplicate constraint `{key}`{also}"
                self._report.add("schema/duplicate-constraint", message, at)
            elif key in self._kind.constraints:
                yield key, at, value
            else:
                self._refuse_key(written, at)
            seen.add(key)

    def _written(self, item: Item) -> Iterator[_Pair]:
        bounds = item.bounds
        if bounds and self._has_bounds(bounds):
            for key, value in (("min", bounds.low), ("max", bounds.high)):
                if value is not None:
                    yield key, bounds, value
        for constraint in item.constraints:
            yield self._values.key(constraint.key), constraint.key, constraint.value

    def _has_bounds(self, bounds: Bounds) -> bool:
        if "min" not in self._kind.constraints:
            message = f"{self._name} has no bounds"
            self._report.add("schema/no-bounds", message, bounds, self._kind.instead)
            return False
        if bounds.exact and not self._kind.unit:
            message = f"a single bound is a length, and {self._name} has no length"
            number, word = bounds.low.text if bounds.low else "", self._name.strip("`")
            hint = f"write `{word}<{number},>`, `{word}<,{number}>`, or the number alone"
            self._report.add("schema/exact-bound", message, bounds, hint)
            return False
        return True

    def _refuse_key(self, key: str, at: Node) -> None:
        known = self._kind.constraints
        hint = nearest(key, known) or (self._kind.instead if key in _LENGTHS else "")
        hint = hint or (
            f"use {', '.join(known)}" if known else "remove it: it takes no constraints"
        )
        message = f"{self._name} has no constraint `{key}`"
        self._report.add("schema/unknown-constraint", message, at, hint)

    def _value(self, key: str, node: Value) -> Json:
        """The value of a constraint, or None if it is of the wrong kind, which is reported."""
        kind = self._kind.constraints[key]
        value = self._values.read(node)
        test, wanted = _VALUES[kind]
        if test(value):
            return self._pattern(value, node) if kind == "pattern" else value
        shown = node.text if isinstance(node, Scalar) else "a list or a map"
        if value is None and shown != "null":
            return None  # an invalid value has been reported as such
        unit = f" of {self._kind.unit}" if kind == "count" else ""
        message = f"`{key}` of {self._name}: expected {wanted}{unit}, found {shown}"
        self._report.add("schema/bad-constraint", message, node)
        return None

    def _pattern(self, pattern: str, node: Node) -> str | None:
        from pdl.schema.patterns import DIALECT, pattern_error  # noqa: PLC0415 - few have patterns

        wrong = pattern_error(pattern)
        if wrong:
            message = f"invalid regular expression: {wrong}"
            self._report.add("schema/bad-pattern", message, node, DIALECT)
        return None if wrong else pattern

    def _check_range(self, read: dict[str, Json], key: str, at: Node) -> None:
        bounds = {KEYWORDS[one]: read[one] for one in _NUMBERS if one in read}
        if key in _NUMBERS and has_no_number(bounds, self._number):
            unit = self._kind.unit
            verb, tail = ("has", f" {unit}") if unit else ("is", "")
            low = _said(read, (("min", "at least"), ("gt", "greater than")))
            high = _said(read, (("max", "at most"), ("lt", "less than")))
            message = f"no value of {self._name} {verb} {low} and {high}{tail}"
            self._report.add("schema/empty-range", message, at)
            for bound in ("max", "lt"):
                read.pop(bound, None)

    def _keyword(self, key: str) -> str:
        if key in _LENGTHS and self._kind.unit:
            return key + self._kind.size
        return KEYWORDS.get(key, key)


def _said(read: dict[str, Json], names: tuple[tuple[str, str], ...]) -> str:
    return " and ".join(f"{words} {read[key]}" for key, words in names if key in read)
