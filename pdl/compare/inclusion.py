"""Inclusion of schemas (subsumption): whether every answer of one is valid under another.

Every value of OLD is one of NEW if no value satisfies `{"allOf": [OLD, {"not": NEW}]}`. Equal
subschemas of both are one literal there, so what did not change contradicts itself right away, at
any depth; only the rest is looked at.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from pdl.compare.bisimulation import Subschemas, aliases
from pdl.compare.verdicts import Inclusion, No, Unknown, Yes
from pdl.errors import PdlError
from pdl.gbnf.compiling.document import Document
from pdl.gbnf.compiling.emptiness import Empty, Found, find_value
from pdl.gbnf.compiling.options import Options
from pdl.gbnf.limits_errors import Clock, uncollected
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.checker import check_json, violations
from pdl.reply.query import form_of, is_quoted, string_of
from pdl.reply.validation.json_types import equal
from pdl.reply.validation.schema_walk import (
    PatternTimeout,
    UnusablePattern,
    branches,
    literals,
    only_literals,
    root_kinds,
)
from pdl.schema import Schema
from pdl.schema.json_values import compact_json
from pdl.schema.model import is_type, schema_of, schema_type_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json

_OPTIONS = Options(whitespace="compact", escapes="canonical", numbers="any")
_OTHERS = 8  # values that the new schema takes for others, before one of them is the witness
_SOME = 40  # values that are looked at where the form of the answers is another one
_OLD, _NEW = "#/$defs/old", "#/$defs/new"
_WHITE = (
    r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # of `str.strip`
)
_VALUES: dict[str, dict[str, Any]] = {
    "json": {},
    "yesno": {"type": "boolean"},
    "text": {"type": "string", "pattern": rf"^[^{_WHITE}]([\s\S]*[^{_WHITE}])?$"},
    "code": {"type": "string", "pattern": rf"[^{_WHITE}]"},
    "tasklist": {"type": "string", "pattern": r"^[-*+0-9]"},
}
_STATED = frozenset({"date", "uuid"})  # formats of which the checker finds each string in prose
_MANY = 8  # schemas of a union; the proof looks at pairs of those of two
_LANGUAGES = ("", "python", "sql")
_MOST_TASKS = 1_000


def includes(
    old: Schema | type[Any], new: Schema | type[Any], *, limits: Limits = DEFAULT_LIMITS
) -> Inclusion:
    """Return whether every answer that fits the old schema is valid under the new one.

    Python types are allowed too. `Yes` is proven; `No` has an answer that fits `old`, and that the
    checker refuses for `new` or reads another value from; `Unknown` says why neither is known, such
    as that more than `limits.grammar_seconds` are needed. Whether a string is in quotes is no
    difference where it can be written with and without them; prose around an answer is not looked
    at. Raises TypeError for anything but schemas and types, SchemaError for a type that has no
    schema.
    """
    one, other = map(_known, (old, new))
    return decide(one, other, Clock(limits, "comparing the schemas"), limits)


def _known(given: Schema | type[Any]) -> Schema:
    if isinstance(given, Schema) or is_type(given):
        known = schema_of(given)
        if known is not None:
            return known
    raise schema_type_error(given, "a pdl.Schema or a Python type")


def decide(one: Schema, other: Schema, clock: Clock, limits: Limits) -> Inclusion:
    """Do the same as `includes` for two schemas, until the time of a clock is over."""
    try:
        clock.check()
        with uncollected():
            return _decided(one, other, clock, limits)
    except PdlError as error:
        return Unknown(error.problems[0].message)
    except RecursionError:
        return Unknown("the schemas nest too deep")
    except (PatternTimeout, UnusablePattern):
        return Unknown("a pattern of the schemas can't be checked")


def _decided(old: Schema, new: Schema, clock: Clock, limits: Limits) -> Inclusion:
    alike = _is_read_alike(old, new)
    denied: list[Json] = [{"not": {"$ref": _NEW}}] if alike else []
    both = {
        "allOf": [{"$ref": _OLD}, *denied, _values_of(old)],
        "$defs": {"old": old.document, "new": new.document},
    }
    same = aliases(Subschemas(old.document, _OLD), Subschemas(new.document, _NEW))
    document = Document(both, (_OLD, _NEW), same, checked=True)
    answers = _Answers(old, new, clock, limits)
    if alike and _is_large_union(old) and _is_large_union(new):
        easy = answers.easy()
        if easy is not None:
            return easy
    found = find_value(document, _OPTIONS, clock)
    if isinstance(found, Empty):
        refused = answers.bare()
        return Yes() if refused is None else refused
    if not alike:
        return answers.reread(found)
    witness = answers.witness(found)
    return Unknown(_reason(found)) if witness is None else witness


class _Answers:
    """Answers of the old schema that are not answers of the new one, as the checker judges.

    Where the new schema takes any text, such an answer is another value there at least.
    """

    def __init__(self, old: Schema, new: Schema, clock: Clock, limits: Limits) -> None:
        self._old = old
        self._new = new
        self._clock = clock
        self._limits = limits

    def witness(self, found: Found) -> No | None:
        """An answer whose value does not fit the new schema."""
        others: list[No] = []
        for value in self._lost(found.values()):
            refused = self._refused(value, others)
            if refused is not None:
                return refused
            if len(others) > _OTHERS:
                break
        return others[0] if others else None

    def easy(self) -> No | None:
        """One of the first answers of the old schema, where a proof has many cases to look at."""
        some = islice(self._instances({"$ref": _OLD}), _SOME)
        refused = (self._refused(value, []) for value in self._lost(some))
        return next((one for one in refused if one is not None), None)

    def reread(self, found: Found) -> Inclusion:
        """The verdict on answers that the new schema reads in another way, by their form."""
        for text in _task_lists(self._old) if self._old.form == "tasklist" else ():
            taken = check_json(self._old, text, limits=self._limits)
            read = check_json(self._new, text, limits=self._limits)
            if taken.ok and not (read.ok and equal(read.value, taken.value)):
                return No(text, taken.value)
        listed = only_literals(self._old.document)
        values = [value for value in listed if self._fits(self._old, value)]
        others: list[No] = []
        for value in values or islice(found.values(), _SOME):
            self._clock.check()
            refused = self._refused(value, others)
            if refused is not None:
                return refused
        if others:
            return others[0]
        why = "the answers are written in different ways, and none is known that is refused"
        return Yes() if values else Unknown(why)

    def bare(self) -> No | None:
        """An answer without the quotes of JSON that the new schema refuses.

        The checker finds the strings that a schema lists, and those of a format, without quotes.
        """
        one, other = self._old, self._new
        if form_of(one) != "json" or form_of(other) != "json" or one.document == other.document:
            return None
        document = one.document
        if "string" not in root_kinds(document, document):
            return None
        values = literals(document, document)[:_SOME]
        if any("format" in branch for branch in branches(document, document)):
            strings = self._instances({"allOf": [{"$ref": _OLD}, {"type": "string"}]})
            values += islice(strings, _OTHERS)
        for value in values:
            self._clock.check()
            if not isinstance(value, str):
                continue
            taken = check_json(one, value, limits=self._limits)
            if not taken.ok or taken.value != value:
                continue
            if not check_json(other, value, limits=self._limits).ok:
                return No(value, value)
        return None

    def _instances(self, asked: dict[str, Json]) -> Iterator[Json]:
        """Values of a JSON Schema that names the old schema."""
        document = {**asked, "$defs": {"old": self._old.document}}
        found = find_value(Document(document, (_OLD,), {}, checked=True), _OPTIONS, self._clock)
        return iter(()) if isinstance(found, Empty) else found.values()

    def _lost(self, values: Iterable[Json]) -> Iterator[Json]:
        """Those that fit the old schema and not the new one."""
        for value in values:
            self._clock.check()
            if self._fits(self._old, value) and not self._fits(self._new, value):
                yield value

    def _refused(self, value: Json, others: list[No]) -> No | None:
        """A text of a value that the new schema refuses, if there is one.

        If each text of the value is another value there, they are added to `others`.
        """
        told: list[No] = []
        is_same = False
        for text in _spelled(self._old, value):
            taken = check_json(self._old, text, limits=self._limits)
            if not taken.ok or not equal(taken.value, value):
                continue
            read = check_json(self._new, text, limits=self._limits)
            if not read.ok:
                return No(text, value)
            told.append(No(text, value))
            is_same = is_same or equal(read.value, value) or _is_quoted(read.value, value)
        others += [] if is_same else told
        return None

    @staticmethod
    def _fits(schema: Schema, value: Json) -> bool:
        return not violations(schema, value)


def _is_quoted(read: Json, value: Json) -> bool:
    """Whether a value that was read is a string as JSON writes it."""
    return isinstance(read, str) and isinstance(value, str) and string_of(read) == value


def _reason(found: Found) -> str:
    """Why nothing is known, with the keywords that were not decided exactly."""
    words = dict.fromkeys(entry.keyword for entry in found.unenforced)
    if not words:
        return "no answer was found that the two schemas judge differently"
    named = ", ".join(f"`{word}`" for word in list(words)[:4])
    return f"what the schemas say with {named} could not be decided"


def _values_of(schema: Schema) -> dict[str, Any]:
    """A JSON Schema that the values of all answers of a form satisfy, and perhaps others."""
    return _VALUES[schema.form]


def _is_read_alike(old: Schema, new: Schema) -> bool:
    """Whether each answer of the old form has the same value in the new one, whatever it says."""
    if form_of(old) != form_of(new):
        return _is_stated(old, new) or (is_quoted(new) and _is_json_string(old))
    if old.form == "code":
        return new.lang is None or new.lang == old.lang
    if old.form == "tasklist":
        (least, most), (at_least, at_most) = old.tasks, new.tasks
        enough = (at_least or 1) <= max(least or 1, 1)
        return enough and (at_most is None or (most is not None and most <= at_most))
    return True


def _is_large_union(schema: Schema) -> bool:
    unions = (schema.document.get(word, ()) for word in ("anyOf", "oneOf"))
    return any(len(union) >= _MANY for union in unions)


def _is_json_string(schema: Schema) -> bool:
    """Whether all answers are JSON strings, with quotes or without."""
    return schema.form == "json" and root_kinds(schema.document, schema.document) == {"string"}


def _is_stated(old: Schema, new: Schema) -> bool:
    """Whether each text of the old schema has a format in which the new one finds it as it is."""
    named = new.document.get("type")
    return (
        form_of(old) == "text"
        and new.form == "json"
        and old.document.get("format") == new.document.get("format") in _STATED
        and not {"enum", "const", "anyOf", "oneOf", "allOf", "$ref"} & new.document.keys()
        and set([named] if isinstance(named, str) else named or ()) == {"string", "null"}
    )


def _spelled(schema: Schema, value: Json) -> Iterator[str]:
    """The answers of a schema's form that have a value; the checker might still read others.

    It takes the quotes of a string that may be any for a part of it, unless an escape shows that it
    is JSON.
    """
    if schema.form == "json":
        yield compact_json(value)
    elif schema.form == "yesno":
        yield "yes" if value is True else "no"
    if not isinstance(value, str) or not value:
        return
    if schema.form == "code":
        for language in [schema.lang] if schema.lang else _LANGUAGES:
            yield f"```{language}\n{value}\n```"
    else:
        yield value
    if schema.form == "json" and value[0] < "\ud800":
        yield f'"\\u{ord(value[0]):04x}{compact_json(value[1:])[1:]}'


def _task_lists(schema: Schema) -> Iterator[str]:
    """Task lists with the fewest and the most tasks that a schema allows, one more, and a lead."""
    least, most = schema.tasks
    fewest = max(least or 1, 1)
    for count in dict.fromkeys((fewest, fewest + 1, most or _MOST_TASKS)):
        if count <= _MOST_TASKS and (most is None or count <= most):
            yield "\n".join(["- [ ] a"] * count)
    yield "\n".join(["Tasks:", "", *["- [ ] a"] * min(fewest, _MOST_TASKS)])
