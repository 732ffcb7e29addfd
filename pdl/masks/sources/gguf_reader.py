"""The metadata of a GGUF file, as far as its tokenizer needs it.

Source: "GGUF" in ggml's `docs/gguf.md`. Tensors are not looked at, nor are other values kept.
"""

from __future__ import annotations

import mmap
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: "<u1", 1: "<i1", 2: "<u2", 3: "<i2", 4: "<u4", 5: "<i4", 6: "<f4", 7: "?",
    10: "<u8", 11: "<i8", 12: "<f8",
}  # fmt: skip
_SIZE = struct.Struct("<Q")


class BadFileError(ValueError):
    """A file is no GGUF, or is not complete."""


def metadata(path: Path, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """The values whose names are `wanted`: numbers, strings as bytes, and lists of them.

    Raises OSError if the file cannot be read, BadFileError if it is no GGUF of a known version.
    """
    with path.open("rb") as file:
        try:
            held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # nothing to map
            raise BadFileError("it is empty") from error
        with held:
            return _Reader(held).metadata(wanted)


class _Reader:
    """A place in a file."""

    def __init__(self, held: mmap.mmap) -> None:
        self._held = held
        self._at = 0

    def metadata(self, wanted: Callable[[str], bool]) -> dict[str, Any]:
        if self._take(len(MAGIC)) != MAGIC:
            raise BadFileError("it does not begin as a GGUF file does")
        version = self._number("<u4")
        if version not in _VERSIONS:
            raise BadFileError(f"its version is {version}; known are {_VERSIONS}, little-endian")
        self._number("<u8")  # how many tensors there are
        found = {}
        for _ in range(self._number("<u8")):
            name = self._string().decode("utf-8", "replace")
            keep = wanted(name)
            value = self._value(self._number("<u4"), keep=keep)
            if keep:
                found[name] = value
        return found

    def _value(self, kind: int, *, keep: bool) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(_type(kind))
        inner, count = self._number("<u4"), self._number("<u8")
        if inner == _STRING:
            return self._strings(count, keep=keep)
        dtype = np.dtype(_type(inner))
        data = self._take(count * dtype.itemsize)
        return np.frombuffer(data, dtype).tolist() if keep else None

    def _number(self, kind: str) -> Any:
        dtype = np.dtype(kind)
        return np.frombuffer(self._take(dtype.itemsize), dtype)[0].item()

    def _string(self) -> bytes:
        return self._take(self._number("<u8"))

    def _strings(self, count: int, *, keep: bool) -> list[bytes]:
        """Many strings, or a look past them."""
        held, at, size = self._held, self._at, len(self._held)
        found: list[bytes] = []
        for _ in range(count):
            if at + 8 > size:
                raise _cut(size)
            start = at + 8
            at = start + _SIZE.unpack_from(held, at)[0]
            if at > size:
                raise _cut(size)
            if keep:
                found.append(held[start:at])
        self._at = at
        return found

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._held):
            raise _cut(len(self._held))
        data = self._held[self._at : end]
        self._at = end
        return data


def _type(kind: int) -> str:
    found = _NUMBERS.get(kind)
    if found is None:
        raise BadFileError(f"it has a value of an unknown type, {kind}")
    return found


def _cut(size: int) -> BadFileError:
    return BadFileError(f"it is cut off: it ends at byte {size:,}, amid its metadata")
