"""The changes of what callers pass: the inputs of a prompt, or else the names that it reads.

Whether a template needs a name follows from where it is read, and which names certainly have a
value there: an analysis of definite assignment (Java Language Specification, chapter 16).
"""

from __future__ import annotations

from contextlib import suppress
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import TemplateSyntaxError, nodes

from pdl.compare.parts import Compared
from pdl.compare.schemas import compare_inputs
from pdl.compare.verdicts import audiences
from pdl.compare.words import Effect, text_change
from pdl.prompt.template_errors import word_span
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.compare.verdicts import Change
    from pdl.limits import Limits
    from pdl.prompt.prompt import Prompt
    from pdl.source import Span

_ASKING = frozenset({"defined", "undefined"})
_DEFAULTING = frozenset({"default", "d"})


class Need(IntEnum):
    """Whether a template fails without a variable: never, for some data, or always."""

    NEVER = 0
    SOMETIMES = 1
    ALWAYS = 2


def input_changes(old: Prompt, new: Prompt, limits: Limits) -> Compared:
    """Compare what two prompts accept from callers, and what these have to pass."""
    one, other = _Names(old), _Names(new)
    needed = (*_need_changes(one, other), *_unread(one, other))
    if old.inputs is None and new.inputs is None:
        return Compared(needed)
    if old.inputs is not None and new.inputs is not None:
        found = compare_inputs(old.inputs.schema, new.inputs.schema, limits=limits)
        return Compared((*found.changes, *needed), found)
    found = compare_inputs(one.accepted(required=True), other.accepted(), limits=limits)
    breaking = tuple(change for change in found.changes if change.breaks)
    if new.inputs is not None:
        message = "the `input` turn was added: now, values are checked"
    else:
        message = (
            "the `input` turn was removed: no value is checked, and defaults are not filled in"
        )
    effect = Effect("inputs", found.verdict, audiences(breaking))
    texts = one.declaration, other.declaration
    whole = text_change(effect, "$", message, texts, (one.declared_at, other.declared_at))
    return Compared((whole, *breaking, *needed), found)


def _need_changes(old: _Names, new: _Names) -> Iterator[Change]:
    """Names that the new version reads, or needs, and the old one did not."""
    passed = old.declared - old.free - old.filled
    for name in (name for name in new.read if name in new.free and name not in passed):
        need = new.needs.get(name, Need.NEVER)
        earlier = old.needs.get(name, Need.NEVER) if name in old.free else Need.NEVER
        is_known = name in old.declared or name in old.read
        if need <= earlier and (is_known or name in new.declared):
            continue
        effect = Effect("inputs", None, ("callers",) if need else ())
        outcome = {
            Need.NEVER: f"`{name}` is read now, if it is given",
            Need.SOMETIMES: f"a call without `{name}` might fail now",
            Need.ALWAYS: f"a call without `{name}` fails now",
        }
        texts = (name if is_known else "", name)
        yield text_change(effect, name, outcome[need], texts, (None, new.first_use(name)))


def _unread(old: _Names, new: _Names) -> Iterator[Change]:
    """Names that the old version reads, and the new one ignores."""
    if not new.is_open:
        return
    for name in (name for name in old.read if name in old.free and name not in old.declared):
        if name not in new.read and name not in new.declared:
            message = f"`{name}` is no longer read: a value of that name has no effect"
            spans = old.first_use(name), None
            yield text_change(Effect("inputs"), name, message, (name, ""), spans)


class _Names:
    """The names that a prompt reads, and those that callers pass."""

    def __init__(self, prompt: Prompt) -> None:
        self.prompt = prompt
        inputs = prompt.inputs
        self.read = prompt.variables
        self.is_open = inputs is None or inputs.is_open
        self.declared = frozenset(inputs.names if inputs is not None else ())
        self.filled = frozenset(inputs.defaults if inputs is not None else ())

    @cached_property
    def free(self) -> frozenset[str]:
        """The names that have no value if callers don't pass them."""
        known = frozenset(name for name in self.read if self.is_open or name in self.declared)
        inputs = self.prompt.inputs
        required = inputs.schema.document.get("required", ()) if inputs is not None else ()
        return known - self.filled - set(required)

    @property
    def declaration(self) -> str:
        """The text of the inputs."""
        inputs = self.prompt.inputs
        return "" if inputs is None else inputs.source.text.strip()

    @property
    def declared_at(self) -> Span | None:
        """Where the inputs begin."""
        inputs = self.prompt.inputs
        if inputs is None:
            return None
        text = inputs.source.text
        return inputs.source.span(len(text) - len(text.lstrip())).origin()

    def accepted(self, *, required: bool = False) -> Schema:
        """The schema of what callers pass; without inputs, the names that the prompt reads.

        Callers then pass all of them that are `required`, since the template fails without.
        """
        if self.prompt.inputs is not None:
            return self.prompt.inputs.schema
        names = self.read if required else ()
        return Schema(
            {
                "type": "object",
                "properties": {name: {} for name in self.read},
                "required": [name for name in names if self.needs.get(name) is Need.ALWAYS],
                "additionalProperties": False,
            }
        )

    @cached_property
    def trees(self) -> list[nodes.Template]:
        """The tree of the prompt's template, then those of the files that it reads."""
        if self.prompt.template is None:
            return []
        env = self.prompt.template.environment
        found: list[nodes.Template] = []
        for name, source in sorted(env.sources.items(), key=lambda pair: pair[0] or ""):
            with suppress(TemplateSyntaxError):  # of a file that is read only for some data
                found.append(env.parse(source.text, name))
        return found

    @cached_property
    def needs(self) -> dict[str, Need]:
        """How much the prompt needs each of its variables."""
        found: dict[str, Need] = {}
        for number, tree in enumerate(self.trees):
            stored = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
            for name, need in _uses(tree):
                certain = number == 0 and name not in stored
                known = need if certain else min(need, Need.SOMETIMES)
                found[name] = max(found.get(name, Need.NEVER), known)
        return found

    @cached_property
    def _lines(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for node in self.trees[0].find_all(nodes.Name) if self.trees else ():
            found[node.name] = min(node.lineno, found.get(node.name, node.lineno))
        return found

    def first_use(self, name: str) -> Span | None:
        """Where the prompt's own template reads a name."""
        line = self._lines.get(name)
        return None if line is None else word_span(self.prompt.source, line, name)


class _Read(NamedTuple):
    """A node that is read, how much its names are needed, and those that certainly have a value."""

    node: nodes.Node
    need: Need
    given: frozenset[str] = frozenset()

    def then(self, node: nodes.Node, given: frozenset[str] = frozenset()) -> _Read:
        """What is read only for some data; those further names have a value then."""
        return _Read(node, min(self.need, Need.SOMETIMES), self.given | given)


def _uses(tree: nodes.Template) -> Iterator[tuple[str, Need]]:
    """The names that a template reads where it needs them."""
    pending = [_Read(tree, Need.ALWAYS)]
    while pending:
        read = pending.pop()
        node = read.node
        if isinstance(node, nodes.Name):
            if node.ctx == "load" and node.name not in read.given:
                yield node.name, read.need
        else:
            pending += _inside(read)


def _inside(read: _Read) -> Iterator[_Read]:
    """What is read inside a node that isn't a name."""
    node = read.node
    if isinstance(node, nodes.If):
        yield from _tested(read._replace(node=node.test))
        yield from (read.then(one, _given(node.test, holds=True)) for one in node.body)
        others = (*node.elif_, *node.else_)
        yield from (read.then(one, _given(node.test, holds=False)) for one in others)
    elif isinstance(node, nodes.CondExpr):
        yield from _tested(read._replace(node=node.test))
        yield read.then(node.expr1, _given(node.test, holds=True))
        if node.expr2 is not None:
            yield read.then(node.expr2, _given(node.test, holds=False))
    elif isinstance(node, nodes.Or):
        yield from _tested(read._replace(node=node.left))
        yield read.then(node.right, _given(node.left, holds=False))
    elif isinstance(node, nodes.And):
        yield read._replace(node=node.left)
        yield read.then(node.right, _given(node.left, holds=True))
    elif isinstance(node, nodes.Not):
        yield from _tested(read._replace(node=node.node))
    elif isinstance(node, nodes.Filter | nodes.Test) and _allows_absence(node):
        inner = () if isinstance(node.node, nodes.Name) else (node.node,)
        yield from (read._replace(node=one) for one in (*inner, *node.args))
    elif isinstance(node, nodes.For):
        yield read._replace(node=node.iter)
        inside = (*node.body, *node.else_, *((node.test,) if node.test is not None else ()))
        yield from map(read.then, inside)
    else:
        is_called = isinstance(node, nodes.Macro | nodes.CallBlock)
        for one in node.iter_child_nodes():
            yield read.then(one) if is_called else read._replace(node=one)


def _tested(read: _Read) -> Iterator[_Read]:
    """What a condition reads; a name alone can be undefined."""
    node = read.node
    if isinstance(node, nodes.And | nodes.Or):
        yield from _tested(read._replace(node=node.left))
        known = _given(node.left, holds=isinstance(node, nodes.And))
        yield from _tested(read.then(node.right, known))
    elif isinstance(node, nodes.Not):
        yield from _tested(read._replace(node=node.node))
    elif not isinstance(node, nodes.Name):
        yield read


def _given(test: nodes.Node, *, holds: bool) -> frozenset[str]:
    """The names that certainly have a value if a condition is true, or if it isn't."""
    if isinstance(test, nodes.Name):
        return frozenset({test.name} if holds else ())
    if isinstance(test, nodes.Not):
        return _given(test.node, holds=not holds)
    if isinstance(test, nodes.And | nodes.Or):
        both = isinstance(test, nodes.And) == holds
        left = _given(test.left, holds=holds)
        return left | _given(test.right, holds=holds) if both else frozenset()
    if isinstance(test, nodes.Test) and _allows_absence(test) and isinstance(test.node, nodes.Name):
        return frozenset({test.node.name} if holds == (test.name == "defined") else ())
    return frozenset()


def _allows_absence(node: nodes.Filter | nodes.Test) -> bool:
    return node.name in (_ASKING if isinstance(node, nodes.Test) else _DEFAULTING)
