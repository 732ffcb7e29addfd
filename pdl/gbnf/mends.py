"""What helps against a problem for which a grammar is refused, wherever it is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.errors import Problem

HIDDEN = "hidden left recursion"
"""How the message of left recursion begins where llama.cpp does not see it."""

_MENDS = {
    "gbnf/syntax": "write rules as `name ::= item item | item`, each on a line of its own",
    "gbnf/bad-escape": r"a backslash itself is written `\\`",
    "gbnf/min-over-max": "exchange the two numbers; llama.cpp would count down for ever",
    "gbnf/undefined-rule": "define it, or correct the name",
    "gbnf/too-many-repetitions": "repeat a rule that is itself a repetition",
    "gbnf/stray-character": "remove it, or put it in double quotes if it is text",
    "gbnf/unclosed-group": "close it, or put it in double quotes if it is text",
    "gbnf/stray-closer": "remove it, or put it in double quotes if it is text",
    "gbnf/nothing-to-repeat": "put what is repeated in front, or the mark in double quotes",
    "gbnf/token-number": "look up the number in the vocabulary",
    "gbnf/target": "do without it, or use a newer llama.cpp",
    "gbnf/left-recursion": (
        "let the recursion come last: `list ::= item list | item`, or write `item+`"
    ),
}
_UNHIDE = "let what stands in front take a character at least, or let the recursion come last"


def mended(problem: Problem) -> Problem:
    """A problem with advice, if it has none of its own."""
    if problem.hint:
        return problem
    return replace(problem, hint=_mend(problem))


def _mend(problem: Problem) -> str:
    if problem.message.startswith(HIDDEN):
        return f"{_UNHIDE}; llama.cpp would run out of memory"
    return _MENDS.get(problem.code, "write it as llama.cpp reads it")
