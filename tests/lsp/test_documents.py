"""Texts after changes, and URIs, without a server."""

from __future__ import annotations

from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.edit.positions import Encoding, Position, Positions
from pdl.lsp.documents import Text, path_of, pure_path_of, uri_of

CHARACTERS = "ab \n\n\r\u2028\x0b\x85é€😀\ufeff\ud800"
TEXTS = st.text(CHARACTERS, max_size=12)
PLACES = st.builds(Position, st.integers(0, 6), st.integers(0, 8))
CHANGES = st.lists(st.tuples(PLACES, PLACES, TEXTS), max_size=8)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


@given(TEXTS, CHANGES, ENCODINGS)
def test_changes_of_lines_are_those_of_the_text(
    start: str, changes: list[tuple[Position, Position, str]], encoding: Encoding
) -> None:
    """A text that is kept as lines is the one that is changed as a whole."""
    text, model = Text(start, encoding), start
    for one, other, words in changes:
        first, last = min(one, other), max(one, other)
        text.replace(first, last, words)
        places = Positions(model, encoding)
        model = model[: places.raw_at(first)] + words + model[places.raw_at(last) :]
        assert str(text) == model


URIS = [
    ("file:///a/b%20c.pdl", PurePosixPath("/a/b c.pdl"), False),
    ("file:///a/%C3%A9%23.pdl", PurePosixPath("/a/é#.pdl"), False),
    ("file:///a/b+c&d.pdl", PurePosixPath("/a/b+c&d.pdl"), False),
    ("file:///c%3A/x/y.pdl", PureWindowsPath("c:/x/y.pdl"), True),
    ("file:///C:/x/y.pdl", PureWindowsPath("c:/x/y.pdl"), True),
    ("file://host/share/y.pdl", PureWindowsPath("//host/share/y.pdl"), True),
    ("untitled:Untitled-1", None, False),
    ("vscode-notebook-cell:/a.pdl", None, False),
    ("file:", None, False),
    ("file:///a%00b", None, False),
    ("", None, False),
    ("http://[", None, False),
]


@pytest.mark.parametrize(("uri", "path", "windows"), URIS)
def test_the_path_of_a_uri(uri: str, path: PurePath | None, windows: bool) -> None:  # noqa: FBT001
    assert pure_path_of(uri, windows=windows) == path


@given(st.lists(st.text("a é%#?:+\\😀\udcff", min_size=1, max_size=5), min_size=1, max_size=3))
def test_the_uri_of_a_path_is_that_of_the_path(names: list[str]) -> None:
    path = Path("/", *names)
    assert path_of(uri_of(path)) == path
    assert uri_of(path).isascii()


def test_the_uri_of_a_path_of_windows() -> None:
    assert uri_of(PureWindowsPath("c:/x y/z.pdl")) == "file:///c:/x%20y/z.pdl"
    assert uri_of(PureWindowsPath("//host/share/z.pdl")) == "file://host/share/z.pdl"
