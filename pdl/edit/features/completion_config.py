"""Completion in `config` turns: settings, and values of those that have few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.offers import offer
from pdl.edit.template import words
from pdl.prompt.config import PROVIDERS, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Turn
    from pdl.edit.features.offers import Completion, Line, Request

_VALUES = {
    "reasoning_effort": ("low", "medium", "high"),
    "verbosity": ("low", "medium", "high"),
    "tool_choice": ("auto", "none", "required"),
}


_WORD = re.compile(r"[\w.-]*")


def _word(text: str) -> str:
    """The rest of the word that the cursor is in."""
    found = _WORD.match(text)
    return found[0] if found is not None else ""


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
    after = _word(request.line.after)
    where = Range(request.offset - len(value), request.offset + len(after))
    kind = SETTINGS.get(name, "")
    if name == "model" and ":" not in value:
        colon = request.line.after.startswith(":", len(after))
        provided = Range(where.start, where.end + colon)
        for provider in PROVIDERS:
            said = words.PROVIDERS.get(provider, "")
            yield offer(f"{provider}:", "provider", provided, detail="provider", documentation=said)
    listed = ("true", "false") if kind == "boolean" else _VALUES.get(name, ())
    for order, text in enumerate(listed):
        yield offer(text, "value", where, order=order)
    if kind == "texts" and not value:
        insert = '["$1"]' if request.snippets else '["'
        yield offer('["…"]', "value", where, insert=insert, is_snippet=request.snippets)


def _keys(request: Request, turn: Turn, typed: str, line: Line) -> Iterator[Completion]:
    text, rest = request.document.text, request.offset + len(line.after)
    lines = text[turn.body.start : line.start] + "\n" + text[rest : turn.body.end]
    present = set(re.findall(r"^[^\S\n]*([\w.-]+)[^\S\n]*:", lines, re.MULTILINE))
    after = _word(line.after)
    where = Range(request.offset - len(typed), request.offset + len(after))
    tail = "" if line.after[len(after) :].lstrip().startswith(":") else ": "
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
