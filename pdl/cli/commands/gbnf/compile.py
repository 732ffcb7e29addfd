"""`pdl gbnf compile`: the grammar of a schema, and what it holds of each keyword."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from pdl.cli.options import schema_options
from pdl.cli.origin import named
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand
from pdl.errors import PromptError, visible
from pdl.gbnf import Grammar
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.compiling.forms import wrap
from pdl.gbnf.compiling.options import Escapes, KeyOrder, Numbers, Objects, Options, Whitespace

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.cli.origin import SchemaOrigin
    from pdl.cli.output import Output
    from pdl.cli.screen import Style
    from pdl.gbnf.compiling.options import Level, Report
    from pdl.schema import Schema

    Function = Callable[..., None]


_STYLES: dict[Level, Style] = {"EXACT": "hint", "BOUNDED": "note", "POST_HOC": "warning"}
_NOUNS: dict[Level, str] = {
    "EXACT": "held exactly",
    "BOUNDED": "bounded",
    "POST_HOC": "left to the checker",
}
_WIDEST = 48  # columns of a pointer; what is behind a longer one moves


def report_text(report: Report, screen: Screen) -> str:
    """A line for each keyword with its JSON pointer, its level and why, then how many there are."""
    entries = [replace(one, pointer=visible(one.pointer), why=visible(one.why)) for one in report]
    place = min(_WIDEST, max((len(one.pointer) for one in entries), default=0))
    word = max((len(one.keyword) for one in entries), default=0)
    lines = []
    for one in entries:
        start = screen.safe(f"{one.pointer:<{place}}  {one.keyword:<{word}}")
        level = screen.style(f"{one.level:<8}" if one.why else one.level, _STYLES[one.level])
        lines.append(f"{start}  {level}{f'  {screen.safe(one.why)}' if one.why else ''}")
    return "\n".join([*lines, summary(report)])


def summary(report: Report) -> str:
    """`12 keywords: 10 held exactly, 2 left to the checker`."""
    levels = [one.level for one in report]
    if not levels:
        return "no keywords"
    counts = [f"{levels.count(level)} {noun}" for level, noun in _NOUNS.items() if level in levels]
    return f"{len(levels):,} keyword{'s' * (len(levels) > 1)}: {', '.join(counts)}"


def left_over(report: Report) -> str:
    """What is to be said of a grammar that leaves something out; empty if there is nothing."""
    count = len(report.post_hoc)
    if not count:
        return ""
    verb = "keyword is" if count == 1 else "keywords are"
    return f"{count:,} {verb} left to the checker; --explain tells which"


def compiled_json(grammar: Grammar, report: Report) -> str:
    """The grammar's text, its root, and the report."""
    return json_document(
        {"ok": True, "grammar": str(grammar), "root": grammar.root, "report": report.to_json()}
    )


_EXAMPLES = (
    ("the grammar of a prompt's answer", "pdl gbnf compile person.pdl -o person.gbnf"),
    ("of a pydantic model, a dataclass …", "pdl gbnf compile --type app.models:Person"),
    ("what it holds of the schema", "pdl gbnf compile --json-schema order.json --explain"),
    ("for a model that thinks first", "pdl gbnf compile person.pdl --wrap '<think>…</think>'"),
    ("any spelling of the value", "pdl gbnf compile --dsl '{ n: int }' --preset accept"),
)
_PRESETS = {"generate": Options.generate, "accept": Options.accept}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def _spelling_options(function: Function) -> Function:
    """The options of `Options`, which a function takes as one `options`."""

    @functools.wraps(function)
    def bundled(preset: str, **others: Any) -> None:
        said = {name: others.pop(name) for name in _SPELLINGS}
        chosen = {name: value for name, value in said.items() if value is not None}
        function(options=replace(_PRESETS[preset](), **chosen), **others)

    for name, (choices, text) in reversed(_SPELLINGS.items()):
        option = f"--{name.replace('_', '-')}"
        bundled = click.option(option, type=click.Choice(get_args(choices)), help=text)(bundled)
    return _PRESET(bundled)


_SPELLINGS: dict[str, tuple[Any, str]] = {
    "whitespace": (
        Whitespace,
        (
            "compact: none. spaced: one blank behind each comma and colon. bounded: a blank, or a"
            " line break and an indentation, where one may expect them. any: wherever JSON has it."
        ),
    ),
    "objects": (
        Objects,
        (
            "spec: other keys wherever the schema does not close an object. closed: only where it"
            " opens one."
        ),
    ),
    "key_order": (KeyOrder, "declared: as in the schema, other keys last. any: each order."),
    "escapes": (Escapes, r"canonical: each character in one spelling. any: also \u0041 and \/."),
    "numbers": (
        Numbers,
        "canonical: no exponents and no needless zeros. plain: no exponents. any: all.",
    ),
}
_PRESET = click.option(
    "--preset",
    type=click.Choice(list(_PRESETS)),
    default="generate",
    show_default=True,
    help="generate: what one sends to a model, with few spellings of each value. accept: what any"
    " JSON text may look like. The five options below change one thing of it.",
)


def _template(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    r"""A template with `\n`, `\t` and `\\` as what they stand for."""
    if value is None:
        return None
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[0]), value)


@click.command(
    "compile",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Write the grammar of a schema.",
)
@schema_options
@_spelling_options
@click.option(
    "--wrap",
    "template",
    callback=_template,
    metavar="TEMPLATE",
    help="What stands in front of the answer, with … (or ...) for free text up to what follows:"
    r" '<think>…</think>', or '…</think>' if the prompt ends in the opening mark. \n is a line"
    " break; without one at the end the answer begins on a line of its own.",
)
@click.option("--optional-wrap", is_flag=True, help="The answer may also stand without --wrap.")
@click.option(
    "--strict", is_flag=True, help="Refuse a schema of which anything is left to the checker."
)
@click.option(
    "--explain",
    is_flag=True,
    help="Tell what became of each keyword, instead of the grammar; with --out, beside it.",
)
@out_option
@format_option(
    "an object with ok, grammar (the text), root, and report: for each keyword pointer, keyword,"
    " level (EXACT, BOUNDED or POST_HOC), why."
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    origin: SchemaOrigin,
    options: Options,
    template: str | None,
    optional_wrap: bool,
    strict: bool,
    explain: bool,
    output: Output,
    form: str,
) -> None:
    """Write the grammar (GBNF) of what satisfies a schema, for llama.cpp and its like.

    FILE is a prompt file; its values are needed only if its schema depends on them. What a grammar
    cannot hold of a schema is left to `pdl check`, and said on the standard error, always.
    --explain tells of each keyword whether the grammar holds it exactly (EXACT), takes less
    (BOUNDED), or takes more (POST_HOC).

    The exit code is 0, or 2 if the schema or an option is wrong, also if nothing satisfies the
    schema, and with --strict for each POST_HOC.
    """
    if optional_wrap and template is None:
        raise click.UsageError("--optional-wrap is about --wrap TEMPLATE, and there is none")
    compiled = _compiled(origin.required(), options, origin.name, strict=strict)
    grammar = compiled.grammar
    if template is not None:
        grammar = _wrapped(grammar, template, optional=optional_wrap)
    if form == "json":
        output.write(compiled_json(grammar, compiled.report))
        return
    if not explain or output.file is not None:
        output.write(str(grammar).removesuffix("\n"))
    if explain:
        screen = Screen.stdout()
        screen.write(report_text(compiled.report, screen))
    elif said := left_over(compiled.report):
        Screen.stderr().write(said)


def _compiled(schema: Schema, options: Options, name: str, *, strict: bool) -> Compiled:
    """The grammar of a schema. What is wrong is told with the name of the schema's file."""
    try:
        return compile_schema(schema, options, strict=strict)
    except PromptError as error:
        raise type(error)(*(named(error.problems, name) if name else error.problems)) from error


def _wrapped(grammar: Grammar, template: str, *, optional: bool) -> Grammar:
    try:
        rules = wrap(grammar.rules, template, optional=optional, root=grammar.root)
    except ValueError as error:
        raise click.UsageError(f"--wrap: {error}") from error
    return Grammar(rules, grammar.root)
