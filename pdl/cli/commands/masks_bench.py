"""`pdl masks bench`: how long the token masks of a grammar take."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

import click

from pdl.cli.grammars import CHOMP, Text, match_text, read_texts
from pdl.cli.help import Command
from pdl.cli.masking import mask_options, sample, tokenize
from pdl.cli.options import FILE, format_option, out_option
from pdl.cli.output import Output, json_document
from pdl.errors import Problem, TokenError
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.cli.masking import MaskInput
    from pdl.cli.terminal import Terminal
    from pdl.gbnf import Grammar
    from pdl.masks import Masker
    from pdl.masks.protocol import TokenState

_LIMITS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000)
_PERCENT = (50, 75, 90, 99)
_BAR = 50  # characters of the longest bar
_NAMED = 5  # allowed tokens that an error names
_CSS = (
    "<style>text{font:11px sans-serif;text-anchor:middle;fill:#444}rect{fill:#3b78c2}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}rect{fill:#6ea8e8}}</style>"
)


@dataclass(frozen=True)
class Timing:
    """Milliseconds of each step, and microseconds of each mask with the token that was taken."""

    tokens: int
    texts: int
    steps: dict[str, float]
    masks: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the masks."""
        return sum(self.masks) / len(self.masks)

    def percentile(self, percent: int) -> float:
        """Return what this percentage of the masks took at most."""
        return sorted(self.masks)[min(len(self.masks) - 1, len(self.masks) * percent // 100)]

    def histogram(self) -> Sequence[tuple[float, int]]:
        """Return how many masks took less than a time, and no less than the one before."""
        found: list[tuple[float, int]] = []
        below = 0
        for limit in (*_LIMITS, float("inf")):
            count = sum(mask < limit for mask in self.masks)
            if count > below:
                found.append((min(limit, max(self.masks) + 1), count - below))
            below = count
        return found


def time_masks(masks: MaskInput, texts: Sequence[Text], count: int, seed: int) -> Timing:
    """Time the masks along texts, or along random strings that the grammar matches.

    Raises TokenError for text that does not match, and what the input raises.
    """
    from pdl.masks import Masker  # noqa: PLC0415 - numpy is an extra

    times = [perf_counter()]
    vocabulary = masks.read_vocabulary()
    times.append(perf_counter())
    grammar = masks.read_grammar()
    times.append(perf_counter())
    masker = Masker(grammar, vocabulary)
    times.append(perf_counter())
    masker.start().bitmask()
    times.append(perf_counter())
    took = [(after - before) * 1e3 for before, after in pairwise(times)]
    steps = dict(zip(("vocabulary", "grammar", "masker", "first_mask"), took, strict=True))
    followed = texts or _random(grammar, count, seed)
    found = tuple(one for text in followed for one in _along(masker, text))
    return Timing(len(vocabulary), len(followed), steps, found)


def _random(grammar: Grammar, count: int, seed: int) -> list[Text]:
    from random import Random  # noqa: PLC0415 - only without text

    rng = Random(seed)  # noqa: S311 - not for secrets
    drawn = (Source(grammar.generate(rng), f"<random text {n + 1}>") for n in range(count))
    return [Text(source.text.encode(), source) for source in drawn]


def _along(masker: Masker, text: Text) -> Iterator[float]:
    """The microseconds of each mask along the tokens of a text, that of the end included."""
    state: TokenState = masker.start()
    at = 0
    for token in tokenize(text, masker.vocabulary):
        start = perf_counter()
        state.bitmask()
        try:
            state = state.accept(token)
        except TokenError as error:
            raise _refused(masker, state, text, token, at) from error
        yield (perf_counter() - start) * 1e6
        at += len(masker.vocabulary.tokens[token])
    start = perf_counter()
    state.bitmask()
    yield (perf_counter() - start) * 1e6


def _refused(masker: Masker, state: TokenState, text: Text, token: int, at: int) -> TokenError:
    """The error for a token, at an offset of the text, that is not allowed there."""
    tokens, allowed = masker.vocabulary.tokens, state.allowed().tolist()
    data = tokens[token]
    named = ", ".join(repr(tokens[one]) for one in sample(allowed, _NAMED))
    more = ", …" if len(allowed) > _NAMED else ""
    message = f"token {token}, {data!r}, is not allowed here; {len(allowed):,} are: {named}{more}"
    hint = match_text(masker.grammar, text).hint_of_file
    return TokenError(Problem("token/refused", message, text.span(at, at + len(data)), hint))


def _report(timing: Timing, terminal: Terminal) -> str:
    """What each step took, the distribution of the masks, and their histogram as bars."""
    names = [f"vocabulary, {timing.tokens:,} tokens", "grammar", "masker", "first mask"]
    width = max(map(len, names))
    rows = zip(names, timing.steps.values(), strict=True)
    lines = [f"{name:<{width}}  {f'{value:,.1f} ms':>12}" for name, value in rows]
    parts = " ".join(f"p{p}={timing.percentile(p):,.0f}" for p in _PERCENT)
    many = f"{len(timing.masks):,} masks of {timing.texts:,} texts"
    lines += ["", terminal.style(f"{many}, microseconds with the token taken:", "strong")]
    lines.append(f"{parts} max={max(timing.masks):,.0f} mean={timing.mean:,.0f}")
    bars = timing.histogram()
    most = max(count for _, count in bars)
    for limit, count in bars:
        lines.append(f"{f'< {limit:,.0f}':>10} {'█' * -(-_BAR * count // most)} {count:,}")
    return "\n".join(lines)


def _json(timing: Timing) -> str:
    return json_document(
        {
            "tokens": timing.tokens,
            "milliseconds": {name: round(value, 2) for name, value in timing.steps.items()},
            "masks": len(timing.masks),
            "texts": timing.texts,
            "microseconds": {
                **{f"p{p}": round(timing.percentile(p), 1) for p in _PERCENT},
                "max": round(max(timing.masks), 1),
                "mean": round(timing.mean, 1),
            },
            "histogram": [{"below": limit, "masks": count} for limit, count in timing.histogram()],
        }
    )


def _svg(timing: Timing) -> str:
    """The histogram as a picture."""
    bars = timing.histogram()
    most = max(count for _, count in bars)
    height, width = 220, 640
    step = (width - 60) / len(bars)
    drawn = []
    for number, (limit, count) in enumerate(bars):
        size = round(150 * count / most, 1)
        x, y = round(40 + number * step, 1), 180 - size
        drawn += [
            f'<rect x="{x}" y="{y}" width="{step - 4:.1f}" height="{size}" rx="2"/>',
            f'<text x="{x + step / 2 - 2:.1f}" y="{y - 4}">{count:,}</text>',
            f'<text x="{x + step / 2 - 2:.1f}" y="196">&lt; {limit:,.0f}</text>',
        ]
    title = f"{len(timing.masks):,} masks over {timing.tokens:,} tokens, by microseconds"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{title}</title>",
            _CSS,
            f'<text x="{width / 2}" y="16">{title}</text>',
            *drawn,
            "</svg>",
        )
    )


@click.command(
    "bench",
    cls=Command,
    fields={
        "tokens, texts, masks": "How many.",
        "milliseconds": "An object with vocabulary, grammar, masker, first_mask.",
        "microseconds": "An object with p50, p75, p90, p99, max, mean.",
        "histogram": "Objects with below and masks.",
    },
    exit_codes={0: "Done.", 2: "A file or an option is invalid, or a text does not match."},
    examples=(
        ("along random strings", "pdl masks bench person.gbnf --vocab tokenizer.json"),
        ("along a reply", "pdl masks bench person.pdl reply.txt --vocab model.gguf"),
        (
            "with a picture",
            "pdl masks bench order.json --vocab tokenizer.json --picture masks.svg",
        ),
    ),
    short_help="Measure how long the masks of a grammar take.",
)
@mask_options
@click.argument("files", type=FILE, nargs=-1, metavar="[TEXT-FILE]...")
@click.option("--text", "given", multiple=True, metavar="TEXT", help="Text. Repeatable.")
@CHOMP
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="How many random strings to follow, if there is no text.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Follow the same random strings for the same number.",
)
@click.option("--picture", type=FILE, metavar="FILE", help="Draw the histogram to an SVG file.")
@out_option
@format_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    masks: MaskInput,
    files: tuple[str, ...],
    given: tuple[str, ...],
    count: int,
    seed: int,
    picture: str | None,
    output: Output,
    form: str,
    chomp: bool,
) -> None:
    """Time the masks of a grammar along text that it matches, each with the token that is taken.

    GRAMMAR is a GBNF file, PROMPT ends with .pdl, and SCHEMA is a JSON Schema (.json). Masks are
    computed on first use and cached. Timings include building the process-wide cache for strings,
    numbers, and whitespace.
    """
    texts = (
        read_texts(masks.grammar, files, given, lines=False, chomp=chomp) if files or given else []
    )
    timing = time_masks(masks, texts, count, seed)
    output.write_report(_json(timing) if form == "json" else _report(timing, output.terminal))
    if picture is not None:
        Output(picture).write(_svg(timing))
