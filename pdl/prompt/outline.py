"""The turns of a template, as far as they are known without data."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from jinja2 import nodes

from pdl.prompt.markers import LEAD, OPEN, SCHEMA_PLACEHOLDER, WHOLE
from pdl.prompt.turns import DYNAMIC, Token, Turn, split_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pdl.errors import Problem
    from pdl.prompt.markers import Markers

_N = TypeVar("_N", bound=nodes.Node)
_ANY_ROLE = re.compile(rf"\A\s*+[A-Za-z]*+{DYNAMIC}[A-Za-z{DYNAMIC}]*+\s*")


_BODIES = ("body", "else_")
_PRINTS_ANYTHING = (nodes.Include, nodes.Extends, nodes.CallBlock)


@dataclass(frozen=True)
class Branches:
    """Turns that depend on data: the outlines of the alternative bodies."""

    bodies: tuple[Outline, ...]
    loops: bool = False


Item: TypeAlias = Turn | Branches


@dataclass
class Outline:
    """The turns of a list of statements, in order, and the text before the first one."""

    items: list[Item] = field(default_factory=list)
    preamble: list[Token] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def depends_on_data(turn: Turn) -> bool:
    """Whether a turn contains tags or expressions."""
    return turn.cut or any(DYNAMIC in token.text for token in turn.content)


def outline_of(body: Iterable[nodes.Node], markers: Markers) -> Outline:
    """The turns of statements; expressions are assumed to print no separators."""
    found = Outline()
    for node in body:
        if isinstance(node, nodes.Output):
            _add_output(node, found, markers)
        elif isinstance(node, nodes.Macro):
            continue
        elif _prints_turns(node):
            bodies = tuple(outline_of(each, markers) for each in bodies_of(node))
            found.problems += [problem for body in bodies for problem in body.problems]
            found.items.append(Branches(bodies, loops=isinstance(node, nodes.For)))
        else:
            _cut(found, _schema_of(node))
    return found


def _add_output(node: nodes.Output, found: Outline, markers: Markers) -> None:
    text = "".join(
        child.data if isinstance(child, nodes.TemplateData) else _printed(child)
        for child in node.nodes
    )
    split = split_turns(text, markers, unfilled=True)
    found.problems += split.problems
    _extend(found, split.preamble)
    for turn in split.turns:
        found.items.append(Turn(turn.role, (), turn.marker))
        _extend(found, turn.content)


def _printed(value: nodes.Expr) -> str:
    """What represents the value of an expression; the schema has a marker of its own."""
    is_schema = isinstance(value, nodes.Name) and value.name == "schema"
    return DYNAMIC + SCHEMA_PLACEHOLDER if is_schema else DYNAMIC


def _extend(found: Outline, tokens: tuple[Token, ...]) -> None:
    """Add content to the last turn; `<|{{ role }}|>` in it may begin a turn of any role."""
    for token in tokens:
        last = found.items[-1] if found.items else None
        if token.kind == "BLOCK" and _ANY_ROLE.fullmatch(token.text):
            found.items.append(Branches(()))
        elif isinstance(last, Turn):
            found.items[-1] = Turn(last.role, (*last.content, token), last.marker, last.cut)
        elif last is None:
            found.preamble.append(token)


def _cut(found: Outline, content: tuple[Token, ...]) -> None:
    """Note a tag in the last turn, and what is known of its content."""
    last = found.items[-1] if found.items else None
    if isinstance(last, Turn):
        found.items[-1] = Turn(last.role, (*last.content, *content), last.marker, cut=True)


def _schema_of(node: nodes.Node) -> tuple[Token, ...]:
    """What a branch or a loop without turns prints, if that may be the schema's description."""
    if not isinstance(node, (nodes.If, nodes.For, nodes.With, nodes.Scope)):
        return ()
    if any(one.name == "schema" and one.ctx == "store" for one in descendants(node, nodes.Name)):
        return ()  # another value of that name
    printed = (_printed(one) for output in descendants(node, nodes.Output) for one in output.nodes)
    found = any(SCHEMA_PLACEHOLDER in text for text in printed)
    return (Token("TEXT", DYNAMIC + SCHEMA_PLACEHOLDER),) if found else ()


def _prints_turns(node: nodes.Node) -> bool:
    """Whether a statement can print separators."""
    if isinstance(node, _PRINTS_ANYTHING):
        return True
    for one in descendants(node, (*_PRINTS_ANYTHING, nodes.TemplateData)):
        if not isinstance(one, nodes.TemplateData):
            return True
        if LEAD + WHOLE in one.data or LEAD + OPEN in one.data:
            return True
    return False


def bodies_of(node: nodes.Node) -> list[list[nodes.Node]]:
    """The lists of statements of a statement; those of `elif` are added to those of `if`."""
    lists: list[list[nodes.Node]] = [
        value for name, value in node.iter_fields() if isinstance(value, list) and name in _BODIES
    ]
    for branch in getattr(node, "elif_", ()):
        lists += bodies_of(branch)
    return lists


def may_hold(branches: Branches, role: str) -> bool:
    """Whether one of the bodies can contain a turn of that role, or a turn of any name."""
    if not branches.bodies:
        return True
    for body in branches.bodies:
        for item in body.items:
            if isinstance(item, Branches) and may_hold(item, role):
                return True
            if isinstance(item, Turn) and item.role == role:
                return True
    return False


def all_turns(items: Iterable[Item]) -> Iterator[Turn]:
    """The turns of an outline, and of the branches in it."""
    for item in items:
        if isinstance(item, Turn):
            yield item
        else:
            for body in item.bodies:
                yield from all_turns(body.items)


def expanded(
    body: Iterable[nodes.Node],
    read: Callable[[str], list[nodes.Template]],
    seen: frozenset[str] = frozenset(),
) -> Iterator[nodes.Node]:
    """Yield statements, in which files replace the includes that name them.

    `read` returns the tree of a file, or an empty list; that tree stays as it is.
    """
    for node in body:
        name = _included(node)
        trees = read(name) if name and name not in seen else []
        if trees:
            inside = expanded(trees[0].body, read, seen | {name})
            yield nodes.Scope(list(inside), lineno=node.lineno)
            continue
        yield _with_bodies(node, lambda body: list(expanded(body, read, seen)))


def _with_bodies(
    node: nodes.Node, changed: Callable[[list[nodes.Node]], list[nodes.Node]]
) -> nodes.Node:
    """A copy of a statement with other bodies."""
    made = copy(node)
    for name, value in node.iter_fields():
        if isinstance(value, list) and name in _BODIES:
            setattr(made, name, changed(value))
    elifs = getattr(node, "elif_", ())
    if elifs:
        made.elif_ = [_with_bodies(one, changed) for one in elifs]  # type: ignore[attr-defined]
    return made


def _included(node: nodes.Node) -> str:
    """The file that a statement includes, if it names one."""
    if isinstance(node, nodes.Include) and isinstance(node.template, nodes.Const):
        return str(node.template.value)
    return ""


@overload
def descendants(tree: nodes.Node, kinds: type[_N]) -> Iterator[_N]: ...
@overload
def descendants(tree: nodes.Node, kinds: tuple[type[_N], ...]) -> Iterator[_N]: ...
def descendants(tree: nodes.Node, kinds: Any) -> Iterator[nodes.Node]:
    """Yield the nodes of some classes below a node, in the order of the text.

    Jinja's own `find_all` asks three generators for each node, at each depth: linting a long
    template spent nearly half of its time there.
    """
    stack = _children(tree)
    while stack:
        node = stack.pop()
        if isinstance(node, kinds):
            yield node
        stack += _children(node)


def _children(node: nodes.Node) -> list[nodes.Node]:
    """The children of a node, the last one first."""
    found: list[nodes.Node] = []
    for name in node.fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, nodes.Node)]
        elif isinstance(value, nodes.Node):
            found.append(value)
    found.reverse()
    return found
