"""The rules of objects: a state of their machine allows some keys, each with its value.

After an opening bracket, or after a comma, stands a key of the state; after its value a comma if
more may follow, and nothing if the object may end.

Where keys come in any order, most of them change nothing: they lead back to the state they came in.
Members that lead to the same states wherever they may come are a group: what each state needs is
then one rule for all of these, not a copy of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.build import ANYTHING
from pdl.gbnf.compiling.emission.drafts import Choice, ProductionDraft, Repeat, joined
from pdl.gbnf.compiling.emission.key_tries import Trie, Tries
from pdl.gbnf.compiling.rule_names import short

if TYPE_CHECKING:
    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.compiling.emission.drafts import Alternative, Alternatives
    from pdl.gbnf.compiling.emission.productions import Productions
    from pdl.gbnf.compiling.machine import Machine, Member


_STATES = 3
"""In how many states members must come to be worth a rule."""


Name: TypeAlias = "tuple[str | int, Conjunction]"
"""A member, by its key, or by the id of the automaton of its keys, and its goal."""


def name(member: Member) -> Name:
    """What tells a member from others; automata are equal only if they are the same object."""
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
    """Whether several members lead back to a state."""
    return [target for _, target in row].count(state) > 1


_Edge: TypeAlias = "tuple[Member, int]"
_Edges: TypeAlias = "tuple[_Edge, ...]"


class Objects:
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
            one = joined(self._goals.string, self._spacing.colon, goal, self._spacing.behind)
        else:
            one = joined('"', self._members_of((member,)), self._spacing.behind)
        return joined(one, Repeat(Choice((joined(self._spacing.comma, one),)), 0, None))

    def _member(self, state: int) -> ProductionDraft:
        """A member that may come in a state, and all that follow."""
        found = self._members.get(state)
        if found is None:
            found = self._members[state] = ProductionDraft(f"{self._wish}-members")
            self._waiting.append(state)
        return found

    def _behind(self, state: int) -> Alternative:
        """What follows a value that leads to a state."""
        if not self._machine.edges[state]:
            return self._spacing.behind
        more = joined(self._spacing.comma, self._member(state))
        if state not in self._machine.accepting:
            return joined(self._spacing.behind, more)
        if state not in self._rest:
            self._rest[state] = ProductionDraft(f"{self._wish}-rest", (more, ()))
        return joined(self._spacing.behind, self._rest[state])

    def _allowed(self, state: int) -> Alternatives:
        edges = self._machine.edges[state]
        if len(edges) == 1 and edges[0][0].key == ANYTHING:
            return (joined(self._goals.string, self._value(edges)),)
        self._members[state].glue = True
        return (('"', self._trie_of(state).draft),)

    def _trie_of(self, state: int) -> Trie:
        """The keys of a state, each with what follows.

        Where it has but one key more than the state behind that key, it is made of that one's.
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
                shared.setdefault(id(group), (self._group(group), *self._behind(edge[1])))
            elif isinstance(key, str):
                listed.setdefault(key, []).append(edge)
            else:
                others.setdefault(key, []).append(edge)
        rows: Alternatives = tuple(shared.values())
        if others:
            told = [(key, joined('"', self._value(tuple(same)))) for key, same in others.items()]
            rows += self._goals.texts(told, "key")
        trie = self._tries.of(rows)
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
        trie = self._tries.of(rows)
        for member in reversed(group):
            if isinstance(member.key, str):
                row = joined(self._spacing.colon, self._goals.goal(member.goal))
                trie = self._tries.with_key(trie, member.key, row)
        trie.draft.wish = f"{self._wish}-optional"
        return trie.draft

    def _value(self, edges: _Edges) -> Alternative:
        """What follows a key: the values that it may have, each with all that may come then."""
        pairs: list[tuple[Conjunction, Alternative]] = [
            (member.goal, self._behind(target)) for member, target in edges
        ]
        return joined(self._spacing.colon, self._goals.values(pairs, self._wish))
