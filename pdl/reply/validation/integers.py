"""Whole numbers as integers where the schema has integers and no other numbers: `1e3` is 1000.

A whole number may be written with a point or an exponent (2020-12 core, 4.2.3). The parser makes a
float of it, and from 2**53 on not each whole number is one: the float of `1e23` is less by 8388608.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, TypeAlias

from pdl._types import Json
from pdl.reply.validation.json_types import as_integer
from pdl.reply.validation.parts import of_index, of_key
from pdl.reply.validation.references import Document, branches
from pdl.reply.validation.schema_walk import in_digits, root_kinds

Place: TypeAlias = tuple[Json, ...]
"""The subschemas that may hold for a part of a value, those of all branches of unions."""

_HOLDERS = frozenset([dict, list])


def settled(document: Document, value: Json) -> Json:
    """The value with integers in the places of integers; the same object if none is to change.

    A place whose schema also allows other numbers, or says nothing of types, keeps its floats.
    """
    if not _has_whole_float(value):
        return value
    places = _Places(document)
    if isinstance(value, float):
        return as_integer(value) if places.wants_integer((document,)) else value
    return _copied(places, value, (document,))


def _has_whole_float(value: Json) -> bool:
    """Asked level by level, so that most of the work is done in C."""
    level: list[Any] = [value]
    while level:
        if any(part.is_integer() for part in level if type(part) is float):
            return True
        dicts = [part.values() for part in level if type(part) is dict]
        lists = [part for part in level if type(part) is list]
        level = list(chain.from_iterable([*dicts, *lists]))
    return False


def _copied(places: _Places, value: Json, place: Place) -> Json:
    """A copy of an object or array, in which such floats are integers."""
    root = value.copy()
    pending = [(root, place)]
    while pending:
        copy, around = pending.pop()
        for step, part in list(copy.items() if isinstance(copy, dict) else enumerate(copy)):
            if type(part) in _HOLDERS:
                copy[step] = part.copy()
                pending.append((copy[step], places.part(around, step)))
            elif type(part) is float and part.is_integer() and places.has_integer(around, step):
                copy[step] = as_integer(part)
    return root


class _Places:
    """Questions about the subschemas of a document, each of which is answered once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._parts: dict[tuple[object, ...], Place] = {}
        self._integers: dict[tuple[int, ...], bool] = {}

    def wants_integer(self, place: Place) -> bool:
        """Whether an integer may stand there, however it is written, and no other number."""
        mark = tuple(map(id, place))
        if mark not in self._integers:
            kinds = frozenset().union(*(root_kinds(self._document, sub) for sub in place))
            digits = any(in_digits(self._document, sub) for sub in place)
            self._integers[mark] = "integer" in kinds and "number" not in kinds and not digits
        return self._integers[mark]

    def has_integer(self, place: Place, step: str | int) -> bool:
        """The same of a part."""
        return self.wants_integer(self.part(place, step))

    def part(self, place: Place, step: str | int) -> Place:
        """The place of a part."""
        mark = (*map(id, place), step)
        if mark not in self._parts:
            subs: list[Json] = []
            for one in chain.from_iterable(branches(self._document, sub) for sub in place):
                subs += of_key(one, step) if isinstance(step, str) else of_index(one, step)
            self._parts[mark] = tuple({id(sub): sub for sub in subs}.values())
        return self._parts[mark]
