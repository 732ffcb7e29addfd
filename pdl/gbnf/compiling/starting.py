"""What kinds of JSON values a grammar has: their first characters tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.gbnf.compiling.claims import Kind
    from pdl.gbnf.grammar import Grammar
    from pdl.gbnf.state import State

_BLANKS = " \t\n\r"
_DIGITS = "0123456789"
KINDS: dict[str, Kind] = {
    "{": "object",
    "[": "array",
    '"': "string",
    **dict.fromkeys(f"-{_DIGITS}", "number"),
    "t": "boolean",
    "f": "boolean",
    "n": "null",
}
"""The first characters of JSON values, and their kinds."""

_MOST = 3_000
"""States that are looked at."""


def starts(grammar: Grammar) -> dict[str, Kind] | None:
    """The first characters of a grammar's texts, blanks aside, in a fixed order, with their kinds.

    All its texts are JSON. None if that is too much to tell.
    """
    states = _reached([grammar.start()], _BLANKS)
    if states is None:
        return None
    return {
        char: kind
        for char, kind in KINDS.items()
        if any(not state.accept(char).is_dead for state in states)
    }


def has_whole_numbers(grammar: Grammar) -> bool:
    """Whether it is certain that no number of a grammar has a point or an exponent."""
    before = _reached([grammar.start()], _BLANKS)
    if before is None:
        return False
    first = [state.accept(char) for state in before for char in f"-{_DIGITS}"]
    states = _reached([state for state in first if not state.is_dead], _DIGITS)
    return states is not None and all(
        state.accept(mark).is_dead for state in states for mark in ".eE"
    )


def _reached(begun: list[State], chars: str) -> list[State] | None:
    """The states that some characters lead to, each once; None if these are too many."""
    found = {state.configuration: state for state in begun}
    pending = list(found.values())
    while pending:
        state = pending.pop()
        for char in chars:
            behind = state.accept(char)
            if not behind.is_dead and behind.configuration not in found:
                if len(found) >= _MOST:
                    return None
                found[behind.configuration] = behind
                pending.append(behind)
    return list(found.values())
