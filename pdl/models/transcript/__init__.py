"""What was asked and answered, kept as a prompt file that can be asked again, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.models.transcript.files import prepare, record, write
    from pdl.models.transcript.source import Run, prompt_source

__all__ = ["Run", "prepare", "prompt_source", "record", "write"]

__getattr__ = lazy(
    __name__,
    {
        "Run": "pdl.models.transcript.source",
        "prepare": "pdl.models.transcript.files",
        "prompt_source": "pdl.models.transcript.source",
        "record": "pdl.models.transcript.files",
        "write": "pdl.models.transcript.files",
    },
)
