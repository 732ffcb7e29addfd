"""What a check found: the value, or the errors and the feedback."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.cli.reports.json_text import json_line
from pdl.errors import Problem
from pdl.reply.validation.messages import is_full

if TYPE_CHECKING:
    from pdl.cli.screen import Screen
    from pdl.reply import Check, Reason, Violation
    from pdl.schema import Schema
    from pdl.source import Source

_SHOWN = 10  # errors that are printed; --format json has them all

_REASONS: dict[Reason, str] = {
    "absent": "no answer found",
    "truncated": "the answer is cut off",
    "unparsable": "the answer is not valid",
    "wrong-schema": "the answer does not match the schema",
    "ambiguous": "more than one possible answer",
    "elided": "the answer omits data",
    "limit": "a limit was exceeded",
}


def value_text(schema: Schema | None, check: Check) -> str:
    """The value as a shell wants it: texts as they are, yes or no, all else as JSON on a line."""
    form = schema.form if schema is not None else "text"
    if form == "yesno":
        return "yes" if check.value else "no"
    if form == "tasklist" and not isinstance(check.value, str):
        return "\n".join(map(str, check.value))
    return (
        check.value if isinstance(check.value, str) and form != "json" else json_line(check.value)
    )


def verdict_text(check: Check, reply: Source, screen: Screen) -> str:
    """Why a reply was refused: each error at its place, the reason, and the words for the model."""
    assert check.reason is not None
    lines = [screen.problem(_problem(error, check, reply)) for error in check.errors[:_SHOWN]]
    more = len(check.errors) - _SHOWN
    if more > 0 and is_full(check.errors):
        lines.append(
            f"… and at least {more:,} more; --format json lists the first {len(check.errors):,}"
        )
    elif more > 0:
        lines.append(f"… and {more:,} more; --format json lists them all")
    name = screen.style(screen.safe(reply.name), "strong")
    lines.append(f"{name}: {_REASONS[check.reason]} [{check.reason}]")
    if check.feedback:
        heading = screen.style("feedback for the model:", "hint")
        lines.append(f"\n{heading}\n{screen.safe(check.feedback)}")
    return "\n".join(lines)


def _problem(violation: Violation, check: Check, reply: Source) -> Problem:
    span = reply.span(*violation.span) if violation.span is not None else None
    # A reason such as `ambiguous` is about the whole reply, wherever its path leads.
    whole = not violation.path or violation.keyword == check.reason
    subject = "the reply" if whole else f"`{format_path(violation.path)}`"
    message = f"{subject} {violation.message}"
    if span is None:
        message = f"{reply.name}: {message}"
    return Problem(f"reply/{violation.keyword}", message, span)


def verdict_json(check: Check, *, segments: bool = False) -> str:
    """All of a check as one JSON object on one line, perhaps with the segments of the reply.

    Spans are offsets into the reply, from 0, in code points; a BOM does not count.
    """
    parts = {"segments": [asdict(part) for part in check.segments]} if segments else {}
    return json_line(
        {
            "ok": check.ok,
            "value": check.value,
            "span": check.span,
            "reason": check.reason,
            "summary": check.summary,
            "errors": [violation_fields(error) for error in check.errors],
            "feedback": check.feedback,
            "repairs": [
                {
                    "kind": repair.kind,
                    "path": format_path(repair.path),
                    "before": repair.before,
                    "after": repair.after,
                    "span": repair.span,
                }
                for repair in check.repairs
            ],
            "rejected": [{"why": other.why, "span": other.span} for other in check.rejected],
            **parts,
        }
    )


def violation_fields(violation: Violation) -> dict[str, Any]:
    """An error of a reply as JSON."""
    return {
        "path": format_path(violation.path),
        "keyword": violation.keyword,
        "found": violation.found,
        "wanted": violation.wanted,
        "message": violation.message,
        "span": violation.span,
    }
