"""Free text before a trigger: which tokens may come, so that a trigger can.

It is followed in two tables of places that bytes lead to, by numbers (`Table`). `Characters` has
bytes as parts of characters: what may stand in a text (RFC 3629, section 4). `Search` has the texts
that are looked for in a stream of bytes, all at once.

Source: Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pdl.masks.protocol import WORD, allows, packed
from pdl.masks.trie_index import token_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pdl.masks.vocabulary import Trie, Vocabulary

    Ints: TypeAlias = NDArray[np.int32]


class Table:
    """Where each byte leads from each place: a row for a place, a column for a byte."""

    def __init__(self, table: Ints) -> None:
        self._table = table
        self._rows: list[list[int]] = table.tolist()

    def run(self, place: int, data: bytes) -> int:
        """The place behind some bytes."""
        for byte in data:
            place = self._rows[place][byte]
        return place

    def along(self, place: int, trie: Trie) -> Ints:
        """The place at each node of a trie."""
        places = np.full(len(trie), place, np.int32)
        for start, end in list(pairwise(trie.levels.tolist()))[1:]:
            above = places[trie.parent[start:end]]
            places[start:end] = self._table[above, trie.byte[start:end]]
        return places


PARTS = 8
"""How many parts there are, that of no character begun being 0."""

_MOVES = (
    (0, 0x00, 0x7F, 0), (0, 0xC2, 0xDF, 1), (0, 0xE0, 0xE0, 4), (0, 0xE1, 0xEC, 2),
    (0, 0xED, 0xED, 5), (0, 0xEE, 0xEF, 2), (0, 0xF0, 0xF0, 6), (0, 0xF1, 0xF3, 3),
    (0, 0xF4, 0xF4, 7), (1, 0x80, 0xBF, 0), (2, 0x80, 0xBF, 1), (3, 0x80, 0xBF, 2),
    (4, 0xA0, 0xBF, 1), (5, 0x80, 0x9F, 1), (6, 0x90, 0xBF, 2), (7, 0x80, 0x8F, 2),
)  # fmt: skip
"""From a part, by the bytes of a range, to another: 1 to 3 are how many bytes are left."""


class Characters(Table):
    """Parts are numbers up to `PARTS`, and `dead` behind what is in no text."""

    dead = PARTS

    def __init__(self) -> None:
        table = np.full((PARTS + 1, 256), self.dead, np.int32)
        for part, low, high, following in _MOVES:
            table[part, low : high + 1] = following
        super().__init__(table)


CHARACTERS = Characters()
"""Those of Unicode."""


_ALL_BYTES = 256


class Search(Table):
    """Places are numbers: 0 in front of all, others behind what may become one of the texts.

    `found` is the place behind one of them, wherever it began, `beyond_it` all places further on.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        rows, ends = _tree(texts)
        _completed(rows, ends)
        self.found = len(rows)
        self.beyond_it = self.found + 1
        table = np.full((len(rows) + 2, _ALL_BYTES), self.beyond_it, np.int32)
        table[: len(rows)] = rows
        table[: len(rows)][np.isin(table[: len(rows)], list(ends))] = self.found
        super().__init__(table)


def _tree(texts: Sequence[bytes]) -> tuple[list[list[int]], set[int]]:
    """The trie of some texts: where each byte leads, 0 if nowhere; and where the texts end."""
    rows = [[0] * _ALL_BYTES]
    ends = set()
    for text in texts:
        here = 0
        for byte in text:
            if not rows[here][byte]:
                rows[here][byte] = len(rows)
                rows.append([0] * _ALL_BYTES)
            here = rows[here][byte]
        ends.add(here)
    return rows, ends


def _completed(rows: list[list[int]], ends: set[int]) -> None:
    """Let each byte lead on to the longest beginning of a text that stands in front of it."""
    shorter = [0] * len(rows)
    pending = [one for one in rows[0] if one]
    for here in pending:  # which grows: breadth first
        back = shorter[here]
        if back in ends:
            ends.add(here)
        for byte, there in enumerate(rows[here]):
            if there:
                shorter[there] = rows[back][byte]
                pending.append(there)
            else:
                rows[here][byte] = rows[back][byte]


_BYTES = frozenset(range(0xF5)) - {0xC0, 0xC1}
"""Those of which texts are made (RFC 3629, section 4)."""


class FreeText:
    """Places are numbers: how much of a trigger stands in front, and of which character a part.

    0 is in front of all. `triggers` are the tokens that are triggers by themselves, `ending` those
    that may end a text. Where some byte is no token of its own, a text might be begun that cannot
    come to a trigger or an end; then all places are looked at, and such texts are not begun.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        texts: Sequence[bytes],
        triggers: frozenset[int],
        ending: frozenset[int],
    ) -> None:
        self._vocabulary = vocabulary
        self._triggers = triggers
        self._ending = ending
        self._search = Search(texts)
        nodes = np.arange(len(vocabulary.trie), dtype=np.int32)
        self._tokens, self._ends = token_rows(vocabulary.trie, nodes)
        self._masks: dict[int, Ints] = {}
        self._alive: frozenset[int] | None = None
        if vocabulary.missing_bytes & _BYTES:
            self._alive = self._living()

    @property
    def is_possible(self) -> bool:
        """Whether a trigger, or an end, can come at all."""
        return self._alive is None or 0 in self._alive

    def mask(self, place: int) -> Ints:
        """The tokens that may come at a place."""
        found = self._masks.get(place)
        if found is None:
            found = self._masks[place] = self._made(place)
        return found

    def allows(self, place: int, token: int) -> bool:
        """Whether a token may come at a place."""
        return allows(self.mask(place), token)

    def behind(self, place: int, token: int) -> int | None:
        """The place behind a token that may come; None behind a trigger."""
        if token in self._triggers:
            return None
        data = self._vocabulary.tokens[token]
        searched = self._search.run(place // PARTS, data)
        return None if searched == self._search.found else self._joined(searched, place, data)

    def why_not(self, place: int, token: int) -> str:
        """Why a token may not come at a place."""
        if token in self._vocabulary.eos:
            return "ends the text, which may not end here"
        if token in self._vocabulary.special:
            return "is no text, and no trigger"
        data = self._vocabulary.tokens[token]
        if self._search.run(place // PARTS, data) == self._search.beyond_it:
            return "has more behind the end of a trigger"
        if CHARACTERS.run(place % PARTS, data) == CHARACTERS.dead:
            return "makes a text that is no UTF-8"
        return "cannot stand here: no trigger could come behind it"

    def _joined(self, searched: int, place: int, data: bytes) -> int:
        return searched * PARTS + CHARACTERS.run(place % PARTS, data)

    def _nodes(self, place: int) -> Ints:
        """The place at each node of the vocabulary's trie; -1 where none may be."""
        trie = self._vocabulary.trie
        searched = self._search.along(place // PARTS, trie)
        parts = CHARACTERS.along(place % PARTS, trie)
        wrong = (searched == self._search.beyond_it) | (parts == CHARACTERS.dead)
        found = searched * PARTS + parts
        found[wrong] = -1
        return found

    def _made(self, place: int) -> Ints:
        vocabulary = self._vocabulary
        nodes = self._nodes(place)
        fits = nodes >= 0
        if self._alive is not None:
            fits &= np.isin(nodes, list(self._alive))
        allowed = np.zeros(-(-len(vocabulary) // WORD) * WORD, np.bool_)
        allowed[self._tokens] = fits[self._ends]
        allowed[[token for token in self._triggers if self._may_trigger(place, token)]] = True
        if place % PARTS == 0:
            allowed[list(self._ending)] = True
        found = packed(allowed).astype(np.int32, copy=False)
        found.flags.writeable = False
        return found

    def _may_trigger(self, place: int, token: int) -> bool:
        """Whether a token that is a trigger leaves no character open."""
        special = token in self._vocabulary.special
        data = b"" if special else self._vocabulary.tokens[token]
        return CHARACTERS.run(place % PARTS, data) == 0

    def _living(self) -> frozenset[int]:
        """The places from which a trigger or an end can come, that of a trigger among them."""
        goal = self._search.found * PARTS
        above: dict[int, list[int]] = {goal: []}
        pending, seen = [0], {0}
        while pending:
            place = pending.pop()
            for following in self._following(place, goal):
                above.setdefault(following, []).append(place)
                if following not in seen and following != goal:
                    seen.add(following)
                    pending.append(following)
        alive, pending = {goal}, [goal]
        while pending:
            for place in above.get(pending.pop(), ()):
                if place not in alive:
                    alive.add(place)
                    pending.append(place)
        return frozenset(alive)

    def _following(self, place: int, goal: int) -> list[int]:
        """The places behind all tokens; `goal` behind triggers and ends."""
        found: list[int] = np.unique(self._nodes(place)[self._ends]).tolist()
        ends = place % PARTS == 0 and self._ending
        if ends or any(self._may_trigger(place, token) for token in self._triggers):
            found.append(goal)
        return [one for one in found if one >= 0]
