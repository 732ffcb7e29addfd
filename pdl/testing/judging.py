"""Judging what was answered: against the expectation, the assertions, the golden messages."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pdl._types import format_path
from pdl.errors import Problem
from pdl.models.answer import Answer
from pdl.models.exchange import Usage
from pdl.reply import violations
from pdl.schema.keywords import pointer
from pdl.schema.parts import spans
from pdl.testing.assertions import failed_assertions
from pdl.testing.differences import differences, shown
from pdl.testing.outcome import Failure, Judgement
from pdl.testing.replies import model_failures, recorded_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl._types import Json, JsonPath
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
    is_fine = not any(one.kind == "reply" for one in failures)
    if parts.assertions and (isinstance(result, Answer) or is_fine):
        values = values_of(parts, rendered, result)
        found = failed_assertions(parts.assertions, values)
        failures += [Failure("assert", one) for one in found]
    expectation = parts.expectation
    if expectation is None:
        return Judgement(tuple(failures))
    if not isinstance(result, Answer):
        is_exact = None if expectation.exact is None else False
        return Judgement(tuple(failures), exact=is_exact, expected=False)
    differing = [*expectation_problems(expectation, value_of(result))]
    failures += [Failure("expect", one) for one in differing]
    is_exact = not differing if expectation.exact is not None else None
    return Judgement(tuple(failures), exact=is_exact, expected=not differing)


def values_of(parts: Parts, rendered: Rendered, result: Answer | AskError) -> dict[str, Json]:
    """Return the values of the names that an assertion reads."""
    last = result.attempts[-1] if result.attempts else None
    check = last.check if last is not None else None
    is_answer = isinstance(result, Answer)
    return {
        "value": value_of(result) if isinstance(result, Answer) else None,
        "text": last.reply.text if last is not None and last.reply is not None else "",
        "data": dict(parts.data or {}),
        "messages": [{"role": one.role, "text": one.text} for one in rendered.messages],
        "repairs": [
            {"kind": one.kind, "before": one.before, "after": one.after}
            for one in (check.repairs if check is not None else ())
        ],
        "attempts": len(result.attempts),
        "usage": {name: getattr(result.usage, name) for name in Usage.__slots__},
        "seconds": result.seconds,
        "calls": value_of(result) if isinstance(result, Answer) and result.calls else [],
        "reason": "" if is_answer or check is None else check.reason,
        "errors": [
            {"path": format_path(one.path), "message": one.message}
            for one in (check.errors if check is not None else ())
        ],
        "feedback": check.feedback if check is not None else "",
    }


def value_of(answer: Answer) -> Json:
    """Return the JSON of an answer; of tool calls, a list of `{name, arguments}`."""
    if answer.calls:
        return [{"name": one.name, "arguments": dict(one.arguments)} for one in answer.calls]
    return answer.data


def expectation_problems(expectation: Expectation, value: Json) -> Iterator[Problem]:
    """Yield how a value differs from what is expected, each at the part of the expectation."""
    source = expectation.source
    if expectation.exact is None:
        for number, each in enumerate(violations(expectation.schema, value)[:_MOST]):
            hint = "" if number else f"the value is {shown(value)}"
            message = f"`{format_path(each.path)}` {each.message}"
            yield Problem("test/expect", message, _key_span(source, each.path), hint)
        return
    found = list(islice(differences(expectation.exact[0], value), _MOST))
    places = spans(source, {pointer(one.nearest) for one in found})
    for one in found:
        span = places.get(pointer(one.nearest), _whole(source))
        yield Problem("test/expect", f"`{format_path(one.path)}` {one.message}", span)


def _key_span(source: Source, path: JsonPath) -> Span:
    """Where a schema in the notation declares a field, if one field only has that name."""
    names = [step for step in path if isinstance(step, str)]
    if names:
        key = re.escape(names[-1])
        found = [*re.finditer(rf"(?<![\w-])[\"']?({key})[\"']?\s*\??\s*:", source.text)]
        if len(found) == 1:
            return source.span(*found[0].span(1))
    return _whole(source)


def _whole(source: Source) -> Span:
    """The first line of a text."""
    return source.span(0, len(source.text.partition("\n")[0]))


def messages_failures(parts: Parts, rendered: Rendered) -> Iterator[Failure]:
    """Yield how a rendering differs from the golden one of a case, if that has one."""
    golden = parts.messages
    if golden is None:
        return
    wanted, found = golden.text.split("\n"), golden_text(rendered).split("\n")
    if wanted == found:
        return
    hint = "write the present one: `pdl test --update`, or `pytest --pdl-update`"
    if not golden.text:
        message = "the golden rendering is not written yet"
        yield Failure("messages", Problem("test/messages", message, golden.span(0), hint))
        return
    pairs = enumerate(zip(wanted, found, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(found)))
    start = golden.offset(first + 1)
    here = shown(found[first]) if first < len(found) else "the end"
    message = f"the rendering differs here: it has {here}"
    span = golden.span(start, start + len(wanted[first]) if first < len(wanted) else start + 1)
    yield Failure("messages", Problem("test/messages", message, span, hint))


def golden_text(rendered: Rendered) -> str:
    """Return what the section `messages` of a case has: what `pdl render` prints."""
    return str(rendered).replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
