"""The type of an expression of a template: from the inputs, through what the text says of names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.edit.template import types
from pdl.edit.template.bindings import Binding, outline
from pdl.edit.template.expressions import unquoted
from pdl.edit.template.results import READERS
from pdl.edit.template.shapes import document_of
from pdl.edit.template.types import ANY, STR, Type
from pdl.edit.template.usage import inferred, inferred_inputs
from pdl.errors import PdlError
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.tags import Statement
    from pdl.edit.workspace import Workspace

_DEEPEST = 30  # names that are set by other names
_CALLS = 20  # of a macro
_FILES = 3  # files that include others


def inputs_of(document: Document) -> dict[str, Type]:
    """Return the inputs that a document declares, and their types."""
    return document.derive(_inputs)


def _inputs(document: Document) -> dict[str, Type]:
    return types.fields(inputs_type(document))


def inputs_type(document: Document) -> Type:
    """Return the type of all inputs that a document declares, which is an object."""
    turns = [one for one in document.typed if one.turn.role == "input"]
    schema = document_of(turns[0]) if turns else {}
    return Type(schema, schema)


def undeclared(document: Document) -> dict[str, Type]:
    """Return the names that a document without an `input` turn reads; types tell from its uses."""
    return document.derive(_undeclared)


def _undeclared(document: Document) -> dict[str, Type]:
    if any(turn.role == "input" for turn in document.turns):
        return {}
    try:
        schema = Schema.parse(inferred_inputs(document) or "{}").document
    except PdlError:
        schema = {}
    return types.fields(Type(schema, schema))


class Variable(NamedTuple):
    """A name that is known at some place, and what binds it, in which document.

    `binding` is None for an input, and for `loop` and `schema`.
    """

    name: str
    type: Type
    document: Document
    binding: Binding | None = None

    @property
    def is_input(self) -> bool:
        """Whether it is an input."""
        return self.binding is None and self.name not in ("loop", "schema")


class Inference:
    """The types of one document, for one request: files are looked at once."""

    def __init__(self, workspace: Workspace, document: Document, depth: int = 0) -> None:
        self.workspace = workspace
        self.document = document
        self.outline = outline(document)
        self.inputs = inputs_of(document)
        self._depth = depth
        self._bound: dict[tuple[int, str], Type] = {}
        self._outer: list[tuple[Inference, int]] | None = None

    @property
    def outer(self) -> list[tuple[Inference, int]]:
        """The documents that include this one, or extend it, and where."""
        if self._outer is None:
            found = []
            roles = {turn.role for turn in self.document.turns}
            if self._depth < _FILES and "input" not in roles:
                found = self.workspace.includers(self.document)
            self._outer = [
                (Inference(self.workspace, one, self._depth + 1), at) for one, at in found
            ]
        return self._outer

    def variables(self, offset: int) -> dict[str, Variable]:
        """Return all names that are known at a place."""
        found: dict[str, Variable] = {}
        for other, at in reversed(self.outer):
            found |= {name: one for name, one in other.variables(at).items() if name != "loop"}
        found["schema"] = Variable("schema", STR, self.document)
        for name, one in undeclared(self.document).items():
            if not inferred(self.document)[name].range.holds(offset):  # it is just being typed
                found.setdefault(name, Variable(name, one, self.document))
        for name, one in self.inputs.items():
            found[name] = Variable(name, one, self.document)
        for name, binding in self.outline.visible(offset).items():
            found[name] = Variable(name, self.bound(binding), self.document, binding)
        if self.outline.in_loop(offset):
            found["loop"] = Variable("loop", self._loop(offset), self.document)
        return found

    def variable(self, name: str, offset: int) -> Variable | None:
        """Return what a name is at a place; None if nothing is known of it."""
        binding = self.outline.lookup(name, offset)
        if binding is not None:
            return Variable(name, self.bound(binding), self.document, binding)
        if name == "loop" and self.outline.in_loop(offset):
            return Variable(name, self._loop(offset), self.document)
        if name in self.inputs:
            return Variable(name, self.inputs[name], self.document)
        found = [one for other, at in self.outer if (one := other.variable(name, at)) is not None]
        if found:
            return found[0]._replace(type=types.union(one.type for one in found))
        if name == "schema":
            return Variable(name, STR, self.document)
        one_type = undeclared(self.document).get(name)
        return Variable(name, one_type, self.document) if one_type is not None else None

    def _loop(self, offset: int) -> Type:
        opened = self.outline.open_at(offset)
        block = next(one for one in opened if one.keyword == "for" and one.tags[0].end < offset)
        for known in block.bindings.values():
            if known[0].kind == "for" and known[0].targets == 1:
                return types.loop_type(self.bound(known[0]))
        return types.loop_type(ANY)

    def bound(self, binding: Binding) -> Type:
        """Return the type of what a name is bound to."""
        key = (binding.start, binding.name)
        found = self._bound.get(key)
        if found is None:
            if self._depth >= _DEEPEST:
                return ANY
            self._depth += 1
            self._bound[key] = ANY
            found = self._bound[key] = self._binding(binding)
            self._depth -= 1
        return found

    def _binding(self, binding: Binding) -> Type:
        statement = self.outline.statement(binding.piece)
        if binding.kind in ("macro", "module"):
            return ANY
        if binding.kind == "imported":
            return self._imported(binding)
        if binding.kind == "parameter":
            return self._parameter(binding, statement)
        if not statement.values:
            return STR if statement.keyword == "set" else ANY
        at = binding.position if binding.kind == "with" else 0
        value = self.of(statement.values[at]) if at < len(statement.values) else ANY
        if binding.kind == "for":
            return _walked(binding, types.not_null(value))
        is_one = binding.kind == "with" or binding.targets == 1
        return value if is_one else types.item(value, binding.position)

    def _parameter(self, binding: Binding, statement: Statement) -> Type:
        """The type of a macro's parameter: that of its default and of what calls pass."""
        default = statement.parameters[binding.position][1]
        given = [default] if default is not None else []
        if statement.keyword == "macro" and statement.targets:
            for call in self.outline.calls.get(statement.targets[0].text, ())[:_CALLS]:
                one = call.argument(binding.name, binding.position)
                given += [one] if one is not None else []
        found = [types.not_null(one) for one in map(self.of, given) if one.is_known]
        return types.union(one for one in found if one.is_known)

    def _imported(self, binding: Binding) -> Type:
        statement = self.outline.statement(binding.piece)
        other = self.workspace.named(self.document, statement)
        if other is None:
            return ANY
        name = statement.targets[binding.position].text
        known = outline(other).root.bindings.get(name, ())
        return Inference(self.workspace, other, self._depth + 1).bound(known[-1]) if known else ANY

    def macro(self, binding: Binding, member: str = "") -> tuple[Document, Statement] | None:
        """Return the definition of the macro that a name, or a member of a module, is."""
        statement = self.outline.statement(binding.piece)
        if binding.kind == "macro":
            return self.document, statement
        if binding.kind == "imported":
            member = statement.targets[binding.position].text
        return self.exported(statement, member)

    def exported(self, statement: Statement, name: str) -> tuple[Document, Statement] | None:
        """Return the definition of a macro in the file that a statement names."""
        other = self.workspace.named(self.document, statement)
        found = outline(other).macro(name) if other is not None else None
        return (other, found) if other is not None and found is not None else None

    def of(self, node: Node) -> Type:
        """Return the type of an expression; `ANY` if nothing is known of it."""
        read = READERS.get(node.kind)
        return read(self, node) if read is not None else ANY

    def found(self, node: Node) -> Type | None:
        """Return the type of an attribute or an item; None if it is certain that there is none."""
        value = self.of(node.children[0])
        if node.kind == "attribute":
            return types.field(value, node.text)
        index = node.children[1]
        if index.kind == "string":
            return types.field(value, unquoted(index.text))
        if index.kind == "slice":
            return value
        number = int(index.text) if index.kind == "number" and index.text.isdecimal() else None
        if types.is_kind(value, "object"):
            return types.values(value)
        return types.item(value, number)


def _walked(binding: Binding, value: Type) -> Type:
    """The type of a loop's variable; two of them walk the keys and values of an object."""
    if binding.targets == 1:
        return types.item(value)
    if binding.targets == 2 and types.is_kind(value, "object"):  # noqa: PLR2004 - a key, a value
        return STR if binding.position == 0 else types.values(value)
    return types.item(types.item(value), binding.position)
