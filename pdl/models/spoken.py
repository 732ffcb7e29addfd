"""What a model said aloud: a reply's text without its reasoning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.reply import check

if TYPE_CHECKING:
    from pdl.reply import Dialects

_MOST = 50_000  # characters of a bad reply that go back to the model


def spoken(text: str, dialects: Dialects) -> str:
    """The text without the parts that are reasoning, and without the blanks around it."""
    segments = check(None, text, dialects=dialects).segments
    kept = [text[slice(*part.span)] for part in segments if part.kind in {"text", "fence"}]
    return "".join(kept).strip()


def shortened(text: str) -> str:
    """A text that is very long without its middle."""
    if len(text) <= _MOST:
        return text
    half = _MOST // 2
    return f"{text[:half]}\n[…]\n{text[-half:]}"


def leads_in(text: str, dialects: Dialects) -> bool:
    """Whether a text says nothing itself, so that what follows it is the answer: an open fence."""
    segments = check(None, text, dialects=dialects).segments
    return all(
        part.kind in {"reasoning", "token"} or not text[slice(*part.body)].strip()
        for part in segments
    )
