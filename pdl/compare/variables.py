"""The changes of what callers pass: the inputs of a prompt, or else the names that it reads."""

from __future__ import annotations

from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import TemplateSyntaxError, nodes

from pdl.compare.inputs import compare_inputs
from pdl.compare.parts import Compared, audiences
from pdl.compare.words import Effect, text_change
from pdl.prompt.template_errors import word_span
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    needed = tuple(_need_changes(old, new))
    if old.inputs is None and new.inputs is None:
        return Compared(needed)
    if old.inputs is not None and new.inputs is not None:
        found = compare_inputs(old.inputs.schema, new.inputs.schema, limits=limits)
        return Compared((*found.changes, *needed), found)
    found = compare_inputs(_accepted(old), _accepted(new, required=False), limits=limits)
    breaking = tuple(change for change in found.changes if change.breaks)
    if new.inputs is not None:
        message = "the `input` turn was added: now, values are checked"
    else:
        message = (
            "the `input` turn was removed: no value is checked, and defaults are not filled in"
        )
    effect = Effect("inputs", found.verdict, audiences(breaking))
    texts = _declaration(old), _declaration(new)
    whole = text_change(effect, "$", message, texts, (_declared(old), _declared(new)))
    return Compared((whole, *breaking, *needed), found)


def _declaration(prompt: Prompt) -> str:
    return "" if prompt.inputs is None else prompt.inputs.source.text.strip()


def _declared(prompt: Prompt) -> Span | None:
    if prompt.inputs is None:
        return None
    text = prompt.inputs.source.text
    return prompt.inputs.source.span(len(text) - len(text.lstrip())).origin()


def _accepted(prompt: Prompt, *, required: bool = True) -> Schema:
    """The schema of what callers pass; for a prompt without inputs, the names that it reads."""
    if prompt.inputs is not None:
        return prompt.inputs.schema
    needs = _needs(prompt, prompt.variables) if required else {}
    return Schema(
        {
            "type": "object",
            "properties": {name: {} for name in prompt.variables},
            "required": [name for name, need in needs.items() if need is Need.ALWAYS],
            "additionalProperties": False,
        }
    )


def _free(prompt: Prompt) -> list[str]:
    """The names that a template reads, and that have no value if callers don't pass them."""
    if prompt.inputs is None:
        return list(prompt.variables)
    document = prompt.inputs.schema.document
    given = {*document.get("required", ()), *prompt.inputs.defaults}
    is_open = prompt.inputs.is_open
    known = prompt.variables if is_open else set(prompt.variables) & set(prompt.inputs.names)
    return [name for name in prompt.variables if name in known and name not in given]


def _need_changes(old: Prompt, new: Prompt) -> Iterator[Change]:
    """Names that the new version reads, or needs, and the old one did not; and the reverse."""
    before, after = _declared_names(old), _declared_names(new)
    passed = set(before) - set(_free(old)) - set(_filled(old))
    names = [name for name in _free(new) if name not in passed]
    needs = _needs(new, names)
    earlier = _needs(old, set(names) & set(_free(old)))
    for name in names:
        is_known = name in before or name in old.variables
        if needs[name] <= earlier.get(name, Need.NEVER) and (is_known or name in after):
            continue
        effect = Effect("inputs", None, ("callers",) if needs[name] else ())
        outcome = {
            Need.NEVER: f"`{name}` is read now, if it is given",
            Need.SOMETIMES: f"a call without `{name}` might fail now",
            Need.ALWAYS: f"a call without `{name}` fails now",
        }
        spans = None, _first_use(new, name)
        texts = (name if is_known else "", name)
        yield text_change(effect, name, outcome[needs[name]], texts, spans)
    ignores = new.inputs is None or new.inputs.is_open
    for name in (name for name in _free(old) if name not in before):
        if ignores and name not in new.variables and name not in after:
            message = f"`{name}` is no longer read: a value of that name has no effect"
            where = _first_use(old, name), None
            yield text_change(Effect("inputs"), name, message, (name, ""), where)


def _declared_names(prompt: Prompt) -> tuple[str, ...]:
    return () if prompt.inputs is None else prompt.inputs.names


def _filled(prompt: Prompt) -> dict[str, Any]:
    return {} if prompt.inputs is None else prompt.inputs.defaults


def _first_use(prompt: Prompt, name: str) -> Span | None:
    """Where a prompt's own template reads a name."""
    tree = _trees(prompt)[:1]
    lines = [node.lineno for one in tree for node in one.find_all(nodes.Name) if node.name == name]
    return word_span(prompt.source, min(lines), name) if lines else None


def _trees(prompt: Prompt) -> list[nodes.Template]:
    """The tree of a prompt's template, then those of the files that it reads."""
    if prompt.template is None:
        return []
    env = prompt.template.environment
    found: list[nodes.Template] = []
    for name, source in sorted(env.sources.items(), key=lambda pair: pair[0] or ""):
        with suppress(TemplateSyntaxError):  # of a file that is read only for some data
            found.append(env.parse(source.text, name))
    return found


def _needs(prompt: Prompt, names: Iterable[str]) -> dict[str, Need]:
    """How much a prompt needs each of its variables."""
    found = dict.fromkeys(names, Need.NEVER)
    for number, tree in enumerate(_trees(prompt) if found else ()):
        stored = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
        for name, need in _uses(tree):
            if name in found:
                certain = number == 0 and name not in stored
                found[name] = max(found[name], need if certain else min(need, Need.SOMETIMES))
    return found


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
