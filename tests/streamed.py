"""Replies that are checked whole and as they stream."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pdl
from pdl.reply import Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.reply import Check


def closed(schema: pdl.Schema, reply: str) -> Check:
    """The check of a reply, which is the same where it streams."""
    stream = Stream(schema)
    for char in reply:
        stream.feed(char)
    check = pdl.check(schema, reply)
    assert stream.close() == check
    return check


def calls(work: Callable[[], object]) -> int:
    """How many calls and returns of functions it takes, which does not depend on the machine."""
    count = 0

    def note(_frame: object, _event: str, _argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
