"""`Finding`: one thing about a grammar that its author should know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf.linting.reasons import Severity, reason
from pdl.gbnf.mends import mended
from pdl.gbnf.nodes import Located, Rule

if TYPE_CHECKING:
    from pdl.source import Source


@dataclass(frozen=True)
class Finding:
    """A problem of a grammar and how bad it is.

    With an `error`, llama.cpp refuses the grammar, hangs or dies of it, or can match nothing, or a
    text is no JSON that should be; a `warning` is slow or is not what was meant; a `note` is worth
    a look. `problem` says where, what, and in its
    hint how to mend it; `why` what it does in llama.cpp.
    """

    problem: Problem
    severity: Severity = "error"
    why: str = ""

    def __str__(self) -> str:
        head, mark, hint = str(self.problem).partition("\n  hint: ")
        return f"{head}\n  why: {self.why}{mark}{hint}" if self.why else f"{head}{mark}{hint}"


@dataclass(frozen=True, slots=True)
class Reporter:
    """Makes findings in one text."""

    source: Source

    def at(
        self,
        place: Located | tuple[int, int],
        code: str,
        message: str,
        hint: str,
        severity: Severity | None = None,
    ) -> Finding:
        """What was found at some characters; the severity, if it is not the usual one."""
        start, end = _ends(place)
        problem = Problem(f"gbnf/{code}", message, self.source.span(max(start, 0), end), hint)
        usual, why = reason(problem)
        return Finding(problem, severity or usual, why)


def _ends(place: Located | tuple[int, int]) -> tuple[int, int]:
    """Where something begins and ends; of a rule it is the name."""
    if isinstance(place, tuple):
        return place
    return place.start, place.named if isinstance(place, Rule) else place.end


def explained(problem: Problem) -> Finding:
    """A problem for which a grammar is refused, with its reason and a way to mend it."""
    severity, why = reason(problem)
    return Finding(mended(problem), severity, why)
