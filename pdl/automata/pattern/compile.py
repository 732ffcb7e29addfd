"""From a pattern, as an author wrote it, to the automaton of the texts that it matches.

Patterns with lookarounds are compiled exactly: to an alternating automaton, made deterministic step
by step. A lookahead that is passed leaves an obligation on the text that follows: its own set of
states goes on beside the state that passed it, and must come to succeed, or must not. Obligations
are sets of states by number, in a normal form. The sets of the lookbehinds go on from the start of
the text, so that at each place it is known which of them succeed there, but for obligations, if
lookaheads stand in them. A state of the outcome is the sets of the lookbehinds and the set of the
pattern. (For the automata see Chandra, Kozen and Stockmeyer, "Alternation", 1981.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import classify
from pdl.automata.dfa import DEFAULT_BUDGET, Budget, Dfa
from pdl.automata.minimize import minimal
from pdl.automata.pattern.machine import Beside, Plain, machine
from pdl.automata.pattern.read import read
from pdl.errors import Problem, SchemaError
from pdl.schema.patterns import pattern_error, translate, unrolled_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Budget, Dfa
    from pdl.automata.pattern.machine import Condition, Machine


Duties: TypeAlias = frozenset[int]
"""What must hold of the text that follows: the number of a set that must succeed, or, as
`~number`, one that must not."""
Config: TypeAlias = tuple[int, Duties]
"""A state, and the obligations that were met on the way to it."""
Configs: TypeAlias = frozenset[Config]

FREE: Duties = frozenset()
END = -1
"""A state that accepts at the end of a text, and reads nothing."""
_SUCCESS = -2  # a state that accepts whatever follows

FAILURE, SUCCESS, ENDED = 0, 1, 2
"""The numbers of the set that never succeeds, of the one that has, and of the end of the text."""


class Sets:
    """All sets that have come up; `full` are the states that accept whatever follows."""

    def __init__(self, full: AbstractSet[int]) -> None:
        self._full = full | {_SUCCESS}
        self.known: list[Configs] = []
        self._numbers: dict[Configs, int] = {}
        self._ended: dict[int, bool] = {}
        for configs in ([], [(_SUCCESS, FREE)], [(END, FREE)]):
            self.number(configs)

    def number(self, configs: Iterable[Config]) -> int:
        """The number of a set, which is `SUCCESS` as soon as one of its states has succeeded."""
        least = lightest(configs)
        if any(state in self._full and not duties for state, duties in least):
            least = frozenset([(_SUCCESS, FREE)])
        if least not in self._numbers:
            self._numbers[least] = len(self.known)
            self.known.append(least)
        return self._numbers[least]

    def ends(self, number: int) -> bool:
        """Whether a set succeeds if the text ends here.

        Sets are in the obligations of others only as lookarounds stand in others, so deep and no
        deeper does this call itself.
        """
        if number not in self._ended:
            self._ended[number] = any(
                (state == END or state in self._full) and all(map(self._holds, duties))
                for state, duties in self.known[number]
            )
        return self._ended[number]

    def _holds(self, duty: int) -> bool:
        return self.ends(duty) if duty >= 0 else not self.ends(~duty)


def lightest(configs: Iterable[Config]) -> Configs:
    """Without those whose state is there with fewer obligations."""
    by_state: dict[int, list[Duties]] = {}
    for state, duties in set(configs):
        by_state.setdefault(state, []).append(duties)
    return frozenset(
        (state, duties)
        for state, several in by_state.items()
        for duties in several
        if len(several) == 1 or not any(other < duties for other in several)
    )


def joined(one: Duties, other: Duties) -> Duties | None:
    """Both obligations; None if they contradict each other."""
    both = one | other
    if one and other and any(~duty in both for duty in other):
        return None
    return both


def owed(number: int, *, positive: bool) -> Duties | None:
    """The obligation that a set succeeds, or does not; None if it cannot be met."""
    if number in {FAILURE, SUCCESS}:
        return FREE if (number == SUCCESS) == positive else None
    return frozenset([number if positive else ~number])


_DEAR = 4  # a step takes so many times as long here as where states are but numbers


@dataclass
class _Place:
    """What is known at a place in a text, filled in lookaround by lookaround, inner ones first."""

    number: int
    at_start: bool = False
    heads: dict[int, int] = field(default_factory=dict)
    """The sets that lookaheads begin with."""
    tails: dict[int, Configs] = field(default_factory=dict)
    """What lookbehinds have come to."""
    reached: dict[int, Configs] = field(default_factory=dict)
    """What skips reach from a state."""


class Looking:
    """The automaton of one pattern, while it is built."""

    def __init__(self, made: Machine, budget: Budget) -> None:
        self._made = made
        self._budget = budget
        self._cost = 0
        self._sets = Sets({one.exit for one in made.sights if one.ahead} | {made.accept})
        self._leaving = {one.exit for one in made.sights}
        self._places: dict[tuple[Configs, ...], dict[int, _Place]] = {}
        self._after: dict[tuple[int, int, int], int] = {}
        self._masks: dict[int, int] = {}
        self._place_count = 0

    def run(self) -> Dfa:
        """The minimal automaton. Raises LimitError."""
        classes, reads = self._readings()
        place = self._place(None, 0)
        first = self._sets.number(self._reached(place, self._made.start))
        number = {(self._tails(place, first), first): 0}
        order = list(number)
        rows: list[dict[int, int]] = []
        for tails, current in order:
            row: dict[int, int] = {}
            for label, after in self._successors(tails, current, reads):
                if after not in number:
                    number[after] = len(order)
                    order.append(after)
                row[label] = number[after]
            rows.append(row)
            self._budget.check(len(order), self._cost)
        accepting = {number[one] for one in order if self._sets.ends(one[1])}
        return minimal(classes, rows, accepting)

    def _readings(self) -> tuple[tuple[Ranges, ...], list[int]]:
        """The classes of code points, and the labels that read each, as bits."""
        classes, members = classify(list(self._made.nfa.labels))
        reads = [0] * len(classes)
        for label, found in enumerate(members):
            for one in found:
                reads[one] |= 1 << label
        return classes, reads

    def _tails(self, place: _Place, current: int) -> tuple[Configs, ...]:
        """What matters of the past; nothing does when all is decided."""
        return () if current == SUCCESS else tuple(place.tails.values())

    def _successors(
        self, tails: tuple[Configs, ...], current: int, reads: list[int]
    ) -> Iterator[tuple[int, tuple[tuple[Configs, ...], int]]]:
        """Each class of code points, and what it leads to."""
        behind = self._mask_of(config for tail in tails for config in tail)
        mask = behind | self._mask(current)
        known: dict[int, tuple[tuple[Configs, ...], int]] = {}
        for label, bits in enumerate(reads):
            read = bits & mask
            if read not in known:
                known[read] = self._successor(tails, current, read, read & behind)
            if known[read][1] != FAILURE:
                yield label, known[read]

    def _successor(
        self, tails: tuple[Configs, ...], current: int, read: int, behind: int
    ) -> tuple[tuple[Configs, ...], int]:
        if current == SUCCESS:
            return (), SUCCESS
        places = self._places.setdefault(tails, {})
        if behind not in places:
            places[behind] = self._place(tails, read)
        after = self._stepped(current, read, places[behind])
        return self._tails(places[behind], after), after

    # --- places

    def _place(self, before: tuple[Configs, ...] | None, read: int) -> _Place:
        """The place after a character; the start of the text if there is none before."""
        self._place_count += 1
        place = _Place(self._place_count, before is None)
        tails = iter(before or ())
        for index, sight in enumerate(self._made.sights):
            if sight.ahead:
                place.heads[index] = self._sets.number(self._reached(place, sight.entry))
            elif before is None:
                place.tails[index] = lightest(self._reached(place, sight.entry))
            else:
                place.tails[index] = lightest(self._moved(next(tails), read, place))
        return place

    def _reached(self, place: _Place, state: int) -> Configs:
        """What a state comes to without reading, with the obligations met on the way."""
        if state not in place.reached:
            seen: set[Config] = {(state, FREE)}
            stack = list(seen)
            while stack:
                fresh = set(self._skipped(place, *stack.pop())) - seen
                seen |= fresh
                stack.extend(fresh)
            self._spend(len(seen))
            place.reached[state] = lightest(one for one in seen if self._matters(one[0]))
        return place.reached[state]

    def _matters(self, state: int) -> bool:
        return bool(self._made.nfa.steps[state]) or state in self._leaving

    def _skipped(self, place: _Place, state: int, duties: Duties) -> Iterator[Config]:
        for target in self._made.nfa.skips[state]:
            yield target, duties
        for condition, target in self._made.conditions.get(state, ()):
            for more in self._met(place, condition):
                both = joined(duties, more)
                if both is not None:
                    yield target, both

    def _met(self, place: _Place, condition: Condition) -> Iterable[Duties]:
        """The obligations under which a condition holds at a place: any of several."""
        if isinstance(condition, Beside):
            if condition.ahead:
                return [frozenset([ENDED])]
            return [FREE] if place.at_start else []
        if condition.sight in place.heads:
            duties = owed(place.heads[condition.sight], positive=condition.positive)
            return [] if duties is None else [duties]
        leave = self._made.sights[condition.sight].exit
        found = [duties for state, duties in place.tails[condition.sight] if state == leave]
        return found if condition.positive else self._denied(found)

    def _denied(self, options: list[Duties]) -> Iterable[Duties]:
        """What must hold so that none of the options does: an obligation of each is not met."""
        found: set[Duties] = {FREE}
        for duties in options:
            pairs = product(found, (frozenset([~duty]) for duty in duties))
            found = {both for one, other in pairs if (both := joined(one, other)) is not None}
            self._spend(len(found))
        return found

    # --- characters

    def _moved(self, configs: Configs, read: int, place: _Place) -> Iterator[Config]:
        """What a set comes to after a character that some labels read."""
        for state, duties in configs:
            targets = [to for label, to in self._made.nfa.steps[state] if read >> label & 1]
            self._spend(1 + len(targets) + len(duties))
            carried = self._carried(duties, read, place) if targets else None
            if carried is None:
                continue
            for target in targets:
                for reached, more in self._reached(place, target):
                    both = joined(carried, more)
                    if both is not None:
                        yield reached, both

    def _carried(self, duties: Duties, read: int, place: _Place) -> Duties | None:
        """What is left of obligations after a character; None if one of them cannot be met."""
        left: Duties = FREE
        for duty in duties:
            number = duty if duty >= 0 else ~duty
            more = owed(self._stepped(number, read, place), positive=duty >= 0)
            both = None if more is None else joined(left, more)
            if both is None:
                return None
            left = both
        return left

    def _stepped(self, number: int, read: int, place: _Place) -> int:
        """What a set comes to; calls itself, over `_carried`, as deep as lookarounds nest."""
        if number in {FAILURE, SUCCESS, ENDED}:
            return SUCCESS if number == SUCCESS else FAILURE
        key = (number, read & self._mask(number), place.number)
        if key not in self._after:
            moved = self._moved(self._sets.known[number], read, place)
            self._after[key] = self._sets.number(moved)
        return self._after[key]

    def _mask(self, number: int) -> int:
        """The labels that a set, or one that it is obliged to, can read, as bits."""
        if number not in self._masks:
            self._masks[number] = self._mask_of(self._sets.known[number])
        return self._masks[number]

    def _mask_of(self, configs: Iterable[Config]) -> int:
        mask = 0
        for state, duties in configs:
            if state >= 0:
                for label, _ in self._made.nfa.steps[state]:
                    mask |= 1 << label
            for duty in duties:
                mask |= self._mask(duty if duty >= 0 else ~duty)
        return mask

    def _spend(self, cost: int) -> None:
        self._cost += _DEAR * cost
        self._budget.check(0, self._cost)


_UNROLLED = 8  # the library unrolls so many counts in the time of one of our steps


@lru_cache(maxsize=512)
def pattern(text: str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """The texts that a regular expression matches somewhere (ECMA-262; JSON Schema 6.3.3).

    It means what `pdl.schema.patterns.matches` says, for texts without lone surrogates. Raises
    SchemaError (`schema/bad-pattern`) for what is no regular expression, Irregular for
    back-references and the like, LimitError (`limit/automaton-states`) beyond the budget.
    """
    budget.check(0, unrolled_size(text) // _UNROLLED)  # first, as a bound is no mistake
    wrong = pattern_error(text)
    if wrong:
        message = f"this pattern is no regular expression: {wrong}"
        raise SchemaError(Problem("schema/bad-pattern", message))
    made = machine(read(translate(text)), budget)
    if made.sights:
        return Looking(made, budget).run()
    return Plain(made, budget).run()
