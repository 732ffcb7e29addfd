"""Streams are cut into the same events, however they are cut into pieces."""

from __future__ import annotations

import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st

from pdl.models.bodies import Event, JsonLines, ServerSent
from pdl.models.faults import Fault

MOST = 1_000_000


def events(reader: JsonLines, *pieces: bytes) -> list[Event]:
    found = [event for piece in pieces for event in reader.feed(piece)]
    return [*found, *reader.close()]


def sse(*pieces: bytes) -> list[Event]:
    return events(ServerSent(MOST), *pieces)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data: a\n\n", [Event("", "a")]),
        ("data:a\n\n", [Event("", "a")]),
        ("data:  a\n\n", [Event("", " a")]),
        ("data: a\r\n\r\ndata: b\r\n\r\n", [Event("", "a"), Event("", "b")]),
        ("data: a\r\rdata: b\r\r", [Event("", "a"), Event("", "b")]),
        ("data: a\ndata: b\n\n", [Event("", "a\nb")]),
        ("data: a\ndata\ndata: b\n\n", [Event("", "a\n\nb")]),
        ("data\n\n", [Event("", "")]),
        ("\ufeffdata: a\n\n", [Event("", "a")]),
        ("\ufeff\ufeffdata: a\n\n", []),
        (": a comment\n\ndata: a\n\n", [Event("", "a")]),
        ("event: ping\n\ndata: a\n\n", [Event("", "a")]),
        ("event: told\ndata: a\n\ndata: b\n\n", [Event("told", "a"), Event("", "b")]),
        ("id: 7\nretry: 5\ndata: a\nunknown: x\n\n", [Event("", "a")]),
        ("data: a: b\n\n", [Event("", "a: b")]),
        (" data: a\n\n", []),
        ("data: a\u2028b\x0b\x85\n\n", [Event("", "a\u2028b\x0b\x85")]),
        ("data: a\n", [Event("", "a", is_whole=False)]),
        ("data: a", [Event("", "a", is_whole=False)]),
        ("data: a\n\ndata: b", [Event("", "a"), Event("", "b", is_whole=False)]),
        ("", []),
        ("\n\n\n", []),
    ],
)
def test_rules(text: str, expected: list[Event]) -> None:
    """The rules of the HTML standard, each with a stream."""
    assert sse(text.encode()) == expected


LINES = st.lists(
    st.sampled_from(
        ["data: a", "data:", "data", "event: x", ": c", "", "", 'data: {"é": "\U0001f600"}', "x"]
    ),
    max_size=20,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\ufeff"]), st.data())
def test_pieces_make_no_difference(
    lines: list[str], end: str, bom: str, data: st.DataObject
) -> None:
    """Cut anywhere, within a character or between CR and LF: the events are the same."""
    whole = (bom + end.join(lines)).encode()
    places = sorted(data.draw(st.sets(st.integers(0, len(whole)))))
    pieces = [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]
    assert sse(*pieces) == sse(whole)
    assert events(JsonLines(MOST), *pieces) == events(JsonLines(MOST), whole)


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{0,5}", fullmatch=True), st.text()), max_size=6))
def test_what_is_written_is_read(told: list[tuple[str, str]]) -> None:
    """Data of any text comes back, its line ends as LF."""
    written = ""
    for name, text in told:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        written += f"event: {name}\n" + "".join(f"data: {line}\n" for line in lines) + "\n"
    found = (
        sse(written.encode("utf-8", "surrogatepass"))
        if written.isascii()
        else sse(written.encode())
    )
    expected = [(n, t.replace("\r\n", "\n").replace("\r", "\n")) for n, t in told]
    assert [(event.name, event.data) for event in found] == expected


def test_json_lines() -> None:
    """A line of JSON each; blank ones say nothing, and the last may lack its end."""
    found = events(JsonLines(MOST), b'{"a": 1}\r\n\n{"b"', b": 2}\n", b'{"c": 3}')
    assert [(event.data, event.is_whole) for event in found] == [
        ('{"a": 1}', True),
        ('{"b": 2}', True),
        ('{"c": 3}', False),
    ]


@pytest.mark.parametrize("data", [b"data: \xff\n\n", b"data: \xc3", b"\xed\xa0\x80\n"])
def test_not_utf8(data: bytes) -> None:
    """Bytes that are no UTF-8 are never replaced."""
    with pytest.raises(Fault) as caught:
        sse(data)
    assert caught.value.kind == "not_utf8"


@pytest.mark.parametrize(
    "data", [b"data: " + b"x" * 2000, b"data: x\n" * 600, b": " + b"x" * 2000, b"x" * 2000]
)
def test_too_large(data: bytes) -> None:
    """Neither a line nor the lines of an event go beyond the bound."""
    with pytest.raises(Fault) as caught:
        events(ServerSent(1000), *(data[at : at + 7] for at in range(0, len(data), 7)))
    assert caught.value.kind == "too_large"


@pytest.mark.parametrize("data", [b"data: " + b"x" * 100_000 + b"\n\n", b"data: x\n\n" * 10_000])
def test_work_is_linear(data: bytes) -> None:
    """A byte at a time costs as much for each byte of a long stream as of a short one."""

    def read(size: int) -> None:
        reader = ServerSent(MOST)
        for at in range(size):
            list(reader.feed(data[at : at + 1]))

    assert effort(read, 20_000) < effort(read, 2_000) * 12
