"""What was asked and answered, kept as a prompt file that can be asked again, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._lazy import lazy

if TYPE_CHECKING:
    from pdl.models.transcript.files import prepare, write
    from pdl.models.transcript.recording import record
    from pdl.models.transcript.run import Run
    from pdl.models.transcript.source import prompt_source

__all__ = ["Run", "prepare", "prompt_source", "record", "write"]

__getattr__ = lazy(
    __name__,
    {
        "Run": "pdl.models.transcript.run",
        "prepare": "pdl.models.transcript.files",
        "prompt_source": "pdl.models.transcript.source",
        "record": "pdl.models.transcript.recording",
        "write": "pdl.models.transcript.files",
    },
)
