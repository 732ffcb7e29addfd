"""Several languages, each with what follows its texts, as one automaton.

Where texts of two languages begin alike, their beginnings are read once: what is to follow is
known as soon as they differ. The states are those of the languages in which one may be at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.automata.charset import CharSet
from pdl.gbnf.compiling.emission.names import short
from pdl.gbnf.compiling.emission.parts import Draft, distinct, joined
from pdl.gbnf.compiling.emission.words import Words, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.emission.letters import Letters
    from pdl.gbnf.compiling.emission.parts import Row, Rows

_Place: TypeAlias = "tuple[tuple[int, int], ...]"
"""Languages by their numbers, each with its state."""

_MOST = 5_000
"""States in which more than one language is possible; the others are told apart later."""


def forked(
    languages: Sequence[tuple[Dfa, Row]], wish: str, letters: Letters | None
) -> Draft | None:
    """The rule of all texts, each with what follows; None if it would take too many states."""
    return _Fork(languages, wish, letters).draft()


class _Fork:
    def __init__(
        self, languages: Sequence[tuple[Dfa, Row]], wish: str, letters: Letters | None
    ) -> None:
        self._languages = languages
        self._wish = short(wish)
        self._letters = letters
        self._words: dict[int, Words] = {}
        self._drafts: dict[_Place, Draft] = {}
        self._waiting: list[_Place] = []

    def draft(self) -> Draft | None:
        start = self._place(tuple((at, 0) for at in range(len(self._languages))))
        while self._waiting:
            if len(self._drafts) > _MOST:
                return None
            place = self._waiting.pop()
            self._drafts[place].rows = self._alternatives(place)
        return start

    def _place(self, place: _Place) -> Draft:
        found = self._drafts.get(place)
        if found is None:
            found = self._drafts[place] = Draft(self._wish)
            self._waiting.append(place)
        return found

    def _alternatives(self, place: _Place) -> Rows:
        targets: dict[_Place, list[tuple[int, int]]] = {}
        for low, high, target in self._steps(place):
            targets.setdefault(target, []).append((low, high))
        edges = [(CharSet(tuple(pairs)), self._behind(to)) for to, pairs in targets.items()]
        ended = (at for at, state in place if state in self._languages[at][0].accepting)
        ends = distinct(self._languages[at][1] for at in ended)
        return (*written(edges, self._letters, self._wish), *ends)

    def _behind(self, place: _Place) -> Row:
        if len(place) > 1:
            return (self._place(place),)
        at, state = place[0]
        dfa, rest = self._languages[at]
        words = self._words.get(at)
        if words is None:
            words = self._words[at] = Words(dfa, self._wish, self._letters)
        return joined(words.behind(state), rest)

    def _steps(self, place: _Place) -> list[tuple[int, int, _Place]]:
        """The ranges of code points that may follow, and where each leads, in order."""
        ends: list[tuple[int, int, int]] = []  # where an edge begins or has ended
        edges = [(at, edge) for at, state in place for edge in self._languages[at][0].edges[state]]
        for number, (_, (low, high, _)) in enumerate(edges):
            ends.append((low, 1, number))
            ends.append((high + 1, 0, number))
        ends.sort()
        steps: list[tuple[int, int, _Place]] = []
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
