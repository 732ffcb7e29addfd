"""Results as one HTML page that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.errors import count, visible
from pdl.evaluation.report import figures, plots, views
from pdl.evaluation.report.data import page_data

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

    from pdl.evaluation.records import Column
    from pdl.evaluation.results import Difference, Metric, Results

_SCRIPTS = ("page.js", "cases.js")
_MOST_PAIRS = 1_000  # comparisons in the page
_LEVELS = 6  # shades of a confusion matrix


def write_html(results: Results, file: Path) -> None:
    """Write results as an HTML page into a file. Raises OSError."""
    file.write_bytes(page(results).encode())


def page(results: Results) -> str:
    """Return results as an HTML page, whose script and style alone a browser may apply.

    What the run brought is data in it: text of a reply cannot become markup.
    """
    style, script = _text("page.css"), "".join(map(_text, _SCRIPTS))
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
    policy += "base-uri 'none'; form-action 'none'"
    ordered = views.cases(results.run)
    data, brief = page_data(results.run, ordered)
    return (
        _environment()
        .get_template("page.html")
        .render(
            policy=policy,
            style=_verbatim(style),
            script=_verbatim(script),
            data=_verbatim(data),
            brief=brief,
            cases=len(ordered),
            **_summary(results),
        )
    )


@cache
def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    """The source expression of a text, after the Content Security Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _verbatim(text: str) -> Any:
    """A text that is ours, or made safe, and goes into the page as it is."""
    from markupsafe import Markup  # noqa: PLC0415 - Jinja's, which the summary does not need

    return Markup(text)  # noqa: S704 - see above


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415 - see above

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(_text),
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"figures": figures, "views": views, "count": count}
    return environment


def _shown(value: Any) -> Any:
    """A value as it is printed: unprintable characters of text are escaped, and so is markup."""
    return value if hasattr(value, "__html__") else visible(str(value))


def _summary(results: Results) -> dict[str, Any]:
    """What the parts of the page that need no script show."""
    shown, pairs = views.metrics(results), _pairs(results)
    apart = sum(one.is_distinguishable for one, _ in pairs)
    shown_pairs = pairs[:_MOST_PAIRS]
    return {
        "results": results,
        "run": results.run,
        "names": views.letters(results.run),
        "metrics": shown,
        "groups": [
            ("Answers", [metric for metric in shown if metric.unit == "share"]),
            ("Calls", [metric for metric in shown if metric.unit != "share"]),
        ],
        "estimates": views.estimates_by_place(results),
        "scales": _scales(results),
        "pairs": shown_pairs,
        "apart": apart,
        "pairs_left_out": len(pairs) - len(shown_pairs),
        "has_samples": any(views.sample(one, results.run) for one in results.estimates),
        "bars": _bars(results),
        "confusions": [_confusion(one) for one in results.confusions],
        "fields": _fields(results),
    }


def _scales(results: Results) -> dict[str, plots.Scale]:
    """The scale of each unit, which all metrics of the unit share."""
    values: dict[Any, list[float | None]] = {}
    for one in results.estimates:
        ends = one.interval[:2] if one.interval else ()
        values.setdefault(one.metric.unit, []).extend([one.value, *ends])
    return {unit: plots.scale(found, unit) for unit, found in values.items()}


def _pairs(results: Results) -> list[tuple[Difference, plots.Scale]]:
    """The differences with the scale of their metric, the distinguishable ones first."""
    found: dict[Metric, list[Difference]] = {}
    for one in results.differences:
        found.setdefault(one.metric, []).append(one)
    pairs = []
    for metric, group in found.items():
        ends = [value for one in group for value in (one.difference, *one.interval[:2])]
        scale = plots.scale(ends, metric.unit, is_difference=True)
        pairs += [(one, scale) for one in group]
    return sorted(pairs, key=lambda pair: not pair[0].is_distinguishable)


def _bars(results: Results) -> list[dict[str, Any]]:
    """The counts by kind, the most frequent first, with the length of their bars."""
    titles = {
        "statuses": "How trials ended",
        "repairs": "Repairs",
        "reasons": "Replies that the check refused",
        "faults": "Faults of transport",
        "declined": "Calls that the model declined",
    }
    return [
        _bar_group(title, {one: kinds.get(name, {}) for one, kinds in results.counts.items()})
        for name, title in titles.items()
    ]


def _bar_group(title: str, by_column: dict[Column, dict[str, int]]) -> dict[str, Any]:
    kinds = sorted(
        {kind for counts in by_column.values() for kind in counts},
        key=lambda kind: (-sum(one.get(kind, 0) for one in by_column.values()), kind),
    )
    most = max((n for counts in by_column.values() for n in counts.values()), default=0) or 1
    return {"title": title, "kinds": kinds, "by_column": by_column, "most": most}


def _confusion(found: Any) -> dict[str, Any]:
    rows = []
    for label, counts in zip(found.labels, found.counts, strict=True):
        most = sum(counts) or 1
        shades = [-(-number * (_LEVELS - 1) // most) for number in counts]
        rows.append((label, list(zip(counts, shades, strict=True))))
    return {
        "column": found.column,
        "path": format_path(found.path),
        "labels": found.labels,
        "rows": rows,
    }


def _fields(results: Results) -> dict[str, dict[Column, Any]]:
    """The scores of fields by path and column."""
    found: dict[str, dict[Column, Any]] = {}
    for one in results.fields:
        found.setdefault(one.path, {})[one.column] = one
    return found
