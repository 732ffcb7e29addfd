"""Bounds on what pdl takes in. Each is a typed error when it is reached, never a hang."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Upper bounds; `dataclasses.replace(Limits(), render_seconds=10)` changes one.

    Characters are code points, sizes of media bytes, times seconds of wall clock.
    """

    source_chars: int = 16_000_000
    """A prompt file or a schema, as it is read."""
    output_chars: int = 64_000_000
    """What a template may render to, and any single text that it builds on the way."""
    render_seconds: float = 1.5
    """How long a template may render."""
    media_bytes: int = 32_000_000
    """One embedded file."""
    schema_depth: int = 200
    """Types inside types in a schema."""
    reply_chars: int = 16_000_000
    """A reply to be checked."""
    reply_depth: int = 200
    """Brackets inside brackets in a reply."""
    reply_candidates: int = 10_000
    """Bracketed spans of a reply that may be its answer."""
    integer_digits: int = 4_000
    """Digits of one integer; Python itself refuses more than 4,300."""


DEFAULT_LIMITS = Limits()
