"""Judging what was answered: against the expectation, the assertions, the golden messages."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.errors import Problem
from pdl.models.answer import Answer
from pdl.reply import violations
from pdl.testing.differences import differences, shown
from pdl.testing.outcome import Failure, Judgement
from pdl.testing.replies import model_failures, recorded_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl._types import Json
    from pdl.models.answer import AskError
    from pdl.prompt import Rendered
    from pdl.source import Source, Span
    from pdl.testing.cases import Case, Expectation, Parts, Recording

_MOST = 20  # differences of one value that are told


def judge_outcome(
    case: Case,
    parts: Parts,
    rendered: Rendered,
    result: Answer | AskError,
    *,
    recorded: Sequence[Recording] | None = None,
) -> Judgement:
    """Return what is to be said of an answer that was obtained for a case, or of the error.

    `recorded` are the replies on record that answered, in their order: each must be accepted or
    refused as the case says. Without them a model was asked, which must refuse to answer if the
    last reply of the case is such a refusal. The golden messages are compared with `rendered`; for
    another prompt than the case's own, pass `parts` without them.
    """
    failures = [*messages_failures(parts, rendered)]
    if recorded is not None:
        failures += recorded_failures(parts, recorded, result.attempts)
    else:
        failures += model_failures(case, parts, result, must_refuse=parts.must_refuse)
    expectation = parts.expectation
    if expectation is None:
        return Judgement(tuple(failures))
    if not isinstance(result, Answer):
        is_exact = None if expectation.exact is None else False
        return Judgement(tuple(failures), exact=is_exact, expected=False)
    value = value_of(result)
    found = [Failure("expect", one) for one in expectation_problems(expectation, value)]
    exact = not found if expectation.exact is not None else None
    return Judgement((*failures, *found), exact=exact, expected=not found)


def value_of(answer: Answer) -> Json:
    """Return the JSON of an answer; of tool calls, a list of `{name, arguments}`."""
    if answer.calls:
        return [{"name": one.name, "arguments": dict(one.arguments)} for one in answer.calls]
    return answer.data


def expectation_problems(expectation: Expectation, value: Json) -> Iterator[Problem]:
    """Yield how a value differs from what is expected."""
    source = expectation.source
    if expectation.exact is not None:
        for one in islice(differences(expectation.exact[0], value), _MOST):
            yield _problem(source, f"`{format_path(one.path)}` {one.message}")
        return
    for each in violations(expectation.schema, value)[:_MOST]:
        yield _problem(
            source, f"`{format_path(each.path)}` {each.message}", f"it is {shown(value)}"
        )


def _problem(source: Source, message: str, hint: str = "") -> Problem:
    return Problem("test/expect", message, _whole(source), hint)


def _whole(source: Source) -> Span:
    return source.span(0, len(source.text))


def messages_failures(parts: Parts, rendered: Rendered) -> Iterator[Failure]:
    """Yield how a rendering differs from the golden one of a case, if that has one."""
    golden = parts.messages
    if golden is None:
        return
    wanted, found = golden.text.split("\n"), golden_text(rendered).split("\n")
    if wanted == found:
        return
    pairs = enumerate(zip(wanted, found, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(found)))
    start = golden.offset(first + 1)
    here = shown(found[first]) if first < len(found) else "the end"
    message = f"the rendering differs here: it has {here}"
    span = golden.span(start, start + len(wanted[first]) if first < len(wanted) else start + 1)
    hint = "write the present one with `--update`"
    yield Failure("messages", Problem("test/messages", message, span, hint))


def golden_text(rendered: Rendered) -> str:
    """Return what the section `messages` of a case has: what `pdl render` prints."""
    return str(rendered).replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
