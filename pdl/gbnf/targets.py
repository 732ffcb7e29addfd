"""What older versions of llama.cpp refuse, by the month since when they take it.

Each entry names the pull request of ggml-org/llama.cpp that brought it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf.build import MOST
from pdl.gbnf.nodes import AnyChar, CharClass, Item, Literal, Repeat, TokenRef
from pdl.gbnf.walk import items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.nodes import Rule
    from pdl.source import Source

CURRENT = "2026-09"
"""The version whose language `parse` reads."""
TARGETS = ("2023-07", "2024-06", "2025-11", "2025-12", "2026-08", CURRENT)
"""The months in which the language changed, from the first one on."""

_SUFFIXES = {(0, None), (1, None), (0, 1)}
_HYPHEN = re.compile(r"(?<!\\)(?>(?:\\\\)*)\\-")


def refused(rules: Iterable[Rule], source: Source, target: str) -> Iterator[Problem]:
    """What a version of llama.cpp refuses of rules that the current one takes.

    Raises ValueError for a month that is none of `TARGETS`.
    """
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, not {target!r}")
    for rule in rules:
        for item in items(rule.options):
            for since, what in _needs(item, source):
                if since > target:
                    message = f"llama.cpp takes {what} since {since}, and the target is {target}"
                    yield Problem("gbnf/target", message, source.span(item.start, item.end))


def _needs(item: Item, source: Source) -> Iterator[tuple[str, str]]:
    if isinstance(item, AnyChar):
        yield "2024-06", "`.`"  # 6467
    elif isinstance(item, TokenRef):
        yield "2025-12", "token references"  # 17816
    elif isinstance(item, Repeat):
        yield from _counts(item)
    elif isinstance(item, Literal | CharClass) and _HYPHEN.search(
        source.text, item.start, item.end
    ):
        yield "2026-08", "the escape `\\-`"  # 27591


def _counts(item: Repeat) -> Iterator[tuple[str, str]]:
    if (item.min, item.max) in _SUFFIXES:
        return
    yield "2024-06", "`{m,n}`"  # 6640
    if item.max is not None and item.max > MOST:
        yield "2026-08", f"a maximum over {MOST}"  # limited by 17381, unbounded since 26613
    elif MOST in {item.min, item.max}:
        yield CURRENT, f"{MOST} repetitions"  # 28469
