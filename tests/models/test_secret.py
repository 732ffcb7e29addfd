"""A key is hidden in whatever spelling a server repeats it."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.models.secret import Secret

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
    assert Secret(KEY).redact(text) == told


@given(st.text(st.characters(codec="ascii"), max_size=9), st.text(max_size=9), st.booleans())
def test_base64(before: str, around: str, url: bool) -> None:  # noqa: FBT001
    """Whatever stands before it in there, as the name of a user, or `Bearer `."""
    encode = base64.urlsafe_b64encode if url else base64.b64encode
    code = encode(f"{before}{KEY}".encode()).decode()
    told = Secret(KEY).redact(f"{around} {code} {around}")
    size = len(code)
    assert not any(
        code[start : start + 12] in told for start in range(4 + len(before) * 2, size - 11)
    )


@given(st.text(), st.text())
def test_what_is_around_stays(before: str, after: str) -> None:
    told = Secret(KEY).redact(f"{before}|{KEY}|{after}")
    assert told == f"{before}|***|{after}" or "…" in before


def test_url_encoded() -> None:
    key = "pass/word+of=mine"
    assert Secret(key).redact(f"?key={quote(key, safe='')}&x") == "?key=***&x"


@pytest.mark.parametrize("key", ["none", "EMPTY", "token"])
def test_keys_that_are_no_secrets(key: str) -> None:
    """Only as they are: they may be words, or parts of them."""
    assert Secret(key).redact(f"a {key} b") == "a *** b"
    assert Secret("none").redact("NONE, no\nne, non…") == "NONE, no\nne, non…"
    assert Secret("").redact("a") == "a"
    assert Secret("k").redact("the provider blocked the prompt") == (
        "the provider blocked the prompt"
    )
