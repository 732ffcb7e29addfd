"""The one reader of GGUF files, on files that are written by hand."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from pdl.gguf import GgufError, read_metadata

if TYPE_CHECKING:
    from pathlib import Path

_U8, _I32, _BOOL, _STRING, _ARRAY = 0, 5, 7, 8, 9


def _text(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def _file(path: Path, *values: tuple[bytes, int, bytes], tensors: bytes = b"") -> Path:
    data = b"GGUF" + struct.pack("<IQQ", 3, int(bool(tensors)), len(values))
    for name, kind, value in values:
        data += _text(name) + struct.pack("<I", kind) + value
    path.write_bytes(data + tensors)
    return path


def _read(path: Path, *arrays: str, whole: bool = False) -> dict[str, Any]:
    with path.open("rb") as file:
        return read_metadata(file, arrays.__contains__, whole=whole)


def _nested(depth: int) -> bytes:
    """Arrays of one array each, the innermost of one byte."""
    return struct.pack("<IQ", _ARRAY, 1) * depth + struct.pack("<IQB", _U8, 1, 7)


def test_values_of_each_kind(tmp_path: Path) -> None:
    strings = struct.pack("<IQ", _STRING, 2) + _text(b"a") + _text(b"\xff")
    path = _file(
        tmp_path / "x.gguf",
        (b"flag", _BOOL, b"\x01"),
        (b"text", _STRING, _text(b"\xffx")),
        (b"skipped", _ARRAY, strings),
        (b"nested", _ARRAY, _nested(4)),
        (b"strings", _ARRAY, strings),
        (b"numbers", _ARRAY, struct.pack("<IQ2i", _I32, 2, -1, 7)),
    )
    assert _read(path, "strings", "numbers") == {
        "flag": True,
        "text": b"\xffx",
        "strings": [b"a", b"\xff"],
        "numbers": [-1, 7],
    }


def test_what_is_too_deep_or_unknown_is_damage(tmp_path: Path) -> None:
    for value in (_nested(6), struct.pack("<IQ", 99, 0)):
        with pytest.raises(GgufError, match=r"^is damaged at byte \d+: "):
            _read(_file(tmp_path / "x.gguf", (b"a", _ARRAY, value)))
    with pytest.raises(GgufError, match="is damaged at byte"):
        _read(_file(tmp_path / "x.gguf", (b"a", _ARRAY, _nested(1))), "a")


def test_counts_beyond_the_end_of_the_file(tmp_path: Path) -> None:
    """They are an error before anything of that size is read."""
    for kind in (_U8, _I32, _STRING, _ARRAY):
        path = _file(tmp_path / "x.gguf", (b"a", _ARRAY, struct.pack("<IQ", kind, 2**63)))
        with pytest.raises(GgufError, match="is cut off: it ends at byte"):
            _read(path)


def test_a_whole_file_reaches_to_its_last_tensor(tmp_path: Path) -> None:
    tensor = _text(b"t") + struct.pack("<IQIQ", 1, 4, 0, 32)
    path = _file(tmp_path / "x.gguf", tensors=tensor + bytes(48))
    assert _read(path, whole=True) == {}
    path = _file(tmp_path / "x.gguf", tensors=tensor + bytes(32))
    assert _read(path) == {}
    with pytest.raises(GgufError, match="is cut off"):
        _read(path, whole=True)
