"""What all grammars over one vocabulary share: their masks, and what tokens do inside lexemes.

This is an adaptive token mask cache (Dong et al., "XGrammar", 2024). A lexeme is a part of a text
in which nearly all tokens may come, such as the inside of a string. It is known by its behaviour:
by the automaton over bytes that its configurations are, so that strings of all grammars are one.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakSet

from pdl.masks.native import KernelLexeme, KernelTrie
from pdl.masks.native import scan_lexeme as scan_in_kernel
from pdl.masks.trie_walk import Lexeme, TrieWalk, scan_lexeme

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.masks.vocabulary import Ints, Vocabulary

MASKS = 24 << 20
"""The bytes of masks that are kept."""
LEXEMES = 8 << 20
"""The bytes of lexemes that are kept."""
LEARNED = 64 << 20
"""The bytes of what maskers know of their own grammars."""

_SELDOM = 50  # masks that are made between two looks at what maskers know


class Learner(Protocol):
    """What learns of a grammar."""

    used: int
    """When it was used last."""

    @property
    def spent(self) -> int:
        """The memory of what was learned, in bytes."""

    def forget(self) -> None:
        """Drop what was learned; it will be learned again."""


class MaskCache:
    """The masks and the lexemes of one vocabulary, the least recently used of which are dropped."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.lock = RLock()
        self.walk = TrieWalk(vocabulary)
        self._vocabulary = vocabulary
        self._kernel_trie: KernelTrie | None = None
        self.learners: WeakSet[Learner] = WeakSet()
        self._masks: OrderedDict[tuple[int, int], Ints] = OrderedDict()
        self._lexemes: OrderedDict[tuple[bool, bytes], Lexeme | KernelLexeme] = OrderedDict()
        self._masks_size = self._lexemes_size = self._checks = 0
        self.serial = count().__next__
        """A new number, of which keys of masks are made."""

    @property
    def size(self) -> int:
        """The memory of all that is known, in bytes."""
        return self._masks_size + self._lexemes_size + self._learned

    @property
    def _learned(self) -> int:
        return sum(learner.spent for learner in self.learners)

    def check(self, learner: Learner) -> None:
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

    def mask(self, key: tuple[int, int]) -> Ints | None:
        """A mask that is known."""
        found = self._masks.get(key)
        if found is not None:
            self._masks.move_to_end(key)
        return found

    def keep(self, key: tuple[int, int], mask: Ints) -> None:
        """Know a mask from now on."""
        if key not in self._masks:
            self._masks_size += mask.nbytes + 200
        self._masks[key] = mask
        while self._masks_size > MASKS:
            _, old = self._masks.popitem(last=False)
            self._masks_size -= old.nbytes + 200

    def base(self, key: tuple[int, int], made: Callable[[], Ints]) -> Ints:
        """The mask of a configuration in which a lexeme stays, of which others are made."""
        key = (~key[0], key[1])
        found = self.mask(key)
        if found is None:
            found = made()
            self.keep(key, found)
        return found

    @property
    def kernel_trie(self) -> KernelTrie:
        """The vocabulary's trie for the kernel."""
        if self._kernel_trie is None:
            self._kernel_trie = KernelTrie(self._vocabulary, self.walk)
        return self._kernel_trie

    def lexeme(self, table: bytes) -> Lexeme:
        """What tokens do in a lexeme."""
        found = self._lexeme((False, table), lambda: scan_lexeme(self.walk, table))
        assert isinstance(found, Lexeme)
        return found

    def kernel_lexeme(self, table: bytes) -> KernelLexeme:
        """The same for the kernel."""
        trie = self.kernel_trie
        found = self._lexeme((True, table), lambda: scan_in_kernel(trie, table))
        assert isinstance(found, KernelLexeme)
        return found

    def _lexeme(
        self, key: tuple[bool, bytes], made: Callable[[], Lexeme | KernelLexeme]
    ) -> Lexeme | KernelLexeme:
        found = self._lexemes.get(key)
        if found is not None:
            self._lexemes.move_to_end(key)
            return found
        found = self._lexemes[key] = made()
        self._lexemes_size += found.size + len(key[1])
        while self._lexemes_size > LEXEMES and len(self._lexemes) > 1:
            old, dropped = self._lexemes.popitem(last=False)
            self._lexemes_size -= dropped.size + len(old[1])
        return found


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
