"""Where a text stands in a grammar, for all ways to read it at once.

A configuration is a set of states, each with the stack under it. Stacks are linked nodes, one for
each rule that was entered at a place of the text, shared by all that wait for its end there (a
graph-structured stack: Tomita, 1985): two ways to read a text that come to the same rule at the
same place are one from then on, so that ambiguity costs no exponential. Nodes and configurations
are interned, and where a byte leads is looked up once; from then on a step is one look into a list.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.graphs import knots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.automaton import Automaton
    from pdl.gbnf.nodes import TokenRef

_DONE = -1  # where the root rule leads
_KEPT = 30_000  # configurations whose steps are remembered; then all are forgotten


class Node:
    """A rule that was entered: the states that wait for its end, each with the node below it.

    Where the rule was the last of another one, `links` has that one's node: what waits for it waits
    for this one as well. Sets of those would grow with the text where a grammar is ambiguous.
    """

    __slots__ = ("links", "waiting")

    def __init__(self, waiting: frozenset[Waiting], links: frozenset[Node]) -> None:
        self.waiting = waiting
        self.links = links


Waiting: TypeAlias = "tuple[int, Node | None]"
"""A state to go on at, and the node of the rule that it is in; none below the root rule."""

Item: TypeAlias = "tuple[int, Node]"
"""A state, and the node of the rule that it is in."""


class Kernel(NamedTuple):
    """What a state comes to without a byte: the states that take bytes or tokens, and the calls."""

    takes: tuple[int, ...]
    calls: tuple[tuple[int, int, bool], ...]
    ends: bool


class Configuration:
    """All states in which a text may be at one place; a value that nobody changes.

    `items` are the states that take a byte or a token, with their nodes; `complete` says whether
    the text may end here. `row` is what each byte leads to, None where nobody has asked yet.
    """

    __slots__ = ("complete", "items", "row")

    def __init__(self, items: frozenset[Item], *, complete: bool) -> None:
        self.items = items
        self.complete = complete
        self.row: list[Configuration | None] = [None] * 256

    @property
    def dead(self) -> bool:
        """Whether no text can follow and none may end here."""
        return not self.items and not self.complete


class Matcher:
    """The configurations of one automaton, from those of its root rule on."""

    def __init__(self, automaton: Automaton, root: int) -> None:
        self.automaton = automaton
        self._kernels: dict[int, Kernel] = {}
        self._nodes: dict[tuple[frozenset[Waiting], frozenset[Node]], Node] = {}
        self._known: dict[tuple[frozenset[Item], bool], Configuration] = {}
        self._order = self._ordered()
        items: dict[Item, None] = {}
        first = _Entry()
        first.waiting.add((_DONE, None))
        self._enter(items, {root: first})
        self.start = self._configuration(frozenset(items), complete=root in automaton.empty)

    def _ordered(self) -> list[int]:
        """A number for each rule, lower than those of the rules that it begins with."""
        starts = self.automaton.starts
        graph = {
            rule: [call[0] for call in self.kernel(start).calls]
            for rule, start in enumerate(starts)
        }
        order = [0] * len(starts)
        for number, knot in enumerate(reversed(knots(graph))):
            for rule in knot:
                order[rule] = number
        return order

    def step(self, here: Configuration, byte: int) -> Configuration:
        """The configuration behind one more byte."""
        found = here.row[byte]
        return self._fill(here, byte) if found is None else found

    def run(self, here: Configuration, data: bytes) -> tuple[Configuration, int]:
        """The configuration behind some bytes, and how many of them could be taken."""
        for at, byte in enumerate(data):
            following = here.row[byte]
            if following is None:
                following = self._fill(here, byte)
            if not following.items and not following.complete:
                return here, at
            here = following
        return here, len(data)

    def kernel(self, state: int) -> Kernel:
        """What a state comes to by splits alone."""
        known = self._kernels.get(state)
        if known is None:
            known = self._kernels[state] = self._kernel(state)
        return known

    def _kernel(self, state: int) -> Kernel:
        machine = self.automaton
        takes: dict[int, None] = {}
        calls: dict[tuple[int, int, bool], None] = {}
        ends = False
        seen = {state}
        pending = [state]
        while pending:
            one = pending.pop()
            following = list(machine.splits.get(one, ()))
            if one in machine.calls:
                call = machine.calls[one]
                calls[call] = None
                following += [call.back] if call.rule in machine.empty else []
            elif one in machine.ends:
                ends = True
            elif one not in machine.splits:
                takes[one] = None  # also what nothing matches, which llama.cpp keeps as well
            pending += [step for step in following if step not in seen]
            seen.update(following)
        return Kernel(tuple(takes), tuple(calls), ends)

    def _fill(self, here: Configuration, byte: int) -> Configuration:
        """Look up where a byte leads, and with it all bytes that lead to the same."""
        low, high = 0, 255
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
        found = self.closed(targets)
        here.row[low : high + 1] = [found] * (high + 1 - low)
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
        found = self.closed(targets)
        if piece:
            there, taken = self.run(here, piece)
            if taken == len(piece):
                complete = found.complete or there.complete
                found = self._configuration(found.items | there.items, complete=complete)
        return None if found.dead else found

    def _is_token(self, ref: TokenRef, token: int | None, piece: bytes | None) -> bool:
        if ref.id is not None:
            return token == ref.id
        return piece is not None and piece == ref.text.encode()

    def closed(self, targets: Iterable[Item]) -> Configuration:
        """The configuration of some states: with the rules that they leave and enter."""
        items: dict[Item, None] = {}
        entered: dict[int, _Entry] = {}
        complete = self._leave(targets, items, entered)
        self._enter(items, entered)
        return self._configuration(frozenset(items), complete=complete)

    def _configuration(self, items: frozenset[Item], *, complete: bool) -> Configuration:
        known = self._known.get((items, complete))
        if known is None:
            if len(self._known) >= _KEPT:
                self._forget()
            known = Configuration(items, complete=complete)
            self._known[items, complete] = known
        return known

    def _leave(
        self, targets: Iterable[Item], items: dict[Item, None], entered: dict[int, _Entry]
    ) -> bool:
        """Follow states to where they take bytes, through the ends of their rules."""
        complete = False
        pending = list(targets)
        seen = set(pending)
        left: set[Node] = set()
        while pending:
            state, node = pending.pop()
            kernel = self.kernel(state)
            for taking in kernel.takes:
                items[taking, node] = None
            for rule, back, last in kernel.calls:
                entry = entered.get(rule) or entered.setdefault(rule, _Entry())
                entry.add(back, node, last=last)
            for back, below in _released(node, left) if kernel.ends else ():
                if below is None:
                    complete = True
                elif (back, below) not in seen:
                    seen.add((back, below))
                    pending.append((back, below))
        return complete

    def _enter(self, items: dict[Item, None], entered: dict[int, _Entry]) -> None:
        """Go into rules, callers first, so that each is entered once for all that wait for it."""
        starts, order = self.automaton.starts, self._order
        heap = [(order[rule], rule) for rule in entered]
        heapify(heap)
        waits = set(entered)
        while heap:
            number, rule = heappop(heap)
            waits.discard(rule)
            entry = entered[rule]
            node = self._node(entry)
            kernel = self.kernel(starts[rule])
            for taking in kernel.takes:
                items[taking, node] = None
            for called, back, last in kernel.calls:
                other = entered.get(called) or entered.setdefault(called, _Entry())
                size = other.size
                if last and order[called] == number:
                    other.merge(entry)  # a circle of rules, each the last of the one before it
                else:
                    other.add(back, node, last=last)
                if other.size > size and called not in waits:
                    waits.add(called)
                    heappush(heap, (order[called], called))

    def _node(self, entry: _Entry) -> Node:
        if not entry.waiting and len(entry.links) == 1:
            return next(iter(entry.links))
        key = (frozenset(entry.waiting), frozenset(entry.links))
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = Node(*key)
        return known

    def _forget(self) -> None:
        for one in self._known.values():
            one.row = [None] * 256
        self._known.clear()
        self._nodes.clear()


class _Entry:
    """All that waits for the end of a rule that is entered at one place."""

    __slots__ = ("links", "waiting")

    def __init__(self) -> None:
        self.waiting: set[Waiting] = set()
        self.links: set[Node] = set()

    @property
    def size(self) -> int:
        return len(self.waiting) + len(self.links)

    def add(self, back: int, node: Node, *, last: bool) -> None:
        if last:
            self.links.add(node)
        else:
            self.waiting.add((back, node))

    def merge(self, other: _Entry) -> None:
        self.waiting |= other.waiting
        self.links |= other.links


def _released(node: Node, left: set[Node]) -> Iterator[Waiting]:
    """All that waits for the end of a rule, unless it was left before."""
    pending = [node]
    while pending:
        one = pending.pop()
        if one not in left:
            left.add(one)
            yield from one.waiting
            pending += one.links
