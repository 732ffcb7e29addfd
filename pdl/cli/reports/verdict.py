"""What a check found: the value, or the errors and the feedback; and how the reply was read.

How it was read: its parts, what might have been the answer, repairs, and the outcome.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.cli.options import coercion_name, is_coercion
from pdl.cli.reports.json_text import json_line
from pdl.errors import Problem
from pdl.reply.validation.messages import is_full

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.screen import Screen
    from pdl.reply import Check, Reason, Repair, Segment, Violation
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


_FIRST_PARTS, _LAST_PARTS = 12, 4  # parts of a reply that are printed, of its start and its end
_LABEL = 24  # characters of a label that are printed
_PREVIEW = 60  # characters of a part that are printed
_LOOKED_AT = 1000  # characters of a part that are looked at for them
_KINDS = {"text": "text", "reasoning": "reasoning", "fence": "code block", "token": "token"}


def explanation(schema: Schema | None, check: Check, reply: Source, screen: Screen) -> str:
    """All that happened, in sections: for someone who wonders why this is the answer, or none."""
    sections = [
        (
            "the parts of the reply",
            _parts(check.segments, reply) if reply.text.strip() else "  none",
        ),
        ("what may be the answer", _candidates(check, reply, screen)),
        ("repairs", _repairs(check, reply, screen)),
        (
            ("the value", screen.safe(value_text(schema, check)))
            if check.ok
            else ("what is wrong", verdict_text(check, reply, screen))
        ),
    ]
    return "\n\n".join(
        f"{screen.style(f'{heading}:', 'strong')}\n{text}" for heading, text in sections if text
    )


def _parts(segments: Sequence[Segment], reply: Source) -> str:
    """A row for each part that is not blank: its lines, what it is, how it begins."""
    told = [part for part in segments if not _slice(reply, part.span).isspace()]
    hidden = len(told) - _FIRST_PARTS - _LAST_PARTS
    shown = told if hidden <= 0 else [*told[:_FIRST_PARTS], *told[-_LAST_PARTS:]]
    rows = [(_lines(part, reply), _title(part), _preview(part, reply)) for part in shown]
    if hidden > 0:
        rows.insert(_FIRST_PARTS, ("…", f"{hidden:,} more", ""))
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    return "\n".join(
        f"  {lines:{widths[0]}}  {title:{widths[1]}}  {start}".rstrip()
        for lines, title, start in rows
    )


def _slice(reply: Source, span: tuple[int, int]) -> str:
    return reply.text[span[0] : span[1]]


def _lines(part: Segment, reply: Source) -> str:
    text = _slice(reply, part.span)
    first, _ = reply.position(part.span[1] - len(text.lstrip()))
    last, _ = reply.position(part.span[0] + len(text.rstrip()) - 1)
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _title(part: Segment) -> str:
    label = f" `{_visible(_shortened(part.label, _LABEL))}`" if part.label else ""
    fate = ", skipped" if part.kind == "reasoning" else ""
    return f"{_KINDS[part.kind]}{label}{fate if part.closed else ', never closed'}"


def _preview(part: Segment, reply: Source) -> str:
    """How a part begins; a token has no more than its name."""
    if part.kind == "token":
        return ""
    text = _slice(reply, part.body).lstrip()
    return _visible(_shortened(" ".join(text[:_LOOKED_AT].split()), _PREVIEW))


def _shortened(text: str, most: int) -> str:
    return f"{text[:most]}…" if len(text) > most else text


def _candidates(check: Check, reply: Source, screen: Screen) -> str:
    """The answer first, or what came nearest to one; then what else might have been one."""
    lines = []
    if check.ok and check.span is not None:
        lines.append(_place("this is the answer", "", check.span, reply, screen))
    nearest = None if check.ok or check.reason == "ambiguous" else check.span
    others = sorted(check.rejected, key=lambda other: other.span != nearest)
    for one in others[:_SHOWN]:
        is_nearest = one.span == nearest and len(others) > 1
        fate = "the nearest, but not taken" if is_nearest else "not taken"
        lines.append(_place(fate, f": {one.why}", one.span, reply, screen))
    return "\n".join([*lines, *_more(others)]) or "  nothing"


def _repairs(check: Check, reply: Source, screen: Screen) -> str:
    if check.ok and not check.repairs:
        return "  none were needed"
    shown = [_repair(one, reply, screen) for one in check.repairs[:_SHOWN]]
    return "\n".join([*shown, *_more(check.repairs)])


def _repair(repair: Repair, reply: Source, screen: Screen) -> str:
    """What was written and what it was read as; changes of data say what allowed them."""
    before, after = _visible(repair.before), _visible(repair.after)
    path = f" at `{format_path(repair.path)}`" if repair.path else ""
    read = f"is read as `{after}`{path}" if after else "is passed over"
    kind = coercion_name(repair.kind)
    by = f"--coerce {kind}" if is_coercion(kind) else kind
    return _place(f"`{before}` {read}", f" [{by}]", repair.span, reply, screen)


def _place(what: str, why: str, span: tuple[int, int], reply: Source, screen: Screen) -> str:
    """What a place in the reply is, and why; one of several lines says where it ends."""
    place = reply.span(*span)
    last, _ = reply.position(max(span[0], span[1] - 1))
    to = f" (to line {last})" if last > place.line else ""
    return screen.problem(Problem("reply/explained", f"{what}{to}{why}", place))


def _more(found: Sequence[object]) -> list[str]:
    hidden = len(found) - _SHOWN
    return [f"… and {hidden:,} more; --format json lists them all"] if hidden > 0 else []


def _visible(text: str) -> str:
    """A text on one line, with escapes for what would not be seen or would move the cursor."""
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
