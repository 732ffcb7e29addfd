"""What the tags of a template say about names, in the order in which Jinja looks at them.

Read from tokens, so a template need not parse: a scope reaches from its tag to the `end…` tag of
that kind, or to the end of the text. `pdl.edit.scopes` decides what each name refers to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pdl.edit.mentions import (
    KEYWORDS,
    NAMESPACE,
    REFERRING,
    Attribute,
    BlockName,
    Branches,
    Event,
    FileName,
    Frame,
    Imported,
    Keyword,
    Mention,
    Reference,
)
from pdl.edit.tag_names import TagNames

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl.edit.document import Document
    from pdl.prompt.scan import Piece, Token

_DEEPEST = 100  # Python compiles no template that nests more deeply


class _Open(NamedTuple):
    """A tag that waits for its end, and what was current around it."""

    word: str
    frame: int
    events: list[Event]
    branches: Branches | None = None
    block: int = -1


class Statements(TagNames):
    """All tags of a document that say something about names."""

    def __init__(self, document: Document) -> None:
        super().__init__(document.text)
        self.blocks: list[BlockName] = []
        self.references: list[Reference] = []
        self.globals: set[str] = set()
        self._open: list[_Open] = []
        for piece in document.pieces:
            if piece.kind in ("expression", "statement"):
                tokens = document.tag_tokens(piece)
                if piece.kind == "expression":
                    self.expression(tokens)
                elif tokens:
                    self._statement(piece, tokens)

    def _statement(self, piece: Piece, tokens: list[Token]) -> None:
        word, rest = self.word(tokens, 0), tokens[1:]
        reader = _READERS.get(word)
        if reader is not None:
            reader(self, piece, rest)
        elif word in REFERRING:
            self._reference(word, rest, piece.start)
        elif word.startswith("end"):
            self._end(word[3:], piece, rest)
        else:
            self.expression(rest)

    def open(self, word: str, piece: Piece, *, sees_parent: bool = True, owner: int = -1) -> None:
        """Begin a scope after a tag."""
        if len(self._open) < _DEEPEST:
            self._open.append(_Open(word, self.frame, self.events, None, len(self.blocks) - 1))
            self._enter(word, piece, sees_parent=sees_parent, owner=owner)

    def _enter(self, word: str, piece: Piece, *, sees_parent: bool = True, owner: int = -1) -> None:
        frame = Frame(word, piece.end, len(self.text), self.frame, sees_parent, owner)
        self.frames.append(frame)
        self.frame = len(self.frames) - 1
        self.events = frame.events

    def _leave(self, opened: _Open, at: int) -> None:
        """Return to what was current before a tag; scopes that lack their ends, end here."""
        frame = self.frame
        while frame > opened.frame:
            self.frames[frame].end = min(self.frames[frame].end, at)
            frame = self.frames[frame].parent
        self.frame, self.events = opened.frame, opened.events

    def _close(self, *words: str) -> _Open | None:
        """Remove the innermost open tag of some kind, and those within it, which lack an end."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].word in words:
                opened = self._open[at]
                del self._open[at:]
                return opened
        return None

    def _end(self, word: str, piece: Piece, rest: Sequence[Token]) -> None:
        opened = self._close(word)
        if opened is None:
            return
        self._leave(opened, piece.start)
        if rest and rest[0].kind == "name":
            name = rest[0]
            if word == "macro":
                text = self.text[name.start : name.end]
                self.mentions.append(
                    Mention(name.start, name.end, text, "read", "macro", self.frame)
                )
            elif word == "block":
                block = self.blocks[opened.block]
                self._block_name(name, block.frame, block.around, is_end=True)

    def _block_name(
        self, name: Token, frame: int, around: int, *, is_end: bool, is_scoped: bool = False
    ) -> None:
        text = self.text[name.start : name.end]
        self.blocks.append(BlockName(name.start, name.end, text, frame, around, is_end, is_scoped))

    def if_(self, _: Piece, rest: Sequence[Token]) -> None:
        """`if test`."""
        self.expression(rest)
        if len(self._open) < _DEEPEST:
            branches = Branches()
            self.events.append(branches)
            self._open.append(_Open("if", self.frame, self.events, branches))
            self.events = branches.body

    def elif_(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`elif test`."""
        opened = self._close("if")
        if opened is None or opened.branches is None:
            self.expression(rest)
            return
        self._leave(opened, piece.start)
        self._open.append(opened)
        self.events = opened.branches.elifs
        self.expression(rest)
        further = Branches()
        self.events.append(further)
        self.events = further.body

    def else_(self, piece: Piece, _: Sequence[Token]) -> None:
        """`else` of an `if` or of a `for`."""
        opened = self._close("if", "for")
        if opened is None:
            return
        self._leave(opened, piece.start)
        self._open.append(opened)
        if opened.branches is not None:
            self.events = opened.branches.otherwise
        else:
            self._enter("else", piece)

    def for_(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`for targets in expression [if test] [recursive]`."""
        at = self.find(rest, "in")
        end = len(rest) - self._is_recursive(rest)
        test = min(self.find(rest, "if", at), end)
        self.expression(rest[at + 1 : test])
        self.open("for", piece)
        self.targets(rest[:at], "parameter", "loop")
        self.expression(rest[test + 1 : end])

    def _is_recursive(self, rest: Sequence[Token]) -> bool:
        """Whether a `for` ends with the word `recursive`, which is no name there."""
        before = self.word(rest, len(rest) - 2)
        is_value = before in (")", "]", "}") or rest[-2:-1] != []
        if before and rest[-2].kind == "operator":
            is_value = before in (")", "]", "}")
        is_word = self.word(rest, len(rest) - 1) == "recursive"
        return is_word and is_value and before not in KEYWORDS

    def set_(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`set targets = expression`, or `set name [| filter]` up to `endset`."""
        equals = self.find(rest, "=")
        if equals < len(rest):
            first = len(self.keywords)
            self.expression(rest[equals + 1 :])
            found = self.targets(rest[:equals], "write", "variable")
            if len(found) == 1 and self.word(rest, equals + 1) == NAMESPACE:
                self._fields(found[0], self.keywords[first:])
            return
        bar = self.find(rest, "|")
        self.expression(rest[bar:])
        self.targets(rest[:bar], "write", "variable")
        self.open("set", piece)

    def _fields(self, target: int, keywords: Sequence[Keyword]) -> None:
        """The attributes that a call of `namespace` gives to a name."""
        for one in keywords:
            if one.attribute < 0 <= one.mention and self.mentions[one.mention].text == NAMESPACE:
                field_ = Attribute(one.start, one.end, one.text, target, -1, "write")
                self.attributes.append(field_)

    def set_global(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`set_global name = expression`."""
        if rest and rest[0].kind == "name":
            self.globals.add(self.word(rest, 0))
            if self.find(rest, "=") == len(rest):
                self.targets(rest[:1], "write", "variable")
            else:
                self.set_(piece, rest)

    def macro(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`macro name(parameters)`."""
        owner = -1
        if rest and rest[0].kind == "name":
            owner = self.add(rest[0], "write", "macro")
        self.open("macro", piece, owner=owner)
        self._signature(rest[1:])

    def call(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`call [(parameters)] expression`."""
        signature: Sequence[Token] = ()
        if self.word(rest, 0) == "(":
            end = min(self.find(rest[1:], ")") + 2, len(rest))
            signature, rest = rest[:end], rest[end:]
        self.expression(rest)
        self.open("call", piece)
        self._signature(signature)

    def _signature(self, tokens: Sequence[Token]) -> None:
        """`(name, name=default …)`: Jinja defines all parameters before the defaults."""
        at, end = 1, self.find(tokens[1:], ")") + 1
        defaults: list[Sequence[Token]] = []
        while at < end:
            comma = min(self.find(tokens, ",", at), end)
            if tokens[at].kind == "name":
                self.add(tokens[at], "parameter", "parameter")
                defaults.append(tokens[at + 2 : comma])
            at = comma + 1
        for one in defaults:
            self.expression(one)

    def filter(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`filter name(arguments)`."""
        self.expression(rest[1:])
        self.open("filter", piece)

    def with_(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`with name = expression, …`: Jinja reads all values before it defines the names."""
        targets: list[Token] = []
        at = 0
        while at < len(rest):
            equals = self.find(rest, "=", at)
            comma = self.find(rest, ",", equals + 1)
            targets += rest[at:equals]
            self.expression(rest[equals + 1 : comma])
            at = comma + 1
        self.open("with", piece)
        self.targets(targets, "parameter", "variable")

    def autoescape(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`autoescape expression`."""
        self.open("autoescape", piece)
        self.expression(rest)

    def block(self, piece: Piece, rest: Sequence[Token]) -> None:
        """`block name [scoped] [required]`."""
        is_named = bool(rest) and rest[0].kind == "name"
        is_scoped = any(self.word(rest, at) == "scoped" for at in range(1, len(rest)))
        if is_named:
            around = self.frame
            self._block_name(rest[0], len(self.frames), around, is_end=False, is_scoped=is_scoped)
        self.open("block", piece, sees_parent=False)

    def _reference(self, word: str, rest: Sequence[Token], start: int) -> None:
        """`include`, `import`, `from` and `extends`."""
        file, named, has_context = self.file_part(word, rest)
        self.expression(file)
        names, is_computed = self.file_names(file)
        target = -1
        imported: tuple[Imported, ...] = ()
        if word == "import" and named and named[0].kind == "name":
            target = self.add(named[0], "write", "import")
        elif word == "from":
            imported = self._imported(named)
        kind = cast("Any", word)
        self.references.append(
            Reference(kind, names, self.frame, has_context, is_computed, start, target, imported)
        )

    def _imported(self, tokens: Sequence[Token]) -> tuple[Imported, ...]:
        """`name, name as other, …`."""
        found: list[Imported] = []
        at = 0
        while at < len(tokens):
            comma = self.find(tokens, ",", at)
            given = [one for one in tokens[at:comma] if one.kind == "name"]
            at = comma + 1
            if given:
                own = given[2] if len(given) > 2 else given[0]  # noqa: PLR2004 - `a as b`
                name = given[0]
                mention = self.add(own, "write", "import")
                text = self.text[name.start : name.end]
                found.append(Imported(name.start, name.end, text, mention, own is not name))
        return tuple(found)


_READERS: dict[str, Callable[[Statements, Piece, Sequence[Token]], None]] = {
    "autoescape": Statements.autoescape,
    "block": Statements.block,
    "call": Statements.call,
    "elif": Statements.elif_,
    "else": Statements.else_,
    "filter": Statements.filter,
    "for": Statements.for_,
    "if": Statements.if_,
    "macro": Statements.macro,
    "set": Statements.set_,
    "set_global": Statements.set_global,
    "with": Statements.with_,
}


_REFERRING = re.compile(rf"\{{%[-+]?\s*(?:{'|'.join(REFERRING)})\b")


def named_files(document: Document) -> list[FileName]:
    """Return the files that tags name, without reading the other tags."""
    text = document.text
    if _REFERRING.search(text) is None:
        return []
    found: list[FileName] = []
    reader = TagNames(text)
    for piece in document.pieces:
        if piece.kind == "statement" and _REFERRING.match(text, piece.start, piece.end):
            tokens = document.tag_tokens(piece)
            file = reader.file_part(reader.word(tokens, 0), tokens[1:])[0]
            found += reader.file_names(file)[0]
    return found
