"""The trie: what a node is, which tokens end at it and below it, in which order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdl.masks.vocabulary import Trie, build_trie

TOKENS = st.lists(st.binary(max_size=4) | st.text("ab", max_size=5).map(str.encode), max_size=30)


def test_a_small_trie_reads_as_it_should() -> None:
    trie = build_trie([b"b", b"a", b"ab", b"", b"a", b"abc", b"no"], [0, 1, 2, 3, 4, 5])
    assert trie.levels.tolist() == [0, 1, 3, 4, 5]
    assert trie.parent.tolist() == [-1, 0, 0, 1, 3]
    assert bytes(trie.byte[1:]) == b"abbc"
    assert trie.child.tolist() == [1, 3, 4, 4, 5, 5]
    assert trie.order.tolist() == [1, 4, 2, 5, 0]
    assert (trie.low[1], trie.own[1], trie.high[1]) == (0, 2, 4)
    assert (trie.first.tolist(), trie.last.tolist()) == ([0, 1, 4, 2, 3], [5, 4, 5, 4, 4])
    assert (len(trie), trie.depth) == (5, 3)


def test_a_trie_of_nothing_is_a_root() -> None:
    trie = build_trie([], [])
    assert (len(trie), trie.depth, trie.child.tolist()) == (1, 0, [1, 1])
    assert trie.find(b"") == 0
    assert trie.find(b"a") is None
    assert (trie.first.tolist(), trie.last.tolist(), trie.high.tolist()) == ([0], [1], [0])


@given(TOKENS)
def test_each_prefix_is_one_node_with_its_tokens(tokens: list[bytes]) -> None:
    trie = build_trie(tokens, range(len(tokens)))
    held = [token for token in tokens if token]
    prefixes = {b""} | {token[:size] for token in held for size in range(len(token) + 1)}
    assert len(trie) == len(prefixes)
    for prefix in prefixes:
        node = trie.find(prefix)
        assert node is not None
        low, own, high = trie.low[node], trie.own[node], trie.high[node]
        assert set(trie.order[low:own]) == _numbers(tokens, lambda one, to=prefix: one == to)
        assert set(trie.order[low:high]) == _numbers(
            tokens, lambda one, to=prefix: bool(one) and one.startswith(to)
        )


@given(TOKENS)
def test_levels_children_and_depth_first_numbers_agree(tokens: list[bytes]) -> None:
    trie = build_trie(tokens, range(len(tokens)))
    nodes = range(len(trie))
    for node in nodes[1:]:
        above = int(trie.parent[node])
        assert trie.child[above] <= node < trie.child[above + 1]
        assert trie.first[above] < trie.first[node] < trie.last[node] <= trie.last[above]
    assert sorted(trie.first) == list(nodes)
    for depth, (start, end) in enumerate(zip(trie.levels, trie.levels[1:], strict=False)):
        assert all(_depth(trie, node) == depth for node in range(start, end))
        assert np.all(np.diff(trie.first[start:end]) > 0)
    texts = [tokens[token] for token in trie.order]
    assert texts == sorted(texts)


def test_nobody_changes_it() -> None:
    trie = build_trie([b"a"], [0])
    for name in Trie.__slots__:
        assert not getattr(trie, name).flags.writeable


def _numbers(tokens: list[bytes], chosen: object) -> set[int]:
    assert callable(chosen)
    return {number for number, token in enumerate(tokens) if token and chosen(token)}


def _depth(trie: Trie, node: int) -> int:
    depth = 0
    while node:
        node, depth = int(trie.parent[node]), depth + 1
    return depth
