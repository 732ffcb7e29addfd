"""Results as Markdown, for the description of a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.errors import count, visible
from pdl.evaluation.report import figures, views

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.evaluation.results import Difference, Estimate, Results

_WORST = 10  # cases that are listed
_COMPARED = 12  # rows of comparisons that are not folded away
_MOST = 60  # rows of a table of comparisons, since comments have a limit
_LONGEST = 240  # characters of a failure


def markdown(results: Results) -> str:
    """Return results as Markdown: tables with intervals, verdicts, and the worst cases.

    All text of the run is in code, so that none of it is read as Markdown or mentions anybody.
    """
    return "\n".join(_lines(results)) + "\n"


def _lines(results: Results) -> Iterator[str]:
    run = results.run
    yield f"## Evaluation {code(run.name)}"
    yield from ("", f"{views.head(results).capitalize()}.")
    for note in results.notes:
        yield from ("", escaped(views.sentence(note)))
    if results.changed:
        yield from (
            "",
            f"Left out: {_names(results.changed)}.",
        )
    yield from ("", *_columns(results))
    if results.estimates:
        yield from ("", *_summary(results))
    if results.differences:
        yield from ("", "### Paired comparisons", "", *_comparisons(results))
    yield from _worst(results)


def code(text: str, longest: int = 0) -> str:
    """Return text as code of Markdown, on one line, also in the cell of a table."""
    shown = visible(text) or " "
    if longest and len(shown) > longest:
        shown = f"{_words(shown[: longest - 1])}…"
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    padding = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{padding}{shown}{padding}{fence}".replace("|", "\\|")


def _words(shown: str) -> str:
    """The beginning of a text up to the last word that is whole, if words are not too long."""
    whole = shown.rpartition(" ")[0]
    return whole if len(whole) > len(shown) // 2 else shown


def escaped(text: str) -> str:
    """Return text of ours, which may quote names, so that it is read as text."""
    return re.sub(r"([\\`*_\[\]<>|@#~])", r"\\\1", visible(text))


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(code(name, _LONGEST) for name in names[:_WORST])
    return shown if len(names) <= _WORST else f"{shown} and {len(names) - _WORST} more"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> Iterator[str]:
    """A table whose first columns are aligned at the left, the others at the right."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * left}{'--:|' * (len(head) - left)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _columns(results: Results) -> Iterator[str]:
    run = results.run
    rows = []
    for column, letter in views.letters(run).items():
        fingerprint = views.short_fingerprint(run.fingerprints.get(column.prompt, ""))
        rows.append((letter, *map(code, (column.prompt, fingerprint or "–", column.model))))
    return _table(("", "prompt", "fingerprint", "model"), rows, left=4)


def _summary(results: Results) -> Iterator[str]:
    names = views.letters(results.run)
    found = views.estimates_by_place(results)
    rows = []
    for metric in views.metrics(results):
        cells = [found.get((column, metric.name)) for column in names]
        shown = [figures.NOTHING if cell is None else _estimate(cell, results) for cell in cells]
        rows.append((escaped(metric.words), *shown))
    yield from _table(("", *names.values()), rows)
    if any(views.sample(one, results.run) for one in results.estimates):
        yield from ("", views.SAMPLES)


def _estimate(found: Estimate, results: Results) -> str:
    sample = views.sample(found, results.run)
    return f"{figures.estimate(found)}, {sample}" if sample else figures.estimate(found)


def _comparisons(results: Results) -> Iterator[str]:
    found = sorted(results.differences, key=lambda one: not one.is_distinguishable)
    shown = found if len(found) <= _COMPARED else [one for one in found if one.is_distinguishable]
    folded = found[len(shown) :]
    if shown:
        yield from _comparison_table(shown, results)
    else:
        yield f"No two columns are distinguishable: {count(len(found), 'comparison')}."
    if folded:
        yield from ("", f"<details><summary>{len(folded)} not distinguishable</summary>", "")
        yield from (*_comparison_table(folded, results), "", "</details>")
    yield ""
    yield "Differences are paired by case; p is that of a permutation test, adjusted after Holm for"
    yield "all pairs; the least detectable difference is what so many cases show with a probability"
    yield "of 80%."


def _comparison_table(found: Sequence[Difference], results: Results) -> Iterator[str]:
    names = views.letters(results.run)
    head = ("metric", "pair", "verdict", "difference", "interval", "p", "least detectable", "cases")
    rows = []
    for one in found[:_MOST]:
        first, second = names[one.first], names[one.second]
        rows.append(
            (
                escaped(one.metric.words),
                f"{first} → {second}",
                figures.verdict(one, first, second),
                figures.difference(one),
                figures.signed_interval(one.interval, one.metric.unit),
                figures.probability(one.adjusted).replace("<", "&lt;"),
                figures.detectable(one),
                str(one.cases),
            )
        )
    yield from _table(head, rows, left=3)
    if len(found) > _MOST:
        yield from ("", f"And {len(found) - _MOST:,} more, which the HTML page has.")


def _worst(results: Results) -> Iterator[str]:
    wrong = [view for view in views.cases(results.run) if view.failed]
    if not wrong:
        yield from (
            "",
            "Every trial that ended is as its case expects."
            if results.run.trials
            else "No trial ended.",
        )
        return
    names = views.letters(results.run)
    title = f"The worst of {count(len(wrong), 'case')} with failures"
    yield from ("", f"<details><summary>{title}</summary>", "")
    rows = []
    for view in wrong[:_WORST]:
        cells = [views.cell_words(view.trials.get(column, [])) for column in names]
        failure = views.first_failure(view)
        rows.append(
            (code(view.case.name, _LONGEST), *cells, code(failure, _LONGEST) if failure else "")
        )
    head = ("case", *names.values(), "first failure")
    yield from (*_table(head, rows, left=len(head)), "", "</details>")
