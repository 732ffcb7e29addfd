"""`pdl gbnf generate`: strings that a grammar matches, and near misses."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import grammar_options
from pdl.cli.help import Command
from pdl.cli.options import format_option, out_option
from pdl.cli.output import json_document
from pdl.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl.cli.grammars import GrammarInput
    from pdl.cli.output import Output
    from pdl.gbnf import Grammar


_RANDOM = ("random", "near_misses")
_MANY = ("in_order", "near_misses")
_DEFAULT_COUNT = 10
_DEFAULT_SIZE = 200
_SEEDS = 1_000_000


@click.command(
    "generate",
    cls=Command,
    fields={"[]": "A list of strings."},
    exit_codes={0: "Done.", 2: "The grammar or an option is invalid, or nothing matches."},
    examples=(
        ("five strings, different ones each time", "pdl gbnf generate person.gbnf -n 5"),
        ("the same ones each time", "pdl gbnf generate person.gbnf -n 5 --seed 7"),
        ("the shortest, then the next ones", "pdl gbnf generate person.gbnf --in-order -n 20"),
        ("what a parser must refuse", "pdl gbnf generate person.gbnf --near-misses --format json"),
    ),
    short_help="Generate strings that a grammar matches.",
)
@grammar_options
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"How many strings. Default: 1, or {_DEFAULT_COUNT} with --in-order or --near-misses.",
)
@click.option(
    "--seed", type=int, metavar="NUMBER", help="Generate the same strings for the same number."
)
@click.option(
    "--size",
    type=click.IntRange(min=0),
    metavar="CHARACTERS",
    help="Length limit of random strings, if the grammar matches any as short."
    f" Default: {_DEFAULT_SIZE}.",
)
@click.option("--shortest", is_flag=True, help="Generate the shortest string.")
@click.option("--in-order", is_flag=True, help="Generate all strings, the shortest first.")
@click.option(
    "--near-misses", is_flag=True, help="Generate strings that one edit keeps from matching."
)
@out_option
@format_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    grammar: GrammarInput,
    output: Output,
    form: str,
    count: int | None,
    seed: int | None,
    size: int | None,
    **modes: bool,
) -> None:
    """Generate random strings that a grammar matches, the shortest ones, or near misses.

    FILE is a GBNF file; without it, or for `-`, reads standard input. Each string is followed by a
    newline. If any of several contains a newline, a `--- 1 of 5 ---` header precedes each one.
    Without --seed, each run generates different strings, and prints the seed that repeats them to
    standard error.
    """
    mode = _mode(modes, count=count, seed=seed, size=size)
    read = grammar.read()
    wanted = count or (_DEFAULT_COUNT if mode in _MANY else 1)
    chosen = random.SystemRandom().randrange(_SEEDS) if seed is None else seed
    if mode in _RANDOM:
        texts = _random(read, mode, wanted, chosen, _DEFAULT_SIZE if size is None else size)
    elif mode == "shortest":
        texts = [read.shortest()]
    else:
        texts = list(read.texts(wanted)) or [read.shortest()]
    if form == "json":
        output.write(json_document(texts))
    elif texts:
        output.write(_text(texts))
    if len(texts) < wanted:
        Terminal.stderr().write(f"there are only {len(texts):,}" if texts else "there are none")
    if mode in _RANDOM and seed is None:
        Terminal.stderr().write(f"--seed {chosen} generates the same again")


def _mode(modes: Mapping[str, bool], **numbers: int | None) -> str:
    """The strings to generate. Raises UsageError for two modes, and for options without effect."""
    asked = [name for name, is_asked in modes.items() if is_asked]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(map(_option, asked))} exclude each other")
    mode = asked[0] if asked else "random"
    ignored = [] if mode in _RANDOM else ["seed", "size"]
    ignored += ["count"] if mode == "shortest" else []
    for name in ignored:
        if numbers[name] is not None:
            raise click.UsageError(f"{_option(name)} has no effect with {_option(mode)}")
    return mode


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _random(grammar: Grammar, mode: str, count: int, seed: int, size: int) -> list[str]:
    rng = random.Random(seed)  # noqa: S311  (not for secrets)
    if mode == "near_misses":
        return list(grammar.near_misses(rng, count, size=size))
    return [grammar.generate(rng, size=size) for _ in range(count)]


def _text(texts: Sequence[str]) -> str:
    """A line for each string; with a header each, if one contains a newline."""
    if len(texts) == 1 or not any("\n" in text for text in texts):
        return "\n".join(texts)
    count = len(texts)
    return "\n".join(
        f"--- {number:,} of {count:,} ---\n{text}" for number, text in enumerate(texts, 1)
    )
