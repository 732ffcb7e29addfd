"""Forced tokens: the unique continuation of a state (jump-forward decoding, SGLang); and prefetch.

Masks are computed in advance for likely states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.gbnf.rtn import Rtn
    from pdl.masks.engine import Engine, Here
    from pdl.masks.vocabulary import Trie, Vocabulary


MOST = 4096
"""Bytes that are looked for at once."""


def forced(engine: Engine, here: Here, vocabulary: Vocabulary) -> tuple[bytes, tuple[int, ...]]:
    """Return the bytes that must follow a configuration, `MOST` at most, and their tokens."""
    found = bytearray()
    there: Here | None = here
    while there is not None and len(found) < MOST:
        byte = _only(engine, there)
        if byte is None:
            break
        found.append(byte)
        there = engine.run(there, bytes([byte]))
    return bytes(found), tuple(cut(bytes(found), vocabulary.trie)[0])


def _only(engine: Engine, here: Here) -> int | None:
    """The one byte that may follow; None if there is a choice."""
    if here.complete:
        return None
    only: int | None = None
    rtn = engine.rtn
    for state in engine.states(here):
        if rtn.token_edge(state):
            return None
        for low, high, _ in rtn.moves[state]:
            if low != high or only not in (None, low):
                return None
            only = low
    return only


def cut(data: bytes, trie: Trie) -> tuple[list[int], int]:
    """Return the tokens of some bytes, each the longest possible; and where there is none."""
    found: list[int] = []
    at = 0
    while longest := _longest(data, at, trie):
        token, at = longest
        found.append(token)
    return found, at


def _longest(data: bytes, at: int, trie: Trie) -> tuple[int, int] | None:
    """The longest token at an offset, and where it ends; None if there is none."""
    found: tuple[int, int] | None = None
    node = 0
    for end in range(at, len(data)):
        step = trie.after(node, data[end])
        if step is None:
            break
        node = step
        if trie.own[node] > trie.low[node]:
            found = int(trie.order[trie.low[node]]), end + 1
    return found


_LIKELY = b"a1 "  # bytes of which the first one in a class represents it
_UNLIKELY = frozenset(b"\t\n\r-\\")  # newlines, minus signs and escapes
_BLANK = b" "
_LONGEST = 60  # bytes of a literal that are followed at once


def prefetch(
    engine: Engine, vocabulary: Vocabulary, mask: Callable[[Here], object]
) -> Iterator[Here]:
    """Compute the masks of configurations, nearest to the start first, one for each that it yields.

    A literal is followed to its end, over its longest tokens, a class by one of its bytes, and
    spaces once. This looks for texts as a model writes them, not for all texts.
    """
    pending = [(engine.start, b"")]
    seen = {engine.start}
    for here, last in pending:  # which grows
        mask(here)
        yield here
        states = engine.states(here)
        for run in dict.fromkeys(_literal(engine.rtn, state) for state in states):
            if not run or run[0] in _UNLIKELY or run == last == _BLANK:
                continue
            for there in _along(engine, vocabulary, here, run):
                if there not in seen:
                    seen.add(there)
                    pending.append((there, run))


def _along(engine: Engine, vocabulary: Vocabulary, here: Here, run: bytes) -> Iterator[Here]:
    """Where the tokens of some bytes end."""
    for token in cut(run, vocabulary.trie)[0]:
        there = engine.run(here, vocabulary.tokens[token])
        if there is None:
            return
        yield there
        here = there


def _literal(rtn: Rtn, state: int) -> bytes:
    """The bytes of a literal from a state on, or one byte of a class."""
    found = bytearray()
    moves = rtn.moves[state]
    while len(moves) == 1 and moves[0][0] == moves[0][1] and len(found) < _LONGEST:
        low, _, state = moves[0]
        found.append(low)
        moves = rtn.moves[state]
    if found or not moves:
        return bytes(found)
    held = (byte for byte in _LIKELY if any(low <= byte <= high for low, high, _ in moves))
    return bytes([next(held, moves[0][0])])
