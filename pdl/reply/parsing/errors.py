"""How the reader says that a text has no certain reading."""

from __future__ import annotations


class UnreadableError(Exception):
    """The text has no certain reading: `at` is the offset where that shows, `why` what it is.

    `why` follows "it …"; it is empty if no more is to be said than that the text breaks there.
    Then `expected` is the key of the phrase that says what should stand there.
    """

    def __init__(self, at: int, why: str = "", expected: str = "expected-value") -> None:
        super().__init__(at, why)
        self.at = at
        self.why = why
        self.expected = expected
