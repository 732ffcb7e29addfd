"""Instances of classes with fields of which some are not known yet: those are None.

No code of such a class is run: neither constructors nor validators expect a value with holes.
"""

from __future__ import annotations

import dataclasses
import importlib
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_origin

from pdl.schema.records import is_pydantic, is_record, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Field(NamedTuple):
    """A field of a class: its type, and the attribute that has its value, if one does."""

    form: Any
    attribute: str | None


@lru_cache(maxsize=512)
def fields_of(form: Any) -> Mapping[str, Field] | None:
    """Return the fields of a class by their keys in JSON; None if it is not a class with fields.

    Those of pydantic's classes have the keys of its JSON Schema; that of a root model is `root`.
    """
    cls = get_origin(form) or form
    if is_pydantic(cls):
        found = getattr(cls, "__pydantic_fields__", None) or getattr(cls, "model_fields", None)
        if found is not None:
            return {_key(name, one): Field(_form(one), name) for name, one in found.items()}
    if not is_record(cls):
        return None
    return {one.key: Field(one.form, one.attribute) for one in members(form)}


def _key(name: str, field: Any) -> str:
    """The key of a pydantic field: the first alias that is no path into the value, or its name."""
    alias = field.validation_alias
    for one in getattr(alias, "choices", [alias]):
        path = getattr(one, "path", [one])
        if len(path) == 1 and isinstance(path[0], str):
            return path[0]
    return name


def _form(field: Any) -> Any:
    metadata = tuple(field.metadata)
    return Annotated[(field.annotation, *metadata)] if metadata else field.annotation


def is_root_model(form: Any) -> bool:
    """Return whether it is a model of pydantic whose JSON is that of its only field."""
    return getattr(form, "__pydantic_root_model__", False) is True


def allows_more(form: Any) -> bool:
    """Return whether objects of a class may have other keys than those of its fields."""
    config = getattr(form, "model_config", None) or getattr(form, "__pydantic_config__", None) or {}
    return bool(config.get("extra") == "allow")


def record(form: Any, known: Mapping[str, Any]) -> Any:
    """Make an instance of a class that has fields, with the values that are known, by their keys.

    Raises what Python raises for a class that can't be made so.
    """
    cls: Any = get_origin(form) or form
    if issubclass(cls, dict):
        return dict(known)
    table = fields_of(form) or {}
    values = {table[key].attribute or "": one for key, one in known.items()}
    if hasattr(cls, "__pydantic_root_model__"):
        return _model(cls, values)
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [values.get(name) for name in cls._fields])
    if hasattr(cls, "__struct_fields__"):
        return _bare_struct(cls)(**{name: values.get(name) for name in cls.__struct_fields__})
    made = object.__new__(cls)
    for name in _attributes(cls):
        object.__setattr__(made, name, values.get(name))  # it may be frozen
    return made


def _attributes(cls: Any) -> Iterable[str]:
    """The attributes of a dataclass or a class of attrs, also of those that no argument sets."""
    is_dataclass = dataclasses.is_dataclass(cls)
    found = dataclasses.fields(cls) if is_dataclass else cls.__attrs_attrs__
    return [one.name for one in found]


def _model(cls: Any, values: Mapping[str, Any]) -> Any:
    """A model of pydantic, as unpickling makes it: `model_construct` reads aliases and defaults."""
    made = object.__new__(cls)
    table = fields_of(cls) or {}
    state: dict[str, Any] = {one.attribute or "": None for one in table.values()}
    importlib.import_module("pydantic").BaseModel.__setstate__(
        made,
        {
            "__dict__": {**state, **values},
            "__pydantic_fields_set__": set(values),
            "__pydantic_extra__": {} if allows_more(cls) else None,
            "__pydantic_private__": {} if cls.__private_attributes__ else None,
        },
    )
    return made


@lru_cache(maxsize=256)
def _bare_struct(cls: Any) -> Any:
    """A `msgspec.Struct`, whose constructor checks nothing but may call `__post_init__`.

    Only its constructor can make one, so such a struct gets a subclass that does not call it.
    """
    if not hasattr(cls, "__post_init__"):
        return cls
    return importlib.import_module("msgspec").defstruct(
        cls.__name__, [], bases=(cls,), namespace={"__post_init__": lambda _: None}
    )
