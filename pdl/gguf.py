"""GGUF files: their metadata, and whether all of a file is there.

Every length is checked against the end of the file before anything is read or allocated. llama.cpp
refuses bad files too, but doesn't tell its caller why.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAGIC = b"GGUF"
TOKENIZER = "tokenizer.ggml."
"""How the names of values begin that describe the tokens."""
NORMAL, CONTROL, USER_DEFINED, BYTE = 1, 3, 4, 6
"""Types of tokens."""

_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
_U32, _U64 = 4, 10
_SIZE = struct.Struct("<Q")
_STRUCTS = {kind: struct.Struct(f"<{form}") for kind, form in _NUMBERS.items()}
_DEEPEST = 4  # arrays inside of arrays; known files have none


class GgufError(ValueError):
    """A file is not a GGUF file of a known version, is damaged, or is cut off.

    The message is a predicate of the file: "is cut off". `hint` says what might be the reason.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def read_metadata(
    file: BinaryIO, arrays: Callable[[str], bool], *, whole: bool = False
) -> dict[str, Any]:
    """Return the metadata of a file: numbers, strings as bytes, and lists of both.

    Of arrays, only those are read for whose names `arrays` returns true. With `whole`, the file
    must reach to its last tensor. Raises GgufError, and OSError if the file cannot be read.
    """
    try:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # nothing to map
        raise GgufError("is not a GGUF file: it is empty") from error
    with data:
        return _Reader(data).metadata(arrays, whole=whole)


class _Reader:
    """A position in a file; each step is checked against the end of the file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def metadata(self, arrays: Callable[[str], bool], *, whole: bool) -> dict[str, Any]:
        if self._data[: len(MAGIC)] != MAGIC:
            raise GgufError("is not a GGUF file: it does not begin with `GGUF`")
        self._at = len(MAGIC)
        version = self._number(_U32)
        if version not in _VERSIONS:
            raise GgufError(f"has version {version} of GGUF; 2 and 3, little-endian, are known")
        tensors, count = self._number(_U64), self._number(_U64)
        found: dict[str, Any] = {}
        for _ in range(count):
            name = self._string().decode("utf-8", "replace")
            kind = self._number(_U32)
            if kind != _ARRAY:
                found[name] = self._string() if kind == _STRING else self._number(kind)
            elif arrays(name):
                found[name] = self._array()
            else:
                self._skip_array()
        if whole:
            self._check_tensors(tensors)
        return found

    def _array(self) -> list[Any]:
        """The elements of an array of strings or of numbers."""
        inner, count = self._number(_U32), self._number(_U64)
        if inner == _STRING:
            return self._strings(count, keep=True)
        size = self._struct(inner).size
        start = self._at
        self._skip(count * size)
        return list(struct.unpack_from(f"<{count}{_NUMBERS[inner]}", self._data, start))

    def _skip_array(self, depth: int = 0) -> None:
        inner, count = self._number(_U32), self._number(_U64)
        if inner == _STRING:
            self._strings(count, keep=False)
        elif inner != _ARRAY:
            self._skip(count * self._struct(inner).size)
        elif depth < _DEEPEST:
            for _ in range(count):
                self._skip_array(depth + 1)
        else:
            raise self._damaged()

    def _strings(self, count: int, *, keep: bool) -> list[bytes]:
        """Read or skip many strings."""
        data, at, end = self._data, self._at, len(self._data)
        found: list[bytes] = []
        for _ in range(count):
            start = at + _SIZE.size
            if start > end:
                raise self._cut()
            at = start + _SIZE.unpack_from(data, at)[0]
            if at > end:
                raise self._cut()
            if keep:
                found.append(data[start:at])
        self._at = at
        return found

    def _string(self) -> bytes:
        size = self._number(_U64)
        start = self._at
        self._skip(size)
        return self._data[start : self._at]

    def _number(self, kind: int) -> Any:
        form = self._struct(kind)
        start = self._at
        self._skip(form.size)
        return form.unpack_from(self._data, start)[0]

    def _struct(self, kind: int) -> struct.Struct:
        found = _STRUCTS.get(kind)
        if found is None:
            raise self._damaged()
        return found

    def _skip(self, size: int) -> None:
        if size > len(self._data) - self._at:
            raise self._cut()
        self._at += size

    def _check_tensors(self, count: int) -> None:
        """Check that the file continues at least up to the position of its last tensor."""
        last = -1
        for _ in range(count):
            self._string()
            self._skip(self._number(_U32) * _SIZE.size)  # its dimensions
            self._number(_U32)
            last = max(last, self._number(_U64))
        if self._at + last >= len(self._data):
            raise self._cut()

    def _damaged(self) -> GgufError:
        return GgufError(f"is damaged at byte {self._at:,}: it has a value of an unknown type")

    def _cut(self) -> GgufError:
        end = f"is cut off: it ends at byte {len(self._data):,}"
        return GgufError(end, "perhaps its download was not finished")


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of its model.

    `values` is its metadata, without arrays; `control` and `marks` are tokens that are more than
    text, by their IDs: those that are not printed, and those that are user-defined.
    """

    values: Mapping[str, Any]
    control: Mapping[int, str] = field(default_factory=dict, repr=False)
    marks: Mapping[int, str] = field(default_factory=dict, repr=False)

    @property
    def template(self) -> str:
        """The chat template, in Jinja; empty if there is none."""
        found = self.values.get("tokenizer.chat_template")
        return found if isinstance(found, str) else ""

    @property
    def context(self) -> int:
        """The tokens of context that the model was trained with; 0 if it does not say."""
        kind = self.values.get("general.architecture")
        found = self.values.get(f"{kind}.context_length")
        return found if isinstance(found, int) else 0


_TOKENS, _TYPES = f"{TOKENIZER}tokens", f"{TOKENIZER}token_type"


def read_header(file: BinaryIO) -> Header:
    """Return what a file says of its model. Raises GgufError for one that is not whole."""
    found = read_metadata(file, (_TOKENS, _TYPES).__contains__, whole=True)
    tokens, types = found.pop(_TOKENS, None), found.pop(_TYPES, None)
    values = {name: _text(value) for name, value in found.items()}
    if not isinstance(tokens, list) or not isinstance(types, list):
        return Header(values)
    typed = list(zip(tokens, types, strict=False))
    control, marks = (
        {
            number: _text(token)
            for number, (token, kind) in enumerate(typed)
            if kind == wanted and isinstance(token, bytes)
        }
        for wanted in (CONTROL, USER_DEFINED)
    )
    return Header(values, control, marks)


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
