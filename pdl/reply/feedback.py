"""What to tell the model about its reply, and one line about it for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl._types import JsonPath, format_path
from pdl.reply.wanted import wanted
from pdl.reply.wording import listed, quoted

if TYPE_CHECKING:
    from pdl.reply.outcome import Check, Violation
    from pdl.schema import Schema

_PATH_WIDTH = 120  # characters of a path that are written
_LISTED = 10  # violations that a feedback names


def feedback(schema: Schema | None, check: Check) -> str:
    """What the model should know to do better, one sentence a line where there are several."""
    lines = [_opening(check), *_violations(check), _advice(schema, check)]
    return "\n".join(line for line in lines if line)


def summary(check: Check) -> str:
    """One line: the reason, and the first violation with how many more there are."""
    first, *others = check.errors
    more = f" (and {len(others)} more)" if others else ""
    place = f" at characters {check.span[0]} to {check.span[1]}" if check.span else ""
    return f"{check.reason}: {_sentence(first).rstrip('.')}{more}{place}"


def _opening(check: Check) -> str:
    first = check.errors[0]
    if check.reason == "wrong-schema":
        return _wrong_kind(first)
    if check.reason == "absent":
        return f"I cannot find {_article(first)} in your output." if first.wanted else ""
    if check.reason == "ambiguous":
        return "I do not know which answer to take."
    return {
        "unparsable": "I cannot parse your output.",
        "elided": "Your answer is not complete.",
    }.get(check.reason or "", "")


def _wrong_kind(first: Violation) -> str:
    """The answer as a whole is of another type: then the wanted one was not found."""
    if first.keyword != "type" or first.path:
        return ""
    return f"I cannot find {_article(first)} in your output."


def _article(first: Violation) -> str:
    known = {"a code block", "a task list", "text", "yes or no", "JSON"}
    if first.wanted in known:
        return first.wanted
    return listed(quoted(first.wanted.split(" or ")), " or ")


def _violations(check: Check) -> list[str]:
    if check.reason == "absent" and check.errors[0].message.startswith("holds no "):
        return []  # the opening has said so
    shown = [_sentence(error) for error in check.errors[:_LISTED]]
    if len(check.errors) > _LISTED:
        shown.append(f"There are {len(check.errors) - _LISTED} more errors.")
    return shown


def _sentence(error: Violation) -> str:
    # An ambiguity has the path at which answers differ, but it is one of the whole reply.
    path = () if error.keyword == "ambiguous" else error.path
    return f"{_subject(path)} {error.message}."


def _subject(path: JsonPath) -> str:
    if not path:
        return "Your output"
    if len(path) == 1 and isinstance(path[0], str) and path[0].replace("-", "_").isidentifier():
        return f"Field `{path[0]}` of your output"
    place = format_path(path)
    half = _PATH_WIDTH // 2
    return f"`{place}`" if len(place) <= _PATH_WIDTH else f"`{place[:half]}…{place[-half:]}`"


def _advice(schema: Schema | None, check: Check) -> str:
    if check.reason == "truncated":
        return "Answer more shortly, so that the whole answer fits."
    if check.reason == "elided":
        return "Write out all of the answer, and leave nothing out."
    if check.reason == "ambiguous":
        return "Please be specific. " + wanted(schema, alone=True)
    if check.reason in {"absent", "unparsable"} or (
        check.errors[0].keyword == "type" and not check.errors[0].path
    ):
        return wanted(schema, alone=False)
    if schema and schema.form == "text" and check.errors[0].keyword in {"format", "pattern"}:
        return "Give me just that text, without quotes or other words."
    return ""
