"""Texts that are looked for in a stream of bytes, all at once.

Source: Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdl.masks.processors.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

_BYTES = 256


class Search(Table):
    """Places are numbers: 0 in front of all, others behind what may become one of the texts.

    `found` is the place behind one of them, wherever it began, `beyond_it` all places further on.
    """

    def __init__(self, texts: Sequence[bytes]) -> None:
        rows, ends = _tree(texts)
        _completed(rows, ends)
        self.found = len(rows)
        self.beyond_it = self.found + 1
        table = np.full((len(rows) + 2, _BYTES), self.beyond_it, np.int32)
        table[: len(rows)] = rows
        table[: len(rows)][np.isin(table[: len(rows)], list(ends))] = self.found
        super().__init__(table)


def _tree(texts: Sequence[bytes]) -> tuple[list[list[int]], set[int]]:
    """The trie of some texts: where each byte leads, 0 if nowhere; and where the texts end."""
    rows = [[0] * _BYTES]
    ends = set()
    for text in texts:
        here = 0
        for byte in text:
            if not rows[here][byte]:
                rows[here][byte] = len(rows)
                rows.append([0] * _BYTES)
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
