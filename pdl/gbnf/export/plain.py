"""A grammar without what other notations know nothing of, for the same texts.

Rules that are never reached and alternatives that match nothing are gone, as are NUL and surrogates
in classes, which no text holds; `.` and negated classes are lists of ranges in order; a maximum
that llama.cpp takes for none is none; nothing is repeated no times.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem
from pdl.gbnf.alive import Liveness
from pdl.gbnf.deep import each, run
from pdl.gbnf.left import is_nothing
from pdl.gbnf.nodes import LAST, AnyChar, CharClass, Group, Item, Repeat, Rule, Sequence
from pdl.gbnf.symbols import bounded
from pdl.gbnf.utf8 import characters, of_class
from pdl.gbnf.walk import reachable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.deep import Steps
    from pdl.source import Source, Span

ANY = characters(((0, LAST),))
"""What `.` matches."""


def plain(rules: Mapping[str, Rule], root: str, source: Source) -> dict[str, Rule]:
    """The rules that count, the root first. Raises GrammarError if it matches no text."""
    alive = Liveness(rules)
    if root not in alive.found:
        message = f"the rule `{root}` matches no text, which no other notation can say"
        raise GrammarError(Problem("gbnf/matches-nothing", message, named(rules.get(root), source)))
    made = {
        name: replace(rule, options=run(_options(alive, rule.options)))
        for name, rule in rules.items()
        if name in alive.found
    }
    reached = set(reachable(made, root))
    rest = {name: rule for name, rule in made.items() if name in reached}
    return {root: rest.pop(root), **rest}


def named(rule: Rule | None, source: Source) -> Span | None:
    """Where the name of a rule stands, if it was read from a text."""
    return source.span(rule.start, rule.named) if rule and rule.start >= 0 else None


def _options(alive: Liveness, options: tuple[Sequence, ...]) -> Steps[tuple[Sequence, ...]]:
    """Alternatives without those that match nothing."""
    found: list[Sequence] = []
    for option in options:
        if not all(map(alive.item, option.items)):
            continue
        items: list[tuple[Item, ...]] = yield each(_item(alive, item) for item in option.items)
        found.append(replace(option, items=tuple(chain.from_iterable(items))))
    return tuple(found)


def _item(alive: Liveness, item: Item) -> Steps[tuple[Item, ...]]:
    """An item that some text matches; none if that is only the empty one."""
    if is_nothing(item):
        return ()
    if isinstance(item, AnyChar | CharClass):
        ranges = ANY if isinstance(item, AnyChar) else of_class(item)
        return (CharClass(ranges, start=item.start, end=item.end),)
    if isinstance(item, Group):
        options: tuple[Sequence, ...] = yield _options(alive, item.options)
        return (replace(item, options=options),) if any(one.items for one in options) else ()
    if isinstance(item, Repeat):
        if not alive.item(item.item):
            return ()
        inner: tuple[Item, ...] = yield _item(alive, item.item)
        return tuple(replace(item, item=one, max=bounded(item)) for one in inner)
    return (item,)
