"""Names of rules as another notation writes them, each its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def spelled(
    names: Iterable[str], spell: Callable[[str], str], taken: Mapping[str, str], mark: str
) -> dict[str, str]:
    """Each name in its new spelling; those that would be alike get numbers behind a mark.

    `taken` are the spellings of some names that stand already.
    """
    found = dict(taken)
    used = set(taken.values())
    numbers: dict[str, int] = {}
    for name in names:
        if name in found:
            continue
        base = one = spell(name)
        while one in used:
            numbers[base] = numbers.get(base, 1) + 1
            one = f"{base}{mark}{numbers[base]}"
        used.add(one)
        found[name] = one
    return found
