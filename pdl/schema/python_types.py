"""Python types as JSON Schema."""

from __future__ import annotations

import collections
import collections.abc
import enum
import importlib
import types
import typing
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pdl.errors import Problem, error_from
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.annotations import (
    alias_value,
    annotate,
    has_pydantic,
    is_alias,
    name_of,
    rules_of,
    scalar_schema,
    unqualified,
    unwrapped,
    with_rules,
)
from pdl.schema.constraints import answer_form, is_absence
from pdl.schema.dsl.tree import NULL, join
from pdl.schema.dsl.typecheck import TypeChecker, is_type
from pdl.schema.json_schema import Bundle, free_name
from pdl.schema.json_schema import convert as convert_json_schema
from pdl.schema.keywords import ANNOTATIONS, DEFINITIONS, reachable, types_of
from pdl.schema.parts import json_form
from pdl.schema.records import (
    NO_DEFAULT,
    Member,
    check_constructor,
    docstring,
    extra_items,
    is_pydantic,
    is_record,
    members,
)
from pdl.schema.refusals import is_form, refuse, undefined, why_not

if typing.TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.schema.parts import SchemaParts

_LISTS = frozenset(
    {
        list,
        collections.deque,
        collections.abc.Collection,
        collections.abc.Iterable,
        collections.abc.MutableSequence,
        collections.abc.Sequence,
    }
)
_SETS = frozenset({set, frozenset, collections.abc.Set, collections.abc.MutableSet})
_MAPS = frozenset(
    {
        dict,
        collections.OrderedDict,
        collections.defaultdict,
        collections.abc.Mapping,
        collections.abc.MutableMapping,
    }
)
_DEEPEST = 100  # fields inside fields


def convert(form: Any) -> SchemaParts:
    """Convert a type to a schema.

    Records (dataclasses, TypedDicts, NamedTuples) are closed objects; a field with a default is not
    required. Raises SchemaError for a type without a JSON Schema, naming its location, and
    LimitError for types that nest deeper than Python's own calls can.
    """
    converter = _Converter()
    try:
        root = converter.schema(form, name_of(form))
    except RecursionError as error:
        message = "the type nests too deep"
        raise error_from([Problem("limit/schema-depth", message)]) from error
    converter.check_defaults()
    document = {**root, "$defs": converter.definitions} if converter.definitions else root
    found = convert_json_schema(_inlined(document), DEFAULT_LIMITS)
    return answer_form(form, found._replace(form=json_form(found.document)))


class _Converter:
    """Converts one type; `definitions` gathers the classes that it uses."""

    def __init__(self) -> None:
        self._bundle = Bundle()
        self.definitions = self._bundle.definitions
        self._names: dict[Any, str] = {}
        self._open: set[Any] = set()
        self._defaults: list[tuple[Json, dict[str, Json], str]] = []

    def check_defaults(self) -> None:
        """Refuse a default that its own type does not accept, now that all classes are known."""
        checker = TypeChecker(self.definitions)
        for value, schema, where in self._defaults:
            if not checker.accepts(value, schema):
                hint = "a field that may be None has a type such as `int | None`"
                message = f"the default {value!r:.40} at {where} does not fit the field's type"
                raise error_from(
                    [Problem("schema/bad-default", message, hint="" if value is not None else hint)]
                )

    def schema(self, form: Any, where: str) -> dict[str, Json]:
        """The schema of a type at `where`."""
        form = unqualified(form)
        if not is_form(form):
            refuse(form, where, why_not(form))
        if is_alias(form):
            return self._alias(form, where)
        origin, arguments = get_origin(form), get_args(form)
        if origin is Annotated:
            return self._annotated(form, where)
        scalar = scalar_schema(form)
        if scalar is not None:
            return dict(scalar)
        if origin in (Union, types.UnionType):
            return self._union(arguments, where)
        if origin is Literal:
            return _choice([_value(one) for one in arguments], where)
        return self._class(form, where)

    def _alias(self, form: Any, where: str) -> dict[str, Json]:
        """The type that an alias names; a definition if the alias is part of itself."""
        if form in self._open:
            self._names.setdefault(form, free_name(_short_name(form), self.definitions))
            self.definitions.setdefault(self._names[form], {})
        elif form not in self._names:
            self._open.add(form)
            try:
                found = self.schema(alias_value(form), where)
            except NameError as error:
                refuse(form, where, f"it names {undefined(error)}")
            self._open.remove(form)
            if form not in self._names:
                return found
            self.definitions[self._names[form]] = found
        return {"$ref": DEFINITIONS + self._names[form]}

    def _annotated(self, form: Any, where: str) -> dict[str, Json]:
        if not has_pydantic(form.__metadata__):
            inner = self.schema(get_args(form)[0], where)
            return annotate(inner, form.__metadata__, lambda why: refuse(form, where, why))
        found = self._document(form, where)
        words = [one for one in form.__metadata__ if isinstance(one, str)]
        return found | ({"description": words[-1]} if words else {})

    def _class(self, form: Any, where: str) -> dict[str, Json]:
        if is_pydantic(form):
            return self._pydantic(form, where)
        if is_record(get_origin(form) or form):
            return self._record(form, where)
        if isinstance(form, type) and issubclass(form, enum.Enum):
            return _enumeration(form, where)
        return self._container(form, where)

    def _union(self, arguments: Iterable[Any], where: str) -> dict[str, Json]:
        listed = [self.schema(one, where) for one in arguments if not is_absence(one)]
        if len(listed) == 1:
            return listed[0]
        return dict(join([_bounded(part) for one in listed for part in _alternatives(one)]))

    def _container(self, form: Any, where: str) -> dict[str, Json]:
        origin, arguments = get_origin(form) or form, get_args(form)
        if origin is tuple:
            if not (arguments or form is tuple or _is_bare(form)):  # tuple[()], the empty one
                return {"type": "array", "maxItems": 0}
            return self._tuple(arguments, where)
        if origin in _MAPS:
            return self._map(arguments, where)
        if origin not in _LISTS | _SETS:
            refuse(form, where, why_not(form))
        found: dict[str, Json] = {"type": "array"}
        items = self.schema(arguments[0], f"{where}[]") if arguments else {}
        if origin in _SETS and arguments and (part := _without_hash(arguments[0])) is not None:
            refuse(part, f"{where}[]", "it has no hash, so it can't be in a set: write `list[…]`")
        found |= {"items": items} if items else {}
        return found | ({"uniqueItems": True} if origin in _SETS else {})

    def _tuple(self, arguments: tuple[Any, ...], where: str) -> dict[str, Json]:
        if not arguments:
            return {"type": "array"}
        if len(arguments) == 2 and arguments[1] is Ellipsis:  # noqa: PLR2004 - tuple[T, ...]
            return {"type": "array", "items": self.schema(arguments[0], f"{where}[]")}
        items = [self.schema(one, f"{where}[{n}]") for n, one in enumerate(arguments)]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}

    def _map(self, arguments: tuple[Any, ...], where: str) -> dict[str, Json]:
        if not arguments:
            return {"type": "object", "additionalProperties": True}
        key = self.schema(arguments[0], where)
        if key and key.get("type") != "string" and not _are_strings(key):
            why = "the keys of a JSON object are strings: write `dict[str, …]` or a list of pairs"
            refuse(arguments[0], where, why)
        values = self.schema(arguments[1], f"{where}[str]")
        names = {"propertyNames": key} if key.keys() - {"type"} - ANNOTATIONS else {}
        return {"type": "object", "additionalProperties": values or True, **names}

    def _record(self, form: Any, where: str) -> dict[str, Json]:
        if form not in self._names:
            if where.count(".") > _DEEPEST:  # a generic class can contain ever larger ones
                refuse(form, where, "its fields nest without end")
            self._names[form] = free_name(_short_name(form), self.definitions)
            self.definitions[self._names[form]] = {}  # so that a record can contain itself
            self.definitions[self._names[form]] = self._object(form, where)
        return {"$ref": DEFINITIONS + self._names[form]}

    def _object(self, form: Any, where: str) -> dict[str, Json]:
        try:
            listed = members(form)
            check_constructor(get_origin(form) or form, listed)
        except NameError as error:
            refuse(form, where, f"its annotations name {undefined(error)}")
        except (AttributeError, SyntaxError) as error:
            refuse(form, where, f"its annotations can't be read: {error}")
        except TypeError as error:
            refuse(form, where, str(error))
        fields = {one.key: self._field(one, f"{where}.{one.key}") for one in listed}
        required = [one.key for one in listed if one.required]
        found: dict[str, Json] = {"type": "object"}
        found |= {"properties": fields} if fields else {}
        found |= {"required": required} if required else {}
        cls: Any = get_origin(form) or form
        extra = extra_items(cls)
        rest = False if extra is NO_DEFAULT else self.schema(extra, f"{where}[str]") or True
        found["additionalProperties"] = rest
        text = docstring(cls)
        found |= {"description": text} if text else {}
        return found | dict(vars(cls).get("__schema_keywords__", {}))

    def _field(self, member: Member, where: str) -> dict[str, Json]:
        found = self.schema(member.form, where)
        if member.description:
            found["description"] = member.description
            found |= with_rules(found, rules_of(member.form))
        if member.default is NO_DEFAULT:
            return found
        self._defaults.append((member.default, found, where))
        return {**found, "default": member.default}

    def _pydantic(self, form: Any, where: str) -> dict[str, Json]:
        if form not in self._names:
            document = self._document(form, where)
            if "$ref" in document:
                return document
            self._names[form] = free_name(_short_name(form), self.definitions)
            self.definitions[self._names[form]] = document
        return {"$ref": DEFINITIONS + self._names[form]}

    def _document(self, form: Any, where: str) -> dict[str, Json]:
        """What pydantic says of a type, with its definitions among those of the whole."""
        models = importlib.import_module("pdl.schema.pydantic_models")
        try:
            document = models.model_schema(form)
        except TypeError as error:
            refuse(form, where, str(error))
        return self._bundle.add(document, ())


def _without_hash(form: Any) -> Any:
    """The part of a type whose values cannot be in a set, None if all can."""
    form = unwrapped(form)
    if get_origin(form) is Annotated:
        return _without_hash(get_args(form)[0])
    if get_origin(form) in (Union, types.UnionType):
        return next((one for one in get_args(form) if _without_hash(one) is not None), None)
    kind = get_origin(form) or form
    made_as_list = kind in _LISTS or kind in _MAPS
    return form if made_as_list or getattr(kind, "__hash__", None) is None else None


def _are_strings(schema: dict[str, Json]) -> bool:
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return bool(values) and all(isinstance(one, str) for one in values)


def _is_bare(form: Any) -> bool:
    """Whether it is a generic type of `typing` without brackets, such as `typing.Tuple`."""
    return not hasattr(form, "__args__")


def _alternatives(schema: dict[str, Json]) -> list[dict[str, Json]]:
    if schema.keys() == {"anyOf"}:
        branches: list[dict[str, Json]] = schema["anyOf"]
        return [part for branch in branches for part in _alternatives(branch)]
    if schema.keys() == {"enum"}:
        return [dict(NULL) if value is None else {"const": value} for value in schema["enum"]]
    if schema.keys() == {"type"} and isinstance(schema["type"], list):
        return [{"type": kind} for kind in schema["type"]]
    return [schema]


def _bounded(schema: dict[str, Json]) -> dict[str, Json]:
    """A branch of a union, without the type that its constant has anyway."""
    if "const" in schema and any(is_type(schema["const"], name) for name in types_of(schema)):
        return {key: value for key, value in schema.items() if key != "type"}
    return schema


def _enumeration(cls: type[enum.Enum], where: str) -> dict[str, Json]:
    if issubclass(cls, enum.Flag):
        refuse(cls, where, "flags combine: write `int`, or a list of the members of an Enum")
    if not len(cls):
        refuse(cls, where, "it has no members, so no value fits it")
    found = _choice([_value(member) for member in cls], where)
    text = docstring(cls)
    return found | ({"description": text} if text and text != "An enumeration." else {})


def _value(one: Any) -> Json:
    return one.value if isinstance(one, enum.Enum) else one


def _choice(values: list[Json], where: str) -> dict[str, Json]:
    for value in values:
        if value is not None and not isinstance(value, str | bool | int | float):
            refuse(value, where, "a choice is among JSON's scalars")
    if values == [None]:
        return dict(NULL)
    return {"const": values[0]} if len(values) == 1 else {"enum": values}


def _short_name(form: Any) -> str:
    """A type's name as part of the name of a definition: `ListInt` for `list[int]`."""
    outer = get_origin(form) or form
    name = str(getattr(outer, "__name__", outer))
    word = "".join(c for c in name if c.isalnum() or c == "_") or "Type"
    return word[:1].upper() + word[1:] + "".join(map(_short_name, get_args(form)))


def _inlined(document: dict[str, Json]) -> dict[str, Json]:
    """The document with the definition inlined that only the root refers to."""
    name = str(document.get("$ref", "")).removeprefix(DEFINITIONS)
    definitions = dict(document.get("$defs", {}))
    if name not in definitions or name in reachable({"$defs": definitions}, {}):
        return document
    root = definitions.pop(name)
    rest = {key: value for key, value in document.items() if key not in ("$ref", "$defs")}
    return {**root, **rest, **({"$defs": definitions} if definitions else {})}
