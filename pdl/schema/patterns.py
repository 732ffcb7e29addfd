"""Regular expressions of authors (ECMA-262, as JSON Schema has them), which may be wrong."""

from __future__ import annotations

# `regex` takes as long to load as the notation, and few schemas have patterns.
# ruff: noqa: PLC0415

_SECONDS = 0.2


DIALECT = "patterns are those of ECMA-262, without inline flags and possessive quantifiers"
"""What to advise an author of a pattern that is none."""


def complaint(pattern: str) -> str:
    """Why a text is no regular expression, or nothing if it is one."""
    from pdl.schema.ecma import BadPattern, compiled

    try:
        compiled(pattern)
    except BadPattern as error:
        return f"{error.message}, at character {error.at + 1}"
    except (OverflowError, RecursionError, ValueError):
        return "it nests too deep or repeats too often"
    return ""


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches somewhere in a text; true if that takes too long to tell."""
    import regex

    from pdl.schema.ecma import FLAGS, translate

    try:
        return bool(regex.search(translate(pattern), text, FLAGS, timeout=_SECONDS))
    except TimeoutError:
        return True
