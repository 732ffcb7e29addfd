"""A template: parsed once, its turns known without data, rendered to text with markers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateNotFound, TemplateSyntaxError, meta, nodes
from jinja2.ext import LoopControlExtension
from jinja2.loaders import BaseLoader

from pdl import schema as schemas
from pdl.errors import LimitError, Problem, PromptError, TemplateError
from pdl.prompt import filters, tera
from pdl.prompt.markers import SCHEMA_PLACEHOLDER, Markers
from pdl.prompt.outline import (
    Branches,
    Item,
    Outline,
    all_turns,
    bodies_of,
    depends_on_data,
    descendants,
    expanded,
    may_hold,
    outline_of,
)
from pdl.prompt.printing import shows_markers
from pdl.prompt.render_budget import BUDGET, RenderBudget, TooManyMissingError, concat
from pdl.prompt.sandbox import PromptEnvironment
from pdl.prompt.turns import SENT, Turn, mapped_source
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import jinja2
    from jinja2.compiler import Frame

    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.prompt.references import Types
    from pdl.prompt.scan import Kind
    from pdl.schema import Schema

# Modules for errors, for files and for inputs are imported when they are needed.
# ruff: noqa: PLC0415


_ELIFS = 500
_REPEATED = 5_000_000  # characters of files that are included again
_parsed: Callable[..., Schema] = lru_cache(maxsize=64)(schemas.Schema.parse)  # often the same
_AGAIN = 50  # characters that a file costs at least: even an empty one takes time
_IMPLICIT = frozenset({"self", "super", "caller", "varargs", "kwargs", "loop", tera.GLOBALS})


class Loader(BaseLoader):
    """Finds included templates in the prompt's directory."""

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Read a template of the folder once, or raise TemplateNotFound with the reason.

        What is rendered, what is known of it, and its fingerprint are then of the same text.
        """
        assert isinstance(environment, PromptEnvironment)
        known = environment.sources.get(template)
        if known is not None:
            return known.text, known.name, lambda: True
        if environment.folder is None:
            raise TemplateNotFound(template, "this prompt was loaded from text, without `base`")
        from pdl.prompt.files import JailError

        try:
            text = environment.folder.read(template, environment.limits.source_chars).decode(
                "utf-8-sig"
            )
        except JailError as error:
            raise TemplateNotFound(template, str(error)) from error
        except UnicodeDecodeError as error:
            raise TemplateNotFound(template, f"`{template}` is not UTF-8") from error
        source = Source(normalize_newlines(text), environment.folder.name_of(template))
        environment.sources[template] = source
        return source.text, source.name, lambda: True


@dataclass(frozen=True)
class Template:
    """A compiled template; `variables` are the names that it reads, in alphabetical order."""

    source: Source
    environment: PromptEnvironment = field(repr=False)
    compiled: jinja2.Template | None = field(repr=False)
    variables: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    """Turns that are lost, in this template and those that it certainly includes."""

    @property
    def markers(self) -> Markers:
        """The markers in what this template renders."""
        return self.environment.markers

    @cached_property
    def tree(self) -> nodes.Template:
        """The syntax tree of its source."""
        return self.environment.parse(self.source.text)

    @cached_property
    def outline(self) -> Outline:
        """The turns of its own text; what it includes is not known."""
        return outline_of(self.tree.body, self.markers)

    @cached_property
    def _items(self) -> list[Item]:
        if "include" not in self.source.text:
            return self.outline.items
        body = expanded(self.tree.body, _Repeated(self.environment))
        try:
            return outline_of(body, self.markers).items
        except RecursionError as error:
            message = "the template includes files that include others, too deeply"
            problem = Problem("limit/template-depth", message, self.source.span(0))
            raise LimitError(problem) from error

    def check_expansion(self) -> None:
        """Raise LimitError if it includes files too often or too deeply to know its turns."""
        self._items  # noqa: B018  (it is made for its errors)

    @cached_property
    def misplaced_schema(self) -> list[Turn]:
        """The turns that print `{{ schema }}` and are not messages."""
        turns = (turn for turn in all_turns(self._items) if SCHEMA_PLACEHOLDER in turn.raw)
        return [turn for turn in turns if turn.role not in SENT]

    @cached_property
    def constant_schema(self) -> tuple[bool, Schema | None]:
        """Whether the schema is the same for all data, and if so, that schema, if there is one.

        Raises SchemaError or LimitError if it is invalid.
        """
        env = self.environment
        sources = self.constant_turns("schema")
        if sources is None or len(sources) > 1:
            return False, None
        if not sources:
            return True, None
        return True, parse_schema(sources[0], env.folder, env.limits, env.types)

    def constant_turns(self, role: str) -> list[Source] | None:
        """Return the texts of the turns of a role if they are the same for all data, else None."""
        branches = (item for item in self._items if isinstance(item, Branches))
        hidden = any(may_hold(item, role) for item in branches)
        return None if hidden else self.certain_turns(role)

    def certain_turns(self, role: str) -> list[Source] | None:
        """Return the texts of the turns of a role that are rendered whatever the data are.

        None if one of these texts depends on data.
        """
        turns = [item for item in self._items if isinstance(item, Turn) and item.role == role]
        if any(depends_on_data(turn) for turn in turns):
            return None
        return [mapped_source(turn.raw, self.markers, self.source.name) for turn in turns]

    def pieces(self) -> list[tuple[int, str, Kind | None]]:
        """Return the stretches of its own text: offset, text, and the kind of what is after it."""
        from pdl.prompt.scan import followed

        return followed(self.source.text)

    def render(self, values: dict[str, Any]) -> str:
        """Return the text with markers. Raises TemplateError for all undefined names together."""
        env = self.environment
        budget = RenderBudget(env.limits)
        token = BUDGET.set(budget)
        try:
            assert self.compiled is not None  # it is, unless the template was only checked
            text = concat(self.compiled.root_render_func(self.compiled.new_context(values)))
        except TooManyMissingError:
            text = ""
        except (Exception, SystemExit) as error:  # code of a value may try to end the program
            from pdl.prompt import template_errors as errors

            problem = errors.render_problem(error, env, self.source)
            if problem is None:
                raise
            raised = errors.type_of(problem.code)(
                *errors.missing_problems(budget.missing, env, self.source, values), problem
            )
            raise raised from None if shows_markers(error) else error
        finally:
            BUDGET.reset(token)
        if budget.missing:
            from pdl.prompt import template_errors as errors

            raise TemplateError(*errors.missing_problems(budget.missing, env, self.source, values))
        return text


def compile_template(
    source: Source,
    folder: Folder | None,
    limits: Limits,
    types: Types,
    noted: list[Problem] | None = None,
) -> Template:
    """Parse and compile a template. Raises TemplateError, or LimitError if it nests too deeply.

    Unknown filters and tests, and included files that don't parse, are added to `noted` if it is a
    list. Such a template is read, but cannot be rendered; what only compiling finds is still found.
    """
    env = _environment(source, folder, limits)
    env.types = types
    env.noted = noted
    try:
        tree = env.parse(source.text)
        _check_names(env, tree, source)
        trees = _trees(env, tree)
        if noted:
            _permit_names(env, trees)
        variables = tuple(sorted(_variables(env, trees)))
        compiled = None
        if noted is None or not _is_shallow(source.text):
            compiled = env.from_string(tree)
    except PromptError:
        raise
    except Exception as error:
        from pdl.prompt import template_errors as errors

        problem = errors.compile_problem(error, env, source)
        if problem is None:
            raise
        raise errors.type_of(problem.code)(problem) from error
    lost = tuple(problem for each in trees for problem in _lost_turns(each, env.markers))
    made = Template(source, env, compiled, variables, lost)
    if compiled is None:
        made.__dict__["tree"] = tree  # compiling would have changed it
    return made


def _environment(source: Source, folder: Folder | None, limits: Limits) -> PromptEnvironment:
    env = PromptEnvironment(
        Markers(),
        limits,
        folder,
        loader=Loader(),
        cache_size=-1,  # a template that is compiled again would get new markers
        extensions=[tera.TeraTags, LoopControlExtension],
    )
    env.filters.update(filters.FILTERS)
    env.filters |= {tera.PAIRS: tera.pairs, tera.LOOPED: tera.looped}
    env.tests.update(filters.TESTS)
    env.globals.update(filters.FUNCTIONS)
    env.sources[None] = source
    return env


def _is_shallow(text: str) -> bool:
    from pdl.prompt.scan import is_shallow

    return is_shallow(text)


def _check_names(env: PromptEnvironment, tree: nodes.Template, source: Source) -> None:
    """Refuse unknown filters and tests, which Jinja would notice only when it reaches them."""
    unknown: list[tuple[str, str, Source, int, PromptEnvironment]] = []
    for node in descendants(tree, (nodes.If, nodes.Filter, nodes.Test)):
        if isinstance(node, nodes.Filter) and node.name not in env.filters:
            unknown.append(("filter", node.name, source, node.lineno, env))
        elif isinstance(node, nodes.Test) and node.name not in env.tests:
            unknown.append(("test", node.name, source, node.lineno, env))
        elif isinstance(node, nodes.If) and len(node.elif_) > _ELIFS:
            # Jinja needs memory for the square of their number
            message = f"this `if` has more than {_ELIFS} `elif`s"
            from pdl.prompt.template_errors import word_span

            span = word_span(source, node.lineno, "if", "tag")
            raise LimitError(Problem("limit/template", message, span))
    if unknown:
        from pdl.prompt import template_errors as errors

        problems = [errors.unknown_name(*each) for each in unknown]
        if env.noted is None:
            raise TemplateError(*problems)
        env.noted += problems


def _permit_names(env: PromptEnvironment, trees: Iterable[nodes.Template]) -> None:
    """Let Jinja compile unknown filters and tests, once all of them are noted."""
    for tree in trees:
        for node in descendants(tree, (nodes.Filter, nodes.Test)):
            known: dict[str, Any] = env.filters if isinstance(node, nodes.Filter) else env.tests
            known.setdefault(node.name, str)


def _trees(env: PromptEnvironment, tree: nodes.Template) -> list[nodes.Template]:
    """The trees of a template and of those that it certainly includes."""
    found = [tree]
    seen: set[str] = set()
    for template in found:
        for name in _referenced(template):
            if name not in seen:
                seen.add(name)
                found += _tree_of(env, name)
    return found


def _variables(env: PromptEnvironment, trees: Iterable[nodes.Template]) -> set[str]:
    """The names that templates look up in the data."""
    found: set[str] = set()
    for tree in trees:
        generator = _Unresolved(env)
        generator.optimizer = None  # what it computes would replace nodes of the tree
        generator.visit(tree)
        found |= generator.undeclared_identifiers - tera.global_names(tree)
    return found - env.globals.keys() - _IMPLICIT


class _Unresolved(meta.TrackingCodeGenerator):
    """Finds the names that no statement defines, as `jinja2.meta.find_undeclared_variables` does.

    It notes the names of whole frames, so that what is printed in them need not be looked at.
    """

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        """Write nothing."""


def _lost_turns(template: nodes.Template, markers: Markers) -> Iterator[Problem]:
    """Turns outside the blocks of a template that extends another; `input` is read all the same."""
    at = next((at for at, node in enumerate(template.body) if isinstance(node, nodes.Extends)), -1)
    if at < 0:
        return
    blocks = (nodes.Block, nodes.AssignBlock, nodes.CallBlock)
    bodies = [body for node in descendants(template, blocks) for body in bodies_of(node)]
    kept = {turn.marker for body in bodies for turn in all_turns(outline_of(body, markers).items)}
    turns = all_turns(outline_of(template.body[at + 1 :], markers).items)
    for turn in (each for each in turns if each.role != "input" and each.marker not in kept):
        message = "this turn is lost: the file extends another, and only its blocks are rendered"
        hint = "move it into a block, or into the file that is extended"
        yield Problem("turn/outside-block", message, markers.span(turn.marker), hint)


def _referenced(template: nodes.Template) -> Iterator[str]:
    return (name for name in meta.find_referenced_templates(template) if name is not None)


def _tree_of(env: PromptEnvironment, name: str) -> list[nodes.Template]:
    """The tree of an included template; an absent one is an error only when it is rendered."""
    assert env.loader is not None
    try:
        text = env.loader.get_source(env, name)[0]
    except TemplateNotFound:
        return []
    try:
        tree = env.parse(text, name)
    except TemplateSyntaxError as error:
        if env.noted is None:
            raise
        from pdl.prompt.template_errors import compile_problem

        env.noted += filter(None, [compile_problem(error, env, env.sources[name])])
        return []
    _check_names(env, tree, env.sources[name])
    return [tree]


class _Repeated:
    """Reads the trees of included files. Raises LimitError if files are included too often.

    Files that include others many times, which do so as well, would take forever to expand.
    """

    def __init__(self, env: PromptEnvironment) -> None:
        self.env = env
        self.trees: dict[str, list[nodes.Template]] = {}
        self.left = _REPEATED

    def __call__(self, name: str) -> list[nodes.Template]:
        if name not in self.trees:
            self.trees[name] = _tree_of(self.env, name)
        elif self.trees[name]:
            source = self.env.sources[name]
            self.left -= len(source.text) + _AGAIN
            if self.left < 0:
                message = "files are included too often to know the turns of the prompt"
                hint = "include this file in a loop, or in fewer places"
                raise LimitError(Problem("limit/template", message, source.span(0), hint))
        return self.trees[name]


def normalize_newlines(text: str) -> str:
    """LF for CRLF and CR, as Jinja reads them."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def source_of(text: str, name: str) -> Source:
    """The text that offsets of a prompt refer to: without its byte order mark, lines end in LF."""
    return Source(normalize_newlines(text.removeprefix("\ufeff")), name)


def parse_schema(source: Source, folder: Folder | None, limits: Limits, types: Types) -> Schema:
    """Return the schema of a turn. Raises SchemaError or LimitError."""
    if not source.text.lstrip("\ufeff \t\r\n").startswith("@"):
        return _parsed(source, limits=limits)
    from pdl.prompt.references import read_reference

    return read_reference(source, folder, limits, types)
