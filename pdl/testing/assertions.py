"""Assertions: expressions of Jinja in the sandbox of prompts, with its limits.

An expression is compiled as a template that prints whether it is true, so that its errors are those
of templates, at their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined, nodes

from pdl.errors import CasesError, PdlError, Problem, TemplateError, did_you_mean, error_from
from pdl.limits import DEFAULT_LIMITS
from pdl.prompt.filters import FILTERS
from pdl.prompt.render_budget import is_container, is_iterator, one_clock, watched
from pdl.prompt.sandbox import StrictUndefined
from pdl.prompt.template import compile_template
from pdl.source import Anchor, Source
from pdl.testing.differences import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pdl._types import Json
    from pdl.prompt.template import Template
    from pdl.testing.cases import Assertion

NAMES = (
    *("value", "text", "data", "messages", "repairs", "attempts", "usage", "seconds"),
    *("calls", "reason", "errors", "feedback"),
)
"""The names that an assertion can read."""

_TRUTH = "pdl_truth"
_READABLE = frozenset({*NAMES, _TRUTH})
_BEFORE, _AFTER = f"{{{{ {_TRUTH}((", ")) }}"
_SET = re.compile(r"set\s+\w+\s*=(?!=)|\w+\s*=(?!=)")
_TRUE, _NO_VALUE = "1", "?"
_LAZY = frozenset(
    [
        *("batch", "map", "reject", "rejectattr", "reverse"),
        *("select", "selectattr", "slice", "unique"),
    ]
)
_MOST = 6  # names whose values are told


class _Absent(StrictUndefined):
    """A name that doesn't exist: also an error where it is only tested for truth.

    A misspelled name in `not value.refund` would otherwise hold for ever.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        str(self)
        return False

    def __getattr__(self, name: str) -> Any:
        return _absent(super().__getattr__(name))

    def __getitem__(self, key: object) -> Any:
        return _absent(super().__getitem__(key))


def _absent(undefined: StrictUndefined) -> _Absent:
    return _Absent(
        undefined._undefined_hint,  # noqa: SLF001
        undefined._undefined_obj,  # noqa: SLF001
        undefined._undefined_name,  # noqa: SLF001
    )


def check_assertion(source: Source) -> None:
    """Raise PdlError for a text that is not an expression, or reads a name that doesn't exist."""
    template = _compiled(source)
    problems = [_unknown(source, one) for one in template.variables if one not in _READABLE]
    if problems:
        raise error_from(problems)


def _unknown(source: Source, name: str) -> Problem:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", source.text)
    span = source.span(*found.span()) if found else source.span(0, len(source.text))
    hint = did_you_mean(name, NAMES) or f"the names are {', '.join(f'`{one}`' for one in NAMES)}"
    return Problem("template/undefined", f"`{name}` is undefined", span, hint)


def failed_assertions(
    assertions: Sequence[Assertion], values: Mapping[str, Json]
) -> Iterator[Problem]:
    """Yield what is wrong with those that aren't true; they share the time of one rendering."""
    with one_clock(DEFAULT_LIMITS):
        for one in assertions:
            yield from assertion_problems(one, values)


def assertion_problems(assertion: Assertion, values: Mapping[str, Json]) -> tuple[Problem, ...]:
    """Return what is wrong if an assertion isn't true of the values of `NAMES`; else nothing."""
    source = assertion.source
    try:
        found = _compiled(source).render(dict(values)).strip()
    except PdlError:
        try:  # again, at its own place: the compiled one is shared by equal assertions
            _template(source).render(dict(values))
        except PdlError as error:
            return tuple(_about_usage(one, source, values) for one in error.problems)
        return ()
    if found == _TRUE:
        return ()
    span = source.span(0, len(source.text))
    if found:
        hint = "call a function or a method with `()`, and compare what it returns"
        return (Problem("test/assert", "this is not a value", span, hint),)
    facts = [f"`{path}` is {shown(value)}" for path, value in _facts(source, values)]
    return (Problem("test/assert", "this is not true", span, ", ".join(facts[:_MOST])),)


def _about_usage(problem: Problem, source: Source, values: Mapping[str, Json]) -> Problem:
    """The problem of an expression that computes with counts of tokens that nobody told."""
    if problem.code != "template/failed" or "NoneType" not in problem.message:
        return problem
    unknown = [
        path for path, value in _facts(source, values) if value is None and path[:6] == "usage."
    ]
    if not unknown:
        return problem
    message = f"`{unknown[0]}` is unknown: the reply on record has no such count of tokens"
    hint = "record replies in a file of JSON Lines, which have them in `usage`"
    return replace(problem, message=message, hint=hint)


def _compiled(source: Source) -> Template:
    """The template of an expression. Raises PdlError with its place."""
    try:
        return _cached(source.text)
    except PdlError:
        _template(source)
        raise


@lru_cache(maxsize=4_096)
def _cached(text: str) -> Template:
    return _template(Source(text))


def _template(source: Source) -> Template:
    start = len(_BEFORE)
    _check_form(source)
    size = len(source.text)
    anchors = (Anchor(0, 0, source, 0), Anchor(start, size, source, 0, begins_line=True))
    wrapped = Source(f"{_BEFORE}{source.text}{_AFTER}", source.name, anchors)
    try:
        template = compile_template(wrapped, None, DEFAULT_LIMITS, types=False)
    except TemplateError as error:
        raise error_from([_at_end(one, source) for one in error.problems]) from error
    if not _is_one(template.tree.body):
        message = "this is not one expression"
        hint = "write one in each line; a line that is indented more continues the one above"
        raise CasesError(Problem("test/expression", message, source.span(0, size), hint))
    template.environment.globals[_TRUTH] = _truth
    template.environment.filters |= _LISTING
    template.environment.undefined = _Absent
    return template


def _check_form(source: Source) -> None:
    """Raise CasesError for what is written as in a template."""
    text = source.text.strip()
    is_set = _SET.match(text) is not None
    if text.startswith(("{{", "{%")) or is_set:
        message = "an assertion is an expression, without braces"
        if is_set:
            message = "an assertion is an expression, and sets nothing"
        hint = "write what must be true, such as `value.stars == 1`"
        span = source.span(0, len(source.text))
        raise CasesError(Problem("test/expression", message, span, hint))


def _at_end(problem: Problem, source: Source) -> Problem:
    """The problem of an expression; what it says of the end is said of the expression's own."""
    text, location = source.text, problem.location
    end = source.span(len(text)).origin().start
    if problem.code != "template/syntax" or location is None or location.start < end:
        return problem
    closed = text.count(")") > text.count("(")
    message = "there is a `)` too many" if closed else "this expression is incomplete"
    return replace(problem, message=message)


def _truth(value: object) -> str:
    """What an expression prints: `1` if it is true, `?` for what is not a value."""
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, Iterator):
        value = list(watched(value))
    if value is None or isinstance(value, (str, int, float, range)) or is_container(value):
        return _TRUE if value else ""
    return _NO_VALUE


def _listing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that returns its items at once, since an iterator is true even without items."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        return list(watched(found)) if is_iterator(found) else found

    return call


_LISTING = {name: _listing(one) for name, one in FILTERS.items() if name in _LAZY}


def _call(body: list[nodes.Node]) -> nodes.Call | None:
    """The call that the template of an expression consists of."""
    printed = body[0] if len(body) == 1 else None
    parts = printed.nodes if isinstance(printed, nodes.Output) else []
    return parts[0] if len(parts) == 1 and isinstance(parts[0], nodes.Call) else None


def _is_one(body: list[nodes.Node]) -> bool:
    call = _call(body)
    if call is None or len(call.args) != 1 or isinstance(call.args[0], nodes.Tuple):
        return False
    return not call.kwargs and call.dyn_args is None and call.dyn_kwargs is None


def _facts(source: Source, values: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """The names in an expression, with what follows their dots, and their values."""
    seen: set[str] = set()
    pending: list[nodes.Node] = list(_template(source).tree.body)
    while pending:
        node = pending.pop(0)
        path = _path(node)
        if path and path[0] in values:
            found = _followed(path, values)
            if found is not None and found[0] not in seen:
                seen.add(found[0])
                yield found
            continue
        pending[:0] = node.iter_child_nodes()


def _path(node: nodes.Node) -> tuple[str | int, ...]:
    """`value.items[0]` as a path; empty for a node of another kind."""
    steps: list[str | int] = []
    while not isinstance(node, nodes.Name):
        if isinstance(node, nodes.Getattr):
            steps.append(node.attr)
        elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
            steps.append(node.arg.value)
        else:
            return ()
        node = node.node
    return (node.name, *reversed(steps))


def _followed(path: tuple[str | int, ...], values: Mapping[str, Json]) -> tuple[str, Json] | None:
    """What a path leads to, without the steps that lead nowhere, such as methods."""
    name, value = str(path[0]), values[str(path[0])]
    for step in path[1:]:
        try:
            value = value[step]
        except (LookupError, TypeError):
            break
        name += f"[{step}]" if isinstance(step, int) else f".{step}"
    return name, value
