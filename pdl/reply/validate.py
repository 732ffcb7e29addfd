"""All that is wrong with a value: a function a keyword, each yielding what it finds.

Runs only for values that do not fit. Parts of the value become tasks on a list, so that only unions
take frames of Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl._types import JsonPath
from pdl.reply import late
from pdl.reply.evaluated import rest_of
from pdl.reply.kinds import KINDS, kind_of
from pdl.reply.outcome import Violation
from pdl.reply.references import Document, branches, resolve
from pdl.reply.simple_faults import SIMPLE, fault, unnecessary
from pdl.reply.verdict import Verdict, verdict_of
from pdl.reply.wording import brief, count, listed, quoted

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.reply.compiled import Memo
    from pdl.schema import Schema

_KEPT = 60  # violations of one branch of a union that are kept
_FAR = 1_000  # more violations than any branch keeps


@dataclass(frozen=True, slots=True)
class Task:
    """A part of the value that is to be held against a subschema."""

    schema: Json
    value: Json
    path: JsonPath


@dataclass(frozen=True, slots=True)
class Union:
    """Branches none of which the value fits; the one that it is nearest to has its violations."""

    keyword: str
    branches: tuple[Task, ...]


Found: TypeAlias = Iterator[Violation | Task | Union]
_Mark: TypeAlias = tuple[int, JsonPath]


class _Frame:
    """A task whose violations are being collected, and what is still to be looked at for it."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.pending: list[Task | Union] = [task]
        self.seen: set[_Mark] = set()
        self.found: dict[tuple[JsonPath, str, str], Violation] = {}

    def add(self, violation: Violation) -> None:
        self.found.setdefault((violation.path, violation.keyword, violation.message), violation)


@dataclass
class _Run:
    verdict: Verdict
    memo: Memo = field(default_factory=dict)
    branches: dict[_Mark, tuple[Violation, ...]] = field(default_factory=dict)

    def fits(self, schema: Json, value: Json) -> bool:
        return self.verdict.cell(schema)[0](value, self.memo)

    def faults(self, task: Task) -> list[Violation]:
        """All violations of a task, in the order of the value's parts.

        Branches of unions are frames on a stack, and each is looked at once for each place: unions
        inside unions would otherwise double the work, and the depth, with each level of the value.
        """
        root = _Frame(task)
        stack = [root]
        while stack:
            frame = stack[-1]
            if frame.pending:
                deeper = self._step(frame)
                if deeper:
                    stack.append(_Frame(deeper))
            else:
                stack.pop()
                kept = tuple(frame.found.values())[:_KEPT]
                self.branches[id(frame.task.schema), frame.task.path] = kept
        return list(root.found.values())

    def _step(self, frame: _Frame) -> Task | None:
        """Look at the next thing of a frame, or name the branch to be looked at before it."""
        item = frame.pending.pop()
        if isinstance(item, Union):
            unknown = next(
                (b for b in item.branches if (id(b.schema), b.path) not in self.branches), None
            )
            if unknown:
                frame.pending.append(item)
                return unknown
            for violation in _nearest(self, item):
                frame.add(violation)
        elif (mark := (id(item.schema), item.path)) not in frame.seen:
            frame.seen.add(mark)
            further: list[Task | Union] = []
            for found in _look(self, item):
                frame.add(found) if isinstance(found, Violation) else further.append(found)
            frame.pending += reversed(further)
        return None


def violations(schema: Schema, value: Json) -> tuple[Violation, ...]:
    """All that is wrong with a Python value; an empty tuple if it fits.

    A tuple counts as an array. Raises RecursionError for a value that is nested beyond all limits.
    """
    return violations_of(schema.document, value)


def violations_of(document: Document, value: Json) -> tuple[Violation, ...]:
    """The same for a bare JSON Schema document."""
    verdict = verdict_of(document)
    if verdict(value):
        return ()
    found = _Run(verdict).faults(Task(document, value, ()))
    return tuple(found) or (fault("schema", (), value, "a value that fits", "does not fit"),)


def _look(run: _Run, task: Task) -> Found:
    schema, value, path = task.schema, task.value, task.path
    if isinstance(schema, bool):
        if not schema:
            yield fault("false", path, value, "nothing", "must not be there")
        return
    if "type" in schema:
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(KINDS[kind](value) for kind in kinds):
            yield wrong_type(kinds, value, path)
            return
    for keyword, look in SIMPLE.items():
        if keyword in schema:
            yield from look(schema, value, path)
    for keywords, find in _COMPOUND:
        if any(keyword in schema for keyword in keywords):
            yield from find(run, schema, value, path)


def wrong_type(kinds: list[str], value: Json, path: JsonPath) -> Violation:
    """`integer` was wanted, and something else stands there."""
    wanted = listed(quoted(kinds), " or ")
    message = f"has a wrong type: it must be {wanted}, not `{kind_of(value)}`"
    return fault("type", path, value, wanted.replace("`", ""), message)


# Keywords that look at parts of the value


def _properties(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    extra: list[str] = []
    for name, part in value.items():
        subs = ([known[name]] if name in known else []) + _matching(schema, name)
        if not subs and others is False:
            extra.append(name)
        else:
            yield from (Task(sub, part, (*path, name)) for sub in subs or [others])
        if not run.fits(schema.get("propertyNames", True), name):
            yield _bad_name(run, schema["propertyNames"], name, path)
    if extra:
        absent = [name for name in known if name not in value]
        yield unnecessary("additionalProperties", extra, absent or list(known), value, path)


def _matching(schema: Mapping[str, Any], name: str) -> list[Json]:
    patterns = schema.get("patternProperties", {})
    return [sub for p, sub in patterns.items() if late.compile_pattern(p)(name)]


def _bad_name(run: _Run, schema: Json, name: str, path: JsonPath) -> Violation:
    why = run.faults(Task(schema, name, (*path, name)))
    reason = f", for the key {why[0].message}" if why else ""
    message = f"has a key that is not allowed: {brief(name)}{reason}"
    return fault("propertyNames", path, name, why[0].wanted if why else "another key", message)


def _items(_run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    if not isinstance(value, list | tuple):
        return
    prefix = schema.get("prefixItems", [])
    items = schema.get("items", True)
    if items is False and len(value) > len(prefix):
        wanted = f"at most {count(len(prefix), 'element')}"
        message = f"is too long: make sure that it has {wanted}, not {len(value)}"
        yield fault("items", path, value, wanted, message)
        value = value[: len(prefix)]
    for index, part in enumerate(value):
        yield Task(prefix[index] if index < len(prefix) else items, part, (*path, index))


def _contains(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    if not isinstance(value, list | tuple):
        return
    number = sum(run.fits(schema["contains"], part) for part in value)
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    if number < least or (most is not None and number > most):
        bound = f"at least {least}" if number < least else f"at most {most}"
        wanted = f"{bound} of the elements that the schema asks for"
        yield fault("contains", path, value, wanted, f"must have {wanted}, not {number}")


def _unevaluated(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    kind = "unevaluatedProperties" if isinstance(value, dict) else "unevaluatedItems"
    if kind not in schema or not isinstance(value, dict | list | tuple):
        return
    document, cell = run.verdict.document, run.verdict.cell
    rest = rest_of(document, cell, schema, value, run.memo)
    if schema[kind] is False and rest and isinstance(value, dict):
        yield unnecessary(kind, rest, [], value, path)
    else:
        yield from (Task(schema[kind], value[step], (*path, step)) for step in rest)


# Keywords that combine schemas


def _reference(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    yield Task(resolve(run.verdict.document, schema["$ref"]), value, path)


def _all_of(_run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    for sub in schema["allOf"]:
        yield Task(sub, value, path)


def _dependent(_run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    for name, sub in schema["dependentSchemas"].items():
        if isinstance(value, dict) and name in value:
            yield Task(sub, value, path)


def _condition(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    word = "then" if run.fits(schema["if"], value) else "else"
    yield Task(schema.get(word, True), value, path)


def _not(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    forbidden = schema["not"]
    if run.fits(forbidden, value):
        if isinstance(forbidden, dict) and list(forbidden) == ["required"]:
            names = listed(quoted(forbidden["required"]), " and ")
            yield fault("not", path, value, f"not {names}", f"must not have {names}")
        else:
            message = f"is what the schema forbids here: {brief(value)}"
            yield fault("not", path, value, "another value", message)


def _any_of(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    if not any(run.fits(sub, value) for sub in schema["anyOf"]):
        yield Union("anyOf", tuple(Task(sub, value, path) for sub in schema["anyOf"]))


def _one_of(run: _Run, schema: Mapping[str, Any], value: Json, path: JsonPath) -> Found:
    number = sum(run.fits(sub, value) for sub in schema["oneOf"])
    if number > 1:
        wanted = "a value that fits exactly 1 of the alternatives"
        yield fault("oneOf", path, value, wanted, f"must be {wanted}: it fits {number} of them")
    elif not number:
        yield Union("oneOf", tuple(Task(sub, value, path) for sub in schema["oneOf"]))


def _nearest(run: _Run, union: Union) -> Iterator[Violation]:
    """The violations of the branch that the value comes nearest to."""
    path = union.branches[0].path if union.branches else ()
    found = [run.branches[id(branch.schema), branch.path] for branch in union.branches]
    faults = [branch for branch in found if branch]
    here = [branch[0] for branch in faults if _is_plain(branch, path)]
    if faults and len(here) == len(faults):
        yield _merged(run, union, here)
    elif faults:
        tag = _unknown_tag([branch for branch in faults if not _is_plain(branch, path)], path)
        nearest = min(faults, key=lambda branch: _distance(branch, path))
        yield from [tag] if tag else nearest


def _unknown_tag(faults: list[tuple[Violation, ...]], path: JsonPath) -> Violation | None:
    """One violation for a key by which the branches are told apart, if it fits none of them.

    Each branch wants another value for it; what else a branch wants does not matter then.
    """
    tags = [
        {v.path: v for v in branch if len(v.path) == len(path) + 1 and v.keyword in _LITERAL}
        for branch in faults
    ]
    if len(tags) < 2:  # noqa: PLR2004 - one branch has no others to be told from
        return None
    for place, first in tags[0].items():
        wanted = [tag[place].wanted for tag in tags if place in tag]
        if len(set(wanted)) == len(tags):
            shown = listed(wanted, " or ")
            message = f"must be {shown}, not {first.found}"
            return Violation(place, first.keyword, first.found, shown, message)
    return None


def _is_plain(branch: tuple[Violation, ...], path: JsonPath) -> bool:
    return len(branch) == 1 and branch[0].path == path and branch[0].keyword in _PLAIN


_PLAIN = frozenset(["type", "enum", "const", "false"])
_LITERAL = frozenset(["enum", "const"])


def _merged(run: _Run, union: Union, here: list[Violation]) -> Violation:
    """One violation for branches that all want another type or other literals."""
    value = union.branches[0].value
    if {violation.keyword for violation in here} == {"type"}:
        document = run.verdict.document
        words = [s.get("type", ()) for b in union.branches for s in branches(document, b.schema)]
        kinds = [kind for word in words for kind in ([word] if isinstance(word, str) else word)]
        return wrong_type(list(dict.fromkeys(kinds)), value, here[0].path)
    wanted = listed(list(dict.fromkeys(violation.wanted for violation in here)), " or ")
    message = f"must be {wanted}, not {brief(value)}"
    return fault(union.keyword, here[0].path, value, wanted, message)


def _distance(branch: tuple[Violation, ...], path: JsonPath) -> tuple[int, int, int]:
    """How far a value is from a branch: another type, another discriminator, more violations."""
    other_type = any(v.path == path and v.keyword in _PLAIN for v in branch)
    tags = sum(len(v.path) == len(path) + 1 and v.keyword in {"const", "enum"} for v in branch)
    keys = sum(v.keyword in {"required", "additionalProperties"} for v in branch)
    return (_FAR if other_type else 0) + tags, keys, len(branch)


_COMPOUND: tuple[
    tuple[tuple[str, ...], Callable[[_Run, Mapping[str, Any], Json, JsonPath], Found]], ...
] = (
    (("$ref",), _reference),
    (("properties", "patternProperties", "additionalProperties", "propertyNames"), _properties),
    (("prefixItems", "items"), _items),
    (("contains",), _contains),
    (("allOf",), _all_of),
    (("anyOf",), _any_of),
    (("oneOf",), _one_of),
    (("not",), _not),
    (("if",), _condition),
    (("dependentSchemas",), _dependent),
    (("unevaluatedProperties", "unevaluatedItems"), _unevaluated),
)
