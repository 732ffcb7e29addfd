"""Keys that stand twice in an object with equal values: one of the two is passed over."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.reply.result import Repair
from pdl.reply.wording import FOUND_WIDTH

if TYPE_CHECKING:
    from pdl._types import JsonPath

_TOKEN = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[{}\[\],:]|[^\s{}\[\],:"]++')
_MOST = 1_000  # repairs that are listed


class _Open:
    """An object or array: the key or index that its next part has, and the keys that it had."""

    __slots__ = ("at", "is_object", "keys", "step")

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.step: str | int = "" if is_object else 0
        self.keys: set[str] = set()
        self.at = -1  # where a key begins that was there before


def doubled_keys(text: str, start: int) -> tuple[Repair, ...]:
    """The members of objects in JSON (RFC 8259) whose keys stand in front of them already.

    The text begins at `start` in the reply.
    """
    found: list[Repair] = []
    opened: list[_Open] = []
    last = 0  # where the token before ended
    is_key = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if is_key and mark[0] == '"':
            _name(opened[-1], json.loads(mark, strict=False), token.start())
            is_key = False
        elif mark in "{[":
            opened.append(_Open(is_object=mark == "{"))
            is_key = mark == "{"
        elif mark in ",}]":
            if opened[-1].at >= 0 and len(found) < _MOST:
                found.append(_repair(text, opened, last, start))
            if mark == ",":
                is_key = opened[-1].is_object
                _advance(opened[-1])
            else:
                opened.pop()
                is_key = False
        last = token.end()
    return tuple(found)


def _name(top: _Open, name: str, start: int) -> None:
    top.step = name
    top.at = start if name in top.keys else -1
    top.keys.add(name)


def _advance(top: _Open) -> None:
    top.at = -1
    if isinstance(top.step, int):
        top.step += 1


def _repair(text: str, opened: list[_Open], end: int, offset: int) -> Repair:
    path: JsonPath = tuple([part.step for part in opened])
    start = opened[-1].at
    before = text[start : min(end, start + FOUND_WIDTH)]
    return Repair("duplicate-key", (start + offset, end + offset), path, before, "")
