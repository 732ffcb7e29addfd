"""Bounds on what pdl takes in. Each is a typed error when it is reached, never a hang."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields

from pdl._types import options_repr
from pdl.errors import advised

_DIGITS = 4_000


def _readable(digits: int) -> int:
    """As many digits of an integer as this interpreter reads, `digits` at most."""
    return min(digits, sys.get_int_max_str_digits() or digits)


@advised
@dataclass(frozen=True)
class Limits:
    """Upper bounds; `dataclasses.replace(Limits(), render_seconds=10)` changes one.

    Characters are code points, sizes of media bytes, times seconds of wall clock. What goes beyond
    a bound of a reply is refused with the reason `limit`; what goes beyond another raises
    `LimitError`. None is rounded to fit, or read in part. Raises TypeError for a bound of another
    type, ValueError for one below zero and for more `integer_digits` than Python reads.
    """

    source_chars: int = 16_000_000
    """Characters of a prompt file or a schema, as it is read."""
    output_chars: int = 64_000_000
    """Characters that a template may render to, as may any text that it builds on the way."""
    render_seconds: float = 1.5
    """Seconds for which a template may render."""
    media_bytes: int = 32_000_000
    """Bytes of one embedded file."""
    media_total_bytes: int = 100_000_000
    """Bytes of all files that one rendering embeds."""
    schema_depth: int = 200
    """Types inside types in a schema."""
    reply_chars: int = 16_000_000
    """Characters of a reply to be checked."""
    reply_depth: int = 200
    """Brackets inside brackets in a reply."""
    reply_candidates: int = 10_000
    """Bracketed spans of a reply, or words and numbers in it, that may be its answer."""
    grammar_depth: int = 100
    """Parentheses inside parentheses in a grammar, or repetitions of repetitions.

    100 is also the most: Python's stack has no room for more.
    """
    grammar_rules: int = 200_000
    """Rules of a grammar."""
    grammar_states: int = 5_000_000
    """States of the automaton that a grammar becomes."""
    grammar_configurations: int = 100_000
    """States of that automaton in which one text may be at once: the ways to read it.

    On average over a text a hundredth of that, with fifty times the bound as a start; the steps
    that are taken to find the ways are counted there as well.
    """
    grammar_seconds: float = 60.0
    """Seconds for which each step may take that is done with a grammar: reading it, checking it,
    building its automaton, rewriting it, exporting it, matching one piece of text.
    """
    automaton_states: int = 20_000
    """States of an automaton for an enum, a format or the numbers of a schema, for its grammar.

    The default is what holds; `gbnf.Options.max_states` is that of patterns.
    """
    integer_digits: int = field(default_factory=lambda: _readable(_DIGITS))
    """Digits of one integer, in a schema or a reply.

    At most as many as `sys.get_int_max_str_digits()`, which is 4,300 unless somebody changed it;
    4,000 if nothing is said.
    """

    __repr__ = options_repr

    def __post_init__(self) -> None:
        """Refuse what is no bound."""
        for one in fields(self):
            bound = getattr(self, one.name)
            kinds = (int, float) if one.name.endswith("_seconds") else (int,)
            if isinstance(bound, bool) or not isinstance(bound, kinds):
                wanted = " or a ".join(kind.__name__ for kind in kinds)
                raise TypeError(f"{one.name} must be an {wanted}, not {type(bound).__name__}")
            if not bound >= 0:
                raise ValueError(f"{one.name} must be 0 or more, not {bound}")
        if self.integer_digits > _readable(self.integer_digits):
            most = sys.get_int_max_str_digits()
            raise ValueError(
                f"integer_digits must be at most {most}, not {self.integer_digits}:"
                " Python reads no longer integers (see sys.set_int_max_str_digits)"
            )


DEFAULT_LIMITS = Limits()


def check_limits(given: object) -> None:
    """Raise TypeError for what are no limits."""
    if not isinstance(given, Limits):
        raise TypeError(f"limits must be Limits, not {type(given).__name__}")
