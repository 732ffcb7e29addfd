"""The value of a text that is nearly JSON: which of its readings counts, if one does."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.parsing.events import make
from pdl.reply.parsing.parsed import parse, unreadable
from pdl.reply.parsing.parser import Parser
from pdl.reply.parsing.tokens import UnreadableError
from pdl.reply.phrases import brief
from pdl.reply.result import Broken, Event, Parsed
from pdl.reply.validation.json_types import key
from pdl.reply.validation.schema_walk import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from pdl._types import Json, JsonPath
    from pdl.limits import Limits
    from pdl.reply.parsing.parser import FullParse
    from pdl.reply.validation.schema_walk import Document

_BRACKETS = frozenset(["missing-closer"])
_QUOTES = frozenset(["inner-quotes", "missing-quote"])
_TOO_MUCH = (
    (_BRACKETS, _QUOTES),
    (_BRACKETS, frozenset(["missing-comma", "extra-comma", "brackets"])),
    (_QUOTES, frozenset(["missing-comma"])),
)
"""Repairs that exclude each other in one reading: one might be a symptom of the other."""

ESCAPED = re.compile(r'[{\[](?>(?:\s|\\[nrt]|[{\[])*)\\"')
_BARE_QUOTE = re.compile(r'\\.|(")', re.DOTALL)


def read_tolerantly(
    text: str, document: Document, fits: Callable[[Json], bool], limits: Limits
) -> Parsed | Broken:
    """The value of a text, with repairs as offsets in it; or why none is certain."""
    try:
        return _decoded(text, limits) or _readings(text, document, fits, limits)
    except UnreadableError as error:
        return unreadable(text, error.at, error.why, error.expected)


def _readings(
    text: str, document: Document, fits: Callable[[Json], bool], limits: Limits
) -> Parsed:
    found = [one for one in Parser(Node(document), limits).end(text) if not _is_daring(one)]
    if not found:
        raise UnreadableError(0, "has misplaced brackets, and quotes without a backslash")
    found = [one for one in found if _BRACKETS.isdisjoint(_kinds(one))] or found
    if len(found) == 1:
        return found[0].made
    distinct: dict[Hashable, FullParse] = {}
    for one in found:
        distinct.setdefault(key(one.made.value), one)
    return _choose(list(distinct.values()), fits).made


def _decoded(text: str, limits: Limits) -> Parsed | None:
    """The value of JSON that was encoded once more as a whole: as a string's body."""
    plain = _unescaped(text)
    made = parse(plain, limits) if plain else None
    if not isinstance(made, Parsed):
        return None
    last = Event(None, "repair", ("escaped", plain), 0, len(text))
    return Parsed(made.value, make(text, last).repairs, last)


def _unescaped(text: str) -> str:
    """The text of a string's body, if each quote in it has its backslash."""
    if not ESCAPED.match(text) or any(found[1] for found in _BARE_QUOTE.finditer(text)):
        return ""
    try:
        plain: str = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return ""
    return plain


def _kinds(reading: FullParse) -> set[str]:
    return {repair.kind for repair in reading.made.repairs}


def _is_daring(reading: FullParse) -> bool:
    """Whether a reading guesses at two things at once, so that one of them proves nothing."""
    kinds = _kinds(reading)
    return _mixes(reading.made) or any(
        not kinds.isdisjoint(one) and not kinds.isdisjoint(two) for one, two in _TOO_MUCH
    )


def _mixes(made: Parsed) -> bool:
    """Whether a list has strings with quotes and without: a comma might be part of one of them.

    The same is true of an object in which only some keys have quotes.
    """
    bare = {repair.path for repair in made.repairs if repair.kind == "bare-value"}
    keys = Counter(repair.path for repair in made.repairs if repair.kind == "bare-key")
    if any(0 < keys[path[:-1]] < len(_part(made.value, path[:-1])) for path in bare if path):
        return True
    lists = {path[:-1] for path in bare if path and isinstance(path[-1], int)}
    return any(
        isinstance(item, str) and (*path, index) not in bare
        for path in lists
        for index, item in enumerate(_part(made.value, path))
    )


def _part(value: Json, path: JsonPath) -> Json:
    for step in path:
        value = value[step]
    return value


def _choose(readings: list[FullParse], fits: Callable[[Json], bool]) -> FullParse:
    """The only reading, or the only one that fits."""
    if len(readings) == 1:
        return readings[0]
    fitting = [one for one in readings if fits(one.made.value)]
    if len(fitting) == 1 and not fitting[0].passed:
        return fitting[0]
    one, other = (brief(each.made.value, 24) for each in readings[:2])
    raise UnreadableError(0, f"can be read in two ways, as `{one}` or as `{other}`")
