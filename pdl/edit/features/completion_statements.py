"""Completion of statements: their words, the files, blocks and macros that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.features.offers import offer
from pdl.edit.template import callables, words
from pdl.edit.template.bindings import CLOSED, outline
from pdl.edit.template.callables import said_of, signature
from pdl.edit.workspace import listed
from pdl.prompt.messages import MIME_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.features.offers import Completion, Request
    from pdl.edit.template.tags import Statement
    from pdl.prompt.scan import Piece, Token

_BRANCHES = ("elif", "else")
_MEDIA = tuple(f".{kind}" for kind in (*MIME_TYPES, "jpg", "jpe", "jfif"))
_IN_LOOPS = ("break", "continue")
_SNIPPETS = {
    "if": "if ${1:condition}",
    "for": "for ${1:item} in ${2:items}",
    "set": "set ${1:name} = ${2:value}",
    "macro": "macro ${1:name}($2)",
    "include": 'include "$1"',
    "import": 'import "$1" as ${2:name}',
    "from": 'from "$1" import ${2:name}',
    "extends": 'extends "$1"',
    "block": "block ${1:name}",
    "with": "with ${1:name} = ${2:value}",
}


class Place:
    """A cursor within a tag, and the word that it touches."""

    def __init__(self, request: Request, tag: Piece) -> None:
        self.request = request
        self.document = request.document
        self.tag = tag
        tokens = self.document.tag_tokens(tag)
        offset = request.offset
        self.current = next(
            (one for one in tokens if one.start < offset <= one.end and self._is_word(one)), None
        )
        start = self.current.start if self.current is not None else offset
        self.before = [one for one in tokens if one.end <= start]
        end = self.current.end if self.current is not None else offset
        self.range = Range(start, max(end, offset))
        self.statement: Statement = outline(self.document).statement(tag)

    def _is_word(self, token: Token) -> bool:
        if token.kind == "string":  # at its end it is complete
            text = self.document.text[token.start : token.end]
            is_closed = len(text) > 1 and text[-1] == text[0]
            return not is_closed or self.request.offset < token.end
        return token.kind in ("name", "number")

    def text(self, token: Token) -> str:
        """The text of a token."""
        return self.document.text[token.start : token.end]

    def names_something(self) -> bool:
        """Whether a name follows that is not a value: `for ¦`, `macro ¦`, `import x as ¦`."""
        keyword = self.statement.keyword
        texts = [self.text(one) for one in self.before]
        if keyword == "for":
            return "in" not in texts
        if keyword in ("set", "set_global"):
            return "=" not in texts
        if keyword == "with":
            return texts[-1] in ("with", ",")
        if keyword == "macro":
            return texts[-1] != "="
        return keyword in ("block", "import", "from", "filter") or keyword.startswith("end")

    def new_names(self) -> Iterator[Completion]:
        """What can follow in a statement that is about names."""
        keyword = self.statement.keyword
        texts = [self.text(one) for one in self.before]
        if keyword == "for" and len(texts) > 1 and texts[-1] not in (",", "(", "for"):
            yield offer("in", "keyword", self.range)
        elif keyword == "filter":
            if texts[-1] in ("filter", "|"):
                yield from self.filters()
        elif keyword == "block" and len(texts) == 1:
            yield from self._blocks()
        elif keyword in ("endblock", "endmacro") and len(texts) == 1:
            opened = outline(self.document).open_at(self.tag.start)
            if opened and opened[0].keyword == keyword[3:] and opened[0].name:
                yield offer(opened[0].name, "block", self.range)
        elif keyword in ("import", "from"):
            yield from self._imports(keyword, texts)

    def _imports(self, keyword: str, texts: list[str]) -> Iterator[Completion]:
        if len(texts) == 1:
            yield from self.files()
        elif keyword == "import" and len(texts) == 2:  # noqa: PLR2004 - the word, the file
            yield offer("as", "keyword", self.range)
        elif keyword == "from" and len(texts) == 2:  # noqa: PLR2004
            yield offer("import", "keyword", self.range)
        elif keyword == "from" and texts[-1] in ("import", ","):
            yield from self.exported(self.statement, set(texts))

    def exported(self, statement: Statement, present: set[str]) -> Iterator[Completion]:
        """The macros and the names of the file that a statement names."""
        other = self.request.workspace.named(self.document, statement)
        if other is None:
            return
        known = outline(other)
        for name, bound in known.root.bindings.items():
            if name not in present and bound[-1].kind in ("macro", "set"):
                is_macro = bound[-1].kind == "macro"
                detail = signature(known.statement(bound[-1].piece)) if is_macro else ""
                yield offer(name, "macro" if is_macro else "variable", self.range, detail=detail)

    def statements(self) -> Iterator[Completion]:
        """The words that statements begin with, and the ends of what is open."""
        known = outline(self.document)
        opened = known.open_at(self.tag.start)
        if opened and opened[0].keyword in CLOSED:
            name = f"end{opened[0].keyword}"
            yield offer(name, "keyword", self.range, detail=f"ends the `{opened[0].keyword}`")
        innermost = opened[0].keyword if opened else ""
        for name, word in words.STATEMENTS.items():
            if name in _BRANCHES and innermost not in (
                ("if", "for") if name == "else" else ("if",)
            ):
                continue
            if name in _IN_LOOPS and not known.in_loop(self.tag.start + 1):
                continue
            is_snippet = self.request.snippets and name in _SNIPPETS and not self._has_more()
            yield offer(
                name,
                "keyword",
                self.range,
                insert=_SNIPPETS[name] if is_snippet else "",
                is_snippet=is_snippet,
                documentation=said_of(word),
                order=1,
            )

    def _has_more(self) -> bool:
        tokens = self.document.tag_tokens(self.tag)
        return bool(tokens) and tokens[-1].end > self.range.end

    def files(self) -> Iterator[Completion]:
        """The files that a statement can name."""
        folder = self.request.workspace.base(self.document)
        if folder is None:
            return
        in_string = self.current is not None and self.current.kind == "string"
        for name in listed(folder):
            if name.lower().endswith(_MEDIA) or folder / name == self.document.path:
                continue
            where = self.inside() if in_string else self.range
            order = 0 if name.endswith((".pdl", ".txt", ".md")) else 1
            yield offer(name, "file", where, insert=name if in_string else f'"{name}"', order=order)

    def _blocks(self) -> Iterator[Completion]:
        other = self.request.workspace.extended(self.document)
        present = {one.name for one in outline(self.document).blocks if one.tags[0] != self.tag}
        for _ in range(5):
            if other is None:
                return
            for block in outline(other).blocks:
                if block.keyword == "block" and block.name and block.name not in present:
                    present.add(block.name)
                    name = other.path.name if other.path is not None else ""
                    yield offer(block.name, "block", self.range, detail=f"block of {name}")
            other = self.request.workspace.extended(other)

    def inside(self) -> Range:
        """The content of the string of the cursor."""
        assert self.current is not None
        text = self.text(self.current)
        is_closed = len(text) > 1 and text[-1] == text[0]
        end = self.current.end - 1 if is_closed else self.request.offset
        return Range(self.current.start + 1, max(end, self.current.start + 1))

    def filters(self) -> Iterator[Completion]:
        """All filters."""
        for name, one in callables.filters().items():
            yield offer(name, "filter", self.range, detail=one.signature, documentation=one.words)
