"""The turns of a template, and its schema, as far as they are known without data.

A schema turn may refer to files: `@file.json`, `@package:path`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from jinja2 import nodes

from pdl import schema as schemas
from pdl.errors import Problem, SchemaError
from pdl.prompt.folder import Folder, JailError, package_folder
from pdl.prompt.marks import LEAD, OPEN, WHOLE, placed_source
from pdl.prompt.turns import DYNAMIC, Token, Turn, split_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.limits import Limits
    from pdl.prompt.marks import Marks
    from pdl.prompt.prompt import Prompt
    from pdl.schema import Schema
    from pdl.source import Source


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


def parse_schema(source: Source, folder: Folder | None, limits: Limits) -> Schema:
    """The schema of a turn. Raises SchemaError or LimitError."""
    _refuse_reference_in_value(source)
    try:
        return schemas.Schema.parse(source, limits=limits, resolve=_reader(folder, limits))
    except (JailError, OSError, UnicodeDecodeError) as error:
        text = source.text.strip()
        start = source.text.find(text)
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        message = f"the schema's file cannot be read: {reason}"
        span = source.span(start, start + len(text))
        named = text.startswith("@") and ":" in text
        hint = "write `@PACKAGE:PATH` with the name of an installed package" if named else ""
        raise SchemaError(Problem("schema/bad-file", message, span, hint)) from error


def _refuse_reference_in_value(source: Source) -> None:
    """Only the prompt's own text names files: a value that begins with `@` would read any."""
    text = source.text.strip()
    start = source.text.find(text)
    written = any(one.start <= start < one.start + one.length for one in source.anchors)
    if text.startswith("@") and not written:
        message = "this `@` comes from a value, and only the prompt's own text names a file"
        hint = "write `@` and the file into the `schema` turn itself"
        raise SchemaError(Problem("schema/bad-file", message, source.span(start), hint))


def _reader(folder: Folder | None, limits: Limits) -> Callable[[str], tuple[str, str]]:
    """A function from what stands behind the `@` to the text and the name of the file."""

    def read(reference: str) -> tuple[str, str]:
        package, colon, path = reference.partition(":")
        where, path = (package_folder(package), path) if colon else (folder, reference)
        if where is None:
            raise JailError("this prompt was loaded from text; give `pdl.loads` a `base`")
        return where.read(path, limits.source_chars).decode("utf-8-sig"), reference

    return read


def static_schema(prompt: Prompt) -> tuple[bool, Schema | None]:
    """Whether the schema is the same whatever the data, and then that schema, if there is one.

    Raises SchemaError or LimitError if it is wrong.
    """
    if prompt.template is None:
        return False, None
    marks = prompt.template.marks
    tree = prompt.template.environment.parse(prompt.source.text)
    items = outline_of(tree.body, marks).items
    turns = [item for item in items if isinstance(item, Known) and item.role == "schema"]
    hidden = any(_may_hold_schema(item) for item in items if isinstance(item, Branches))
    if hidden or len(turns) > 1 or any(depends_on_data(turn) for turn in turns):
        return False, None
    if not turns:
        return True, None
    placed = placed_source(turns[0].raw, marks, prompt.source.name)
    return True, parse_schema(placed, prompt.folder, prompt.limits)


def _may_hold_schema(branches: Branches) -> bool:
    """Whether a schema turn, or a turn of any name, may stand in one of the bodies."""
    if not branches.bodies:
        return True
    for body in branches.bodies:
        for item in body.items:
            if isinstance(item, Branches) and _may_hold_schema(item):
                return True
            if isinstance(item, Known) and item.role == "schema":
                return True
    return False
