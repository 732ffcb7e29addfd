"""Which rules match any text at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.deep import run
from pdl.gbnf.empty import Emptiness
from pdl.gbnf.nodes import LAST, CharClass, Group, Item, Literal, Repeat, RuleRef
from pdl.gbnf.utf8 import of_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.deep import Steps
    from pdl.gbnf.empty import Symbol
    from pdl.gbnf.nodes import Sequence

_LOW, _HIGH = 0xD800, 0xDFFF  # the first and the last surrogate


class Liveness(Emptiness):
    """Which rules and groups match some text, found like those that match the empty one."""

    def item(self, item: Item) -> bool:
        """Whether an item matches some text."""
        while isinstance(item, Repeat):
            if not item.min:
                return True
            item = item.item
        return super().item(item) if isinstance(item, RuleRef | Group) else _possible(item)

    def _options(self, owner: Symbol, options: Iterable[Sequence]) -> None:
        run(self._enter(owner, options))

    def _enter(self, owner: Symbol, options: Iterable[Sequence]) -> Steps[None]:
        for option in options:
            needs: list[Symbol] = []
            for item in option.items:
                needs += yield self._parts(item)
            self._option(owner, needs)

    def _parts(self, item: Item) -> Steps[list[Symbol]]:
        """The symbols that must match some text for an item to; `""` if it never does."""
        while isinstance(item, Repeat):
            if not item.min:
                if isinstance(item.item, Group | Repeat):
                    yield self._parts(item.item)
                return []
            item = item.item
        if isinstance(item, Group):
            yield self._enter(id(item), item.options)
            return [id(item)]
        if isinstance(item, RuleRef):
            return [item.name]
        return [] if _possible(item) else [""]


def _possible(item: Item) -> bool:
    """Whether a text can hold what a literal or a class says."""
    if isinstance(item, Literal):
        return all(0 < code < _LOW or _HIGH < code <= LAST for code in item.codes)
    if isinstance(item, CharClass) and item.ranges:
        return bool(of_class(item))
    return True
