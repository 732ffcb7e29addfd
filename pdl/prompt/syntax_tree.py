"""The nodes of a template's syntax tree, in the order of the text.

Jinja's own `find_all` asks three generators for each node, at each depth: linting a long template
spent nearly half of its time there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from jinja2.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    _N = TypeVar("_N", bound=Node)


@overload
def descendants(tree: Node, kinds: type[_N]) -> Iterator[_N]: ...
@overload
def descendants(tree: Node, kinds: tuple[type[_N], ...]) -> Iterator[_N]: ...
def descendants(tree: Node, kinds: Any) -> Iterator[Node]:
    """Yield the nodes of some classes below a node, as `Node.find_all` does."""
    stack = _children(tree)
    while stack:
        node = stack.pop()
        if isinstance(node, kinds):
            yield node
        stack += _children(node)


def _children(node: Node) -> list[Node]:
    """The children of a node, the last one first."""
    found: list[Node] = []
    for name in node.fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, Node)]
        elif isinstance(value, Node):
            found.append(value)
    found.reverse()
    return found
