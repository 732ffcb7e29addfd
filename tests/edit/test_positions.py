"""Lines and columns of editors, in all units, with all line ends."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.document import Document
from pdl.edit.positions import Encoding, Position, Positions

ENCODINGS = get_args(Encoding)
TEXTS = st.text("a\n\r\u2028\x0b\x85é€\U0001f600\ud800x")


@pytest.mark.parametrize(
    ("raw", "word", "columns"),
    [
        ("\U0001f600 x", "x", (5, 3, 2)),
        ("é\r\n€ x", "x", (4, 2, 2)),
        ("a\u2028x", "x", (4, 2, 2)),
        ("\ufeffx", "x", (3, 1, 1)),
        ("\ud800 x", "x", (4, 2, 2)),
    ],
)
def test_columns_by_encoding(raw: str, word: str, columns: tuple[int, int, int]) -> None:
    offset = Document(raw).text.index(word)
    found = [Positions(raw, one).position(offset) for one in ENCODINGS]
    assert tuple(one.character for one in found) == columns
    assert all(
        Positions(raw, one).offset(at) == offset for one, at in zip(ENCODINGS, found, strict=True)
    )


@given(TEXTS, st.booleans(), st.sampled_from(ENCODINGS))
def test_offsets_and_positions_are_inverse(text: str, mark: bool, encoding: Encoding) -> None:  # noqa: FBT001
    raw = "\ufeff" * mark + text
    positions, document = Positions(raw, encoding), Document(raw)
    for offset in range(len(document.text) + 1):
        assert positions.offset(positions.position(offset)) == offset
        at = positions.raw_offset(offset)
        assert document.text[offset : offset + 1] in ("\n", raw[at : at + 1])
        assert positions.raw_at(positions.position(offset)) == at
    lines = {positions.position(offset).line for offset in range(len(document.text) + 1)}
    assert lines == set(range(document.text.count("\n") + 1))


def test_positions_outside_of_the_text_are_kept_inside() -> None:
    positions = Positions("ab\r\nc", "utf-16")
    assert positions.offset(Position(0, 9)) == 2
    assert positions.offset(Position(9, 0)) == 4
    assert positions.position(99) == (1, 1)
    assert positions.raw_offset(99) == 5
