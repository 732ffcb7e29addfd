"""Classes with named fields: dataclasses, TypedDicts, NamedTuples; and which are pydantic's."""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    NotRequired,
    Required,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pdl.schema.typed.defaults import NO_DEFAULT, json_default, made_default

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json


@dataclass(frozen=True)
class Member:
    """One field: its type as annotated, and what else its class says of it."""

    name: str
    form: Any
    required: bool = True
    default: Json = NO_DEFAULT
    description: str = ""


def is_record(form: Any) -> bool:
    """Whether a class has named fields that this module can list."""
    return isinstance(form, type) and (
        dataclasses.is_dataclass(form) or _is_typed_dict(form) or _is_named_tuple(form)
    )


def is_pydantic(form: Any) -> bool:
    """Whether pydantic knows what values a class has: a model, or one with a schema for it."""
    names = ("__get_pydantic_core_schema__", "__pydantic_core_schema__")
    return isinstance(form, type) and any(hasattr(form, name) for name in names)


def members(cls: Any) -> Iterator[Member]:
    """The fields in their order. Raises NameError if an annotation names what does not exist."""
    hints = get_type_hints(cls, include_extras=True)
    if dataclasses.is_dataclass(cls):
        for field in dataclasses.fields(cls):
            if field.init:
                yield _dataclass_member(field, hints[field.name])
    elif _is_typed_dict(cls):
        for name, form in hints.items():
            yield _typed_dict_member(name, form, name in cls.__required_keys__)
    else:
        for name in cls._fields:
            has_default = name in cls._field_defaults
            default = json_default(cls._field_defaults[name]) if has_default else NO_DEFAULT
            yield Member(name, hints.get(name, Any), not has_default, default)


def docstring(cls: Any) -> str:
    """The class's own docstring; not the one that a dataclass or a NamedTuple writes for itself."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return ""
    return inspect.cleandoc(text)


def _is_typed_dict(form: type) -> bool:
    """Also one of `typing_extensions`, which may be absent, and has a metaclass of its own."""
    return is_typeddict(form) or (
        issubclass(form, dict) and hasattr(form, "__required_keys__") and hasattr(form, "__total__")
    )


def _is_named_tuple(form: type) -> bool:
    return issubclass(form, tuple) and hasattr(form, "_fields") and hasattr(form, "_field_defaults")


def _dataclass_member(field: dataclasses.Field[Any], form: Any) -> Member:
    default: Json = NO_DEFAULT
    if field.default is not dataclasses.MISSING:
        default = json_default(field.default)
    elif field.default_factory is not dataclasses.MISSING:
        default = made_default(field.default_factory)
    is_set = (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
    description = field.metadata.get("description", "")
    return Member(field.name, form, not is_set, default, str(description))


def _typed_dict_member(name: str, form: Any, required: bool) -> Member:  # noqa: FBT001 - its own field
    """`Required` and `NotRequired` also count where annotations are strings (PEP 563)."""
    marks = {Required: True, NotRequired: False}
    if get_origin(form) in marks:
        return Member(name, get_args(form)[0], marks[get_origin(form)])
    return Member(name, form, required)
