"""The check of a reply, with its places in code units, and its repairs in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl._types import format_path
from pdl.play.looking.bounds import MOST_LISTED
from pdl.play.looking.offsets import Offsets

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.play.looking.subject import Subject
    from pdl.reply import Check, Repair

_WORDS = {
    "quotes": "other quotation marks",
    "inner-quotes": "quotation marks inside a string",
    "missing-quote": "a quotation mark is missing",
    "bare-key": "a key without quotation marks",
    "bare-value": "a string without quotation marks",
    "python-literal": "a constant as Python and others write it",
    "number": "a number in another spelling",
    "comment": "a comment",
    "trailing-comma": "a comma after the last item",
    "extra-comma": "one comma too many",
    "missing-comma": "a comma is missing",
    "colon": "another sign between a key and its value",
    "missing-closer": "a closing bracket is missing",
    "extra-closer": "one closing bracket too many",
    "raw-control": "a control character in a string",
    "escape": "an escape that JSON doesn't have",
    "blank": "an unusual space",
    "full-width": "a full-width sign",
    "brackets": "other brackets",
    "duplicate-key": "a key that appears twice, with equal values",
    "concatenation": "a string in several pieces",
    "escaped": "JSON whose quotation marks are escaped",
    "case": "uppercase and lowercase letters",
    "tool-call": "an answer inside a tool call",
    "json-lines": "consecutive values, read as a list",
    "numbers_in_strings": "a number in a string",
    "thousands": "commas between groups of digits",
    "words_in_strings": "true, false or null in a string",
    "enum_case": "uppercase and lowercase letters of an enum's value",
    "key_case": "a key in another spelling",
    "single_to_list": "one value where a list is expected",
    "json_in_strings": "JSON in a string",
    "unwrap": "a value inside a wrapper",
    "null_to_absent": "null for a field that can be absent",
}
"""What each kind of repair reads; the last ones are coercions."""


def check(subject: Subject) -> Json:
    """Return the check of the reply; null without one."""
    found = subject.check()
    if found is None or subject.reply is None:
        return None
    return check_fields(found, Offsets(subject.reply))


def check_fields(found: Check[Any], at: Offsets) -> dict[str, Json]:
    """Return a check as JSON; `more` counts what its lists leave out."""
    listed = (found.repairs, found.errors, found.rejected, found.segments)
    return {
        "ok": found.ok,
        "reason": found.reason,
        "summary": found.summary,
        "value": found.data,
        "span": at.span(found.span),
        "repairs": [_repair(one, at) for one in found.repairs[:MOST_LISTED]],
        "errors": [
            {
                "path": format_path(one.path),
                "message": one.message,
                "keyword": one.keyword,
                "span": at.span(one.span),
            }
            for one in found.errors[:MOST_LISTED]
        ],
        "rejected": [
            {"span": at.span(one.span), "why": one.why} for one in found.rejected[:MOST_LISTED]
        ],
        "segments": [
            {
                "kind": one.kind,
                "span": at.span(one.span),
                "body": at.span(one.body),
                "label": one.label,
                "closed": one.closed,
            }
            for one in found.segments[:MOST_LISTED]
        ],
        "feedback": found.feedback,
        "more": sum(max(len(one) - MOST_LISTED, 0) for one in listed),
    }


def _repair(one: Repair, at: Offsets) -> Json:
    kind = _WORDS.get(one.kind, one.kind.replace("_", " ").replace("-", " "))
    became = f"read as `{one.after}`" if one.after else "ignored"
    return {
        "kind": one.kind,
        "words": f"{kind}: `{one.before}` is {became}" if one.before else f"{kind}: {became}",
        "span": at.span(one.span),
        "before": one.before,
        "after": one.after,
        "path": format_path(one.path),
    }
