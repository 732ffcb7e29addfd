"""`Finding`: one thing about a grammar that its author should know, and how bad it is.

The reasons tell what each finding does in llama.cpp. Times are those of one mask over a vocabulary
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
    " mask: 148 ms for 500 words side by side, where 7 is the least"
)

_REASONS: dict[str, Reason] = {
    "gbnf/min-over-max": ("error", "llama.cpp counts down below zero and hangs"),
    "gbnf/undefined-rule": ("error", "llama.cpp refuses a grammar that names a rule it lacks"),
    "gbnf/unknown-token": (
        "error",
        "llama.cpp refuses a `<text>` that its vocabulary cuts into several tokens",
    ),
    "gbnf/no-root": ("error", "there is nothing that a text could be matched against"),
    "gbnf/left-recursion": (
        "error",
        (
            "to find the next character llama.cpp would enter the rule again and again; it refuses"
            " what it notices"
        ),
    ),
    "gbnf/too-many-repetitions": ("error", "llama.cpp refuses to copy an item that often"),
    "gbnf/open-end": ("error", "what is meant as a new rule would be part of this one"),
    "limit/grammar-depth": (
        "error",
        "llama.cpp calls itself for each level, and some 20,000 of them crash the process",
    ),
    "gbnf/duplicate-rule": ("warning", "llama.cpp lets the last rule of a name win, silently"),
    "gbnf/unused-rule": ("warning", "it is often a misspelled name, or what is left of a change"),
    "gbnf/matches-nothing": (
        "warning",
        "a model that enters it can never finish: at some place no token at all is allowed",
    ),
    "gbnf/no-text": ("error", "at some place no token at all is allowed, whatever came before"),
    "gbnf/empty-class": (
        "warning",
        (
            "llama.cpp has no element for a class without ranges: it matches the empty text, and"
            " `[^]` does so as well, not any character"
        ),
    ),
    "gbnf/empty-literal": ("note", 'llama.cpp drops `""` where something stands beside it'),
    "gbnf/reversed-range": ("warning", "llama.cpp takes the range as it is: it matches nothing"),
    "gbnf/impossible-character": (
        "warning",
        "text is UTF-8 without NUL: no token can ever give this character",
    ),
    "gbnf/partly-impossible": (
        "note",
        "text is UTF-8 without NUL: no token can ever give these characters, the others stay",
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
        "llama.cpp silently takes a maximum over 2000 for none: the text may go on for ever",
    ),
    "gbnf/repeat-zero": ("warning", "llama.cpp drops what is repeated zero times"),
    "gbnf/empty-repeat": (
        "warning",
        (
            "each empty round is one more way to read the same text, and older versions of"
            " llama.cpp hang"
        ),
    ),
    "gbnf/needless-optional": ("note", "the empty text can be read in two ways; it does no harm"),
    "gbnf/ambiguous-repeats": (
        "warning",
        (
            "where one ends and the next begins is open, and llama.cpp follows all ways at once:"
            ' 741 ms a mask for twelve `[^"]?` in a row, and fifty of them never end'
        ),
    ),
    "gbnf/duplicate-alternative": (
        "warning",
        "each text of it can be read in two ways, both of which llama.cpp follows",
    ),
    "gbnf/flat-alternatives": ("warning", _STACKS),
    "gbnf/many-stacks": ("warning", _STACKS),
    "gbnf/mask-blow-up": (
        "warning",
        (
            "for each token llama.cpp follows every way through its characters anew, without"
            ' remembering: twelve `[^"]?` in a row have 4,096 ways and take 741 ms a mask'
        ),
    ),
    "gbnf/recursion-check": (
        "warning",
        (
            "llama.cpp looks for left recursion anew on every way to a rule: 20 levels with two"
            " ways each take more than 20 s, and as many levels of stacks more"
        ),
    ),
    "gbnf/exponential-ambiguity": (
        "warning",
        (
            "the ways to read a text double with each round; an engine that keeps them apart slows"
            " down as much, and nobody can say which reading was meant"
        ),
    ),
    "gbnf/trailing-bar": (
        "warning",
        (
            "llama.cpp reads on behind a `|`: at the end this is an empty alternative, so that the"
            " rule matches the empty text"
        ),
    ),
    "gbnf/bar-at-line-end": (
        "note",
        (
            "llama.cpp reads on behind a `|`, over blank lines as well: what follows is part of the"
            " rule above"
        ),
    ),
    "gbnf/not-json": ("error", "a reply that obeys the grammar cannot be read"),
    "gbnf/json-tried": (
        "note",
        "no program can decide it for every grammar, and samples may miss what is wrong",
    ),
    "gbnf/json-unknown": ("note", "what a token stands for is known to the vocabulary alone"),
}


def reason(problem: Problem) -> Reason:
    """How bad a problem is and why it matters."""
    if problem.code == "gbnf/left-recursion" and problem.message.startswith(HIDDEN):
        return "error", "llama.cpp overlooks it and runs out of memory (5 GB in 7 s)"
    if problem.code.startswith("limit/") and problem.code not in _REASONS:
        return "error", "beyond this size nothing was looked at"
    return _REASONS.get(problem.code, ("error", _REFUSED))


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
    return Finding(hinted(problem), severity, why)
