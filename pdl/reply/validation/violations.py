"""All that is wrong with a value: a function a keyword, each yielding what it finds.

Runs only for values that do not fit. Parts of the value become tasks on a list, so that only unions
take frames of Python's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pdl.errors import nearest
from pdl.reply.phrases import say
from pdl.reply.result import Violation
from pdl.reply.validation import joint_faults as joint
from pdl.reply.validation import part_faults as parts
from pdl.reply.validation import word_faults as words
from pdl.reply.validation.discriminator import Discriminator, discriminator
from pdl.reply.validation.json_types import KINDS
from pdl.reply.validation.nearest import nearest as nearest_branch
from pdl.reply.validation.simple_faults import SIMPLE, fault, unwelcome, wrong_type
from pdl.reply.validation.todo import MOST, Found, Mark, Run, Task, Union
from pdl.reply.validation.verdict import Verdict, verdict_of
from pdl.schema import Schema
from pdl.schema.given import no_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pdl._types import Json, JsonPath
    from pdl.reply.validation.compiled import Memo
    from pdl.reply.validation.references import Document

_KEPT = 60  # violations of one branch of a union that are collected
_COMPARED = 5_000  # words that are compared with misspelled ones


class _Frame:
    """A task whose violations are being collected, and what is still to be looked at for it."""

    def __init__(self, task: Task, most: int) -> None:
        self.task = task
        self.most = most
        self.pending: list[Task | Union] = [task]
        self.seen: set[Mark] = set()
        self.found: dict[tuple[JsonPath, str, str], Violation] = {}

    def add(self, violation: Violation) -> None:
        if not self.full:
            mark = (violation.path, violation.keyword, violation.message)
            self.found.setdefault(mark, violation)

    @property
    def full(self) -> bool:
        return len(self.found) >= self.most


@dataclass
class Survey:
    """Finds what is wrong with a value by any part of a document, and remembers what it found."""

    verdict: Verdict
    memo: Memo = field(default_factory=dict)
    branches: dict[Mark, tuple[Violation, ...]] = field(default_factory=dict)
    tags: dict[int, Discriminator | None] = field(default_factory=dict)
    compared: int = 0

    def fits(self, schema: Json, value: Json) -> bool:
        """Whether a value fits a subschema."""
        return self.verdict.cell(schema)[0](value, self.memo)

    def near(self, word: str, known: Sequence[Json]) -> str:
        """The known text that is most like a word; an empty string after very many questions."""
        self.compared += len(known)
        if self.compared > _COMPARED:
            return ""
        return nearest(word, [one for one in known if isinstance(one, str)])

    def discriminator(self, schemas: list[Json]) -> Discriminator | None:
        """The key by which the branches of a union, a list of the document, are told apart."""
        if id(schemas) not in self.tags:
            self.tags[id(schemas)] = discriminator(self.verdict.document, schemas)
        return self.tags[id(schemas)]

    def faults(self, task: Task) -> list[Violation]:
        """All violations of a task, in the order of the value's parts.

        Branches of unions are frames on a stack, and each is looked at once for each place: unions
        inside unions would otherwise double the work, and the depth, with each level of the value.
        """
        root = _Frame(task, MOST)
        stack = [root]
        while stack:
            frame = stack[-1]
            if frame.pending and not frame.full:
                deeper = self._step(frame)
                if deeper:
                    stack.append(_Frame(deeper, _KEPT))
            else:
                stack.pop()
                kept = tuple(frame.found.values())
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
            for violation in nearest_branch(self, item, self.branches):
                frame.add(violation)
        elif (mark := (id(item.schema), item.path)) not in frame.seen:
            frame.seen.add(mark)
            self._part(frame, item)
        return None

    def _part(self, frame: _Frame, task: Task) -> None:
        """Note what is wrong with a part, and what of it is still to be looked at."""
        if isinstance(task.value, dict | list) and self.fits(task.schema, task.value):
            return  # sooner known by the compiled test than by looking at all that is inside
        further: list[Task | Union] = []
        for found in _look(self, task):
            if isinstance(found, Violation):
                frame.add(found)
            else:
                further.append(found)
        frame.pending += reversed(further)


def violations(schema: Schema, value: Json) -> tuple[Violation, ...]:
    """All that is wrong with a Python value, up to 1,000 things; an empty tuple if it fits.

    A tuple counts as an array. Raises TypeError for a schema of another type, and RecursionError
    for a value that is nested beyond all limits.
    """
    if not isinstance(schema, Schema):
        raise no_schema(schema)
    return violations_of(schema.document, value)


def violations_of(document: Document, value: Json) -> tuple[Violation, ...]:
    """The same for a bare JSON Schema document."""
    verdict = verdict_of(document)
    if verdict(value):
        return ()
    found = Survey(verdict).faults(Task(document, value, ()))
    return tuple(found) or (fault("schema", (), value, say("a-fit"), say("misfit")),)


def _look(run: Run, task: Task) -> Found:
    schema, value, path = task.schema, task.value, task.path
    if isinstance(schema, bool):
        if not schema:
            yield unwelcome("false", value, path)
        return
    kinds = _kinds(schema)
    if kinds and not any(KINDS[kind](value) for kind in kinds):
        yield from _other_type(run, schema, kinds, value, path)
        return
    for keyword in sorted(_WORDS.keys() & schema.keys()):
        yield from _WORDS[keyword](run, schema, value, path)
    for keyword, look in SIMPLE.items():
        if keyword in schema:
            yield from look(schema, value, path)
    for keywords, find in _COMPOUND:
        if any(keyword in schema for keyword in keywords):
            yield from find(run, schema, value, path)


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _other_type(
    run: Run, schema: Mapping[str, Any], kinds: list[str], value: Json, path: JsonPath
) -> Found:
    """A value of another type; what literals are wanted says more than of which type they are."""
    literal = next((keyword for keyword in _WORDS if keyword in schema), None)
    found = list(_WORDS[literal](run, schema, value, path)) if literal else []
    yield from found or [wrong_type(kinds, value, path)]


_WORDS: Mapping[str, Callable[[Run, Mapping[str, Any], Json, JsonPath], Found]] = {
    "const": words.const,
    "enum": words.enum,
}
_COMPOUND: tuple[
    tuple[tuple[str, ...], Callable[[Run, Mapping[str, Any], Json, JsonPath], Found]], ...
] = (
    (("$ref",), joint.reference),
    (
        ("properties", "patternProperties", "additionalProperties", "propertyNames"),
        parts.properties,
    ),
    (("prefixItems", "items"), parts.items),
    (("contains",), parts.contains),
    (("allOf",), joint.all_of),
    (("anyOf",), joint.any_of),
    (("oneOf",), joint.one_of),
    (("not",), joint.forbidden),
    (("if",), joint.condition),
    (("dependentSchemas",), joint.dependent),
    (("unevaluatedProperties", "unevaluatedItems"), parts.unevaluated),
)
