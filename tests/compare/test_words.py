"""The difference of two texts in words."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st

from pdl.compare.words import shared_runs, word_changes

CASES = (
    ("", "", ""),
    ("same", "same", "same"),
    ("", "new", "{+new+}"),
    ("old", "", "[-old-]"),
    ("Be nice.", "Be very nice.", "Be {+very +}nice."),
    ("Be very nice.", "Be nice.", "Be [-very -]nice."),
    ("Be nice.", "Be kind.", "Be [-nice-]{+kind+}."),
    ("one two three", "three one two", "{+three +}one two[- three-]"),
    # The spaces of a rewritten sentence are no anchors, nor are words of few letters.
    ("The quick fox jumps", "Some other words come",
     "[-The quick fox jumps-]{+Some other words come+}"),
    ("Wrap it at eighty", "Count up at twelve", "[-Wrap it-]{+Count up+} at [-eighty-]{+twelve+}"),
    ("Wrap each line at column eighty", "Count characters up at most twelve",
     "[-Wrap each line at column eighty-]{+Count characters up at most twelve+}"),
    # Line breaks stay where both texts have them.
    ("a b\nc d\n", "x y\nz w\n", "[-a b-]{+x y+}\n[-c d-]{+z w+}\n"),
    ("a\nb\n", "a\n\nb\n", "a\n{+\n+}b\n"),
    ("a  b", "a b", "a[-  -]{+ +}b"),
    ("{{ name }}", "{{ title }}", "{{ [-name-]{+title+} }}"),
    ("最高の品質", "最低の品質", "最[-高-]{+低+}の品質"),
    ("cafe\u0301 au lait", "cafe au lait", "[-cafe\u0301-]{+cafe+} au lait"),
    ("snake_case", "snake_cases", "[-snake_case-]{+snake_cases+}"),
)  # fmt: skip
MARKED = {"equal": "{}", "removed": "[-{}-]", "inserted": "{{+{}+}}"}


def marked(old: str, new: str) -> str:
    return "".join(MARKED[piece.kind].format(piece.text) for piece in word_changes(old, new))


@pytest.mark.parametrize(("old", "new", "wanted"), CASES)
def test_words(old: str, new: str, wanted: str) -> None:
    assert marked(old, new) == wanted


TEXTS = st.text(st.sampled_from("ab c\n.é名\r"), max_size=40) | st.text(max_size=40)


@given(TEXTS, TEXTS)
def test_pieces_are_both_texts(old: str, new: str) -> None:
    pieces = word_changes(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind != "inserted") == old
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == new
    assert all(piece.text for piece in pieces)
    assert all(
        one.kind != other.kind and (one.kind, other.kind) != ("inserted", "removed")
        for one, other in pairwise(pieces)
    )
    assert {piece.kind for piece in word_changes(old, old)} <= {"equal"}


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_runs_are_the_longest_where_no_item_is_unique(old: list[str], new: list[str]) -> None:
    old, new = old * 2, new * 2
    runs = shared_runs(old, new)
    assert all(old[at : at + size] == new[other : other + size] for at, other, size in runs)
    assert all(
        one.old + one.size <= two.old and one.new + one.size <= two.new
        for one, two in pairwise(runs)
    )
    most = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            most[i + 1][j + 1] = (
                most[i][j] + 1 if one == other else max(most[i][j + 1], most[i + 1][j])
            )
    assert sum(run.size for run in runs) == most[-1][-1]


def _texts(kind: str, words: int) -> tuple[str, str]:
    """Two texts of that many words, which differ in a certain way."""
    chance = random.Random(3)  # noqa: S311
    known = ["a", "b"] if kind == "two words" else [f"w{number}" for number in range(words // 6)]
    old = [chance.choice(known) for _ in range(words)]
    if kind == "a few changes":
        new = [chance.choice(known) if chance.random() < 0.01 else word for word in old]
    elif kind == "many changes":
        new = [chance.choice(known) if chance.random() < 0.3 else word for word in old]
    elif kind == "reversed":
        new = old[::-1]
    else:
        new = [chance.choice(known) for _ in range(words)]
    return " ".join(old), " ".join(new)


KINDS = ("a few changes", "many changes", "other text", "two words", "reversed")


@pytest.mark.parametrize("kind", KINDS)
def test_work_is_linear(kind: str) -> None:
    """Four times the text takes no more than about four times the calls."""
    small, large = (effort(word_changes, *_texts(kind, words)) for words in (1_500, 6_000))
    assert large < 7 * small
    assert large < 2_000_000


def test_work_is_linear_where_each_cut_makes_one_more_word_unique() -> None:
    def peeled(size: int) -> int:
        old = [item for number in range(size) for item in (number, "x", number + 1)]
        new = [item for number in range(size) for item in (number, "y", number + 1)][::-1]
        return effort(shared_runs, old, new)

    assert peeled(4_000) < 7 * peeled(1_000)
