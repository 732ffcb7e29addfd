"""Rendering the data of a case: what goes wrong has the place of the case."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.errors import PdlError, error_from

if TYPE_CHECKING:
    from pdl.errors import Problem
    from pdl.prompt import Prompt, Rendered
    from pdl.testing.cases import Case, Parts


def render_case(case: Case, parts: Parts, prompt: Prompt) -> Rendered:
    """Return what a prompt renders of a case's data.

    Raises PdlError, whose problems have their places in the file of cases.
    """
    try:
        return prompt.render(parts.data or {})
    except PdlError as error:
        raise error_from([_placed(case, one) for one in error.problems]) from error


def _placed(case: Case, problem: Problem) -> Problem:
    """A problem of a rendering at the place of the case, whose message names that in the prompt."""
    where = problem.location
    message = f"{where}: {problem.message}" if where is not None else problem.message
    return replace(problem, message=f"the prompt can't be rendered: {message}", span=case.span)
