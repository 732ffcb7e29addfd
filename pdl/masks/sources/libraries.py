"""Vocabularies of other libraries: tiktoken, SentencePiece, mistral-common, llama-cpp-python.

Of tiktoken an `Encoding`; of SentencePiece a processor, or a model file; of mistral-common its
tokenizers, and `tekken.json`; of llama-cpp-python a `Llama` that is loaded.
"""

from __future__ import annotations

import base64
from ctypes import create_string_buffer
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pdl.masks.sources.found import FILES, MOST, Found, plain, refused, with_blanks
from pdl.masks.sources.gguf_file import is_padding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def from_encoding(encoding: Any) -> Found:
    """What an encoding says. Its numbers may have gaps; `eot_token` ends a text, if there is one.

    Encodings of chat models have further ends (`<|im_end|>`, `<|return|>`), which `eos` can name.
    """
    pieces: dict[int, bytes] = {}
    for token in range(encoding.n_vocab):
        try:
            pieces[token] = encoding.decode_single_token_bytes(token)
        except KeyError:
            continue  # a gap: models have more numbers than tokens
    marks = _special(encoding, pieces)
    end = marks.get("<|endoftext|>")
    eos = frozenset() if end is None else frozenset([end])
    special = frozenset(marks.values())
    return Found(f"tiktoken encoding {encoding.name!r}", pieces, special, eos, marks)


def _special(encoding: Any, pieces: Mapping[int, bytes]) -> dict[str, int]:
    """The numbers of special tokens by their texts.

    Where one has the text of an ordinary token, an encoding gives the number of the latter.
    """
    given = {text: encoding.encode_single_token(text) for text in encoding.special_tokens_set}
    names = {text.encode(): text for text in given}
    found = dict(given)
    for number, piece in pieces.items():
        text = names.get(piece)
        if text is not None and number != given[text]:
            found[text] = number
    return found


START = b"\n"
"""How a model file begins: its pieces are the first field of the message, by
`sentencepiece_model.proto`.
"""


def from_processor(processor: Any, origin: str = "SentencePieceProcessor") -> Found:
    """What a processor says. Unused pieces count as special: no model has learned them.

    The blank that a processor puts in front of a whole text, and takes away again when it decodes
    one, is part of the first token here, as it is of a token amid a text.
    """
    numbers = range(processor.get_piece_size())
    texts = [processor.id_to_piece(number) for number in numbers]
    pieces: dict[int, bytes] = {}
    special = set()
    for number, text in zip(numbers, texts, strict=True):
        if processor.is_byte(number):
            pieces[number] = bytes([int(text[3:5], 16)])
        elif _silent(processor, number):
            pieces[number] = plain(text)
            special.add(number)
        else:
            pieces[number] = with_blanks(text)
    end = processor.eos_id()
    eos = frozenset([end]) if end >= 0 else frozenset()
    marks = dict(zip(texts, numbers, strict=True))
    return Found(origin, pieces, frozenset(special), eos, marks)


def from_model(path: Path) -> Found:
    """What a model file says, which the package `sentencepiece` reads."""
    try:
        library = import_module("sentencepiece")
    except ImportError as error:
        hint = "install `sentencepiece`"
        raise refused(str(path), "the package `sentencepiece` reads such files", hint) from error
    try:
        processor = library.SentencePieceProcessor(model_file=str(path))
    except (RuntimeError, OSError) as error:
        raise refused(str(path), "this is no SentencePiece model", FILES) from error
    return from_processor(processor, str(path))


def _silent(processor: Any, number: int) -> bool:
    """Whether a piece is no text."""
    return bool(
        processor.is_control(number) or processor.is_unknown(number) or processor.is_unused(number)
    )


_END = "</s>"
_BASE = "mistral_common.tokens.tokenizers.base"
_FIRST = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
          "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
          "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
          "[TOOL_CONTENT]")  # fmt: skip
"""The special tokens of files that list none: those up to version 7."""


def from_mistral(tokenizer: Any) -> Found:
    """What a tokenizer says: a `MistralTokenizer`, a `Tekkenizer`, a `SentencePieceTokenizer`."""
    for name in ("instruct_tokenizer", "tokenizer"):
        tokenizer = getattr(tokenizer, name, tokenizer)
    origin = f"mistral_common {type(tokenizer).__name__}"
    if hasattr(tokenizer, "id_to_byte_piece") and hasattr(tokenizer, "num_special_tokens"):
        return _tekkenizer(tokenizer, origin)
    processor = getattr(tokenizer, "_model", None)
    if hasattr(processor, "get_piece_size"):
        return from_processor(processor, origin)
    raise refused(origin, "it is neither a tokenizer of SentencePiece nor a Tekkenizer")


def _tekkenizer(tokenizer: Any, origin: str) -> Found:
    """Special tokens come first, then those of text."""
    keep = import_module(_BASE).SpecialTokenPolicy.KEEP
    count = tokenizer.num_special_tokens
    pieces = {token: tokenizer.id_to_byte_piece(token, keep) for token in range(tokenizer.n_words)}
    marks = {pieces[token].decode("utf-8", "replace"): token for token in range(count)}
    eos = frozenset([tokenizer.eos_id])
    return Found(origin, pieces, frozenset(range(count)), eos, marks)


def from_tekken(document: Any, origin: str) -> Found:
    """What a `tekken.json` says. Raises VocabularyError if it is not as it should be."""
    try:
        config = document["config"]
        count = _count(config["default_num_special_tokens"])
        listed = document.get("special_tokens") or ()
        names = [token["token_str"] for token in listed] or list(_FIRST)
        names += [f"<SPECIAL_{number}>" for number in range(len(names), count)]
        texts = document["vocab"][: config["default_vocab_size"] - count]
        pieces = {number: name.encode() for number, name in enumerate(names[:count])}
        for text in texts:
            pieces[count + text["rank"]] = base64.b64decode(text["token_bytes"], validate=True)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refused(origin, f"this is no `tekken.json` as it should be ({error!r})") from error
    marks = {name: number for number, name in enumerate(names[:count])}
    eos = frozenset([marks[_END]]) if _END in marks else frozenset()
    return Found(origin, pieces, frozenset(range(count)), eos, marks)


def _count(number: int) -> int:
    """How many special tokens there are. Raises ValueError if that cannot be."""
    if not 0 <= number <= MOST:
        raise ValueError(f"{number} special tokens")
    return number


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
