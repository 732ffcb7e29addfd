"""Undoing the compression of a reply, never by more than a bound at once."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

from pdl.models.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

_AT_ONCE = 1 << 18  # bytes that are unpacked before anybody counts them


class Inflate(Protocol):
    """Unpacks bytes as they come. Raises `Fault` for what is not packed as it says."""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """What a piece unpacks to."""

    def close(self) -> None:
        """Raise `Fault` if the packed bytes are not all there."""


def inflate_of(encoding: str) -> Inflate:
    """Undoes a `Content-Encoding`. Raises `Fault` for one that was not asked for."""
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip" | "deflate" as name:
            return _Zlib(name)
    shown = f"{encoding[:40]}…" if len(encoding) > 40 else encoding  # noqa: PLR2004 - more helps nobody
    raise Fault("content_type", f"the reply is packed as `{shown}`, which was not asked for")


class _Plain:
    def feed(self, piece: bytes) -> Iterator[bytes]:
        yield piece

    def close(self) -> None:
        """Nothing can lack."""


class _Zlib:
    def __init__(self, name: str) -> None:
        self._name = name
        # 32: the head tells gzip from zlib (the manual of zlib, inflateInit2)
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._is_begun = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        while piece:
            self._is_begun = True
            try:
                out = self._inner.decompress(piece, _AT_ONCE)
            except zlib.error as error:
                raise Fault("cut", f"the reply is not packed as {self._name} should be") from error
            piece = self._inner.unconsumed_tail
            if out:
                yield out

    def close(self) -> None:
        if self._is_begun and not self._inner.eof:
            raise Fault("cut", f"the packed reply ({self._name}) ended before its end")
