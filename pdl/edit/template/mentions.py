"""What the tags of a document say about names, in the order in which Jinja looks at them.

A scope reaches from its tag to the `end…` tag of that kind, or to the end of the text, so a
template need not parse. `pdl.edit.template.scopes` decides what each name refers to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.edit.template.bindings import outline
from pdl.edit.template.expressions import CONSTANTS, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.edit.document import Document
    from pdl.edit.template.bindings import Block, Tag
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.tags import Statement, Word

Access: TypeAlias = Literal["read", "write", "parameter"]
Kind: TypeAlias = Literal["variable", "loop", "macro", "parameter", "import"]

IMPLICIT = frozenset({"self", "super", "caller", "varargs", "kwargs", "loop"})
"""Names that Jinja defines."""
NAMESPACE = "namespace"
_FRAMES = frozenset({"autoescape", "block", "call", "filter", "for", "macro", "set", "with"})
_WRITTEN: dict[str, Kind] = {
    "set": "variable",
    "set_global": "variable",
    "macro": "macro",
    "import": "import",
}
_DECLARED: dict[str, Kind] = {"for": "loop", "with": "variable"}


class Mention(NamedTuple):
    """A name of a variable in a tag: what it does, and the frame in which it does so."""

    start: int
    end: int
    text: str
    access: Access
    kind: Kind
    frame: int


class Attribute(NamedTuple):
    """A name after `.` or `::` of a variable's, or in `["…"]`; `base` is that, None for `self`."""

    start: int
    end: int
    text: str
    base: Mention | None
    access: Access = "read"


class Keyword(NamedTuple):
    """The name of an argument in a call of a variable, or of an attribute."""

    start: int
    end: int
    text: str
    callee: Mention | Attribute


class BlockName(NamedTuple):
    """The name of a block, in its tag or in its `endblock`, and the frame around it."""

    start: int
    end: int
    text: str
    around: int
    is_end: bool
    is_scoped: bool = False


class Imported(NamedTuple):
    """A name of another file, and the mention that defines it here.

    `is_renamed` says that the two are different words: `a as b`.
    """

    start: int
    end: int
    text: str
    mention: Mention
    is_renamed: bool


class Reference(NamedTuple):
    """A tag that names files. `is_computed` says that it may name others than `names`.

    `target` is the mention that names the import.
    """

    kind: str
    names: tuple[Word, ...]
    frame: int
    has_context: bool
    is_computed: bool
    start: int
    target: Mention | None = None
    imported: tuple[Imported, ...] = ()


@dataclass
class Branches:
    """The bodies of an `if`; its `elif`s are a list of further ones with their conditions."""

    body: list[Event] = field(default_factory=list)
    elifs: list[Event] = field(default_factory=list)
    otherwise: list[Event] = field(default_factory=list)


Event: TypeAlias = "Mention | Branches"


@dataclass
class Frame:
    """A scope; `parent` is the one around it, `owner` the mention of the macro that it belongs to.

    A block does not see the names around it (`sees_parent`) unless it is `scoped`.
    """

    start: int
    end: int
    parent: int
    sees_parent: bool = True
    owner: Mention | None = None
    events: list[Event] = field(default_factory=list)


class _Around(NamedTuple):
    """What was current before a block."""

    frame: int
    events: list[Event]
    branches: Branches


def _is_attribute(node: Node) -> bool:
    """Whether it is `x.y`, or `x["y"]` where the text is a name as it is written."""
    if node.kind != "item" or len(node.children) < 2:  # noqa: PLR2004 - the value, the key
        return node.kind == "attribute"
    key = node.children[1]
    name = unquoted(key.text) if key.kind == "string" else ""
    return name.isidentifier() and key.text[1:-1] == name


class Mentions:
    """All that the tags of a document say about names."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.all: list[Mention] = []
        self.attributes: list[Attribute] = []
        self.keywords: list[Keyword] = []
        self.blocks: list[BlockName] = []
        self.references: list[Reference] = []
        self.globals: set[str] = set()
        self.frames = [Frame(0, len(self.text), -1)]
        self._frame = 0
        self._events: list[Event] = self.frames[0].events
        self._around: dict[Block, _Around] = {}
        self._outline = outline(document)
        tags = iter(self._outline.tags)
        for piece in document.pieces:
            if piece.kind == "expression":
                statement = self._outline.statement(piece)
                self._read((*statement.values, *statement.rest))
            elif piece.kind == "statement":
                self._tag(next(tags))

    def _add(
        self, word: Word | Node, access: Access, kind: Kind = "variable", start: int = -1
    ) -> Mention:
        """Add a mention of a variable in the current frame."""
        start = word.start if start < 0 else start
        text = word.text
        mention = Mention(start, start + len(text), text, access, kind, self._frame)
        self.all.append(mention)
        if text not in IMPLICIT:
            self._events.append(mention)
        return mention

    def _read(self, nodes: Iterable[Node]) -> None:
        """Read the names of expressions."""
        pending = [*nodes]
        pending.reverse()
        while pending:
            node = pending.pop()
            children = node.children
            if node.kind == "name":
                self._name(node)
            elif _is_attribute(node) and children[0].kind == "name":
                self._attribute(node)
            elif node.kind == "call" and (children[0].kind == "name" or _is_attribute(children[0])):
                self._call(node, pending)
            else:
                pending += children[::-1]

    def _name(self, node: Node) -> Mention | None:
        if node.text in IMPLICIT or node.text in CONSTANTS:
            return None
        return self._add(node, "read", start=node.place)

    def _attribute(self, node: Node) -> Mention | Attribute | None:
        """`x.y` or `x["y"]`, where `x` is a name; in `self::m` it is `m`."""
        value, start, text = node.children[0], node.at, node.text
        if node.kind == "item":
            start, text = node.children[1].place + 1, unquoted(node.children[1].text)
        elif value.text == "self" and ":" in self.text[value.end : start]:
            return self._add(node, "read", start=start) if text else None
        base = self._name(value)
        if (base is None and value.text != "self") or not text.isidentifier():
            return None
        found = Attribute(start, start + len(text), text, base)
        self.attributes.append(found)
        return found

    def _call(self, node: Node, pending: list[Node]) -> None:
        called = node.children[0]
        callee: Mention | Attribute | None = None
        if called.kind == "name":
            callee = self._name(called)
        elif called.children[0].kind == "name":
            callee = self._attribute(called)
        else:
            pending.append(called)
        for value, name in zip(node.arguments, node.names, strict=False):
            if callee is not None and name not in ("", "*"):
                start = self.text.rfind(name, 0, value.start)
                self.keywords.append(Keyword(start, start + len(name), name, callee))
        pending += node.arguments[::-1]

    def _tag(self, tag: Tag) -> None:
        block = tag.block
        if tag.keyword.startswith("end"):
            if block is not None:
                self._end(tag, block)
        elif block is not None and block.tags[0] is not tag.piece:
            self._branch(tag, block)
        elif tag.keyword != "else":
            self._statement(self._outline.statement(tag.piece), block)

    def _statement(self, statement: Statement, block: Block | None) -> None:
        """Read a tag: first what is around its block, if it opens one, then what is in it."""
        keyword, values = statement.keyword, statement.values
        defaults = [one for _, one in statement.parameters if one is not None]
        inside = {"for": len(values[:1]), "autoescape": 0}.get(keyword, len(values))
        self._read((*values[len(defaults) : inside], *statement.rest))
        written = self._targets(statement, "write", _WRITTEN)
        if keyword == "set_global" and written:
            self.globals.add(written[0].text)
        if keyword in ("set", "set_global") and len(written) == 1:
            self._fields(written[0], values)
        if keyword == "block" and statement.targets:
            self._block(statement, is_end=False)
        if statement.is_reference:
            self._reference(statement, written)
        if block is not None:
            owner = written[0] if keyword == "macro" and written else None
            self._open(statement, block, owner)
        self._targets(statement, "parameter", _DECLARED)
        for word, _ in statement.parameters:
            self._add(word, "parameter", "parameter")
        self._read((*values[inside:], *defaults))

    def _open(self, statement: Statement, block: Block, owner: Mention | None) -> None:
        around = self._around[block] = _Around(self._frame, self._events, Branches())
        if block.keyword == "if":
            self._events.append(around.branches)
            self._events = around.branches.body
        elif block.keyword in _FRAMES:
            self._enter(statement.end, sees_parent=block.keyword != "block", owner=owner)

    def _enter(self, start: int, *, sees_parent: bool = True, owner: Mention | None = None) -> None:
        frame = Frame(start, len(self.text), self._frame, sees_parent, owner)
        self.frames.append(frame)
        self._frame = len(self.frames) - 1
        self._events = frame.events

    def _leave(self, block: Block, at: int) -> _Around:
        """Return to what was current before a block; scopes that lack their ends, end here."""
        around = self._around[block]
        while self._frame > around.frame:
            frame = self.frames[self._frame]
            frame.end = min(frame.end, at)
            self._frame = frame.parent
        self._events = around.events
        return around

    def _branch(self, tag: Tag, block: Block) -> None:
        """`else` and `elif`."""
        around = self._leave(block, tag.piece.start)
        if block.keyword == "for":
            self._enter(tag.piece.end)
        elif tag.keyword == "else":
            self._events = around.branches.otherwise
        else:
            statement = self._outline.statement(tag.piece)
            self._events = around.branches.elifs
            self._read((*statement.values, *statement.rest))
            further = Branches()
            self._events.append(further)
            self._events = further.body

    def _end(self, tag: Tag, block: Block) -> None:
        self._leave(block, tag.piece.start)
        if tag.keyword not in ("endmacro", "endblock"):
            return
        statement = self._outline.statement(tag.piece)
        if statement.targets and statement.keyword == "endmacro":
            word = statement.targets[0]
            self.all.append(Mention(word.start, word.end, word.text, "read", "macro", self._frame))
        elif statement.targets:
            self._block(statement, is_end=True)

    def _block(self, statement: Statement, *, is_end: bool) -> None:
        name, is_scoped = statement.targets[0], "scoped" in statement.flags
        self.blocks.append(
            BlockName(name.start, name.end, name.text, self._frame, is_end, is_scoped)
        )

    def _targets(
        self, statement: Statement, access: Access, kinds: dict[str, Kind]
    ) -> list[Mention]:
        """Read what is assigned to: names, and attributes of namespaces."""
        kind = kinds.get(statement.keyword)
        found: list[Mention] = []
        for word in statement.targets if kind is not None else ():
            if word.attribute is None:
                found.append(self._add(word, access, kind or "variable"))
                continue
            base, name = self._add(word, "read"), word.attribute
            if name.text:
                self.attributes.append(Attribute(name.start, name.end, name.text, base, "write"))
        return found

    def _fields(self, target: Mention, values: list[Node]) -> None:
        """The attributes that a call of `namespace` gives to a name."""
        if values and self.text.startswith(NAMESPACE, values[0].start):
            for one in reversed(self.keywords):
                if one.start < values[0].start:
                    break
                if isinstance(one.callee, Mention) and one.callee.text == NAMESPACE:
                    self.attributes.append(Attribute(one.start, one.end, one.text, target, "write"))

    def _reference(self, statement: Statement, written: list[Mention]) -> None:
        """`include`, `import`, `from` and `extends`."""
        imported = tuple(
            Imported(name.start, name.end, name.text, mention, own != name)
            for name, own in zip(statement.targets, statement.aliases, strict=False)
            for mention in (self._add(own, "write", "import"),)
        )
        has_context = "without" not in statement.flags and (
            statement.keyword in ("include", "extends") or "with" in statement.flags
        )
        self.references.append(
            Reference(
                statement.keyword,
                statement.files,
                self._frame,
                has_context,
                statement.is_computed,
                statement.start,
                written[0] if written else None,
                imported,
            )
        )
