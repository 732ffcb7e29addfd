"""Masks for people and as JSON: what they allow, and how long they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.cli.reports.json_text import json_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.masking import Step, Timing, Trace
    from pdl.cli.screen import Screen

_BAR = 50  # characters of the longest bar
_WIDE = 24  # characters of a token
_CSS = (
    "<style>text{font:11px sans-serif;text-anchor:middle;fill:#444}rect{fill:#3b78c2}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}rect{fill:#6ea8e8}}</style>"
)
_PERCENT = (50, 75, 90, 99)


def trace_text(trace: Trace, screen: Screen) -> str:
    """A line for each token: its text, how many were allowed, some of them; and what may follow."""
    width = max((min(_WIDE, len(_quoted(step.data))) for step in trace.steps), default=0)
    lines = [_step_line(step, width, screen) for step in trace.steps]
    if not trace.ok:
        lines.append(screen.style("not allowed: the last token", "error"))
    else:
        end = "may end here" if trace.complete else "is not complete"
        lines.append(f"the text {end}; {_allowed(trace.last)}")
        if trace.forced:
            lines.append(f"what must follow: {screen.safe(_quoted(trace.forced))}")
    return "\n".join(lines)


def _step_line(step: Step, width: int, screen: Screen) -> str:
    mark = " " if step.ok else screen.style("x", "error")
    said = screen.safe(_quoted(step.data))
    return f"{mark} {step.token:>7} {said:<{width}}  {screen.safe(_allowed(step))}"


def _allowed(step: Step) -> str:
    named = ", ".join(map(_quoted, step.examples))
    more = ", …" if len(step.examples) < step.allowed else ""
    return (
        f"{step.allowed:,} allowed: {named}{more}" if step.examples else f"{step.allowed:,} allowed"
    )


def _quoted(data: bytes) -> str:
    """A token as a string of Python, as bytes where it is no UTF-8."""
    try:
        return repr(data.decode())
    except UnicodeDecodeError:
        return repr(data)


def trace_json(trace: Trace) -> str:
    """An object, with an object for each token."""
    return json_document(
        {
            "ok": trace.ok,
            "complete": trace.complete,
            "forced": trace.forced.decode("utf-8", "replace"),
            "steps": [_fields(step) for step in trace.steps],
            "next": _fields(trace.last) if trace.ok else None,
        }
    )


def _fields(step: Step) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "allowed": step.allowed,
        "examples": [one.decode("utf-8", "replace") for one in step.examples],
        "microseconds": round(step.microseconds, 1),
    }
    if step.token is None:
        return fields
    text = step.data.decode("utf-8", "replace")
    return {"token": step.token, "text": text, "ok": step.ok, **fields}


def timing_text(timing: Timing, screen: Screen) -> str:
    """What each step took, the distribution of the masks, and their histogram as bars."""
    rows = [(name, f"{value:,.1f} ms") for name, value in _setup(timing)]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {value:>12}" for name, value in rows]
    parts = " ".join(f"p{p}={timing.percentile(p):,.0f}" for p in _PERCENT)
    many = f"{len(timing.masks):,} masks of {timing.texts:,} texts"
    lines += ["", screen.style(f"{many}, microseconds with the token taken:", "strong")]
    lines.append(f"{parts} max={max(timing.masks):,.0f} mean={timing.mean:,.0f}")
    lines += _bars(timing.histogram())
    return "\n".join(lines)


def _setup(timing: Timing) -> Sequence[tuple[str, float]]:
    return (
        (f"vocabulary, {timing.tokens:,} tokens", timing.vocabulary),
        ("grammar", timing.grammar),
        ("masker", timing.masker),
        ("first mask", timing.first),
    )


def _bars(histogram: Sequence[tuple[float, int]]) -> list[str]:
    most = max(count for _, count in histogram)
    return [
        f"{f'< {limit:,.0f}':>10} {'█' * -(-_BAR * count // most)} {count:,}"
        for limit, count in histogram
    ]


def timing_json(timing: Timing) -> str:
    """An object with milliseconds, percentiles in microseconds, and the histogram."""
    return json_document(
        {
            "tokens": timing.tokens,
            "milliseconds": {
                "vocabulary": round(timing.vocabulary, 2),
                "grammar": round(timing.grammar, 2),
                "masker": round(timing.masker, 2),
                "first_mask": round(timing.first, 2),
            },
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


def timing_svg(timing: Timing) -> str:
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
