"""The configurations of a string in a grammar, for all its parses at once.

A configuration is a set of states, each with the stack under it (`pdl.gbnf.gss`), so ambiguity
costs nothing exponential. Configurations are interned, and the target of a byte is computed once;
from then on a step is one look into a list (lazy determinization).
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.gss import Entry, EpsilonClosures, Frontier, Node, Stack
from pdl.gbnf.limits_errors import Clock, limit_error
from pdl.graphs import strongly_connected_components
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.errors import LimitError
    from pdl.gbnf.rtn import Rtn
    from pdl.limits import Limits

_DONE = -1  # where the root rule leads
_ROOM = 3_000_000
"""What is remembered, in items of about 40 bytes; then all is forgotten."""
_TREE = 40  # rules that are entered as one
_COST = 20  # what a configuration takes beside its items and its row
_BURST = 50  # bytes at which the bound on parses may be reached, whatever the average
# Both the states and the steps through the stack that are taken to find them are counted, so that
# the same strings are refused on each machine.

Item: TypeAlias = "tuple[int, Node]"
"""A state, and the node of the rule that it is in."""


class Configuration:
    """All states that a string can be in at one position; a value that never changes.

    `items` are the states that read a byte or a token, with their nodes; `complete` says whether
    the string may end here. `row` is the target of each class of bytes, None if not computed yet.
    """

    __slots__ = ("complete", "items", "row")

    def __init__(self, items: frozenset[Item], width: int, *, complete: bool) -> None:
        self.items = items
        self.complete = complete
        self.row: list[Configuration | None] = [None] * width

    @property
    def dead(self) -> bool:
        """Whether nothing can follow and no string may end here."""
        return not self.items and not self.complete


class AmbiguityLimitError(Exception):
    """A string has more parses than are allowed."""


class Matcher:
    """The configurations of one network, from those of its root rule on.

    Raises LimitError, here and from all methods that continue, where the parses of a string are
    more than `limits.grammar_configurations`, or on average more than a hundredth of that; and
    where the new ones of one call take longer than `limits.grammar_seconds`.
    """

    def __init__(self, rtn: Rtn, root: int, limits: Limits = DEFAULT_LIMITS) -> None:
        self.rtn = rtn
        self._classes = rtn.classes
        self._width = rtn.classes[-1] + 1
        self.limits = limits
        self._most = limits.grammar_configurations
        self._left = 0
        self.closures = EpsilonClosures(rtn)
        self.stack = Stack(self.closures, rtn.repetitions)
        self._known: dict[tuple[frozenset[Item], bool], Configuration] = {}
        self._trees: dict[int, tuple[_Branch, ...]] = {}
        self._size = 0
        self._room = _ROOM
        self._order: dict[int, int] = {}
        self._least = 0
        first = Entry()
        first.return_edges.add((_DONE, None))
        frontier = Frontier()
        frontier.complete = root in rtn.empty
        try:
            self._enter(frontier, {root: first})
            self.start = self._configuration(frontier)
        except AmbiguityLimitError as error:
            raise self._exceeded(error, 0) from None

    @property
    def steps(self) -> int:
        """How many steps through the stack were taken."""
        return self.stack.work

    def _number(self, rules: Iterable[int]) -> None:
        """Give a number to each of some rules, lower than those of the rules that it begins with.

        Rules that begin with each other have one number.
        """
        starts, order = self.rtn.starts, self._order
        pending = [rule for rule in rules if rule not in order]
        graph: dict[int, list[int]] = {}
        while pending:
            rule = pending.pop()
            if rule not in graph:
                called = [call.rule for call in self.closures.of(starts[rule]).calls]
                graph[rule] = [other for other in called if other not in order]
                pending += graph[rule]
        for component in strongly_connected_components(graph):
            self._least -= 1
            order.update(dict.fromkeys(component, self._least))

    def step(self, here: Configuration, byte: int) -> Configuration:
        """Return the configuration after reading one byte."""
        found = here.row[self._classes[byte]]
        if found is None:
            self._left = max(self._left, self._most)
            try:
                found = self._fill(here, byte)
            except AmbiguityLimitError as error:
                raise self._exceeded(error, 0) from None
        return found

    def run(self, here: Configuration, data: bytes) -> tuple[Configuration, int]:
        """Return the configuration after some bytes, and how many of them could be read."""
        self._left = _BURST * self._most
        clock: Clock | None = None
        at = 0
        try:
            for at, number in enumerate(data.translate(self._classes)):
                following = here.row[number]
                if following is None:
                    clock = clock or Clock(self.limits, "matching the text")
                    clock.check()
                    following = self._fill(here, data[at])
                if not following.items and not following.complete:
                    return here, at
                here = following
        except AmbiguityLimitError as error:
            raise self._exceeded(error, at) from None
        return here, len(data)

    def _fill(self, here: Configuration, byte: int) -> Configuration:
        """Compute the target of a byte, and with it of all bytes that have the same."""
        low, high = 0, 255
        done = self.stack.work
        targets: list[Item] = []
        moves = self.rtn.moves
        for state, node in here.items:
            for start, end, target in moves[state]:
                if byte < start:
                    high = min(high, start - 1)
                elif byte > end:
                    low = max(low, end + 1)
                else:
                    low, high = max(low, start), min(high, end)
                    targets.append((target, node))
        found = self._closed(targets)
        self._left -= len(here.items) + self.stack.work - done - self._most // 100
        if self._left < 0:
            raise AmbiguityLimitError(self._busiest(state for state, _ in here.items))
        first, last = self._classes[low], self._classes[high]
        here.row[first : last + 1] = [found] * (last + 1 - first)
        return found

    def token(
        self, here: Configuration, token: int | None, piece: bytes | None
    ) -> Configuration | None:
        """Return the configuration after one token; None if it is not allowed there."""
        targets: list[Item] = []
        for state, node in here.items:
            edge = self.rtn.token_edge(state)
            if edge:
                ref, target = edge
                named = piece == ref.text.encode() if ref.id is None else token == ref.id
                targets += [(target, node)] if named != ref.negated else []
        taken = 0
        there: Configuration | None = None
        if piece:
            end, taken = self.run(here, piece)
            there = end if taken == len(piece) else None
        found = self.joined(targets, there, taken)
        return None if found.dead else found

    def joined(
        self, items: Iterable[Item], other: Configuration | None = None, taken: int = 0
    ) -> Configuration:
        """Return the union of the closure of some states and another configuration.

        `taken` bytes lead to that.
        """
        frontier = Frontier()
        if other is not None:
            frontier.complete = other.complete
            for state, node in other.items:
                frontier.take(state, node)
        return self._bounded(items, frontier, taken)

    @property
    def bottom(self) -> Node:
        """The node of a rule below which nothing waits, as that of the root rule."""
        return self.stack.node({(_DONE, None)}, ())

    def of(self, items: Iterable[Item], *, complete: bool) -> Configuration:
        """Return the configuration of some states of which none is left or entered."""
        frontier = Frontier()
        frontier.complete = complete
        for state, node in items:
            frontier.take(state, node)
        return self._bounded((), frontier)

    def _bounded(
        self, targets: Iterable[Item], frontier: Frontier | None = None, taken: int = 0
    ) -> Configuration:
        try:
            return self._closed(targets, frontier)
        except AmbiguityLimitError as error:
            raise self._exceeded(error, taken) from None

    def _closed(self, targets: Iterable[Item], frontier: Frontier | None = None) -> Configuration:
        """The configuration of some states: with the rules that they leave and enter.

        `frontier` has the states that are there besides.
        """
        if frontier is None:
            held = frozenset(targets)
            if len(held) == 1:
                ((state, _),) = held
                if self.closures.is_still(state):
                    return self._interned(held, complete=False)  # as inside a literal
            targets, frontier = held, Frontier()
        for state, node in targets:
            frontier.follow(state, node, self.closures, self.stack)
        if not frontier.calls:
            return self._configuration(frontier)
        frontier.join(self.stack)
        entered: dict[int, Entry] = {}
        for call, node in frontier.calls.items():
            entry = entered.get(call.rule) or entered.setdefault(call.rule, Entry())
            entry.add(call.return_state, node, last=call.last)
        self._enter(frontier, entered)
        return self._configuration(frontier)

    def _configuration(self, frontier: Frontier) -> Configuration:
        frontier.join(self.stack)
        pairs = frontier.takes.items()
        repetitions = self.rtn.repetitions
        items = frozenset(
            repetitions.drop_subsumed(pairs) if repetitions and len(pairs) > 1 else pairs
        )
        if len(items) > self._most:
            raise AmbiguityLimitError(self._busiest(frontier.takes))
        return self._interned(items, complete=frontier.complete)

    def _interned(self, items: frozenset[Item], *, complete: bool) -> Configuration:
        known = self._known.get((items, complete))
        if known is None:
            if self._size + self.stack.size > self._room:
                self._forget([node for _, node in items])
            known = Configuration(items, self._width, complete=complete)
            self._known[items, complete] = known
            self._size += _COST + self._width // 4 + len(items)
        return known

    def release(self) -> None:
        """Let go of everything that was learned, so that no cycle keeps it in memory.

        For a matcher that is not used again.
        """
        for one in self._known.values():
            one.row = []
        self._known.clear()
        self.stack.release()

    def _enter(self, frontier: Frontier, entered: dict[int, Entry]) -> None:
        """Enter rules, callers first, so that each is entered once for all that wait for it."""
        if len(entered) == 1:
            ((rule, entry),) = entered.items()
            tree = self._tree(rule)
            if tree:
                self._grow(frontier, tree, self.stack.node(entry.return_edges, entry.links))
                return
        order = self._order
        self._number(entered)
        levels: dict[int, set[int]] = {}
        for rule in entered:
            levels.setdefault(order[rule], set()).add(rule)
        heap = list(levels)
        heapify(heap)
        looked = 0
        while heap:
            number = heappop(heap)
            rules = self._cycle(number, levels.pop(number), entered)
            looked += len(rules)
            if looked > len(self.rtn.names) + self._most:  # left recursion, which `parse` refuses
                raise AmbiguityLimitError(self._busiest(self.rtn.starts[rule] for rule in rules))
            for rule in rules:
                for called in self._called(rule, number, frontier, entered):
                    level = levels.get(order[called])
                    if level is None:
                        levels[order[called]] = {called}
                        heappush(heap, order[called])
                    else:
                        level.add(called)

    def _tree(self, rule: int) -> tuple[_Branch, ...]:
        """A rule and those that it begins with, callers first; none if one occurs twice.

        This is the usual case, in which there is nothing to merge.
        """
        known = self._trees.get(rule)
        if known is None:
            found: list[_Branch] = []
            pending = [(rule, -1, 0, False)]
            while pending and len(found) < _TREE:
                one, above, back, last = pending.pop()
                closure = self.closures.of(self.rtn.starts[one])
                number = len(found)
                found.append(_Branch(one, above, back, last, closure.takes))
                pending += [
                    (call.rule, number, call.return_state, call.last) for call in closure.calls
                ]
            once = len({branch.rule for branch in found}) == len(found)
            known = self._trees[rule] = tuple(found) if once and not pending else ()
        return known

    def _grow(self, frontier: Frontier, tree: tuple[_Branch, ...], root: Node) -> None:
        """Enter the rules of a tree, of which the first one has its node."""
        nodes = [root]
        for branch in tree:
            node = nodes[branch.above]
            if not branch.last and branch.above >= 0:
                node = self.stack.node({(branch.back, node)}, ())
            if branch.above >= 0:
                nodes.append(node)
            for state in branch.takes:
                frontier.take(state, node)

    def _called(
        self, rule: int, number: int, frontier: Frontier, entered: dict[int, Entry]
    ) -> Iterable[int]:
        """Enter one rule; the results are the rules that it begins with."""
        entry = entered.pop(rule)
        node = self.stack.node(entry.return_edges, entry.links)
        closure = self.closures.of(self.rtn.starts[rule])
        for taking in closure.takes:
            frontier.take(taking, node)
        for called, back, last in closure.calls:
            if not last or self._order[called] != number:
                other = entered.get(called) or entered.setdefault(called, Entry())
                other.add(back, node, last=last)
                yield called

    def _cycle(self, number: int, rules: set[int], entered: dict[int, Entry]) -> set[int]:
        """Some rules, with those that are the last of the ones before them in a cycle."""
        pending = list(rules)
        while pending:
            rule = pending.pop()
            for called, _, last in self.closures.of(self.rtn.starts[rule]).calls:
                if last and self._order[called] == number:
                    other = entered.get(called) or entered.setdefault(called, Entry())
                    if other.merge(entered[rule]):
                        rules.add(called)
                        pending.append(called)
        return rules

    def _busiest(self, states: Iterable[int]) -> str:
        """The rule that most of some states are in."""
        return Counter(map(self.rtn.rule_of, states)).most_common(1)[0][0]

    def _exceeded(self, error: AmbiguityLimitError, taken: int) -> LimitError:
        message = (
            f"too many parses of the text at once: more than {self._most:,}, or on average"
            f" more than {self._most // 100:,}, most in rule `{error}`"
        )
        if taken:
            message += f", after {taken:,} bytes"
        return limit_error("grammar_configurations", message)

    def _forget(self, held: Iterable[Node]) -> None:
        """Forget everything except for some nodes; the next time when as much again was learned."""
        for one in self._known.values():
            one.row = [None] * self._width
        self._known.clear()
        self.stack.forget(held)
        self._size = 0
        self._room = max(_ROOM, 2 * self.stack.size)


class _Branch(NamedTuple):
    """A rule that is entered where the one `above` begins, which waits for its end at `back`.

    `last`: nothing of that one is left then. `takes` are the states at which the rule begins.
    """

    rule: int
    above: int
    back: int
    last: bool
    takes: tuple[int, ...]
