"""What all grammars over one vocabulary share: their masks, and what tokens do inside lexemes.

This is an adaptive token mask cache (Dong et al., "XGrammar", 2024). A lexeme is a part of a text
in which nearly all tokens may come, such as the inside of a string. It is known by its behaviour:
by the automaton over bytes that its configurations are, so that strings of all grammars are one.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from functools import cached_property
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from pdl.masks.native import KernelTrie
from pdl.masks.trie_walk import TrieWalk

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.masks.masker import Masker
    from pdl.masks.vocabulary import Ints, Vocabulary

MASKS = 12 << 20
"""The bytes of masks that are kept."""
LEXEMES = 8 << 20
"""The bytes of lexemes that are kept."""
LEARNED = 64 << 20
"""The bytes of what maskers know of their own grammars."""

_K = TypeVar("_K")
_V = TypeVar("_V")
_SELDOM = 30  # masks that are made between two looks at what maskers know


class Recent(Generic[_K, _V]):
    """Values by key, of which the least recently used are dropped at a size in bytes."""

    def __init__(self, room: int, size_of: Callable[[_V], int], *, grows: bool = False) -> None:
        self._held: OrderedDict[_K, tuple[_V, int]] = OrderedDict()
        self._room = room
        self._size_of = size_of
        self._grows = grows
        self.size = 0

    def get(self, key: _K, made: Callable[[], _V]) -> _V:
        """The value of a key, which is made if it is not known."""
        found = self._held.get(key)
        if found is None:
            return self._kept(key, made(), 0)
        self._held.move_to_end(key)
        return self._kept(key, *found) if self._grows else found[0]

    def _kept(self, key: _K, value: _V, before: int) -> _V:
        """Keep a value that took so many bytes before, and drop others for it."""
        size = self._size_of(value)
        self.size += size - before
        self._held[key] = value, size
        while self.size > self._room and len(self._held) > 1:
            self.size -= self._held.popitem(last=False)[1][1]
        return value


class MaskCache:
    """The masks and the lexemes of one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.lock = RLock()
        self.walk = TrieWalk(vocabulary)
        self._vocabulary = vocabulary
        self.learners: WeakSet[Masker] = WeakSet()
        self.masks: Recent[object, Ints] = Recent(MASKS, lambda mask: mask.nbytes + 200)
        """The masks of all maskers, by their keys."""
        self._lexemes: Recent[bytes, Any] = Recent(LEXEMES, lambda one: one.size, grows=True)
        self._checks = 0
        self.serial = count().__next__
        """A new number, of which keys of masks are made."""

    @property
    def size(self) -> int:
        """The memory of all that is known, in bytes."""
        return self.masks.size + self._lexemes.size + self._learned

    @property
    def _learned(self) -> int:
        return sum(learner.spent for learner in self.learners)

    def check(self, learner: Masker) -> None:
        """Note that a masker is used; now and then, let others forget if all know too much.

        Those that were not used for the longest time are the first.
        """
        self._checks = learner.used = self._checks + 1
        if self._checks % _SELDOM:
            return
        learned = self._learned
        for other in sorted(self.learners, key=lambda one: one.used):
            if learned <= LEARNED:
                break
            learned -= other.spent
            other.forget()
            learned += other.spent

    def lexeme(self, table: bytes, made: Callable[[], _V]) -> _V:
        """What tokens do in a lexeme, which is known by where bytes lead in it."""
        found: _V = self._lexemes.get(table, made)
        return found

    @cached_property
    def kernel_trie(self) -> KernelTrie:
        """The vocabulary's trie for the kernel."""
        return KernelTrie(self._vocabulary, self.walk)


_CACHES: WeakKeyDictionary[Vocabulary, MaskCache] = WeakKeyDictionary()
_forking: list[MaskCache] = []


def _before_fork() -> None:
    """Wait until no thread is in a cache: a new process would wait for that thread forever."""
    for cache in list(_CACHES.values()):
        cache.lock.acquire()
        _forking.append(cache)


def _after_fork() -> None:
    while _forking:
        _forking.pop().lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def mask_cache(vocabulary: Vocabulary) -> MaskCache:
    """The one cache of a vocabulary."""
    found = _CACHES.get(vocabulary)
    if found is None:
        found = _CACHES.setdefault(vocabulary, MaskCache(vocabulary))
    return found
