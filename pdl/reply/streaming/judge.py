"""What is wrong with the parts of an answer that are complete, found as each of them ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pdl._types import JsonPath
from pdl.reply.streaming.holding import Holding, Rules, Sub
from pdl.reply.validation.messages import MOST
from pdl.reply.validation.patterns import PatternTimeout, UnusablePattern
from pdl.reply.validation.referee import Referee

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl._types import Json
    from pdl.reply.result import Span, Violation
    from pdl.reply.streaming.tree import Open
    from pdl.reply.validation.references import Document

_Seen: TypeAlias = tuple[JsonPath, str, str]
_GIVEN_UP = (PatternTimeout, UnusablePattern, RecursionError)


class Judge:
    """Holds each part of a value against what the schema surely asks of it, once.

    A scalar is judged when it ends; an object or an array for itself when it closes, since its
    parts have been; by a union, a condition, or another keyword that looks into it, as a whole
    when it closes. Only `errors` comes of it. Without rules nothing is judged, nor behind a
    pattern of the schema that cannot be used: then only the end tells. Of errors so many are
    collected as `pdl.check` collects.
    """

    def __init__(self, rules: Rules | None) -> None:
        self.errors: tuple[Violation, ...] = ()
        self._seen: set[_Seen] = set()
        self._closed: set[JsonPath] = set()  # where keys were told one by one
        self._open: list[Holding] = []
        self._next: tuple[Sub, ...] = ()  # what the value of the last key is held against
        self._pending: Counter[int] = (
            Counter()
        )  # the schemas by which open brackets wait for theirs
        self._rules = rules

    def open(self, key: str | int | None, box: Json, *, again: bool) -> None:
        """A bracket opens. `again`: its key stands for the second time, and is not judged again."""
        if self._rules is None:
            return
        subs = () if again else self._rules.root if key is None else self._subs(key)
        holding = self._rules.holding(subs, box)
        self._open.append(holding)
        self._pending.update(holding.marks)

    def key(self, top: Open, name: str, span: Span) -> None:
        """A key is complete."""
        if self._rules is None:
            return
        try:
            self._next = self._open[-1].of_key(name)
        except _GIVEN_UP:
            self._give_up()
            return
        for schema in self._open[-1].closed_to(name):
            path = top.path()
            self._closed.discard(path)
            # The object is not there yet; one of this key alone has the same to be said about it.
            self._add(self._faults(schema, {name: None}, path), span)
            self._closed.add(path)

    def scalar(self, top: Open, key: str | int, value: Json, span: Span) -> None:
        """A string, a number or a literal is complete."""
        if self._rules is not None:
            self._hold(self._subs(key), value, top, key, span)

    def close(self, top: Open, span: Span) -> None:
        """A bracket is closed."""
        if self._rules is None:
            return
        holding = self._open.pop()
        self._pending.subtract(holding.marks)
        # Where the schema recurses the outermost bracket is judged as a whole, those in it are not.
        due = [sub for sub in holding.wholes if not self._pending[id(sub.schema)]]
        self._hold((*holding.shells, *due), top.box, top, None, span)

    def _subs(self, key: str | int) -> tuple[Sub, ...]:
        return self._next if isinstance(key, str) else self._open[-1].of_index(key)

    def _hold(
        self, subs: Iterable[Sub], value: Json, top: Open, key: str | int | None, span: Span
    ) -> None:
        for sub in subs:
            try:
                if not sub.cell[0](value, {}):
                    path = top.path() if key is None else (*top.path(), key)
                    self._add(self._faults(sub.schema, value, path), span)
            except _GIVEN_UP:
                self._give_up()
                return

    def _faults(self, schema: Json, value: Json, path: JsonPath) -> list[Violation]:
        assert self._rules
        return Referee(self._rules.validator).faults(schema, value, path)

    def _add(self, found: Iterable[Violation], span: Span) -> None:
        for one in found:
            mark = (one.path, one.keyword, one.message)
            told = one.keyword == "additionalProperties" and one.path in self._closed
            if mark not in self._seen and not told:
                self._seen.add(mark)
                self.errors = (*self.errors, replace(one, span=span))
        if len(self.errors) >= MOST:
            self._give_up()

    def reach(self, limit: Violation) -> None:
        """A limit is reached."""
        self.errors = (*self.errors, limit)

    def _give_up(self) -> None:
        self._rules = None


def rules_of(document: Document) -> Rules | None:
    """The rules of a document; None if a pattern of it cannot be used."""
    try:
        return Rules(document)
    except _GIVEN_UP:
        return None
