"""What a row of a table of cases holds."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pdl.errors import CasesError, PdlError, Problem, nearest, quoted
from pdl.models.exchange import Reply
from pdl.models.replay import record_of
from pdl.prompt.input_texts import declared_value, json_or_string
from pdl.schema import Schema
from pdl.schema.keywords import lookup
from pdl.testing import forms
from pdl.testing.cases import Expectation, Recording
from pdl.testing.content import copied, spelled
from pdl.testing.sections import MARKS
from pdl.testing.tables import is_json_lines, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.prompt import Inputs
    from pdl.source import Source, Span
    from pdl.testing.cases import CaseFile, Row
    from pdl.testing.content import CaseFolder

COLUMNS = ("name", "data", "reply", "refused", "expect", "assert")
"""The columns with a meaning of their own; all others are inputs of the prompt."""

_DEEP = 8  # references and alternatives in each other

_WORDS = re.compile(r"[\w .,!?'’/+-]+")
"""A text that can be an expected value without its quotes, if it is not a schema."""


class RowReader:
    """Reads the parts of a row. Each method raises PdlError for what is wrong with its part."""

    def __init__(self, row: Row, file: CaseFile, folder: CaseFolder) -> None:
        self.row = row
        self.file = file
        self.folder = folder
        self.is_json = is_json_lines(row.span.source)
        empty = None if self.is_json else ""
        self.values = {key: one for key, one in row.values.items() if one != empty}

    def _span(self, column: str) -> Span:
        return place_of(self.row, column)

    def data(self) -> tuple[dict[str, Json], Source] | None:
        """Return the data, and the text that has them; None if the row has none."""
        names = [key for key in self.row.values if key not in COLUMNS]
        self._check_names(names)
        source = spelled(self.row.span.text, self.row.span)
        if "data" not in self.values:
            found = {key: self.row.values[key] for key in names}
            return (found if self.is_json else self._typed(found), source) if names else None
        value = self.values["data"]
        if names and self.is_json:
            message = f"`{names[0]}` is beside `data`, which has all inputs"
            raise CasesError(Problem("test/data", message, self._span(names[0])))
        if isinstance(value, str):
            value = forms.data_of(spelled(value, self._span("data")), self._span("data"))
        if not isinstance(value, dict):
            message = "`data` must be an object"
            raise CasesError(Problem("test/data", message, self._span("data")))
        typed = {} if self.is_json else self._typed({key: self.row.values[key] for key in names})
        return {**value, **typed}, source

    def _check_names(self, names: list[str]) -> None:
        """Raise CasesError for a misspelled name, where nobody else would notice it.

        Names of inputs that are declared are checked when the case is rendered.
        """
        odd = {name: _meant(name) for name in names}
        if not any(odd.values()):
            return
        try:
            prompt = self.file.load()
        except PdlError:  # which is told when the case is rendered
            return
        read = prompt.variables if prompt.inputs is None else prompt.inputs.names
        problems = []
        for name, meant in odd.items():
            if meant and name not in read:
                message = f"{quoted(name)} is not a name that the prompt reads"
                hint = f"did you mean `{meant}`?"
                if meant not in COLUMNS:
                    hint = f"a row has no {meant}: its names are {', '.join(COLUMNS)}, and inputs"
                problems.append(Problem("test/cases", message, self._span(name), hint))
        if problems:
            raise CasesError(*problems)

    def _typed(self, texts: dict[str, Json]) -> dict[str, Json]:
        """The texts of cells as values of the types that the prompt declares."""
        inputs: Inputs | None = None
        with suppress(PdlError):  # which is told when the case is rendered
            inputs = self.file.load().inputs
        found: dict[str, Any] = {}
        for column, text in texts.items():
            keys = tuple(column.removeprefix("data.").split("."))
            if not text and not _takes_empty(inputs, keys):
                continue
            value = json_or_string(text) if inputs is None else declared_value(inputs, keys, text)
            inner = found
            for key in keys[:-1]:
                inner = inner.setdefault(key, {})
                if not isinstance(inner, dict):
                    message = f"`{column}` is inside of a value that another column sets"
                    raise CasesError(Problem("test/data", message, self._span(column)))
            inner[keys[-1]] = value
        return found

    def recordings(self) -> Iterator[Recording]:
        """Yield the replies."""
        refused = self.values.get("refused", "")
        if refused is True or refused == "true":
            refused = "any"
        elif refused is False or refused == "false":
            refused = ""
        if not isinstance(refused, str):
            message = "`refused` must be a string or true"
            raise CasesError(Problem("test/reason", message, self._span("refused")))
        given = self.values.get("reply")
        if given is None:
            if refused:
                span = self._span("refused")
                yield forms.refusal(" ".join(refused.split()), span, span)
            return
        if refused:
            forms.check_reason(refused, self._span("refused"))
        replies = given if isinstance(given, list) else [given]
        if not replies:
            message = "there is no reply in this list"
            raise CasesError(Problem("test/empty", message, self._span("reply")))
        for number, one in enumerate(replies, 1):
            yield self._recording(one, refused if number == len(replies) else "")

    def _recording(self, value: Json, refused: str) -> Recording:
        span = self._span("reply")
        if isinstance(value, str):
            return Recording(span, Reply(value), refused, spelled(value, span))
        try:
            found = record_of(value)
        except TypeError as error:
            message = 'expected a reply: its text, or a record such as `{"text": "…"}`'
            is_plain = not isinstance(value, dict)
            hint = f"write it as a string: `{json.dumps(json.dumps(value))[:60]}`"
            problem = Problem("test/reply", message, span, hint if is_plain else str(error))
            raise CasesError(problem) from error
        return Recording(span, found.reply, refused, match=found.match)

    def expectation(self) -> Expectation | None:
        """Return the expectation; words that are not a schema are themselves expected."""
        if "expect" not in (self.row.values if self.is_json else self.values):
            return None
        value, span = self.row.values["expect"], self._span("expect")
        if not isinstance(value, str):
            end = json.JSONDecoder().raw_decode(span.source.text, span.start)[1]
            return _exact(value, copied(span.source, span.start, end))
        source = spelled(value, span)
        if self._is_said(value):
            return _exact(value, source)
        try:
            return forms.expectation_of(source, self.folder)
        except PdlError:
            if not _WORDS.fullmatch(value):
                raise
            return _exact(value, source)

    def _is_said(self, value: str) -> bool:
        """Whether the prompt's answer can be these words, even if they are a type's name."""
        try:
            template = self.file.load().template
        except PdlError:  # which is told when the case is rendered
            return False
        is_constant, schema = (False, None) if template is None else template.constant_schema
        if not is_constant:
            return False
        if schema is None:
            return _WORDS.fullmatch(value) is not None
        is_string, words = _strings(schema.document, schema, 0)
        return value in words or (is_string and _WORDS.fullmatch(value) is not None)

    def assertions(self) -> Iterator[Source]:
        """Yield the expressions."""
        if "assert" not in self.values:
            return
        given, span = self.values["assert"], self._span("assert")
        each = given if isinstance(given, list) else [given]
        at = span.start + 1
        for one in each:
            if not isinstance(one, str):
                message = "`assert` must be an expression in a string, or a list of such strings"
                raise CasesError(Problem("test/expression", message, span))
            place = span
            if isinstance(given, list):
                start = span.source.text.index('"', at)
                at = json.JSONDecoder().raw_decode(span.source.text, start)[1]
                place = span.source.span(start, at)
            found = [*forms.expressions(spelled(one, place))]
            if not found:
                raise self._no_expression(place)
            yield from found
        if not each:
            raise self._no_expression(span)

    def _no_expression(self, span: Span) -> CasesError:
        hint = "write an expression, or leave `assert` out"
        return CasesError(Problem("test/empty", "there is no expression in this", span, hint))


def _strings(document: Json, schema: Schema, depth: int) -> tuple[bool, list[Json]]:
    """Whether an answer can be a string only, and the values that a schema lists."""
    if not isinstance(document, dict) or depth > _DEEP:
        return False, []
    if isinstance(document.get("$ref"), str):
        return _strings(lookup(schema.document, document["$ref"]), schema, depth + 1)
    listed = document.get("enum", [document["const"]] if "const" in document else [])
    if listed:
        return False, listed
    branches = [*document.get("anyOf", ()), *document.get("oneOf", ())]
    found = [_strings(one, schema, depth + 1) for one in branches]
    return document.get("type") == "string", [one for _, words in found for one in words]


def _meant(name: str) -> str:
    """The reserved name, or that of a section, which a name nearly is."""
    return next((one for one in MARKS if name.lower() == one), "") or nearest(name, COLUMNS, 0.75)


def _exact(value: Json, source: Source) -> Expectation:
    return Expectation(source, Schema.from_json_schema({"const": value}), (value,))


def _takes_empty(inputs: Inputs | None, keys: tuple[str, ...]) -> bool:
    """Whether an empty cell is an empty string rather than nothing: for a required string."""
    if inputs is None:
        return True
    required = inputs.schema.document.get("required", ())
    return keys[0] in required and isinstance(declared_value(inputs, keys, '""'), str)
