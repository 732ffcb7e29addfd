"""The words of the schema DSL, and advice for those who wrote something else."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl import errors
from pdl.schema.formats import FORMATS, ZONED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import JsonSchema


TYPES: MappingProxyType[str, JsonSchema] = MappingProxyType(
    {
        "str": {"type": "string"},
        "string": {"type": "string"},
        "int": {"type": "integer"},
        "integer": {"type": "integer"},
        "float": {"type": "number"},
        "number": {"type": "number"},
        "bool": {"type": "boolean"},
        "boolean": {"type": "boolean"},
        "null": {"type": "null"},
        "any": {},
        **{
            known.word: {"type": "string", "format": name}
            for name, known in FORMATS.items()
            if name not in ZONED.values()
        },
    }
)
"""The type words and what they mean."""

FORMS = MappingProxyType({"yesno": "bool", "code": "str", "tasklist": "[str]"})
"""The words that are allowed only at the root, and what to write elsewhere."""

CONSTANTS = MappingProxyType({"true": True, "false": False, "null": None})

_ARRAY = "write an array as `[T]`"
_MAP = "write a map as `{ [str]: T }`"
_OBJECT = "write an object with its fields: `{ name: str }`"
_NULLABLE = "write `T?` for a type that can be null, `key?: T` for a field that can be absent"
_ENUM = 'write a choice as its values: `"a" | "b"`'

_ADVICE = MappingProxyType(
    {
        "list": _ARRAY,
        "array": _ARRAY,
        "vec": _ARRAY,
        "sequence": _ARRAY,
        "iterable": _ARRAY,
        "set": "write a set as `[T] { unique: true }`",
        "frozenset": "write a set as `[T] { unique: true }`",
        "tuple": "write a tuple as `[A, B]`",
        "...": "write `[T]` for an array of any length, `[T]<2,5>` for one of 2 to 5 items",
        "dict": _MAP,
        "map": _MAP,
        "mapping": _MAP,
        "record": _MAP,
        "hashmap": _MAP,
        "object": _OBJECT,
        "struct": _OBJECT,
        "json": "write `any` for any JSON value; " + _OBJECT,
        "optional": _NULLABLE,
        "nullable": _NULLABLE,
        "option": _NULLABLE,
        "maybe": _NULLABLE,
        "enum": _ENUM,
        "literal": _ENUM,
        "oneof": _ENUM,
        "const": 'write a fixed value as it is: `"a"`',
        "union": "write a union as `A | B`",
        "text": "write `str`",
        "char": "write one character as `str<1>`",
        "double": "write `float`",
        "decimal": "write `float`",
        "real": "write `float`",
        "long": "write `int`",
        "uint": "write `int<0,>`",
        "unsigned": "write `int<0,>`",
        "none": "write `null`",
        "nil": "write `null`",
        "void": "write `null`",
        "undefined": "write `null`, or `key?: T` for a field that can be absent",
        "unknown": "write `any`",
        "object.any": "write `any`",
        "url": "write `uri`",
        "guid": "write `uuid`",
        "timestamp": "write `datetime`",
        "date-time": "write `datetime`",
        "datetime.datetime": "write `datetime`",
        "datetime.date": "write `date`",
        "datetime.time": "write `time`",
        "datetime.timedelta": "write `duration`",
        "timedelta": "write `duration`",
        "uuid.uuid": "write `uuid`",
        "ip": "write `ipv4 | ipv6`",
        "never": "leave it out: no value fits it",
        "yes": "write an answer of yes or no as `yesno`, alone",
        "no": "write an answer of yes or no as `yesno`, alone",
        "markdown": "write `str`, or `code` for one fenced block",
    }
)

_SHORT = MappingProxyType({"string": "str", "integer": "int", "boolean": "bool"})


def advice(word: str, names: Iterable[str] = ()) -> str:
    """What to write instead of an unknown word, or nothing if it is similar to no other."""
    known = _ADVICE.get(word.lower())
    if known or not word[:1].isupper():
        return known or nearest(word, [*TYPES, *FORMS, *names])
    # `Node` is more likely a name that was forgotten than the type `code`.
    return nearest(word, names) or nearest(word, TYPES, alike=0.8)


def foreign(word: str) -> str:
    """What to write instead of a word of another language; empty for other words."""
    return _ADVICE.get(word.lower(), "")


def nearest(word: str, known: Iterable[str], alike: float = 0.6) -> str:
    """A suggestion of the known word most similar to this one, by its short name."""
    near = errors.nearest(word, known, alike)
    return f"did you mean `{_SHORT.get(near, near)}`?" if near else ""
