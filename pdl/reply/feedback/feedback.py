"""Feedback: what is wrong with a reply and where, then what to return. And a line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import JsonPath, format_path
from pdl.reply.feedback.expected import instruction, is_scalar
from pdl.reply.forms import form_of
from pdl.reply.phrases import Phrase, row, say
from pdl.reply.validation.messages import is_full
from pdl.reply.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.result import Check, Violation
    from pdl.schema import Schema

_PATH_WIDTH = 120  # characters of a path that are written
_LISTED = 10  # violations that feedback names
_MANY = 3  # equal violations of elements that share one sentence

_FIRST_AID = {"lone-backslash": "double-backslashes", "broken-escape": "double-backslashes"}
"""Advice before the last sentence, by the key of the first message."""
_BY_KEY = {"too-many-characters": "be-shorter", "endless-reasoning": "close-reasoning"}
_BY_REASON = {"truncated": "be-shorter", "elided": "be-complete", "limit": "be-simpler"}
"""The last sentence, by the key of the first message or else by the reason."""


def feedback(schema: Schema | None, check: Check) -> str:
    """Return the feedback of a check that failed, a sentence a line."""
    return "\n".join(lines(schema, check))


def lines(schema: Schema | None, check: Check) -> list[Phrase]:
    """Return the sentences of the feedback: those that name an error and its place, then advice."""
    key = _message(check.errors[0]).key
    aid = [say(_FIRST_AID[key])] if key in _FIRST_AID else []
    return [*_violations(check), *aid, _advice(schema, check, key)]


def summary(check: Check) -> str:
    """Return one line for people: the reason, the first violation, and how many more there are."""
    first, *others = check.errors
    path = _path_of(first)
    subject = f"`{_place(path)}`" if path else "the reply"
    least = "at least " if is_full(check.errors) else ""
    more = f" (and {least}{len(others)} more)" if others else ""
    place = f" at characters {check.span[0]} to {check.span[1]}" if check.span else ""
    return f"{check.reason}: {subject} {first.message}{more}{place}"


def _violations(check: Check) -> list[Phrase]:
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
    """Group the violations of many elements that have the same message; keep the order."""
    groups: dict[tuple[object, ...], list[Violation]] = {}
    for error in errors:
        place = tuple(step if isinstance(step, str) else None for step in error.path)
        groups.setdefault((place, error.message), []).append(error)
    found: list[list[Violation]] = []
    for group in groups.values():
        found += [group] if len(group) >= _MANY else [[error] for error in group]
    return found


def _sentence(error: Violation, *others: Violation) -> Phrase:
    subject = _subject(_path_of(error))
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


def _path_of(error: Violation) -> JsonPath:
    """Where a message belongs: an ambiguity to the whole reply, though its answers have a path."""
    return () if error.keyword == "ambiguous" else error.path


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


def _advice(schema: Schema | None, check: Check, key: str) -> Phrase:
    """The last sentence: what to return."""
    first = check.errors[0]
    if advice := _BY_KEY.get(key) or _BY_REASON.get(str(check.reason)):
        return say(advice)
    if check.reason != "wrong-schema" or is_scalar(schema):
        return instruction(schema)
    if not first.path and (first.keyword == "type" or form_of(schema) == "code"):
        return instruction(schema)
    if form_of(schema) == "text" and first.keyword in {"format", "pattern"}:
        return say("give-bare-text")
    return say("correct", number=len(check.errors))
