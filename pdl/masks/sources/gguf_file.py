"""Vocabularies of GGUF files.

Source: `llama_vocab::impl::load` and `token_to_piece` in llama.cpp's `src/llama-vocab.cpp`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.masks.sources.ends import NAMED, ends, gaps, is_padding
from pdl.masks.sources.found import Found, refused
from pdl.masks.sources.gguf_reader import BadFileError, metadata
from pdl.masks.sources.spelling import BLANK, byte_level, byte_token

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_KEY = "tokenizer.ggml."
_NORMAL, _USER, _BYTE = 1, 4, 6
_BLANK = BLANK.encode()
_SPACED = frozenset([b"gemma4", b"granite-embed-multi-311m", b"sarvam-moe"])
"""Kinds of BPE whose tokens are written as SentencePiece writes its own."""
_WHY_NOT = {
    "bert": "WordPiece tokens are no text: whether a blank stands in front of one depends on"
    " its neighbours",
    "none": "it has no tokens",
    "no_vocab": "it has no tokens",
}


def from_gguf(path: Path) -> Found:
    """What a GGUF file says. Raises VocabularyError if it has no tokens that have bytes."""
    try:
        held = metadata(path, lambda name: name.startswith(_KEY) and not name.endswith("merges"))
    except BadFileError as error:
        raise refused(str(path), f"this GGUF file cannot be read: {error}") from error
    its = {name.removeprefix(_KEY): value for name, value in held.items()}
    texts = its.get("tokens")
    if not isinstance(texts, list) or not texts:
        raise refused(str(path), "this GGUF file has no tokens")
    kinds = its.get("token_type", [_NORMAL] * len(texts))
    _check(str(path), texts, kinds, its)
    spell = _speller(its, str(path))
    if len(kinds) < len(texts):
        raise refused(str(path), f"it has {len(texts):,} tokens and {len(kinds):,} kinds of them")
    return _found(str(path), texts, kinds, spell, its)


def _check(origin: str, texts: list[Any], kinds: Any, its: Mapping[str, Any]) -> None:
    """Raises VocabularyError for values of other types, and for ends that are no token."""
    wrong = [name for name in ("model", "pre") if not isinstance(its.get(name, b""), bytes)]
    if not all(isinstance(text, bytes) for text in texts):
        wrong.append("tokens")
    if not isinstance(kinds, list) or any(type(kind) is not int for kind in kinds):
        wrong.append("token_type")
    wrong += [name for name in NAMED if type(its.get(name, 0)) is not int]
    if wrong:
        raise refused(origin, f"its value `{_KEY}{wrong[0]}` is of another type than it should be")
    for name in NAMED:
        if not 0 <= its.get(name, 0) < len(texts):
            number = its[name]
            reason = f"its `{_KEY}{name}` is {number}, but there are only {len(texts):,} tokens"
            raise refused(origin, reason)


def _found(
    origin: str,
    texts: list[bytes],
    kinds: list[int],
    spell: Callable[[bytes], bytes | None],
    its: Mapping[str, Any],
) -> Found:
    """Bytes by the kinds of tokens; what is neither text nor a byte is special."""
    marks = {text.decode("utf-8", "replace"): number for number, text in enumerate(texts)}
    eos = ends(marks, its)
    pieces = dict(enumerate(texts))
    special = set(eos | gaps(marks))
    for number, (text, kind) in enumerate(zip(texts, kinds, strict=False)):
        piece = None if is_padding(number, text) else _piece(text, kind, spell)
        if piece is None:
            special.add(number)
        elif number not in special:
            pieces[number] = piece
    return Found(origin, pieces, frozenset(special), eos, marks)


def _piece(text: bytes, kind: int, spell: Callable[[bytes], bytes | None]) -> bytes | None:
    """The bytes of a token; None if it is no text."""
    if kind == _USER:
        return text
    if kind == _BYTE:
        return _byte(text)
    return spell(text) if kind == _NORMAL else None


def _speller(its: Mapping[str, Any], origin: str) -> Callable[[bytes], bytes | None]:
    """How this kind of tokenizer writes its normal tokens."""
    model = _text(its.get("model", b""))
    if model in {"llama", "t5", "gemma4"}:
        return _spaced
    if model == "gpt2":
        return _spaced if its.get("pre") in _SPACED else _byte_level
    if model == "plamo2":
        return bytes
    if model == "rwkv":
        return _escaped
    reason = _WHY_NOT.get(model, f"its kind of tokenizer, `{model}`, is not known")
    raise refused(origin, reason)


def _spaced(text: bytes) -> bytes:
    return text.replace(_BLANK, b" ")


def _byte_level(text: bytes) -> bytes | None:
    """What characters stand for no byte is no text: llama.cpp writes `[UNK_BYTE_0x…]` for it."""
    return byte_level(text.decode("utf-8", "replace"))


def _byte(text: bytes) -> bytes | None:
    byte = byte_token(text.decode("utf-8", "replace"))
    return None if byte is None else bytes([byte])


_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_ESCAPED = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def _escaped(text: bytes) -> bytes:
    """RWKV's tokens are written with escapes, of bytes and of blanks."""
    return _ESCAPE.sub(
        lambda found: bytes([int(found[1], 16)]) if found[1] else _ESCAPED.get(found[2], found[2]),
        text,
    )


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
