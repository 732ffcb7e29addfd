"""Bytes as parts of characters: what may stand in a text (RFC 3629, section 4)."""

from __future__ import annotations

import numpy as np

from pdl.masks.processors.table import Table

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
