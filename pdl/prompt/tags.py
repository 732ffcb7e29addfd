"""Tera's syntax where it differs from Jinja's.

`{% set_global x = 1 %}` assigns outside of the loop it stands in; `{% for key, value in object %}`
walks an object; `macros::greet(name="x")` and `self::greet()` call macros; `{% endmacro greet %}`.
Source: https://keats.github.io/tera/docs/#templates
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from jinja2 import nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.visitor import NodeTransformer

from pdl.prompt.measure import watched

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2.parser import Parser

GLOBALS = "_pdl_globals"
PAIRS, LOOPED = "_pairs", "_looped"
_PAIR = 2
_MACRO_PATH = ["name", "colon", "colon", "name", "lparen"]


class TeraTags(Extension):
    """`{% set_global %}`, `::` between a namespace and a macro, and a name after `endmacro`."""

    tags = {"set_global"}  # noqa: RUF012  (Jinja's own declaration)

    def parse(self, parser: Parser) -> nodes.Node:
        """`set_global NAME = expression`."""
        line = next(parser.stream).lineno
        name = parser.stream.expect("name").value
        parser.stream.expect("assign")
        value = parser.parse_expression()
        return nodes.Assign(nodes.NSRef(GLOBALS, name, lineno=line), value, lineno=line)

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        """Write `a::b(` as `a.b(`, `self::b(` as `b(`, and `endmacro b` as `endmacro`."""
        tokens = list(stream)
        kinds = [token.type for token in tokens]
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if kinds[at - 1 : at + 4] == _MACRO_PATH:
                at += 2
                if token.value != "self":
                    yield token
                    yield Token(token.lineno, "dot", ".")
                continue
            yield token
            if token.type == "name" and token.value == "endmacro" and kinds[at] == "name":
                at += 1


def adapt(template: nodes.Template) -> nodes.Template:
    """The syntax tree with Tera's meaning of loops over objects and of `set_global`."""
    for loop in template.find_all(nodes.For):
        if isinstance(loop.target, nodes.Tuple) and len(loop.target.items) == _PAIR:
            loop.iter = _filtered(loop.iter, PAIRS)
        else:
            loop.iter = _filtered(loop.iter, LOOPED)
    for call in template.find_all(nodes.Call):
        if call.dyn_args is not None:
            call.dyn_args = _filtered(call.dyn_args, LOOPED)
    names = {ref.attr for ref in template.find_all(nodes.NSRef) if ref.name == GLOBALS}
    return _globalize(template, names) if names else template


def _filtered(value: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(cast("nodes.Expr", value), name, [], [], None, None, lineno=value.lineno)


def global_names(template: nodes.Template) -> set[str]:
    """The names that a template sets with `set_global`."""
    return {ref.attr for ref in template.find_all(nodes.NSRef) if ref.name == GLOBALS}


def _globalize(template: nodes.Template, names: set[str]) -> nodes.Template:
    for loop in template.find_all(nodes.For):
        for target in (loop.target, *loop.target.find_all(nodes.Name)):
            if isinstance(target, nodes.Name) and target.name in names:
                message = (
                    f"`{target.name}` is set by set_global, so no loop may have it as variable"
                )
                raise TemplateSyntaxError(message, loop.lineno)
    changed: nodes.Template = _Globalizer(names).visit(template)
    before = [
        nodes.Keyword(name, nodes.Name(name, "load", lineno=1), lineno=1) for name in sorted(names)
    ]
    space = nodes.Call(nodes.Name("namespace", "load", lineno=1), [], before, None, None, lineno=1)
    changed.body.insert(0, nodes.Assign(nodes.Name(GLOBALS, "store", lineno=1), space, lineno=1))
    return changed


class _Globalizer(NodeTransformer):
    """Reads and writes the names of `set_global` in the namespace that holds them."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: nodes.Name) -> nodes.Node:  # noqa: N802  (Jinja's name)
        if node.name not in self.names:
            return node
        if node.ctx == "load":
            space = nodes.Name(GLOBALS, "load", lineno=node.lineno)
            return nodes.Getattr(space, node.name, "load", lineno=node.lineno)
        if node.ctx == "store":
            return nodes.NSRef(GLOBALS, node.name, lineno=node.lineno)
        return node


def pairs(value: Any) -> Iterable[Any]:
    """What a loop with two targets walks: the items of an object, or the value itself."""
    return value.items() if isinstance(value, Mapping) else looped(value)


def looped(value: Any) -> Any:
    """What a loop walks, or a call gets as its arguments: an iterator looks at the clock."""
    return watched(value, most=None)
