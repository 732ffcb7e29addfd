"""All parts of a tree, in the order in which they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Group, Repeat, RuleRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.nodes import Item, Rule, Sequence


def items(options: Iterable[Sequence]) -> Iterator[Item]:
    """Every item of some alternatives, before those that it is made of."""
    for option in options:
        for item in option.items:
            yield from _inside(item)


def _inside(item: Item) -> Iterator[Item]:
    yield item
    if isinstance(item, Group):
        yield from items(item.options)
    elif isinstance(item, Repeat):
        yield from _inside(item.item)


def references(options: Iterable[Sequence]) -> Iterator[RuleRef]:
    """Every reference to a rule in some alternatives."""
    return (item for item in items(options) if isinstance(item, RuleRef))


def reachable(rules: Mapping[str, Rule], root: str) -> list[str]:
    """The names of the rules that a rule leads to, itself first, without undefined ones."""
    found = {root: None} if root in rules else {}
    pending = list(found)
    while pending:
        for ref in references(rules[pending.pop()].options):
            if ref.name in rules and ref.name not in found:
                found[ref.name] = None
                pending.append(ref.name)
    return list(found)
