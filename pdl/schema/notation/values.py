"""Numbers, strings, words, lists and maps of the notation as JSON values."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

from pdl.schema.deep import Deep, call, each, run
from pdl.schema.notation.tree import ListValue, MapValue, Scalar, Spot, Value
from pdl.schema.notation.words import CONSTANTS
from pdl.schema.prose import quoted

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.schema.notation.report import Report

_ESCAPE = re.compile(r"""\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}|(?P<bad>u?.))""")
_HALF = re.compile("[\ud800-\udfff]")


class Values:
    """Reads the values of one text."""

    def __init__(self, report: Report, limits: Limits) -> None:
        self._report = report
        self._limits = limits

    def read(self, value: Value) -> Json:
        """The JSON value; None where a problem was reported."""
        return run(self._value(value))

    def key(self, scalar: Scalar) -> str:
        """The key that is written as a word, a number or a string."""
        if scalar.kind in ("string", "raw"):
            return self.string(scalar)
        if scalar.kind == "word" and "." in scalar.text:
            hint = f'a key with a dot stands in quotes: `"{scalar.text}"`'
            self._report.add("schema/bad-key", f"`{scalar.text}` is no key", scalar, hint)
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
        if _HALF.search(text):
            message = "this string holds half of a surrogate pair, which is no character"
            self._report.add("schema/bad-escape", message, scalar)
        return text

    def number(self, scalar: Scalar) -> int | float:
        """A number as JSON holds it: an integer of any size, or a double."""
        text = scalar.text
        if re.fullmatch(r"-?[0-9]+", text):
            return self._integer(scalar)
        number = float(text)
        if math.isinf(number):
            message = f"{quoted(text)} is too large for a number with a point or an exponent"
            self._report.add("schema/bad-number", message, scalar)
        return number

    def _integer(self, scalar: Scalar) -> int:
        most = self._limits.integer_digits
        if len(scalar.text) > most:
            message = f"an integer of more than {most:,} digits"
            self._report.add("limit/integer-digits", message, scalar)
            return 0
        return int(scalar.text)

    def _value(self, value: Value) -> Deep[Json]:
        if isinstance(value, ListValue):
            return (yield from each(map(self._value, value.items)))
        if isinstance(value, MapValue):
            return (yield from self._map(value))
        return self._scalar(value)

    def _map(self, value: MapValue) -> Deep[dict[str, Json]]:
        result: dict[str, Json] = {}
        for scalar, inner in value.entries:
            key = self.key(scalar)
            if key in result:
                self._report.add("schema/duplicate-key", f"`{key}` stands twice", scalar)
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
        hint = "a backslash is written `\\\\`; in single quotes it is itself: `'\\d'`"
        if match["bad"].startswith("u"):
            hint = "`\\u` has four hexadecimal digits behind it"
        message = f"`{match[0]}` is no escape of a string"
        self._report.add("schema/bad-escape", message, Spot(start, start + len(match[0])), hint)


def _value_hint(word: str) -> str:
    if word.lower() in ("none", "nil", "undefined"):
        return "write `null`"
    if word.lower() in CONSTANTS:
        return f"write `{word.lower()}`"
    return "a string stands in quotes"
