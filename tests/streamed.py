"""Replies that are checked whole and as they stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pdl
from pdl.reply import Stream

if TYPE_CHECKING:
    from pdl.reply import Check


def closed(schema: pdl.Schema, reply: str) -> Check:
    """The check of a reply, which is the same where it streams."""
    stream = Stream(schema)
    for char in reply:
        stream.feed(char)
    check = pdl.check(schema, reply)
    assert stream.close() == check
    return check
