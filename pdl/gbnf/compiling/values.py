"""Values of goals: what the shortest ones cost in characters, and values themselves.

Costs are relaxed along the goals until none gets less (Knuth, A generalization of Dijkstra's
algorithm, 1977).
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pdl.gbnf.compiling.document import lone_surrogate
from pdl.gbnf.compiling.machine import Lengths, Machine, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl._types import Json
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.machine import Arrays, Member, Objects

NOT_KNOWN: Any = object()
"""A scalar of which it is not known whether it exists."""

_FAR = 10**9  # what a value costs that is not known
_LONGEST = 1_000_000  # characters of a string, or items of an array
_STRINGS = 8  # strings of a language
_STEPS = 2_000  # states that are looked at for them
_CHARACTERS = "ab01 ([*@-.:é"  # some of which few formats have
_PLAIN = 0.5  # how often a string has the same characters
_MORE = 6  # parts of an array or object beyond those that it needs

Costs: TypeAlias = "dict[Conjunction, int]"


class UnknownValueError(Exception):
    """No value is known where there may be one."""


@dataclass
class Shape:
    """The values of one conjunct by their kinds; the items of `unique` arrays all differ."""

    scalars: tuple[Any, ...] = ()
    strings: Dfa | Lengths | None = None
    arrays: Arrays | None = None
    objects: Objects | None = None
    unique: bool = False

    def inner(self) -> Iterator[Conjunction]:
        """The goals of the values in arrays and objects."""
        if self.objects is not None:
            for row in self.objects.edges:
                yield from (member.goal for member, _ in row)
        if isinstance(self.arrays, Machine):
            for edges in self.arrays.edges:
                yield from (goal for goal, _ in edges)
        elif self.arrays is not None:
            yield from self.arrays.prefix
            if self.arrays.item is not None:
                yield self.arrays.item


class Way(NamedTuple):
    """One kind of values of a shape: what the shortest one costs, and what makes it.

    `far` is what is still to come in each state of a machine, which is of `members` or of items.
    """

    price: int
    made_of: Any
    far: list[int | None] | None = None
    unique: bool = False
    members: bool = False


def ways(shape: Shape, costs: Costs) -> Iterator[Way]:
    """The kinds of which a shape has values, if only goals with costs have values."""
    for scalar in shape.scalars:
        price = _FAR if scalar is NOT_KNOWN else len(json.dumps(scalar, ensure_ascii=False))
        yield Way(price, (scalar,))
    if shape.strings is not None:
        yield Way(_string_cost(shape.strings), shape.strings)
    if isinstance(shape.arrays, Run):
        price_of_run = _run_cost(shape.arrays, costs)
        if price_of_run is not None:
            yield Way(price_of_run + 2, shape.arrays, None, shape.unique)
    elif shape.arrays is not None:
        far = _distances(shape.arrays, lambda goal: _item_cost(goal, costs))
        if far[0] is not None:
            yield Way(far[0] + 2, shape.arrays, far, shape.unique)
    if shape.objects is not None:
        far = _distances(shape.objects, lambda member: _member_cost(member, costs))
        if far[0] is not None:
            yield Way(far[0] + 2, shape.objects, far, members=True)


def _string_cost(language: Dfa | Lengths) -> int:
    if isinstance(language, Lengths):
        return language.least + 2
    found = shortest(language)
    return _FAR if found is None else len(found) + 2


def _item_cost(goal: Conjunction, costs: Costs) -> int | None:
    found = costs.get(goal)
    return None if found is None else found + 1


def _member_cost(member: Member, costs: Costs) -> int | None:
    if isinstance(member.key, str) and lone_surrogate(member.key):
        return None
    found = costs.get(member.goal)
    size = len(member.key) if isinstance(member.key, str) else 1
    return None if found is None else found + size + 4


def _distances(machine: Machine[Any], cost: Callable[[Any], int | None]) -> list[int | None]:
    """What it costs to come from each state to an accepting one; None where there is no way."""
    sources: list[list[tuple[int, int]]] = [[] for _ in machine.edges]
    for state, row in enumerate(machine.edges):
        for label, target in row:
            price = cost(label)
            if price is not None:
                sources[target].append((state, price))
    found: list[int | None] = [None] * len(machine.edges)
    heap = [(0, state) for state in sorted(machine.accepting)]
    while heap:
        price, state = heappop(heap)
        if found[state] is None:
            found[state] = price
            for source, step in sources[state]:
                if found[source] is None:
                    heappush(heap, (price + step, source))
    return found


def _run_cost(run: Run, costs: Costs) -> int | None:
    """What the shortest array of a run costs, without its brackets."""
    total = 0
    for goal in run.prefix[: run.least]:
        price = _item_cost(goal, costs)
        if price is None:
            return None
        total += price
    more = run.least - len(run.prefix)
    if more <= 0:
        return total
    price = None if run.item is None else _item_cost(run.item, costs)
    return None if price is None else total + more * price


def relaxed(
    goals: list[Conjunction], costs: Costs, shapes: Callable[[Conjunction], list[Shape]]
) -> Costs:
    """The costs of all goals that have values, from those of some that are not looked at."""
    users: defaultdict[Conjunction, dict[Conjunction, None]] = defaultdict(dict)
    for goal in goals:
        for inner in (one for shape in shapes(goal) for one in shape.inner()):
            users[inner][goal] = None
    waiting, queued = deque(goals), set(goals)
    while waiting:
        goal = waiting.popleft()
        queued.discard(goal)
        found = (way.price for shape in shapes(goal) for way in ways(shape, costs))
        price = min(found, default=None)
        if price is not None and price < costs.get(goal, price + 1):
            costs[goal] = price
            fresh = [one for one in users[goal] if one not in queued]
            waiting.extend(fresh)
            queued.update(fresh)
    return costs


class Maker:
    """Makes values: the shortest ones, or with `chance` others as well."""

    def __init__(
        self,
        shapes: Callable[[Conjunction], list[Shape]],
        costs: Costs,
        chance: Random | None = None,
    ) -> None:
        self._shapes = shapes
        self._costs = costs
        self._chance = chance
        self._depth = 0

    def value(self, goal: Conjunction) -> Json:
        """A value of a goal. Raises UnknownValueError."""
        found = [way for shape in self._shapes(goal) for way in ways(shape, self._costs)]
        if not found:
            raise UnknownValueError
        way = min(found, key=lambda one: one.price)
        if self._chance and self._chance.random() < 1 / (1 + self._depth / 4):
            way = self._chance.choice(found)
        self._depth += 1
        try:
            return self._made(way)
        finally:
            self._depth -= 1

    def _made(self, way: Way) -> Json:
        made_of = way.made_of
        if isinstance(made_of, tuple):
            if made_of[0] is NOT_KNOWN:
                raise UnknownValueError
            scalar: Json = made_of[0]
            return scalar
        if isinstance(made_of, Run):
            return self._items(self._run(made_of), unique=way.unique)
        if isinstance(made_of, Machine):
            assert way.far is not None
            labels = self._path(made_of, way.far)
            return self._object(labels) if way.members else self._items(labels, unique=way.unique)
        return self._string(made_of)

    def _string(self, language: Dfa | Lengths) -> str:
        if isinstance(language, Lengths):
            if language.least > _LONGEST:
                raise UnknownValueError
            size = language.least + (self._chance.randrange(4) if self._chance else 0)
            size = size if language.most is None else min(size, language.most)
            if self._chance is None or self._chance.random() < _PLAIN:
                return "a" * size
            return "".join(self._chance.choices(_CHARACTERS, k=size))
        if self._chance is None:
            return shortest(language) or ""
        some = list(islice(strings(language), _STRINGS)) or [shortest(language) or ""]
        return self._chance.choice(some)

    def _run(self, run: Run) -> list[Conjunction]:
        """The goals of the items of an array."""
        size = run.least
        if self._chance:
            size += self._chance.randrange(_MORE) if self._depth < _MORE else 0
            size = size if run.most is None else min(size, run.most)
        if size > _LONGEST:
            raise UnknownValueError
        goals = list(run.prefix[:size])
        if run.item is not None:
            goals += [run.item] * (size - len(goals))
        known = [goal in self._costs for goal in goals]
        return goals if all(known) else goals[: max(run.least, known.index(False))]

    def _path(self, machine: Machine[Any], far: list[int | None]) -> list[Any]:
        """The labels on a way to an accepting state."""
        state, labels, more = 0, list[Any](), 0
        if self._chance and self._depth < _MORE:
            more = self._chance.randrange(_MORE)
        while more > 0 or far[state]:
            steps = [
                (price + rest, number)
                for number, (label, target) in enumerate(machine.edges[state])
                if (rest := far[target]) is not None
                and (price := self._label_cost(label)) is not None
            ]
            if not steps:
                break
            number = min(steps)[1]
            if more > 0 and self._chance:
                more -= 1
                number = self._chance.choice(steps)[1]
            label, state = machine.edges[state][number]
            labels.append(label)
        return labels

    def _label_cost(self, label: Any) -> int | None:
        if isinstance(label, tuple):
            return _item_cost(label, self._costs)
        return _member_cost(label, self._costs)

    def _items(self, goals: list[Conjunction], *, unique: bool) -> Json:
        items: list[Json] = []
        seen: set[str] = set()
        for goal in goals:
            item = self.value(goal)
            if unique:
                item = self._fresh(goal, item, seen)
            items.append(item)
        return items

    def _fresh(self, goal: Conjunction, item: Json, seen: set[str]) -> Json:
        """An item that no other one equals, if one is found soon."""
        others = Maker(self._shapes, self._costs, self._chance or Random(len(seen)))  # noqa: S311
        others._depth = self._depth
        for _ in range(4 * _STRINGS):
            if json.dumps(item, sort_keys=True) not in seen:
                break
            item = others.value(goal)
        seen.add(json.dumps(item, sort_keys=True))
        return item

    def _object(self, members: list[Member]) -> Json:
        found: dict[str, Json] = {}
        for member in members:
            keys = iter((member.key,)) if isinstance(member.key, str) else strings(member.key)
            key = next((one for one in keys if one not in found), None)
            if key is None:
                raise UnknownValueError
            found[key] = self.value(member.goal)
        return found


_READABLE = "ab01A é名"


@lru_cache(maxsize=256)
def shortest(language: Dfa) -> str | None:
    """A shortest string, of readable characters where there is a choice; None if there is none."""
    came: dict[int, tuple[int, str]] = {0: (0, "")}
    waiting = deque([0])
    while waiting:
        state = waiting.popleft()
        if state in language.accepting:
            chars: list[str] = []
            while state:
                state, char = came[state]
                chars.append(char)
            return "".join(reversed(chars))
        steps = [(*_readable(low, high), target) for low, high, target in language.edges[state]]
        for _, char, target in sorted(steps):
            if target not in came:
                came[target] = (state, char)
                waiting.append(target)
    return None


def _readable(low: int, high: int) -> tuple[int, str]:
    """How little one likes to read the characters of a range, and the best of them."""
    for rank, char in enumerate(_READABLE):
        if low <= ord(char) <= high:
            return rank, char
    visible = max(low, ord("!"))
    if visible <= min(high, ord("~")):
        return len(_READABLE), chr(visible)
    return len(_READABLE) + 1, chr(low)


def strings(language: Dfa) -> Iterator[str]:
    """Some strings of a language, the shortest first, and of each length readable ones first."""
    waiting = deque([("", 0)])
    for _ in range(_STEPS):
        if not waiting:
            return
        text, state = waiting.popleft()
        if state in language.accepting:
            yield text
        for low, high, target in language.edges[state]:
            chars = [char for char in _READABLE if low <= ord(char) <= high]
            chars = chars or [_readable(low, high)[1]]
            waiting.extend((text + char, target) for char in chars)
