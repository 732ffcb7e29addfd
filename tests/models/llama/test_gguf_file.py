"""What is read of a GGUF file, and what is said of one that is bad."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shares import share

import pdl
from pdl.models import connect
from pdl.models.llama.model import read_header

if TYPE_CHECKING:
    from pathlib import Path


def test_header(tiny_file: Path) -> None:
    header = read_header(tiny_file)
    assert header.context == 32_768
    assert "<|im_start|>" in header.template
    assert "<|im_end|>" in header.control.values()
    assert set(header.marks.values()) >= {"<think>", "</think>", "<tool_call>"}


BAD = {
    "no.gguf": (None, "cannot be read: no such file or directory"),
    "empty.gguf": (b"", "is not a GGUF file"),
    "text.gguf": (b"<html>not found</html>", "is not a GGUF file"),
    "magic.gguf": (
        b"GGUF",
        "byte 4\n  hint: perhaps its download was not finished",
    ),
    "old.gguf": (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "has version 1 of GGUF"),
    "endless.gguf": (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "is cut off"),
    "kind.gguf": (b"GGUF" + struct.pack("<IQQQcI", 3, 0, 1, 1, b"a", 99), "damaged at byte 37"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path) -> None:
    """Each is an error that names the file, also for `connect`."""
    content, told = BAD[name]
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(pdl.FileError) as caught:
        connect(f"llama:{path}")
    assert str(caught.value).startswith(f"{path}: {told}") or told in str(caught.value)


def test_half_a_file(tiny_file: Path, tmp_path: Path) -> None:
    """A download that was not finished is told from a file of another kind."""
    data = tiny_file.read_bytes()
    for size in (len(data) // 2, 5_000, 100):
        path = tmp_path / "half.gguf"
        path.write_bytes(data[:size])
        with pytest.raises(pdl.FileError, match="is cut off"):
            read_header(path)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "tiny.gguf"


@settings(suppress_health_check=list(HealthCheck), max_examples=share(300))
@given(data=st.data())
def test_damaged_files(data: st.DataObject, tiny_file: Path, damaged: Path) -> None:
    """Whatever is damaged, it is read or it is an error."""
    content = bytearray(
        tiny_file.read_bytes()[: data.draw(st.sampled_from((30_000, 300, 300_000)))]
    )
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged.write_bytes(content)
    try:
        read_header(damaged)
    except pdl.FileError as error:
        assert error.problem.code == "file/gguf"  # noqa: PT017 - most are no error
