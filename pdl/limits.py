"""Limits of what pdl accepts. Reaching one is a typed error, never a hang."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields

from pdl._types import options_repr
from pdl.errors import advised

_DIGITS = 4_000


def _readable(digits: int) -> int:
    """The digits of an integer that this interpreter reads, at most `digits`."""
    return min(digits, sys.get_int_max_str_digits() or digits)


@advised
@dataclass(frozen=True)
class Limits:
    """Upper bounds; `dataclasses.replace(Limits(), render_seconds=10)` changes one.

    Characters are code points, sizes of media bytes, times seconds of wall clock. A reply beyond
    its limits is refused with the reason `limit`; other limits raise `LimitError`. Nothing is
    rounded to fit or read in part. Raises TypeError for a limit of another type, ValueError for one
    below zero and for more `integer_digits` than Python reads.
    """

    source_chars: int = 16_000_000
    """Characters of a prompt file or a schema."""
    output_chars: int = 64_000_000
    """Characters of what a template renders to, and of any string that it builds on the way."""
    render_seconds: float = 1.5
    """Seconds of rendering a template."""
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
    """Bracketed spans of a reply, or words and numbers in it, that might be its answer."""
    grammar_depth: int = 100
    """Parentheses inside parentheses in a grammar, or repetitions of repetitions.

    A greater value has the same effect as 100: Python's stack has no room for more.
    """
    grammar_rules: int = 200_000
    """Rules of a grammar."""
    grammar_states: int = 5_000_000
    """States of the automaton of a grammar, in the rules that texts have reached."""
    grammar_configurations: int = 100_000
    """Simultaneous states of that automaton for one text: its partial parses.

    The running average per byte is limited to 1/100 of this value, after an initial allowance of 50
    times this value. Exploration steps count toward the average.
    """
    grammar_seconds: float = 60.0
    """Seconds of each step with a grammar: reading it, checking it, building its automaton,
    rewriting it, exporting it, matching one piece of text.
    """
    automaton_states: int = 20_000
    """States of an automaton for an enum, a format or the numbers of a schema, for its grammar.

    `gbnf.Options.max_states` limits those of patterns.
    """
    integer_digits: int = field(default_factory=lambda: _readable(_DIGITS))
    """Digits of one integer, in a schema or a reply.

    The default is 4,000, or `sys.get_int_max_str_digits()` if that is less.
    """

    __repr__ = options_repr

    def __post_init__(self) -> None:
        """Refuse invalid limits."""
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
    """Raise TypeError for anything but Limits."""
    if not isinstance(given, Limits):
        raise TypeError(f"limits must be Limits, not {type(given).__name__}")
