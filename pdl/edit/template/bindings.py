"""The statements of a template, the blocks that they open and end, and the names that these bind.

A document has one `Outline`, made once. Expressions are parsed when they are first asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.edit.document import Range
from pdl.edit.template.tags import read_statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.edit.document import Document, Turn
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.tags import Statement, Word
    from pdl.prompt.scan import Piece

BindingKind: TypeAlias = Literal["set", "for", "with", "macro", "parameter", "module", "imported"]

CLOSED = ("if", "for", "set", "macro", "call", "with", "block", "filter", "raw", "autoescape")
"""The statements that an `end…` closes; `set` only without a `=`."""
_DEEPEST = 100  # Python compiles no template that nests more deeply
_BRANCHES = {"else": ("if", "for"), "elif": ("if",)}
_SCOPES = frozenset({"for", "macro", "call", "with", "block", "filter", "set", ""})


class Binding(NamedTuple):
    """A name with a value: `position` is its place among all `targets` of its statement."""

    name: str
    kind: BindingKind
    range: Range
    start: int
    """Where it begins to be known."""
    piece: Piece
    position: int = 0
    targets: int = 1


@dataclass(eq=False)
class Block:
    """A part of the text between a statement and its `end…`; the whole text has no keyword.

    `tags` are its statement, those between its branches, and the one that ends it, if there is one.
    """

    keyword: str
    parent: Block | None = None
    name: str = ""
    tags: list[Piece] = field(default_factory=list)
    is_closed: bool = False
    is_apart: bool = False
    """Whether it sees no names around it but those of the top: a `block` that is not `scoped`."""
    bindings: dict[str, list[Binding]] = field(default_factory=dict)

    @property
    def range(self) -> Range:
        """From the first tag to the last, both included."""
        return Range(self.tags[0].start, self.tags[-1].end)


class Tag(NamedTuple):
    """A statement by its first word, and the block that it opens, divides or ends."""

    keyword: str
    piece: Piece
    block: Block | None


class Outline:
    """What the tags of a document say: statements, blocks and names."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._statements: dict[int, Statement] = {}
        self.root = Block("")
        self._events: list[int] = [0]
        self._tops: list[Block] = [self.root]
        self.blocks: list[Block] = []
        self.tags: list[Tag] = []
        self._read()

    def statement(self, piece: Piece) -> Statement:
        """Return the statement or the expression that a tag is."""
        found = self._statements.get(piece.start)
        if found is None:
            found = self._statements[piece.start] = read_statement(self.document, piece)
        return found

    def statements(self) -> Iterator[Statement]:
        """Yield all of them, in the order of the text."""
        for piece in self.document.pieces:
            if piece.kind in ("statement", "expression"):
                yield self.statement(piece)

    @cached_property
    def calls(self) -> dict[str, list[Node]]:
        """The calls of names in the text."""
        found: dict[str, list[Node]] = {}
        for statement in self.statements():
            for value in statement.values:
                for node in value.walk():
                    if node.kind == "call" and node.children[0].kind == "name":
                        found.setdefault(node.children[0].text, []).append(node)
        return found

    def block_at(self, offset: int) -> Block:
        """Return the innermost block at an offset; a block begins with its own tag."""
        return self._tops[bisect_right(self._events, max(offset, 0)) - 1]

    def open_at(self, offset: int) -> list[Block]:
        """Return the blocks around an offset, innermost first."""
        found = []
        block: Block | None = self.block_at(offset)
        while block is not None and block.parent is not None:
            found.append(block)
            block = block.parent
        return found

    def lookup(self, name: str, offset: int) -> Binding | None:
        """Return what a name is bound to at an offset; None if nothing in the text binds it."""
        for block in self._scopes(offset):
            found = _last(block.bindings.get(name, ()), offset)
            if found is not None:
                return found
        return None

    def visible(self, offset: int) -> dict[str, Binding]:
        """Return all names that are bound at an offset."""
        found: dict[str, Binding] = {}
        for block in self._scopes(offset):
            for name, known in block.bindings.items():
                binding = _last(known, offset)
                if binding is not None:
                    found.setdefault(name, binding)
        return found

    def _scopes(self, offset: int) -> Iterator[Block]:
        """The blocks whose names are known at an offset, innermost first."""
        block: Block | None = self.block_at(offset)
        while block is not None:
            yield block
            block = self.root if block.is_apart else block.parent

    def in_loop(self, offset: int) -> bool:
        """Whether `loop` is known there."""
        for block in self.open_at(offset):
            if block.keyword == "for" and block.tags[0].end < offset:
                return True
            if block.keyword == "macro":
                return False
        return False

    def macro(self, name: str) -> Statement | None:
        """Return the definition of a macro that other files can import."""
        known = [one for one in self.root.bindings.get(name, ()) if one.kind == "macro"]
        return self.statement(known[-1].piece) if known else None

    @cached_property
    def pairs(self) -> list[Block]:
        """The blocks that have their ends, which are nested or apart, as they begin."""
        return [one for one in self.blocks if one.is_closed]

    def _read(self) -> None:
        stack = [self.root]
        text = self.document.text
        for piece in self.document.pieces:
            if piece.kind != "statement":
                continue
            tokens = self.document.tag_tokens(piece)
            keyword = text[tokens[0].start : tokens[0].end] if tokens else ""
            block: Block | None = None
            if keyword.startswith("end"):
                block = _found(stack, keyword[3:])
                if block is not None:
                    block.is_closed = True
                    del stack[stack.index(block) :]
                    self._event(piece.end, stack[-1])
            elif keyword in _BRANCHES:
                block = _found(stack, *_BRANCHES[keyword])
                if block is not None and block is not stack[-1]:
                    del stack[stack.index(block) + 1 :]
                    self._event(piece.start, block)
            elif keyword in CLOSED or keyword in ("set_global", "import", "from"):
                block = self._open(keyword, stack, piece)
            if block is not None:
                block.tags.append(piece)
            self.tags.append(Tag(keyword, piece, block))

    def _open(self, keyword: str, stack: list[Block], piece: Piece) -> Block | None:
        statement = self.statement(piece)
        outer = next(one for one in reversed(stack) if one.keyword in _SCOPES)
        opened: Block | None = None
        is_assignment = keyword == "set" and bool(statement.values)
        if keyword in CLOSED and not is_assignment and len(stack) <= _DEEPEST:
            name = statement.targets[0].text if statement.targets else ""
            is_apart = keyword == "block" and "scoped" not in statement.flags
            opened = Block(keyword, stack[-1], name, is_apart=is_apart)
            stack.append(opened)
            self.blocks.append(opened)
            self._event(piece.start, opened)
        for kind, word, start, position, count in _bound(statement, piece):
            scope = opened if kind in ("for", "with", "parameter") else None
            scope = self.root if keyword == "set_global" else scope or outer
            bound = Binding(word.text, kind, word.range, start, piece, position, count)
            scope.bindings.setdefault(word.text, []).append(bound)
        return opened

    def _event(self, start: int, top: Block) -> None:
        self._events.append(start)
        self._tops.append(top)


def _last(known: Sequence[Binding], offset: int) -> Binding | None:
    """The last of the bindings of a name that begin before an offset."""
    at = bisect_right(known, offset, key=lambda one: one.start) - 1
    return known[at] if at >= 0 else None


def outline(document: Document) -> Outline:
    """Return the outline of a document, which is made once."""
    return document.derive(Outline)


def _bound(statement: Statement, piece: Piece) -> Iterator[tuple[BindingKind, Word, int, int, int]]:
    """What a statement binds: the kind, the name, from where on, and its place among several."""
    if statement.keyword in ("block", "filter"):
        return
    words = statement.aliases or statement.targets
    kinds: dict[str, BindingKind] = {
        "for": "for",
        "with": "with",
        "macro": "macro",
        "import": "module",
        "from": "imported",
    }
    kind = kinds.get(statement.keyword, "set")
    start = piece.end + (not piece.closed)
    if kind == "for" and statement.values:
        start = statement.values[0].end
    for position, word in enumerate(words):
        if word.attribute is None:
            yield kind, word, start, position, len(words)
    for position, (word, _) in enumerate(statement.parameters):
        yield "parameter", word, piece.end, position, len(statement.parameters)


def _found(stack: list[Block], *keywords: str) -> Block | None:
    """The innermost open block of some kinds."""
    return next((one for one in reversed(stack) if one.keyword in keywords and one.tags), None)


def extents(document: Document) -> list[tuple[Turn, Range]]:
    """Return each turn with the range that is its own, so that turns and blocks are nested.

    It has no blank lines at its end, and it ends before a tag of a block that begins before the
    turn, and before a block that ends after it.
    """
    cuts = [(tag.start, one.range) for one in outline(document).pairs for tag in one.tags]
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
