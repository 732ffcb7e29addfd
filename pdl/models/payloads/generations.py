"""Which generation of models a name means, where generations take different things."""

from __future__ import annotations

import re

_GEMINI = re.compile(r"\bgemini-(\d+)(?:\.(\d+))?(?![\d.])")
_CLAUDE = re.compile(r"\bclaude-([a-z]+)-(\d+)(?:[-.](\d{1,2}))?(?!\d)")
_OLD_CLAUDE = re.compile(r"\bclaude-(?:(\d)(?:[-.](\d))?(?!\d)|instant)")


def gemini_version(model: str) -> tuple[int, int] | None:
    """The number of a Gemini; None for names that give none."""
    found = _GEMINI.search(model)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def claude_version(model: str) -> tuple[int, int] | None:
    """The number of a Claude; None for names that give none."""
    found = _OLD_CLAUDE.search(model)
    if found is not None:
        return int(found[1] or 1), int(found[2] or 0)
    found = _CLAUDE.search(model)
    return None if found is None else (int(found[2]), int(found[3] or 0))


def is_gemini_3(model: str) -> bool:
    """Whether a model is Gemini 3 or later; those whose name gives no number are not."""
    version = gemini_version(model)
    return version is not None and version >= (3, 0)


def thinks_by_itself(model: str) -> bool:
    """Whether a model decides how long it thinks, and refuses a budget for that.

    So do Claude Opus 4.7, all that are numbered 5 and later, and those of names that are not known
    yet; models of others that speak Anthropic's language take what they take.
    """
    if "claude" not in model or _OLD_CLAUDE.search(model):
        return False
    found = _CLAUDE.search(model)
    if found is None:
        return True
    least = (4, 7) if found[1] == "opus" else (5, 0)
    return found[1] == "mythos" or (int(found[2]), int(found[3] or 0)) >= least
