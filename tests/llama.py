"""The real llama.cpp, as a judge of grammars: its parser and its stacks, without a model.

The `xllamacpp` wheel holds llama.cpp as one library whose C++ functions can be called by their
names. `llama_grammar_init_impl` takes no vocabulary if a grammar names no token.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_VECTOR = 24  # bytes of a std::vector: begin, end, end of the room
_POINTER = 8
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)

needs_llama = pytest.mark.skipif(
    sys.platform != "linux", reason="the names of C++ functions are those of Linux"
)


def _silent(_level: int, _text: bytes, _data: Any) -> None:
    """Keep llama.cpp from writing to stderr."""


_QUIET = _LOG(_silent)  # must live as long as the library


@lru_cache(maxsize=1)
def library() -> Any:
    """llama.cpp's functions: `init`, `clone`, `free`, `accept` and `stacks` of a grammar."""
    spec = find_spec("xllamacpp")
    assert spec is not None
    assert spec.origin is not None
    found = ctypes.CDLL(str(Path(spec.origin).with_name("xllamacpp.abi3.so")))
    found.llama_log_set(_QUIET, None)
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    functions = {
        "init": (
            "_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim", pointer,
            [pointer, text, text, ctypes.c_bool, pointer, size, pointer, size],
        ),
        "clone": ("_Z24llama_grammar_clone_implRK13llama_grammar", pointer, [pointer]),
        "free": ("_Z23llama_grammar_free_implP13llama_grammar", None, [pointer]),
        "accept": ("_Z20llama_grammar_acceptP13llama_grammarj", None, [pointer, ctypes.c_uint32]),
        "stacks": ("_Z24llama_grammar_get_stacksP13llama_grammar", pointer, [pointer]),
    }  # fmt: skip
    for name, (symbol, result, arguments) in functions.items():
        function = getattr(found, symbol)
        function.restype, function.argtypes = result, arguments
        setattr(found, name, function)
    return found


class TooManyStacksError(Exception):
    """More than somebody wants to wait for: each step compares all stacks with each other."""


class Llama:
    """One grammar as llama.cpp reads it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def match(self, text: str, *, limit: int = 100_000) -> tuple[bool, int, int]:
        """Whether it takes a text, the code points that it could take, and its most stacks.

        Raises TooManyStacksError where it has more than `limit` of them.
        """
        its = library()
        grammar = its.clone(self._handle)
        try:
            stacks = _stacks(grammar)
            most = len(stacks)
            for at, char in enumerate(text):
                if most > limit:
                    raise TooManyStacksError
                its.accept(grammar, ord(char))
                stacks = _stacks(grammar)
                most = max(most, len(stacks))
                if not stacks:
                    return False, at, most
            return 0 in stacks, len(text), most
        finally:
            its.free(grammar)


def _stacks(grammar: int) -> list[int]:
    """How many bytes each stack holds; the text may end where one holds none."""
    first, last = (ctypes.c_size_t * 2).from_address(library().stacks(grammar))
    columns = [(ctypes.c_size_t * 2).from_address(row) for row in range(first, last, _VECTOR)]
    return [end - start for start, end in columns]


@contextmanager
def llama(grammar: str, root: str = "root") -> Iterator[Llama | None]:
    """A grammar in llama.cpp; None if it refuses it.

    Not for what it hangs or crashes on: nothing stops it.
    """
    its = library()
    handle = its.init(None, grammar.encode(), root.encode(), False, None, 0, None, 0)  # noqa: FBT003
    try:
        yield Llama(handle) if handle else None
    finally:
        if handle:
            its.free(handle)
