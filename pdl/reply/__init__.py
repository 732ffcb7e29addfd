"""The checker: finds the one value in a reply that fits the schema, or says why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.reply.checker import check, extract, violations
    from pdl.reply.coercions import Coercions
    from pdl.reply.feedback import feedback_in
    from pdl.reply.phrases import ENGLISH, Words
    from pdl.reply.result import Check, OutputError, Reason, Rejected, Repair, Segment, Violation
    from pdl.reply.rules import Rule
    from pdl.reply.segments.dialects import DIALECTS, Dialects
    from pdl.reply.streaming.partial import Partial
    from pdl.reply.streaming.stream import Stream

__all__ = [
    "DIALECTS",
    "ENGLISH",
    "Check",
    "Coercions",
    "Dialects",
    "OutputError",
    "Partial",
    "Reason",
    "Rejected",
    "Repair",
    "Rule",
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
        "DIALECTS": "pdl.reply.segments.dialects",
        "ENGLISH": "pdl.reply.phrases",
        "Check": "pdl.reply.result",
        "Coercions": "pdl.reply.coercions",
        "Dialects": "pdl.reply.segments.dialects",
        "OutputError": "pdl.reply.result",
        "Partial": "pdl.reply.streaming.partial",
        "Reason": "pdl.reply.result",
        "Rejected": "pdl.reply.result",
        "Repair": "pdl.reply.result",
        "Rule": "pdl.reply.rules",
        "Segment": "pdl.reply.result",
        "Stream": "pdl.reply.streaming.stream",
        "Violation": "pdl.reply.result",
        "Words": "pdl.reply.phrases",
        "check": "pdl.reply.checker",
        "extract": "pdl.reply.checker",
        "feedback_in": "pdl.reply.feedback",
        "violations": "pdl.reply.checker",
    },
)
