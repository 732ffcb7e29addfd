"""The default of an ask: JSON that the schema allows, or an instance of its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, is_typeddict

from pdl._types import format_path
from pdl.models.exchange import is_json
from pdl.reply import Violation, violations
from pdl.schema.model import schema_of_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json, JsonPath
    from pdl.schema import Schema


@dataclass(frozen=True)
class Default:
    """The value of the answer if no attempt succeeds, and its JSON; None if it has none."""

    value: Any
    data: Json


def default_of(schema: Schema | None, given: Any) -> Default:
    """Return a default as a value and as JSON. An instance of the schema's type is used as it is.

    Raises TypeError for what is neither JSON nor such an instance, ValueError for what no answer
    could be.
    """
    if given is None:
        return Default(None, None)
    if is_json(given):
        if schema is None:
            return Default(given, given)
        _refuse(_violations(schema, given))
        return Default(_typed(schema, given), given)
    form = None if schema is None else schema.python_type
    if schema is None or form is None:
        raise TypeError(f"default must be a JSON value, not {type(given).__name__}")
    _refuse_other(form, given)
    _refuse(tuple(_wrong(form, given, ())))
    data = _json_of(schema, given)
    return Default(given, data if is_json(data) else None)


def default_fault(schema: Schema, default: Json) -> str:
    """Return the first error of a JSON default, with its path; empty if it could be an answer."""
    return _first(_violations(schema, default))


def _refuse(found: tuple[Violation, ...]) -> None:
    if found:
        raise ValueError(f"default must match the schema, or be None: {_first(found)}")


def _first(found: tuple[Violation, ...]) -> str:
    return next((f"`{format_path(one.path)}` {one.message}" for one in found), "")


def _refuse_other(form: Any, given: Any) -> None:
    """Raise TypeError for an instance of another class than that of a type."""
    kind = _class_of(_bare(form))
    if kind is not None and not isinstance(given, kind):
        wanted = f"JSON or an instance of {kind.__name__}"
        raise TypeError(f"default must be {wanted}, not {type(given).__name__}")


def _bare(form: Any) -> Any:
    """A type without aliases and annotations around it."""
    from pdl.schema.annotations import unwrapped  # noqa: PLC0415 - few defaults are instances

    form = unwrapped(form)
    while get_origin(form) is Annotated:
        form = unwrapped(get_args(form)[0])
    return form


def _class_of(form: Any) -> type | None:
    """The class of a type's instances, if there is one to test them against."""
    kind = get_origin(form) or form
    is_class = isinstance(kind, type) and kind is not UnionType and not is_typeddict(kind)
    return kind if is_class else None


def _wrong(form: Any, value: Any, path: JsonPath) -> Iterator[Violation]:
    """What is wrong with an instance of a type, by its JSON or, where that lacks a part, by parts.

    Nothing is wrong with an instance of a class of pydantic's: it was validated when it was made,
    and what a serializer makes of it need not fit the schema.
    """
    from pdl.schema.records import is_pydantic, is_record  # noqa: PLC0415 - few are instances

    bare = _bare(form)
    is_instance = isinstance(value, _class_of(bare) or (dict if is_typeddict(bare) else ()))
    if is_instance and is_pydantic(bare):
        yield from _ruled(form, value, path)
        return
    schema = schema_of_type(form)
    found = _violations(schema, _json_of(schema, value))
    if found and get_origin(bare) in (Union, UnionType):
        yield from _ruled(form, value, path)
        yield from min((tuple(_wrong(one, value, path)) for one in get_args(bare)), key=len)
    elif found and is_instance and (get_args(bare) or is_record(bare)):
        yield from _ruled(form, value, path)
        for part, inner, key in _parts(bare, value):
            yield from _wrong(part, inner, (*path, key))
    else:
        yield from (replace(one, path=(*path, *one.path)) for one in found)


def _ruled(form: Any, value: Any, path: JsonPath) -> Iterator[Violation]:
    """What the rules around a type say of an instance."""
    from pdl.reply.rules import Rule  # noqa: PLC0415 - few defaults are instances
    from pdl.schema.annotations import unwrapped  # noqa: PLC0415

    form = unwrapped(form)
    while get_origin(form) is Annotated:
        for one in form.__metadata__:
            yield from one.violations(value, path) if isinstance(one, Rule) else ()
        form = unwrapped(form.__origin__)


def _parts(form: Any, value: Any) -> Iterator[tuple[Any, Any, int | str]]:
    """The fields or items of an instance, with their types, and their keys in its JSON."""
    from pdl.schema.records import fields_of_instance, is_record  # noqa: PLC0415

    arguments = get_args(form)
    if is_record(get_origin(form) or form):
        for member, inner in fields_of_instance(form, value):
            yield member.form, inner, member.key
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield arguments[-1], inner, str(key)
    else:
        is_fixed = isinstance(value, tuple) and Ellipsis not in arguments
        forms = arguments if is_fixed else repeat(arguments[0])
        for at, (part, inner) in enumerate(zip(forms, value, strict=False)):
            yield part, inner, at


def _json_of(schema: Schema, value: Any) -> Json:
    """The JSON of an instance, if possible one that fits the schema; NO_DEFAULT without any."""
    from pdl.prompt.inputs import as_json  # noqa: PLC0415 - few defaults are instances
    from pdl.schema.records import NO_DEFAULT, json_default  # noqa: PLC0415

    found = [data for data in (json_default(value), as_json(value)) if is_json(data)]
    fitting = (data for data in found if not violations(schema, data))
    return next(fitting, found[0] if found else NO_DEFAULT)


def _violations(schema: Schema, data: Json) -> tuple[Violation, ...]:
    """What is wrong with JSON that may be an answer, or with its absence."""
    from pdl.reply.rules import ConversionError  # noqa: PLC0415 - few asks have a default

    if not is_json(data):
        return (Violation((), "cannot become JSON"),)
    found = violations(schema, data)
    if not found:
        try:
            _typed(schema, data)
        except ConversionError as error:
            found = error.violations
    return found


def _typed(schema: Schema, data: Json) -> Any:
    """An instance of the schema's type, if it has one, else the JSON itself."""
    if schema.python_type is None:
        return data
    from pdl.reply.instances import convert  # noqa: PLC0415 - not for JSON

    return convert(schema.python_type, data)
