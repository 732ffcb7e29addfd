"""Which reader makes partials of an answer of which form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply.forms import form_of, is_quoted
from pdl.reply.streaming.brackets import BracketReader
from pdl.reply.streaming.code import CodeReader
from pdl.reply.streaming.judge import rules_of
from pdl.reply.streaming.silent import SilentReader
from pdl.reply.streaming.tasks import TaskReader
from pdl.reply.streaming.text import TextReader
from pdl.reply.streaming.wish import Wish

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.reply.coercions import Coercions
    from pdl.reply.streaming.scanner import Reader
    from pdl.reply.streaming.tags import Tags
    from pdl.schema import Schema

_CONTAINERS = frozenset(["object", "array"])


def reader_of(schema: Schema | None, coercions: Coercions, tags: Tags, limits: Limits) -> Reader:
    """The reader for a schema; without one the reply is text."""
    form = form_of(schema)
    if is_quoted(schema):
        return SilentReader()  # whether it is JSON shows at its end
    if schema is None or form == "text":
        return TextReader(tags)
    if form == "code":
        return CodeReader(schema.lang, limits, tags)
    if form == "tasklist":
        return TaskReader(tags)
    wish = Wish.of(schema.document)
    if form == "yesno" or not wish.kinds & _CONTAINERS:
        return SilentReader()
    # What a coercion mends is no error, and which one it mends shows when all of it is there.
    rules = None if coercions else rules_of(schema.document)
    return BracketReader(rules, wish, limits, tags, lasting=bool(coercions))
