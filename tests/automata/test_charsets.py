"""Sets of code points against Python's own sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pdl.automata.charset import EVERY, LAST, NONE, CharSet, classify, joined

_CODES = st.integers(0, 40) | st.integers(0xD7F0, 0xE010) | st.integers(LAST - 5, LAST)
_PAIRS = st.lists(st.tuples(_CODES, _CODES), max_size=5)
_NEAR = [*range(50), *range(0xD7E0, 0xE020), *range(LAST - 9, LAST + 1)]


def _plain(pairs: list[tuple[int, int]]) -> set[int]:
    return {
        code
        for code in _NEAR
        if any(low <= code <= high for low, high in pairs) and not 0xD800 <= code <= 0xDFFF
    }


def _codes(chars: CharSet) -> set[int]:
    return {code for code in _NEAR if code in chars}


@given(_PAIRS, _PAIRS)
def test_operations_are_those_of_sets(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]]
) -> None:
    one, other = CharSet.over(ours), CharSet.over(theirs)
    first, second = _plain(ours), _plain(theirs)
    assert _codes(one) == first
    assert _codes(one | other) == first | second
    assert _codes(one & other) == first & second
    assert _codes(one - other) == first - second
    assert _codes(~one) == _codes(EVERY) - first
    assert bool(one) == (len(one) > 0)


@given(_PAIRS, _PAIRS)
def test_ranges_are_sorted_disjoint_and_apart(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]]
) -> None:
    one, other = CharSet.over(ours), CharSet.over(theirs)
    for found in (one, one | other, one & other, one - other, ~one):
        assert all(low <= high for low, high in found.ranges)
        ends = zip(found.ranges, found.ranges[1:], strict=False)
        assert all(before[1] + 1 < after[0] for before, after in ends)


@given(st.lists(_PAIRS, max_size=4))
def test_classes_are_disjoint_and_make_up_the_sets(sets: list[list[tuple[int, int]]]) -> None:
    ranges = [CharSet.over(pairs).ranges for pairs in sets]
    classes, members = classify(ranges)
    assert [joined(classes, one) for one in members] == ranges
    assert sum(len(CharSet(one)) for one in classes) == len(
        CharSet.over(p for r in ranges for p in r)
    )
    assert list(classes) == sorted(classes)


def test_surrogates_are_in_no_set() -> None:
    assert 0xD800 not in EVERY
    assert CharSet.of("\ud800") == NONE
    assert CharSet.range(0xD7FF, 0xE000).ranges == ((0xD7FF, 0xD7FF), (0xE000, 0xE000))
    assert len(EVERY) == LAST + 1 - 0x800
    assert "é" in CharSet.char(0xE9)
