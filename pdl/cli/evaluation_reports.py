"""The results of an evaluation: as text, in files, and as an exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pdl.cli.options import combine, formats_option
from pdl.errors import did_you_mean, unwritable
from pdl.schema.json_values import json_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.cli.output import Output
    from pdl.evaluation.records import CaseRecord
    from pdl.evaluation.results import Estimate, Results

_ENDINGS = (".html", ".md", ".json")


class Least(NamedTuple):
    """A bound on a metric: what each column must reach, or must not exceed if less is better."""

    metric: str
    value: float


def _least(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> tuple[Least, ...]:
    return tuple(map(_parsed, given))


def _parsed(text: str) -> Least:
    name, sign, number = text.partition("=")
    try:
        if sign:
            return Least(
                name.strip(), float(number.removesuffix("%")) / (100 if "%" in number else 1)
            )
    except ValueError:
        pass
    raise click.BadParameter(f"`{text[:40]}` is not METRIC=NUMBER, such as valid=0.9")


def _endings(
    _ctx: click.Context, _param: click.Parameter, files: tuple[str, ...]
) -> tuple[str, ...]:
    for file in files:
        if Path(file).suffix not in _ENDINGS:
            raise click.BadParameter(f"`{file}` must end in {', '.join(_ENDINGS[:-1])}, or .json")
        if not Path(file).parent.is_dir():
            raise click.BadParameter(f"`{file}`: {Path(file).parent} is not a directory")
    return files


FIELDS = {
    "run": "An object with name, started, planned and ended (trials), repeats, cases (their"
    " number), columns (objects with prompt, model, fingerprint).",
    "metrics": "A list of objects with name, words, unit, better.",
    "estimates": "A list of objects with metric, column (its index), value, interval, cases,"
    " trials.",
    "differences": "The paired differences of columns, with metric, first, second, difference,"
    " interval, p, adjusted (after Holm), cases, verdict (on the second), detectable.",
    "fields, confusions": "Precision and recall by path, and how enums were confused.",
    "counts": "How often each status, fault, refusal, reason, and repair occurred in each column.",
    "level": "That of intervals and tests.",
}
"""The fields of `--format json`."""

report_options = combine(
    formats_option(["text", "json"], "Markdown to read, or JSON with the fields below."),
    click.option(
        "--report",
        "reports",
        type=click.Path(),
        multiple=True,
        callback=_endings,
        metavar="FILE",
        help="Write the results to FILE, too: a page (.html), Markdown (.md), or JSON (.json)."
        " Repeatable.",
    ),
    click.option(
        "--fail-under",
        "bounds",
        multiple=True,
        callback=_least,
        metavar="METRIC=X",
        help="Exit with 1 if a column is worse: valid=0.9 or valid=90%. Repeatable.",
    ),
)
"""`--format`, `--report`, and `--fail-under`, passed as `form`, `reports`, and `bounds`."""


def write_results(results: Results, form: str, reports: Sequence[str], output: Output) -> None:
    """Write results in a form, and to files by their endings. Raises FileError."""
    for file in reports:
        try:
            if file.endswith(".html"):
                from pdl.evaluation.report import write_html  # noqa: PLC0415 - not for text

                write_html(results, Path(file))
            else:
                text = _text(results, "json" if file.endswith(".json") else "text")
                Path(file).write_text(f"{text}\n", "utf-8", "backslashreplace")
        except OSError as error:
            raise unwritable(file, error) from error
    output.write(_text(results, form))


def _text(results: Results, form: str) -> str:
    from pdl.evaluation.report import markdown, results_json  # noqa: PLC0415 - not for `--help`

    return json_document(results_json(results)) if form == "json" else markdown(results).rstrip()


def check_bounds(bounds: Sequence[Least], cases: Iterable[CaseRecord]) -> None:
    """Raise UsageError for metrics that no run of these cases has, before anything is asked."""
    from pdl.evaluation.metrics import is_share, metric_names  # noqa: PLC0415 - not for `--help`

    names = metric_names(cases)
    for one in bounds:
        if one.metric not in names:
            hint = did_you_mean(one.metric, names) or f"expected one of {', '.join(names)}"
            raise click.UsageError(f"--fail-under: unknown metric `{one.metric}`; {hint}")
        if is_share(one.metric) and not 0 <= one.value <= 1:
            told = f"--fail-under: `{one.metric}` is a share: write 0.95 or 95%, not {one.value:g}"
            raise click.UsageError(told)


def below(results: Results, bounds: Sequence[Least]) -> Iterator[str]:
    """Yield which columns are worse than they may be, or were not measured."""
    for bound in bounds:
        found = [one for one in results.estimates if one.metric.name == bound.metric]
        if not found:
            yield f"{bound.metric} was not measured"
        for one in found:
            if _is_worse(one, bound.value):
                value = "not measured" if one.value is None else f"{one.value:.4g}"
                word = "below" if one.metric.better == "more" else "above"
                yield f"{one.column}: {bound.metric} is {value}, {word} {bound.value:g}"


def _is_worse(estimate: Estimate, bound: float) -> bool:
    if estimate.value is None:
        return True
    is_more = estimate.metric.better == "more"
    return estimate.value < bound if is_more else estimate.value > bound
