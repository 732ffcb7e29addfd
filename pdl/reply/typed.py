"""Typed checks: the instance of a schema's Python type, and the rules that a program adds."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from itertools import takewhile
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from pdl.reply.instances import convert
from pdl.reply.parsing.events import placed
from pdl.reply.phrases import say
from pdl.reply.result import Parsed, Violation
from pdl.reply.rules import ConversionError, violations_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdl.reply.result import Check
    from pdl.schema import Schema


def typed(check: Check, schema: Schema | None, reply: str) -> Check:
    """Return a new check, with an instance of the schema's Python type as its value.

    Or one that is not `ok`, because a validator or a rule of the type refuses the value. The answer
    is somewhere in the reply if the check has no span. Raises what a rule raises.
    """
    if schema is None or schema.python_type is None or check.reason is not None:
        return check
    start, end = check.span or (0, len(reply))
    data = check.value
    try:
        if check.is_whole:
            made = convert(schema.python_type, data, reply, is_json=True)
        else:
            made = convert(schema.python_type, data, reply[start:end])
    except ConversionError as error:
        return refused(check, schema, error.violations, reply)
    except RecursionError as error:
        if _is_of_program(error):
            raise
        return refused(check, schema, (Violation((), say("nested-too-deep"), "limit"),))
    # A copy would take longer than pydantic, and nobody else has the check yet.
    vars(check).update(value=made, _json=(data,))
    return check


def _is_of_program(error: RecursionError) -> bool:
    """Whether a rule or a class of the program used most of the stack, not the conversion."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    ours = sum(1 for _ in takewhile(lambda name: name.startswith("pdl."), modules))
    return 2 * ours < len(modules)


def refused(
    check: Check, schema: Schema | None, violations: Sequence[Violation], reply: str = ""
) -> Check:
    """Return a check that rules refuse, with what they say as its errors and feedback.

    The errors have the spans of their parts if the reply is given and has the answer as JSON.
    """
    from pdl.reply.feedback import feedback, summary  # noqa: PLC0415 - most values are accepted

    errors = tuple(replace(one, span=check.span) for one in violations)
    is_json = schema is not None and schema.form == "json" and not check.repairs
    if is_json and reply and check.span is not None:
        errors = placed(errors, Parsed(None), reply, check.span)
    wrong = replace(check, value=None, _json=None, reason="wrong-schema", errors=errors)
    return replace(wrong, feedback=feedback(schema, wrong), summary=summary(wrong))


def takes_rendered(rule: object) -> bool:
    """Return whether a rule takes the rendered prompt after the value.

    Raises TypeError for what can't be called with one or two arguments.
    """
    if not callable(rule):
        raise TypeError(f"validate must be a function or None, not {type(rule).__name__}")
    try:
        signature = inspect.signature(rule)
    except ValueError:  # some functions written in C have none
        return False
    if _binds(signature, 1):
        return False
    if _binds(signature, 2):
        return True
    raise TypeError("validate must take the value, and may take the rendered prompt after it")


def _binds(signature: inspect.Signature, number: int) -> bool:
    try:
        signature.bind(*[None] * number)
    except TypeError:
        return False
    return True


def rule_of_value(rule: object) -> Callable[[Any], object]:
    """Return a rule that takes only the value. Raises TypeError for another one."""
    if takes_rendered(rule):
        raise TypeError(
            "validate must take one argument, the value: only `Rendered.check` and `ask` have the"
            " rendered prompt"
        )
    if inspect.iscoroutinefunction(rule):
        raise TypeError("validate must not be async: only ask_async awaits it")
    found: Callable[[Any], object] = rule  # type: ignore[assignment]  # just checked
    return found


def with_rendered(rule: Callable[..., object], rendered: object) -> Callable[[Any], object]:
    """Return a rule as a function of the value alone."""
    return partial(_of_both, rule, rendered) if takes_rendered(rule) else rule


def _of_both(rule: Callable[..., object], rendered: object, value: object) -> object:
    return rule(value, rendered)


def validated(
    check: Check,
    schema: Schema | None,
    rule: Callable[[Any], object] | None,
    reply: str = "",
) -> Check:
    """Return a check after a rule of the program: it is not `ok` if the rule refuses its value.

    Raises what the rule raises other than ValueError.
    """
    if rule is None or not check.ok:
        return check
    found = violations_of(lambda: rule(check.value))
    return refused(check, schema, found, reply) if found else check
