"""Vocabularies of libraries: tokenizers, transformers, tiktoken, SentencePiece, and others.

Of Hugging Face's `tokenizers` and `transformers` tokenizers, and a `tokenizer.json`; of tiktoken an
`Encoding`; of SentencePiece a processor, or a model file; of mistral-common its tokenizers, and
`tekken.json`; of llama-cpp-python a `Llama` that is loaded.

For `tokenizers`, whatever the model (BPE, Unigram, WordLevel), the decoder says what bytes a token
has. The steps of a decoder see the tokens of a whole text; here they see one, as in the middle of a
text, where steps that work on the ends of a text (add a space, and drop it again) do nothing.
Source: `tokenizers`, `src/decoders/`, `src/pre_tokenizers/{byte_level,metaspace}.rs` and
`src/tokenizer/mod.rs`.
"""

from __future__ import annotations

import base64
import json
from ctypes import create_string_buffer
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.masks.sources.gguf import is_padding
from pdl.masks.sources.tokenizer_data import (
    FILES,
    MOST,
    TokenizerData,
    byte_level,
    byte_token,
    sentencepiece_bytes,
    to_utf8,
    unsupported,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


Step: TypeAlias = "Callable[[str], str | bytes]"
"""A token, as the next step sees it; bytes if no further step changes it."""

_WHY_NOT = {
    "BPEDecoder": "whether a space follows a token depends on the next one",
    "CTC": "a token that occurs twice is written once",
    "WordPiece": "whether a space precedes a token depends on its neighbors",
}


def speller(decoder: Mapping[str, Any] | None, origin: str) -> Callable[[str], bytes]:
    """Return the function to the bytes of a token. Raises VocabularyError for other decoders."""
    if decoder is None:
        hint = "set its decoder, such as `decoders.ByteLevel()`"
        raise unsupported(origin, "it has no decoder, so there are spaces between all tokens", hint)
    fused = done = False
    found: list[Step] = []
    for step in _flat(decoder):
        kind = step["type"]
        if done and kind not in {"Fuse", "Strip"}:
            raise unsupported(origin, f"its decoder has a step `{kind}` after `ByteLevel`")
        made = _step(step, origin, fused=fused)
        found += [made] if made else []
        done = done or kind == "ByteLevel"
        fused = fused or done or kind == "Fuse"
    return partial(_spell, found)


def _spell(steps: list[Step], text: str) -> bytes:
    for step in steps:
        following = step(text)
        if isinstance(following, bytes):
            return following
        text = following
    return to_utf8(text)


def _flat(decoder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The steps of a decoder, with those of sequences in line."""
    pending = [decoder]
    while pending:
        step = pending.pop()
        if step["type"] == "Sequence":
            pending += reversed(step["decoders"])
        else:
            yield step


def _step(step: Mapping[str, Any], origin: str, *, fused: bool) -> Step | None:
    """One step; None if it changes nothing in a text. `fused`: it sees the whole text."""
    kind = step["type"]
    if kind == "ByteLevel" and not fused:
        return _byte_level
    if kind == "Metaspace" and not fused:
        return partial(_replaced, step["replacement"], " ")
    if kind == "ByteFallback" and not fused:
        return _byte_fallback
    if kind == "Replace":
        return _replace(step, origin, fused=fused)
    if kind == "Strip":
        return None if fused else partial(_stripped, step["content"], step["start"], step["stop"])
    if kind == "Fuse":
        return None
    reason = _WHY_NOT.get(kind, "its effect on a token in the middle of a text is unknown")
    raise unsupported(origin, f"its decoder has a step `{kind}`: {reason}")


def _replace(step: Mapping[str, Any], origin: str, *, fused: bool) -> Step:
    """A replacement, which must be of one character if it could span tokens."""
    pattern = step["pattern"].get("String")
    if pattern is None or not pattern or (fused and len(pattern) > 1):
        reason = "a replacement of a pattern, or across tokens, which single tokens do not show"
        raise unsupported(origin, f"its decoder has {reason}: {step['pattern']}")
    return partial(_replaced, pattern, step["content"])


def _byte_level(text: str) -> bytes:
    found = byte_level(text)
    return to_utf8(text) if found is None else found


def _byte_fallback(text: str) -> str | bytes:
    byte = byte_token(text)
    if byte is None:
        return text
    return chr(byte) if byte < 0x80 else bytes([byte])  # noqa: PLR2004 - ASCII is text


def _replaced(old: str, new: str, text: str) -> str:
    return text.replace(old, new)


def _stripped(char: str, start: int, stop: int, text: str) -> str:
    """A text without some of the characters at its ends."""
    first, last = 0, len(text)
    while first < min(start, last) and text[first] == char:
        first += 1
    while len(text) - last < stop and last > first and text[last - 1] == char:
        last -= 1
    return text[first:last]


_NO_BYTES = {
    "WordPiece": "WordPiece tokens are not text: whether a space precedes one depends on its"
    " neighbors, and unknown characters are lost",
}


def from_tokenizer(tokenizer: Any) -> TokenizerData:
    """Read a `tokenizers.Tokenizer`; it knows no token that ends a text."""
    origin = f"tokenizers.{type(tokenizer).__name__}"
    try:
        document = json.loads(tokenizer.to_str())
    except Exception as error:  # its own class is Exception itself
        raise unsupported(origin, f"it cannot be written as JSON ({error})") from error
    return from_document(document, origin)


def from_transformers(tokenizer: Any) -> TokenizerData:
    """Read a fast tokenizer of `transformers`. Raises VocabularyError for others."""
    origin = f"transformers.{type(tokenizer).__name__}"
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        hint = "load the fast one, or pass the SentencePiece file, or its `tokenizer.json`"
        raise unsupported(origin, "only fast tokenizers say what bytes a token has", hint)
    found = from_tokenizer(backend)
    eos = frozenset(_listed(tokenizer.eos_token_id))
    special = found.special | frozenset(tokenizer.all_special_ids)
    return TokenizerData(origin, found.pieces, special, eos, found.ids)


def from_document(document: Any, origin: str) -> TokenizerData:
    """Read a `tokenizer.json`; it does not say which token ends a text."""
    if not isinstance(document, dict) or not isinstance(document.get("model"), dict):
        raise unsupported(origin, "this is not a `tokenizer.json`: it has no `model`", FILES)
    model = document["model"]
    kind = str(model.get("type") or "BPE")
    if kind in _NO_BYTES:
        raise unsupported(origin, _NO_BYTES[kind])
    try:
        texts = _texts(model)
        added = {token["id"]: token for token in document.get("added_tokens") or ()}
        texts.update((number, token["content"]) for number, token in added.items())
        spell = speller(document.get("decoder"), origin)
        special = {number for number, token in added.items() if token.get("special")}
        pieces = {number: spell(text) for number, text in texts.items()}
        pieces.update((number, to_utf8(texts[number])) for number in special)
        ids = {text: number for number, text in texts.items()}
        special |= _unknown(model, ids)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unsupported(origin, f"this `tokenizer.json` is damaged ({error!r})") from error
    return TokenizerData(origin, pieces, frozenset(special), ids=ids)


def _texts(model: Mapping[str, Any]) -> dict[int, str]:
    """The text of each token of a model."""
    vocab = model["vocab"]
    if isinstance(vocab, dict):
        return {number: text for text, number in vocab.items()}
    return {number: text for number, (text, _) in enumerate(vocab)}


def _unknown(model: Mapping[str, Any], ids: Mapping[str, int]) -> set[int]:
    """The token for unknown text."""
    number = model.get("unk_id")
    number = ids.get(model.get("unk_token") or "") if number is None else number
    return set() if number is None else {number}


def _listed(numbers: Any) -> Iterable[int]:
    if numbers is None:
        return ()
    return numbers if isinstance(numbers, list | tuple) else (numbers,)


def from_encoding(encoding: Any) -> TokenizerData:
    """Read an encoding. Its IDs may have gaps; `<|endoftext|>` ends a text, if there is one.

    Encodings of chat models have further ends (`<|im_end|>`, `<|return|>`), which `eos` can name.
    """
    pieces: dict[int, bytes] = {}
    for token in range(encoding.n_vocab):
        try:
            pieces[token] = encoding.decode_single_token_bytes(token)
        except KeyError:
            continue  # a gap: models have more numbers than tokens
    ids = _special(encoding, pieces)
    end = ids.get("<|endoftext|>")
    eos = frozenset() if end is None else frozenset([end])
    special = frozenset(ids.values())
    return TokenizerData(f"tiktoken encoding {encoding.name!r}", pieces, special, eos, ids)


def _special(encoding: Any, pieces: Mapping[int, bytes]) -> dict[str, int]:
    """The IDs of special tokens by their texts.

    If one has the text of an ordinary token, an encoding returns the ID of the latter.
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


def from_processor(processor: Any, origin: str = "SentencePieceProcessor") -> TokenizerData:
    """Read a processor. Unused pieces count as special: no model has learned them.

    The space that a processor adds before a whole text, and drops again when it decodes one, is
    part of the first token here, as it is of a token in the middle of a text.
    """
    numbers = range(processor.get_piece_size())
    texts = [processor.id_to_piece(number) for number in numbers]
    pieces: dict[int, bytes] = {}
    special = set()
    for number, text in zip(numbers, texts, strict=True):
        if processor.is_byte(number):
            pieces[number] = bytes([int(text[3:5], 16)])
        elif _silent(processor, number):
            pieces[number] = to_utf8(text)
            special.add(number)
        else:
            pieces[number] = sentencepiece_bytes(text)
    end = processor.eos_id()
    eos = frozenset([end]) if end >= 0 else frozenset()
    ids = dict(zip(texts, numbers, strict=True))
    return TokenizerData(origin, pieces, frozenset(special), eos, ids)


def from_model(path: Path) -> TokenizerData:
    """Read a model file with the package `sentencepiece`."""
    try:
        library = import_module("sentencepiece")
    except ImportError as error:
        hint = "install `sentencepiece`"
        raise unsupported(str(path), "such files need the package `sentencepiece`", hint) from error
    try:
        processor = library.SentencePieceProcessor(model_file=str(path))
    except (RuntimeError, OSError) as error:
        raise unsupported(str(path), "this is not a SentencePiece model", FILES) from error
    return from_processor(processor, str(path))


def _silent(processor: Any, number: int) -> bool:
    """Whether a piece is not text."""
    return bool(
        processor.is_control(number) or processor.is_unknown(number) or processor.is_unused(number)
    )


_END = "</s>"
_BASE = "mistral_common.tokens.tokenizers.base"
_FIRST = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
          "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
          "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
          "[TOOL_CONTENT]")  # fmt: skip
"""The special tokens of files that don't list them: those up to version 7."""


def from_mistral(tokenizer: Any) -> TokenizerData:
    """Read a `MistralTokenizer`, a `Tekkenizer`, or a `SentencePieceTokenizer`."""
    for name in ("instruct_tokenizer", "tokenizer"):
        tokenizer = getattr(tokenizer, name, tokenizer)
    origin = f"mistral_common {type(tokenizer).__name__}"
    if hasattr(tokenizer, "id_to_byte_piece") and hasattr(tokenizer, "num_special_tokens"):
        return _tekkenizer(tokenizer, origin)
    processor = getattr(tokenizer, "_model", None)
    if hasattr(processor, "get_piece_size"):
        return from_processor(processor, origin)
    raise unsupported(origin, "it is neither a SentencePiece tokenizer nor a Tekkenizer")


def _tekkenizer(tokenizer: Any, origin: str) -> TokenizerData:
    """Special tokens come first, then those of text."""
    keep = import_module(_BASE).SpecialTokenPolicy.KEEP
    count = tokenizer.num_special_tokens
    pieces = {token: tokenizer.id_to_byte_piece(token, keep) for token in range(tokenizer.n_words)}
    ids = {pieces[token].decode("utf-8", "replace"): token for token in range(count)}
    eos = frozenset([tokenizer.eos_id])
    return TokenizerData(origin, pieces, frozenset(range(count)), eos, ids)


def from_tekken(document: Any, origin: str) -> TokenizerData:
    """Read a `tekken.json`. Raises VocabularyError if it is damaged."""
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
        raise unsupported(origin, f"this `tekken.json` is damaged ({error!r})") from error
    ids = {name: number for number, name in enumerate(names[:count])}
    eos = frozenset([ids[_END]]) if _END in ids else frozenset()
    return TokenizerData(origin, pieces, frozenset(range(count)), eos, ids)


def _count(number: int) -> int:
    """The number of special tokens. Raises ValueError if it is impossible."""
    if not 0 <= number <= MOST:
        raise ValueError(f"{number} special tokens")
    return number


_TEXT = 1 << 2 | 1 << 4 | 1 << 5
"""Attributes of tokens that are text: normal ones, those of users, bytes.

Source: `llama_token_attr` in llama.cpp's `include/llama.h`.
"""
_CONTROL = 1 << 3
_UNKNOWN = b"[UNK_BYTE_0x"
"""What llama.cpp writes for a character that represents no byte, which the token is not."""
_ROOM = 256


def from_llama(llama: Any) -> TokenizerData:
    """Read the model of a `Llama`, as llama.cpp itself reports it."""
    library = import_module("llama_cpp")
    vocab = library.llama_model_get_vocab(llama.model)
    count = library.llama_vocab_n_tokens(vocab)
    pieces = {token: _piece(library, vocab, token) for token in range(count)}
    kinds = [library.llama_vocab_get_attr(vocab, token) for token in range(count)]
    special = {token for token in range(count) if not _is_text(token, pieces[token], kinds[token])}
    eos = frozenset(token for token in range(count) if library.llama_vocab_is_eog(vocab, token))
    ids = {pieces[token].decode("utf-8", "replace"): token for token in special}
    return TokenizerData("llama_cpp.Llama", pieces, frozenset(special), eos, ids)


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
