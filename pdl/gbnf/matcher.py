"""Where a text stands in a grammar, for all ways to read it at once.

A configuration is a set of states, each with the stack under it (`pdl.gbnf.stack`), so that
ambiguity costs no exponential. Configurations are interned, and where a byte leads is looked up
once; from then on a step is one look into a list.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.limits_errors import Clock, limit_error
from pdl.gbnf.stack import Kernels, Node, Stack, Waiting, Ways
from pdl.graphs import strongly_connected_components
from pdl.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.errors import LimitError
    from pdl.gbnf.automaton import Automaton
    from pdl.gbnf.nodes import TokenRef
    from pdl.limits import Limits

_DONE = -1  # where the root rule leads
_ROOM = 3_000_000
"""What is remembered, in items of about 40 bytes; then all is forgotten."""
_TREE = 40  # rules that are entered as one
_COST = 20  # what a configuration takes beside its items and its row
_BURST = 50  # bytes at which the most ways may be open, whatever the average
# Ways are states of the text, and the steps through the stack that are taken to find them: both are
# counted, so that what is refused is the same on each machine.

Item: TypeAlias = "tuple[int, Node]"
"""A state, and the node of the rule that it is in."""


class Configuration:
    """All states in which a text may be at one place; a value that nobody changes.

    `items` are the states that take a byte or a token, with their nodes; `complete` says whether
    the text may end here. `row` is what each class of bytes leads to, None if nobody asked yet.
    """

    __slots__ = ("complete", "items", "row")

    def __init__(self, items: frozenset[Item], width: int, *, complete: bool) -> None:
        self.items = items
        self.complete = complete
        self.row: list[Configuration | None] = [None] * width

    @property
    def dead(self) -> bool:
        """Whether no text can follow and none may end here."""
        return not self.items and not self.complete


class ManyWaysError(Exception):
    """A text may be read in more ways than are allowed."""


class Matcher:
    """The configurations of one automaton, from those of its root rule on.

    Raises LimitError, here and from all methods that lead on, where the ways to read a text are
    more than `limits.grammar_configurations`, or on average more than a hundredth of that; and
    where the new ones of one call take longer than `limits.grammar_seconds`.
    """

    def __init__(self, automaton: Automaton, root: int, limits: Limits = DEFAULT_LIMITS) -> None:
        self.automaton = automaton
        self._classes = automaton.classes
        self._width = automaton.classes[-1] + 1
        self.limits = limits
        self._most = limits.grammar_configurations
        self._left = 0
        self.kernels = Kernels(automaton)
        self._stack = Stack(self.kernels, automaton.chains)
        self._known: dict[tuple[frozenset[Item], bool], Configuration] = {}
        self._trees: dict[int, tuple[_Branch, ...]] = {}
        self._size = 0
        self._room = _ROOM
        self._order = self._ordered()
        first = _Entry()
        first.waiting.add((_DONE, None))
        ways = Ways()
        ways.complete = root in automaton.empty
        try:
            self._enter(ways, {root: first})
            self.start = self._configuration(ways)
        except ManyWaysError as error:
            raise self._exceeded(error, 0) from None

    @property
    def steps(self) -> int:
        """How many steps through the stack were taken."""
        return self._stack.work

    def _ordered(self) -> list[int]:
        """A number for each rule, lower than those of the rules that it begins with."""
        starts = self.automaton.starts
        graph = {
            rule: [call.rule for call in self.kernels.of(start).calls]
            for rule, start in enumerate(starts)
        }
        order = [0] * len(starts)
        for number, component in enumerate(reversed(strongly_connected_components(graph))):
            for rule in component:
                order[rule] = number
        return order

    def step(self, here: Configuration, byte: int) -> Configuration:
        """The configuration behind one more byte."""
        found = here.row[self._classes[byte]]
        if found is None:
            self._left = max(self._left, self._most)
            try:
                found = self._fill(here, byte)
            except ManyWaysError as error:
                raise self._exceeded(error, 0) from None
        return found

    def run(self, here: Configuration, data: bytes) -> tuple[Configuration, int]:
        """The configuration behind some bytes, and how many of them could be taken."""
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
        except ManyWaysError as error:
            raise self._exceeded(error, at) from None
        return here, len(data)

    def _fill(self, here: Configuration, byte: int) -> Configuration:
        """Look up where a byte leads, and with it all bytes that lead to the same."""
        low, high = 0, 255
        done = self._stack.work
        targets: list[Item] = []
        moves = self.automaton.moves
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
        self._left -= len(here.items) + self._stack.work - done - self._most // 100
        if self._left < 0:
            raise ManyWaysError(self._busiest(state for state, _ in here.items))
        first, last = self._classes[low], self._classes[high]
        here.row[first : last + 1] = [found] * (last + 1 - first)
        return found

    def token(
        self, here: Configuration, token: int | None, piece: bytes | None
    ) -> Configuration | None:
        """The configuration behind one token; None if it cannot stand there."""
        targets: list[Item] = []
        for state, node in here.items:
            ref, target = self.automaton.tokens.get(state, (None, 0))
            if ref and self._is_token(ref, token, piece) != ref.negated:
                targets.append((target, node))
        taken = 0
        there: Configuration | None = None
        if piece:
            end, taken = self.run(here, piece)
            there = end if taken == len(piece) else None
        found = self.joined(targets, there, taken)
        return None if found.dead else found

    def after(self, state: int, node: Node) -> Configuration:
        """The configuration of a text that came to one state, in a rule that was entered once."""
        return self._bounded([(state, node)])

    def joined(
        self, items: Iterable[Item], other: Configuration | None = None, taken: int = 0
    ) -> Configuration:
        """Where some states lead without a byte, and another configuration, as one.

        `taken` bytes lead to that.
        """
        ways = Ways()
        if other is not None:
            ways.complete = other.complete
            for state, node in other.items:
                ways.take(state, node)
        return self._bounded(items, ways, taken)

    def is_still(self, state: int) -> bool:
        """Whether a state leads nowhere without a byte or a token."""
        return self.kernels.is_still(state)

    def alone(self, rule: int) -> Configuration:
        """The start of a rule below which nothing waits: it is complete where the rule may end."""
        return self.after(self.automaton.starts[rule], self.bottom)

    @property
    def bottom(self) -> Node:
        """The node of a rule below which nothing waits, as that of the root rule."""
        return self._stack.node({(_DONE, None)}, ())

    def part(self, items: Iterable[Item]) -> Configuration:
        """The configuration of some of another one's items."""
        ways = Ways()
        for state, node in items:
            ways.take(state, node)
        return self._bounded((), ways)

    def _bounded(
        self, targets: Iterable[Item], ways: Ways | None = None, taken: int = 0
    ) -> Configuration:
        try:
            return self._closed(targets, ways)
        except ManyWaysError as error:
            raise self._exceeded(error, taken) from None

    def _is_token(self, ref: TokenRef, token: int | None, piece: bytes | None) -> bool:
        if ref.id is not None:
            return token == ref.id
        return piece is not None and piece == ref.text.encode()

    def _closed(self, targets: Iterable[Item], ways: Ways | None = None) -> Configuration:
        """The configuration of some states: with the rules that they leave and enter.

        `ways` are those that lead there besides.
        """
        if ways is None:
            held = frozenset(targets)
            if len(held) == 1:
                ((state, _),) = held
                if self.kernels.is_still(state):
                    return self._interned(held, complete=False)  # as amid a literal
            targets, ways = held, Ways()
        for state, node in targets:
            ways.follow(state, node, self.kernels, self._stack)
        if not ways.calls:
            return self._configuration(ways)
        ways.join(self._stack)
        entered: dict[int, _Entry] = {}
        for call, node in ways.calls.items():
            entry = entered.get(call.rule) or entered.setdefault(call.rule, _Entry())
            entry.add(call.back, node, last=call.last)
        self._enter(ways, entered)
        return self._configuration(ways)

    def _configuration(self, ways: Ways) -> Configuration:
        ways.join(self._stack)
        pairs = ways.takes.items()
        chains = self.automaton.chains
        items = frozenset(chains.strongest(pairs) if chains and len(pairs) > 1 else pairs)
        if len(items) > self._most:
            raise ManyWaysError(self._busiest(ways.takes))
        return self._interned(items, complete=ways.complete)

    def _interned(self, items: frozenset[Item], *, complete: bool) -> Configuration:
        known = self._known.get((items, complete))
        if known is None:
            if self._size + self._stack.size > self._room:
                self._forget([node for _, node in items])
            known = Configuration(items, self._width, complete=complete)
            self._known[items, complete] = known
            self._size += _COST + self._width // 4 + len(items)
        return known

    def release(self) -> None:
        """Let go of all that was learned, so that no circle keeps it in memory.

        For a matcher that nobody will use again.
        """
        for one in self._known.values():
            one.row = []
        self._known.clear()
        self._stack.release()

    def _enter(self, ways: Ways, entered: dict[int, _Entry]) -> None:
        """Go into rules, callers first, so that each is entered once for all that wait for it."""
        if len(entered) == 1:
            ((rule, entry),) = entered.items()
            tree = self._tree(rule)
            if tree:
                self._grow(ways, tree, self._stack.node(entry.waiting, entry.links))
                return
        order = self._order
        levels: dict[int, set[int]] = {}
        for rule in entered:
            levels.setdefault(order[rule], set()).add(rule)
        heap = list(levels)
        heapify(heap)
        looked = 0
        while heap:
            number = heappop(heap)
            rules = self._circle(number, levels.pop(number), entered)
            looked += len(rules)
            if looked > len(order) + self._most:  # left recursion, which `parse` refuses
                raise ManyWaysError(self._busiest(self.automaton.starts[rule] for rule in rules))
            for rule in rules:
                for called in self._called(rule, number, ways, entered):
                    level = levels.get(order[called])
                    if level is None:
                        levels[order[called]] = {called}
                        heappush(heap, order[called])
                    else:
                        level.add(called)

    def _tree(self, rule: int) -> tuple[_Branch, ...]:
        """A rule and those that it begins with, callers first; none if one is there twice.

        So it is mostly, and nothing has to be put together.
        """
        known = self._trees.get(rule)
        if known is None:
            found: list[_Branch] = []
            pending = [(rule, -1, 0, False)]
            while pending and len(found) < _TREE:
                one, above, back, last = pending.pop()
                kernel = self.kernels.of(self.automaton.starts[one])
                number = len(found)
                found.append(_Branch(one, above, back, last, kernel.takes))
                pending += [(call.rule, number, call.back, call.last) for call in kernel.calls]
            once = len({branch.rule for branch in found}) == len(found)
            known = self._trees[rule] = tuple(found) if once and not pending else ()
        return known

    def _grow(self, ways: Ways, tree: tuple[_Branch, ...], root: Node) -> None:
        """Go into the rules of a tree, of which the first one has its node."""
        nodes = [root]
        for branch in tree:
            node = nodes[branch.above]
            if not branch.last and branch.above >= 0:
                node = self._stack.node({(branch.back, node)}, ())
            if branch.above >= 0:
                nodes.append(node)
            for state in branch.takes:
                ways.take(state, node)

    def _called(
        self, rule: int, number: int, ways: Ways, entered: dict[int, _Entry]
    ) -> Iterable[int]:
        """Enter one rule; the results are the rules that it enters at once."""
        entry = entered.pop(rule)
        node = self._stack.node(entry.waiting, entry.links)
        kernel = self.kernels.of(self.automaton.starts[rule])
        for taking in kernel.takes:
            ways.take(taking, node)
        for called, back, last in kernel.calls:
            if not last or self._order[called] != number:
                other = entered.get(called) or entered.setdefault(called, _Entry())
                other.add(back, node, last=last)
                yield called

    def _circle(self, number: int, rules: set[int], entered: dict[int, _Entry]) -> set[int]:
        """Some rules, with those that are the last of the ones before them in a circle."""
        pending = list(rules)
        while pending:
            rule = pending.pop()
            for called, _, last in self.kernels.of(self.automaton.starts[rule]).calls:
                if last and self._order[called] == number:
                    other = entered.get(called) or entered.setdefault(called, _Entry())
                    if other.merge(entered[rule]):
                        rules.add(called)
                        pending.append(called)
        return rules

    def _busiest(self, states: Iterable[int]) -> str:
        """The rule that most of some states are in."""
        return Counter(map(self.automaton.rule_of, states)).most_common(1)[0][0]

    def _exceeded(self, error: ManyWaysError, taken: int) -> LimitError:
        message = (
            "the text can be read in too many ways at once:"
            f" more than {self._most:,}, or on average"
            f" more than {self._most // 100:,}, most in rule `{error}`"
        )
        if taken:
            message += f", behind {taken:,} bytes"
        return limit_error("grammar_configurations", message)

    def _forget(self, held: Iterable[Node]) -> None:
        """Forget all but some nodes; not before there is as much again to forget the next time."""
        for one in self._known.values():
            one.row = [None] * self._width
        self._known.clear()
        self._stack.forget(held)
        self._size = 0
        self._room = max(_ROOM, 2 * self._stack.size)


class _Branch(NamedTuple):
    """A rule that is entered where the one `above` begins, which waits for its end at `back`.

    `last`: nothing of that one is left then. `takes` are the states at which the rule begins.
    """

    rule: int
    above: int
    back: int
    last: bool
    takes: tuple[int, ...]


class _Entry:
    """All that waits for the end of a rule that is entered at one place."""

    __slots__ = ("links", "waiting")

    def __init__(self) -> None:
        self.waiting: set[Waiting] = set()
        self.links: set[Node] = set()

    def add(self, back: int, node: Node, *, last: bool) -> None:
        if last:
            self.links.add(node)
        else:
            self.waiting.add((back, node))

    def merge(self, other: _Entry) -> bool:
        """Add all that waits for another rule; whether that is more."""
        size = len(self.waiting) + len(self.links)
        self.waiting |= other.waiting
        self.links |= other.links
        return len(self.waiting) + len(self.links) > size
