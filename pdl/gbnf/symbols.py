"""The symbols that llama.cpp makes of a grammar, counted as it counts them.

Each group and each step of a repetition becomes a rule of its own. Their numbers decide which
repetitions it refuses (`MAX_REPETITION_THRESHOLD`) and which undefined names it notices. Source:
`parse_sequence` and `parse` in llama.cpp's `src/llama-grammar.cpp`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.build import MOST
from pdl.gbnf.nodes import Group, Item, Repeat, Rule, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable


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
