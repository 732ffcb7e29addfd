"""How the reader says that a text has no certain reading."""

from __future__ import annotations


class UnreadableError(Exception):
    """The text has no certain reading: `at` is the offset where that shows, `why` what it is.

    `why` follows "it …"; it is empty if nothing better can be said than what the C parser says.
    """

    def __init__(self, at: int, why: str = "") -> None:
        super().__init__(at, why)
        self.at = at
        self.why = why
