"""What is wrong with a prompt, as `pdl lint` says it, and with anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.errors import Problem
    from pdl.play.looking.subject import Draft, Subject

_PLACE = ("file", "line", "column", "end_line", "end_column")


def problems(subject: Subject) -> Json:
    """Return the findings, in the order of the text."""
    draft = subject.draft
    return [{**problem(draft, one.problem), "severity": one.severity} for one in draft.findings]


def problem(draft: Draft, one: Problem) -> dict[str, Json]:
    """Return a problem; `file` is that of another file than the prompt, which names it."""
    told: dict[str, Json] = {
        "code": one.code,
        "severity": "error",
        "message": one.message,
        "hint": one.hint,
        **dict.fromkeys(_PLACE),
    }
    place = one.location
    if place is None:
        return told
    file = None if draft.lines.is_of(place.source) else place.source.name
    if file == draft.name:
        return told  # its place is in a text that was there before
    return told | dict(zip(_PLACE, (file, *draft.lines.range(place)), strict=True))


def failure(draft: Draft, one: Problem) -> dict[str, Json]:
    """Return why a part could not be made; only a place in the prompt has a line."""
    told = problem(draft, one)
    if told["file"] is not None:
        told |= {"line": None, "column": None}
    return {key: told[key] for key in ("message", "hint", "file", "line", "column")}
