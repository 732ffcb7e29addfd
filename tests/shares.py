"""How much of a law a run tries: a fifth by default, all with `--hypothesis-profile=long`."""

from __future__ import annotations

from hypothesis import settings


def share(count: int) -> int:
    """That many examples of a hundred, where the run tries as many as it does of a hundred."""
    return max(1, count * (settings.default or settings()).max_examples // 100)
