"""Which keys are there, as clauses: what is left of them when one key after the other is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Key = TypeVar("Key")

Left: TypeAlias = "frozenset[frozenset[tuple[Key, bool]]]"
"""A conjunction of clauses, each about keys that are not decided yet."""


class Ledger(Generic[Key]):
    """Decides keys, and remembers what came of it."""

    def __init__(self) -> None:
        self._known: dict[tuple[Left[Key], Key, bool], Left[Key] | None] = {}

    def after(self, left: Left[Key], key: Key, *, there: bool) -> Left[Key] | None:
        """What is left when a key is there, or is not and will not be; None for a contradiction."""
        decision = (left, key, there)
        if decision not in self._known:
            self._known[decision] = decided(left, key, there=there)
        return self._known[decision]


def decided(left: Left[Key], key: Key, *, there: bool) -> Left[Key] | None:
    """What is left of clauses when a key is there, or is not; None for a contradiction."""
    met, unmet = (key, there), (key, not there)
    kept = {clause - {unmet} for clause in left if met not in clause}
    if frozenset() in kept:
        return None
    return _shortest(kept) if len(kept) > 1 else frozenset(kept)


def propagated(left: Left[Key]) -> tuple[dict[Key, bool], Left[Key]] | None:
    """The keys that single literals decide, and what is left then; None for a contradiction."""
    known: dict[Key, bool] = {}
    while True:
        if frozenset() in left:
            return None
        units = [literal for clause in left if len(clause) == 1 for literal in clause]
        if not units:
            return known, left
        for key, there in units:
            if known.setdefault(key, there) != there:
                return None
        kept = [clause for clause in left if not any(known.get(key) is it for key, it in clause)]
        left = frozenset(
            frozenset(literal for literal in clause if literal[0] not in known) for clause in kept
        )


def vacuous(left: Left[Key]) -> bool:
    """Whether all clauses hold if none of the keys that are left is there."""
    return all(any(not there for _, there in clause) for clause in left)


def implies(one: Left[Key], other: Left[Key]) -> bool:
    """Whether each clause of the other is one of the first, or longer than one: a sure sign."""
    return all(any(ours <= theirs for ours in one) for theirs in other)


def _shortest(clauses: Iterable[frozenset[tuple[Key, bool]]]) -> Left[Key]:
    """The clauses that no shorter one implies."""
    kept: list[frozenset[tuple[Key, bool]]] = []
    for clause in sorted(clauses, key=len):
        if not any(one <= clause for one in kept):
            kept.append(clause)
    return frozenset(kept)
