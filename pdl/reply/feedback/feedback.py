"""What to tell the model about its reply, and one line about it for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import JsonPath, format_path
from pdl.reply.feedback.expected import wanted
from pdl.reply.forms import form_of
from pdl.reply.phrases import Phrase, row, say
from pdl.reply.validation.todo import is_full
from pdl.reply.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.result import Check, Violation
    from pdl.schema import Schema

_PATH_WIDTH = 120  # characters of a path that are written
_LISTED = 10  # violations that a feedback names
_MANY = 3  # equal violations of elements that are said in one sentence
_ADVICE = {"lone-backslash": "double-backslashes", "broken-escape": "double-backslashes"}
"""What helps against a fault, by the keys of the phrases."""

_HOW = {"truncated": "be-shorter", "elided": "be-complete", "limit": "be-simpler"}
_SOUGHT = {"code": "a-code-block", "tasklist": "a-task-list", "text": "a-text"}


def feedback(schema: Schema | None, check: Check) -> str:
    """What the model should know to do better, one sentence a line where there are several."""
    return "\n".join(lines(schema, check))


def lines(schema: Schema | None, check: Check) -> list[Phrase]:
    """The sentences of a feedback."""
    said = [_opening(schema, check), *_violations(check), *_advice(schema, check)]
    return [line for line in said if line]


def summary(check: Check) -> str:
    """One line: the reason, and the first violation with how many more there are."""
    first, *others = check.errors
    least = "at least " if is_full(check.errors) else ""
    more = f" (and {least}{len(others)} more)" if others else ""
    place = f" at characters {check.span[0]} to {check.span[1]}" if check.span else ""
    return f"{check.reason}: {_sentence(first).rstrip('.')}{more}{place}"


def _opening(schema: Schema | None, check: Check) -> Phrase | None:
    first = check.errors[0]
    match check.reason:
        case "wrong-schema" if first.keyword == "type" and not first.path:
            return _cannot_find(schema, first)  # the answer as a whole is of another type
        case "absent" if first.wanted:
            return _cannot_find(schema, first)
        case "ambiguous":
            return say("cannot-choose")
        case "unparsable":
            return say("cannot-parse")
        case "elided":
            return say("incomplete")
    return None


def _cannot_find(schema: Schema | None, first: Violation) -> Phrase:
    form = form_of(schema)
    if form == "yesno":
        return say("cannot-find", wanted=say("a-yes-or-no"))
    if form in _SOUGHT:
        return say("cannot-find", wanted=say(_SOUGHT[form]))
    if first.wanted == "JSON":
        return say("cannot-find", wanted=first.wanted)
    return say("cannot-find", wanted=row(quoted(first.wanted.split(" or ")), "list-or"))


def _violations(check: Check) -> list[Phrase]:
    if check.reason == "absent" and check.errors[0].message.startswith("holds no "):
        return []  # the opening has said so
    groups = _alike(check.errors)
    shown = [_sentence(*group) for group in groups[:_LISTED]]
    more = sum(map(len, groups[_LISTED:]))
    full = is_full(check.errors)
    if more:
        shown.append(say("at-least-more-errors" if full else "more-errors", number=more))
    elif full:
        shown.append(say("perhaps-more-errors"))
    return shown


def _alike(errors: Sequence[Violation]) -> list[list[Violation]]:
    """The violations in their order; those of many elements with the same message are one group."""
    groups: dict[tuple[object, ...], list[Violation]] = {}
    for error in errors:
        place = tuple(step if isinstance(step, str) else None for step in error.path)
        groups.setdefault((place, error.message), []).append(error)
    found: list[list[Violation]] = []
    for group in groups.values():
        found += [group] if len(group) >= _MANY else [[error] for error in group]
    return found


def _sentence(error: Violation, *others: Violation) -> Phrase:
    # An ambiguity has the path at which answers differ, but it is one of the whole reply.
    path = () if error.keyword == "ambiguous" else error.path
    subject = _subject(path)
    if others:
        paths = [_place(one.path) for one in (error, *others)]
        subject = say("each-of", items=row(quoted(paths), "list-and", most=_MANY))
    return say("sentence", subject=subject, message=_message(error))


def _message(error: Violation) -> Phrase:
    if isinstance(error.message, Phrase):
        return error.message
    return say(
        "as-said",
        text=error.message,
        reason=error.keyword,
        found=error.found,
        wanted=error.wanted,
    )


def _subject(path: JsonPath) -> Phrase:
    if not path:
        return say("output")
    if len(path) == 1 and isinstance(path[0], str) and path[0].replace("-", "_").isidentifier():
        return say("field", name=path[0])
    return say("part", path=_place(path))


def _place(path: JsonPath) -> str:
    place = format_path(path)
    half = _PATH_WIDTH // 2
    return place if len(place) <= _PATH_WIDTH else f"{place[:half]}…{place[-half:]}"


def _advice(schema: Schema | None, check: Check) -> list[Phrase | None]:
    first = check.errors[0].message
    key = first.key if isinstance(first, Phrase) else ""
    return [say(_ADVICE[key]) if key in _ADVICE else None, _what_to_give(schema, check, key)]


def _what_to_give(schema: Schema | None, check: Check, key: str) -> Phrase | None:
    if check.reason in _HOW:
        return say("be-shorter" if key == "too-many-characters" else _HOW[check.reason])
    if check.reason == "ambiguous":
        return say("be-specific", advice=wanted(schema, alone=True))
    if check.reason in {"absent", "unparsable"} or (
        check.errors[0].keyword == "type" and not check.errors[0].path
    ):
        return wanted(schema, alone=False)
    if schema and form_of(schema) == "text" and check.errors[0].keyword in {"format", "pattern"}:
        return say("give-bare-text")
    return None
