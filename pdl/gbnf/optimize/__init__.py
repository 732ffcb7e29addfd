"""All rules of a grammar on their way to normal form: which are inlined, and when all is done.

`parts_of` and `rule_of` go from the nodes of a grammar to the parts that the optimizer works on,
and back. `optimized` keeps the new rules if llama.cpp takes them; where it would not, rules stay as
they were.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.gbnf.analysis import Shortest
from pdl.gbnf.left_recursion import cycles, hidden_recursion
from pdl.gbnf.limits_errors import DEEPEST, Clock
from pdl.gbnf.nodes import (
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    bounded,
    has_empty,
    is_nothing,
    items,
    reachable,
    references,
)
from pdl.gbnf.optimize.alternatives import Alternatives, atom_of, ranges_of, seq_length
from pdl.gbnf.optimize.parts import Choice, Part, codes, fits, named, size, spelled
from pdl.gbnf.validation import Symbols
from pdl.graphs import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from pdl.gbnf.nodes import Item
    from pdl.gbnf.optimize.parts import Atom, Seq
    from pdl.limits import Limits


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


def parts_of(options: Iterable[Sequence], shortest: Shortest) -> list[Seq]:
    """Alternatives as parts, not in normal form, without those that match nothing."""
    return [
        _parts(option, shortest)
        for option in options
        if all(map(shortest.productive, option.items))
    ]


def _parts(option: Sequence, shortest: Shortest) -> Seq:
    found: list[Part] = []
    for item in option.items:
        if isinstance(item, Literal):
            found += codes(item)
        elif isinstance(item, Repeat):
            found += _repeat(item, shortest)
        elif not is_nothing(item):
            found.append(Part(_atom(item, shortest)))
    return tuple(found)


def _repeat(item: Repeat, shortest: Shortest) -> Seq:
    if is_nothing(item) or not shortest.productive(item.item):
        return ()
    return (Part(_atom(item.item, shortest), item.min, bounded(item)),)


def _atom(item: Item, shortest: Shortest) -> Atom:
    """What is repeated, or comes once, without its place."""
    if isinstance(item, Group):
        return Choice(parts_of(item.options, shortest))
    if isinstance(item, Repeat):
        return Choice([_repeat(item, shortest)])
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


_ROUNDS = 20
_SMALL = 100  # parts of a rule that is put in the place of its name
_SHORT = 24  # characters of one that is put in the place of several
_NESTED = 3  # groups in groups that this makes
_DEEPEST = 50  # groups and repetitions in each other in a rule that is rewritten


class Rules:
    """The rules that a root leads to; those in `kept` stay as they are.

    Raises KeyError for a reference to no rule.
    """

    def __init__(
        self, rules: Mapping[str, Rule], root: str, kept: AbstractSet[str], clock: Clock
    ) -> None:
        self._clock = clock
        self._root = root
        shortest = Shortest(rules)
        reached = frozenset(reachable(rules, root))
        self._rules = {name: rule for name, rule in rules.items() if name in reached}
        self._kept = set(kept)
        self._options: dict[str, tuple[Seq, ...]] = {}
        self._refs: dict[str, dict[str, int]] = {}
        self._tails: dict[str, dict[str, int]] = {}
        self._simple: dict[str, Part] = {}
        self._inlined: dict[str, tuple[Seq, ...]] = {}
        for name, rule in self._rules.items():
            options = tuple(parts_of(rule.options, shortest)) if depth(rule) <= _DEEPEST else ()
            if not options:
                self._kept.add(name)  # too deep to look at, or matching nothing and in a kept rule
            self._set(name, options)
        self._order = list(self._rules)
        self._component = self._components()
        self._order = list(self._component)  # from the leaves up
        empty = frozenset(name for name in rules if not shortest.rule(name))
        self._alternatives = Alternatives(empty, self._simple)

    def _set(self, name: str, options: tuple[Seq, ...]) -> None:
        """Give a rule other alternatives."""
        self._options[name] = options
        refs: dict[str, int] = {}
        tails: dict[str, int] = {}
        found = named(options)
        if name in self._kept:
            options = ()
            found = ((ref.name, True) for ref in references(self._rules[name].options))
        for ref, last in found:
            refs[ref] = refs.get(ref, 0) + 1
            tails[ref] = tails.get(ref, 0) + last
        self._refs[name], self._tails[name] = refs, tails
        only = options[0] if len(options) == 1 else ()
        self._simple.pop(name, None)
        if len(only) == 1 and not isinstance(only[0].atom, RuleRef | Choice):
            self._simple[name] = only[0]

    def run(self) -> None:
        """Rewrite all rules until nothing changes."""
        before = set(self._order)
        while before:
            for _ in range(_ROUNDS):
                changed = self._round(before)
                if not changed and not before:
                    break
                before = changed
            component = self._components()
            # A set is compared once for all rules in it: they share it.
            pairs = {name: (component[name], self._component[name]) for name in self._order}
            sets = {(id(new), id(old)): (new, old) for new, old in pairs.values()}
            differ = {key for key, (new, old) in sets.items() if new != old}
            before = {name for name, (new, old) in pairs.items() if (id(new), id(old)) in differ}
            self._component = component

    def _components(self) -> dict[str, frozenset[str]]:
        """The rules that lead to each other, for each of the rules that are left."""
        graph = {name: list(self._refs[name]) for name in self._order}
        return {
            name: one
            for component in strongly_connected_components(graph)
            for one in [frozenset(component)]
            for name in component
        }

    def _round(self, before: set[str]) -> set[str]:
        """Rewrite those rules that the round before changed, or that name one to be inlined."""
        alive = self._alive()
        self._order = [name for name in self._order if name in alive]
        uses, tails = self._counted(self._refs), self._counted(self._tails)
        changed: set[str] = set()
        self._inlined = {
            name: self._options[name]
            for name in self._order
            if name not in before and self._is_inlined(name, uses[name], tails[name])
        }
        for name in self._order:
            self._clock.check()
            if name in self._kept:
                continue
            if name in before or not self._inlined.keys().isdisjoint(self._refs[name]):
                self._alternatives.component = self._component[name]
                options = self._rewritten(self._options[name], 0, inline=True)
                if options != self._options[name]:
                    self._set(name, options)
                    changed.add(name)
                self._inlined.pop(name, None)
                if self._is_inlined(name, uses[name], tails[name]):
                    self._inlined[name] = self._options[name]
        return changed

    def _alive(self) -> set[str]:
        alive = {self._root}
        pending = list(alive)
        while pending:
            fresh = self._refs[pending.pop()].keys() - alive
            alive |= fresh
            pending += fresh
        return alive

    def _counted(self, refs: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        """How often each rule is named, by its other names as well."""
        found = dict.fromkeys(self._order, 0)
        for name in self._order:
            for ref, count in refs[name].items():
                found[ref] += count
        for name in reversed(self._order):
            other = self._alias(name)
            if other:
                found[other] += found[name] - 1
        return found

    def _alias(self, name: str) -> str:
        """The rule that one is only another name of, if that is so."""
        options = self._options[name]
        only = options[0] if len(options) == 1 else ()
        if len(only) != 1 or name == self._root or name in self._kept:
            return ""
        return only[0].atom.name if only[0].once and isinstance(only[0].atom, RuleRef) else ""

    def _is_inlined(self, name: str, uses: int, tails: int) -> bool:
        """Whether a rule is put in the place of its name.

        One that is named last in several alternatives makes all of these share their stacks there;
        in front of something else they share none.
        """
        options = self._options[name]
        if name == self._root or name in self._kept:
            return False
        if options == ((),) or self._alias(name):
            return True
        only = options[0] if len(options) == 1 else ()
        if uses == 1:
            return size(options) <= _SMALL
        return tails <= 1 and _is_text(only) and seq_length(only) <= _SHORT

    def _rewritten(self, options: Iterable[Seq], level: int, *, inline: bool) -> tuple[Seq, ...]:
        """Alternatives in normal form, with rules inlined in them; `level` groups are around."""
        found: list[Seq] = []
        for option in options:
            parts: list[Part] = []
            for part in option:
                atom = part.atom
                if part.once and isinstance(atom, Literal) and len(atom.codes) == 1:
                    parts.append(part)
                else:
                    parts += self._part(part, level, alone=len(option) == 1, inline=inline)
            found.append(self._alternatives.sequence(parts))
        return self._alternatives.normal(found, level)

    def _part(self, part: Part, level: int, *, alone: bool, inline: bool) -> Seq:
        """A part in normal form; `alone` in its alternative, where a group dissolves."""
        atom = part.atom
        times = self._alternatives.times
        if isinstance(atom, RuleRef):
            options = self._inlined.get(atom.name) if inline else None
            found = times(options or ((Part(atom),),), part.low, part.high)
            deep = max((one.atom.depth for one in found if isinstance(one.atom, Choice)), default=0)
            nests = level + deep - (alone and deep > 0 and part.high == 1) > _NESTED
            return (part,) if nests or not _all_fit(found) else found
        if not isinstance(atom, Choice):
            return self._alternatives.plain(part)
        if atom.normal and not atom.named:
            return times(atom.options, part.low, part.high)
        found = times(self._rewritten(atom.options, level + 1, inline=inline), part.low, part.high)
        if inline and not _all_fit(found):
            return self._part(part, level, alone=alone, inline=False)
        return found

    def made(self) -> tuple[Rule, ...]:
        """The rules that are left, in their order."""
        alive = self._alive()
        return tuple(
            rule if name in self._kept else rule_of(rule, self._options[name])
            for name, rule in self._rules.items()
            if name in alive
        )


def _all_fit(parts: Seq) -> bool:
    return all(fits(*part) for part in parts)


def _is_text(option: Seq) -> bool:
    """Whether a sequence is characters or tokens, each so many times."""
    return bool(option) and all(
        part.low == part.high and not isinstance(part.atom, RuleRef | Choice) for part in option
    )


_ATTEMPTS = 8


def optimized(rules: Mapping[str, Rule], root: str, limits: Limits) -> tuple[Rule, ...]:
    """The rules for the same language as some others, which llama.cpp takes.

    Its rule of left recursion looks at the spelling of a grammar, and its bound on repetitions at
    the order of names. A rule that is refused after all is left as it was, together with those that
    it names, then with those that they name; at last all rules are.
    """
    known = tuple(rules.values())
    if any(ref.name not in rules for rule in known for ref in references(rule.options)):
        return known
    kept: set[str] = set()
    clock = Clock(limits, "rewriting the grammar")
    for _ in range(_ATTEMPTS):
        found = Rules(rules, root, kept, clock)
        found.run()
        made = found.made()
        blamed = set(_refused(made, limits))
        if not blamed:
            return made
        for name in [*kept, *blamed]:
            kept.update((name, *(ref.name for ref in references(rules[name].options))))
    return known


def _refused(rules: tuple[Rule, ...], limits: Limits) -> Iterator[str]:
    """The names of rules that would be refused."""
    by_name = {rule.name: rule for rule in rules}
    nodes: list[Item | Rule] = [repeat for repeat, _ in Symbols(rules).excessive]
    seen = False
    for cycle, node in cycles(by_name, rules):
        seen = True
        yield from cycle
        nodes += [] if cycle else [node]
    for cycle in () if seen else hidden_recursion(by_name):
        yield from cycle
    if nodes:
        wrong = set(map(id, nodes))
        yield from (
            rule.name for rule in rules if any(id(item) in wrong for item in items(rule.options))
        )
    yield from (rule.name for rule in rules if depth(rule) > min(limits.grammar_depth, DEEPEST))
