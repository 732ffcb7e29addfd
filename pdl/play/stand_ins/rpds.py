"""Stands in for `rpds` where its machine code cannot run: what jsonschema uses of it.

An update copies the whole of a map or set, which is right for the few dozen entries that they keep.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class HashTrieMap(Mapping[K, V]):
    """An immutable mapping."""

    __slots__ = ("_items",)

    def __init__(self, value: Mapping[K, V] | Iterable[tuple[K, V]] = (), **more: V) -> None:
        self._items: dict[K, V] = dict(value, **more)

    @classmethod
    def convert(cls, value: Mapping[K, V] | Iterable[tuple[K, V]]) -> HashTrieMap[K, V]:
        """Return the map itself, or a map of what is given."""
        return value if isinstance(value, cls) else cls(value)

    @classmethod
    def fromkeys(cls, keys: Iterable[K], value: Any = None) -> HashTrieMap[K, V]:
        """Return a map of some keys to the same value."""
        return cls((key, value) for key in keys)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"HashTrieMap({self._items})"

    def insert(self, key: K, val: V) -> HashTrieMap[K, V]:
        """Return a map with one more entry."""
        return self.update({key: val})

    def update(self, *maps: Mapping[K, V] | Iterable[tuple[K, V]], **more: V) -> HashTrieMap[K, V]:
        """Return a map with further entries."""
        items = dict(self._items)
        for one in maps:
            items.update(one)
        return type(self)(items, **more)

    def remove(self, key: K) -> HashTrieMap[K, V]:
        """Return a map without an entry. Raises KeyError if there is none."""
        items = dict(self._items)
        del items[key]
        return type(self)(items)

    def discard(self, key: K) -> HashTrieMap[K, V]:
        """Return a map without an entry."""
        return self.remove(key) if key in self._items else self


class HashTrieSet(AbstractSet[K]):
    """An immutable set."""

    __slots__ = ("_items",)

    def __init__(self, value: Iterable[K] = ()) -> None:
        self._items = frozenset(value)

    def __contains__(self, value: object) -> bool:
        return value in self._items

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"HashTrieSet({{{', '.join(map(repr, self._items))}}})"

    def insert(self, value: K) -> HashTrieSet[K]:
        """Return a set with one more value."""
        return type(self)(self._items | {value})

    def update(self, *sets: Iterable[K]) -> HashTrieSet[K]:
        """Return a set with further values."""
        return type(self)(self._items.union(*sets))

    def remove(self, value: K) -> HashTrieSet[K]:
        """Return a set without a value. Raises KeyError if it is not in it."""
        if value not in self._items:
            raise KeyError(value)
        return self.discard(value)

    def discard(self, value: K) -> HashTrieSet[K]:
        """Return a set without a value."""
        return type(self)(self._items - {value})


class List(Collection[V], Generic[V]):
    """An immutable list, whose first items are added and dropped."""

    __slots__ = ("_items",)

    def __init__(self, value: Iterable[V] = ()) -> None:
        self._items = tuple(value)

    def __contains__(self, value: object) -> bool:
        return value in self._items

    def __iter__(self) -> Iterator[V]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[V]:
        return reversed(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, List) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"List([{', '.join(map(repr, self._items))}])"

    @property
    def first(self) -> V:
        """The first item. Raises IndexError if there is none."""
        if not self._items:
            raise IndexError("empty list has no first element")
        return self._items[0]

    @property
    def rest(self) -> List[V]:
        """The list without its first item, if it has one."""
        return type(self)(self._items[1:])

    def push_front(self, value: V) -> List[V]:
        """Return a list with another first item."""
        return type(self)(chain((value,), self._items))

    def drop_first(self) -> List[V]:
        """Return the list without its first item. Raises IndexError if there is none."""
        if not self._items:
            raise IndexError("dropped from an empty list")
        return self.rest
