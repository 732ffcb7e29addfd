"""Regular expressions of authors, which may be wrong."""

from __future__ import annotations

# `regex` takes as long to load as the notation, and few schemas have patterns.
# ruff: noqa: PLC0415

_SECONDS = 0.2


def complaint(pattern: str) -> str:
    """Why a text is no regular expression, or nothing if it is one."""
    import regex

    try:
        regex.compile(pattern)
    except regex.error as error:
        return str(error)
    except (OverflowError, RecursionError):
        return "it nests too deep or repeats too often"
    return ""


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches somewhere in a text; true if that takes too long to tell."""
    import regex

    try:
        return bool(regex.search(pattern, text, timeout=_SECONDS))
    except TimeoutError:
        return True
