"""The statements of a template in pairs: what `{% if %}` and its `{% endif %}` enclose."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.edit.document import Document, Turn
    from pdl.prompt.scan import Piece, Token

_MIDDLES = {"else": ("if", "for"), "elif": ("if",)}
_PAIRED = frozenset(
    {"autoescape", "block", "call", "filter", "for", "if", "macro", "raw", "set", "with"}
)


class Statement(NamedTuple):
    """A tag `{% … %}`: its first word, and all of its words."""

    word: str
    piece: Piece
    tokens: Sequence[Token]

    @property
    def range(self) -> Range:
        """The tag with its delimiters."""
        return Range(self.piece.start, self.piece.end)


class Block(NamedTuple):
    """A statement, those between its branches, and the one that ends it."""

    opener: Statement
    middles: tuple[Statement, ...]
    closer: Statement

    @property
    def range(self) -> Range:
        """From the first tag to the last, both included."""
        return Range(self.opener.piece.start, self.closer.piece.end)


def statements(document: Document) -> list[Statement]:
    """Return the statements of a document in order; the word of `{% %}` is empty."""
    found = []
    for piece in document.pieces:
        if piece.kind == "statement":
            tokens = document.tag_tokens(piece)
            first = tokens[0] if tokens and tokens[0].kind == "name" else None
            word = document.text[first.start : first.end] if first is not None else ""
            found.append(Statement(word, piece, tokens))
    return found


def blocks(document: Document) -> list[Block]:
    """Return the statements that something ends, in the order in which they begin.

    They are nested or apart: what is never ended is left out, and so is an end without a beginning.
    """
    found: list[Block] = []
    stack: list[tuple[Statement, list[Statement]]] = []
    open_words = Counter[str]()
    for one in statements(document):
        if one.word in _MIDDLES:
            if stack and stack[-1][0].word in _MIDDLES[one.word]:
                stack[-1][1].append(one)
        elif one.word.startswith("end"):
            word = one.word.removeprefix("end")
            while open_words[word]:
                opener, middles = stack.pop()
                open_words[opener.word] -= 1
                if opener.word == word:
                    found.append(Block(opener, tuple(middles), one))
                    break
        elif one.word in _PAIRED and not _is_assignment(document, one):
            stack.append((one, []))
            open_words[one.word] += 1
    return sorted(found, key=lambda block: block.opener.piece.start)


def _is_assignment(document: Document, one: Statement) -> bool:
    """Whether it is `{% set x = 1 %}`, which nothing ends."""
    signs = (document.text[token.start : token.end] for token in one.tokens)
    return one.word == "set" and "=" in signs


def extents(document: Document) -> list[tuple[Turn, Range]]:
    """Return each turn with the range that is its own, so that turns and blocks are nested.

    It has no blank lines at its end, and it ends before a tag of a block that begins before the
    turn, and before a block that ends after it.
    """
    found = blocks(document)
    cuts = [(tag.piece.start, block.range) for block in found for tag in _tags(block)]
    cuts.sort(key=itemgetter(0))
    starts = [start for start, _ in cuts]
    out = []
    for turn in document.turns:
        start, end = turn.marker.start, turn.body.end
        within = cuts[bisect_left(starts, start) : bisect_left(starts, end)]
        outer = (cut for cut, block in within if block.start < start or block.end > end)
        body = document.text[turn.marker.end : next(outer, end)].rstrip()
        out.append((turn, Range(start, turn.marker.end + len(body))))
    return out


def _tags(block: Block) -> Iterator[Statement]:
    yield block.opener
    yield from block.middles
    yield block.closer
