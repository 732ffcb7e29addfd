"""Partial instances: what a type makes of the JSON that is there so far.

A part that is complete is made as `pdl.reply.instances` makes it, once per stream. The others are
made without any code of their classes, since no validator expects a value with holes.
"""

from __future__ import annotations

import json
import types
from functools import lru_cache
from itertools import islice, repeat, takewhile
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Union, get_args, get_origin

from pdl.errors import PdlError
from pdl.reply.instances import COLLECTIONS, Digits, convert, fits
from pdl.reply.streaming.partial import Open, Whole
from pdl.reply.streaming.partial_records import allows_more, fields_of, is_root_model, record
from pdl.reply.validation.json_types import kind_of
from pdl.reply.validation.schema_walk import root_kinds
from pdl.schema.annotations import has_pydantic, unwrapped
from pdl.schema.model import schema_of_type
from pdl.schema.records import is_pydantic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from decimal import Decimal

    from pdl._types import Json, JsonPath
    from pdl.reply.streaming.partial import Known

_UNKNOWN: Any = object()
"""What a part is that isn't known yet, or that has no instance of its type."""
_PLAIN = frozenset([str, int, float, bool])
_SETS = frozenset([set, frozenset])


class PartialInstances:
    """Makes the partial instances of one type in one stream; `text` returns the reply so far."""

    def __init__(self, form: Any, text: Callable[[], str]) -> None:
        self._form = form
        self._text = text
        self._restart(None)

    def _restart(self, start: int | None) -> None:
        """Another bracket is the answer."""
        self._start = start
        self._digits = _GrowingDigits(self._text, start or 0)
        self._made: dict[JsonPath, tuple[Any, Json, Any]] = {}
        """The instances of complete parts, each after its type and its JSON."""
        self._items: dict[JsonPath, tuple[Any, list[Any]]] = {}
        """The instances of complete items of arrays, after the type of the array."""

    def value(self, data: Json, known: Known, start: int | None) -> Any:
        """Return the instance for the JSON so far of the answer that begins at `start`.

        What is not in `known` can still change. None if there is no instance yet.
        """
        if start != self._start:
            self._restart(start)
        try:
            made = self._part(_Part(self._form, data, (), _Extent.of(known)))
        except RecursionError:  # it is deeper than types nest, and might end as an error
            return None
        return None if made is _UNKNOWN else made

    def _part(self, part: _Part) -> Any:
        if not part.extent.is_whole:
            return self._open(part.unwrapped())
        if type(part.data) is part.form and part.form in _PLAIN:
            return part.data
        form, data, made = self._made.get(part.path, (None, None, None))
        if form is part.form and data is part.data:
            return made
        within = part.unwrapped()
        made = self._complete(within)
        if made is _UNKNOWN:
            made = self._open(within)
        self._made[part.path] = (part.form, part.data, made)
        return made

    def _complete(self, part: _Part) -> Any:
        """The instance of a part that is complete, as the answer will contain it.

        Its type may refuse it; the errors of the check then say why.
        """
        try:
            if not _fits(part.form, part.data):
                return _UNKNOWN
            if part.of_pydantic:
                from pdl.reply.pydantic_values import validated  # noqa: PLC0415 - imports pydantic

                return validated(part.form, part.data, json.dumps(part.data))
            return convert(part.form, part.data, digits=self._digits)
        except Exception:  # noqa: BLE001 - of code of the type, which `close` runs again
            return _UNKNOWN

    def _open(self, part: _Part) -> Any:
        """The instance of a part that is not complete, or that its type refuses."""
        form, data = part.form, part.data
        if get_origin(form) is Annotated:
            return self._part(part.of(form.__origin__))
        if get_origin(form) in (Union, types.UnionType):
            possible = [one for one in get_args(form) if _is_possible(part.of(one))]
            return self._part(part.of(possible[0])) if len(possible) == 1 else _UNKNOWN
        if form in (Any, object) or (form is str and isinstance(data, str)):
            return data
        if not isinstance(data, list | dict) or kind_of(data) not in _kinds(form):
            return _UNKNOWN
        return self._bracket(part)

    def _bracket(self, part: _Part) -> Any:
        if is_root_model(part.form):
            table = fields_of(part.form) or {}
            made = self._part(part.of(table["root"].form))
            return _UNKNOWN if made is _UNKNOWN else _made(record, part.form, {"root": made})
        return self._list(part) if isinstance(part.data, list) else self._object(part)

    def _list(self, part: _Part) -> Any:
        kind, arguments = get_origin(part.form) or part.form, get_args(part.form)
        if kind is tuple and arguments and Ellipsis not in arguments:
            made = [self._part(one) for one in part.items(arguments)]
            known = [None if one is _UNKNOWN else one for one in made]
            return (*known, *repeat(None, len(arguments) - len(known)))
        items = self._items_of(part, arguments[0] if arguments else Any)
        make = tuple if kind is tuple else COLLECTIONS.get(kind, list)
        if make in _SETS:  # an item that grows would be a member that is not there
            items = items[: part.certain]
        return _made(make, items)

    def _items_of(self, part: _Part, form: Any) -> list[Any]:
        """The instances of the items, up to one that is unknown: others would get its index.

        Those that were complete before are not made again.
        """
        known, done = self._items.get(part.path, (None, []))
        if known is not part.form:
            done = []
            self._items[part.path] = (part.form, done)
        begin = min(len(done), part.certain)
        rest = [*takewhile(_is_known, map(self._part, part.items(repeat(form), begin)))]
        done += rest[len(done) - begin : part.certain - begin]
        return [*done[:begin], *rest]

    def _object(self, part: _Part) -> Any:
        table = fields_of(part.form)
        if table is not None:
            named = self._values(part, {key: one.form for key, one in table.items()})
            return _made(record, part.form, named)
        if is_pydantic(part.form):
            return _UNKNOWN
        kind, arguments = get_origin(part.form) or part.form, get_args(part.form)
        of_key, of_value = arguments or (Any, Any)
        named = self._values(part, dict.fromkeys(part.data, of_value))
        keys = {key: self._complete(part.of(of_key)._replace(data=key)) for key in named}
        pairs = {keys[key]: one for key, one in named.items() if keys[key] is not _UNKNOWN}
        return _made(COLLECTIONS.get(kind, dict), pairs)

    def _values(self, part: _Part, forms: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of an object that are known, by their keys."""
        made = {str(one.path[-1]): self._part(one) for one in part.members(forms)}
        return {key: one for key, one in made.items() if one is not _UNKNOWN}


class _Extent(NamedTuple):
    """How much of a part is certain: all of it, or its first parts and what is in the next one.

    `key` is that of the next one, or of the last one before it comes.
    """

    is_whole: bool = False
    parts: int = 0
    key: str | int | None = None
    following: tuple[Open, ...] = ()

    @classmethod
    def of(cls, known: Known) -> _Extent:
        """The extent of an answer."""
        if isinstance(known, Whole):
            return cls(is_whole=True)
        return cls() if known is None else cls.of_open(tuple(known.chain()))

    @classmethod
    def of_open(cls, chain: tuple[Open, ...]) -> _Extent:
        """The extent of an open bracket, with those in it."""
        return cls(parts=chain[0].size, key=chain[0].key, following=chain[1:])

    def inner(self, position: int, step: str | int) -> _Extent:
        """The extent of a part of this one."""
        if self.is_whole or position < self.parts:
            return _WHOLE
        is_open = self.following and self.following[0].step == step
        return self.of_open(self.following) if is_open else _NOTHING


_WHOLE = _Extent(is_whole=True)
_NOTHING = _Extent()


class _Part(NamedTuple):
    """A part of the answer; pydantic makes what is in its own types."""

    form: Any
    data: Json
    path: JsonPath
    extent: _Extent
    of_pydantic: bool = False

    @property
    def certain(self) -> int:
        """How many of its parts are complete."""
        return len(self.data) if self.extent.is_whole else self.extent.parts

    def of(self, form: Any) -> _Part:
        """The same part with another type."""
        return self._replace(form=form)

    def unwrapped(self) -> _Part:
        """The same part without the names around its type."""
        form = unwrapped(self.form)
        marked = get_origin(form) is Annotated and has_pydantic(form.__metadata__)
        return self._replace(form=form, of_pydantic=self.of_pydantic or marked or is_pydantic(form))

    def items(self, forms: Iterable[Any], begin: int = 0) -> Iterator[_Part]:
        """The items of an array, from an index."""
        for at, (form, one) in enumerate(zip(forms, self.data[begin:], strict=False), begin):
            inside = self.extent.inner(at, at)
            yield _Part(form, one, (*self.path, at), inside, self.of_pydantic)

    def members(self, forms: Mapping[str, Any]) -> Iterator[_Part]:
        """The members of an object for whose keys there is a type."""
        for at, (key, one) in enumerate(self.data.items()):
            if key in forms:
                inside = self.extent.inner(at, key)
                yield _Part(forms[key], one, (*self.path, key), inside, self.of_pydantic)


class _GrowingDigits(Digits):
    """The digits of the numbers that have ended, which are read when they are needed."""

    def __init__(self, text: Callable[[], str], start: int) -> None:
        super().__init__()
        self._text = text
        self._at = start

    def of(self, value: float) -> Decimal:
        text = self._text()
        end = len(text)
        while end > self._at and text[end - 1] in _OF_NUMBERS:
            end -= 1
        self.add(text[self._at : end])
        self._at = end
        return super().of(value)


_OF_NUMBERS = "0123456789+-.Ee"


def _is_known(made: Any) -> bool:
    return made is not _UNKNOWN


def _made(make: Callable[..., Any], *arguments: Any) -> Any:
    """What a function makes; it may not be able to, as a set of what has no hash."""
    try:
        return make(*arguments)
    except Exception:  # noqa: BLE001 - whatever a class does
        return _UNKNOWN


def _fits(form: Any, data: Json) -> bool:
    """Whether JSON fits a type; pydantic decides for a type that only it knows."""
    try:
        return fits(form, data)
    except PdlError:
        return True


@lru_cache(maxsize=256)
def _kinds(form: Any) -> frozenset[str]:
    """The type names of the JSON of a type; empty for one that only pydantic knows."""
    try:
        document = schema_of_type(form).document
    except PdlError:
        return frozenset()
    return root_kinds(document, document)


def _is_possible(part: _Part) -> bool:
    """Whether a part can still become an instance of a member of a union."""
    form = unwrapped(part.form)
    while get_origin(form) is Annotated:
        form = unwrapped(form.__origin__)
    if get_origin(form) in (Union, types.UnionType):
        return any(_is_possible(part.of(one)) for one in get_args(form))
    table = fields_of(form)
    if kind_of(part.data) not in _kinds(form):
        return False
    if table is None or is_root_model(form) or not isinstance(part.data, dict):
        return True
    known = dict(islice(part.data.items(), part.certain))
    key = part.extent.key
    if not (table.keys() >= known.keys() | {key} - {None} or allows_more(form)):
        return False
    return all(_fits(table[key].form, one) for key, one in known.items() if key in table)
