"""The page of the command line, made from click's commands."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click
from website.sources import cell

from pdl.cli.app import application
from pdl.cli.help import Command, LazyGroup

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HEAD = """\
# The command line

All commands of `pdl`, with their options, exit codes, and examples, as `pdl COMMAND --help` prints
them. They exit with 0 if all is well; the meaning of other codes is listed for each. Errors go to
standard error, each with its place; `pdl lint --format json` prints them as JSON, each with its
[code](errors.md).
"""


def page() -> str:
    """The page, as Markdown."""
    context = click.Context(application, info_name="pdl")
    return "\n".join([HEAD, *_sections(application, context, 2)])


def _sections(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    """The section of a command and, of a group, those of its commands."""
    if command is not application:
        yield f"{'#' * level} {context.command_path}\n"
    yield f"{_text(command)}\n"
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    yield f"```text\n{usage}\n```\n"
    options = (one.get_help_record(context) for one in command.params)
    yield _table("option", dict(one for one in options if one))
    if isinstance(command, Command):
        for heading, rows in command.lists:
            yield _table(heading, {str(key): words for key, words in rows.items()})
        lines = [f"# {purpose}\n{line}" for purpose, line in command.examples]
        yield f"```shell\n{chr(10).join(lines)}\n```\n" if lines else ""
    if isinstance(command, LazyGroup):
        yield _contents(command, context)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                under = level if command is application else level + 1
                yield from _sections(inner, click.Context(inner, context, name), under)


def _contents(group: LazyGroup, context: click.Context) -> str:
    """The commands of a group, each with a link to its section."""
    rows = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            path = f"{context.command_path} {name}"
            short = cell(command.get_short_help_str(100))
            rows.append(f"| [`{path}`](#{path.replace(' ', '-')}) | {short} |")
    return "\n".join(["| command | |", "|---|---|", *rows]) + "\n"


def _text(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "").replace("\b\n", "")


def _table(heading: str, rows: Mapping[str, str]) -> str:
    """A table of two columns, of which the first is code; nothing if it has no rows."""
    if not rows:
        return ""
    lines = [f"| {heading} | |", "|---|---|"]
    lines += [f"| `{cell(key)}` | {cell(value)} |" for key, value in rows.items()]
    return "\n".join(lines) + "\n"
