"""The tokens of a model, against which references to tokens are read and matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import Problem, did_you_mean
from pdl.gbnf.nodes import TokenRef
from pdl.gbnf.walk import items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.gbnf.nodes import Rule
    from pdl.source import Source

Pieces: TypeAlias = "Mapping[int, bytes | str] | Sequence[bytes | str]"
"""What each token stands for, by its number."""

_NO_LISTS: tuple[type, ...] = (str, bytes, bytearray)
_LOOKED_AT = 2_000  # tokens in angle brackets that may have been meant


class Vocabulary:
    """The text of each token by its number; special tokens have theirs as well (`<|eot|>`).

    Made from a mapping or a list, of bytes or of strings. Raises TypeError for anything else.
    """

    def __init__(self, pieces: Pieces | Vocabulary) -> None:
        self.pieces: Mapping[int, bytes | str]
        """What was given."""
        if isinstance(pieces, Vocabulary):
            self.pieces = pieces.pieces
        elif isinstance(pieces, Mapping):
            self.pieces = pieces
        elif isinstance(pieces, _NO_LISTS) or not isinstance(pieces, Sequence):
            kind = type(pieces).__name__
            raise TypeError(f"vocabulary must be a mapping or a sequence of texts, not {kind}")
        else:
            self.pieces = dict(enumerate(pieces))

    def piece(self, token: int) -> bytes:
        """The bytes of a token. Raises ValueError for a number that there is not."""
        piece = self.pieces.get(token)
        if piece is None:
            raise ValueError(f"the vocabulary has no token {token!r}")
        return _bytes(piece)

    @cached_property
    def _marks(self) -> frozenset[str]:
        """The tokens that a grammar can name by their texts."""
        found = (_bytes(piece) for piece in self.pieces.values())
        marks = (piece for piece in found if piece[:1] == b"<" and piece[-1:] == b">")
        return frozenset(piece.decode("utf-8", "replace") for piece in marks)

    def unknown(self, rules: Iterable[Rule], source: Source) -> Iterator[Problem]:
        """The references `<text>` in some rules that are no token, for which llama.cpp refuses."""
        for rule in rules:
            for item in items(rule.options):
                if isinstance(item, TokenRef) and item.id is None and item.text not in self._marks:
                    message = f"`{item.text}` is not one token of the vocabulary"
                    near = did_you_mean(item.text, sorted(self._marks)[:_LOOKED_AT])
                    hint = near or 'a text that is no token stands in double quotes: "…"'
                    span = source.span(item.start, item.end)
                    yield Problem("gbnf/unknown-token", message, span, hint)


def _bytes(piece: bytes | str) -> bytes:
    if isinstance(piece, str):
        return piece.encode("utf-8", "surrogatepass")
    if not isinstance(piece, bytes | bytearray | memoryview):
        raise TypeError(f"a vocabulary holds str or bytes, not {type(piece).__name__}")
    return bytes(piece)
