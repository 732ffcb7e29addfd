"""The signature of what is called at a place, and the parameter that is being typed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pdl.edit import callables, types
from pdl.edit.bindings import outline
from pdl.edit.callables import parameters, signature
from pdl.edit.inference import Inference
from pdl.edit.shapes import shape
from pdl.edit.types import Type, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.edit.document import Document, Typed
    from pdl.edit.tags import Statement
    from pdl.edit.workspace import Workspace
    from pdl.prompt.scan import Token

_OUTWARDS = 20  # brackets around a place that are looked at
_Called: TypeAlias = tuple[str, tuple[str, ...], str]  # the label, the parameters, the words
_PAIRS = {")": "(", "]": "[", "}": "{"}


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
        before = [one for one in document.tag_tokens(tag) if one.start < offset]
        return _Call(workspace, document, before, offset).help()
    typed = document.typed_at(offset)
    if typed is not None and typed.turn.role == "tools" and typed.language == "dsl":
        return _tool(typed, offset)
    return None


class _Call:
    """The innermost call that is open before a place."""

    def __init__(
        self, workspace: Workspace, document: Document, tokens: Sequence[Token], offset: int
    ) -> None:
        self.workspace = workspace
        self.document = document
        self.tokens = tokens
        self.offset = offset
        self.outline = outline(document)
        self.types = Inference(workspace, document)

    def _text(self, at: int) -> str:
        if not 0 <= at < len(self.tokens):
            return ""
        return self.document.text[self.tokens[at].start : self.tokens[at].end]

    def help(self) -> Signature | None:
        """Its signature."""
        opener, commas = self._opener()
        for _ in range(_OUTWARDS):
            if opener < 0:
                break
            found = self._called(opener - 1)
            if found is not None:
                label, names, said = found
                return Signature(label, names, self._active(opener, commas, names), said)
            self.tokens = self.tokens[:opener]
            opener, commas = self._opener()
        return None

    def _opener(self) -> tuple[int, int]:
        """The bracket that is still open, and the commas after it."""
        closed = commas = 0
        for at in range(len(self.tokens) - 1, -1, -1):
            text = self._text(at)
            if self.tokens[at].kind != "operator":
                continue
            if text in _PAIRS:
                closed += 1
            elif text in ("(", "[", "{"):
                if not closed:
                    return at, commas
                closed -= 1
            elif text == "," and not closed:
                commas += 1
        return -1, 0

    def _active(self, opener: int, commas: int, names: tuple[str, ...]) -> int:
        """The parameter at the end of the tokens: by its name, or by its position."""
        if not names:
            return -1
        known = [name.lstrip("*").partition("=")[0] for name in names]
        depth, start = 0, opener + 1
        named = 0
        for at in range(opener + 1, len(self.tokens)):
            text = self._text(at)
            depth += (text in ("(", "[", "{")) - (text in _PAIRS)
            if text == "," and not depth:
                start = at + 1
            elif text == "=" and not depth:
                named += 1
        if self._text(start + 1) == "=":
            name = self._text(start)
            return known.index(name) if name in known else -1
        if named:
            return -1
        starred = next((at for at, name in enumerate(names) if name.startswith("*")), -1)
        if 0 <= starred < commas:
            return starred
        return commas if commas < len(names) else -1

    def _called(self, at: int) -> _Called | None:
        """The signature of what is before a parenthesis: label, parameters and words."""
        if self._text(at + 1) != "(" or at < 0 or self.tokens[at].kind != "name":
            return None
        name, before = self._text(at), self._text(at - 1)
        kind = self._kind(at)
        if kind is not None:
            return _callable(kind, name)
        if before in (".", ":"):
            return self._of_module(at, name)
        return self._by_name(at, name) if before != "macro" else None

    def _by_name(self, at: int, name: str) -> _Called | None:
        known = self.types.variable(name, self.tokens[at].start)
        if known is None or known.binding is None:
            return _callable("function", name)
        types_ = Inference(self.workspace, known.document)
        return _shown(types_.macro(known.binding))

    def _kind(self, at: int) -> callables.CallableKind | None:
        before = self._text(at - 1)
        if before == "|" or (before == "filter" and at == 1):
            return "filter"
        is_test = before == "is" or (before == "not" and self._text(at - 2) == "is")
        return "test" if is_test else None

    def _of_module(self, at: int, name: str) -> _Called | None:
        signs = 2 if self._text(at - 1) == ":" else 1
        owner = at - 1 - signs
        if owner < 0:
            return None
        is_own = self._text(owner) == "self"
        place = at if is_own else owner
        binding = self.outline.lookup(self._text(place), self.tokens[place].start)
        if binding is None or (binding.kind == "module") == is_own:
            return None
        return _shown(self.types.macro(binding, name))


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
