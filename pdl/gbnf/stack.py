"""The rules that a text is in, for all ways to read it: a graph-structured stack (Tomita, 1985).

A node is a rule that was entered at a place of the text, shared by all that wait for its end there.
Two ways to read a text that come to the same state are one from then on: their nodes become a set.
Sets are Patricia trees of which there is only one for the same nodes (Okasaki and Gill, Fast
mergeable integer maps, 1998), so that sets which differ little share the rest. What comes of the
end of a rule is found once for each node and each part of a set, from what was found below, so that
it takes no longer where the stack is deep.

A kernel is what a state of the automaton comes to without a byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.automaton import Automaton, Call, Chains, Mark


class Kernel(NamedTuple):
    """The states that take bytes or tokens, the calls, and whether the rule may end."""

    takes: tuple[int, ...]
    calls: tuple[Call, ...]
    ends: bool


class Kernels:
    """The kernels of one automaton, each made when it is first asked for."""

    def __init__(self, automaton: Automaton) -> None:
        self._machine = automaton
        self._known: dict[int, Kernel] = {}

    def of(self, state: int) -> Kernel:
        """What a state comes to by splits, and past rules that may be empty."""
        known = self._known.get(state)
        if known is None:
            known = self._known[state] = self._made(state)
        return known

    def is_still(self, state: int) -> bool:
        """Whether a state comes to itself alone."""
        machine = self._machine
        return not (state in machine.splits or state in machine.calls or state in machine.ends)

    def _made(self, state: int) -> Kernel:
        if self.is_still(state):
            return Kernel((state,), (), ends=False)
        machine = self._machine
        splits, calls, empty = machine.splits, machine.calls, machine.empty
        takes: dict[int, None] = {}
        called: dict[Call, None] = {}
        ends = False
        seen: set[int] = set()
        rounds: dict[tuple[int, int], int] = {}
        pending = self._fresh((state,), seen, rounds)
        while pending:
            one = pending.pop()
            following = splits.get(one, ())
            if one in calls:
                call = calls[one]
                called[call] = None
                if call.rule in empty:
                    following = (*following, call.back)
            elif one in machine.ends:
                ends = True
            elif one not in splits:
                takes[one] = None  # also what nothing matches, which llama.cpp keeps as well
            if following:
                pending += self._fresh(following, seen, rounds)
        return Kernel(tuple(takes), tuple(called), ends)

    def _fresh(
        self, steps: tuple[int, ...], seen: set[int], rounds: dict[tuple[int, int], int]
    ) -> list[int]:
        """Steps that were not seen, and for which no round of a repetition stands that was."""
        chains = self._machine.chains
        found: list[int] = []
        for step in steps:
            if step not in seen:
                seen.add(step)
                marks = chains.marks(step) if chains else ()
                if not marks or _leads_on(marks, rounds):
                    found.append(step)
        return found


def _leads_on(marks: tuple[Mark, ...], rounds: dict[tuple[int, int], int]) -> bool:
    """Whether no round of a repetition was seen that stands for one with some marks."""
    for chain, place, index in marks:
        if rounds.get((chain, place), -1) > index:
            return False
    for chain, place, index in marks:
        rounds[chain, place] = index
    return True


_NONE: frozenset[Waiting] = frozenset()
_COST = 12  # of a node, in items of 40 bytes

Waiting: TypeAlias = "tuple[int, Node | None]"
"""A state to go on at, and the node of the rule that it is in; none below the root rule."""


class Node:
    """A rule that was entered, or a set of nodes.

    `waiting` are the states that wait for the end of the rule, each with the node below it. Where
    the rule was the last of another one, `links` has that one's node: what waits for it waits for
    this one as well. A set is a `bit` that tells the numbers of the two halves in `links` apart,
    and `number` the bits above that they share; a rule has no bit, and a number of its own.
    `left` is what comes of the end of the rule, None until it is asked for.
    """

    __slots__ = ("bit", "left", "links", "number", "waiting")

    def __init__(
        self, number: int, bit: int, waiting: frozenset[Waiting], links: tuple[Node, ...]
    ) -> None:
        self.number = number
        self.bit = bit
        self.waiting = waiting
        self.links = links
        self.left: Ways | None = None

    def leads(self) -> Iterator[Node]:
        """The nodes that it holds."""
        yield from self.links
        for _, below in self.waiting:
            if below is not None:
                yield below
        if self.left is not None:
            yield from self.left.takes.values()
            yield from self.left.calls.values()


class Ways:
    """States that take bytes, and calls, each with the node of its rule; all at one place.

    `complete`: the text may end here.
    """

    __slots__ = ("_joined", "calls", "complete", "takes")

    def __init__(self) -> None:
        self.takes: dict[int, Node] = {}
        self.calls: dict[Call, Node] = {}
        self.complete = False
        self._joined: dict[tuple[bool, int | Call], set[Node]] | None = None

    def take(self, state: int, node: Node) -> None:
        """Add a state that takes bytes."""
        known = self.takes.setdefault(state, node)
        if known is not node:
            self._double((False, state), known, node)

    def call(self, call: Call, node: Node) -> None:
        """Add a call."""
        known = self.calls.setdefault(call, node)
        if known is not node:
            self._double((True, call), known, node)

    def _double(self, key: tuple[bool, int | Call], one: Node, other: Node) -> None:
        if self._joined is None:
            self._joined = {}
        self._joined.setdefault(key, {one}).add(other)

    def add(self, other: Ways) -> None:
        """Add all of another place."""
        for state, node in other.takes.items():
            self.take(state, node)
        for call, node in other.calls.items():
            self.call(call, node)
        self.complete = self.complete or other.complete

    def follow(self, state: int, node: Node, kernels: Kernels, stack: Stack) -> None:
        """Add what a state comes to, through the end of its rule as well."""
        kernel = kernels.of(state)
        for taking in kernel.takes:
            self.take(taking, node)
        for call in kernel.calls:
            self.call(call, node)
        if kernel.ends:
            stack.leave(node, self)

    def join(self, stack: Stack) -> None:
        """Leave one node for each state and each call."""
        for (is_call, key), nodes in (self._joined or {}).items():
            node = stack.joined(nodes)
            assert node is not None
            if is_call:
                self.calls[key] = node  # type: ignore[index]  # a call, then
            else:
                self.takes[key] = node  # type: ignore[index]  # a state, then
        self._joined = None


class Stack:
    """The nodes of one matcher.

    `size` goes with the memory that they take, `work` with all that was done to find them.
    """

    def __init__(self, kernels: Kernels, chains: Chains) -> None:
        self._kernels = kernels
        self._chains = chains
        self._rules: dict[tuple[frozenset[Waiting], Node | None], Node] = {}
        self._sets: dict[tuple[Node, Node], Node] = {}
        self._count = 0
        self.size = 0
        self.work = 0

    def forget(self, held: Iterable[Node]) -> None:
        """Let go of all nodes but those that some nodes lead to.

        Those must stay the only ones of their kind: a second node for what has one already would
        be one more way to read the text, with all its work to be done again.
        """
        self._rules.clear()
        self._sets.clear()
        self.size = 0
        seen = set(held)
        pending = list(seen)
        while pending:
            node = pending.pop()
            self._keep(node)
            fresh = set(node.leads()) - seen
            seen |= fresh
            pending += fresh

    def release(self) -> None:
        """Let go of what comes of the ends of rules, where nodes lead to each other in circles."""
        for held in (self._rules, self._sets):
            for node in held.values():
                node.left = None
            held.clear()

    def _keep(self, node: Node) -> None:
        """Know a node again."""
        self.size += _COST + len(node.waiting)
        if node.bit:
            zero, unit = node.links
            self._sets[zero, unit] = node
        else:
            self._rules[node.waiting, node.links[0] if node.links else None] = node
        if node.left is not None:
            self.size += _COST + len(node.left.takes) + len(node.left.calls)

    def node(self, waiting: set[Waiting], links: Iterable[Node]) -> Node:
        """The node for a rule at the end of which some states wait, and those that others have."""
        link = self.joined(links)
        if not waiting:
            assert link is not None
            return link
        self.work += len(waiting)
        key = (frozenset(self._thinned(waiting) if len(waiting) > 1 else waiting), link)
        known = self._rules.get(key)
        if known is None:
            self._count += 1
            known = Node(self._count, 0, key[0], () if link is None else (link,))
            self._rules[key] = known
            self.size += _COST + len(waiting)
        return known

    def joined(self, nodes: Iterable[Node]) -> Node | None:
        """The set of some nodes; of one it is itself."""
        found: Node | None = None
        for node in nodes:
            found = node if found is None else self._union(found, node)
        return found

    def _union(self, one: Node, other: Node) -> Node:
        """The set of two; its parts are as many as the bits of a number at most."""
        if one is other:
            return one
        self.work += 1
        if one.bit < other.bit:
            one, other = other, one
        if not one.bit or (other.number & -2 * one.bit) != one.number:
            bit = 1 << (one.number ^ other.number).bit_length() - 1
            pair = (other, one) if one.number & bit else (one, other)
            return self._set(one.number & -2 * bit, bit, *pair)
        zero, unit = one.links
        if one.bit == other.bit:
            zero = self._union(zero, other.links[0])
            unit = self._union(unit, other.links[1])
        elif other.number & one.bit:
            unit = self._union(unit, other)
        else:
            zero = self._union(zero, other)
        return self._set(one.number, one.bit, zero, unit)

    def _set(self, number: int, bit: int, zero: Node, unit: Node) -> Node:
        known = self._sets.get((zero, unit))
        if known is None:
            known = self._sets[zero, unit] = Node(number, bit, _NONE, (zero, unit))
            self.size += _COST
        return known

    def _thinned(self, waiting: set[Waiting]) -> Iterable[Waiting]:
        """One node for each state to go on at, without states for which others stand."""
        below: dict[int, list[Node]] = {}
        bottom: list[Waiting] = []
        for back, node in waiting:
            if node is None:
                bottom.append((back, node))
            else:
                below.setdefault(back, []).append(node)
        pairs = [(back, self.joined(nodes)) for back, nodes in below.items()]
        return bottom + (self._chains.strongest(pairs) if self._chains else pairs)

    def leave(self, node: Node, ways: Ways) -> None:
        """Add what comes of the end of a rule to some ways."""
        if len(node.waiting) == 1 and not node.links:
            ((back, below),) = node.waiting
            if below is not None and not self._kernels.of(back).ends:
                ways.follow(back, below, self._kernels, self)  # not worth remembering
                return
        ways.add(node.left or self._left(node))

    def _left(self, node: Node) -> Ways:
        """What comes of the end of a rule, found from the ground up."""
        found = Ways()
        pending = [node]
        while pending:
            one = pending[-1]
            below = [other for other in self._below(one) if other.left is None]
            pending += below
            if not below:
                found = one.left = one.left or self._leave(one)
                pending.pop()
        return found  # of the first node, which was the last to be looked at

    def _below(self, node: Node) -> Iterable[Node]:
        """The nodes of the rules that end where this one does."""
        yield from node.links
        for back, below in node.waiting:
            if below is not None and self._kernels.of(back).ends:
                yield below

    def _leave(self, node: Node) -> Ways:
        """What comes of the end of a rule, where it is known for the nodes below."""
        found = Ways()
        for link in node.links:
            self.leave(link, found)
        for back, below in node.waiting:
            if below is None:
                found.complete = True
            else:
                found.follow(back, below, self._kernels, self)
        found.join(self)
        self.work += len(node.waiting) + len(found.takes) + len(found.calls)
        self.size += _COST + len(found.takes) + len(found.calls)
        return found
