"""The rules that a string is in, for all parses at once: a graph-structured stack (Tomita, 1985).

A node is a rule that was entered at a position of the string, shared by all that wait for its end
there. Two parses that reach the same state are one from then on: their nodes become a set. Sets are
Patricia trees of which there is only one for the same nodes (Okasaki and Gill, Fast mergeable
integer maps, 1998), so sets that differ little share the rest. The frontier after the end of a rule
is computed once for each node and each part of a set, from what was found below, so it takes no
longer where the stack is deep.

An epsilon closure is what a state of the network reaches without a byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.edges import CallEdge
    from pdl.gbnf.repetitions import CountedRepetitions, Mark
    from pdl.gbnf.rtn import Rtn


class EpsilonClosure(NamedTuple):
    """The states that take bytes or tokens, the calls, and whether the rule may end."""

    takes: tuple[int, ...]
    calls: tuple[CallEdge, ...]
    ends: bool


class EpsilonClosures:
    """The closures of one network, each made when it is first asked for."""

    def __init__(self, rtn: Rtn) -> None:
        self._machine = rtn
        self._known: dict[int, EpsilonClosure] = {}

    def of(self, state: int) -> EpsilonClosure:
        """The epsilon closure of a state, past nullable rules as well."""
        known = self._known.get(state)
        if known is None:
            known = self._known[state] = self._made(state)
        return known

    def is_still(self, state: int) -> bool:
        """Whether the closure of a state is the state itself."""
        machine = self._machine
        if machine.moves[state]:
            return True
        return not (state in machine.splits or state in machine.calls or state in machine.ends)

    def _made(self, state: int) -> EpsilonClosure:
        if self.is_still(state):
            return EpsilonClosure((state,), (), ends=False)
        machine = self._machine
        moves, splits, calls, empty = machine.moves, machine.splits, machine.calls, machine.empty
        takes: dict[int, None] = {}
        called: dict[CallEdge, None] = {}
        ends = False
        seen: set[int] = set()
        rounds: dict[tuple[int, int], int] = {}
        pending = self._fresh((state,), seen, rounds)
        while pending:
            one = pending.pop()
            if moves[one]:
                takes[one] = None
                continue
            following = splits.get(one, ())
            if one in calls:
                call = calls[one]
                called[call] = None
                if call.rule in empty:
                    following = (*following, call.return_state)
            elif one in machine.ends:
                ends = True
            elif one not in splits:
                takes[one] = None  # also what nothing matches, which llama.cpp keeps as well
            if following:
                pending += self._fresh(following, seen, rounds)
        return EpsilonClosure(tuple(takes), tuple(called), ends)

    def _fresh(
        self, steps: tuple[int, ...], seen: set[int], rounds: dict[tuple[int, int], int]
    ) -> list[int]:
        """Steps that were not seen, and that no step which was seen subsumes."""
        repetitions = self._machine.repetitions
        found: list[int] = []
        for step in steps:
            if step not in seen:
                seen.add(step)
                marks = repetitions.marks(step) if repetitions else ()
                if not marks or _leads_on(marks, rounds):
                    found.append(step)
        return found


def _leads_on(marks: tuple[Mark, ...], rounds: dict[tuple[int, int], int]) -> bool:
    """Whether no state was seen that subsumes one with some marks."""
    for end, place, index in marks:
        if rounds.get((end, place), -1) > index:
            return False
    for end, place, index in marks:
        rounds[end, place] = index
    return True


_NONE: frozenset[ReturnEdge] = frozenset()
_COST = 12  # of a node, in items of 40 bytes

ReturnEdge: TypeAlias = "tuple[int, Node | None]"
"""A state to continue at, and the node of the rule that it is in; none below the root rule."""


class Node:
    """A rule that was entered, or a set of nodes.

    `return_edges` are the states that wait for the end of the rule, each with the node below it.
    Where the rule was the last of another one, `links` has that one's node: what waits for it waits
    for this one, too. A set is a `bit` that distinguishes the numbers of the two halves in `links`,
    and `number` the bits above that they share; a rule has no bit, and a number of its own.
    `left` is the frontier after the end of the rule, None until it is asked for.
    """

    __slots__ = ("bit", "left", "links", "number", "return_edges")

    def __init__(
        self, number: int, bit: int, return_edges: frozenset[ReturnEdge], links: tuple[Node, ...]
    ) -> None:
        self.number = number
        self.bit = bit
        self.return_edges = return_edges
        self.links = links
        self.left: Frontier | None = None

    def leads(self) -> Iterator[Node]:
        """The nodes that it refers to."""
        yield from self.links
        for _, below in self.return_edges:
            if below is not None:
                yield below
        if self.left is not None:
            yield from self.left.takes.values()
            yield from self.left.calls.values()


class Frontier:
    """States that read bytes, and calls, each with the node of its rule; all at one position.

    `complete`: the string may end here.
    """

    __slots__ = ("_joined", "calls", "complete", "takes")

    def __init__(self) -> None:
        self.takes: dict[int, Node] = {}
        self.calls: dict[CallEdge, Node] = {}
        self.complete = False
        self._joined: dict[tuple[bool, int | CallEdge], set[Node]] | None = None

    def take(self, state: int, node: Node) -> None:
        """Add a state that reads bytes."""
        known = self.takes.setdefault(state, node)
        if known is not node:
            self._double((False, state), known, node)

    def call(self, call: CallEdge, node: Node) -> None:
        """Add a call."""
        known = self.calls.setdefault(call, node)
        if known is not node:
            self._double((True, call), known, node)

    def _double(self, key: tuple[bool, int | CallEdge], one: Node, other: Node) -> None:
        if self._joined is None:
            self._joined = {}
        self._joined.setdefault(key, {one}).add(other)

    def add(self, other: Frontier) -> None:
        """Add everything of another frontier."""
        for state, node in other.takes.items():
            self.take(state, node)
        for call, node in other.calls.items():
            self.call(call, node)
        self.complete = self.complete or other.complete

    def follow(self, state: int, node: Node, closures: EpsilonClosures, stack: Stack) -> None:
        """Add what a state reaches without a byte, through the end of its rule as well."""
        closure = closures.of(state)
        for taking in closure.takes:
            self.take(taking, node)
        for call in closure.calls:
            self.call(call, node)
        if closure.ends:
            stack.leave(node, self)

    def join(self, stack: Stack) -> None:
        """Keep one node for each state and each call."""
        for (is_call, key), nodes in (self._joined or {}).items():
            node = stack.joined(nodes)
            assert node is not None
            if is_call:
                self.calls[key] = node  # type: ignore[index]  # a call, then
            else:
                self.takes[key] = node  # type: ignore[index]  # a state, then
        self._joined = None


class Entry:
    """Everything that waits for the end of a rule that is entered at one position."""

    __slots__ = ("links", "return_edges")

    def __init__(self) -> None:
        self.return_edges: set[ReturnEdge] = set()
        self.links: set[Node] = set()

    def add(self, back: int, node: Node, *, last: bool) -> None:
        """Add a state to continue at, or the node of a rule that ends with this one."""
        if last:
            self.links.add(node)
        else:
            self.return_edges.add((back, node))

    def merge(self, other: Entry) -> bool:
        """Add everything that waits for another rule; returns whether that is more."""
        size = len(self.return_edges) + len(self.links)
        self.return_edges |= other.return_edges
        self.links |= other.links
        return len(self.return_edges) + len(self.links) > size


class Stack:
    """The nodes of one matcher.

    `size` grows with the memory that they take, `work` with everything that was done to find them.
    """

    def __init__(self, closures: EpsilonClosures, repetitions: CountedRepetitions) -> None:
        self._kernels = closures
        self._repetitions = repetitions
        self._rules: dict[tuple[frozenset[ReturnEdge], Node | None], Node] = {}
        self._sets: dict[tuple[Node, Node], Node] = {}
        self._count = 0
        self.size = 0
        self.work = 0

    def forget(self, held: Iterable[Node]) -> None:
        """Let go of all nodes except for those that some nodes lead to.

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
        """Let go of the frontiers after rules, through which nodes refer to each other."""
        for held in (self._rules, self._sets):
            for node in held.values():
                node.left = None
            held.clear()

    def _keep(self, node: Node) -> None:
        """Know a node again."""
        self.size += _COST + len(node.return_edges)
        if node.bit:
            zero, unit = node.links
            self._sets[zero, unit] = node
        else:
            self._rules[node.return_edges, node.links[0] if node.links else None] = node
        if node.left is not None:
            self.size += _COST + len(node.left.takes) + len(node.left.calls)

    def node(self, return_edges: set[ReturnEdge], links: Iterable[Node]) -> Node:
        """The node for a rule at the end of which some states wait, and those of other nodes."""
        link = self.joined(links)
        if not return_edges:
            assert link is not None
            return link
        self.work += len(return_edges)
        edges = self._thinned(return_edges) if len(return_edges) > 1 else return_edges
        key = (frozenset(edges), link)
        known = self._rules.get(key)
        if known is None:
            self._count += 1
            known = Node(self._count, 0, key[0], () if link is None else (link,))
            self._rules[key] = known
            self.size += _COST + len(return_edges)
        return known

    def joined(self, nodes: Iterable[Node]) -> Node | None:
        """The set of some nodes; of one it is itself."""
        found: Node | None = None
        for node in nodes:
            found = node if found is None else self._union(found, node)
        return found

    def _union(self, one: Node, other: Node) -> Node:
        """The union of two; its parts are at most as many as the bits of a number."""
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

    def _thinned(self, return_edges: set[ReturnEdge]) -> Iterable[ReturnEdge]:
        """One node for each state to continue at, without states that others subsume."""
        below: dict[int, list[Node]] = {}
        bottom: list[ReturnEdge] = []
        for back, node in return_edges:
            if node is None:
                bottom.append((back, node))
            else:
                below.setdefault(back, []).append(node)
        pairs = [(back, self.joined(nodes)) for back, nodes in below.items()]
        return bottom + (self._repetitions.drop_subsumed(pairs) if self._repetitions else pairs)

    def leave(self, node: Node, frontier: Frontier) -> None:
        """Add the frontier after the end of a rule to another one."""
        if len(node.return_edges) == 1 and not node.links:
            ((back, below),) = node.return_edges
            if below is not None and not self._kernels.of(back).ends:
                frontier.follow(back, below, self._kernels, self)  # not worth remembering
                return
        frontier.add(node.left or self._left(node))

    def _left(self, node: Node) -> Frontier:
        """The frontier after the end of a rule, computed from the ground up."""
        found = Frontier()
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
        for back, below in node.return_edges:
            if below is not None and self._kernels.of(back).ends:
                yield below

    def _leave(self, node: Node) -> Frontier:
        """The frontier after the end of a rule, where it is known for the nodes below."""
        found = Frontier()
        for link in node.links:
            self.leave(link, found)
        for back, below in node.return_edges:
            if below is None:
                found.complete = True
            else:
                found.follow(back, below, self._kernels, self)
        found.join(self)
        self.work += len(node.return_edges) + len(found.takes) + len(found.calls)
        self.size += _COST + len(found.takes) + len(found.calls)
        return found
