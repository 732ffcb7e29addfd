"""Rules under other names, so that those of several grammars can stand together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.emission.names import valid
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Item


def free_name(wish: str, taken: set[str]) -> str:
    """A name that is like a wish and not taken; now it is."""
    name = base = valid(wish)
    number = 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name


def renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    """A rule in which some rules have other names; it has no place any more."""
    options = tuple(_sequence(option, names) for option in rule.options)
    return Rule(names.get(rule.name, rule.name), options, rule.comments)


def _sequence(sequence: Sequence, names: Mapping[str, str]) -> Sequence:
    return Sequence(tuple(_item(item, names) for item in sequence.items))


def _item(item: Item, names: Mapping[str, str]) -> Item:
    """An item; groups nest no deeper than `Limits.grammar_depth`."""
    if isinstance(item, RuleRef):
        return RuleRef(names.get(item.name, item.name))
    if isinstance(item, Repeat):
        return Repeat(_item(item.item, names), item.min, item.max)
    if isinstance(item, Group):
        return Group(tuple(_sequence(option, names) for option in item.options))
    return item
