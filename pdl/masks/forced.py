"""The bytes of which there is no choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl.gbnf.matcher import Configuration, Matcher
    from pdl.masks.trie import Trie
    from pdl.masks.vocabulary import Vocabulary


def forced(
    matcher: Matcher, here: Configuration, vocabulary: Vocabulary
) -> tuple[bytes, tuple[int, ...]]:
    """The bytes that must follow a configuration, and tokens that make them."""
    found = bytearray()
    byte = _only(matcher, here)
    while byte is not None:
        found.append(byte)
        here = matcher.step(here, byte)
        byte = _only(matcher, here)
    return bytes(found), tuple(cut(bytes(found), vocabulary.trie)[0])


def _only(matcher: Matcher, here: Configuration) -> int | None:
    """The one byte that may follow; None if there is a choice."""
    if here.complete:
        return None
    only: int | None = None
    automaton = matcher.automaton
    for state, _ in here.items:
        if state in automaton.tokens:
            return None
        for low, high, _ in automaton.moves[state]:
            if low != high or only not in (None, low):
                return None
            only = low
    return only


def cut(data: bytes, trie: Trie) -> tuple[list[int], int]:
    """The tokens of some bytes, each the longest that there is; and where there is none."""
    found: list[int] = []
    at = 0
    while at < len(data):
        best, end = _longest(data, at, trie)
        if best is None:
            break
        found.append(best)
        at = end
    return found, at


def _longest(data: bytes, at: int, trie: Trie) -> tuple[int | None, int]:
    """The longest token at an offset, and where it ends."""
    best: int | None = None
    end, node = at, 0
    while at < len(data):
        start, stop = int(trie.child[node]), int(trie.child[node + 1])
        step = bytes(trie.byte[start:stop]).find(data[at])
        if step < 0:
            break
        node, at = start + step, at + 1
        if trie.own[node] > trie.low[node]:
            best, end = int(trie.order[trie.low[node]]), at
    return best, end
