"""`pdl masks bench`: how long the masks of a grammar take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import CHOMP, read_texts
from pdl.cli.masking import mask_options, require_numpy
from pdl.cli.options import FILE
from pdl.cli.output import Output, format_option, out_option
from pdl.cli.reports.masks import timing_json, timing_svg, timing_text
from pdl.cli.teaching import TaughtCommand

if TYPE_CHECKING:
    from pdl.cli.masking import MaskOrigin

_EXAMPLES = (
    ("along random texts of the grammar", "pdl masks bench person.gbnf --vocab tokenizer.json"),
    ("along a reply", "pdl masks bench person.pdl reply.txt --vocab model.gguf"),
    (
        "with a picture",
        "pdl masks bench order.json --vocab tokenizer.json --picture masks.svg",
    ),
)


@click.command(
    "bench",
    cls=TaughtCommand,
    examples=_EXAMPLES,
    short_help="Say how long the masks of a grammar take.",
)
@mask_options
@click.argument("files", type=FILE, nargs=-1, metavar="[TEXT-FILES]...")
@click.option("--text", "given", multiple=True, metavar="TEXT", help="A text; may be repeated.")
@CHOMP
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many random texts, if none is given.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="The same number, the same texts.",
)
@click.option("--picture", type=FILE, metavar="FILE", help="Draw the histogram in an SVG file.")
@out_option
@format_option(
    "an object with tokens, texts, masks (how many), milliseconds (of vocabulary, grammar, masker,"
    " first_mask), microseconds (p50, p75, p90, p99, max, mean), histogram (below, masks)."
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    origin: MaskOrigin,
    files: tuple[str, ...],
    given: tuple[str, ...],
    count: int,
    seed: int,
    picture: str | None,
    output: Output,
    form: str,
    chomp: bool,
) -> None:
    """Time the masks of a grammar along texts that it takes, each with the token taken.

    GRAMMAR is a GBNF file, a prompt (.pdl) or a JSON Schema (.json). A mask is made when a text
    comes to its place for the first time, and known from then on. What strings, numbers and blanks
    take is found once for all grammars of a process, here for the first time.

    The exit code is 0, or 2 if a file or an option is wrong, or a text does not match.
    """
    texts = (
        read_texts(origin.file, files, given, lines=False, chomp=chomp) if files or given else []
    )
    require_numpy()
    from pdl.cli.masking import timed  # noqa: PLC0415 - numpy is an extra

    timing = timed(origin, texts, count, seed)
    told = timing_json(timing) if form == "json" else timing_text(timing, output.screen)
    output.write_report(told)
    if picture is not None:
        Output(picture).write(timing_svg(timing))
