"""The `<|input|>` turn: the variables of a prompt, their types, defaults and descriptions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, get_type_hints
from uuid import UUID

from pdl import reply
from pdl import schema as schemas
from pdl._types import format_path
from pdl.errors import InputError, LimitError, Problem, SchemaError, an_instance, did_you_mean
from pdl.prompt.render_budget import TooLargeError, measure_size
from pdl.prompt.turns import ROLES
from pdl.schema.constraints import can_be_absent
from pdl.schema.keywords import pointer
from pdl.source import Anchor, Source

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.prompt.scan import Kind
    from pdl.reply import Violation
    from pdl.schema import Schema
    from pdl.source import Span

_SEPARATOR = re.compile(
    rf"^[^\S\n]*<\|[^\S\n]*({'|'.join(ROLES)})[^\S\n]*(\|>)[^\S\n]*$", re.MULTILINE | re.IGNORECASE
)
_DEPTH = 100
_ANNOTATIONS = frozenset({"description", "default", "title"})
_TAKEN = frozenset(
    "self super caller varargs kwargs loop not true false none True False None".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Inputs:
    """The declared variables: the schema of an object, and the text that declares it."""

    schema: Schema
    source: Source

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in declaration order."""
        return tuple(self.schema.document.get("properties", {}))

    @property
    def is_open(self) -> bool:
        """Whether further variables can be passed (`[str]: any`)."""
        return self.schema.document.get("additionalProperties", True) is not False

    def span(self, name: str) -> Span:
        """Where a variable is declared."""
        found = re.search(rf"(?<![\w-])[\"']?({re.escape(name)})[\"']?\s*\??\s*:", self.source.text)
        return self.source.span(*found.span(1)) if found else self.source.span(0)

    @property
    def defaults(self) -> dict[str, Any]:
        """The defaults of the variables."""
        found: dict[str, Any] = self._completed(self.schema.document, {})
        return found

    def filled(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the checked values with defaults filled in, at any depth.

        Raises InputError with all problems, LimitError for a value that is too large.
        """
        for name in self.names:
            self._measure(name, values.get(name))
        defaults = self.defaults
        problems = [
            *self._unknown(values),
            *self._missing({*values, *defaults}),
            *self._wrong(values),
        ]
        if problems:
            raise InputError(*problems)
        given = {name: self._passed(name, value) for name, value in values.items()}
        return {**defaults, **given}

    def _measure(self, name: str, value: Any) -> None:
        try:
            measure_size(value)
        except TooLargeError as error:
            message = f"input `{name}` is too large: {error}"
            raise LimitError(Problem("limit/input", message, self.span(name))) from error

    def _passed(self, name: str, value: Any) -> Any:
        """What the template gets: the JSON value that was checked, unless any value is allowed."""
        declared = self.schema.document.get("properties", {}).get(name)
        if not isinstance(declared, Mapping) or not declared.keys() - _ANNOTATIONS:
            return value
        return self._completed(declared, as_json(value))

    def _completed(self, declared: Any, value: Any, depth: int = 0) -> Any:
        """A value with the defaults of the fields that it omits, at any depth."""
        while isinstance(declared, Mapping) and "$ref" in declared:
            name = declared["$ref"].removeprefix("#/$defs/")
            declared = self.schema.document.get("$defs", {}).get(name)
        if not isinstance(declared, Mapping) or depth > _DEPTH:
            return value
        if isinstance(value, list) and "items" in declared:
            return [self._completed(declared["items"], item, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        fields: Mapping[str, Any] = declared.get("properties", {})
        defaults = {
            name: field["default"]
            for name, field in fields.items()
            if name not in value and isinstance(field, Mapping) and "default" in field
        }
        whole = {**value, **defaults}
        return {
            name: self._completed(fields.get(name), item, depth + 1) for name, item in whole.items()
        }

    def _unknown(self, values: Mapping[str, Any]) -> list[Problem]:
        if self.is_open:
            return []
        unknown = [name for name in values if name not in self.names]
        top = self.source.span(*_first_word(self.source.text))
        return [
            Problem(
                "input/unknown",
                f"unknown input `{name}`",
                top,
                did_you_mean(name, self.names) or f"the inputs are {_listed(self.names)}",
                pointer((name,)),
            )
            for name in unknown
        ]

    def _missing(self, given: set[str]) -> list[Problem]:
        from pdl.prompt.template_errors import render_call  # noqa: PLC0415 - only for errors

        required = self.schema.document.get("required", ())
        return [
            Problem(
                "input/missing",
                f"missing required input `{name}`",
                self.span(name),
                f"pass it in the mapping: `{call}`" if "{" in (call := render_call(name)) else "",
                pointer((name,)),
            )
            for name in required
            if name not in given
        ]

    def _wrong(self, values: Mapping[str, Any]) -> list[Problem]:
        lenient = {**self.schema.document, "required": []}
        known = {name: self._passed(name, v) for name, v in values.items() if name in self.names}
        found = reply.violations(dataclasses.replace(self.schema, document=lenient), known)
        return [self._problem(violation, known) for violation in found]

    def _problem(self, violation: Violation, values: Mapping[str, Any]) -> Problem:
        name = str(violation.path[0]) if violation.path else ""
        where = format_path(violation.path)[2:] or "the input"
        value: Any = values
        for step in violation.path:
            value = value[step]
        found = violation.found if _is_json(value) else an_instance(type(value))
        message = f"input `{where}`: expected {self._expected(violation)}, found {found}"
        hint = f"omit `{name}`, or allow null: `T?`" if self._needless(violation) else ""
        place = pointer(violation.path)
        return Problem("input/value", message, self.span(name), hint, place)

    def _needless(self, violation: Violation) -> bool:
        """Whether an optional variable is null."""
        required = self.schema.document.get("required", ())
        optional = len(violation.path) == 1 and violation.path[0] not in required
        return optional and violation.found == "null"

    def _expected(self, violation: Violation) -> str:
        """What was expected, with the DSL's names of types if the declaration uses it."""
        in_json_schema = self.source.text.lstrip().startswith(("```", "~~~", "@"))
        if violation.keyword != "type" or in_json_schema:
            return violation.wanted
        return re.sub(r"\w+", lambda word: _WORDS.get(word[0], word[0]), violation.wanted)


def read_inputs(
    pieces: Sequence[tuple[int, str, Kind | None]], source: Source, limits: Limits
) -> Inputs | None:
    """Return the inputs that a template's own text declares, or None.

    `pieces` are the stretches of text between tags: offset, text, and the kind of what is after it.
    Raises InputError, or SchemaError with a position in the file, if the declaration is invalid.
    """
    found = [
        (
            offset + match.end(),
            text[match.end() :],
            follower,
            source.span(offset + text.index("<", match.start()), offset + match.end(2)),
        )
        for offset, text, follower in pieces
        for match in _SEPARATOR.finditer(text)
        if match[1].lower() == "input"
    ]
    if not found:
        return None
    if len(found) > 1:
        message = "there is a second `input` turn"
        raise InputError(*(Problem("input/second", message, one[3]) for one in found[1:]))
    offset, text, follower, span = found[0]
    following = _SEPARATOR.search(text)
    content = text[: following.start()] if following else text
    if following is None and follower == "expression":
        raise _dynamic(source, offset + len(content))
    placed = Source(content, source.name, (Anchor(0, len(content), source, offset),))
    try:
        schema = schemas.Schema.parse(placed, limits=limits)
    except (SchemaError, LimitError):
        if following is None and follower:
            raise _dynamic(source, offset + len(content)) from None
        raise
    if schema.form != "json" or schema.document.get("type") != "object":
        message = "the `input` turn must declare an object: `{ name: type, … }`"
        raise InputError(Problem("input/object", message, span))
    inputs = Inputs(schema, placed)
    taken = [_taken(inputs, name) for name in inputs.names if not _is_readable(name)]
    if taken:
        raise InputError(*taken)
    return inputs


def _is_readable(name: str) -> bool:
    """Whether a template can read a value of that name."""
    return name.isidentifier() and name not in _TAKEN


def _taken(inputs: Inputs, name: str) -> Problem:
    reason = "is reserved by Jinja" if name in _TAKEN else "is not a name that a template can read"
    return Problem("input/taken", f"`{name}` {reason}; rename the input", inputs.span(name))


def _dynamic(source: Source, offset: int) -> InputError:
    message = "the `input` turn can't contain template syntax: it is read before rendering"
    return InputError(Problem("input/template", message, source.span(offset, offset + 2)))


def as_json(value: Any, depth: int = 0) -> Any:
    """Return the JSON value that a Python value represents, or the value if there isn't one."""
    if value is None or (isinstance(value, (str, int, float)) and not isinstance(value, Enum)):
        return value
    if depth > _DEPTH:
        return value
    if isinstance(value, Enum):
        return as_json(value.value, depth + 1)
    if isinstance(value, Mapping):
        return {key: as_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (Sequence, AbstractSet)) and not isinstance(value, (bytes, bytearray)):
        return [as_json(item, depth + 1) for item in value]
    return _simple(value, depth)


def _simple(value: Any, depth: int) -> Any:
    """The JSON value of a value that is neither JSON nor a container."""
    for kinds, convert in _CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value)
    if isinstance(value, schemas.Schema):
        return value.to_json_schema()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        found = fields_of(value) or {}
        return {name: as_json(inner, depth + 1) for name, inner in found.items()}
    dump = getattr(value, "model_dump", None)
    if isinstance(value, type) or not callable(dump):
        return value
    if _keys(type(value)) is None:
        return dump(mode="json")
    return _by_schema(value, dump(mode="json", by_alias=False))


def fields_of(value: object) -> dict[str, Any] | None:
    """Return the fields of an instance by their keys, without those that are absent.

    None for what is not an instance of a dataclass or of a pydantic model.
    """
    if isinstance(value, type):
        return None
    names = _keys(type(value))
    if names is None:
        return None
    found = {name: getattr(value, name) for name in names}
    absent = _absent(type(value)) if None in found.values() else ()
    extra = getattr(value, "__pydantic_extra__", None) or {}
    kept = {
        names[name]: one for name, one in found.items() if one is not None or name not in absent
    }
    return {**kept, **extra}


def _keys(cls: Any) -> dict[str, str] | None:
    """The keys in JSON Schema of the fields of a dataclass or a pydantic model; None for others."""
    if hasattr(cls, "__pydantic_fields__"):
        return {name: _key(name, one) for name, one in cls.__pydantic_fields__.items()}
    if dataclasses.is_dataclass(cls):
        return {field.name: field.name for field in dataclasses.fields(cls)}
    return None


def _key(name: str, field: Any) -> str:
    """The key of a field of pydantic's: of several aliases, the first one that is a key."""
    alias = field.validation_alias
    for one in getattr(alias, "choices", [alias]):
        if isinstance(one, str):
            return one
    return field.alias or name


def _absent(cls: Any) -> set[str]:
    """The fields of a class whose None represents a key that is absent."""
    if hasattr(cls, "__pydantic_fields__"):
        forms = {name: one.annotation for name, one in cls.__pydantic_fields__.items()}
    else:
        try:
            forms = get_type_hints(cls, include_extras=True)
        except NameError:  # then nothing is known of its types
            return set()
    return {name for name, form in forms.items() if can_be_absent(form)}


def _by_schema(value: Any, data: Any) -> Any:
    """The JSON that pydantic makes of a value, with the keys of its schema.

    It lacks computed fields, and keys that are absent.
    """
    if getattr(type(value), "__pydantic_root_model__", False):
        return _by_schema(value.root, data)
    if isinstance(data, list) and isinstance(value, Sequence | AbstractSet):
        return [_by_schema(*pair) for pair in zip(value, data, strict=False)]
    if isinstance(data, dict) and isinstance(value, Mapping):
        return {key: _by_schema(value.get(key), one) for key, one in data.items()}
    keys = _keys(type(value))
    if not isinstance(data, dict) or keys is None:
        return data
    absent = _absent(type(value)) if None in data.values() else ()
    decorators = getattr(type(value), "__pydantic_decorators__", None)
    computed = () if decorators is None else decorators.computed_fields
    return {
        keys.get(name, name): _by_schema(getattr(value, name, None), one)
        for name, one in data.items()
        if name not in computed and (one is not None or name not in absent)
    }


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | list | dict)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


_WORDS = {
    "string": "`str`",
    "integer": "`int`",
    "number": "`float`",
    "boolean": "`bool`",
    "null": "`null`",
    "object": "an object",
    "array": "an array",
}
"""The DSL's names for the types of JSON Schema."""

_CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((date, time), lambda value: value.isoformat()),
    ((UUID, PurePath), str),
    (Decimal, _number),
    (timedelta, lambda value: f"PT{value.total_seconds():g}S"),
    (Integral, int),
    (Real, float),
)
"""Python values that represent a JSON value; times are written as in RFC 3339 and ISO 8601."""


def _first_word(text: str) -> tuple[int, int]:
    start = len(text) - len(text.lstrip())
    return start, start + 1


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
