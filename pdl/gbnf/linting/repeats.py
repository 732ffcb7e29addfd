"""Repetitions: of nothing, without the maximum that is written, and side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.build import MOST
from pdl.gbnf.linting.elements import Elements
from pdl.gbnf.linting.stacks import EMPTY, SpentError, Stacks
from pdl.gbnf.nodes import LAST, AnyChar, CharClass, Group, Item, Literal, Repeat, RuleRef
from pdl.gbnf.symbols import bounded
from pdl.gbnf.utf8 import Ranges, characters, of_class, overlap
from pdl.gbnf.write import item_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.empty import Emptiness
    from pdl.gbnf.linting.finding import Finding, Reporter
    from pdl.gbnf.nodes import Rule, Sequence

_STEPS = 20
"""Rules that are looked through to see what a name stands for."""
_SHOWN = 40
_ROW_WORK = 2_000
_WORK = 30_000


class Repeats:
    """Looks at the repetitions of some rules."""

    def __init__(self, rules: Mapping[str, Rule], empty: Emptiness, report: Reporter) -> None:
        self._rules = rules
        self._empty = empty
        self._report = report
        self._elements = Elements(rules)
        self._work = _WORK

    def in_options(self, options: tuple[Sequence, ...]) -> Iterator[Finding]:
        """What is odd about the repetitions of some alternatives."""
        for option in options:
            yield from self._rows(option)
            for item in option.items:
                yield from self._item(item)

    def _item(self, item: Item) -> Iterator[Finding]:
        if isinstance(item, Group):
            yield from self.in_options(item.options)
        elif isinstance(item, Repeat):
            yield from self._counts(item)
            yield from self._empty_inside(item)
            yield from self._item(item.item)

    def _counts(self, item: Repeat) -> Iterator[Finding]:
        if item.max is not None and item.max > MOST:
            message = f"the maximum {item.max} is over {MOST}, and becomes none"
            hint = (
                "count in steps: `a ::= c{2000} b | c{0,1999}` takes up to 1999 and hands on what"
                " is longer to a rule `b` with the rest"
            )
            yield self._report.at(item, "maximum-dropped", message, hint)
        if item.max == 0:
            message = f"`{_cut(item)}` is the empty text"
            hint = "remove it, or raise the maximum"
            yield self._report.at(item, "repeat-zero", message, hint)

    def _empty_inside(self, item: Repeat) -> Iterator[Finding]:
        if item.max == 0 or not self._empty.item(item.item):
            return
        shown = _cut(item.item)
        if bounded(item) == 1:
            if not item.min:
                message = f"`{shown}` may be empty anyway"
                hint = (
                    "remove the `?`" if item.end - item.item.end == 1 else "remove the repetition"
                )
                yield self._report.at(item, "needless-optional", message, hint)
            return
        message = f"what is repeated here may be empty: `{shown}`"
        hint = "let each round take a character at least, and make the whole optional"
        yield self._report.at(item, "empty-repeat", message, hint)

    def _rows(self, option: Sequence) -> Iterator[Finding]:
        """Items side by side that repeat the same, how often being open."""
        row: list[tuple[Item, Repeat]] = []
        for item in option.items:
            repeat = self._open(item)
            if row and (repeat is None or not self._same(row[-1][1], repeat)):
                yield from self._row(row)
                yield from self._handed_on(row[-1], item) if repeat is None else ()
                row = []
            if repeat is not None:
                row.append((item, repeat))
        yield from self._row(row)

    def _row(self, row: list[tuple[Item, Repeat]]) -> Iterator[Finding]:
        if len(row) < 2:  # noqa: PLR2004 - two are a row
            return
        one = row[0][1]
        equal = all(repeat.item == one.item for _, repeat in row)
        optional = all(bounded(repeat) == 1 for _, repeat in row)
        what = "optional parts" if optional else "repetitions"
        whose = "each can take the same text" if equal else "neighbours can take the same"
        message = f"{len(row)} {what} in a row: {whose}{self._alive(row)}"
        hint = self._joined(row) if equal else "let each begin with a character of its own"
        start, end = row[0][0].start, row[-1][0].end
        yield self._report.at((start, end), "ambiguous-repeats", message, hint)

    def _alive(self, row: list[tuple[Item, Repeat]]) -> str:
        """How many stacks the items of a row are at once, if that is soon counted."""
        stacks = Stacks(min(_ROW_WORK, self._work))
        first = self._elements.sequence(tuple(item for item, _ in row))
        try:
            live = stacks.closed(stacks.pushed(EMPTY, first))
        except SpentError:
            return ""
        finally:
            self._work -= min(_ROW_WORK, self._work) - max(stacks.left, 0)
        return f", {len(live)} stacks at once"

    def _joined(self, row: list[tuple[Item, Repeat]]) -> str:
        least = sum(repeat.min for _, repeat in row)
        counts = [bounded(repeat) for _, repeat in row]
        most = None if None in counts else sum(count or 0 for count in counts)
        if most is not None and most > MOST:
            return "let the first be full before the next begins: `a ::= c{100} b | c{0,99}`"
        return f"write `{_cut(Repeat(row[0][1].item, least, most))}`"

    def _handed_on(self, last: tuple[Item, Repeat], item: Item) -> Iterator[Finding]:
        """A repetition and a rule behind it that begins with the same one."""
        pending, seen = [item], set[str]()
        while pending and len(seen) < _STEPS:
            one = pending.pop()
            if isinstance(one, RuleRef) and one.name not in seen and one.name in self._rules:
                seen.add(one.name)
                pending += self._heads(self._rules[one.name].options)
            elif isinstance(one, Group):
                pending += self._heads(one.options)
            repeat = self._open(one)
            if repeat is not None and self._same(last[1], repeat):
                shown = item_text(item)[:_SHOWN]
                message = f"`{_cut(last[0])}` stands before `{shown}`, which begins with the same"
                hint = "let the first be full before the next begins: `a ::= c{100} b | c{0,99}`"
                start, end = last[0].start, item.end
                yield self._report.at((start, end), "ambiguous-repeats", message, hint)
                return

    def _heads(self, options: tuple[Sequence, ...]) -> list[Item]:
        return [option.items[0] for option in options[:_STEPS] if option.items]

    def _open(self, item: Item) -> Repeat | None:
        """The repetition that an item is or stands for, if how often is open."""
        found = self._plain(item)
        if not isinstance(found, Repeat) or bounded(found) == found.min:
            return None
        return found

    def _plain(self, item: Item) -> Item:
        """What a name or a group stands for, if that is one item."""
        for _ in range(_STEPS):
            options: tuple[Sequence, ...] = ()
            if isinstance(item, RuleRef) and item.name in self._rules:
                options = self._rules[item.name].options
            elif isinstance(item, Group):
                options = item.options
            if len(options) != 1 or len(options[0].items) != 1:
                break
            item = options[0].items[0]
        return item

    def _same(self, one: Repeat, other: Repeat) -> bool:
        """Whether two repetitions can take the same text."""
        first, second = self._plain(one.item), self._plain(other.item)
        return first == second or overlap(_single(first), _single(second))


def _single(item: Item) -> Ranges:
    """The characters of an item that takes exactly one."""
    if isinstance(item, CharClass):
        return of_class(item) if item.ranges else ()
    if isinstance(item, Literal):
        return characters((code, code) for code in item.codes) if len(item.codes) == 1 else ()
    return characters(((0, LAST),)) if isinstance(item, AnyChar) else ()


def _cut(item: Item) -> str:
    text = item_text(item)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
