"""What a tokenizer says about its tokens, and the vocabulary that it makes with what was asked.

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

BLANK = "▁"
"""What stands for a blank in SentencePiece's pieces: U+2581."""

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def _alphabet() -> dict[str, int]:
    """The character of each byte in byte-level BPE.

    Printable characters of Latin-1 stand for themselves, all others for those from U+0100 on, in
    their order. Source: `bytes_to_unicode` in OpenAI's `gpt-2`, `src/encoder.py`.
    """
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in plain]
    found = {chr(byte): byte for byte in sorted(plain)}
    found.update((chr(0x100 + at), byte) for at, byte in enumerate(others))
    return found


ALPHABET = _alphabet()
"""The byte of each character in byte-level BPE."""


def byte_level(text: str) -> bytes | None:
    """The bytes of a token of byte-level BPE; None if a character stands for no byte."""
    try:
        return bytes([ALPHABET[char] for char in text])
    except KeyError:
        return None


def byte_token(text: str) -> int | None:
    """The byte of a token such as `<0x0A>`; None for all others."""
    found = _BYTE.fullmatch(text)
    return int(found[1], 16) if found else None


def plain(text: str) -> bytes:
    """A text as it is. What is no Unicode (half of a surrogate pair) gives bytes that none take."""
    return text.encode("utf-8", "surrogatepass")


def with_blanks(text: str) -> bytes:
    """A piece of SentencePiece that is text."""
    return plain(text.replace(BLANK, " "))


Named: TypeAlias = "int | str"
"""A token by its number, or by its text (`<|eot_id|>`)."""

MOST = 10_000_000
"""Tokens that there may be: numbers beyond are mistakes, and the lists would be as long."""

FILES = (
    "files are a `tokenizer.json`, a `tekken.json`, a SentencePiece model, a GGUF file, and what"
    " `pdl.masks.save` wrote"
)
"""The hint where a file is none of them."""

_SHOWN = 8  # special tokens that a hint names


@dataclass(frozen=True)
class Asked:
    """What the caller says beside where the tokens are."""

    eos: tuple[Named, ...] | None = None
    special: tuple[Named, ...] = ()
    size: int | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether all is as the tokenizer has it."""
        return self.eos is None and self.size is None and not self.special


@dataclass(frozen=True)
class Found:
    """What a tokenizer says. Numbers that are in no map are of no token.

    `pieces` are the bytes of each token, `marks` the numbers of special tokens (and of others, as
    the tokenizer writes them: `Ġthe`), `special` their numbers, `eos` those that end a text.
    """

    origin: str
    pieces: Mapping[int, bytes]
    special: frozenset[int]
    eos: frozenset[int] = frozenset()
    marks: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def count(self) -> int:
        """How many tokens there are, gaps among them."""
        return max(self.pieces, default=-1) + 1

    @cached_property
    def special_texts(self) -> list[str]:
        """What special tokens are called."""
        return [mark for mark, number in self.marks.items() if number in self.special]

    @cached_property
    def texts(self) -> Mapping[bytes, list[int]]:
        """The tokens that are text, by their bytes."""
        found: dict[bytes, list[int]] = {}
        for number, piece in self.pieces.items():
            if piece and number not in self.special:
                found.setdefault(piece, []).append(number)
        return found


def finished(found: Found, asked: Asked) -> Vocabulary:
    """The vocabulary. Raises VocabularyError where nothing ends a text or a token is not there.

    Raises TypeError for a size that is none, ValueError for one that is too small or too large.
    """
    _check(found)
    size = found.count if asked.size is None else _size(asked.size, found.count)
    eos = _numbers("eos", found, asked.eos, size) if asked.eos is not None else found.eos
    if not eos:
        raise _no_end(found)
    special = found.special | _numbers("special", found, asked.special, size)
    tokens = [found.pieces.get(token, b"") for token in range(size)]
    return Vocabulary(tokens, special=special, eos=eos)


def _check(found: Found) -> None:
    """Raises VocabularyError for what cannot be the number of a token."""
    for number in (*found.pieces, *found.special, *found.eos):
        if type(number) is not int or not 0 <= number < MOST:
            raise refused(found.origin, f"it gives a token the number {number!r}")
    beyond = [number for number in (*found.special, *found.eos) if number >= found.count]
    if beyond:
        reason = f"it names token {min(beyond):,}, but there are only {found.count:,} tokens"
        raise refused(found.origin, reason)


def refused(origin: str, reason: str, hint: str = "") -> VocabularyError:
    """An error that says why a tokenizer gives no vocabulary."""
    return VocabularyError(Problem("vocabulary/unsupported", f"{origin}: {reason}", None, hint))


def _size(size: object, least: int) -> int:
    if isinstance(size, bool) or not isinstance(size, SupportsIndex):
        raise TypeError(f"size must be how many logits there are, not {type(size).__name__}")
    found = index(size)
    if found < least:
        raise ValueError(f"size must be at least {least:,}, the tokens there are, not {found:,}")
    if found > MOST:
        raise ValueError(f"size must be at most {MOST:,}, not {found:,}")
    return found


def named(name: str, given: object) -> tuple[Named, ...]:
    """Tokens that a caller names: one, or several. Raises TypeError for what is no token."""
    one = isinstance(given, str | bytes | bytearray) or not isinstance(given, Iterable)
    held: list[object] = [given] if one else list(cast("Iterable[object]", given))
    return tuple(_named(name, token) for token in held)


def _named(name: str, token: object) -> Named:
    if isinstance(token, str):
        return token
    if isinstance(token, bool) or not isinstance(token, SupportsIndex):
        kind = type(token).__name__
        raise TypeError(f"{name} must be the numbers or texts of tokens, not {kind}: {token!r}")
    return index(token)


def _numbers(name: str, found: Found, tokens: Iterable[Named], size: int) -> frozenset[int]:
    return frozenset(_number(name, found, token, size) for token in tokens)


def _number(name: str, found: Found, token: Named, size: int) -> int:
    if not isinstance(token, str):
        if not 0 <= token < size:
            message = f"{found.origin}: there is no token {token}, given as {name}"
            hint = f"the tokens have the numbers 0 to {size - 1:,}"
            raise VocabularyError(Problem("vocabulary/unknown-token", message, None, hint))
        return token
    number = _of_text(name, found, token)
    if number is None:
        message = f"{found.origin}: `{token}`, given as {name}, is no token"
        hint = did_you_mean(token, found.special_texts)
        raise VocabularyError(Problem("vocabulary/unknown-token", message, None, hint))
    return number


def _of_text(name: str, found: Found, text: str) -> int | None:
    """The special token of this name, or the token that stands for this text, or is written so.

    Raises VocabularyError where several tokens stand for the text, and none is written so.
    """
    written = found.marks.get(text)
    if written is not None and written in found.special:
        return written
    same = found.texts.get(plain(text), [])
    if not same or written in same:
        return written
    if len(same) > 1:
        numbers = ", ".join(f"{number:,}" for number in same[:_SHOWN])
        message = f"{found.origin}: `{text}`, given as {name}, is the text of several tokens"
        hint = f"give the number of one of them: {numbers}"
        raise VocabularyError(Problem("vocabulary/ambiguous-token", message, None, hint))
    return same[0]


def _no_end(found: Found) -> VocabularyError:
    message = f"{found.origin}: it is not said which token ends a text"
    marks = found.special_texts
    names = ", ".join(f"`{mark}`" for mark in marks[:_SHOWN])
    more = f", and {len(marks) - _SHOWN} others" if marks[_SHOWN:] else ""
    hint = "give `eos`, on the command line `--eos`, as the numbers or the texts of tokens"
    if names:
        hint += f"; special are {names}{more}"
    return VocabularyError(Problem("vocabulary/no-eos", message, None, hint))
