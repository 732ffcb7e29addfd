"""Rendering the data of a case: what goes wrong has the place of the case."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import PdlError, error_from

if TYPE_CHECKING:
    from pdl.errors import Problem
    from pdl.prompt import Prompt, Rendered
    from pdl.source import Span
    from pdl.testing.cases import Case, Parts

_INPUT = re.compile(r"(unknown |)input `([^`.\[]+)")


def render_case(case: Case, parts: Parts, prompt: Prompt) -> Rendered:
    """Return what a prompt renders of a case's data.

    Raises PdlError, whose problems have their places in the file of cases: that of a key of the
    data, or of the case. A prompt that can't be rendered with any data keeps its own.
    """
    try:
        return prompt.render(parts.data or {})
    except PdlError as error:
        raise error_from([_placed(case, parts, one) for one in error.problems]) from error


def check_data(case: Case, parts: Parts, prompt: Prompt) -> None:
    """Raise PdlError for data that a prompt refuses, as `render_case` does; nothing is rendered."""
    if prompt.inputs is None:
        return
    try:
        prompt.inputs.filled(parts.data or {})
    except PdlError as error:
        raise error_from([_placed(case, parts, one) for one in error.problems]) from error


def _placed(case: Case, parts: Parts, problem: Problem) -> Problem:
    """A problem of a rendering at the place of the case; its message names that in the prompt."""
    where = problem.location
    named = _INPUT.search(problem.message) if problem.code.startswith("input/") else None
    span = key_span(parts, named[2]) if named is not None else None
    hint = "add it to `<|data|>`" if problem.hint.startswith("pass it ") else problem.hint
    if problem.code == "input/missing":
        hint = "add it to `<|data|>`"
    message = problem.message if where is None else f"{problem.message} (in {where})"
    return replace(problem, message=message, span=span or case.span, hint=hint)


def key_span(parts: Parts, name: str) -> Span | None:
    """Return where the data of a case have a key; None for a key in another spelling."""
    quoted = re.escape(name)
    for source in reversed(parts.data_sources):
        for pattern in (rf"^\s*({quoted})[^\S\n]*:", rf"[\"']({quoted})[\"']\s*:"):
            found = re.search(pattern, source.text, re.MULTILINE)
            if found is not None:
                return source.span(*found.span(1))
    return None
