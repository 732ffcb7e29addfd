"""The symbols that llama.cpp makes of a grammar, counted as it counts them, and what it refuses.

Each group and each step of a repetition becomes a rule of its own. Their numbers decide which
repetitions it refuses (`MAX_REPETITION_THRESHOLD`) and which undefined names it notices. Source:
`parse_sequence` and `parse` in llama.cpp's `src/llama-grammar.cpp`.

What older versions of llama.cpp refuse is listed by the month since when they take it; each entry
names the pull request of ggml-org/llama.cpp that brought it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenRef,
    items,
)
from pdl.gbnf.read import MOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.nodes import Rule
    from pdl.source import Source


class Symbols:
    """The symbols of some rules, in the order in which they are met.

    `ids` are those with a name, `size` counts all; `defined` is one more than the highest that has
    a definition; `excessive` are the repetitions that multiply to too many rules.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.ids: dict[str, int] = {}
        self.size = 0
        self.defined = 0
        self.excessive: list[tuple[Repeat, int]] = []
        for rule in rules:
            number = self._named(rule.name)
            self._options(rule.options)
            self.defined = max(self.defined, number + 1)

    def _named(self, name: str) -> int:
        number = self.ids.setdefault(name, self.size)
        self.size = max(self.size, number + 1)
        return number

    def _made(self, count: int) -> None:
        self.size += count
        self.defined = max(self.defined, self.size) if count else self.defined

    def _options(self, options: tuple[Sequence, ...]) -> None:
        for option in options:
            for item in option.items:
                self._item(item)

    def _item(self, item: Item) -> int:
        """Count an item; the result is how many rules its repetition multiplies."""
        if isinstance(item, RuleRef):
            self._named(item.name)
        elif isinstance(item, Group):
            before = self.size
            self._made(1)
            self._options(item.options)
            return max(1, self.size - before)
        elif isinstance(item, Repeat):
            return self._repeat(item)
        return 1

    def _repeat(self, item: Repeat) -> int:
        known = len(self.excessive)
        inner = self._item(item.item)
        most = bounded(item)
        times = most or item.min or 1
        if inner * times > MOST:
            if len(self.excessive) == known:
                self.excessive.append((item, inner * times))
            return 1
        self._made(1 if most is None else most - item.min)
        return inner * times


def bounded(item: Repeat) -> int | None:
    """The maximum of a repetition as llama.cpp reads it: one over 2000 is none."""
    return None if item.max is not None and item.max > MOST else item.max


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
