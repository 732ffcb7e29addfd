"""`pdl check`: the value in a reply, or why there isn't one; of one reply or of many."""

from __future__ import annotations

import importlib
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

import pdl
from pdl._types import format_path
from pdl.cli.batch import BatchInput, batch_options
from pdl.cli.files import read_text
from pdl.cli.help import Command
from pdl.cli.options import (
    COERCION_TERMS,
    COERCIONS,
    FILE,
    bundle,
    coerce_option,
    coercion_name,
    format_option,
    schema_options,
)
from pdl.cli.output import Output, json_line, value_text
from pdl.cli.terminal import INVALID, Terminal
from pdl.errors import Problem
from pdl.reply.validation.messages import is_full

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.cli.inputs import SchemaInput
    from pdl.reply import Check, Coercions, Reason, Repair, Segment, Violation
    from pdl.schema import Schema
    from pdl.source import Source


_SHOWN = 10  # errors that are printed; --format json has all
_REASONS: dict[Reason, str] = {
    "absent": "no answer found",
    "truncated": "the answer is cut off",
    "unparsable": "the answer is not valid",
    "wrong-schema": "the answer does not match the schema",
    "ambiguous": "more than one possible answer",
    "elided": "the answer omits data",
    "limit": "a limit was exceeded",
}


def _errors(check: Check, reply: Source, terminal: Terminal) -> str:
    """Each error with its position, the reason, and the feedback for the model."""
    assert check.reason is not None
    lines = [terminal.problem(_problem(error, check, reply)) for error in check.errors[:_SHOWN]]
    more = len(check.errors) - _SHOWN
    if more > 0 and is_full(check.errors):
        lines.append(
            f"… and at least {more:,} more; --format json lists the first {len(check.errors):,}"
        )
    elif more > 0:
        lines.append(f"… and {more:,} more; --format json lists them all")
    name = terminal.style(terminal.safe(reply.name), "strong")
    lines.append(f"{name}: {_REASONS[check.reason]} [{check.reason}]")
    if check.feedback:
        heading = terminal.style("feedback for the model:", "hint")
        lines.append(f"\n{heading}\n{terminal.safe(check.feedback)}")
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


def _json(check: Check, *, segments: bool) -> str:
    """A check on one line; spans are code point offsets without a byte order mark."""
    return json_line(
        {
            "ok": check.ok,
            "value": check.data,
            "span": check.span,
            "reason": check.reason,
            "summary": check.summary,
            "errors": [error.to_json() for error in check.errors],
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
            **({"segments": list(map(asdict, check.segments))} if segments else {}),
        }
    )


_FIRST_PARTS, _LAST_PARTS = 12, 4  # parts of a reply that are printed, from its start and its end
_LABEL = 24  # characters of a label that are printed
_PREVIEW = 60  # characters of a part that are printed
_SCANNED = 1000  # characters of a part that are read for them
_KINDS = {"text": "text", "reasoning": "reasoning", "fence": "code block", "token": "token"}


def explanation(schema: Schema | None, check: Check, reply: Source, terminal: Terminal) -> str:
    """Return, in sections, why this is the answer, or why there isn't one."""
    parts = _parts(check.segments, reply) if reply.text.strip() else "  none"
    sections = [
        ("parts of the reply", parts),
        ("candidates", _candidates(check, reply, terminal)),
        ("repairs", _repairs(check, reply, terminal)),
        ("value", terminal.safe(value_text(schema, check)))
        if check.ok
        else ("errors", _errors(check, reply, terminal)),
    ]
    return "\n\n".join(
        f"{terminal.style(f'{heading}:', 'strong')}\n{text}" for heading, text in sections if text
    )


def _parts(segments: Sequence[Segment], reply: Source) -> str:
    """A row for each part that is not blank: its lines, its kind, its beginning."""
    found = [part for part in segments if not _slice(reply, part.span).isspace()]
    hidden = len(found) - _FIRST_PARTS - _LAST_PARTS
    shown = found if hidden <= 0 else [*found[:_FIRST_PARTS], *found[-_LAST_PARTS:]]
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
    return f"{_KINDS[part.kind]}{label}{fate if part.closed else ', unclosed'}"


def _preview(part: Segment, reply: Source) -> str:
    """How a part begins; a token has only its name."""
    if part.kind == "token":
        return ""
    text = _slice(reply, part.body).lstrip()
    return _visible(_shortened(" ".join(text[:_SCANNED].split()), _PREVIEW))


def _shortened(text: str, most: int) -> str:
    return f"{text[:most]}…" if len(text) > most else text


def _candidates(check: Check, reply: Source, terminal: Terminal) -> str:
    """The answer, or the candidate nearest to one; then the others."""
    lines = []
    if check.ok and check.span is not None:
        lines.append(_at(check.span, "this is the answer", "", reply, terminal))
    nearest = None if check.ok or check.reason == "ambiguous" else check.span
    others = sorted(check.rejected, key=lambda other: other.span != nearest)
    for one in others[:_SHOWN]:
        is_nearest = one.span == nearest and len(others) > 1
        fate = "rejected, the nearest to an answer" if is_nearest else "rejected"
        lines.append(_at(one.span, fate, f": {one.why}", reply, terminal))
    return "\n".join([*lines, *_more(others)]) or "  none"


def _repairs(check: Check, reply: Source, terminal: Terminal) -> str:
    if check.ok and not check.repairs:
        return "  none needed"
    shown = [_repair(one, reply, terminal) for one in check.repairs[:_SHOWN]]
    return "\n".join([*shown, *_more(check.repairs)])


def _repair(repair: Repair, reply: Source, terminal: Terminal) -> str:
    """What was written and what it was read as; a coercion with the option that allowed it."""
    before, after = _visible(repair.before), _visible(repair.after)
    path = f" at `{format_path(repair.path)}`" if repair.path else ""
    read = f"is read as `{after}`{path}" if after else "is ignored"
    kind = coercion_name(repair.kind)
    by = f"--coerce {kind}" if kind in COERCIONS else kind
    return _at(repair.span, f"`{before}` {read}", f" [{by}]", reply, terminal)


def _at(span: tuple[int, int], what: str, why: str, reply: Source, terminal: Terminal) -> str:
    """A remark on a span of the reply, which names its last line if it has several."""
    place = reply.span(*span)
    last, _ = reply.position(max(span[0], span[1] - 1))
    to = f" (to line {last})" if last > place.line else ""
    return terminal.problem(Problem("reply/explained", f"{what}{to}{why}", place))


def _more(found: Sequence[object]) -> list[str]:
    hidden = len(found) - _SHOWN
    return [f"… and {hidden:,} more; --format json lists them all"] if hidden > 0 else []


def _visible(text: str) -> str:
    """Text on one line, with escapes for what would be invisible or would move the cursor."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@click.command(
    "check",
    cls=Command,
    terms=COERCION_TERMS,
    fields={
        "ok": "Whether the reply is valid.",
        "value": "The value, or null.",
        "span": "The answer's start and end in the reply.",
        "reason, summary": "Why the reply is invalid, or null and an empty string.",
        "errors": "Objects with path, keyword, found, wanted, message, span.",
        "feedback": "What to tell the model.",
        "repairs": "Objects with kind, path, before, after, span.",
        "rejected": "Other candidates: objects with why and span.",
        "segments": "With --explain, the parts of the reply.",
        "line, id, reply_digest, schema_digest, fingerprint": "Only with --batch, which has neither"
        " span nor rejected, and whose repairs are their kinds; the fingerprint is the prompt's.",
    },
    exit_codes={
        0: "The reply, or each reply of --batch, is valid.",
        1: "A reply is invalid. Standard error has the errors, and feedback for the model.",
        2: "The prompt, the schema, or an option is invalid, or a line of --batch has no reply or"
        " could not be checked.",
    },
    examples=(
        ("against a prompt's schema", "pdl check person.pdl --reply reply.txt"),
        (
            "against a schema, from a pipe",
            "curl … | pdl check --dsl '{ name: str, age: int }' --reply -",
        ),
        ("one field", "pdl check --dsl '{ name: str }' --reply reply.txt | jq -r .name"),
        (
            "what to tell the model",
            "pdl check a.pdl --reply b.txt --format json | jq -r .feedback",
        ),
        ("in a condition", "if pdl check --dsl int --reply reply.txt >/dev/null 2>&1; then …"),
        ("see how the answer was found", "pdl check --dsl int --reply r.txt --explain"),
        ('accept "5" for 5', "pdl check --dsl int --reply r.txt --coerce numbers-in-strings"),
        (
            "many replies; run again to resume",
            "pdl check a.pdl --batch replies.jsonl --out results.jsonl",
        ),
        (
            "only the invalid ones",
            "pdl check a.pdl --batch replies.jsonl | jq -c 'select(.ok | not)'",
        ),
    ),
    short_help="Find and check the answer in a reply, or in many.",
)
@click.option(
    "--reply", type=FILE, metavar="FILE", help="The reply: a file, or - for standard input."
)
@batch_options
@schema_options
@click.option(
    "--out",
    "-o",
    type=FILE,
    metavar="FILE",
    help="Write to FILE instead of standard output. Overwrites FILE, but appends results of --batch"
    " as they come, and skips replies that already have one: run the same command again to resume.",
)
@coerce_option
@click.option(
    "--explain",
    is_flag=True,
    help="Show how the reply was read: its parts, candidates, repairs, and errors.",
)
@bundle(
    "form",
    lambda form, as_json: "json" if as_json else form,
    format_option,
    click.option("--json", "as_json", is_flag=True, hidden=True),  # its name in earlier versions
)
def command(  # noqa: PLR0913  (each is an option)
    *,
    schema: SchemaInput,
    reply: str | None,
    batch: BatchInput | None,
    out: str | None,
    coercions: Coercions,
    explain: bool,
    form: str,
) -> None:
    """Find the answer in a reply and check it against a schema.

    FILE is a prompt file; its values are needed only if its schema depends on them. Prints the
    value: JSON on one line; yes or no for yesno; plain text for str, code, and tasklist.

    With --batch, prints a JSON object on a line for each reply, in their order, and a summary to
    standard error. If the schema depends on values, a line can have its own: the object `context`
    overrides --context and --set. Skips blank lines, and reports lines without a reply. A reply
    that pdl itself fails to check has the reason `unchecked`.
    """
    if (reply is None) == (batch is None):
        found = "neither" if reply is None else "both"
        raise click.UsageError(f"expected --reply FILE or --batch FILE, found {found}")
    if reply is not None:
        code = _check_one(schema, reply, coercions, Output(out), form, explain=explain)
    else:
        assert batch is not None
        if explain:
            raise click.UsageError("--explain requires --reply; results of --batch are JSON")
        # Most calls do without it.
        check_batch = importlib.import_module("pdl.cli.batch.checking").check_batch
        code = check_batch(batch, schema.for_rows(batch.file), coercions, out)
    if code:
        raise click.exceptions.Exit(code)


def _check_one(  # noqa: PLR0913  (the options)
    origin: SchemaInput,
    reply: str,
    coercions: Coercions,
    output: Output,
    form: str,
    *,
    explain: bool,
) -> int:
    schema = origin.read(reply)
    source = read_text(reply)
    check = pdl.check(schema, source.text, coercions=coercions)
    if form == "json":
        output.write_report(_json(check, segments=explain))
    elif explain:
        output.write_report(explanation(schema, check, source, output.terminal))
    elif check.ok:
        output.write(value_text(schema, check))
    else:
        terminal = Terminal.stderr()
        terminal.write(_errors(check, source, terminal))
    return 0 if check.ok else INVALID
