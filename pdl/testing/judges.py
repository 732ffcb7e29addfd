"""Judges: prompts that are asked about an answer, and what they must answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import PdlError, Problem, error_from
from pdl.models.answer import Answer
from pdl.schema.json_values import json_document
from pdl.testing.judging import expectation_problems, golden_text, value_of, values_of
from pdl.testing.outcome import Failure, Ruling

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.models.answer import AskError
    from pdl.prompt import Prompt, Rendered
    from pdl.testing.cases import Case, Judge, Parts

GIVEN = ("value", "text", "messages", "data")
"""What a judge is told of an answer, besides the names of the data."""


def render_judge(
    case: Case, judge: Judge, parts: Parts, rendered: Rendered, answer: Answer
) -> Rendered:
    """Return what a judge is asked about an answer.

    Its inputs are filled by their names: `value`, `text`, `messages`, `data`, and the names of the
    data. One that is declared as a string gets an object or a list as its JSON, and messages as
    `pdl render` prints them. Raises PdlError, whose problems have the place of the judge.
    """
    try:
        prompt = case.file.load(judge.prompt)
        return prompt.render(_inputs(prompt, parts, rendered, answer))
    except PdlError as error:
        raise error_from([_placed(judge, one) for one in error.problems]) from error


def rule(judge: Judge, result: Answer | AskError) -> Ruling:
    """Return what a judge said that was asked, and whether the case accepts it."""
    if not isinstance(result, Answer):
        message = f"the judge `{judge.prompt.name}` gave no answer: {result}"
        return Ruling(None, is_accepted=False, failures=_failed(judge, message))
    value = value_of(result)
    problems = [*expectation_problems(judge.expectation, value)]
    told = [f"the judge `{judge.prompt.name}` says no: {one.message}" for one in problems]
    return Ruling(value, not told, tuple(one for each in told for one in _failed(judge, each)))


def _failed(judge: Judge, message: str) -> tuple[Failure, ...]:
    return (Failure("judge", Problem("test/judge", message, judge.span)),)


def _placed(judge: Judge, problem: Problem) -> Problem:
    where = problem.location
    more = f" (in {where})" if where is not None else ""
    message = f"the judge `{judge.prompt.name}` can't be asked: {problem.message}{more}"
    return Problem(problem.code, message, judge.span, problem.hint)


def _inputs(prompt: Prompt, parts: Parts, rendered: Rendered, answer: Answer) -> dict[str, Json]:
    """The values of a judge's inputs, as far as they are known."""
    values = values_of(parts, rendered, answer)
    known = {**(parts.data or {}), **{name: values[name] for name in GIVEN}}
    names = prompt.variables if prompt.inputs is None else prompt.inputs.names
    found = {name: known[name] for name in names if name in known}
    if prompt.inputs is None:
        return found
    declared = prompt.inputs.schema.document.get("properties", {})
    for name, value in found.items():
        is_text = isinstance(declared.get(name), dict) and declared[name].get("type") == "string"
        if is_text and name == "messages":
            found[name] = golden_text(rendered)
        elif is_text and not isinstance(value, str):
            found[name] = json_document(value)
    return found
