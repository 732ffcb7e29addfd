"""The rules of objects: a state of their machine allows some keys, each with its value.

After an opening bracket or a comma comes a key of the state; after its value a comma if more may
follow, and nothing if the object may end. The keys of a state are a `Trie`.

Where keys come in any order, most of them change nothing: they return to the state they came in.
Members with the same next states wherever they may come are a group: each state then names one rule
for all of these instead of a copy of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.build import ANYTHING
from pdl.gbnf.compiling.drafts import Choice, ProductionDraft, Repeat, joined, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives
    from pdl.gbnf.compiling.json_strings import JsonStringEncoder
    from pdl.gbnf.compiling.machine import Machine, Member
    from pdl.gbnf.compiling.productions import Productions


_STATES = 3
"""In how many states members must come to be worth a rule."""


Name: TypeAlias = "tuple[str | int, Conjunction]"
"""A member, by its key, or by the id of the automaton of its keys, and its goal."""


def name(member: Member) -> Name:
    """The identity of a member; automata are equal only if they are the same object."""
    return member.key if isinstance(member.key, str) else id(member.key), member.goal


def groups(machine: Machine[Member]) -> dict[Name, tuple[Member, ...]]:
    """All members of its group for each member that has one."""
    if len(machine.edges) < _STATES or not any(map(_has_loops, range(_STATES), machine.edges)):
        return {}
    places: defaultdict[Name, list[tuple[int, int]]] = defaultdict(list)
    members: dict[Name, Member] = {}
    for state, row in enumerate(machine.edges):
        for member, target in row:
            one = name(member)
            places[one].append((state, target))
            members.setdefault(one, member)
    goals = Counter(key for key, _ in members)
    together: defaultdict[tuple[tuple[int, int], ...], list[Member]] = defaultdict(list)
    for one, where in places.items():
        if goals[one[0]] == 1 and len(where) >= _STATES:  # values of others are told from its own
            together[tuple(where)].append(members[one])
    found = [tuple(group) for group in together.values() if len(group) > 1]
    return {name(member): group for group in found for member in group}


def _has_loops(state: int, row: tuple[tuple[Member, int], ...]) -> bool:
    """Whether a state has several self-loops."""
    return [target for _, target in row].count(state) > 1


_Edge: TypeAlias = "tuple[Member, int]"
_Edges: TypeAlias = "tuple[_Edge, ...]"


class ObjectRules:
    """Makes the rules of one machine."""

    def __init__(self, machine: Machine[Member], wish: str, goals: Productions) -> None:
        self._machine = machine
        self._wish = short(wish)
        self._goals = goals
        self._spacing = goals.spacing
        self._tries = Tries(goals.encoder, self._wish)
        self._trie: dict[int, Trie] = {}
        self._members: dict[int, ProductionDraft] = {}
        self._rest: dict[int, ProductionDraft] = {}
        self._waiting: list[int] = []
        self._groups = groups(machine)
        self._shared: dict[int, ProductionDraft] = {}

    def rows(self) -> Alternatives:
        """The alternatives of the object."""
        first = self._first()
        while self._waiting:
            state = self._waiting.pop()
            self._members[state].rows = self._allowed(state)
        return (joined("{", self._spacing.opened, first, "}"),)

    def _first(self) -> Alternative:
        edges = self._machine.edges[0]
        if not edges:
            return ()
        if len(edges) == 1 and edges[0][1] == 0:
            row = joined(self._repeated(edges[0][0]), self._spacing.closing)
        else:
            row = joined(self._member(0), self._spacing.closing)
        if 0 not in self._machine.accepting:
            return row
        return (ProductionDraft(self._wish, (row, ())),)

    def _repeated(self, member: Member) -> Alternative:
        """One kind of member, as often as it likes."""
        if member.key == ANYTHING:
            goal = self._goals.goal(member.goal)
            one = joined(self._goals.string, self._spacing.colon, goal, self._spacing.after)
        else:
            one = joined('"', self._members_of((member,)), self._spacing.after)
        return joined(one, Repeat(Choice((joined(self._spacing.comma, one),)), 0, None))

    def _member(self, state: int) -> ProductionDraft:
        """A member that may come in a state, and all that follow."""
        found = self._members.get(state)
        if found is None:
            found = self._members[state] = ProductionDraft(f"{self._wish}-members")
            self._waiting.append(state)
        return found

    def _after(self, state: int) -> Alternative:
        """What follows a value that leads to a state."""
        if not self._machine.edges[state]:
            return self._spacing.after
        more = joined(self._spacing.comma, self._member(state))
        if state not in self._machine.accepting:
            return joined(self._spacing.after, more)
        if state not in self._rest:
            self._rest[state] = ProductionDraft(f"{self._wish}-rest", (more, ()))
        return joined(self._spacing.after, self._rest[state])

    def _allowed(self, state: int) -> Alternatives:
        edges = self._machine.edges[state]
        if len(edges) == 1 and edges[0][0].key == ANYTHING:
            return (joined(self._goals.string, self._value(edges)),)
        self._members[state].glue = True
        return (('"', self._trie_of(state).draft),)

    def _trie_of(self, state: int) -> Trie:
        """The keys of a state, each with what follows.

        Where it has only one key more than the state after that key, it is made of that one's.
        """
        chain: dict[int, _Edge] = {}
        while (found := self._trie.get(state)) is None:
            edge = self._first_more(state)
            if edge is None or edge[1] in chain:
                found = self._trie[state] = self._fresh(self._machine.edges[state])
                break
            chain[state] = edge
            state = edge[1]
        for one, edge in reversed(chain.items()):
            found = self._tries.with_key(found, str(edge[0].key), self._value((edge,)))
            self._trie[one] = found
        return found

    def _first_more(self, state: int) -> _Edge | None:
        """The first edge of a state, if all others are those of the state that it leads to."""
        row = self._machine.edges[state]
        member, target = row[0]
        others = self._machine.edges[target]
        if len(row) == 1 or len(others) != len(row) - 1 or row[1:] != others:
            return None
        if not isinstance(member.key, str) or name(member) in self._groups:
            return None
        return None if any(other.key == member.key for other, _ in others) else row[0]

    def _fresh(self, edges: _Edges) -> Trie:
        """The keys of some edges, each with what follows."""
        listed: dict[str, list[_Edge]] = {}
        others: dict[Dfa, list[_Edge]] = {}
        shared: dict[int, Alternative] = {}
        for edge in edges:
            key, group = edge[0].key, self._groups.get(name(edge[0]))
            if group is not None:
                shared.setdefault(id(group), (self._group(group), *self._after(edge[1])))
            elif isinstance(key, str):
                listed.setdefault(key, []).append(edge)
            else:
                others.setdefault(key, []).append(edge)
        rows: Alternatives = tuple(shared.values())
        if others:
            told = [(key, joined('"', self._value(tuple(same)))) for key, same in others.items()]
            rows += self._goals.texts(told, "key")
        trie = Trie.of(rows, f"{self._wish}-more")
        for key, same in reversed(listed.items()):
            trie = self._tries.with_key(trie, key, self._value(tuple(same)))
        return trie

    def _group(self, group: tuple[Member, ...]) -> ProductionDraft:
        """The rule of a member of a group with its value, but not what follows."""
        found = self._shared.get(id(group))
        if found is None:
            found = self._shared[id(group)] = self._members_of(group)
        return found

    def _members_of(self, group: tuple[Member, ...]) -> ProductionDraft:
        rows: Alternatives = ()
        told = [
            (member.key, joined('"', self._spacing.colon, self._goals.goal(member.goal)))
            for member in group
            if not isinstance(member.key, str)
        ]
        if told:
            rows = self._goals.texts(told, "key")
        trie = Trie.of(rows, f"{self._wish}-more")
        for member in reversed(group):
            if isinstance(member.key, str):
                row = joined(self._spacing.colon, self._goals.goal(member.goal))
                trie = self._tries.with_key(trie, member.key, row)
        trie.draft.wish = f"{self._wish}-optional"
        return trie.draft

    def _value(self, edges: _Edges) -> Alternative:
        """What follows a key: the values that it may have, each with all that may come then."""
        pairs: list[tuple[Conjunction, Alternative]] = [
            (member.goal, self._after(target)) for member, target in edges
        ]
        return joined(self._spacing.colon, self._goals.values(pairs, self._wish))


_NEAR = 5
"""How many branches are written again for one among them that is replaced."""
_END = "\udfff"
"""Ends each word: no key has it, so that no word begins another one."""


@dataclass(frozen=True, slots=True, eq=False)
class TrieEdge:
    """A label, and what follows: the row after a word that has ended, or more edges.

    `draft` is the rule of both.
    """

    label: str
    follow: Alternative | Trie
    draft: ProductionDraft


@dataclass(frozen=True, slots=True, eq=False)
class Fork:
    """Edges whose first characters do not have a bit, and those whose characters have it.

    In all higher bits these are alike.
    """

    bit: int
    left: CritBitTree
    right: CritBitTree
    draft: ProductionDraft


CritBitTree: TypeAlias = "TrieEdge | Fork"


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """Keys after their opening quote, each with what follows; a value that shares its branches.

    With one more key, most of a trie stays as it is. The states of an object in which keys come in
    order allow one key less from one to the next, so that all their tries together are little more
    than one.

    The edges have different first characters, `chars`. A few are a chain: `own` come before those
    of `more`. Where one of many is replaced, they become a tree over the bits of their characters,
    in which all but the path to one edge stays (a crit-bit tree). `rest` are the rows of keys that
    are not listed; `draft` is the rule of all.
    """

    own: tuple[TrieEdge, ...]
    more: Trie | None
    tree: CritBitTree | None
    rest: ProductionDraft | None
    chars: frozenset[str]
    draft: ProductionDraft

    @classmethod
    def of(cls, rest: Alternatives, wish: str) -> Trie:
        """No keys, but perhaps other rows."""
        draft = ProductionDraft(wish, rest)
        return cls((), None, None, draft if rest else None, frozenset(), draft)

    def find(self, char: str) -> TrieEdge | None:
        """The edge of a character, if there is one."""
        if char not in self.chars:
            return None
        if self.tree is not None:
            return _nearest(self.tree, char)
        return next(edge for edge in self._chain() if edge.label[0] == char)

    def with_edge(self, edge: TrieEdge, wish: str) -> Trie:
        """The same with one edge more, or with another one for its character."""
        char = edge.label[0]
        if self.tree is not None:
            return self._planted(_put(self.tree, edge), self.chars | {char}, wish)
        if char not in self.chars:
            return _linked((edge,), self, wish)
        before: list[TrieEdge] = []
        link = self
        while not any(one.label[0] == char for one in link.own):
            before += link.own
            assert link.more is not None
            link = link.more
        others = [one for one in (*before, *link.own) if one.label[0] != char]
        if len(others) < _NEAR:
            assert link.more is not None
            return _linked((edge, *others), link.more, wish)
        tree: CritBitTree = edge
        for one in self._chain():
            if one.label[0] != char:
                tree = _put(tree, one)
        return self._planted(tree, self.chars, wish)

    def _chain(self) -> Iterator[TrieEdge]:
        link: Trie | None = self
        while link is not None:
            yield from link.own
            link = link.more

    def _planted(self, tree: CritBitTree, chars: frozenset[str], wish: str) -> Trie:
        rows: Alternatives = ((tree.draft,),)
        if self.rest is not None:
            rows += ((self.rest,),)
        return Trie((), None, tree, self.rest, chars, ProductionDraft(wish, rows))


def _linked(own: tuple[TrieEdge, ...], more: Trie, wish: str) -> Trie:
    rows: Alternatives = tuple((edge.draft,) for edge in own)
    if more.draft.rows:
        rows += ((more.draft,),)
    chars = more.chars.union(edge.label[0] for edge in own)
    return Trie(own, more, None, more.rest, chars, ProductionDraft(wish, rows))


def _nearest(tree: CritBitTree, char: str) -> TrieEdge:
    """The edge of a character, or one that is like it in the highest bits."""
    code = ord(char)
    while isinstance(tree, Fork):
        tree = tree.right if code & tree.bit else tree.left
    return tree


def _put(tree: CritBitTree, edge: TrieEdge) -> CritBitTree:
    """A tree with one more edge, or with another one for its character."""
    code = ord(edge.label[0])
    differ = code ^ ord(_nearest(tree, edge.label[0]).label[0])
    highest = 1 << differ.bit_length() >> 1
    path: list[Fork] = []
    while isinstance(tree, Fork) and tree.bit > highest:
        path.append(tree)
        tree = tree.right if code & tree.bit else tree.left
    made: CritBitTree = edge
    if highest:
        made = _forked(highest, tree, made, code)
    for fork in reversed(path):
        made = _forked(fork.bit, fork.left if code & fork.bit else fork.right, made, code)
    return made


def _forked(bit: int, other: CritBitTree, tree: CritBitTree, code: int) -> Fork:
    """A tree of two; `code` is a character of the second one."""
    left, right = (other, tree) if code & bit else (tree, other)
    draft = ProductionDraft(tree.draft.wish, ((left.draft,), (right.draft,)))
    return Fork(bit, left, right, draft)


@dataclass(frozen=True)
class Tries:
    """Makes tries for one object; their rules are named after it."""

    encoder: JsonStringEncoder
    wish: str

    def with_key(self, trie: Trie, key: str, row: Alternative) -> Trie:
        """A trie with one more key, which is not in it yet."""
        word = key + _END
        path: list[tuple[str, Trie]] = []
        while (edge := trie.find(word[0])) is not None:
            shared = len(commonprefix((edge.label, word)))  # noqa: RUF071 - of characters
            path.append((word[:shared], trie))
            word = word[shared:]
            if shared < len(edge.label):
                rest = self._edge(edge.label[shared:], edge.follow)
                trie = Trie.of((), "").with_edge(rest, self.wish)
                break
            assert isinstance(edge.follow, Trie)  # no word begins another one
            trie = edge.follow
        made = trie.with_edge(self._edge(word, row), self.wish)
        for label, above in reversed(path):
            edge = self._edge(label, made)
            made.draft.wish = f"{self.wish}-{key[: len(key) + 1 - len(word)]}"
            word = label + word
            made = above.with_edge(edge, self.wish)
        made.draft.wish = f"{self.wish}-from-{key}"
        return made

    def _edge(self, label: str, follow: Alternative | Trie) -> TrieEdge:
        if isinstance(follow, Trie):
            row = joined(self.encoder.text(label, self.wish), follow.draft)
        else:
            row = joined(self.encoder.text(label[:-1], self.wish), '"', follow)
        return TrieEdge(label, follow, ProductionDraft(self.wish, (row,)))
