"""All parts of a tree, in the order in which they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Group, Repeat, RuleRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.nodes import Item, Rule, Sequence


def items(options: Iterable[Sequence]) -> Iterator[Item]:
    """Every item of some alternatives, before those that it is made of."""
    pending = _row(options)
    while pending:
        item = pending.pop()
        yield item
        if isinstance(item, Group):
            pending += _row(item.options)
        elif isinstance(item, Repeat):
            pending.append(item.item)


def _row(options: Iterable[Sequence]) -> list[Item]:
    """The items of some alternatives, the first one last."""
    return [item for option in options for item in option.items][::-1]


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
