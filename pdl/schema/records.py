"""Classes with named fields, and what they declare of each: dataclasses, TypedDicts, NamedTuples.

Structs of msgspec and classes of attrs are recognized by their attributes, so neither library is
imported for a type of another kind.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import importlib
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NotRequired,
    Protocol,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    is_typeddict,
)
from uuid import UUID

from pdl.schema.annotations import bind, class_hints, resolved, with_self
from pdl.schema.checks import is_of, json_number
from pdl.schema.constraints import can_be_absent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json


NO_DEFAULT: Any = object()
"""Represents the absence of a default, or one that JSON does not have."""

_EMPTY = (list, dict, set, frozenset, tuple, str, int, float, bool)


@dataclass(frozen=True)
class Member:
    """One field of a class, for both directions: its JSON, and the instance that is made of it.

    `key` is its key in JSON, and `form` its type as annotated, with type variables as bound.
    `argument` is the keyword of the constructor that takes its value; None if the class itself
    fixes the value, as the tag of a struct, whose form is a `Literal` of one value. `attribute` is
    the attribute of an instance that has the value; None if an instance does not keep it. A field
    is `required` unless it has a default. `default` is the default as JSON, or NO_DEFAULT.
    """

    key: str
    form: Any
    argument: str | None
    attribute: str | None
    required: bool = True
    default: Json = NO_DEFAULT
    description: str = ""


def is_record(form: Any) -> bool:
    """Whether a class has named fields that `members` lists."""
    return isinstance(form, type) and any(is_kind(form) for is_kind, _ in _KINDS)


def is_pydantic(form: Any) -> bool:
    """Whether pydantic has a schema of a class: it is a model, or defines one for pydantic."""
    names = ("__get_pydantic_core_schema__", "__pydantic_core_schema__")
    return isinstance(form, type) and any(hasattr(form, name) for name in names)


def members(form: Any) -> tuple[Member, ...]:
    """Return the fields in order of a class that `is_record`, or of such a class with brackets.

    Raises NameError if an annotation uses an undefined name, AttributeError or SyntaxError if it
    can't be read otherwise, and TypeError for a class whose JSON is not an object.
    """
    return _members(form)


@lru_cache(maxsize=512)
def _members(form: Any) -> tuple[Member, ...]:
    cls = get_origin(form) or form
    listed = next(listed for is_kind, listed in _KINDS if is_kind(cls))
    return tuple(listed(cls, _hints(form, cls)))


def extra_items(cls: Any) -> Any:
    """The type of the values of other keys that a TypedDict allows, or NO_DEFAULT (PEP 728)."""
    form = vars(cls).get("__extra_items__")
    if form is None or not _is_typed_dict(cls) or "NoExtraItems" in type(form).__name__:
        return NO_DEFAULT
    return resolved(form, cls.__module__)


def docstring(cls: Any) -> str:
    """The class's own docstring; not the one that a dataclass or a NamedTuple writes for itself."""
    text = vars(cls).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{cls.__name__}("):
        return ""
    return inspect.cleandoc(text)


def json_default(value: Any) -> Json:
    """The JSON value of a default, or NO_DEFAULT."""
    try:
        return _to_json(value)
    except TypeError:
        return NO_DEFAULT


def _to_json(value: Any) -> Json:  # noqa: PLR0911 - one for each kind of value
    """The JSON value of a Python value. Raises TypeError if it has none."""
    if isinstance(value, enum.Enum):
        return _to_json(value.value)
    if value is None or isinstance(value, bool | str):
        return value
    if (number := json_number(value)) is not None:
        return number
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta) and value >= dt.timedelta() and not value.microseconds:
        return f"PT{value.days * 86400 + value.seconds}S"
    if isinstance(value, UUID | PurePath) or type(value).__module__ == "ipaddress":
        return str(value)
    kind: Any = type(value)
    if is_record(kind):
        values = {one.key: _value_of(one, value) for one in members(kind)}
        return {key: _to_json(one) for key, one in values.items() if not _is_unset(one)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_to_json(item) for item in value]
    raise TypeError


def fields_of_instance(form: Any, value: Any) -> Iterator[tuple[Member, Any]]:
    """Yield the fields of a record that an instance has and keeps, each with its value."""
    for one in members(form):
        if isinstance(value, Mapping):
            if one.key in value:
                yield one, value[one.key]
        elif one.attribute is not None:
            inner = getattr(value, one.attribute)
            is_absent = inner is None and can_be_absent(one.form)
            if not is_absent and not _is_unset(inner):
                yield one, inner


def _value_of(member: Member, value: Any) -> Any:
    if member.argument is None:
        return get_args(member.form)[0]
    return getattr(value, member.attribute) if member.attribute is not None else NO_DEFAULT


def _is_unset(value: Any) -> bool:
    """Whether it is msgspec's value for a field that JSON does not have."""
    return (type(value).__module__, type(value).__name__) == ("msgspec", "UnsetType")


def _made_default(factory: Any) -> Json:
    """What a factory makes, if it is a plain type; others could do anything and are not called."""
    return json_default(factory()) if factory in _EMPTY else NO_DEFAULT


def _hints(form: Any, cls: Any) -> dict[str, Any]:
    """The annotations of a class and its bases, with type variables as brackets bind them.

    A base such as `Base[int]` binds the variables of its own annotations.
    """
    hints = {name: with_self(one, form) for name, one in class_hints(cls).items()}
    bound = _bindings(form)
    if not any(bound.values()):
        return hints
    is_typed_dict = _is_typed_dict(cls)
    owners: dict[str, Any] = {}
    for one in reversed(bound if is_typed_dict else cls.__mro__):
        for name in inspect.get_annotations(one):
            if not is_typed_dict or name not in owners:  # it lists those of its bases as its own
                owners[name] = one
    return {name: bind(form, bound.get(owners.get(name), {})) for name, form in hints.items()}


def _bindings(form: Any) -> dict[Any, dict[Any, Any]]:
    """The type variables that are bound, of a class and then of each of its bases."""
    found: dict[Any, dict[Any, Any]] = {}
    pending = [form]
    while pending:
        one = pending.pop(0)
        cls = get_origin(one) or one
        if not isinstance(cls, type) or cls in found:
            continue
        parameters = getattr(cls, "__parameters__", ())
        if get_args(one) and not all(isinstance(each, TypeVar) for each in parameters):
            raise TypeError("its type parameters are more than single types")
        found[cls] = dict(zip(parameters, get_args(one), strict=False))
        bases = vars(cls).get("__orig_bases__", cls.__bases__)
        classes = (base for base in bases if get_origin(base) not in (Generic, Protocol))
        pending += [bind(base, found[cls]) for base in classes]
    return found


def _dataclass_members(cls: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    for name, field in cls.__dataclass_fields__.items():
        form, keeps = hints[name], True
        if isinstance(form, dataclasses.InitVar):
            form, keeps = form.type, False
        elif field not in dataclasses.fields(cls):
            continue
        if field.init:
            default = _declared(name, field.default, field.default_factory, dataclasses.MISSING)
            if default == (False, None) and can_be_absent(form):
                default = (False, NO_DEFAULT)
            words = field.metadata.get("description") or getattr(field, "doc", None) or ""
            yield Member(name, form, name, name if keeps else None, *default, str(words))


def _declared(name: str, default: Any, factory: Any, absent: object) -> tuple[bool, Json]:
    """Whether a field is required, and its default."""
    refuse_field(name, default)
    if default is not absent:
        return False, json_default(default)
    return factory is absent, NO_DEFAULT if factory is absent else _made_default(factory)


def refuse_field(name: str, default: Any) -> None:
    """Raise TypeError for a default that is a field of pydantic, which only pydantic can read."""
    if is_of(default, "pydantic.fields", "FieldInfo"):
        raise TypeError(
            f"the default of `{name}` is a `Field(…)`, which only pydantic's classes read: write"
            f" `{name}: Annotated[T, Field(…)] = …`"
        )


def check_constructor(cls: Any, listed: Iterable[Member]) -> None:
    """Raise TypeError for a class that can't be called with the fields that are listed."""
    if issubclass(cls, dict) or hasattr(cls, "__struct_fields__"):  # which always can
        return
    if inspect.isabstract(cls):
        raise TypeError(
            "it is abstract, so it has no instances: pass a class that inherits from it"
        )
    try:
        signature = inspect.signature(cls)
    except ValueError:  # some classes written in C have none
        return
    named = [one for one in listed if one.argument is not None]
    for fields in (named, [one for one in named if one.required]):
        try:
            signature.bind(**{str(one.argument): None for one in fields})
        except TypeError as error:
            why = f"its constructor does not take its fields as keywords ({error})"
            raise TypeError(f"{why}: remove `init=False` or its own `__init__`") from error


def _typed_dict_members(cls: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    """`Required` and `NotRequired` also apply where annotations are strings (PEP 563)."""
    for name, form in hints.items():
        inner, mark = _unmarked(form)
        is_required = name in cls.__required_keys__ if mark is None else mark is Required
        yield Member(name, inner, name, name, is_required)


def _unmarked(form: Any) -> tuple[Any, Any]:
    """A type without `Required` or `NotRequired`, also inside `Annotated`; and which it was."""
    kind = get_origin(form)
    if kind in (Required, NotRequired):
        return _unmarked(get_args(form)[0])[0], kind
    if kind is not Annotated:
        return form, None
    inner, mark = _unmarked(form.__origin__)
    return (form if mark is None else Annotated[(inner, *form.__metadata__)]), mark


def _named_tuple_members(cls: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    for name in cls._fields:
        default = cls._field_defaults.get(name, NO_DEFAULT)
        given = _declared(name, default, NO_DEFAULT, NO_DEFAULT)
        yield Member(name, hints.get(name, Any), name, name, *given)


def _struct_members(cls: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    """The fields of a `msgspec.Struct` as it writes them, its tag first."""
    library = importlib.import_module("msgspec")
    config = cls.__struct_config__
    if config.array_like:
        raise TypeError("its JSON is an array without keys: remove `array_like=True`")
    if config.tag is not None:
        yield Member(config.tag_field, Literal[config.tag], None, None)
    # msgspec.structs.fields would evaluate the annotations, and not know a function's own class.
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    filled = (library.NODEFAULT,) * (len(names) - len(defaults)) + defaults
    for name, key, default in zip(names, cls.__struct_encode_fields__, filled, strict=True):
        factory = getattr(default, "factory", None) if is_of(default, *_FACTORY) else None
        given = (library.NODEFAULT, factory) if factory else (default, library.NODEFAULT)
        form = _without(library.UnsetType, hints[name])
        yield Member(key, form, name, name, *_declared(name, *given, library.NODEFAULT))


_FACTORY = ("msgspec._core", "Factory")


def _without(absent: Any, form: Any) -> Any:
    """A union without the type of an absent value, which JSON never has."""
    if get_origin(form) not in (Union, types.UnionType):
        return form
    kept = tuple(one for one in get_args(form) if one is not absent)
    return Union[kept] if kept else form  # noqa: UP007 - made of a tuple


def _attrs_members(cls: Any, hints: Mapping[str, Any]) -> Iterator[Member]:
    """The fields of an attrs class that its constructor takes, by the names that it takes."""
    nothing = importlib.import_module("attr").NOTHING
    for one in cls.__attrs_attrs__:
        if not one.init:
            continue
        factory = nothing
        default = one.default
        if type(default).__name__ == "Factory" and hasattr(default, "takes_self"):
            factory, default = default.factory, nothing
        form = hints.get(one.name, Any if one.type is None else one.type)
        given = _declared(one.name, default, factory, nothing)
        words = str(one.metadata.get("description") or "")
        yield Member(one.alias, form, one.alias, one.name, *given, words)


def _is_typed_dict(form: type) -> bool:
    """Also one of `typing_extensions`, which need not be installed and has its own metaclass."""
    return is_typeddict(form) or (
        issubclass(form, dict) and hasattr(form, "__required_keys__") and hasattr(form, "__total__")
    )


def _is_named_tuple(form: type) -> bool:
    return issubclass(form, tuple) and hasattr(form, "_fields") and hasattr(form, "_field_defaults")


_KINDS: tuple[tuple[Any, Any], ...] = (
    (dataclasses.is_dataclass, _dataclass_members),
    (_is_typed_dict, _typed_dict_members),
    (_is_named_tuple, _named_tuple_members),
    (lambda form: hasattr(form, "__struct_fields__"), _struct_members),
    (lambda form: hasattr(form, "__attrs_attrs__"), _attrs_members),
)
"""How each kind of class is recognized, and the function that lists its fields."""
