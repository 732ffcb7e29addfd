"""Closing brackets that close nothing, and whether it is certain which of them is one too many.

`{"a": {"b": 1}, "c": 2}}` has a closer too many at its end, or one behind the 1, and then `c` is in
`a`; `[1]]` may lack an opener. Only where the schema excludes the other readings is one certain.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.parsing.parsed import Parsed, parse
from pdl.reply.validation.json_types import key
from pdl.reply.validation.schema_walk import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.reply.query import Query

_SIGNS = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[}\]]', re.DOTALL)
_FOLLOWED = re.compile(r"\s*+,")
_TRIES = 8  # closers that may be the one too many; with more of them it is not certain which is


def certain(query: Query, body: str, read: Parsed, surplus: str) -> bool:
    """Whether what is read of a body, with some closers left over behind it, is its only reading.

    The body begins with its bracket and ends where it is closed.
    """
    own = body[-1]
    if "]" in surplus and _may_lack_opener(query, body):
        return False
    if own not in surplus:
        return True
    plain = not read.repairs
    found = key(read.value)
    for tries, place in enumerate(_inner(body, own)):
        if tries == _TRIES or not plain:
            return False
        other = parse(body[:place] + body[place + 1 :] + own, query.limits)
        if isinstance(other, Parsed) and key(other.value) != found and query.is_valid(other.value):
            return False
    return True


def _may_lack_opener(query: Query, body: str) -> bool:
    """Whether a `]` too many may belong to an array whose opener is missing."""
    if body[0] == "[":
        return Node(query.document).may_nest()
    return "array" in query.kinds


def _inner(body: str, mark: str) -> Iterator[int]:
    """Where brackets of a kind end inside a body with another part behind them."""
    for sign in _SIGNS.finditer(body):
        if sign[0] == mark and _FOLLOWED.match(body, sign.end()):
            yield sign.start()
