"""`pdl gbnf compile`: the grammar of a schema, and how it covers each keyword."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from pdl.cli.help import Command
from pdl.cli.inputs import with_name
from pdl.cli.options import combine, format_option, out_option, schema_options
from pdl.cli.terminal import Terminal
from pdl.errors import PromptError, visible
from pdl.gbnf import Grammar
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.compiling.options import Escapes, KeyOrder, Numbers, Objects, Options, Whitespace

if TYPE_CHECKING:
    from pdl.cli.inputs import SchemaInput
    from pdl.cli.output import Output
    from pdl.cli.terminal import Style
    from pdl.gbnf.compiling.options import Level, Report
    from pdl.schema import Schema


_STYLES: dict[Level, Style] = {"EXACT": "hint", "BOUNDED": "note", "POST_HOC": "warning"}
_NOUNS: dict[Level, str] = {
    "EXACT": "enforced exactly",
    "BOUNDED": "bounded",
    "POST_HOC": "not enforced",
}
_WIDEST = 48  # columns of a pointer; a longer one moves what follows


def _coverage(report: Report, terminal: Terminal) -> str:
    """A line per keyword with its JSON Pointer, its level, and the reason; then the counts."""
    entries = [replace(one, pointer=visible(one.pointer), why=visible(one.why)) for one in report]
    place = min(_WIDEST, max((len(one.pointer) for one in entries), default=0))
    word = max((len(one.keyword) for one in entries), default=0)
    lines = []
    for one in entries:
        start = terminal.safe(f"{one.pointer:<{place}}  {one.keyword:<{word}}")
        level = terminal.style(f"{one.level:<8}" if one.why else one.level, _STYLES[one.level])
        lines.append(f"{start}  {level}{f'  {terminal.safe(one.why)}' if one.why else ''}")
    return "\n".join([*lines, _summary(report)])


def _summary(report: Report) -> str:
    """The counts on one line: `12 keywords: 10 enforced exactly, 2 not enforced`."""
    levels = [one.level for one in report]
    if not levels:
        return "no keywords"
    counts = [f"{levels.count(level)} {noun}" for level, noun in _NOUNS.items() if level in levels]
    return f"{len(levels):,} keyword{'s' * (len(levels) > 1)}: {', '.join(counts)}"


_PRESETS = {"generate": Options.generate, "accept": Options.accept}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def _spelling(name: str, choices: Any, text: str) -> Any:
    return click.option(name, type=click.Choice(get_args(choices)), help=text)


_spelling_options = combine(
    click.option(
        "--preset",
        type=click.Choice(list(_PRESETS)),
        default="generate",
        show_default=True,
        help="generate: for a model, with few spellings of each value. accept: for any JSON. The"
        " next five options override parts of it.",
    ),
    _spelling(
        "--whitespace",
        Whitespace,
        "compact: none. spaced: one space after each comma and colon. bounded: a space, or a"
        " newline and an indentation, in the usual positions. any: wherever JSON allows it.",
    ),
    _spelling(
        "--objects",
        Objects,
        "spec: allow other keys unless the schema forbids them. closed: only if it allows them"
        " explicitly.",
    ),
    _spelling("--key-order", KeyOrder, "declared: as in the schema, other keys last. any: any."),
    _spelling(
        "--escapes",
        Escapes,
        r"canonical: one spelling for each character. usual: also what programs write, such as \/"
        r" and \u00e9. any: every spelling.",
    ),
    _spelling(
        "--numbers",
        Numbers,
        "canonical: no exponents, and no point in integers. plain: also 1.0 and -0. any: also"
        " exponents. usual: any for numbers, plain for integers, multiples, and enums.",
    ),
)


def _template(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    r"""A template where `\n`, `\t`, and `\\` are replaced."""
    if value is None:
        return None
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[0]), value)


@click.command(
    "compile",
    cls=Command,
    fields={
        "ok": "Whether the command succeeded.",
        "grammar": "The text of the grammar.",
        "root": "The root rule.",
        "report": "For each keyword an object with pointer, keyword, level (EXACT, BOUNDED, or"
        " POST_HOC), and why.",
    },
    exit_codes={
        0: "Done.",
        2: "The schema or an option is invalid, no value matches the schema, or --strict finds a"
        " keyword that is not enforced.",
    },
    examples=(
        ("the grammar of a prompt's answer", "pdl gbnf compile person.pdl -o person.gbnf"),
        ("of a pydantic model, a dataclass …", "pdl gbnf compile --type app.models:Person"),
        ("how it covers the schema", "pdl gbnf compile --json-schema order.json --explain"),
        ("for a reasoning model", "pdl gbnf compile person.pdl --wrap '<think>…</think>'"),
        ("every spelling of the value", "pdl gbnf compile --dsl '{ n: int }' --preset accept"),
    ),
    short_help="Compile a schema to a grammar.",
)
@schema_options
@_spelling_options
@click.option(
    "--wrap",
    "template",
    callback=_template,
    metavar="TEMPLATE",
    help="What precedes the answer, with … (or ...) for free text up to what follows it:"
    r" '<think>…</think>', or '…</think>' if the prompt ends with the opening tag. \n is a"
    " newline; without one at the end, the answer begins on its own line.",
)
@click.option("--optional-wrap", is_flag=True, help="Also allow the answer without --wrap.")
@click.option("--strict", is_flag=True, help="Refuse a schema that is not enforced completely.")
@click.option(
    "--explain",
    is_flag=True,
    help="Show how the grammar covers each keyword, instead of the grammar; with --out, also write"
    " the grammar.",
)
@out_option
@format_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    schema: SchemaInput,
    preset: str,
    template: str | None,
    optional_wrap: bool,
    strict: bool,
    explain: bool,
    output: Output,
    form: str,
    **spelling: Any,
) -> None:
    """Compile a schema to a grammar (GBNF) for llama.cpp and compatible engines.

    FILE is a prompt file; its values are needed only if its schema depends on them. Standard error
    reports if the grammar can't enforce the whole schema; `pdl check` checks the rest. --explain
    shows for each keyword whether the grammar enforces it exactly (EXACT), matches fewer values
    (BOUNDED), or matches more (POST_HOC).
    """
    if optional_wrap and template is None:
        raise click.UsageError("--optional-wrap requires --wrap TEMPLATE")
    chosen = {name: value for name, value in spelling.items() if value is not None}
    options = replace(_PRESETS[preset](), **chosen)
    compiled = _compiled(schema.required(), options, schema.name, strict=strict)
    grammar, report = compiled.grammar, compiled.report
    if template is not None:
        grammar = _wrapped(grammar, template, optional=optional_wrap)
    text = str(grammar)
    if form == "json" or not explain or output.file is not None:
        fields = {"grammar": text, "root": grammar.root, "report": report.to_json()}
        output.write_result(text.removesuffix("\n"), form, fields)
    if form == "json":
        return
    if explain:
        terminal = Terminal.stdout()
        terminal.write(_coverage(report, terminal))
    elif count := len(report.post_hoc):
        keywords = f"{count:,} keyword{'s' * (count > 1)}"
        hint = f"run with --explain to list {'them' if count > 1 else 'it'}"
        Terminal.stderr().write(f"the grammar can't enforce {keywords}; {hint}")


def _compiled(schema: Schema, options: Options, name: str, *, strict: bool) -> Compiled:
    """The grammar of a schema. Errors name the file of the schema."""
    try:
        return compile_schema(schema, options, strict=strict)
    except PromptError as error:
        raise type(error)(*with_name(error.problems, name)) from error


def _wrapped(grammar: Grammar, template: str, *, optional: bool) -> Grammar:
    from pdl.gbnf.compiling.forms import wrap  # noqa: PLC0415 - few grammars are wrapped

    try:
        rules = wrap(grammar.rules, template, optional=optional, root=grammar.root)
    except ValueError as error:
        raise click.UsageError(f"--wrap: {error}") from error
    return Grammar(rules, grammar.root)
