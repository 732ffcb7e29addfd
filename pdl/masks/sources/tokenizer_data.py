"""What a tokenizer says about its tokens, and the vocabulary made of it with a caller's options.

Also how tokenizers write bytes as text: byte for byte (byte-level BPE), or as SentencePiece does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import SupportsIndex, TypeAlias, cast

from pdl.errors import Problem, VocabularyError, did_you_mean
from pdl.masks.vocabulary import Vocabulary

SPACE = "▁"
"""What represents a space in SentencePiece's pieces: U+2581."""

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def _alphabet() -> dict[str, int]:
    """The character of each byte in byte-level BPE.

    Printable characters of Latin-1 represent themselves, the other bytes are written as the
    characters from U+0100 on, in order. Source: `bytes_to_unicode` in OpenAI's `gpt-2`,
    `src/encoder.py`.
    """
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in plain]
    found = {chr(byte): byte for byte in sorted(plain)}
    found.update((chr(0x100 + at), byte) for at, byte in enumerate(others))
    return found


ALPHABET = _alphabet()
"""The byte of each character in byte-level BPE."""


def byte_level(text: str) -> bytes | None:
    """Return the bytes of a token of byte-level BPE; None if a character represents no byte."""
    try:
        return bytes([ALPHABET[char] for char in text])
    except KeyError:
        return None


def byte_token(text: str) -> int | None:
    """Return the byte of a token such as `<0x0A>`; None for all others."""
    found = _BYTE.fullmatch(text)
    return int(found[1], 16) if found else None


def to_utf8(text: str) -> bytes:
    """Return a text as bytes; lone surrogates become bytes that no grammar takes."""
    return text.encode("utf-8", "surrogatepass")


def sentencepiece_bytes(text: str) -> bytes:
    """Return the bytes of a SentencePiece piece that is text."""
    return to_utf8(text.replace(SPACE, " "))


TokenName: TypeAlias = "int | str"
"""A token by its ID, or by its text (`<|eot_id|>`)."""

MOST = 10_000_000
"""The largest number of tokens: IDs beyond are mistakes, and lists would be as long."""

FILES = (
    "use a `tokenizer.json`, a `tekken.json`, a SentencePiece model, a GGUF file, or a file that"
    " `pdl.masks.save` wrote"
)
"""The hint for all other files."""

_SHOWN = 8  # special tokens that a hint names


@dataclass(frozen=True)
class VocabularyOptions:
    """What the caller says in addition to the source."""

    eos: tuple[TokenName, ...] | None = None
    special: tuple[TokenName, ...] = ()
    size: int | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether the caller says nothing."""
        return self.eos is None and self.size is None and not self.special


@dataclass(frozen=True)
class TokenizerData:
    """What a tokenizer says. IDs that are missing from `pieces` belong to no token.

    `pieces` are the bytes of each token, `ids` the IDs of special tokens by their texts (and of
    others, as the tokenizer writes them: `Ġthe`), `special` the IDs of tokens that are not text,
    `eos` those that end a text.
    """

    origin: str
    pieces: Mapping[int, bytes]
    special: frozenset[int]
    eos: frozenset[int] = frozenset()
    ids: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def count(self) -> int:
        """The number of tokens, including gaps."""
        return max(self.pieces, default=-1) + 1

    @cached_property
    def special_texts(self) -> list[str]:
        """The texts of special tokens."""
        return [text for text, number in self.ids.items() if number in self.special]

    @cached_property
    def texts(self) -> Mapping[bytes, list[int]]:
        """The tokens that are text, by their bytes."""
        found: dict[bytes, list[int]] = {}
        for number, piece in self.pieces.items():
            if piece and number not in self.special:
                found.setdefault(piece, []).append(number)
        return found


def to_vocabulary(found: TokenizerData, options: VocabularyOptions) -> Vocabulary:
    """Return the vocabulary. Raises VocabularyError if nothing ends a text or a token is unknown.

    Raises TypeError for an invalid size, ValueError for one that is too small or too large.
    """
    _check(found)
    size = found.count if options.size is None else _size(options.size, found.count)
    eos = _numbers("eos", found, options.eos, size) if options.eos is not None else found.eos
    if not eos:
        raise _no_end(found)
    special = found.special | _numbers("special", found, options.special, size)
    tokens = [found.pieces.get(token, b"") for token in range(size)]
    return Vocabulary(tokens, special=special, eos=eos)


def _check(found: TokenizerData) -> None:
    """Raise VocabularyError for what can't be a token ID."""
    for number in (*found.pieces, *found.special, *found.eos):
        if type(number) is not int or not 0 <= number < MOST:
            raise unsupported(found.origin, f"it has a token with the ID {number!r}")
    beyond = [number for number in (*found.special, *found.eos) if number >= found.count]
    if beyond:
        reason = f"it names token {min(beyond):,}, but there are only {found.count:,} tokens"
        raise unsupported(found.origin, reason)


def unsupported(origin: str, reason: str, hint: str = "") -> VocabularyError:
    """Return the error that says why no vocabulary can be read from a tokenizer."""
    return VocabularyError(Problem("vocabulary/unsupported", f"{origin}: {reason}", None, hint))


def _size(size: object, least: int) -> int:
    if isinstance(size, bool) or not isinstance(size, SupportsIndex):
        raise TypeError(f"size must be the number of logits, not {type(size).__name__}")
    found = index(size)
    if found < least:
        raise ValueError(f"size must be at least {least:,}, the number of tokens, not {found:,}")
    if found > MOST:
        raise ValueError(f"size must be at most {MOST:,}, not {found:,}")
    return found


def token_names(name: str, given: object) -> tuple[TokenName, ...]:
    """Return the tokens that a caller names: one, or several. Raises TypeError for others."""
    one = isinstance(given, str | bytes | bytearray) or not isinstance(given, Iterable)
    held: list[object] = [given] if one else list(cast("Iterable[object]", given))
    return tuple(_token_name(name, token) for token in held)


def _token_name(name: str, token: object) -> TokenName:
    if isinstance(token, str):
        return token
    if isinstance(token, bool) or not isinstance(token, SupportsIndex):
        kind = type(token).__name__
        raise TypeError(f"{name} must be the IDs or texts of tokens, not {kind}: {token!r}")
    return index(token)


def _numbers(
    name: str, found: TokenizerData, tokens: Iterable[TokenName], size: int
) -> frozenset[int]:
    return frozenset(_number(name, found, token, size) for token in tokens)


def _number(name: str, found: TokenizerData, token: TokenName, size: int) -> int:
    if not isinstance(token, str):
        if not 0 <= token < size:
            message = f"{found.origin}: {name} names token {token}, which does not exist"
            hint = f"token IDs are 0 to {size - 1:,}"
            raise VocabularyError(Problem("vocabulary/unknown-token", message, None, hint))
        return token
    number = _of_text(name, found, token)
    if number is None:
        message = f"{found.origin}: {name} names `{token}`, which is not a token"
        hint = did_you_mean(token, found.special_texts)
        raise VocabularyError(Problem("vocabulary/unknown-token", message, None, hint))
    return number


def _of_text(name: str, found: TokenizerData, text: str) -> int | None:
    """The special token of this name, or the token that represents this text, or is written so.

    Raises VocabularyError if several tokens represent the text, and none is written so.
    """
    written = found.ids.get(text)
    if written is not None and written in found.special:
        return written
    same = found.texts.get(to_utf8(text), [])
    if not same or written in same:
        return written
    if len(same) > 1:
        numbers = ", ".join(f"{number:,}" for number in same[:_SHOWN])
        message = f"{found.origin}: {name} names `{text}`, which is the text of several tokens"
        hint = f"use the ID of one of them: {numbers}"
        raise VocabularyError(Problem("vocabulary/ambiguous-token", message, None, hint))
    return same[0]


def _no_end(found: TokenizerData) -> VocabularyError:
    message = f"{found.origin}: no token is known to end a text"
    ids = found.special_texts
    names = ", ".join(f"`{text}`" for text in ids[:_SHOWN])
    more = f", and {len(ids) - _SHOWN} others" if ids[_SHOWN:] else ""
    hint = "pass `eos`, on the command line `--eos`, as the IDs or the texts of tokens"
    if names:
        hint += f"; special tokens are {names}{more}"
    return VocabularyError(Problem("vocabulary/no-eos", message, None, hint))
