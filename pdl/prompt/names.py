"""The names that a prompt reads, against those that its `<|input|>` turn declares."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import TemplateSyntaxError, nodes

from pdl.errors import Problem, nearest
from pdl.prompt.config import quoted_types
from pdl.prompt.content import Finding
from pdl.prompt.includes import references
from pdl.prompt.outline import descendants
from pdl.prompt.template_errors import word_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.prompt.inputs import Inputs
    from pdl.prompt.mend import Mended
    from pdl.prompt.prompt import Prompt
    from pdl.prompt.template import Template
    from pdl.source import Source, Span


class _Words(NamedTuple):
    """The names that statements of a template define, in whatever scope, and all in its tags."""

    defined: set[str]
    used: set[str]
    extends: bool
    is_computed: bool
    """Whether it computes the name of a file."""


class Names:
    """The checks of the names of one prompt, and of the templates that it includes."""

    def __init__(self, prompt: Prompt, template: Template, doubt: Mended | None) -> None:
        self.prompt = prompt
        self.template = template
        self.doubt = doubt

    def findings(self) -> Iterator[Finding]:
        """Names that are read and not declared, then inputs that are never read."""
        inputs = self.prompt.inputs
        if inputs is None or (self.doubt and not self.doubt.declares(inputs.source.span(0))):
            return
        for problem in quoted_types(inputs.schema, inputs.source):
            yield Finding(problem, "warning")
        for name in self.prompt.variables:
            # `schema` is no input: what is wrong with it is another finding
            if name not in (*inputs.names, "schema") and not inputs.is_open:
                yield from self._undeclared(name, inputs)
        for name in inputs.names:
            if not self._is_read(name) and not self._may_use(name):
                message = f"the input `{name}` is never used"
                yield Finding(Problem("input/unused", message, inputs.span(name)), "warning")

    def _undeclared(self, name: str, inputs: Inputs) -> Iterator[Finding]:
        if self._is_set(name) or (self.doubt and self.doubt.may_set(name)):
            return
        message = f"`{name}` is used, but is not an input of this prompt"
        near = nearest(name, inputs.names)
        hint = f"did you mean `{near}`?" if near else "declare it in the `<|input|>` turn"
        problem = Problem("template/undefined", message, self.first_use(name), hint)
        declared = inputs.span(near).origin() if near else None
        related = ((declared, f"`{near}` is declared here"),) if declared else ()
        yield Finding(problem, related=related)

    def _is_set(self, name: str) -> bool:
        """Whether a statement may define a name where it is read.

        What an included file defines is not known to the file that includes it.
        """
        own, *others = self._words
        if name in own.defined:
            return True
        if name in own.used and not own.extends:
            return False
        return any(name in one.defined for one in others)

    def _is_read(self, name: str) -> bool:
        """Whether a template reads an input; a function of that name is hidden by it."""
        if name in self.prompt.variables:
            return True
        is_global = name in self.template.environment.globals
        return is_global and any(name in one.used for one in self._words)

    def _may_use(self, name: str) -> bool:
        """Whether a file whose name is computed may read an input, or a faulty tag."""
        if any(one.is_computed for one in self._words):
            return True
        declared = self.prompt.inputs.source.text if self.prompt.inputs is not None else ""
        return self.doubt is not None and self.doubt.may_use(name, declared)

    def first_use(self, name: str) -> Span:
        """Where the prompt, or else one of the templates that it includes, reads a name."""
        for source, lines in self._lines:
            if name in lines:
                return word_span(source, lines[name], name)
        return self.prompt.source.span(0)

    @cached_property
    def _lines(self) -> list[tuple[Source, dict[str, int]]]:
        """The first line of each name in each template."""
        found: list[tuple[Source, dict[str, int]]] = []
        for source, tree in self._trees:
            lines: dict[str, int] = {}
            for node in descendants(tree, nodes.Name):
                lines[node.name] = min(node.lineno, lines.get(node.name, node.lineno))
            found.append((source, lines))
        return found

    @cached_property
    def _words(self) -> list[_Words]:
        return [_words_of(tree) for _, tree in self._trees]

    @cached_property
    def _trees(self) -> list[tuple[Source, nodes.Template]]:
        """The trees of the prompt, and of the templates that it includes."""
        env = self.template.environment
        found = [(self.prompt.source, self.template.tree)]
        for name, source in list(env.sources.items()):
            if name is not None:
                with suppress(TemplateSyntaxError):
                    found.append((source, env.parse(source.text, name)))
        return found


def _words_of(tree: nodes.Template) -> _Words:
    names = list(descendants(tree, nodes.Name))
    defined = {node.name for node in names if node.ctx == "store"}
    kinds = (nodes.Macro, nodes.Import, nodes.FromImport)
    for node in descendants(tree, kinds):
        if isinstance(node, nodes.Macro):
            defined.add(node.name)
        elif isinstance(node, nodes.Import):
            defined.add(node.target)
        elif isinstance(node, nodes.FromImport):
            defined.update(one if isinstance(one, str) else one[1] for one in node.names)
    return _Words(
        defined,
        {node.name for node in names},
        extends=any(descendants(tree, nodes.Extends)),
        is_computed=any(one.is_computed for one in references(tree)),
    )
