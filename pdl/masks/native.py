"""The library of the kernel (`kernel.c`), and a vocabulary's trie and lexemes as it reads them.

A wheel brings the library where a C compiler was ready to build it. Without it, everything works
with numpy alone, more slowly. `PDL_NATIVE` says which: `0` never uses it, `require` raises
ImportError where it is missing, `1` (the default) uses it where it is there.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from pdl.errors import ConfigError, Problem
from pdl.masks.protocol import words_of

if TYPE_CHECKING:
    from pdl.masks.trie_walk import TrieWalk
    from pdl.masks.vocabulary import Ints, Vocabulary

_SOURCES = sorted(Path(__file__).parent.glob("kernel*.[ch]"))
_PATH = Path(__file__).with_name("_kernel.dll" if os.name == "nt" else "_kernel.native")

_Pointer = ctypes.c_void_p
_Int = ctypes.c_int32


class NativeError(ConfigError, ImportError):
    """The kernel is not as `PDL_NATIVE` wants it."""


@cache
def library(name: str = "") -> Any:
    """Return the functions of the kernel; None if it is not there, or not wanted.

    Raises NativeError if it is required and not there, or for another word in `PDL_NATIVE`.
    """
    wanted = name or os.environ.get("PDL_NATIVE") or "1"
    if wanted not in ("0", "1", "require"):
        message = f"PDL_NATIVE must be 0, 1 or require, not {wanted!r}"
        raise NativeError(Problem("config/value", message))
    if wanted == "0":
        return None
    try:
        return _typed(ctypes.CDLL(str(_PATH)))
    except (OSError, AttributeError) as error:  # AttributeError: of a function that it lacks
        if wanted == "require":
            message = f"PDL_NATIVE is require, but {_PATH.name} can't be loaded: {error}"
            hint = "install a C compiler, and pdl again; or use PDL_NATIVE=1, for numpy alone"
            raise NativeError(Problem("config/package", message, None, hint)) from error
        return None


_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "new": (_Pointer, [_Pointer, _Pointer, _Pointer, _Int, ctypes.c_int64]),
    "free": (None, [_Pointer]),
    "wanted": (_Int, [_Pointer]),
    "spent": (ctypes.c_int64, [_Pointer]),
    "walk": (_Int, [_Pointer, _Int, _Pointer, _Pointer]),
    "differ": (_Int, [_Pointer, _Int, _Int, _Pointer, _Pointer]),
    "leave": (_Int, [_Pointer, _Pointer, _Int, _Pointer, _Pointer, _Int, _Pointer, _Pointer]),
    "kind": (_Int, [_Pointer, _Int, _Pointer]),
    "lexeme": (_Int, [_Pointer, _Int, _Pointer, _Pointer]),
    "scan": (_Int, [_Pointer, _Pointer, _Int, _Pointer, _Pointer, _Pointer, _Pointer]),
    "run": (_Int, [_Pointer, _Int, ctypes.c_char_p, _Int]),
    "items": (_Int, [_Pointer, _Int, _Pointer, _Int]),
    "frame": (_Int, [_Pointer, _Int, _Pointer]),
    "push": (_Int, [_Pointer, _Int, _Int]),
    "config": (_Int, [_Pointer, _Pointer, _Int, _Int]),
    "rule": (_Int, [_Pointer, _Int, _Int, _Int, _Int, _Pointer, _Int]),
}


def _typed(found: Any) -> Any:
    """Give functions their types. Raises OSError for those of another source."""
    found.pdl_source.restype = ctypes.c_uint32
    if found.pdl_source() != crc32(b"".join(one.read_bytes() for one in _SOURCES)):
        raise OSError("it was not built from this kernel.c")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(found, f"pdl_{name}")
        function.restype, function.argtypes = result, arguments
    return found


class _Trie(ctypes.Structure):
    _fields_ = (
        *((name, _Int) for name in ("nodes", "tokens", "depth")),
        *((name, _Pointer) for name in ("byte", "level", "height", "last", "low", "order")),
    )


def pointer(array: Any) -> int:
    """The address of an array's first item."""
    found: int = array.ctypes.data
    return found


class KernelTrie:
    """A vocabulary's trie in depth-first order, as the kernel reads it."""

    def __init__(self, vocabulary: Vocabulary, walk: TrieWalk) -> None:
        trie = vocabulary.trie
        size = len(trie)
        levels = np.repeat(np.arange(len(trie.levels) - 1), np.diff(trie.levels))

        def ordered(values: Any, kind: Any) -> Any:
            found = np.empty(size, kind)
            found[trie.first] = values
            return found

        self.words, self.size = words_of(len(vocabulary)), size
        self.mask: Any = _Int * self.words
        """An array of C for a mask, of which numpy need not give the address."""
        self.depth = trie.depth
        self.weights = walk.weights
        self._arrays = {
            "byte": ordered(trie.byte, np.uint8),
            "level": ordered(levels, np.uint16),
            "height": ordered(walk.height, np.uint16),
            "last": ordered(trie.last, np.int32),
            "low": np.append(ordered(trie.low, np.int32), np.int32(len(trie.order))),
            "order": trie.order,
        }
        addresses = {name: pointer(array) for name, array in self._arrays.items()}
        self.held = _Trie(size, len(vocabulary), trie.depth, **addresses)
        self.address = ctypes.addressof(self.held)


class KernelLexeme(NamedTuple):
    """What tokens do in a lexeme: a mask of those inside, and the nodes where others leave it.

    In groups, of each of which `keys` has 256 times the member and the byte that leads out.
    """

    inside: Ints
    keys: Ints
    ends: Ints
    nodes: Ints
    addresses: tuple[int, int, int]

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        return self.inside.nbytes + 8 * len(self.keys) + self.nodes.nbytes + 800


def scan_lexeme(trie: KernelTrie, table: bytes) -> KernelLexeme:
    """Follow all tokens in a lexeme, of which the table has the target of each byte and member."""
    inside = np.zeros(trie.words, np.int32)
    nodes, keys = np.empty((2, trie.size), np.int32)
    path = np.empty(trie.depth + 2, np.uint8)
    addresses = map(pointer, (path, inside, nodes, keys))
    count = library().pdl_scan(trie.address, table, len(table) // 256, *addresses)
    order = keys[:count].argsort(kind="stable")
    keys, starts = np.unique(keys[:count][order], return_index=True)
    ends = np.append(starts[1:], count).astype(np.int32)[: len(keys)]
    held = (keys, ends, nodes[:count][order])
    return KernelLexeme(inside, *held, tuple(map(pointer, held)))  # type: ignore[arg-type]
