"""What is wrong with a value where schemas are combined: a function a keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.phrases import kinds, row, say
from pdl.reply.validation.references import resolve
from pdl.reply.validation.schema_walk import forbids_all
from pdl.reply.validation.simple_faults import fault, unwelcome
from pdl.reply.validation.todo import Found, Run, Task, Union
from pdl.reply.validation.word_faults import not_among
from pdl.reply.wording import brief, excerpt, quoted, shown_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json, JsonPath

_LITERAL = frozenset(["enum", "const"])


def reference(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`$ref`."""
    yield Task(resolve(run.verdict.document, schema["$ref"]), value, path)


def all_of(_run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`allOf`."""
    for sub in schema["allOf"]:
        yield Task(sub, value, path)


def dependent(_run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`dependentSchemas`."""
    for name, sub in schema["dependentSchemas"].items():
        if isinstance(value, dict) and name in value:
            yield Task(sub, value, path)


def condition(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`if`, `then`, `else`."""
    word = "then" if run.fits(schema["if"], value) else "else"
    yield Task(schema.get(word, True), value, path)


def forbidden(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`not`."""
    sub = schema["not"]
    if not run.fits(sub, value):
        return
    if forbids_all(schema):
        yield unwelcome("not", value, path)
    elif isinstance(sub, dict) and list(sub) == ["type"]:
        items = kinds([sub["type"]] if isinstance(sub["type"], str) else sub["type"])
        message = say("forbidden-values", items=items)
        yield fault("not", path, value, say("none-of-those", items=items), message)
    elif isinstance(sub, dict) and list(sub) == ["required"]:
        names = row(quoted(sub["required"]), "list-and")
        message = say("forbidden-keys", items=names)
        yield fault("not", path, value, say("none-of-those", items=names), message)
    elif isinstance(sub, dict) and not _LITERAL.isdisjoint(sub):
        choices = sub["enum"] if "enum" in sub else [sub["const"]]
        items = row(map(brief, choices), "list-or")
        message = say("forbidden-values", items=items)
        yield fault("not", path, value, say("none-of-those", items=items), message)
    else:
        shown = excerpt(sub)
        message = say("forbidden", schema=shown, found=brief(value))
        yield fault("not", path, value, say("all-but", schema=shown), message)


def any_of(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`anyOf`."""
    if not any(run.fits(sub, value) for sub in schema["anyOf"]):
        yield from _union(run, "anyOf", schema["anyOf"], value, path)


def one_of(run: Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    """`oneOf`."""
    fitting = [str(at) for at, sub in enumerate(schema["oneOf"], 1) if run.fits(sub, value)]
    if len(fitting) > 1:
        number = len(schema["oneOf"])
        wanted = say("one-alternative", number=number)
        message = say("several-fit", number=number, items=row(fitting, "list-and"))
        yield fault("oneOf", path, value, wanted, message)
    elif not fitting:
        yield from _union(run, "oneOf", schema["oneOf"], value, path)


def _union(run: Run, keyword: str, schemas: list[Json], value: Json, path: JsonPath) -> Found:
    """A union whose branches a key tells apart has the violations of the branch that is named."""
    tag = run.discriminator(schemas) if isinstance(value, dict) else None
    if not tag:
        yield Union(keyword, tuple(Task(sub, value, path) for sub in schemas))
        return
    branch = tag.branch(value)
    if branch is not None:
        yield Task(schemas[branch], value, path)
    elif tag.name in value:
        yield not_among(run, "enum", tag.values, value[tag.name], (*path, tag.name))
    else:
        wanted = row(map(brief, tag.values), "list-or")
        message = say("missing-tag", name=shown_key(tag.name), wanted=wanted)
        yield fault("required", path, value, row(quoted([tag.name])), message)
