"""The checker: from what a model said to the one value that fits, or to why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.reply.coercions import Coercions
    from pdl.reply.outcome import Check, Reason, Rejected, Repair, Segment, Violation
    from pdl.reply.pipeline import check, extract
    from pdl.reply.validate import violations

__all__ = [
    "Check",
    "Coercions",
    "Reason",
    "Rejected",
    "Repair",
    "Segment",
    "Violation",
    "check",
    "extract",
    "violations",
]

__getattr__ = lazy(
    __name__,
    {
        "Check": "pdl.reply.outcome",
        "Coercions": "pdl.reply.coercions",
        "Reason": "pdl.reply.outcome",
        "Rejected": "pdl.reply.outcome",
        "Repair": "pdl.reply.outcome",
        "Segment": "pdl.reply.outcome",
        "Violation": "pdl.reply.outcome",
        "check": "pdl.reply.pipeline",
        "extract": "pdl.reply.pipeline",
        "violations": "pdl.reply.validate",
    },
)
