"""How much the page takes: it answers while one types, and in a browser with a small stack."""

from __future__ import annotations

from typing import Final

from pdl.limits import Limits

PAGE_LIMITS: Final = Limits(
    source_chars=100_000,
    output_chars=500_000,
    render_seconds=0.5,
    media_bytes=4_000_000,
    media_total_bytes=8_000_000,
    schema_depth=60,
    reply_chars=200_000,
    reply_depth=100,
    reply_candidates=2_000,
    grammar_depth=60,
    grammar_rules=5_000,
    grammar_states=200_000,
    grammar_configurations=10_000,
    grammar_seconds=1.0,
    automaton_states=2_000,
)
"""Smaller than those of programs: what is beyond them is told, and `pdl` itself may take it."""

MOST_DATA: Final = 200_000
"""Characters of the data."""

MOST_ITEMS: Final = 100_000
"""Values in the data and their characters, each as often as it occurs."""

MOST_LISTED: Final = 500
"""Repairs, errors, calls or keywords that are listed; of more their number is told."""

MOST_MEDIA: Final = 1_000_000
"""Bytes of all files that a page shows; of others it shows the size."""

MOST_TEXT: Final = 50_000
"""Characters of a string in a request, such as an image; of a longer one the beginning is shown."""

MOST_GRAMMAR: Final = 300_000
"""Characters of a grammar."""

MOST_DRAWN: Final = 6_000
"""Characters of a rule that is drawn."""

KEPT: Final = 8
"""Prompts, and prompts with data, of which is known what they became."""
