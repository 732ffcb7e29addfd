"""`Place`: a place in a reply, where nulls may stand for keys that are absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """The keys of an object, each with whether null says that it is absent, and what follows.

    `members` lead to the numbers of places, as `items` does for the items of an array.
    """

    members: Mapping[str, tuple[bool, int]]
    items: int | None = None
