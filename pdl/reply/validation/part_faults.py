"""What is wrong with the parts of a value, and how many parts: a function a keyword."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdl.reply.phrases import say
from pdl.reply.validation import parts
from pdl.reply.validation.simple_faults import fault
from pdl.reply.validation.todo import Found, Run, Task
from pdl.reply.validation.unevaluated import rest_of
from pdl.reply.validation.word_faults import unnecessary
from pdl.reply.wording import brief, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import Json, JsonPath
    from pdl.reply.result import Violation


def properties(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`properties`, `patternProperties`, `additionalProperties`, `propertyNames`."""
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    extra: list[str] = []
    for name, part in value.items():
        subs = parts.of_key(schema, name)
        if subs == [False] and name not in known:
            extra.append(name)
        elif part is None and name in known and name not in schema.get("required", ()):
            yield from _needless_null(run, subs, (*path, name))
        else:
            yield from (Task(sub, part, (*path, name)) for sub in subs)
        if not run.fits(schema.get("propertyNames", True), name):
            yield _bad_name(run, schema["propertyNames"], name, path)
    if extra:
        absent = [name for name in known if name not in value]
        yield unnecessary(
            run, "additionalProperties", Task(schema, value, path), extra, absent or list(known)
        )


def _needless_null(run: Run, subs: list[Json], path: JsonPath) -> Iterator[Violation]:
    """What is wrong with null for a key that need not be there; models write it for no value."""
    for sub in subs:
        for found in run.faults(Task(sub, None, path)):
            yield replace(found, message=say("or-left-out", why=found.message))


def _bad_name(run: Run, schema: Json, name: str, path: JsonPath) -> Violation:
    faults = run.faults(Task(schema, name, (*path, name)))
    found = brief(name)
    if not faults:
        message = say("bad-key", found=found)
        return fault("propertyNames", path, name, say("another-key"), message)
    why = faults[0]
    message = say("bad-key-why", found=found, why=why.message)
    return fault("propertyNames", path, name, why.wanted, message)


def items(_run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`prefixItems`, `items`."""
    if not isinstance(value, list | tuple):
        return
    prefix = len(schema.get("prefixItems", ()))
    if schema.get("items") is False and len(value) > prefix:
        wanted = say("at-most", bound=say("elements", number=prefix))
        message = say("too-long", wanted=wanted, found=str(len(value)))
        yield fault("items", path, value, wanted, message)
        value = value[:prefix]
    for index, part in enumerate(value):
        yield from (Task(sub, part, (*path, index)) for sub in parts.of_index(schema, index))


def contains(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`contains`, `minContains`, `maxContains`."""
    if not isinstance(value, list | tuple):
        return
    number = sum(run.fits(schema["contains"], part) for part in value)
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if number < least:
        bound = say("at-least", bound=say("elements", number=least))
    elif most is not None and number > most:
        bound = say("at-most", bound=say("elements", number=most))
    else:
        return
    wanted = say("such-elements", bound=bound, schema=excerpt(schema["contains"]))
    yield fault("contains", path, value, wanted, say("contains", wanted=wanted, found=str(number)))


def unevaluated(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`unevaluatedProperties`, `unevaluatedItems`."""
    kind = "unevaluatedProperties" if isinstance(value, dict) else "unevaluatedItems"
    if kind not in schema or not isinstance(value, dict | list | tuple):
        return
    document, cell = run.verdict.document, run.verdict.cell
    rest = rest_of(document, cell, schema, value, run.memo)
    if schema[kind] is False and rest and isinstance(value, dict):
        yield unnecessary(run, kind, Task(schema, value, path), rest, [])
    else:
        yield from (Task(schema[kind], value[step], (*path, step)) for step in rest)
