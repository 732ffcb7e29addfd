"""Automata as rules: a rule for each state, or fewer where states follow each other.

`product_rules` makes several languages, each with what follows its strings, one automaton (a
product construction). Where strings of two languages begin alike, their beginnings are read once:
what is to follow is known as soon as they differ. The states are those of the languages in which
one may be at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import EVERY, CharSet
from pdl.gbnf.compiling.drafts import ProductionDraft, Repeat, distinct, joined, short, single

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives, Part
    from pdl.gbnf.compiling.json_strings import JsonStringEncoder


class DfaRules:
    """Makes rules of one automaton: of its strings as they are, or spelled as JSON (`encoder`)."""

    def __init__(self, dfa: Dfa, wish: str, encoder: JsonStringEncoder | None) -> None:
        self._wish = wish
        self._part = short(wish)
        self._encoder = encoder
        self._accepting = dfa.accepting
        self._rows = [_grouped(row) for row in dfa.edges]
        self._sources = [0] * dfa.states
        for row in self._rows:
            for target in row:
                self._sources[target] += 1
        self._drafts: dict[int, ProductionDraft] = {}
        self._waiting: list[int] = []
        self._like: dict[tuple[bool, frozenset[tuple[int, CharSet]]], int] | None = None
        self._free = self._anything() if encoder is not None else -1

    def draft(self) -> ProductionDraft:
        """The rule of the whole language."""
        start = self._state(0)
        self._complete()
        return start

    def after(self, state: int) -> Alternative:
        """What follows once a state is reached."""
        row = self._after(state)
        self._complete()
        return row

    def _anything(self) -> int:
        """The state from which every string is accepted; -1 if there isn't one."""
        free = (at for at in self._accepting if self._rows[at].get(at) == EVERY)
        return next(free, -1)

    def _state(self, state: int) -> ProductionDraft:
        found = self._drafts.get(state)
        if found is None:
            found = self._drafts[state] = ProductionDraft(
                self._part if self._drafts else self._wish
            )
            self._waiting.append(state)
        return found

    def _complete(self) -> None:
        while self._waiting:
            state = self._waiting.pop()
            self._drafts[state].rows = self._alternatives(state)

    def _alternatives(self, state: int) -> Alternatives:
        edges = self._rows[state]
        end: Alternatives = ((),) if state in self._accepting else ()
        if state in edges and state != self._free:
            same = self._unlooped(state)
            if same is not None:
                loop = Repeat(self._one(edges[state]), 0, None)
                return ((loop, self._state(same)),)
        others = None if state == self._free else edges.get(self._free)
        told = [(chars, self._after(to)) for to, chars in edges.items() if chars is not others]
        if self._encoder is None or others is None:
            return (*written(told, self._encoder, self._part), *end)
        begun = self._encoder.beginning(others, optional=bool(end))
        return (*written(told, self._encoder, self._part), (begun,))

    def _unlooped(self, state: int) -> int | None:
        """The state that is like another one but does not come back to itself."""
        if self._like is None:
            self._like = {}
            for at in range(len(self._rows)):
                self._like.setdefault(self._exits(at), at)
        same = self._like.get(self._exits(state), state)
        return None if same in self._rows[same] else same

    def _exits(self, state: int) -> tuple[bool, frozenset[tuple[int, CharSet]]]:
        row = self._rows[state]
        return state in self._accepting, frozenset(one for one in row.items() if one[0] != state)

    def _one(self, chars: CharSet) -> Part:
        if self._encoder is None:
            return single(chars)
        return self._encoder.one(chars, self._part)

    def _after(self, state: int) -> Alternative:
        """What must follow a state, up to the rule of a state where there is a choice."""
        row: list[Part] = []
        while self._sources[state] == 1 and state not in self._accepting:
            if len(self._rows[state]) != 1:
                break
            ((following, chars),) = self._rows[state].items()
            if following == self._free and self._encoder is not None:
                return joined(*row, self._encoder.beginning(chars, optional=False))
            state = following
            row.append(self._one(chars))
        if not self._rows[state]:
            return joined(*row)
        return joined(*row, self._state(state))


def written(
    edges: Sequence[tuple[CharSet, Alternative]], encoder: JsonStringEncoder | None, wish: str
) -> Alternatives:
    """Sets of characters, none of which has any of another, each with what follows."""
    if encoder is None:
        return tuple(joined(single(chars), rest) for chars, rest in edges)
    return tuple(joined(encoder.one(chars, wish), rest) for chars, rest in edges)


def _grouped(edges: tuple[tuple[int, int, int], ...]) -> dict[int, CharSet]:
    """The characters that lead to each state, in the order in which the states occur."""
    if len(edges) == 1:
        low, high, target = edges[0]
        return {target: CharSet(((low, high),))}
    ranges: dict[int, list[tuple[int, int]]] = {}
    for low, high, target in edges:
        ranges.setdefault(target, []).append((low, high))
    return {target: CharSet(tuple(pairs)) for target, pairs in ranges.items()}


_ProductState: TypeAlias = "tuple[tuple[int, int], ...]"
"""Languages by their numbers, each with its state."""

_MOST = 5_000
"""States in which more than one language is possible; the others are distinguished later."""


def product_rules(
    languages: Sequence[tuple[Dfa, Alternative]], wish: str, encoder: JsonStringEncoder | None
) -> ProductionDraft | None:
    """The rule of all languages, each with what follows; None if it would take too many states."""
    return _Product(languages, wish, encoder).draft()


class _Product:
    def __init__(
        self,
        languages: Sequence[tuple[Dfa, Alternative]],
        wish: str,
        encoder: JsonStringEncoder | None,
    ) -> None:
        self._languages = languages
        self._wish = short(wish)
        self._encoder = encoder
        self._words: dict[int, DfaRules] = {}
        self._drafts: dict[_ProductState, ProductionDraft] = {}
        self._waiting: list[_ProductState] = []

    def draft(self) -> ProductionDraft | None:
        start = self._place(tuple((at, 0) for at in range(len(self._languages))))
        while self._waiting:
            if len(self._drafts) > _MOST:
                return None
            place = self._waiting.pop()
            self._drafts[place].rows = self._alternatives(place)
        return start

    def _place(self, place: _ProductState) -> ProductionDraft:
        found = self._drafts.get(place)
        if found is None:
            found = self._drafts[place] = ProductionDraft(self._wish)
            self._waiting.append(place)
        return found

    def _alternatives(self, place: _ProductState) -> Alternatives:
        targets: dict[_ProductState, list[tuple[int, int]]] = {}
        for low, high, target in self._steps(place):
            targets.setdefault(target, []).append((low, high))
        edges = [(CharSet(tuple(pairs)), self._after(to)) for to, pairs in targets.items()]
        ended = (at for at, state in place if state in self._languages[at][0].accepting)
        ends = distinct(self._languages[at][1] for at in ended)
        return (*written(edges, self._encoder, self._wish), *ends)

    def _after(self, place: _ProductState) -> Alternative:
        if len(place) > 1:
            return (self._place(place),)
        at, state = place[0]
        dfa, rest = self._languages[at]
        words = self._words.get(at)
        if words is None:
            words = self._words[at] = DfaRules(dfa, self._wish, self._encoder)
        return joined(words.after(state), rest)

    def _steps(self, place: _ProductState) -> list[tuple[int, int, _ProductState]]:
        """The ranges of code points that may follow, and where each leads, in order."""
        ends: list[tuple[int, int, int]] = []  # where an edge begins or has ended
        edges = [(at, edge) for at, state in place for edge in self._languages[at][0].edges[state]]
        for number, (_, (low, high, _)) in enumerate(edges):
            ends.append((low, 1, number))
            ends.append((high + 1, 0, number))
        ends.sort()
        steps: list[tuple[int, int, _ProductState]] = []
        open_: dict[int, None] = {}
        before = 0
        for code, begins, number in ends:
            if open_ and code > before:
                target = tuple(sorted((edges[one][0], edges[one][1][2]) for one in open_))
                steps.append((before, code - 1, target))
            before = code
            if begins:
                open_[number] = None
            else:
                del open_[number]
        return steps
