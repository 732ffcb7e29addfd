"""Regular expressions of ECMA-262, as in JSON Schema's `pattern`, compiled to automata.

Lookarounds are compiled exactly: to an alternating automaton, which is made deterministic step by
step (Chandra, Kozen and Stockmeyer, "Alternation", 1981). A lookahead that is passed leaves an
obligation on the text that follows: its own set of states runs next to the state that passed it,
and must succeed, or must not. Obligations are sets of states by number, in a normal form. The sets
of the lookbehinds run from the start of the text, so that at each position it is known which of
them succeed there, subject to obligations if they contain lookaheads. A state of the outcome is
the sets of the lookbehinds and the set of the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import classify
from pdl.automata.dfa import DEFAULT_BUDGET, Budget
from pdl.automata.minimize import minimal_dfa
from pdl.automata.pattern.read import Irregular, read
from pdl.automata.pattern.thompson import OneCharCompiler, OneCharLookaround, thompson
from pdl.errors import Problem, SchemaError
from pdl.schema.patterns import pattern_error, translate, unrolled_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from pdl.automata.charset import Ranges
    from pdl.automata.dfa import Dfa
    from pdl.automata.pattern.thompson import Condition, ConditionalNfa

__all__ = ["Irregular", "pattern"]

Obligations: TypeAlias = frozenset[int]
"""What the text that follows must meet: the number of a set that must succeed, or, as `~number`,
one that must not."""
Config: TypeAlias = tuple[int, Obligations]
"""A state, and the obligations that were met on the way to it."""
Configs: TypeAlias = frozenset[Config]

FREE: Obligations = frozenset()
END = -1
"""A state that accepts at the end of a text, and reads nothing."""
_SUCCESS = -2  # a state that accepts whatever follows

FAILURE, SUCCESS, ENDED = 0, 1, 2
"""The numbers of the set that never succeeds, of the one that has, and of the end of the text."""


class StateSets:
    """All sets that have been met; `full` are the states that accept whatever follows."""

    def __init__(self, full: AbstractSet[int]) -> None:
        self._full = full | {_SUCCESS}
        self.known: list[Configs] = []
        self._numbers: dict[Configs, int] = {}
        self._ended: dict[int, bool] = {}
        for configs in ([], [(_SUCCESS, FREE)], [(END, FREE)]):
            self.number(configs)

    def number(self, configs: Iterable[Config]) -> int:
        """The number of a set, which is `SUCCESS` as soon as one of its states has succeeded."""
        least = drop_subsumed(configs)
        if any(state in self._full and not obligations for state, obligations in least):
            least = frozenset([(_SUCCESS, FREE)])
        if least not in self._numbers:
            self._numbers[least] = len(self.known)
            self.known.append(least)
        return self._numbers[least]

    def ends(self, number: int) -> bool:
        """Whether a set succeeds if the text ends here.

        Sets are in the obligations of others only as lookarounds are inside others, which bounds
        the recursion.
        """
        if number not in self._ended:
            self._ended[number] = any(
                (state == END or state in self._full) and all(map(self._holds, obligations))
                for state, obligations in self.known[number]
            )
        return self._ended[number]

    def _holds(self, obligation: int) -> bool:
        return self.ends(obligation) if obligation >= 0 else not self.ends(~obligation)


def drop_subsumed(configs: Iterable[Config]) -> Configs:
    """Drop those whose state is there with fewer obligations."""
    by_state: dict[int, list[Obligations]] = {}
    for state, obligations in set(configs):
        by_state.setdefault(state, []).append(obligations)
    return frozenset(
        (state, obligations)
        for state, several in by_state.items()
        for obligations in several
        if len(several) == 1 or not any(other < obligations for other in several)
    )


def joined(one: Obligations, other: Obligations) -> Obligations | None:
    """Both obligations; None if they contradict each other."""
    both = one | other
    if one and other and any(~obligation in both for obligation in other):
        return None
    return both


def obligation_of(number: int, *, positive: bool) -> Obligations | None:
    """The obligation that a set succeeds, or does not; None if it cannot be met."""
    if number in {FAILURE, SUCCESS}:
        return FREE if (number == SUCCESS) == positive else None
    return frozenset([number if positive else ~number])


_DEAR = 4  # how many times as long a step takes here as where states are only numbers


@dataclass
class _Position:
    """What is known at a position, filled in lookaround by lookaround, inner ones first."""

    number: int
    at_start: bool = False
    lookaheads: dict[int, int] = field(default_factory=dict)
    """The sets that lookaheads begin with."""
    lookbehinds: dict[int, Configs] = field(default_factory=dict)
    """The sets that lookbehinds have reached."""
    reached: dict[int, Configs] = field(default_factory=dict)
    """The epsilon closure of a state."""


class AlternatingCompiler:
    """Compiles a pattern with lookarounds of any length."""

    def __init__(self, nfa: ConditionalNfa, budget: Budget) -> None:
        self._nfa = nfa
        self._budget = budget
        self._cost = 0
        self._sets = StateSets({one.exit for one in nfa.lookarounds if one.ahead} | {nfa.accept})
        self._leaving = {one.exit for one in nfa.lookarounds}
        self._positions: dict[tuple[Configs, ...], dict[int, _Position]] = {}
        self._after: dict[tuple[int, int, int], int] = {}
        self._masks: dict[int, int] = {}
        self._position_count = 0

    def dfa(self) -> Dfa:
        """The minimal automaton. Raises LimitError."""
        classes, reads = self._readings()
        position = self._position(None, 0)
        first = self._sets.number(self._closure(position, self._nfa.start))
        number = {(self._lookbehinds(position, first), first): 0}
        order = list(number)
        rows: list[dict[int, int]] = []
        for lookbehinds, current in order:
            row: dict[int, int] = {}
            for label, after in self._successors(lookbehinds, current, reads):
                if after not in number:
                    number[after] = len(order)
                    order.append(after)
                row[label] = number[after]
            rows.append(row)
            self._budget.check(len(order), self._cost)
        accepting = {number[one] for one in order if self._sets.ends(one[1])}
        return minimal_dfa(classes, rows, accepting)

    def _readings(self) -> tuple[tuple[Ranges, ...], list[int]]:
        """The classes of code points, and the labels that read each, as bits."""
        classes, members = classify(list(self._nfa.states.labels))
        reads = [0] * len(classes)
        for label, found in enumerate(members):
            for one in found:
                reads[one] |= 1 << label
        return classes, reads

    def _lookbehinds(self, position: _Position, current: int) -> tuple[Configs, ...]:
        """What matters of the past; nothing does when all is decided."""
        return () if current == SUCCESS else tuple(position.lookbehinds.values())

    def _successors(
        self, lookbehinds: tuple[Configs, ...], current: int, reads: list[int]
    ) -> Iterator[tuple[int, tuple[tuple[Configs, ...], int]]]:
        """Each class of code points, and what it leads to."""
        earlier = self._mask_of(config for lookbehind in lookbehinds for config in lookbehind)
        mask = earlier | self._mask(current)
        known: dict[int, tuple[tuple[Configs, ...], int]] = {}
        for label, bits in enumerate(reads):
            read = bits & mask
            if read not in known:
                known[read] = self._successor(lookbehinds, current, read, read & earlier)
            if known[read][1] != FAILURE:
                yield label, known[read]

    def _successor(
        self, lookbehinds: tuple[Configs, ...], current: int, read: int, earlier: int
    ) -> tuple[tuple[Configs, ...], int]:
        if current == SUCCESS:
            return (), SUCCESS
        positions = self._positions.setdefault(lookbehinds, {})
        if earlier not in positions:
            positions[earlier] = self._position(lookbehinds, read)
        after = self._stepped(current, read, positions[earlier])
        return self._lookbehinds(positions[earlier], after), after

    # --- positions

    def _position(self, before: tuple[Configs, ...] | None, read: int) -> _Position:
        """The position after a character; the start of the text if there is none before."""
        self._position_count += 1
        position = _Position(self._position_count, before is None)
        lookbehinds = iter(before or ())
        for index, lookaround in enumerate(self._nfa.lookarounds):
            if lookaround.ahead:
                entered = self._closure(position, lookaround.entry)
                position.lookaheads[index] = self._sets.number(entered)
            elif before is None:
                entered = self._closure(position, lookaround.entry)
                position.lookbehinds[index] = drop_subsumed(entered)
            else:
                moved = self._moved(next(lookbehinds), read, position)
                position.lookbehinds[index] = drop_subsumed(moved)
        return position

    def _closure(self, position: _Position, state: int) -> Configs:
        """The epsilon closure of a state, with its pending obligations."""
        if state not in position.reached:
            seen: set[Config] = {(state, FREE)}
            stack = list(seen)
            while stack:
                fresh = set(self._epsilon_targets(position, *stack.pop())) - seen
                seen |= fresh
                stack.extend(fresh)
            self._spend(len(seen))
            position.reached[state] = drop_subsumed(one for one in seen if self._matters(one[0]))
        return position.reached[state]

    def _matters(self, state: int) -> bool:
        return bool(self._nfa.states.transitions[state]) or state in self._leaving

    def _epsilon_targets(
        self, position: _Position, state: int, obligations: Obligations
    ) -> Iterator[Config]:
        for target in self._nfa.states.epsilons[state]:
            yield target, obligations
        for condition, target in self._nfa.conditions.get(state, ()):
            for more in self._met(position, condition):
                both = joined(obligations, more)
                if both is not None:
                    yield target, both

    def _met(self, position: _Position, condition: Condition) -> Iterable[Obligations]:
        """The obligations under which a condition holds at a position: any of several."""
        if isinstance(condition, OneCharLookaround):
            if condition.ahead:
                return [frozenset([ENDED])]
            return [FREE] if position.at_start else []
        if condition.lookaround in position.lookaheads:
            number = position.lookaheads[condition.lookaround]
            obligations = obligation_of(number, positive=condition.positive)
            return [] if obligations is None else [obligations]
        leave = self._nfa.lookarounds[condition.lookaround].exit
        reached = position.lookbehinds[condition.lookaround]
        found = [obligations for state, obligations in reached if state == leave]
        return found if condition.positive else self._denied(found)

    def _denied(self, options: list[Obligations]) -> Iterable[Obligations]:
        """The obligations under which no option is met: one obligation of each fails."""
        found: set[Obligations] = {FREE}
        for obligations in options:
            pairs = product(found, (frozenset([~obligation]) for obligation in obligations))
            found = {both for one, other in pairs if (both := joined(one, other)) is not None}
            self._spend(len(found))
        return found

    # --- characters

    def _moved(self, configs: Configs, read: int, position: _Position) -> Iterator[Config]:
        """The set that another one leads to after a character that some labels read."""
        for state, obligations in configs:
            targets = [to for label, to in self._nfa.states.transitions[state] if read >> label & 1]
            self._spend(1 + len(targets) + len(obligations))
            carried = self._carried(obligations, read, position) if targets else None
            if carried is None:
                continue
            for target in targets:
                for reached, more in self._closure(position, target):
                    both = joined(carried, more)
                    if both is not None:
                        yield reached, both

    def _carried(
        self, obligations: Obligations, read: int, position: _Position
    ) -> Obligations | None:
        """The obligations that remain after a character; None if one of them cannot be met."""
        left: Obligations = FREE
        for obligation in obligations:
            number = obligation if obligation >= 0 else ~obligation
            more = obligation_of(self._stepped(number, read, position), positive=obligation >= 0)
            both = None if more is None else joined(left, more)
            if both is None:
                return None
            left = both
        return left

    def _stepped(self, number: int, read: int, position: _Position) -> int:
        """The set that another one leads to; recursive, over `_carried`, as lookarounds nest."""
        if number in {FAILURE, SUCCESS, ENDED}:
            return SUCCESS if number == SUCCESS else FAILURE
        key = (number, read & self._mask(number), position.number)
        if key not in self._after:
            moved = self._moved(self._sets.known[number], read, position)
            self._after[key] = self._sets.number(moved)
        return self._after[key]

    def _mask(self, number: int) -> int:
        """The labels that a set, or one that it is obliged to, can read, as bits."""
        if number not in self._masks:
            self._masks[number] = self._mask_of(self._sets.known[number])
        return self._masks[number]

    def _mask_of(self, configs: Iterable[Config]) -> int:
        mask = 0
        for state, obligations in configs:
            if state >= 0:
                for label, _ in self._nfa.states.transitions[state]:
                    mask |= 1 << label
            for obligation in obligations:
                mask |= self._mask(obligation if obligation >= 0 else ~obligation)
        return mask

    def _spend(self, cost: int) -> None:
        self._cost += _DEAR * cost
        self._budget.check(0, self._cost)


_UNROLLED = 8  # counts that the library unrolls in the time of one of our steps


@lru_cache(maxsize=512)
def pattern(text: str, *, budget: Budget = DEFAULT_BUDGET) -> Dfa:
    """Return the strings that a regular expression matches somewhere (ECMA-262; JSON Schema 6.3.3).

    It means what `pdl.schema.patterns.matches` says, for strings without lone surrogates. Raises
    SchemaError (`schema/bad-pattern`) for an invalid regular expression, Irregular for
    back-references and the like, LimitError (`limit/automaton-states`) beyond the budget.
    """
    budget.check(0, unrolled_size(text) // _UNROLLED)  # first, as a bound is not a mistake
    wrong = pattern_error(text)
    if wrong:
        message = f"invalid regular expression: {wrong}"
        raise SchemaError(Problem("schema/bad-pattern", message))
    nfa = thompson(read(translate(text)), budget)
    if nfa.lookarounds:
        return AlternatingCompiler(nfa, budget).dfa()
    return OneCharCompiler(nfa, budget).dfa()
