"""Where the parts of a value stand in the text that it was parsed from."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdl._types import JsonPath
    from pdl.reply.result import Span

_TOKEN = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"|[{}\[\],:]|[^\s{}\[\],:"]++')


def locate(text: str, start: int, end: int, paths: Collection[JsonPath]) -> dict[JsonPath, Span]:
    """The places of those parts, found in one pass over the JSON in `text[start:end]`."""
    wanted = set(paths)
    places: dict[JsonPath, Span] = {}
    path: list[str | int] = []
    opened: list[int] = []
    tokens = _TOKEN.finditer(text, start, end)
    for token in tokens:
        mark = token[0]
        if mark in "}]":
            if path:
                path.pop()
            _note(places, wanted, path, (opened.pop() if opened else start, token.end()))
        elif mark == ",":
            last = path[-1] if path else ""
            if isinstance(last, int):
                path[-1] = last + 1
        elif mark == ":":
            continue
        elif mark in "{[":
            opened.append(token.start())
            path.append(0 if mark == "[" else "")
        elif path and isinstance(path[-1], str) and mark[0] == '"' and _is_key(text, token.end()):
            path[-1] = json.loads(mark)
        else:
            _note(places, wanted, path, token.span())
    return places


def _is_key(text: str, at: int) -> bool:
    colon = re.compile(r"\s*+:").match(text, at)
    return colon is not None


def _note(
    places: dict[JsonPath, Span], wanted: set[JsonPath], path: list[str | int], place: Span
) -> None:
    here = tuple(path)
    if here in wanted:
        places[here] = place
