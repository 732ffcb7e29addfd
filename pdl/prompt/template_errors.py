"""Jinja's errors as pdl's, with the position in the author's file."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from jinja2.exceptions import SecurityError, TemplateNotFound, TemplateSyntaxError
from jinja2.runtime import Undefined
from jinja2.utils import missing

from pdl.errors import LimitError, PdlError, Problem, TemplateError, an_instance, did_you_mean
from pdl.prompt.files import shown
from pdl.prompt.printing import MarkerError, without_markers
from pdl.prompt.render_budget import (
    TOO_MANY_DIGITS,
    MissingName,
    OutputTooLargeError,
    OverLimitError,
    TooLargeError,
)
from pdl.prompt.scan import scan
from pdl.prompt.tags import (
    faulty,
    keyword_of,
    misplaced_place,
    mistake_of,
    opener_place,
    stray_bracket,
    word_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from jinja2 import Environment

    from pdl.prompt.sandbox import PromptEnvironment
    from pdl.prompt.scan import Piece
    from pdl.prompt.tags import Role
    from pdl.source import Source, Span

_TOKEN_WORDS = {
    "end of print statement": "`}}`",
    "end of statement block": "`%}`",
    "begin of print statement": "`{{`",
    "begin of statement block": "`{%`",
    "end of template": "the end of the file",
    "name": "a name",
    "string": "a quoted string",
    "integer": "a number",
}
_TAGS = frozenset(
    "if elif else endif for endfor set endset set_global macro endmacro call endcall include"  # noqa: SIM905
    " import from extends block endblock filter endfilter raw endraw with endwith break continue"
    " autoescape endautoescape".split()
)
_SLIPS = {
    "schema": "add a `<|schema|>` turn, or pass a schema of that name",
    "null": "write `none`",
    "nil": "write `none`",
    "undefined": "write `is undefined`, or `none`",
    "TRUE": "write `true`",
    "FALSE": "write `false`",
}
_PLACES = {
    "loop": "`loop` exists only inside a `for`",
    "caller": "`caller` exists only inside a macro that a `call` block calls",
    "super": "`super` exists only inside a block that replaces another",
}
_OPERATORS = {
    "&": "write `and`",
    "!": "write `not`",
    "?": "write `a if condition else b`",
    "`": "write strings in straight quotes",
    "$": "remove the `$`",
}
_OFTEN = 16  # of one code in a traceback; infinite recursion has ten times as many
_CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_FOREIGN = {
    "elseif": "did you mean `elif`?",
    "do": "templates only read data; assign a value with `set`",
}
_COMPARED = re.compile(r"expected token '(?:end of .*|[]),])', got '='$")
_ELSE = re.compile(r"else\s+\Z")
_NEAR = 40  # characters before a word
_CASES = (
    (re.compile(r"expected token '(.+?)', got '(.+)'$"), "expected {0}, found {1}"),
    (re.compile(r"unexpected '(.+)', expected '(.+)'$"), "expected {1}, found {0}"),
    (re.compile(r"Expected an expression, got '(.+)'$"), "expected an expression, found {0}"),
    (re.compile(r"tag name expected$"), "expected the name of a tag"),
    (re.compile(r"unexpected '(.+)'$"), "unexpected {0}"),
    (re.compile(r"unexpected char (.+) at \d+$"), "unexpected character {0}"),
)


def compile_problem(error: Exception, env: PromptEnvironment, main: Source) -> Problem | None:
    """Why a template does not compile; None for an error of another kind."""
    if isinstance(error, TemplateSyntaxError):
        source = env.sources.get(error.name, main)
        return syntax_problem(error.message or "", source, error.lineno, env)
    # A SyntaxError is of Python, on what Jinja generated: only its limits on nesting are left.
    if isinstance(error, (RecursionError, SyntaxError)):
        message = "the template nests its tags or parentheses too deeply"
        return Problem("limit/template-depth", message, main.span(0))
    if _is_of_digits(error):  # a constant that Jinja computed
        return Problem("limit/template", TOO_MANY_DIGITS, main.span(0))
    return None


def syntax_problem(message: str, source: Source, line: int, env: Environment) -> Problem:
    """Jinja's words for a syntax error on a line as a problem."""
    if found := re.match(r"No (filter|test) named '(\w+)'", message):
        return unknown_name(found[1], found[2], source, line, env)
    if found := re.match(r"Encountered unknown tag '(\w+)'", message):
        span = misplaced_place(source, line, found[1])
        return _unknown_tag(found[1], message, span or word_span(source, line, found[1]))
    if found := re.match(r"Unexpected end of .*?tags: (.*?)\. The innermost .* '(\w+)'", message):
        text = f"unclosed `{found[2]}`: expected {_listed(found[1])}"
        span = opener_place(source, found[2]) or line_span(source, line)
        return Problem("template/unclosed", text, span)
    if message.startswith("Missing end of comment tag"):
        at = next((one.start for one in scan(source.text) if not one.closed), 0)
        return _unclosed("{#", source.span(at, at + 2))
    if message.startswith("Missing end of raw directive"):
        span = word_span(source, line, "raw", "tag")
        return Problem("template/unclosed", "unclosed `raw`: expected `endraw`", span)
    tag = faulty(source, line, message)
    problem = tag_problem(source, tag) if tag is not None else None
    return problem or _mistaken(message, _mistake(source, line, message))


def tag_problem(source: Source, tag: Piece) -> Problem | None:
    """The syntax error of a tag that is read alone."""
    text = source.text
    if not tag.closed:
        opening = text[tag.start : tag.start + 2]
        if stray := stray_bracket(text, tag):
            said = f"expected `{_CLOSERS[opening]}`, found `{text[stray.start : stray.end]}`"
            return Problem("template/syntax", said, source.span(stray.start, stray.end))
        return _unclosed(opening, source.span(tag.start, tag.start + 2))
    mistake = mistake_of(text, tag, keyword_of(text, tag))
    if mistake is None:
        return None
    span = source.span(tag.start + mistake.start, tag.start + mistake.end)
    if found := re.match(r"Encountered unknown tag '(\w+)'", mistake.message):
        return _unknown_tag(found[1], mistake.message, span)
    return _mistaken(mistake.message, span)


def _unclosed(opening: str, span: Span) -> Problem:
    text = f"unclosed `{opening}`: expected `{_CLOSERS[opening]}`"
    return Problem("template/unclosed", text, span)


def _mistaken(message: str, span: Span) -> Problem:
    """What Jinja did not expect there."""
    if message.startswith(("unexpected char '\"'", 'unexpected char "\'"')):
        return Problem("template/unclosed", "unclosed quoted string", span)
    character = re.match(r"unexpected char '(.)'", message)
    hint = _OPERATORS.get(character[1], "") if character else ""
    if _COMPARED.match(message):
        hint = "write `==` to compare"
    text = span.source.text
    if message.endswith("got 'if'") and (found := _ELSE.search(text[: span.start][-_NEAR:])):
        span = span._replace(start=span.start - len(found[0]))
        hint = "write `elif`"
    return Problem("template/syntax", _reworded(message), span, hint)


def _unknown_tag(tag: str, message: str, span: Span) -> Problem:
    expected = re.search(r"looking for (?:the following tags: )?('.*?)\. The innermost", message)
    hint = f"expected {_listed(expected[1])}" if expected else ""
    if tag in _TAGS:
        return Problem("template/misplaced-tag", f"`{tag}` is not allowed here", span, hint)
    hint = _FOREIGN.get(tag) or did_you_mean(tag, _TAGS) or hint
    return Problem("template/unknown-tag", f"unknown tag `{tag}`", span, hint)


def unknown_name(kind: str, name: str, source: Source, line: int, env: Environment) -> Problem:
    """A filter or a test that does not exist."""
    is_filter = kind == "filter"
    known = env.filters if is_filter else env.tests
    hint = did_you_mean(name, (each for each in known if not each.startswith("_")))
    span = word_span(source, line, name, "filter" if is_filter else "test")
    code = "template/unknown-filter" if is_filter else "template/unknown-test"
    return Problem(code, f"unknown {kind} `{name}`", span, hint)


def _reworded(message: str) -> str:
    for pattern, words in _CASES:
        if found := pattern.match(message):
            said = words.format(*(_token(group) for group in found.groups()))
            return said.replace("unexpected the ", "unexpected ")
    text = message[:1].lower() + message[1:].rstrip(".")
    return text.replace("'", "`")


def _token(name: str) -> str:
    return _TOKEN_WORDS.get(name) or (name if name.startswith("'") else f"`{name}`")


def _listed(tags: str) -> str:
    return tags.replace("'", "`")


def _mistake(source: Source, line: int, message: str) -> Span:
    found = re.search(r"got '(.+?)'$|unexpected '(.+?)'|unexpected char '(.)'", message)
    word = next((group for group in found.groups() if group), "") if found else ""
    return word_place(source, line, word) or line_span(source, line)


def word_span(source: Source, line: int, word: str, *roles: Role) -> Span:
    """A word in a tag on a line, preferably in such a role, a variable's; else the whole line."""
    return (
        word_place(source, line, word, *(roles or ("variable",)))
        or word_place(source, line, word)
        or word_place(source, line, word, "string")
        or line_span(source, line)
    )


def line_span(source: Source, line: int) -> Span:
    """A line without surrounding whitespace."""
    start = source.offset(line)
    text = source.line(source.position(start)[0])
    indent = len(text) - len(text.lstrip())
    return source.span(start + indent, start + max(len(text.rstrip()), indent + 1))


def render_problem(error: BaseException, env: PromptEnvironment, main: Source) -> Problem | None:
    """What stopped a rendering; None for an error that the template did not cause."""
    if isinstance(error, TemplateSyntaxError):
        return compile_problem(error, env, main)
    failed_at = _failed_at(error.__traceback__, env, main)
    if failed_at is None and isinstance(error, (OverLimitError, TooLargeError)):
        failed_at = main, 1  # all pieces together are too much, but none of them alone
    if failed_at is None:
        return None
    source, line = failed_at
    span = line_span(source, line)
    if isinstance(error, TemplateNotFound):
        reason = error.message if error.message != error.name else "it was not found"
        message = f"cannot include `{shown(without_markers(str(error.name)))}`: {reason}"
        return Problem("template/include", without_markers(message), span)
    code, message, hint = _failure(error)
    return Problem(code, without_markers(message), span, hint)


def _failure(error: BaseException) -> tuple[str, str, str]:
    """The code, the message and the hint for an error that an expression raised."""
    if isinstance(error, (OverLimitError, TooLargeError)):
        is_fixed = not isinstance(error, (OverLimitError, OutputTooLargeError))
        hint = "make it smaller" + ("" if is_fixed else ", or pass other `pdl.Limits`")
        return "limit/template", str(error), hint
    if isinstance(error, MarkerError):
        return "template/mark", str(error), ""
    if isinstance(error, RecursionError):
        return _recursion(error)
    if isinstance(error, (MemoryError, OverflowError)) or _is_of_digits(error):
        message = TOO_MANY_DIGITS if _is_of_digits(error) else "this would build too much"
        return "limit/template", message, ""
    if isinstance(error, SecurityError):
        return "template/forbidden", f"the sandbox refuses this: {error}", ""
    return "template/failed", f"this failed: {_described(error)}", ""


def _is_of_digits(error: BaseException) -> bool:
    """Whether Python refuses to write or to read a number of some thousand digits."""
    return isinstance(error, ValueError) and "integer string conversion" in str(error)


def _recursion(error: RecursionError) -> tuple[str, str, str]:
    if _repeats(error.__traceback__):
        return "limit/recursion", "a macro, an include or a loop calls itself too often", ""
    return "limit/value-depth", "a value nests too deeply", ""


def _repeats(trace: TracebackType | None) -> bool:
    """Whether code of a template occurs in a traceback so often that it calls itself."""
    codes: Counter[object] = Counter()
    while trace is not None:
        if "__jinja_template__" in trace.tb_frame.f_globals:
            codes[trace.tb_frame.f_code] += 1
        trace = trace.tb_next
    return max(codes.values(), default=0) > _OFTEN


def _described(error: BaseException) -> str:
    from_template = type(error).__module__.startswith("jinja2")
    try:
        return str(error) if from_template else f"{type(error).__name__}: {error}"
    except MarkerError as inner:  # captured text has no repr
        return str(inner)


def _failed_at(
    trace: TracebackType | None, env: PromptEnvironment, main: Source
) -> tuple[Source, int] | None:
    """The innermost line of a template that the traceback goes through."""
    found = None
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(trace.tb_lineno)
            found = env.sources.get(template.name, main), line
        trace = trace.tb_next
    return found


def missing_problems(
    names: Iterable[MissingName], env: PromptEnvironment, main: Source, values: Mapping[str, Any]
) -> list[Problem]:
    """One problem for each undefined name and line, in the order in which they were met."""
    problems: dict[tuple[str | None, int, str], Problem] = {}
    for met in names:
        name = met._replace(path=without_markers(met.path), reason=without_markers(met.reason))
        key = (name.template, name.line, name.path)
        if key not in problems:
            source = env.sources.get(name.template, main)
            problems[key] = _missing_problem(name, source, values)
    return list(problems.values())


def _missing_problem(name: MissingName, source: Source, values: Mapping[str, Any]) -> Problem:
    first = re.split(r"[.\[]", name.path)[0]
    is_variable = isinstance(name.owner, Undefined) or name.owner is missing
    roles: tuple[Role, ...] = () if is_variable else ("attribute", "key")
    span = word_span(source, name.line, first, *roles)
    if "unsafe" in name.reason:
        hint = "templates can only read data; they can't change it or access Python internals"
        return Problem("template/forbidden", name.reason.rstrip("."), span, hint)
    if name.reason:
        return Problem("template/undefined", name.reason.rstrip("."), span)
    if is_variable:
        hint = _SLIPS.get(first) or _PLACES.get(first) or did_you_mean(first, values)
        if not hint and values:
            hint = f"available values: {_names(values)}"
        elif not hint:
            hint = f"pass it with `--set {first}=…` or `{render_call(first)}`"
        return Problem("template/undefined", f"`{first}` is undefined", span, hint)
    kind = "an object" if isinstance(name.owner, dict) else an_instance(type(name.owner))
    keys = (
        [key for key in name.owner if isinstance(key, str)] if isinstance(name.owner, dict) else []
    )
    hint = did_you_mean(first, keys) or (f"its keys are {_names(keys)}" if keys else "")
    message = f"`{first}` is undefined: {kind} has no such key"
    return Problem("template/undefined", message, span, hint)


def render_call(name: str) -> str:
    """How to pass a value of that name; the arguments of `render` have names of their own."""
    return f'render({{"{name}": …}})' if name in ("strict", "prefill") else f"render({name}=…)"


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""  # noqa: PLR2004
    return ", ".join(f"`{name}`" for name in listed[:8]) + more


def type_of(code: str) -> type[PdlError]:
    """The class of error for a problem of a template."""
    return LimitError if code.startswith("limit/") else TemplateError
