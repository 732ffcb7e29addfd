"""The turns of a template as far as they are known without data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from jinja2 import nodes

from pdl.prompt.marks import LEAD, OPEN, WHOLE
from pdl.prompt.turns import DYNAMIC, Token, Turn, split_turns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.errors import Problem
    from pdl.prompt.marks import Marks

_ANY_ROLE = re.compile(rf"\A\s*+[A-Za-z]*+{DYNAMIC}[A-Za-z{DYNAMIC}]*+\s*")


@dataclass(frozen=True)
class Known:
    """A turn whose separator the source holds; `content` reaches up to the next tag or turn.

    `cut` says that a tag of the template ends the content, so that more may follow.
    """

    role: str
    content: tuple[Token, ...]
    mark: int
    cut: bool = False

    @property
    def raw(self) -> str:
        """The content with its blocks written out, and DYNAMIC for each expression."""
        return Turn(self.role, self.content).raw


@dataclass(frozen=True)
class Branches:
    """A place where turns depend on data: the outlines of the bodies that may stand there."""

    bodies: tuple[Outline, ...]
    loops: bool = False


Item: TypeAlias = Known | Branches


@dataclass
class Outline:
    """The turns of a list of statements, in order, and the text before the first one."""

    items: list[Item] = field(default_factory=list)
    preamble: list[Token] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def depends_on_data(turn: Known) -> bool:
    """Whether a turn holds tags or expressions."""
    return turn.cut or any(DYNAMIC in token.text for token in turn.content)


def outline_of(body: Iterable[nodes.Node], marks: Marks) -> Outline:
    """Walk statements; expressions are taken to print no separators, as long as no macro does."""
    found = Outline()
    for node in body:
        if isinstance(node, nodes.Output):
            _add_output(node, found, marks)
        elif isinstance(node, nodes.Macro):
            continue
        elif _prints_turns(node):
            bodies = tuple(outline_of(each, marks) for each in _bodies(node))
            found.problems += [problem for body in bodies for problem in body.problems]
            found.items.append(Branches(bodies, loops=isinstance(node, nodes.For)))
        else:
            _cut(found)
    return found


def _add_output(node: nodes.Output, found: Outline, marks: Marks) -> None:
    text = "".join(
        child.data if isinstance(child, nodes.TemplateData) else DYNAMIC for child in node.nodes
    )
    split = split_turns(text, marks, unfilled=True)
    found.problems += split.problems
    _extend(found, split.preamble)
    for turn in split.turns:
        found.items.append(Known(turn.role, (), turn.mark))
        _extend(found, turn.content)


def _extend(found: Outline, tokens: tuple[Token, ...]) -> None:
    """Add content to the last turn; `<|{{ role }}|>` in it may begin a turn of any role."""
    for token in tokens:
        last = found.items[-1] if found.items else None
        if token.kind == "BLOCK" and _ANY_ROLE.fullmatch(token.text):
            found.items.append(Branches(()))
        elif isinstance(last, Known):
            found.items[-1] = Known(last.role, (*last.content, token), last.mark, last.cut)
        elif last is None:
            found.preamble.append(token)


def _cut(found: Outline) -> None:
    """Note that a tag stands in the last turn."""
    last = found.items[-1] if found.items else None
    if isinstance(last, Known):
        found.items[-1] = Known(last.role, last.content, last.mark, cut=True)


def _prints_turns(node: nodes.Node) -> bool:
    """Whether a statement may print separators of its own."""
    if isinstance(node, (nodes.Include, nodes.Extends, nodes.CallBlock)):
        return True
    texts = (data.data for data in node.find_all(nodes.TemplateData))
    return any(LEAD + WHOLE in text or LEAD + OPEN in text for text in texts)


def _bodies(node: nodes.Node) -> list[list[nodes.Node]]:
    """The lists of statements of a statement; those of `elif` stand beside those of `if`."""
    lists: list[list[nodes.Node]] = [
        value
        for name, value in node.iter_fields()
        if isinstance(value, list) and name in ("body", "else_")
    ]
    for branch in getattr(node, "elif_", ()):
        lists += _bodies(branch)
    return lists
