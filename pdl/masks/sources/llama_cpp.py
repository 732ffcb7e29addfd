"""Vocabularies of llama-cpp-python: those of a `Llama` that is loaded."""

from __future__ import annotations

from ctypes import create_string_buffer
from importlib import import_module
from typing import Any

from pdl.masks.sources.ends import is_padding
from pdl.masks.sources.found import Found

_TEXT = 1 << 2 | 1 << 4 | 1 << 5
"""Attributes of tokens that are text: normal ones, those of users, bytes.

Source: `llama_token_attr` in llama.cpp's `include/llama.h`.
"""
_CONTROL = 1 << 3
_UNKNOWN = b"[UNK_BYTE_0x"
"""What llama.cpp writes for a character that stands for no byte, which the token is not."""
_ROOM = 256


def from_llama(llama: Any) -> Found:
    """What llama.cpp itself says about the model of a `Llama`."""
    library = import_module("llama_cpp")
    vocab = library.llama_model_get_vocab(llama.model)
    count = library.llama_vocab_n_tokens(vocab)
    pieces = {token: _piece(library, vocab, token) for token in range(count)}
    kinds = [library.llama_vocab_get_attr(vocab, token) for token in range(count)]
    special = {token for token in range(count) if not _is_text(token, pieces[token], kinds[token])}
    eos = frozenset(token for token in range(count) if library.llama_vocab_is_eog(vocab, token))
    marks = {pieces[token].decode("utf-8", "replace"): token for token in special}
    return Found("llama_cpp.Llama", pieces, frozenset(special), eos, marks)


def _is_text(token: int, piece: bytes, kind: int) -> bool:
    is_written = bool(kind & _TEXT) and not kind & _CONTROL
    return is_written and _UNKNOWN not in piece and not is_padding(token, piece)


def _piece(library: Any, vocab: Any, token: int) -> bytes:
    """The bytes of a token; a special one has its text."""
    room = _ROOM
    while True:
        buffer = create_string_buffer(room)
        size = library.llama_token_to_piece(vocab, token, buffer, room, 0, True)  # noqa: FBT003
        if size >= 0:
            return buffer.raw[:size]
        room = -size
