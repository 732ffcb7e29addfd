"""Vocabularies as files: numpy's `npz`, without pickle, with a version and a checksum."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pdl.errors import FileError, Problem, VocabularyError
from pdl.masks.protocol import check_vocabulary
from pdl.masks.vocabulary import Tokens, Trie, Vocabulary
from pdl.replacing import replacing

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

_KIND = "pdl vocabulary"
_VERSION = 1
_TRIE: dict[str, np.dtype[Any]] = {
    name: np.dtype("u1" if name == "byte" else "<i4") for name in Trie.__slots__
}
_PARTS: dict[str, np.dtype[Any]] = {
    "blob": np.dtype("u1"),
    "ends": np.dtype("<i8"),
    "special": np.dtype("<i4"),
    "eos": np.dtype("<i4"),
    **_TRIE,
}
"""The arrays of a file, and their types."""
_HEAD = "head"
_AGAIN = "write it again with `pdl.masks.save`"


def save(vocabulary: Vocabulary, path: str | os.PathLike[str]) -> None:
    """Write a vocabulary to a file, which `load` reads in a twentieth of the time.

    The write is atomic. Raises FileError if the file can't be written, TypeError for anything but a
    vocabulary.
    """
    check_vocabulary(vocabulary)
    arrays = _arrays(vocabulary)
    head = {"kind": _KIND, "version": _VERSION, "checksum": _checksum(arrays)}
    arrays[_HEAD] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    target = Path(path)
    try:
        with replacing(target) as file:
            np.savez(file, allow_pickle=False, **arrays)
    except (OSError, ValueError) as error:  # the latter for names with a NUL
        message = f"{target}: cannot be written: {reason(error)}"
        raise FileError(Problem("file/unwritable", message)) from error


def load(path: str | os.PathLike[str]) -> Vocabulary:
    """Return the vocabulary of a file that `save` wrote.

    Raises FileError if the file can't be read, VocabularyError if `save` did not write it, if
    another version of pdl did, and if it is damaged.
    """
    target = Path(path)
    try:
        data = target.read_bytes()
    except (OSError, ValueError) as error:  # the latter for names with a NUL
        raise unreadable(target, reason(error)) from error
    try:
        with zipfile.ZipFile(BytesIO(data)) as held:
            _check_head(target, held)
            arrays = {name: _array(held, name, kind) for name, kind in _PARTS.items()}
            checksum = _head(held)["checksum"]
    except _BAD as error:
        raise _refused(target, "corrupt", f"is damaged ({error})", _AGAIN) from error
    if checksum != _checksum(arrays):
        raise _refused(target, "corrupt", "is damaged: its checksum differs", _AGAIN)
    return _vocabulary(arrays)


def unreadable(path: Path, why: str) -> FileError:
    """Return the error of a file that can't be read."""
    return FileError(Problem("file/unreadable", f"{path}: cannot be read: {why}"))


def reason(error: OSError | ValueError) -> str:
    """Return why a file can't be read or written, in the words of the system."""
    return (getattr(error, "strerror", None) or str(error)).lower()


_BAD = (
    zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError,
    OverflowError, struct.error, zlib.error,
)  # fmt: skip
"""What `zipfile` and `numpy` raise for damaged files."""


def _arrays(vocabulary: Vocabulary) -> dict[str, NDArray[Any]]:
    tokens = vocabulary.tokens
    found: dict[str, NDArray[Any]] = {
        "blob": np.frombuffer(tokens.blob, np.uint8),
        "ends": tokens.ends,
        "special": np.array(sorted(vocabulary.special), np.int32),
        "eos": np.array(sorted(vocabulary.eos), np.int32),
        **{name: getattr(vocabulary.trie, name) for name in _TRIE},
    }
    return {name: found[name].astype(kind, copy=False) for name, kind in _PARTS.items()}


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    held = blake2b(digest_size=16)
    for name in _PARTS:
        held.update(f"{name} {arrays[name].size} ".encode())
        held.update(arrays[name].data)
    return held.hexdigest()


def _head(held: zipfile.ZipFile) -> dict[str, Any]:
    found = json.loads(_array(held, _HEAD, np.dtype("u1")).tobytes())
    return found if isinstance(found, dict) else {}


def _check_head(path: Path, held: zipfile.ZipFile) -> None:
    """Raise VocabularyError for what `save` did not write, or another version of it did."""
    names = held.namelist()
    head = _head(held) if f"{_HEAD}.npy" in names else {}
    if head.get("kind") != _KIND:
        raise _refused(path, "no-vocabulary", "is not a vocabulary that pdl saved")
    version = head.get("version")
    if version != _VERSION:
        message = f"has version {version!r}, and this pdl reads {_VERSION}"
        raise _refused(path, "version", message, _AGAIN)


def _array(held: zipfile.ZipFile, name: str, kind: np.dtype[Any]) -> NDArray[Any]:
    """One array, read-only. Raises ValueError if it has another shape, or is compressed.

    A compressed member could have any size; those that `save` writes are as large as in the file.
    """
    found = held.getinfo(f"{name}.npy")
    if found.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    data = held.read(found)
    stream = BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError(f"{name} has another header")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    array = np.frombuffer(data, kind, offset=stream.tell())
    if dtype != kind or shape != array.shape:
        raise ValueError(f"{name} has another shape")
    return array


def _vocabulary(arrays: Mapping[str, NDArray[Any]]) -> Vocabulary:
    native = {
        name: arrays[name].astype(kind.newbyteorder("="), copy=False)
        for name, kind in _TRIE.items()
    }
    return Vocabulary.restored(
        Tokens(arrays["blob"].tobytes(), arrays["ends"]),
        frozenset(arrays["special"].tolist()),
        frozenset(arrays["eos"].tolist()),
        Trie(**native),
    )


def _refused(path: Path, code: str, message: str, hint: str = "") -> VocabularyError:
    return VocabularyError(Problem(f"vocabulary/{code}", f"{path}: {message}", None, hint))
