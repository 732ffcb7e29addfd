"""The signature of what is called at a place, and the parameter that is being typed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.edit.template import callables, types
from pdl.edit.template.callables import parameters, signature
from pdl.edit.template.inference import Inference
from pdl.edit.template.shapes import shape
from pdl.edit.template.types import Type, name_of

if TYPE_CHECKING:
    from pdl.edit.document import Document, Typed
    from pdl.edit.template.expressions import Node
    from pdl.edit.template.tags import Statement
    from pdl.edit.workspace import Workspace
    from pdl.prompt.scan import Piece

_Called: TypeAlias = tuple[str, tuple[str, ...], str]  # the label, the parameters, the words


@dataclass(frozen=True)
class Signature:
    """How something is called: `parameters` are parts of the `label`, in its order.

    `active` is the index of the one that is being typed; -1 if there is none. `documentation` is
    Markdown.
    """

    label: str
    parameters: tuple[str, ...]
    active: int
    documentation: str = ""


def signature_help(workspace: Workspace, document: Document, offset: int) -> Signature | None:
    """Return what is called at an offset; None outside of the parentheses of a call."""
    tag = document.tag_at(offset)
    if tag is not None:
        return _in_tag(Inference(workspace, document), tag, offset)
    typed = document.typed_at(offset)
    if typed is not None and typed.turn.role == "tools" and typed.language == "dsl":
        return _tool(typed, offset)
    return None


def _in_tag(known: Inference, tag: Piece, offset: int) -> Signature | None:
    """The signature of the innermost call around an offset that is known."""
    document, statement = known.document, known.outline.statement(tag)
    before = [one.end for one in document.tag_tokens(tag) if one.start < offset]
    offset = min(offset, before[-1]) if before else offset  # what is not closed ends there
    paths = (value.path(offset) for value in (*statement.values, *statement.rest))
    for node in reversed(next(filter(None, paths), [])):
        found = _called(known, node) if _is_within(document.text, node, offset) else None
        if found is not None:
            label, names, said = found
            return Signature(label, names, _active(document.text, node, offset, names), said)
    return None


def _is_within(text: str, node: Node, offset: int) -> bool:
    """Whether an offset is between the parentheses of a call, a filter or a test."""
    if node.kind not in ("call", "filter", "test"):
        return False
    named = node.children[0].end if node.kind == "call" else node.at + len(node.text)
    rest = text[named:offset].lstrip()
    is_closed = node.end > node.children[-1].end and text[node.end - 1] == ")"
    return rest[:1] == "(" and (offset < node.end or not is_closed)


def _active(text: str, node: Node, offset: int, parameters: tuple[str, ...]) -> int:
    """The parameter at an offset: by its name, or by its position."""
    known = [name.lstrip("*").partition("=")[0] for name in parameters]
    commas = sum(text.find(",", one.end, offset) >= 0 for one in node.arguments)
    names = [name.strip("*") for name in node.names[: commas + 1]]
    if any(names):
        name = names[-1] if len(names) > commas else ""
        return known.index(name) if name in known else -1
    starred = next((at for at, name in enumerate(parameters) if name.startswith("*")), -1)
    if 0 <= starred < commas:
        return starred
    return commas if commas < len(parameters) else -1


def _called(known: Inference, node: Node) -> _Called | None:
    """The signature of what a node calls: label, parameters and words."""
    if node.kind != "call":
        return _callable("filter" if node.kind == "filter" else "test", node.text)
    called = node.children[0]
    if called.kind == "name":
        found = known.variable(called.text, called.place)
        if found is None or found.binding is None:
            return _callable("function", called.text)
        return _shown(Inference(known.workspace, found.document).macro(found.binding))
    if called.kind != "attribute" or called.children[0].kind != "name":
        return None
    owner = called.children[0]
    is_own = owner.text == "self"
    one = called if is_own else owner
    binding = known.outline.lookup(one.text, one.place)
    if binding is None or (binding.kind == "module") == is_own:
        return None
    return _shown(known.macro(binding, called.text))


def _callable(kind: callables.CallableKind, name: str) -> _Called | None:
    found = callables.find(kind, name)
    return (found.signature, found.parameters, found.words) if found is not None else None


def _shown(macro: tuple[Document, Statement] | None) -> _Called | None:
    return (signature(macro[1]), parameters(macro[1]), "") if macro is not None else None


def _tool(typed: Typed, offset: int) -> Signature | None:
    """The tool whose parameters a cursor is in."""
    notation, found = typed.notation, shape(typed)
    at = bisect_right(found.tools, offset, key=lambda one: notation.tokens[one.token].start) - 1
    if at < 0:
        return None
    tool, start = found.tools[at], typed.turn.body.start
    frame = next(
        (one for one in notation.frames if one.owner == tool.token and one.opener >= 0), None
    )
    if frame is None or notation.tokens[frame.opener].end > offset:
        return None
    if frame.closer >= 0 and notation.tokens[frame.closer].start < offset:
        return None
    given = Type(found.arguments(tool), {"$defs": found.definitions})
    absent = types.optional(given)
    names = tuple(
        f"{name}{'?' if name in absent else ''}: {name_of(one)}"
        for name, one in types.fields(given).items()
    )
    active = sum(one.end + start < offset for one in tool.parameters.members)
    return Signature(
        f"{tool.name}({', '.join(names)})", names, active if active < len(names) else -1
    )
