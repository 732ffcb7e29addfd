"""Rename what a name stands for in all files of a workspace, or say why that is not certain.

A renaming is right if the same names are one symbol afterwards. So the names of the changed texts
are found again and compared: no rule about which names are taken can be forgotten.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from pdl.edit import notation
from pdl.edit.document import Document, Edit, Range
from pdl.edit.features.cases_keys import declared, key_at
from pdl.edit.features.cases_prompt import prompt_of, typed_of
from pdl.edit.features.cases_rename import renamed
from pdl.edit.features.navigation import links
from pdl.edit.template.expressions import CONSTANTS, KEYWORDS
from pdl.edit.template.keys import occurrences_at, same_keys
from pdl.edit.template.linked import Linked, Node
from pdl.edit.template.mentions import IMPLICIT, NAMESPACE
from pdl.edit.template.names import names_of
from pdl.edit.template.scopes import CONTEXT

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from pathlib import Path

    from pdl.edit.template.names import Name, NameKind
    from pdl.edit.workspace import Workspace

Edits: TypeAlias = "dict[Path | None, list[Edit]]"
"""The changes of each file, in the order of the text; None is a text without a file."""

_SCHEMA = "schema"
_SHOWN = 3  # keys that one can be
_RESERVED = KEYWORDS | CONSTANTS | IMPLICIT | {"recursive"}
_SPACE = re.compile(rf"\s*=\s*{NAMESPACE}\b")
_VARIABLES = frozenset({"input", "variable", "loop", "macro", "parameter", "import", "free"})
_IN_TAGS = _VARIABLES | {"member", "field", "block"}
_SAMPLES = (
    ("input", "{{ {}: int }}", "key"),
    ("key", "{{ {}: int }}", "key"),
    ("tool", "{}()", "tool"),
    ("type", "int\n{} = int", "definition"),
)
"""Texts in which a name can be read as it would be, for each kind."""


class Refusal(NamedTuple):
    """Why nothing is renamed."""

    message: str


_NOTHING = Refusal("there is no name to rename here")


def prepare(workspace: Workspace, document: Document, offset: int) -> Range | Refusal:
    """Return the range of the name at an offset if that can be renamed, or else say why not."""
    if document.sections is not None:
        target = _declared(workspace, document, offset)
        key = key_at(document, offset)
        if key is None or isinstance(target, Refusal):
            return target if isinstance(target, Refusal) else _NOTHING
        found = _Renaming(workspace, *target)
        return found.refusal or key.range
    found = _Renaming(workspace, document, offset)
    return found.refusal or found.range


def rename(workspace: Workspace, document: Document, offset: int, new: str) -> Edits | Refusal:
    """Return the changes that rename what is at an offset, or say why it is not renamed."""
    target: tuple[Document, int] | Refusal = document, offset
    if document.sections is not None:
        target = _declared(workspace, document, offset)
    if isinstance(target, Refusal):
        return target
    found = _Renaming(workspace, *target)
    return found.refusal or found.to(new)


def _declared(
    workspace: Workspace, document: Document, offset: int
) -> tuple[Document, int] | Refusal:
    """The prompt's key that the one at an offset of a file of cases is."""
    key, prompt = key_at(document, offset), prompt_of(workspace, document)
    if key is None or not key.path:
        return _NOTHING
    typed = typed_of(prompt, key.role) if prompt is not None else None
    places = declared(typed, key.path) if typed is not None and typed.language == "dsl" else []
    if prompt is None or len(places) != 1:
        return Refusal(f"the prompt does not declare `{key.path[-1]}` in just one place")
    return prompt, places[0].start


class _Renaming:
    """What is to be renamed, and why it cannot be, if so."""

    def __init__(self, workspace: Workspace, document: Document, offset: int) -> None:
        self.workspace = workspace
        self.document = document
        self.linked = Linked(workspace, document)
        self.name, self.occurrences = occurrences_at(workspace, document, offset)
        self.refusal: Refusal | None = None
        message = _NOTHING.message
        if self.name is not None:
            is_key = self.name.kind == "key"
            reasons = self._doubts(offset) if is_key else self._reasons(self.name)
            message = next(reasons, "")
        if message:
            self.refusal = Refusal(message)

    @property
    def range(self) -> Range:
        """Where the name is."""
        assert self.name is not None
        return self.name.range

    def _reasons(self, name: Name) -> Iterator[str]:
        said = f"`{name.text}`"
        kinds = {one.name.kind for one in self.occurrences}
        is_variable = name.kind in ("input", "free", "variable") or "input" in kinds
        if name.kind == "function":
            yield f"{said} is a function of all templates"
        if name.text == _SCHEMA and name.kind == "free" and "input" not in kinds:
            yield "`schema` prints the schema of the answer"
        if name.kind == "type" and all(one.name.access == "read" for one in self.occurrences):
            yield f"{said} is not defined in this turn"
        if name.kind == "member" and kinds == {"member"}:
            yield f"the file that defines {said} was not found"
        if self._is_imported(name) and kinds == {"import"}:
            yield f"the file that defines {said} was not found, or does not define it"
        if is_variable:
            yield from self._undeclared(name)
        if name.kind == "field":
            yield from self._passed_on(name)
        yield from self._computed(name)

    def _is_imported(self, name: Name) -> bool:
        """Whether a name is one of another file, under that same name."""
        names = names_of(self.document)
        starts = {one.start for one in names.same(name.symbol)}
        return any(
            not one.is_renamed and one.mention.start in starts
            for reference in names.references
            for one in reference.imported
        )

    def _doubts(self, offset: int) -> Iterator[str]:
        """What may use a key of an input without its being known."""
        same = same_keys(self.workspace, self.document, offset)
        if same is None or self.name is None:
            return
        said = f"`{self.name.text}`"
        if any(one.document is self.document and one.range.holds(offset) for one in same.doubts):
            keys = [_where(one.document, one.range.start) for one in same.keys[:_SHOWN]]
            more = ", …" if len(same.keys) > _SHOWN else ""
            which = "that it is this key" if len(keys) == 1 else "which of these keys it is"
            yield f"of {said} here, the types do not say {which}: {', '.join(keys)}{more}"
        for one in same.doubts:
            where = _where(one.document, one.range.start)
            yield f"another {said} may be the key too, which its types do not say: {where}"

    def _undeclared(self, name: Name) -> Iterator[str]:
        """Inputs whose declaration is not in the schema DSL, so it would not be renamed."""
        for node, document in self._nodes(name):
            for typed in document.typed if node.key == (CONTEXT, name.text) else ():
                if typed.turn.role == "input" and typed.language != "dsl":
                    where = _where(document, typed.turn.marker.start)
                    yield f"`{name.text}` may be declared in JSON Schema: {where}"

    def _nodes(self, name: Name) -> Iterator[tuple[Node, Document]]:
        """The symbol in each file, also in those that only pass it on."""
        key = names_of(self.document).keys[name.symbol]
        for node in self.linked.closure(Node(self.linked.path, key)):
            document = self.linked.document(node.path)
            if document is not None:
                yield node, document

    def _passed_on(self, name: Name) -> Iterator[str]:
        """A namespace that is used as a whole: its attributes may be used elsewhere."""
        names = names_of(self.document)
        base = cast("tuple[Hashable, ...]", names.keys[name.symbol])[1]
        uses = names.same(names.symbols.get(base, -1))
        for one in uses:
            rest = self.document.text[one.end :]
            is_set = one.access == "definition" and _SPACE.match(rest) is not None
            if not is_set and not rest.lstrip().startswith("."):
                where = _where(self.document, one.start)
                yield f"`{one.text}` is passed on, so not all uses are known: {where}"
        for one in uses[:1]:
            if any(node.path != self.linked.path for node, _ in self._nodes(one)):
                yield f"other files can use `{one.text}`, so not all uses are known"

    def _computed(self, name: Name) -> Iterator[str]:
        """Tags that include a file by a name that is computed, which may use a variable."""
        for node, document in self._nodes(name):
            names = names_of(document)
            for reference in names.references:
                is_visible = names.scopes.key(reference.frame, name.text) == node.key
                if reference.is_computed and reference.has_context and is_visible:
                    where = _where(document, reference.start)
                    yield f"the name of a file is computed, and that may use `{name.text}`: {where}"

    def _by_document(self) -> dict[Document, list[Name]]:
        found: dict[Document, list[Name]] = {}
        for one in self.occurrences:
            found.setdefault(one.document, []).append(one.name)
        return found

    def to(self, new: str) -> Edits | Refusal:
        """Return the changes that give the symbol a new name."""
        assert self.name is not None
        found = self._by_document()
        reason = next(self._invalid(self.name, new), "")
        if not reason:
            edits = {
                document: sorted(Edit(one.start, one.end, new) for one in names)
                for document, names in found.items()
            }
            reason = self._conflict(edits, new)
        if not reason:
            is_free = any(one.name.kind == "free" for one in self.occurrences)
            more = renamed(self.workspace, edits, (self.name.text, new), free=is_free)
            if not isinstance(more, str):
                return {one.path: each for one, each in (edits | more).items()}
            reason = more
        return Refusal(reason)

    def _invalid(self, name: Name, new: str) -> Iterator[str]:
        """What is wrong with the new name itself."""
        kinds = {one.name.kind for one in self.occurrences}
        if kinds & _IN_TAGS:
            yield from _unreadable(new, kinds)
        if "type" in kinds and not new[:1].isupper():
            yield f"the name of a type begins with a capital letter, and `{new}` does not"
        for kind, text, role in _SAMPLES:
            if kind in kinds:
                tokens = notation.read(text.format(new), tools=kind == "tool").tokens
                if not any(one.role == role and one.text == new for one in tokens):
                    yield f"`{new}` is not a name that a typed turn can have"
        if name.kind in ("key", "tool"):
            yield from self._taken(new)

    def _taken(self, new: str) -> Iterator[str]:
        """Why a key or a tool cannot have a name."""
        for document, name in self.occurrences:
            if name.access != "read" and new in _siblings(document, name):
                yield f"there is already a {name.kind} `{new}`"
            if name.access == "read" and (not new.isidentifier() or hasattr(dict, new)):
                yield f"`value.{new}` would not read a key of that name"

    def _conflict(self, edits: dict[Document, list[Edit]], new: str) -> str:
        """Whether the changed texts have other names that are the same, and where."""
        assert self.name is not None
        changed = {one: Document(changed_text(one, each), one.path) for one, each in edits.items()}
        workspace = self.workspace.changed(changed.values())
        main = changed[self.document]
        expected = {
            (changed[document].path, start): document
            for document, each in edits.items()
            for start in _moved(each)
        }
        at = edits[self.document].index(Edit(self.name.start, self.name.end, new))
        found = occurrences_at(workspace, main, _moved(edits[self.document])[at])[1]
        for one in found:
            if (one.document.path, one.name.start) not in expected:
                return f"`{new}` is already a name: {_where(one.document, one.name.start)}"
        known = {(one.document.path, one.name.start) for one in found}
        for (path, start), document in expected.items():
            if (path, start) not in known:
                return f"`{new}` would be something else there: {_where(changed[document], start)}"
        return ""


def _unreadable(new: str, kinds: set[NameKind]) -> Iterator[str]:
    """Why tags cannot have a name."""
    if not new.isidentifier():
        yield f"`{new}` is not a name that a template can read"
    if new in _RESERVED:
        yield f"`{new}` is reserved by Jinja"
    if new == _SCHEMA and kinds & _VARIABLES:
        yield "`schema` prints the schema of the answer"
    if new[:1] == "_" and kinds & {"import", "member"} and "macro" in kinds:
        yield f"`{new}` begins with `_`, so it cannot be imported"


def _siblings(document: Document, name: Name) -> set[str]:
    """The other keys of an object, or the other tools."""
    typed = document.typed_at(name.start)
    if typed is None:
        return set()
    tokens = typed.notation.tokens
    own = tokens[typed.notation.at(name.start)]
    return {
        one.text.strip("\"'")
        for one in tokens
        if one is not own and one.role == own.role and one.frame == own.frame
    }


def changed_text(document: Document, edits: Iterable[Edit]) -> str:
    """Return the text of a document with changes, which are in the order of the text."""
    out: list[str] = []
    at = 0
    for one in edits:
        out += (document.text[at : one.start], one.text)
        at = one.end
    return "".join(out) + document.text[at:]


def _moved(edits: list[Edit]) -> list[int]:
    """Where each new text begins."""
    found: list[int] = []
    moved = 0
    for one in edits:
        found.append(one.start + moved)
        moved += len(one.text) - (one.end - one.start)
    return found


def _where(document: Document, offset: int) -> str:
    """The line of an offset, which is that of the text before the change too."""
    return f"{document.source.name}:{document.source.span(offset).line}"


def rename_file(workspace: Workspace, old: Path, new: Path) -> Edits:
    """Return the changes of the files that name a file, for when it gets another path.

    A name that would lead out of the folder that it is relative to stays as it is.
    """
    old = workspace.canonical(old)
    found: Edits = {}
    for document in workspace.documents():
        for link in links(workspace, document):
            written = PurePath(document.text[link.range.start : link.range.end])
            if link.target != old or old.parts[-len(written.parts) :] != written.parts:
                continue
            base = old.parents[len(written.parts) - 1]
            moved = workspace.canonical(new)
            if moved.is_relative_to(base):
                edit = Edit(*link.range, moved.relative_to(base).as_posix())
                found.setdefault(document.path, []).append(edit)
    return found
