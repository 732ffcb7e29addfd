"""A template: parsed once, rendered to text with marks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateNotFound, meta, nodes
from jinja2.ext import LoopControlExtension
from jinja2.loaders import BaseLoader

from pdl.errors import LimitError, Problem, PromptError, TemplateError
from pdl.prompt import filters, tera
from pdl.prompt.captured import shows_marks
from pdl.prompt.folder import Folder, JailError
from pdl.prompt.marks import Marks
from pdl.prompt.meter import METER, Meter, TooManyMissingError, concat
from pdl.prompt.sandbox import PromptEnvironment, located
from pdl.prompt.template_errors import (
    compile_problem,
    missing_problems,
    render_problem,
    type_of,
    unknown_name,
    word_span,
)
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import jinja2

    from pdl.limits import Limits

_ELIFS = 500
_IMPLICIT = frozenset({"self", "super", "caller", "varargs", "kwargs", "loop", tera.GLOBALS})


class Loader(BaseLoader):
    """Finds templates that are included, in the prompt's folder."""

    def __init__(self, folder: Folder | None, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Read a template of the folder, or raise TemplateNotFound with the reason."""
        assert isinstance(environment, PromptEnvironment)
        if self.folder is None:
            raise TemplateNotFound(template, "this prompt was loaded from text, without `base`")
        try:
            text = self.folder.read(template, self.limits.source_chars).decode("utf-8-sig")
        except JailError as error:
            raise TemplateNotFound(template, str(error)) from error
        except UnicodeDecodeError as error:
            raise TemplateNotFound(template, f"`{template}` is not UTF-8") from error
        source = Source(normalize_newlines(text), str(self.folder.root.joinpath(template)))
        environment.sources[template] = source
        return source.text, source.name, lambda: True


@dataclass(frozen=True)
class Template:
    """A compiled template. `variables` are the names that it reads, in alphabetical order."""

    source: Source
    environment: PromptEnvironment = field(repr=False)
    compiled: jinja2.Template = field(repr=False)
    variables: tuple[str, ...]

    @property
    def marks(self) -> Marks:
        """The marks in what this template renders."""
        return self.environment.marks

    def pieces(self) -> list[tuple[int, str, str]]:
        """The stretches of its own text: offset, text, and the token that begins behind."""
        stream = self.environment.lexer.tokenize(self.source.text)
        found: list[tuple[int, str, str]] = []
        for token, at in located(stream, self.source):
            if found and not found[-1][2]:
                found[-1] = (*found[-1][:2], token.type)
            if token.type == "data":
                found.append((at, token.value, ""))
        return found

    def render(self, values: dict[str, Any]) -> str:
        """The text with marks. Raises TemplateError for all undefined names together."""
        env = self.environment
        meter = Meter(env.limits)
        token = METER.set(meter)
        try:
            text = concat(self.compiled.root_render_func(self.compiled.new_context(values)))
        except TooManyMissingError:
            text = ""
        except (Exception, SystemExit) as error:  # code of a value may try to end the program
            problem = render_problem(error, env, self.source)
            if problem is None:
                raise
            raised = type_of(problem.code)(
                *missing_problems(meter.missing, env, self.source, values), problem
            )
            raise raised from None if shows_marks(error) else error
        finally:
            METER.reset(token)
        if meter.missing:
            raise TemplateError(*missing_problems(meter.missing, env, self.source, values))
        return text


def compile_template(source: Source, folder: Folder | None, limits: Limits) -> Template:
    """Parse and compile a template. Raises TemplateError, or LimitError if it nests too deeply."""
    env = PromptEnvironment(
        Marks(),
        limits,
        loader=Loader(folder, limits),
        cache_size=-1,  # a template that is compiled again would get new marks
        extensions=[tera.TeraTags, LoopControlExtension],
    )
    env.filters.update(filters.FILTERS)
    env.filters |= {tera.PAIRS: tera.pairs, tera.LOOPED: tera.looped}
    env.tests.update(filters.TESTS)
    env.globals.update(filters.FUNCTIONS)
    env.sources[None] = source
    try:
        tree = env.parse(source.text)
        _check_names(env, tree, source)
        variables = tuple(sorted(_variables(env, tree)))
        compiled = env.from_string(tree)
    except PromptError:
        raise
    except Exception as error:
        problem = compile_problem(error, env, source)
        if problem is None:
            raise
        raise type_of(problem.code)(problem) from error
    return Template(source, env, compiled, variables)


def _check_names(env: PromptEnvironment, tree: nodes.Template, source: Source) -> None:
    """Refuse unknown filters and tests, which Jinja would notice only when it comes to them."""
    for branching in tree.find_all(nodes.If):
        if len(branching.elif_) > _ELIFS:  # Jinja needs memory for the square of their number
            message = f"this `if` has more than {_ELIFS} `elif`s"
            span = word_span(source, branching.lineno, "if")
            raise LimitError(Problem("limit/template", message, span))
    problems = [
        unknown_name(kind, node.name, source, node.lineno, env)
        for kind, cls, known in (
            ("filter", nodes.Filter, env.filters),
            ("test", nodes.Test, env.tests),
        )
        for node in tree.find_all(cls)
        if node.name not in known
    ]
    if problems:
        raise TemplateError(*problems)


def _variables(env: PromptEnvironment, tree: nodes.Template) -> set[str]:
    """The names that the template, and those that it certainly includes, look up in the data."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [tree]
    while pending:
        template = pending.pop()
        found |= meta.find_undeclared_variables(template) - tera.global_names(template)
        for name in _referenced(template):
            if name not in seen:
                seen.add(name)
                pending += _tree_of(env, name)
    return found - env.globals.keys() - _IMPLICIT


def _referenced(template: nodes.Template) -> Iterator[str]:
    return (name for name in meta.find_referenced_templates(template) if name is not None)


def _tree_of(env: PromptEnvironment, name: str) -> list[nodes.Template]:
    """The tree of an included template; an absent one is an error only when it is rendered."""
    assert env.loader is not None
    try:
        text = env.loader.get_source(env, name)[0]
    except TemplateNotFound:
        return []
    tree = env.parse(text, name)
    _check_names(env, tree, env.sources[name])
    return [tree]


def normalize_newlines(text: str) -> str:
    """LF for CRLF and CR, as Jinja reads them."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
