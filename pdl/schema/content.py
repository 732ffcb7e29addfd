"""A hash of JSON values, which Python's lists and dicts do not have."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl._types import Json


def content_hash(value: Json) -> int:
    """The same for values that Python finds equal, whatever the order of their keys.

    It is made of what stands in them, not of where: enough to keep schemas apart.
    """
    seen: Counter[tuple[Json, Json]] = Counter()
    pending = [value]
    while pending:
        node = pending.pop()
        entries = node.items() if isinstance(node, dict) else [(None, one) for one in node]
        for key, inner in entries:
            is_holder = isinstance(inner, dict | list)
            seen[key, (len(inner),) if is_holder else inner] += 1
            pending += [inner] if is_holder else []
    return hash(frozenset(seen.items()))
