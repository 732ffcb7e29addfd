"""The head of a GGUF file: whether it is one, whether all of it is there, and what it says.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. llama.cpp refuses a bad file as
well, but does not tell its caller why.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pdl.errors import FileError, Problem
from pdl.prompt.folder import open_regular

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAGIC = b"GGUF"
_HEAD_OF_ARRAY = 16  # bytes: that it is one, the type of its elements, their number
_VERSIONS = (2, 3)
_NUMBERS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
_TOKENS, _TYPES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
_INT32 = 5
_CONTROL, _USER_DEFINED = 3, 4
_DEEPEST = 4  # arrays inside of arrays; known files have none


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of its model.

    `values` is its metadata, without arrays; `control` and `marks` are tokens that are more than
    text, by their numbers: those that are not printed, and others that stand for themselves.
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


def read_header(path: str | Path) -> Header:
    """The header of a GGUF file. Raises FileError for what is not one, or not the whole of one."""
    shown = str(path)
    try:
        with open_regular(Path(path)) as stream:
            if stream.read(4) != _MAGIC:
                raise FileError(_problem(shown, "is no GGUF file"))
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data, shown).header()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str | Path, error: OSError) -> FileError:
    """The error of a model's file that cannot be read."""
    reason = (error.strerror or str(error)).lower()
    return FileError(_problem(str(path), f"cannot be read: {reason}"))


def _problem(shown: str, message: str, hint: str = "") -> Problem:
    return Problem("file/gguf", f"{shown}: {message}", hint=hint)


class _Reader:
    """A walk through a file's head; each step is checked against the file's end."""

    def __init__(self, data: mmap.mmap, shown: str) -> None:
        self._data = data
        self._shown = shown
        self._at = len(_MAGIC)
        self._tokens: list[int] = []
        self._types = b""

    def header(self) -> Header:
        version = self._number("<I")
        if version not in _VERSIONS:
            raise FileError(
                _problem(self._shown, f"has version {version} of GGUF; 2 and 3 are known")
            )
        tensors, count = self._number("<Q"), self._number("<Q")
        values = {}
        for _ in range(count):
            name = self._text()
            start = self._at
            value = self._value(self._number("<I"))
            if value is not None:
                values[name] = value
            elif name in (_TOKENS, _TYPES):
                self._note(name, start)
        self._check_tensors(tensors)
        return Header(values, self._of_type(_CONTROL), self._of_type(_USER_DEFINED))

    def _note(self, name: str, start: int) -> None:
        """Remember where the tokens are, or their types, of the array that begins at `start`."""
        end, self._at = self._at, start + _HEAD_OF_ARRAY
        [inner] = struct.unpack_from("<I", self._data, start + 4)
        if name == _TYPES and inner == _INT32:
            self._types = self._data[self._at : end]
        elif name == _TOKENS and inner == _STRING:
            while self._at < end:
                self._tokens.append(self._at)
                self._skip(self._number("<Q"))
        self._at = end

    def _of_type(self, kind: int) -> dict[int, str]:
        """The tokens of a type, by their numbers."""
        types = struct.unpack(f"<{len(self._types) // 4}i", self._types)
        found = [number for number, one in enumerate(types) if one == kind]
        return {number: self._token(number) for number in found if number < len(self._tokens)}

    def _token(self, number: int) -> str:
        self._at = self._tokens[number]
        return self._text()

    def _check_tensors(self, count: int) -> None:
        """The file goes on at least up to the place of its last tensor."""
        last = -1
        for _ in range(count):
            self._text()
            for _ in range(self._number("<I")):
                self._number("<Q")
            self._number("<I")
            last = max(last, self._number("<Q"))
        if self._at + last >= len(self._data):
            raise FileError(self._cut())

    def _value(self, kind: int, depth: int = 0) -> Any:
        """A value that is no array; None for an array, which is passed over."""
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _STRING:
            return self._text()
        if kind != _ARRAY or depth > _DEEPEST:
            raise FileError(_problem(self._shown, f"is damaged at byte {self._at:,}"))
        inner, count = self._number("<I"), self._number("<Q")
        if inner in _NUMBERS:
            self._skip(count * struct.calcsize(_NUMBERS[inner]))
            return None
        for _ in range(count):
            if inner == _STRING:
                self._skip(self._number("<Q"))
            else:
                self._value(inner, depth + 1)
        return None

    def _text(self) -> str:
        size = self._number("<Q")
        start = self._at
        self._skip(size)
        return self._data[start : self._at].decode("utf-8", "replace")

    def _number(self, form: str) -> Any:
        try:
            [value] = struct.unpack_from(form, self._data, self._at)
        except struct.error as error:
            raise FileError(self._cut()) from error
        self._at += struct.calcsize(form)
        return value

    def _skip(self, size: int) -> None:
        if size > len(self._data) - self._at:
            raise FileError(self._cut())
        self._at += size

    def _cut(self) -> Problem:
        return _problem(self._shown, "is cut off", "perhaps its download was not finished")
