"""Completion in tags: names, attributes, filters, tests, constants, and what statements need."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.edit.features.completion_statements import Place
from pdl.edit.features.markdown import described
from pdl.edit.features.offers import offer
from pdl.edit.template import callables, types, words
from pdl.edit.template.bindings import outline
from pdl.edit.template.callables import said_of, signature
from pdl.edit.template.expressions import KEYWORDS
from pdl.edit.template.inference import undeclared
from pdl.edit.template.types import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.features.offers import Completion, Request
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.inference import Variable
    from pdl.edit.template.types import Type
    from pdl.prompt.scan import Piece

_KEYWORDS = KEYWORDS | {"recursive", "import", "as"}
_MANY = 300  # names whose types are not written out, since nobody reads them all
_TEXTS = "capitalize default indent length lower replace split title tojson trim truncate upper"
_LISTS = (
    "batch first join last length map max min reject rejectattr reverse select selectattr slice"
    " sort sum tojson unique"
)
_FITTING = (
    (("string",), frozenset(_TEXTS.split())),
    (("array",), frozenset(_LISTS.split())),
    (("object",), frozenset({"dictsort", "get", "items", "length", "tojson"})),
    (("integer", "number"), frozenset({"abs", "default", "float", "int", "round", "string"})),
)
"""Filters by the types of values that they are made for."""
_ATTRIBUTES = "map selectattr rejectattr sort unique groupby group_by filter min max sum join"
_BY_ATTRIBUTE = frozenset(_ATTRIBUTES.split())


def complete_tag(request: Request, tag: Piece) -> list[Completion]:
    """Return what can be typed at a place within a tag."""
    place = _Expression(request, tag)
    return list(place.offers())


class _Expression(Place):
    """What can be typed at a place in a tag."""

    def offers(self) -> Iterator[Completion]:
        """What can be typed."""
        if self.current is not None and self.current.kind == "number":
            return
        if self.current is not None and self.current.kind == "string":
            yield from self._in_string()
            return
        if self.tag.kind == "statement":
            if not self.before:
                yield from self.statements()
                return
            if self.names_something():
                yield from self.new_names()
                return
        last = self.text(self.before[-1]) if self.before else ""
        if last == ".":
            yield from self._attributes()
        elif last == "|":
            yield from self.filters()
        elif last == "is" or (last == "not" and len(self.before) > 1 and self._is_test()):
            yield from self._tests()
        elif self._follows_value():
            yield from self._operators()
        else:
            yield from self._values()

    def _is_test(self) -> bool:
        return self.text(self.before[-2]) == "is"

    def _follows_value(self) -> bool:
        if not self.before or (self.tag.kind == "statement" and len(self.before) == 1):
            return False
        last = self.before[-1]
        text = self.text(last)
        if last.kind == "name":
            return text not in _KEYWORDS
        return last.kind in ("string", "number") or text in (")", "]", "}")

    def _in_string(self) -> Iterator[Completion]:
        assert self.current is not None
        if self.statement.keyword in ("include", "import", "from", "extends"):
            yield from self.files()
            return
        path = self._path()
        if not path or path[-1].kind != "string":
            return
        parents = path[:-1]
        parent = parents[-1] if parents else None
        if parent is None:
            return
        if parent.kind == "item" and parent.children[1] is path[-1]:
            yield from self._fields(self.request.types.of(parent.children[0]), quoted=True)
        elif parent.kind == "filter" and parent.text in _BY_ATTRIBUTE:
            yield from self._attribute_names(parent, path[-1])
        elif parent.kind == "filter" and parent.text in ("get", "attr"):
            yield from self._fields(self.request.types.of(parent.children[0]), quoted=True)
        else:
            yield from self._literals(path)

    def _attribute_names(self, node: Node, argument: Node) -> Iterator[Completion]:
        at = next((at for at, one in enumerate(node.arguments) if one is argument), 0)
        named = node.names[at] if at < len(node.names) else ""
        by_position = node.text in ("selectattr", "rejectattr", "groupby", "group_by", "filter")
        if named == "attribute" or (not named and at == 0 and by_position):
            of = types.item(types.not_null(self.request.types.of(node.children[0])))
            yield from self._fields(of, quoted=True)
        elif node.text == "map" and at == 0 and not named:
            for name in callables.filters():
                yield offer(name, "filter", self.inside())

    def _path(self) -> list[Node]:
        offset = self.request.offset
        for value in self.statement.values:
            if value.start <= offset <= value.end:
                return value.path(offset)
        return []

    def _attributes(self) -> Iterator[Completion]:
        node = next(
            (one for one in reversed(self._path()) if one.kind == "attribute" and one.at >= 0), None
        )
        if node is None:
            return
        value = node.children[0]
        if value.kind == "name":
            binding = outline(self.document).lookup(value.text, value.start)
            if binding is not None and binding.kind == "module":
                statement = outline(self.document).statement(binding.piece)
                yield from self.exported(statement, set())
                return
        of = self.request.types.of(value)
        yield from self._fields(of)
        is_loop = value.kind == "name" and value.text == "loop"
        if of.is_known and types.is_kind(of, "object") and not is_loop:
            for name in ("items", "keys", "values"):
                if name not in types.fields(of):
                    yield offer(name, "function", self.range, insert=f"{name}()", order=5)

    def _fields(self, of: Type, *, quoted: bool = False) -> Iterator[Completion]:
        absent = types.optional(of)
        where = self.inside() if quoted else self.range
        is_guessed = self.current is not None and bool(undeclared(self.document))
        being_typed = self.text(self.current) if is_guessed and self.current is not None else ""
        for order, (name, one) in enumerate(types.fields(of).items()):
            if not quoted and not name.isidentifier():
                continue
            if name == being_typed:  # known only from here
                continue
            mark = "?" if name in absent else ""
            yield offer(
                name,
                "field",
                where,
                detail=f"{name}{mark}: {name_of(one)}",
                documentation=described(one),
                order=order,
            )

    def filters(self) -> Iterator[Completion]:
        """All filters, those first that are made for such a value."""
        ends = (self.before[-1].end, self.range.start)
        nodes = (node for value in self.statement.values for node in value.walk())
        found = next((one for one in nodes if one.kind == "filter" and one.at in ends), None)
        of = types.ANY if found is None else self.request.types.of(found.children[0])
        fitting = next((names for kind, names in _FITTING if types.is_kind(of, *kind)), frozenset())
        for one in super().filters():
            is_fitting = one.label in fitting
            yield replace(one, sort=one.sort if is_fitting else f"1{one.sort[1:]}")

    def _tests(self) -> Iterator[Completion]:
        if self.text(self.before[-1]) == "is":
            yield offer("not", "keyword", self.range)
        for name, one in callables.tests().items():
            yield offer(name, "test", self.range, detail=one.signature, documentation=one.words)

    def _operators(self) -> Iterator[Completion]:
        for name, word in words.OPERATORS.items():
            yield offer(name, "keyword", self.range, documentation=said_of(word))

    def _values(self) -> Iterator[Completion]:
        if self.statement.keyword in ("include", "extends") and len(self.before) == 1:
            yield from self.files()
            return
        if self.statement.keyword in ("else", "raw", "break", "continue", "endraw"):
            return
        yield from self._literals(self._path(), quotes=True)
        yield from self._arguments()
        variables = self.request.types.variables(self.request.offset)
        for name, one in variables.items():
            yield self._variable(name, one, is_short=len(variables) > _MANY)
        for name, found in callables.functions().items():
            blocks = {"caller": "macro", "super": "block"}
            opened = {one.keyword for one in outline(self.document).open_at(self.request.offset)}
            is_elsewhere = name in blocks and blocks[name] not in opened
            if is_elsewhere or name in variables:  # which is what the name means here
                continue
            yield offer(
                name,
                "function",
                self.range,
                detail=found.signature,
                documentation=found.words,
                order=20,
            )
        for name in ("true", "false", "none", "not"):
            yield offer(name, "keyword", self.range, order=21)

    def _variable(self, name: str, one: Variable, *, is_short: bool) -> Completion:
        kind = one.binding.kind if one.binding is not None else ""
        if kind == "macro" and one.binding is not None:
            statement = outline(one.document).statement(one.binding.piece)
            return offer(name, "macro", self.range, detail=signature(statement), order=11)
        if kind == "module":
            return offer(name, "module", self.range, order=11)
        detail = name_of(one.type) if one.type.is_known and not is_short else ""
        said = described(one.type)
        if one.binding is None and name in words.VARIABLES:
            said = said_of(words.VARIABLES[name])
            detail = "" if name == "loop" else detail
        return offer(name, "variable", self.range, detail=detail, documentation=said, order=10)

    def _arguments(self) -> Iterator[Completion]:
        """The parameters of a macro that is called here."""
        path = self._path()
        call = next((one for one in reversed(path) if one.kind == "call"), None)
        if call is None or call.children[0].kind != "name":
            return
        binding = outline(self.document).lookup(call.children[0].text, call.start)
        if binding is None or binding.kind != "macro":
            return
        statement = outline(self.document).statement(binding.piece)
        for word, _ in statement.parameters:
            if word.text not in call.names:
                yield offer(f"{word.text}=", "field", self.range, detail="parameter", order=15)

    def _literals(self, path: list[Node], *, quotes: bool = False) -> Iterator[Completion]:
        """The values of an enumeration that something here is compared with."""
        compared = next(
            (
                one
                for one in reversed(path)
                if (one.kind == "binary" and one.text in ("==", "!=", "in", "not in"))
                or (one.kind == "test" and one.text in ("eq", "equalto", "ne", "in"))
            ),
            None,
        )
        if compared is None or len(compared.children) < 2:  # noqa: PLR2004 - both sides
            return
        left, right = compared.children[:2]
        own, other = (right, left) if right.start <= self.request.offset else (left, right)
        if own.start > self.request.offset or other.kind in ("string", "number"):
            return
        where = self.range if quotes else self.inside()
        for order, one in enumerate(types.literals(self.request.types.of(other))):
            if isinstance(one, str):
                text = json.dumps(one, ensure_ascii=False)
                label = text if quotes else one
                yield offer(label, "value", where, insert="" if quotes else text[1:-1], order=order)
            elif quotes and one is not None:
                yield offer(json.dumps(one), "value", where, order=order)
