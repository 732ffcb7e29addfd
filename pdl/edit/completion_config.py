"""Completion in `config` turns: settings, and values of those that have few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.edit import words
from pdl.edit.document import Range
from pdl.edit.offers import offer
from pdl.prompt.config import PROVIDERS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Turn
    from pdl.edit.offers import Completion, Line, Request

_VALUES = {
    "reasoning_effort": ("low", "medium", "high"),
    "verbosity": ("low", "medium", "high"),
    "tool_choice": ("auto", "none", "required"),
}


def complete_config(request: Request, turn: Turn) -> list[Completion]:
    """Return what can be typed in a line of a `config` turn."""
    return list(_offers(request, turn))


def _offers(request: Request, turn: Turn) -> Iterator[Completion]:
    line = request.line
    key, colon, value = line.before.partition(":")
    if key.lstrip().startswith("//"):
        return
    if not colon:
        yield from _keys(request, turn, key.strip(), line)
        return
    yield from _values(request, key.strip(), value.lstrip())


def _values(request: Request, name: str, value: str) -> Iterator[Completion]:
    where = Range(request.offset - len(value), request.offset)
    kind = SETTINGS.get(name, "")
    if name == "model" and ":" not in value:
        for provider in PROVIDERS:
            said = words.PROVIDERS.get(provider, "")
            yield offer(f"{provider}:", "provider", where, detail="provider", documentation=said)
    listed = ("true", "false") if kind == "boolean" else _VALUES.get(name, ())
    for order, text in enumerate(listed):
        yield offer(text, "value", where, order=order)
    if kind == "texts" and not value:
        insert = '["$1"]' if request.snippets else '["'
        yield offer('["…"]', "value", where, insert=insert, is_snippet=request.snippets)


def _keys(request: Request, turn: Turn, typed: str, line: Line) -> Iterator[Completion]:
    text = request.document.text
    lines = text[turn.body.start : line.start] + "\n" + text[request.offset : turn.body.end]
    present = set(re.findall(r"^[^\S\n]*([\w.-]+)[^\S\n]*:", lines, re.MULTILINE))
    where = Range(request.offset - len(typed), request.offset)
    tail = "" if line.after.lstrip().startswith(":") else ": "
    for name, kind in SETTINGS.items():
        if name in present:
            continue
        said = words.SETTINGS.get(name, "")
        common = 0 if said else 1
        yield offer(
            name,
            "setting",
            where,
            insert=name + tail,
            detail=words.SETTING_KINDS[kind],
            documentation=said,
            order=common,
        )
