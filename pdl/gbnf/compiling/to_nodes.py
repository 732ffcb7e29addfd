"""From drafts to the rules of a grammar, within the bounds of llama.cpp, and names of rules.

A repetition takes a minimum up to 2000 and a maximum up to 2000, and those in each other multiply
within a rule (`MAX_REPETITION_THRESHOLD`): what goes beyond becomes rules of its own.

Names are made from the paths of the schemas that the rules are for, each once, as GBNF allows it.
`renamed` gives rules other names, so that those of several grammars can be in one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.automata.charset import LAST, CharSet
from pdl.errors import LimitError
from pdl.gbnf.compiling.drafts import OTHER, Choice, ProductionDraft, Repeat, valid
from pdl.gbnf.compiling.inlining import inline_and_merge, is_sealed, release, too_many
from pdl.gbnf.nodes import MOST, AnyChar, CharClass, Group, Literal, Rule, RuleRef, Sequence
from pdl.gbnf.nodes import Repeat as RepeatNode
from pdl.schema.keywords import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.automata.charset import Ranges
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives, Part
    from pdl.gbnf.nodes import Item


def to_nodes(root: ProductionDraft, limit: int) -> tuple[Rule, ...]:
    """The rules of a draft, named `root`, and of all that it leads to, in order of occurrence.

    The drafts lose their rows, except for those that several grammars have.
    Raises LimitError (`limit/grammar-rules`) for more rules than `limit`.
    """
    order = inline_and_merge(root, limit)
    rules = _Writer(limit).rules(root)
    release(order)
    return rules


class _Writer:
    """Writes the rules of finished drafts."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._names = Names()
        self._waiting: list[ProductionDraft] = []
        self._bodies: dict[tuple[str, Alternatives], ProductionDraft] = {}
        self._items: dict[str | ProductionDraft | CharSet, Item] = {}
        self._wish = ""
        self._count = 0

    def rules(self, root: ProductionDraft) -> tuple[Rule, ...]:
        """The rules of a root."""
        named = [("root", root)]
        self._items[root] = RuleRef("root")
        written: list[Rule] = []
        while named:
            name, draft = named.pop()
            self._wish = draft.wish
            written.append(Rule(name, self._body_of(draft)))
            named += [(self._name(one), one) for one in reversed(self._waiting)]
            self._waiting.clear()
        return tuple(written)

    def _name(self, draft: ProductionDraft) -> str:
        item = self._items[draft]
        assert isinstance(item, RuleRef)
        return item.name

    def _body_of(self, draft: ProductionDraft) -> tuple[Sequence, ...]:
        """The alternatives of a rule, which many grammars have if it is sealed."""
        if not is_sealed(draft):
            return self._options(draft.rows)
        parts = [self._items.get(one) or self._new(one) for one in draft.inner]
        known = draft.written
        if known is None or known[0] != parts:
            known = draft.written = parts, self._options(draft.rows)
        return known[1]

    def _options(self, rows: Alternatives) -> tuple[Sequence, ...]:
        return tuple([self._sequence(row) for row in rows])

    def _sequence(self, row: Alternative) -> Sequence:
        items: list[Item] = []
        for part in row:
            if type(part) is Repeat:
                items.extend(self._again(part))
            elif type(part) is Choice:
                items.append(Group(self._options(part.rows)))
            else:
                items.append(self._items.get(part) or self._new(part))
        return Sequence(tuple(items))

    def _new(self, part: str | ProductionDraft | CharSet) -> Item:
        """What is written wherever a part occurs."""
        item: Item
        if isinstance(part, str):
            item = Literal(tuple(map(ord, part)))
        elif isinstance(part, CharSet):
            item = _class(part)
        else:
            self._count += 1
            if self._count >= self._limit:
                raise LimitError(too_many(self._limit))
            item = RuleRef(part.wish if part.fixed else self._names.give(part.wish))
            self._waiting.append(part)
        self._items[part] = item
        return item

    def _item(self, part: Part) -> Item:
        if isinstance(part, Repeat):
            items = self._again(part)
            return items[0] if len(items) == 1 else Group((Sequence(tuple(items)),))
        if isinstance(part, Choice):
            return Group(self._options(part.rows))
        return self._items.get(part) or self._new(part)

    def _again(self, again: Repeat) -> list[Item]:
        part, least, most = again
        times = max(least, most or 1)
        if not isinstance(part, str | CharSet | ProductionDraft):
            heavy = times > MOST or weight(part) * times > MOST
            rows = part.rows if isinstance(part, Choice) else ((part,),)
            part = self._body(rows) if heavy else part
        item = self._item(part)
        if times <= MOST:
            return [RepeatNode(item, least, most)]
        return self._blocks(part, item, least, most)

    def _blocks(self, part: Part, item: Item, least: int, most: int | None) -> list[Item]:
        """More than llama.cpp takes: so many in one piece as it does, then the rest."""
        if most is not None and most > least:
            row: list[Item] = self._exactly(item, least) if least else []
            return [*row, self._item(self._up_to(part, most - least))]
        row = self._exactly(item, least)
        return row if most is not None else [*row, RepeatNode(item, 0, None)]

    def _exactly(self, item: Item, count: int) -> list[Item]:
        full, rest = divmod(count, MOST)
        row: list[Item] = [RepeatNode(item, MOST, MOST)] * full
        return [*row, RepeatNode(item, rest, rest)] if rest else row

    def _up_to(self, part: Part, most: int) -> ProductionDraft:
        """A rule for a number of repetitions: `u5000 ::= c{2000} u3000 | c{0,1999}`."""
        rows: Alternatives = ((Repeat(part, 0, most % MOST),),) if most % MOST else ((),)
        draft = self._body(rows)
        for _ in range(most // MOST):
            full, short = Repeat(part, MOST, MOST), Repeat(part, 0, MOST - 1)
            tail = () if draft.rows == ((),) else (draft,)
            draft = self._body(((full, *tail), (short,)))
        return draft

    def _body(self, rows: Alternatives) -> ProductionDraft:
        """A rule for a part of the one that is written, once."""
        key = (self._wish, rows)
        found = self._bodies.get(key)
        if found is None:
            found = self._bodies[key] = ProductionDraft(self._wish, rows)
        return found


def weight(part: Part) -> int:
    """How many rules a repetition of a part multiplies, as `pdl.gbnf.validation` counts them."""
    if isinstance(part, Choice):
        return _made(part)
    if isinstance(part, Repeat):
        return weight(part.part) * (part.most or part.least or 1)
    return 1


def _made(part: Part) -> int:
    """How many rules llama.cpp makes of a part."""
    if isinstance(part, Choice):
        return 1 + sum(_made(one) for row in part.rows for one in row)
    if isinstance(part, Repeat):
        return _made(part.part) + (1 if part.most is None else part.most - part.least)
    return 0


_HYPHEN = CharSet.of("-")


@lru_cache(maxsize=512)
def _class(chars: CharSet) -> Item:
    if LAST not in chars:
        return CharClass(_spread(chars))
    others = ~chars
    return CharClass(_spread(others), negated=True) if others else AnyChar()


def _spread(chars: CharSet) -> Ranges:
    """Two neighbours as two characters, which is easier to read, and a hyphen at the end.

    There all engines take it for itself; amid others xgrammar does not, however it is escaped.
    """
    found: list[tuple[int, int]] = []
    for low, high in (chars - _HYPHEN).ranges:
        found += [(low, low), (high, high)] if high == low + 1 else [(low, high)]
    return (*found, *(chars & _HYPHEN).ranges)


GENERIC = (
    "root", "value", "object", "array", "string", "number", "integer", "boolean", "null", "ws",
    "char", "escape", "hex",
)  # fmt: skip
"""Names that mean the same in each grammar."""


class Names:
    """Gives names: a number is added to those that are taken."""

    def __init__(self) -> None:
        self._taken = set(GENERIC)
        self._next: dict[str, int] = {}

    def give(self, wish: str) -> str:
        """A name that nothing else has."""
        name = base = valid(wish)
        while name in self._taken:
            number = self._next.get(base, 2)
            self._next[base] = number + 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


_SILENT = frozenset(
    {"properties", "$defs", "allOf", "anyOf", "oneOf", "prefixItems", "patternProperties"}
)
_SAID = {"items": "item", "additionalProperties": "value", "unevaluatedProperties": "value"}
_KEPT = 3  # steps of a path that a name has


def wish(goal: Conjunction) -> str:
    """What a rule for a goal may be called: `person-age`."""
    if not goal:
        return "value"
    path = [str(step) for step in steps(goal[0].pointer)]
    said: list[str] = []
    at = 0
    while at < len(path):
        step = path[at]
        if step in _SILENT and at + 1 < len(path):
            at += 1
            if step == "$defs":
                said.clear()
            said.append(path[at])
        else:
            said.append(_SAID.get(step, step))
        at += 1
    words = (OTHER.sub("-", word).strip("-") for word in said[-_KEPT:])
    return "-".join(word for word in words if word) or "root"


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
    options = tuple(_renamed_sequence(option, names) for option in rule.options)
    return Rule(names.get(rule.name, rule.name), options, rule.comments)


def _renamed_sequence(sequence: Sequence, names: Mapping[str, str]) -> Sequence:
    return Sequence(tuple(_renamed_item(item, names) for item in sequence.items))


def _renamed_item(item: Item, names: Mapping[str, str]) -> Item:
    """An item; groups nest no deeper than `Limits.grammar_depth`."""
    if isinstance(item, RuleRef):
        return RuleRef(names.get(item.name, item.name))
    if isinstance(item, RepeatNode):
        return RepeatNode(_renamed_item(item.item, names), item.min, item.max)
    if isinstance(item, Group):
        return Group(tuple(_renamed_sequence(option, names) for option in item.options))
    return item
