"""What is at a place of a prompt file, in Markdown."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.document import Range
from pdl.edit.features.cases_hover import hover_section
from pdl.edit.features.cases_prompt import head, prompt_of
from pdl.edit.features.cases_sections import expressions_of, section_at
from pdl.edit.features.hover_typed import hover_typed
from pdl.edit.features.markdown import code, described, escaped, fenced, shown_type
from pdl.edit.features.navigation import schema_reference
from pdl.edit.template import callables, types, words
from pdl.edit.template.bindings import outline
from pdl.edit.template.callables import said_of, signature
from pdl.edit.template.expressions import CONSTANTS, unquoted
from pdl.edit.template.inference import Inference, inputs_of, inputs_type
from pdl.prompt.config import SETTINGS
from pdl.prompt.files import media_path

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.edit.document import Document, Turn, Typed
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.inference import Variable
    from pdl.edit.template.tags import Statement
    from pdl.edit.workspace import Workspace
    from pdl.prompt.scan import Piece

_LINES = 8  # of a file
_COLUMNS = 100
_READ = 4_000  # characters of a file
_SETTING = re.compile(r"[^\S\n]*(?P<key>[\w.-]+)[^\S\n]*:[^\S\n]*(?P<value>[^\n]*)")


class Hover(NamedTuple):
    """What is said of a range, in Markdown."""

    range: Range
    markdown: str


def hover(workspace: Workspace, document: Document, offset: int) -> Hover | None:
    """Return what is at an offset; None if there is nothing to say."""
    if document.sections is not None:
        return _cases(workspace, document, offset)
    return _prompt(workspace, document, offset)


def _prompt(workspace: Workspace, document: Document, offset: int) -> Hover | None:
    tag = document.tag_at(offset)
    if tag is not None:
        return _Tag(workspace, document, tag).at(offset)
    turn = document.turn_at(offset)
    if turn is not None and turn.marker.holds(offset):
        text = said_of(words.TURNS.get(turn.role))
        return Hover(turn.marker, f"**{turn.role}**\n\n{text}") if text else None
    mark = next((one for one in document.marks if one.start <= offset <= one.end), None)
    if mark is not None and mark.names_media and mark.is_whole:
        return _media(workspace, document, mark.text, Range(mark.start, mark.end))
    if turn is None:
        return None
    if turn.role == "config":
        return _setting(document, turn, offset)
    typed = document.typed_at(offset)
    return _typed(workspace, document, typed, offset) if typed is not None else None


def _cases(workspace: Workspace, document: Document, offset: int) -> Hover | None:
    """What is at a place of a file of cases; of assertions, what their template says."""
    section = section_at(document, offset)
    template, inner = None, -1
    if section is not None and section.name == "assert":
        before = head(workspace, prompt_of(workspace, document))
        template = expressions_of(document, before, section)
        inner = template.to(offset)
    if template is None or inner < 0:
        found = hover_section(workspace, document, offset)
        return Hover(*found) if found is not None else None
    said = hover(workspace, template.document, inner)
    place = template.of(said.range) if said is not None else None
    if said is None or place is None:
        return None
    return Hover(place, said.markdown.removeprefix("*input*\n\n"))


def _typed(workspace: Workspace, document: Document, typed: Typed, offset: int) -> Hover | None:
    if typed.language == "file":
        return _schema_file(workspace, document, typed, offset)
    found = hover_typed(document, typed, offset)
    return Hover(*found) if found is not None else None


def _schema_file(
    workspace: Workspace, document: Document, typed: Typed, offset: int
) -> Hover | None:
    """The file or the type that holds the JSON Schema of the answer."""
    reference = schema_reference(workspace, document, typed)
    if reference is None or not reference.range.holds(offset):
        return None
    if reference.is_type:
        said = "A type in Python, of which the JSON Schema is made."
        return Hover(reference.range, f"{code(reference.name)}\n\n{said}")
    return _shown(workspace, reference.path, reference.name, reference.range, "json")


def _shown(
    workspace: Workspace, path: Path | None, name: str, where: Range, language: str
) -> Hover:
    """The beginning of a file."""
    other = workspace.document(path) if path is not None else None
    if other is None:
        return Hover(where, f"{code(name)}\n\nThis file was not found.")
    lines = [line[:_COLUMNS] for line in other.text[:_READ].splitlines()]
    text = "\n".join(lines[:_LINES]) + ("\n…" if len(lines) > _LINES else "")
    return Hover(where, f"{code(name)}\n\n{fenced(text, language)}")


def _media(workspace: Workspace, document: Document, text: str, where: Range) -> Hover | None:
    name = media_path(text)
    if not name:
        return Hover(where, said_of(words.MEDIA["raw_media" if "raw" in text else "media"]))
    path = workspace.find(document, name)
    kind = escaped(name.rpartition(".")[2].lower())
    try:
        size = path.stat().st_size if path is not None else None
    except OSError:
        size = None
    found = f"{kind}, {size:,} bytes" if size is not None else "This file was not found."
    return Hover(where, f"{code(name)}\n\n{found}")


def _setting(document: Document, turn: Turn, offset: int) -> Hover | None:
    start = max(document.text.rfind("\n", 0, offset) + 1, turn.body.start)
    found = _SETTING.match(document.text, start, turn.body.end)
    if found is None or not found.start("key") <= offset <= found.end("value"):
        return None
    name, value = found["key"], found["value"].strip()
    if offset > found.end("key"):
        provider = value.partition(":")[0] if name == "model" else ""
        said = words.PROVIDERS.get(provider)
        if said is None or offset > found.start("value") + len(provider):
            return None
        at = found.start("value")
        return Hover(Range(at, at + len(provider)), f"**{provider}**\n\n{said}")
    kind = SETTINGS.get(name)
    if kind is None:
        return None
    said = words.SETTINGS.get(name, "A setting of the provider, which is sent unchanged.")
    wanted = words.SETTING_KINDS[kind]
    text = f"**{name}**{': ' + wanted if wanted else ''}\n\n{said}"
    return Hover(Range(found.start("key"), found.end("key")), text)


class _Tag:
    """What the words of a tag mean."""

    def __init__(self, workspace: Workspace, document: Document, tag: Piece) -> None:
        self.workspace = workspace
        self.document = document
        self.outline = outline(document)
        self.statement: Statement = self.outline.statement(tag)
        self.types = Inference(workspace, document)
        self.tag = tag

    def at(self, offset: int) -> Hover | None:
        """What an offset is on."""
        statement = self.statement
        if statement.keyword and statement.word.holds(offset):
            return self._keyword()
        names = (*statement.targets, *statement.aliases, *(one for one, _ in statement.parameters))
        for word in names:
            if word.range.holds(offset):
                return self._target(word.text, word.range)
        for value in statement.values:
            if value.start <= offset <= value.end:
                return self._node(value.path(offset), offset)
        return None

    def _keyword(self) -> Hover | None:
        word, where = self.statement.keyword, self.statement.word
        if word.startswith("end"):
            opened = self.outline.block_at(self.tag.start - 1)
            if opened.keyword != word[3:]:
                return None
            text = self.document.text[opened.tags[0].start : opened.tags[0].end]
            return Hover(where, f"Ends\n\n{fenced(text, 'jinja')}")
        text = said_of(words.STATEMENTS.get(word))
        return Hover(where, f"**{word}**\n\n{text}") if text else None

    def _target(self, name: str, where: Range) -> Hover | None:
        keyword = self.statement.keyword
        if keyword == "macro" and name == self.statement.targets[0].text:
            return Hover(where, macro_words(self.document, self.statement))
        if keyword == "from":
            macro = self.types.exported(self.statement, name)
            if macro is not None:
                return Hover(where, macro_words(*macro))
        inside = self.statement.end
        known = self.types.variable(name, inside)
        if known is None or known.is_input:
            return None
        return self._variable(known, where)

    def _node(self, path: list[Node], offset: int) -> Hover | None:
        if not path:
            return None
        node = path[-1]
        if node.kind in ("filter", "test") and node.at <= offset <= node.at + len(node.text):
            found = callables.find("filter" if node.kind == "filter" else "test", node.text)
            where = Range(node.at, node.at + len(node.text))
            return _callable(found, where) if found is not None else None
        if node.kind == "attribute" and node.at <= offset <= node.at + len(node.text):
            return self._member(node, node.text, Range(node.at, node.at + len(node.text)))
        if node.kind == "name" and node.text not in CONSTANTS:
            return self._name(node)
        if node.kind == "string":
            return self._string(path)
        return None

    def _name(self, node: Node) -> Hover | None:
        where = Range(node.start, node.end)
        known = self.types.variable(node.text, node.start)
        if known is not None:
            return self._variable(known, where)
        found = callables.find("function", node.text)
        return _callable(found, where) if found is not None else None

    def _variable(self, known: Variable, where: Range) -> Hover | None:
        binding = known.binding
        if binding is None:
            word = words.VARIABLES.get(known.name) if not known.is_input else None
            if word is not None:
                return Hover(where, f"**{known.name}**\n\n{said_of(word)}")
            is_declared = known.name in inputs_of(known.document)
            kind = "input" if is_declared else "not declared; its type is inferred"
            whole = inputs_type(known.document) if is_declared else types.ANY
            return Hover(where, typed_words(_key(known.name, whole), known.type, kind))
        if binding.kind == "module":
            return self._file(outline(known.document).statement(binding.piece).file, where)
        macro = Inference(self.workspace, known.document).macro(binding)
        if macro is not None:
            return Hover(where, macro_words(*macro))
        return Hover(where, typed_words(known.name, known.type, _KINDS[binding.kind]))

    def _member(self, node: Node, name: str, where: Range) -> Hover | None:
        """What `x.name` or `x["name"]` is."""
        value = node.children[0]
        if value.kind == "name":
            binding = self.outline.lookup(value.text, value.start)
            if binding is not None and binding.kind == "module":
                macro = self.types.macro(binding, name)
                return Hover(where, macro_words(*macro)) if macro is not None else None
        found = self.types.found(node)
        if found is None or (not found.is_known and not found.schema):
            return None
        return Hover(where, typed_words(_key(name, self.types.of(value)), found, ""))

    def _string(self, path: list[Node]) -> Hover | None:
        node = path[-1]
        where = Range(node.start, node.end)
        if self.statement.file and node is self.statement.values[0]:
            return self._file(self.statement.file, where)
        parent = path[-2] if len(path) > 1 else None
        if parent is not None and parent.kind == "item" and parent.children[1] is node:
            return self._member(parent, unquoted(node.text), where)
        return None

    def _file(self, name: str, where: Range) -> Hover | None:
        path = self.workspace.find(self.document, name)
        return _shown(self.workspace, path, name, where, "jinja")


_KINDS = {
    "set": "set here",
    "for": "loop variable",
    "with": "set here",
    "parameter": "parameter",
    "imported": "imported",
}


def _callable(found: callables.Callable, where: Range) -> Hover:
    return Hover(where, f"{fenced(found.signature, 'jinja')}\n\n{found.words}".rstrip())


def _key(name: str, of: types.Type) -> str:
    """The name of a key, with `?` if values of a type need not have it, and nothing replaces it."""
    known = types.field(of, name)
    has_default = known is not None and "default" in known.schema
    return f"{name}?" if name in types.optional(of) and not has_default else name


def typed_words(name: str, given: types.Type, kind: str) -> str:
    """Return a name, its type in the schema DSL, its description and its default."""
    notes = described(given)
    label = f"*{kind}*\n\n" if kind else ""
    return f"{label}{shown_type(name, given)}\n\n{notes}".rstrip()


def macro_words(document: Document, statement: Statement) -> str:
    """Return how a macro is called, and the comment above it."""
    text = fenced(signature(statement), "jinja")
    above = _comment_above(document, statement.start)
    return f"{text}\n\n{escaped(above)}" if above else text


def _comment_above(document: Document, start: int) -> str:
    """The comment that ends before a tag, at most a line break away."""
    at = bisect_left(document.pieces, start, key=lambda piece: piece.start) - 1
    if at > 0 and document.pieces[at].kind == "text":
        between = document.text[document.pieces[at].start : start]
        if between.strip() or between.count("\n") > 1:
            return ""
        at -= 1
    if at < 0 or document.pieces[at].kind != "comment":
        return ""
    piece = document.pieces[at]
    text = document.text[piece.start : piece.end].removeprefix("{#").removesuffix("#}")
    return " ".join(text.strip("-+").split())
