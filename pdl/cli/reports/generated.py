"""Texts that a grammar made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.cli.reports.json_text import json_document

if TYPE_CHECKING:
    from collections.abc import Sequence


def texts_text(texts: Sequence[str]) -> str:
    """A line for each text; a line above each that tells them apart, if one has line ends."""
    if len(texts) == 1 or not any("\n" in text for text in texts):
        return "\n".join(texts)
    count = len(texts)
    return "\n".join(
        f"--- {number:,} of {count:,} ---\n{text}" for number, text in enumerate(texts, 1)
    )


def texts_json(texts: Sequence[str]) -> str:
    """A list of strings."""
    return json_document(list(texts))
