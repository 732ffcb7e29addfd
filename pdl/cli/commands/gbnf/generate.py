"""`pdl gbnf generate`: texts that a grammar makes, as text and as JSON."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import grammar_argument
from pdl.cli.output import format_option, out_option
from pdl.cli.reports.json_text import json_document
from pdl.cli.screen import Screen
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl.cli.grammars import GrammarOrigin
    from pdl.cli.output import Output
    from pdl.gbnf import Grammar


def texts_text(texts: Sequence[str]) -> str:
    """A line for each text; a line above each that tells them apart, if one has line ends."""
    if len(texts) == 1 or not any("\n" in text for text in texts):
        return "\n".join(texts)
    count = len(texts)
    return "\n".join(
        f"--- {number:,} of {count:,} ---\n{text}" for number, text in enumerate(texts, 1)
    )


def texts_json(texts: Sequence[str]) -> str:
    """A list of strings."""
    return json_document(list(texts))


_DRAWN = ("random", "near_misses")
_LISTED = ("in_order", "near_misses")
_SEVERAL = 10
_SIZE = 200
_SEEDS = 1_000_000

_EXAMPLES = (
    ("five texts, other ones each time", "pdl gbnf generate person.gbnf -n 5"),
    ("the same ones each time", "pdl gbnf generate person.gbnf -n 5 --seed 7"),
    ("the shortest, then the next ones", "pdl gbnf generate person.gbnf --in-order -n 20"),
    ("what a parser must refuse", "pdl gbnf generate person.gbnf --near-misses --format json"),
)


@click.command(
    "generate",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Make texts of a grammar.",
)
@grammar_argument
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"How many texts: 1 unless said; {_SEVERAL} with --in-order or --near-misses.",
)
@click.option("--seed", type=int, metavar="NUMBER", help="The same number, the same texts.")
@click.option(
    "--size",
    type=click.IntRange(min=0),
    metavar="CHARACTERS",
    help=f"How long a random text may be, if the grammar has any as short: {_SIZE} unless said.",
)
@click.option("--shortest", is_flag=True, help="The shortest text.")
@click.option("--in-order", is_flag=True, help="All texts one after the other, the shortest first.")
@click.option("--near-misses", is_flag=True, help="Texts that one edit keeps from matching.")
@out_option
@format_option("a list of strings.")
def command(  # noqa: PLR0913  (each is an option)
    *,
    origin: GrammarOrigin,
    output: Output,
    form: str,
    count: int | None,
    seed: int | None,
    size: int | None,
    **modes: bool,
) -> None:
    """Make random texts that the grammar FILE matches, or the shortest ones, or near misses.

    FILE is a GBNF file; without it or for `-`, the standard input is read. Each text is followed by
    a newline. If one of several has a line end in it, each has a line `--- 1 of 5 ---` above it.
    Without --seed each call makes other texts, and says on the standard error which number makes
    them again.

    The exit code is 0, or 2 if the grammar or an option is wrong, or nothing matches it.
    """
    mode = _mode(modes, count=count, seed=seed, size=size)
    grammar = origin.read()
    wanted = count or (_SEVERAL if mode in _LISTED else 1)
    chosen = random.SystemRandom().randrange(_SEEDS) if seed is None else seed
    if mode in _DRAWN:
        texts = _drawn(grammar, mode, wanted, chosen, _SIZE if size is None else size)
    elif mode == "shortest":
        texts = [grammar.shortest()]
    else:
        texts = list(grammar.texts(wanted)) or [grammar.shortest()]
    if form == "json":
        output.write(texts_json(texts))
    elif texts:
        output.write(texts_text(texts))
    if len(texts) < wanted:
        Screen.stderr().write(f"there are only {len(texts):,}" if texts else "there are none")
    if mode in _DRAWN and seed is None:
        Screen.stderr().write(f"--seed {chosen} makes the same again")


def _mode(modes: Mapping[str, bool], **numbers: int | None) -> str:
    """Which texts are asked for. Raises UsageError for two kinds, and for what a kind ignores."""
    asked = [name for name, is_asked in modes.items() if is_asked]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(map(_option, asked))} are two kinds of texts")
    mode = asked[0] if asked else "random"
    ignored = [] if mode in _DRAWN else ["seed", "size"]
    ignored += ["count"] if mode == "shortest" else []
    for name in ignored:
        if numbers[name] is not None:
            raise click.UsageError(f"{_option(name)} does nothing with {_option(mode)}")
    return mode


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _drawn(grammar: Grammar, mode: str, count: int, seed: int, size: int) -> list[str]:
    rng = random.Random(seed)  # noqa: S311  (for texts, not for secrets)
    if mode == "near_misses":
        return list(grammar.near_misses(rng, count, size=size))
    return [grammar.generate(rng, size=size) for _ in range(count)]
