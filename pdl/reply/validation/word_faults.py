"""Literals and keys that are none of those that the schema names, and which may have been meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.phrases import ROW, row, say
from pdl.reply.validation.equality import equal
from pdl.reply.validation.simple_faults import fault
from pdl.reply.wording import FOUND_WIDTH, brief, excerpt, quoted, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.result import Violation
    from pdl.reply.validation.todo import Found, Run, Task


def enum(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`enum`."""
    choices = schema["enum"]
    known = value in choices if isinstance(value, str) else any(equal(value, c) for c in choices)
    if not known:
        yield not_among(run, "enum", choices, value, path)


def const(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`const`."""
    if not equal(value, schema["const"]):
        yield not_among(run, "const", [schema["const"]], value, path)


def not_among(
    run: Run, keyword: str, choices: Sequence[Json], value: Json, path: JsonPath
) -> Violation:
    """None of the literals that are wanted; says which one may have been meant."""
    wanted = row(map(_literal, choices[:ROW]), "list-or", number=len(choices))
    if len(choices) == 1:
        message = say("must-be", wanted=wanted, found=_literal(value), hint="")
    else:
        near = _near(run, value, choices)
        hint = say("did-you-mean", near=brief(near)) if near else ""
        message = say("must-be-one-of", wanted=wanted, found=_literal(value), hint=hint)
    return fault(keyword, path, value, wanted, message)


def _literal(value: Json) -> str:
    return excerpt(value) if isinstance(value, dict | list) else brief(value)


def _near(run: Run, value: Json, choices: Sequence[Json]) -> str:
    """The text among the choices that is most like a text, if the text is short."""
    if not isinstance(value, str) or len(value) > FOUND_WIDTH:
        return ""
    return run.near(value, choices)


def unnecessary(
    run: Run, keyword: str, task: Task, names: list[str], known: list[str]
) -> Violation:
    """Keys that the schema does not know; says which one each may have been meant to be."""
    shown = [_meant(run, name, known) for name in names[:ROW]]
    message = say("unnecessary", items=row([*shown, *names[ROW:]]), number=len(names))
    wanted = say("no-other-keys")
    if known:
        wanted = say("no-other-keys-than", items=row(quoted(known)))
    return fault(keyword, task.path, task.value, wanted, message)


def _meant(run: Run, name: str, known: list[str]) -> str:
    near = _near(run, name, known)
    hint = say("did-you-mean", near=f"`{shorten(near)}`") if near else ""
    return say("key", name=shorten(name), hint=hint)
