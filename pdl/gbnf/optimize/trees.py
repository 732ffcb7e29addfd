"""From the nodes of a grammar to the parts that the optimizer works on, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.gbnf.left import has_empty, is_nothing
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    Sequence,
)
from pdl.gbnf.optimize.counts import spelled
from pdl.gbnf.optimize.parts import Choice, Part, codes
from pdl.gbnf.optimize.sets import atom_of, ranges_of
from pdl.gbnf.symbols import bounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.alive import Liveness
    from pdl.gbnf.optimize.parts import Atom, Seq


def depth(rule: Rule) -> int:
    """How deep groups and repetitions nest in a rule; a row at a time, as they may nest deep."""
    found = -1
    row: list[Item] = [item for option in rule.options for item in option.items]
    while row:
        found += 1
        groups = [item for item in row if isinstance(item, Group)]
        row = [item.item for item in row if isinstance(item, Repeat)]
        row += [item for group in groups for option in group.options for item in option.items]
    return max(found, 0)


def parts_of(options: Iterable[Sequence], alive: Liveness) -> list[Seq]:
    """Alternatives as parts, not in normal form, without those that match nothing."""
    return [_parts(option, alive) for option in options if all(map(alive.item, option.items))]


def _parts(option: Sequence, alive: Liveness) -> Seq:
    found: list[Part] = []
    for item in option.items:
        if isinstance(item, Literal):
            found += codes(item)
        elif isinstance(item, Repeat):
            found += _repeat(item, alive)
        elif not is_nothing(item):
            found.append(Part(_atom(item, alive)))
    return tuple(found)


def _repeat(item: Repeat, alive: Liveness) -> Seq:
    if is_nothing(item) or not alive.item(item.item):
        return ()
    return (Part(_atom(item.item, alive), item.min, bounded(item)),)


def _atom(item: Item, alive: Liveness) -> Atom:
    """What is repeated, or comes once, without its place."""
    if isinstance(item, Group):
        return Choice(parts_of(item.options, alive))
    if isinstance(item, Repeat):
        return Choice([_repeat(item, alive)])
    if isinstance(item, CharClass):
        return atom_of(ranges_of(item), negated=item.negated)
    return replace(item, start=-1, end=-1)


def rule_of(rule: Rule, options: tuple[Seq, ...]) -> Rule:
    """A rule with other alternatives.

    One that llama.cpp did not see to be empty is written so that it still does not: it might find
    left recursion behind it.
    """
    if len(options) > 1 and not options[-1] and not has_empty(rule.options):
        options = ((Part(Choice(options[:-1]), 0, 1),),)
    return Rule(rule.name, sequences(options), rule.comments)


def sequences(options: Iterable[Seq]) -> tuple[Sequence, ...]:
    """Parts as nodes."""
    return tuple(Sequence(tuple(_items(option))) for option in options)


def _items(option: Seq) -> list[Item]:
    found: list[Item] = []
    text: list[int] = []
    for part in option:
        atom = part.atom
        said = spelled((part,))
        if said:
            text += said
            continue
        if text:
            found.append(Literal(tuple(text)))
            text = []
        item = _item(atom)
        found.append(item if part.once else Repeat(item, part.low, part.high))
    return [*found, Literal(tuple(text))] if text else found


def _item(atom: Atom) -> Item:
    if not isinstance(atom, Choice):
        return atom
    if len(atom.options) == 1 and len(atom.options[0]) == 1 and atom.options[0][0].once:
        return _item(atom.options[0][0].atom)
    return Group(sequences(atom.options))
