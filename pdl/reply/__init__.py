"""The checker: from what a model said to the one value that fits, or to why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.reply.coercions import Coercions
    from pdl.reply.dialects import DIALECTS, Dialects
    from pdl.reply.english import ENGLISH
    from pdl.reply.outcome import Check, Reason, Rejected, Repair, Segment, Violation
    from pdl.reply.phrases import Words
    from pdl.reply.pipeline import check, extract
    from pdl.reply.streaming.partial import Partial
    from pdl.reply.streaming.stream import Stream
    from pdl.reply.translation import feedback_in
    from pdl.reply.validate import violations

__all__ = [
    "DIALECTS",
    "ENGLISH",
    "Check",
    "Coercions",
    "Dialects",
    "Partial",
    "Reason",
    "Rejected",
    "Repair",
    "Segment",
    "Stream",
    "Violation",
    "Words",
    "check",
    "extract",
    "feedback_in",
    "violations",
]

__getattr__ = lazy(
    __name__,
    {
        "DIALECTS": "pdl.reply.dialects",
        "ENGLISH": "pdl.reply.english",
        "Check": "pdl.reply.outcome",
        "Coercions": "pdl.reply.coercions",
        "Dialects": "pdl.reply.dialects",
        "Partial": "pdl.reply.streaming.partial",
        "Reason": "pdl.reply.outcome",
        "Rejected": "pdl.reply.outcome",
        "Repair": "pdl.reply.outcome",
        "Segment": "pdl.reply.outcome",
        "Stream": "pdl.reply.streaming.stream",
        "Violation": "pdl.reply.outcome",
        "Words": "pdl.reply.phrases",
        "check": "pdl.reply.pipeline",
        "extract": "pdl.reply.pipeline",
        "feedback_in": "pdl.reply.translation",
        "violations": "pdl.reply.validate",
    },
)
