"""A key is hidden in whatever spelling a server repeats it."""

from __future__ import annotations

import base64
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.models.secret import Mask, Secret

KEY = "sk-Secret-0123456789abcdefXYZ"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (KEY, "***"),
        (f"key {KEY.upper()}!", "key ***!"),
        ("a sk-Secret-\n 01234 56789abcdefXYZ b", "a *** b"),
        ("its end is 9abcdefxyz, its middle 0123456789ab", "its end is 9abcdefxyz, its middle ***"),
        ("it begins with sk-Secr… and so on", "it begins with ***… and so on"),
        ("nothing…", "nothing…"),
        ("", ""),
    ],
)
def test_texts(text: str, told: str) -> None:
    assert Secret(KEY).hidden_in(text) == told


@given(st.text(st.characters(codec="ascii"), max_size=9), st.text(max_size=9), st.booleans())
def test_base64(before: str, around: str, url: bool) -> None:  # noqa: FBT001
    """Whatever stands before it in there, as the name of a user, or `Bearer `."""
    encode = base64.urlsafe_b64encode if url else base64.b64encode
    code = encode(f"{before}{KEY}".encode()).decode()
    told = Secret(KEY).hidden_in(f"{around} {code} {around}")
    size = len(code)
    assert not any(
        code[start : start + 12] in told for start in range(4 + len(before) * 2, size - 11)
    )


@given(st.text(), st.text())
def test_what_is_around_stays(before: str, after: str) -> None:
    told = Secret(KEY).hidden_in(f"{before}|{KEY}|{after}")
    assert told == f"{before}|***|{after}" or "…" in before


@pytest.mark.parametrize("key", ["none", "EMPTY", "token"])
def test_keys_that_are_no_secrets(key: str) -> None:
    """Only as they are: they may be words, or parts of them."""
    assert Secret(key).hidden_in(f"a {key} b") == "a *** b"
    assert Secret("none").hidden_in("NONE, no\nne, non…") == "NONE, no\nne, non…"
    assert Secret("").hidden_in("a") == "a"
    assert Secret("k").hidden_in("the provider blocked the prompt") == (
        "the provider blocked the prompt"
    )


def test_a_mask_holds_no_key() -> None:
    mask = Secret(KEY).mask
    assert KEY not in repr(mask)
    stored = pickle.dumps(mask)
    assert b"Secret" not in stored
    assert isinstance(pickle.loads(stored), Mask)  # noqa: S301 - our own
