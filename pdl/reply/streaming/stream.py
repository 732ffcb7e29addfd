"""`Stream`: a reply that comes piece by piece."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.reply.checker import check
from pdl.reply.coercions import NO_COERCIONS, Coercions
from pdl.reply.forms import form_of, is_quoted
from pdl.reply.phrases import say
from pdl.reply.result import Check, Violation
from pdl.reply.segments.dialects import DIALECTS, Dialects
from pdl.reply.segments.segmenter import Segmenter
from pdl.reply.segments.spans import Growing
from pdl.reply.streaming.brackets import BracketView
from pdl.reply.streaming.partial import NOTHING, Partial
from pdl.reply.streaming.views import CodeView, SilentView, TaskView, TextView
from pdl.reply.validation.schema_walk import root_kinds
from pdl.schema import Schema
from pdl.schema.model import no_schema

if TYPE_CHECKING:
    from collections.abc import Mapping


_CONTAINERS = frozenset(["object", "array"])


class Stream:
    r"""Reads a reply as it comes: what is certain of the answer so far, and what is wrong with it.

    >>> import pdl
    >>> from pdl.reply import Stream
    >>> stream = Stream(pdl.Schema.parse("{ name: str, age: int<0,120> }"))
    >>> stream.feed('Here it is: {"name": "An').value
    {'name': 'An'}
    >>> partial = stream.feed('n", "age": 204}')
    >>> partial.value, partial.is_complete(("name",)), partial.complete
    ({'name': 'Ann', 'age': 204}, True, True)
    >>> print(partial.errors[0])
    $.age: must be at most 120, not 204
    >>> stream.close().ok
    False

    The pieces in which a reply comes make no difference, and feeding takes time in proportion to
    the text. Reasoning is skipped. Strings are shown as they grow, numbers and literals when the
    next character ends them; where a text can be read in several ways, the likeliest is shown.

    Only `close` knows which bracket is the answer: another one may come and be marked as final, and
    a closing tag of reasoning that nothing opened takes back everything before it. A partial shows
    the last one that may be the answer, unless an earlier one ranks higher, and its offset `start`.
    If the check is ok and its span begins there, each part that was complete has the same value at
    the same path, and there were no errors. This holds unless `close` reports a repair of kind
    `tool-call` or `json-lines`, or one of a closing bracket. A part is complete when all states of
    the parser have it in common, often a token or two after it. In a fence in a block quote, and
    with `coercions`, nothing is complete before `close`; nor, after a doubt that lasts for very
    long, is what follows it.

    Text is shown as it comes, of `code` the body of the last fence, of `tasklist` the lines that
    ended; none of it is certain before the end. Of `yesno`, and where the answer is a scalar,
    inside a tool call, or spread over the lines of JSON Lines, nothing is shown before the end.

    Feeding costs the same whether a partial is looked at or not. Reading a `value` costs as much as
    the string that grows and the number of parts in the open brackets, and nothing where the same
    partial comes again, as it does while nothing changes.

    Raises TypeError for arguments of other types.
    """

    def __init__(
        self,
        schema: Schema | None,
        *,
        coercions: Coercions = NO_COERCIONS,
        dialects: Dialects = DIALECTS,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        if not (schema is None or isinstance(schema, Schema)):
            raise no_schema(schema, "a pdl.Schema or None")
        self._schema = schema
        self._options: Mapping[str, Any] = {
            "coercions": coercions, "dialects": dialects, "limits": limits,
        }  # fmt: skip
        self._limit = limits.reply_chars
        self._segmenter = Segmenter(limits, dialects)
        self._excess = Growing()  # what came beyond the limit
        self._view = _view_of(schema, self._options)
        self._last: Partial = NOTHING
        self._check: Check | None = None

    def feed(self, text: str) -> Partial:
        """Take the next piece of the reply; say what is certain now.

        Raises TypeError if the piece is no str, ValueError behind `close`.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        if self._check is not None:
            raise ValueError("the stream is closed; make a new Stream for another reply")
        left = self._limit - len(self._segmenter.source.text)
        if not self._excess.text:
            self._segmenter.feed(text[:left])
            self._last = self._view.look(self._segmenter)
            if len(text) > left:
                self._last = self._too_long(self._last)
        self._excess.add(text[left:])
        return self._last

    def close(self) -> Check:
        """The reply is over: the same as `pdl.check` of all of it. Again, it gives the same."""
        if self._check is None:
            text = self._segmenter.source.text + self._excess.text
            self._check = check(self._schema, text, **self._options)
        return self._check

    def _too_long(self, last: Partial) -> Partial:
        message = say("too-many-characters", number=self._limit)
        violation = Violation((), "limit", "", "", message, (self._limit, self._limit + 1))
        return replace(last, errors=(*last.errors, violation))


def _view_of(schema: Schema | None, options: Mapping[str, Any]) -> SilentView | BracketView:
    """What shows an answer of the form that is asked for; without a schema it is text."""
    form = form_of(schema)
    if is_quoted(schema):
        return SilentView()  # whether it is JSON shows at its end
    if schema is None or form == "text":
        return TextView(options["dialects"].patterns)
    if form == "code":
        return CodeView(lru_cache(64)(lambda info: check(schema, f"~~~ {info}\nx\n~~~\n").ok))
    if form == "tasklist":
        return TaskView()
    kinds = root_kinds(schema.document, schema.document)
    if form == "yesno" or not kinds & _CONTAINERS:
        return SilentView()
    # Which coercion mends what is wrong shows when all of it is there.
    lasting = bool(options["coercions"])
    return BracketView(schema.document, options["limits"], lasting=lasting)
