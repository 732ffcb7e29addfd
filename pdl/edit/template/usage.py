"""The types of inputs that a document does not declare, inferred from what it does with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.edit.document import Range
from pdl.edit.template.bindings import outline
from pdl.edit.template.expressions import CONSTANTS, unquoted
from pdl.edit.template.mentions import IMPLICIT
from pdl.edit.template.words import FUNCTIONS

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.template.bindings import Binding
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.tags import Statement

_DEEPEST = 20
_IMPLICIT = IMPLICIT | {"schema"}
_TRIMMED = (
    "trim upper lower title capitalize replace truncate indent center wordwrap wordcount split"
    " striptags slugify urlize trim_start trim_end format escape e addslashes"
)
_TEXTS = frozenset(_TRIMMED.split())
_NUMBERS = frozenset({"round", "abs", "filesizeformat", "pluralize"})
_WALKED = (
    "join map select reject selectattr rejectattr sort unique batch sum groupby group_by filter"
    " concat random nth min max"
)
_LISTS = frozenset(_WALKED.split())
_ITEMS = frozenset({"first", "last", "random", "nth", "min", "max"})
_SELECTED = "sort list unique reverse select reject selectattr rejectattr slice filter"
_SAME_ITEMS = frozenset(_SELECTED.split())
_DEFAULTS = frozenset({"default", "d"})
_CALLED = "upper lower strip split startswith endswith title replace lstrip rstrip capitalize"
_STRING_METHODS = frozenset(_CALLED.split())
_OBJECT_METHODS = frozenset({"items", "keys", "values", "get"})
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**"})


@dataclass(eq=False)
class Use:
    """What a document does with a value: the kinds that this needs, its items and its fields."""

    kinds: set[str] = field(default_factory=set)
    items: Use | None = None
    fields: dict[str, Use] = field(default_factory=dict)
    is_optional: bool = False
    depth: int = 0

    def item(self) -> Use:
        """The items of a list."""
        if self.items is None:
            if self.depth >= _DEEPEST:
                return Use(depth=self.depth)
            self.items = Use(depth=self.depth + 1)
        return self.items

    def field(self, name: str) -> Use:
        """A field of an object."""
        if self.depth >= _DEEPEST:
            return Use(depth=self.depth)
        return self.fields.setdefault(name, Use(depth=self.depth + 1))

    def dsl(self, indent: str = "") -> str:
        """The type in the schema DSL, on one line if it is short."""
        if self.fields:
            return self._object(indent)
        if self.items is not None or "array" in self.kinds:
            return f"[{self.items.dsl(indent)}]" if self.items is not None else "[str]"
        return next((word for kind, word in _WORDS if kind in self.kinds), "any")

    def _object(self, indent: str) -> str:
        inner = indent + "  "
        parts = [
            f"{name if name.isidentifier() else repr(name)}{'?' if one.is_optional else ''}:"
            f" {one.dsl(inner)}"
            for name, one in self.fields.items()
        ]
        line = f"{{ {', '.join(parts)} }}"
        if len(line) <= 80 and "\n" not in line:  # noqa: PLR2004 - a line of text
            return line
        return "{\n" + "".join(f"{inner}{part},\n" for part in parts) + f"{indent}}}"


_WORDS = (
    ("map", "{ [str]: any }"),
    ("string", "str"),
    ("integer", "int"),
    ("number", "float"),
    ("boolean", "bool"),
    ("printed", "str"),
    ("condition", "bool"),
)


@dataclass(frozen=True)
class Inferred:
    """An input that is not declared: its first use, and what is done with it."""

    name: str
    range: Range
    use: Use


def inferred(document: Document) -> dict[str, Inferred]:
    """Return the names that a document reads but nothing in it declares, in order of first use."""
    return document.derive(_read)


def _read(document: Document) -> dict[str, Inferred]:
    return _Reader(document).read()


def inferred_inputs(document: Document) -> str:
    """Return an object in the schema DSL that declares those names; empty if there are none."""
    lines = [
        f"  {name}{'?' if one.use.is_optional else ''}: {one.use.dsl('  ')},\n"
        for name, one in inferred(document).items()
    ]
    return "{\n" + "".join(lines) + "}" if lines else ""


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.outline = outline(document)
        self.found: dict[str, Inferred] = {}
        self.bound: dict[tuple[int, str], Use | None] = {}
        self.depth = 0

    def read(self) -> dict[str, Inferred]:
        for statement in self.outline.statements():
            self._statement(statement)
        return self.found

    def _statement(self, statement: Statement) -> None:
        for at, value in enumerate(statement.values):
            for node in value.walk():
                self._node(node)
            if statement.keyword == "for" and at == 0:
                self._loop(statement, value)
            elif statement.keyword in ("if", "elif") or (statement.keyword == "for" and at):
                self._condition(value)
            elif not statement.keyword:
                self._mark(value, "printed")

    def _loop(self, statement: Statement, value: Node) -> None:
        use = self.use(value)
        if use is None:
            return
        if len(statement.targets) == 2:  # noqa: PLR2004 - a key and a value
            use.kinds.add("map")
        else:
            use.item()

    def _condition(self, node: Node) -> None:
        pending = [node]
        while pending:
            one = pending.pop()
            if one.text in ("not", "and", "or") and one.kind in ("unary", "binary"):
                pending += one.children
            else:
                self._mark(one, "condition")

    def _mark(self, node: Node, kind: str) -> None:
        if node.kind in ("choice", "tuple"):
            for one in (node.children[0], *node.children[2:]):
                self._mark(one, kind)
            return
        use = self.use(node)
        if use is not None:
            use.kinds.add(kind)

    def _node(self, node: Node) -> None:
        """What a node demands of its parts."""
        if node.kind == "binary":
            self._binary(node)
        elif node.kind == "filter":
            self._filter(node)
        elif node.kind == "test":
            self._test(node)
        elif node.kind == "call":
            self._call(node)
        elif node.kind == "choice" and len(node.children) > 1:
            self._condition(node.children[1])
        elif node.kind in ("name", "attribute", "item"):
            self.use(node)

    def _binary(self, node: Node) -> None:
        if node.text in ("in", "not in"):
            self._contained(*node.children)
            return
        for one, other in (node.children, node.children[::-1]):
            if node.text in _COMPARISONS:
                self._like(one, other)
            elif node.text == "~":
                self._mark(one, "printed")
            elif node.text in _ARITHMETIC and other.kind == "string":
                self._mark(one, "string")
            elif node.text in _ARITHMETIC and other.kind not in ("list", "tuple"):
                self._mark(one, "number")

    def _contained(self, item: Node, container: Node) -> None:
        """`item in container`."""
        use = self.use(container)
        if use is not None:
            use.kinds.add("array")
            if item.kind == "string":
                use.item().kinds.add("string")
        if container.kind == "list" and container.children:
            self._like(item, container.children[0])

    def _like(self, node: Node, other: Node) -> None:
        """The value is compared with another."""
        if other.kind == "string":
            self._mark(node, "string")
        elif other.kind == "number":
            self._mark(node, "integer" if other.text.isdecimal() else "number")
        elif other.kind == "name" and other.text.lower() in ("true", "false"):
            self._mark(node, "boolean")
        elif other.kind in ("binary", "unary") and other.text in _ARITHMETIC:
            self._mark(node, "number")
        elif other.kind == "filter" and other.text in ("length", "count"):
            self._mark(node, "integer")

    def _filter(self, node: Node) -> None:
        use = self.use(node.children[0])
        if use is None:
            return
        name = node.text
        if name in _TEXTS:
            use.kinds.add("string")
        elif name in _NUMBERS:
            use.kinds.add("number")
        elif name in ("length", "count"):
            use.kinds.add("array")
        elif name in _DEFAULTS:
            use.is_optional = True
            for one in node.arguments[:1]:
                self._like(node.children[0], one)
        elif name in _ITEMS | _SAME_ITEMS or name == "list":
            use.item()
        elif name in ("items", "dictsort"):
            use.kinds.add("map")
        if name in _LISTS:
            self._listed(node, use)

    def _listed(self, node: Node, use: Use) -> None:
        by = node.argument("attribute", -1)
        if by is None and node.text in ("selectattr", "rejectattr", "groupby", "group_by"):
            by = node.argument("", 0)
        item = use.item()
        if by is not None and by.kind == "string":
            for step in unquoted(by.text).split("."):
                item = item.field(step) if step.isidentifier() else item
        elif node.text == "join":
            item.kinds.add("printed")
        elif node.text == "sum":
            item.kinds.add("number")

    def _test(self, node: Node) -> None:
        use = self.use(node.children[0])
        if use is None:
            return
        if node.text in ("defined", "undefined"):
            use.is_optional = True
        kind = _TESTS.get(node.text)
        if kind is not None:
            use.kinds.add(kind)

    def _call(self, node: Node) -> None:
        called = node.children[0]
        if called.kind == "name" and called.text == "range":
            for one in node.arguments:
                self._mark(one, "integer")
        if called.kind == "attribute":
            use = self.use(called.children[0])
            if use is not None and called.text in _STRING_METHODS:
                use.kinds.add("string")
            elif use is not None and called.text in _OBJECT_METHODS:
                use.kinds.add("map")

    def use(self, node: Node) -> Use | None:
        """The use of a value that comes from an input; None for any other value."""
        if self.depth > _DEEPEST * 4:
            return None
        self.depth += 1
        found = self._use(node)
        self.depth -= 1
        return found

    def _use(self, node: Node) -> Use | None:
        if node.kind == "name":
            return self._name(node)
        if node.kind == "attribute":
            return self._attribute(node)
        if node.kind == "item":
            return self._item(node)
        if node.kind != "filter" or node.text not in _ITEMS | _SAME_ITEMS | _DEFAULTS:
            return None
        use = self.use(node.children[0])
        return use.item() if use is not None and node.text in _ITEMS else use

    def _attribute(self, node: Node) -> Use | None:
        is_method = node.text in _STRING_METHODS | _OBJECT_METHODS
        if is_method and self.document.text.startswith("(", node.end):
            return None
        use = self.use(node.children[0])
        return use.field(node.text) if use is not None and node.text else None

    def _item(self, node: Node) -> Use | None:
        use, index = self.use(node.children[0]), node.children[1]
        if use is None:
            return None
        if index.kind == "string":
            return use.field(unquoted(index.text))
        if index.kind == "slice":
            return use
        return use.item() if index.kind in ("number", "unary", "binary") else None

    def _name(self, node: Node) -> Use | None:
        name = node.text
        binding = self.outline.lookup(name, node.start)
        if binding is not None:
            return self._binding(binding)
        if name in CONSTANTS or name in FUNCTIONS or name in _IMPLICIT:
            return None
        if name in self.document.inputs:
            return None
        found = self.found.get(name)
        if found is None:
            found = self.found[name] = Inferred(name, Range(node.start, node.end), Use())
        return found.use

    def _binding(self, binding: Binding) -> Use | None:
        key = (binding.start, binding.name)
        if key not in self.bound:
            self.bound[key] = None
            self.bound[key] = self._bound(binding)
        return self.bound[key]

    def _bound(self, binding: Binding) -> Use | None:
        statement = self.outline.statement(binding.piece)
        if binding.position >= len(statement.values) and binding.kind == "with":
            return None
        if binding.kind == "with":
            return self.use(statement.values[binding.position])
        if not statement.values or binding.targets != 1:
            return None
        if binding.kind == "for":
            use = self.use(statement.values[0])
            return use.item() if use is not None else None
        return self.use(statement.values[0]) if binding.kind == "set" else None


_TESTS = {
    "string": "string",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "mapping": "map",
    "even": "integer",
    "odd": "integer",
    "divisibleby": "integer",
    "matching": "string",
    "starting_with": "string",
    "ending_with": "string",
}
