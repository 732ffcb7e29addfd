"""Which branch of a union a value that fits none was meant for, and what to say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.reply.phrases import kinds, row, say
from pdl.reply.validation.references import Document, branches
from pdl.reply.validation.schema_walk import root_kinds
from pdl.reply.validation.simple_faults import fault, wrong_type
from pdl.reply.validation.word_faults import not_among
from pdl.reply.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from pdl._types import Json, JsonPath
    from pdl.reply.result import Violation
    from pdl.reply.validation.todo import Mark, Run, Union

    Faults: TypeAlias = tuple[Violation, ...]

_PLAIN = frozenset(["type", "enum", "const", "false"])
_SIMPLE = frozenset(
    (
        *("format", "pattern", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    )
)
_KEYS = frozenset(["required", "additionalProperties", "unevaluatedProperties"])


def nearest(run: Run, union: Union, known: Mapping[Mark, Faults]) -> Iterator[Violation]:
    """The violations of the branch that the value comes nearest to: by type, then by number."""
    if not union.branches:
        return
    path = union.branches[0].path
    found = [known[id(branch.schema), branch.path] for branch in union.branches]
    plain = [_is_plain(faults, path) for faults in found]
    if all(plain):
        yield _merged(run, union, [faults[0] for faults in found])
        return
    meant = [at for at, other in enumerate(plain) if not other]
    if len(meant) > 1:
        if all(_is_simple(found[at], path) for at in meant):
            yield _either(union, [found[at][0] for at in meant])
            return
        yield _fits_none(union, len(meant))
    yield from min((found[at] for at in meant), key=lambda faults: _distance(faults, path))


def _is_plain(faults: Faults, path: JsonPath) -> bool:
    """Whether a branch wants a value of another type, or another literal."""
    return len(faults) == 1 and faults[0].path == path and faults[0].keyword in _PLAIN


def _is_simple(faults: Faults, path: JsonPath) -> bool:
    """Whether a branch wants a scalar of the same type with another value."""
    return len(faults) == 1 and faults[0].path == path and faults[0].keyword in _SIMPLE


def _either(union: Union, faults: Sequence[Violation]) -> Violation:
    task = union.branches[0]
    wanted = row(dict.fromkeys(fault.wanted for fault in faults), "list-or")
    message = say("must-be", wanted=wanted, found=brief(task.value), hint="")
    return fault(union.keyword, task.path, task.value, wanted, message)


def _fits_none(union: Union, number: int) -> Violation:
    task = union.branches[0]
    message = say("no-variant", number=number)
    return fault(union.keyword, task.path, task.value, say("some-variant", number=number), message)


def _distance(faults: Faults, path: JsonPath) -> tuple[bool, int, int]:
    """How far a value is from a branch: another type, other keys, more violations."""
    other = any(fault.path == path and fault.keyword in _PLAIN for fault in faults)
    keys = sum(fault.keyword in _KEYS for fault in faults)
    literals = sum(len(fault.path) == len(path) + 1 and fault.keyword in _PLAIN for fault in faults)
    return other, keys + literals, len(faults)


# Branches that are no more than types and literals


def _merged(run: Run, union: Union, faults: list[Violation]) -> Violation:
    """One violation for branches that all want another type or another literal."""
    task, document = union.branches[0], run.verdict.document
    whole = [one for branch in union.branches for one in branches(document, branch.schema)]
    keywords = {fault.keyword for fault in faults}
    if keywords == {"type"}:
        return wrong_type(_kinds(whole), task.value, task.path)
    if keywords <= {"enum", "const"}:
        return not_among(run, union.keyword, _literals(whole), task.value, task.path)
    typed = [b for b, f in zip(union.branches, faults, strict=True) if f.keyword == "type"]
    names = [kind for branch in typed for kind in _root_names(document, branch.schema)]
    literals = [brief(value) for value in _literals(whole)]
    wanted = row(dict.fromkeys([*literals, *(kinds([name]) for name in names)]), "list-or")
    message = say("must-be", wanted=wanted, found=brief(task.value), hint="")
    return fault(union.keyword, task.path, task.value, wanted, message)


def _root_names(document: Document, schema: Json) -> list[str]:
    kinds = root_kinds(document, schema)
    return sorted(kind for kind in kinds if not (kind == "integer" and "number" in kinds))


def _kinds(schemas: list[Mapping[str, Any]]) -> list[str]:
    named = [schema.get("type", ()) for schema in schemas]
    kinds = [kind for names in named for kind in ([names] if isinstance(names, str) else names)]
    return list(dict.fromkeys(kinds))


def _literals(schemas: list[Mapping[str, Any]]) -> list[Json]:
    found: list[Json] = []
    for schema in schemas:
        found += schema.get("enum", ())
        found += [schema["const"]] if "const" in schema else []
    return found
