"""What can be typed at a place of a prompt file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.cases_completion import complete_cases
from pdl.edit.features.completion_config import complete_config
from pdl.edit.features.completion_tags import complete_tag
from pdl.edit.features.completion_typed import complete_typed
from pdl.edit.features.offers import Completion, Request, offer
from pdl.edit.template import words
from pdl.edit.template.callables import said_of
from pdl.edit.workspace import listed
from pdl.prompt.messages import MIME_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Document, Turn
    from pdl.edit.features.offers import Line
    from pdl.edit.workspace import Workspace

__all__ = ["Completion", "complete"]

_MARKER = re.compile(r"(?P<lead>[^\S\n]*+)(?P<mark>(?:<\|?)?)[^\S\n]*+(?P<word>[A-Za-z]*+)")
_INLINE = re.compile(r"<\|[A-Za-z_]*\Z")
_PATH = re.compile(r"<\|\s*media\((?P<path>[^|)\n<{]*)")
_AFTER = re.compile(r"[\w-]*[^\S\n]*\|?>?")
_REFERENCE = re.compile(r"\s*@(?P<path>[^\s:]*)")
_ONCE = ("input", "tools", "schema", "system")


def complete(
    workspace: Workspace, document: Document, offset: int, *, snippets: bool = False
) -> list[Completion]:
    """Return what can be typed at an offset; with `snippets` in the syntax of LSP where it helps.

    The text of messages gets nothing but turns, media and what is in tags.
    """
    offset = min(max(offset, 0), len(document.text))
    request = Request(workspace, document, offset, snippets=snippets)
    if document.sections is not None:
        return complete_cases(request)
    tag = document.tag_at(offset)
    if tag is not None:
        return complete_tag(request, tag)
    piece = document.piece_at(offset)
    if piece is not None and piece.start < offset < piece.end and piece.kind == "comment":
        return []
    if piece is not None and piece.kind in ("statement", "expression") and offset < piece.end:
        return []
    return _complete_text(request)


def _complete_text(request: Request) -> list[Completion]:
    line, offset = request.line, request.offset
    turn = request.document.turn_at(offset)
    if turn is not None and offset > turn.marker.end and not turn.body.holds(offset):
        return []
    path = _PATH.search(line.before)
    if path is not None and path.end() == len(line.before):
        return list(_media(request, path["path"]))
    in_message = turn is None or turn.is_message or turn.role == "reasoning"
    marker = _MARKER.fullmatch(line.before)
    if marker is not None and (marker["mark"] or (in_message and not marker["word"])):
        found = list(_turns(request, line, marker.end("lead")))
        is_inline = in_message and bool(marker["mark"])
        return found + (list(_tags(request, marker.end("lead"))) if is_inline else [])
    inline = _INLINE.search(line.before)
    if in_message:
        return list(_tags(request, inline.start())) if inline is not None else []
    return _complete_body(request, turn)


def _complete_body(request: Request, turn: Turn | None) -> list[Completion]:
    """What can be typed in a turn that is no message."""
    typed = request.document.typed_at(request.offset)
    if turn is not None and turn.role == "config" and turn.body.holds(request.offset):
        return complete_config(request, turn)
    if typed is None:
        return []
    reference = _REFERENCE.fullmatch(typed.text[: request.offset - typed.turn.body.start])
    if reference is not None and typed.turn.role == "schema":
        return list(_schemas(request, reference["path"]))
    return complete_typed(request, typed)


def _turns(request: Request, line: Line, lead: int) -> Iterator[Completion]:
    """The turns that are sensible here, in the order in which they probably come."""
    start = line.start + lead
    rest = _AFTER.match(line.after)
    is_marker = rest is not None and rest[0].endswith((">", "|")) and len(line.before) > lead
    end = request.offset + (len(rest[0]) if rest is not None and is_marker else 0)
    turns = [one for one in request.document.turns if not one.marker.holds(request.offset)]
    before = [one.role for one in turns if one.marker.start < request.offset]
    present = {one.role for one in turns}
    said = [role for role in before if role in ("system", "user", "assistant")]
    for order, role in enumerate(_ordered(said)):
        if role in present and role in _ONCE:
            continue
        if role == "system" and said:
            continue
        word = words.TURNS[role]
        newline = "" if line.after.strip() or not request.snippets else "\n$0"
        yield offer(
            f"<|{role}|>",
            "turn",
            Range(start, end),
            insert=f"<|{role}|>{newline}",
            is_snippet=bool(newline),
            detail="turn",
            documentation=said_of(word),
            order=order,
        )


def _ordered(said: list[str]) -> list[str]:
    """The roles, those first that can come next."""
    if not said:
        return ["config", "input", "system", "user", "assistant", "schema", "tools", "reasoning"]
    first = ["assistant", "user"] if said[-1] == "user" else ["user", "assistant"]
    return [*first, "schema", "tools", "reasoning", "config", "input", "system"]


def _tags(request: Request, lead: int) -> Iterator[Completion]:
    """Media within a message, for what begins at a column of the line."""
    is_snippet = request.snippets and not request.line.after.startswith(("|>", ")", "("))
    for order, (name, word) in enumerate(words.MEDIA.items()):
        yield offer(
            f"<|{name}(…)|>",
            "snippet",
            Range(request.line.start + lead, request.offset),
            insert=f"<|{name}(${{1}})|>" if is_snippet else f"<|{name}(",
            is_snippet=is_snippet,
            detail="media",
            documentation=said_of(word),
            order=50 + order,
        )


def _media(request: Request, typed: str) -> Iterator[Completion]:
    folder = request.workspace.base(request.document)
    if folder is None:
        return
    suffixes = tuple(f".{kind}" for kind in (*MIME_TYPES, "jpg", "jpe", "jfif"))
    for name in listed(folder, suffixes):
        where = Range(request.offset - len(typed.lstrip()), request.offset)
        yield offer(name, "file", where, detail=name.rsplit(".", 1)[-1])


def _schemas(request: Request, typed: str) -> Iterator[Completion]:
    folder = request.workspace.base(request.document)
    if folder is None:
        return
    for name in listed(folder, (".json",)):
        where = Range(request.offset - len(typed), request.offset)
        yield offer(name, "file", where, detail="JSON Schema")
