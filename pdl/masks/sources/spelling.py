"""How tokenizers write bytes as text: byte for byte, or as SentencePiece does."""

from __future__ import annotations

import re

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
