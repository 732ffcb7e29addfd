"""`Finding`: one thing about a grammar that its author should know, and how bad it is.

The reasons say what each finding does in llama.cpp. Times are those of one mask over a vocabulary
of 128,000 tokens, measured with llama.cpp itself; the rest is from its `src/llama-grammar.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.errors import Problem
from pdl.gbnf.nodes import Located, Rule
from pdl.gbnf.validation import HIDDEN, hinted

if TYPE_CHECKING:
    from pdl.source import Source


Severity: TypeAlias = Literal["error", "warning", "note"]
Reason: TypeAlias = tuple[Severity, str]

_REFUSED = "llama.cpp refuses the whole grammar and does not say where"
_STACKS = (
    "llama.cpp walks every live stack for every token of the vocabulary, about 0.3 ms a stack and"
    " mask: 148 ms for 500 alternative words, where 7 ms is possible"
)

_REASONS: dict[str, Reason] = {
    "gbnf/min-over-max": ("error", "llama.cpp counts down below zero and hangs"),
    "gbnf/undefined-rule": ("error", "llama.cpp refuses a grammar that names a rule it lacks"),
    "gbnf/unknown-token": (
        "error",
        "llama.cpp refuses a `<text>` that its vocabulary cuts into several tokens",
    ),
    "gbnf/no-root": ("error", "there is no rule to match a string against"),
    "gbnf/left-recursion": (
        "error",
        (
            "to find the next character llama.cpp would enter the rule again and again; it refuses"
            " what it notices"
        ),
    ),
    "gbnf/too-many-repetitions": ("error", "llama.cpp refuses to copy an item that often"),
    "gbnf/open-end": ("error", "the intended next rule would become part of this one"),
    "limit/grammar-depth": (
        "error",
        "llama.cpp calls itself for each level, and some 20,000 of them crash the process",
    ),
    "gbnf/duplicate-rule": ("warning", "llama.cpp lets the last rule of a name win, silently"),
    "gbnf/unused-rule": (
        "warning",
        "often a misspelled name, or a leftover of a change",
    ),
    "gbnf/matches-nothing": (
        "warning",
        "a model that enters it can never finish: at some position no token is allowed",
    ),
    "gbnf/no-text": ("error", "at some position no token is allowed, whatever precedes it"),
    "gbnf/empty-class": (
        "warning",
        (
            "llama.cpp has no element for a class without ranges: it matches the empty string, and"
            " so does `[^]`, not any character"
        ),
    ),
    "gbnf/empty-literal": ("note", 'llama.cpp drops `""` next to other items'),
    "gbnf/reversed-range": (
        "warning",
        "llama.cpp takes the range as it is: it matches nothing",
    ),
    "gbnf/impossible-character": (
        "warning",
        "text is UTF-8 without NUL: no token can ever produce this character",
    ),
    "gbnf/partly-impossible": (
        "note",
        "text is UTF-8 without NUL: no token can ever produce these characters; the others work",
    ),
    "gbnf/bytes-as-characters": (
        "warning",
        (
            "`\\xHH` is the character U+00HH, not a byte; each of these becomes two bytes of UTF-8,"
            " and the text is garbled"
        ),
    ),
    "gbnf/maximum-dropped": (
        "warning",
        "llama.cpp silently ignores a maximum over 2000: the repetition is unbounded",
    ),
    "gbnf/repeat-zero": ("warning", "llama.cpp drops an item that is repeated zero times"),
    "gbnf/empty-repeat": (
        "warning",
        (
            "each empty round is one more parse of the same string, and older versions of"
            " llama.cpp hang"
        ),
    ),
    "gbnf/needless-optional": ("note", "the empty string has two parses; it does no harm"),
    "gbnf/ambiguous-repeats": (
        "warning",
        (
            "where one ends and the next begins is ambiguous, and llama.cpp tracks all parses:"
            ' 741 ms a mask for twelve consecutive `[^"]?`, and fifty of them never end'
        ),
    ),
    "gbnf/duplicate-alternative": (
        "warning",
        "each string of it has two parses, and llama.cpp tracks both",
    ),
    "gbnf/flat-alternatives": ("warning", _STACKS),
    "gbnf/many-stacks": ("warning", _STACKS),
    "gbnf/mask-blow-up": (
        "warning",
        (
            "for each token llama.cpp follows every path through its characters again, without"
            ' a cache: twelve consecutive `[^"]?` have 4,096 paths and take 741 ms a mask'
        ),
    ),
    "gbnf/recursion-check": (
        "warning",
        (
            "llama.cpp searches for left recursion again on every path to a rule: 20 levels with"
            " two paths each take more than 20 s, and parse stacks grow likewise"
        ),
    ),
    "gbnf/exponential-ambiguity": (
        "warning",
        (
            "the parses of a string double with each round; an engine that tracks them separately"
            " slows down as much, and it is unclear which parse was meant"
        ),
    ),
    "gbnf/trailing-bar": (
        "warning",
        (
            "llama.cpp continues after a `|`: at the end this is an empty alternative, so the rule"
            " matches the empty string"
        ),
    ),
    "gbnf/bar-at-line-end": (
        "note",
        (
            "llama.cpp continues after a `|`, even over blank lines: what follows is part of the"
            " rule above"
        ),
    ),
    "gbnf/not-json": ("error", "a reply that obeys the grammar cannot be read"),
    "gbnf/json-tried": (
        "note",
        "no program can decide it for every grammar, and samples can miss a fault",
    ),
    "gbnf/json-unknown": ("note", "only the vocabulary knows the text of a token"),
}


def reason(problem: Problem) -> Reason:
    """Return how bad a problem is and why it matters."""
    if problem.code == "gbnf/left-recursion" and problem.message.startswith(HIDDEN):
        return "error", "llama.cpp overlooks it and runs out of memory (5 GB in 7 s)"
    if problem.code.startswith("limit/") and problem.code not in _REASONS:
        return "error", "nothing beyond this limit was checked"
    return _REASONS.get(problem.code, ("error", _REFUSED))


@dataclass(frozen=True)
class Finding:
    """A problem of a grammar and how bad it is.

    With an `error`, llama.cpp refuses the grammar, hangs or crashes on it, or can match nothing, or
    a string is not valid JSON that must be; a `warning` is slow or not what was meant; a `note` is
    worth a look. `problem` says where and what, with a hint how to fix it; `why` is the
    consequence in llama.cpp.
    """

    problem: Problem
    severity: Severity = "error"
    why: str = ""

    def __str__(self) -> str:
        head, mark, hint = str(self.problem).partition("\n  hint: ")
        return f"{head}\n  why: {self.why}{mark}{hint}" if self.why else f"{head}{mark}{hint}"


@dataclass(frozen=True, slots=True)
class Reporter:
    """Makes the findings of one grammar."""

    source: Source

    def at(
        self,
        location: Located | tuple[int, int],
        code: str,
        message: str,
        hint: str,
        severity: Severity | None = None,
    ) -> Finding:
        """Make a finding at some characters; `severity`, if it is not the usual one."""
        start, end = _ends(location)
        problem = Problem(f"gbnf/{code}", message, self.source.span(max(start, 0), end), hint)
        usual, why = reason(problem)
        return Finding(problem, severity or usual, why)


def _ends(location: Located | tuple[int, int]) -> tuple[int, int]:
    """Where something begins and ends; of a rule it is the name."""
    if isinstance(location, tuple):
        return location
    end = location.named if isinstance(location, Rule) else location.end
    return location.start, end


def explained(problem: Problem) -> Finding:
    """Return a problem for which a grammar is refused, with its reason and a hint."""
    severity, why = reason(problem)
    return Finding(hinted(problem), severity, why)
