"""A comparison in a notebook: each change, what it does, and who it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.markup import Room, listed, shown, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.compare.verdicts import Change

_SHOWN = 50


def changes_html(changes: Sequence[Change], verdict: str) -> str:
    """Return changes as HTML; `verdict` is what they do together."""
    room = Room()
    told = count(len(changes), "change") if changes else "no changes"
    items = [_item(change, room) for change in changes[:_SHOWN]]
    return shown(title(verdict, told), listed(items, len(changes) - _SHOWN))


def _item(change: Change, room: Room) -> str:
    place = f"{change.part} <code>{room.text(change.path, 200)}</code>"
    breaks = f" <b>breaks {', '.join(change.breaks)}</b>" if change.breaks else ""
    mark = "error" if change.breaks else "answer"
    words = room.text(change.message, 600)
    return f'<span class="pdl-{mark}">{place}</span> {words}{breaks}'
