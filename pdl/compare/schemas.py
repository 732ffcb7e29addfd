"""Comparisons of two schemas, of answers or of inputs: each difference, and what it does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.compare.descent import Descent
from pdl.compare.drafts import Draft, Judge
from pdl.compare.guesses import guesses
from pdl.compare.nodes import Side
from pdl.compare.verdicts import Change, Comparison, Inclusion, Yes
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.schema import Schema
from pdl.schema.keywords import DEFINITIONS, nodes
from pdl.schema.model import schema_of, schema_type_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from pdl._types import Json, JsonSchema
    from pdl.source import Span

_UNDECLARED = Schema({"type": "object"})
_FILLED = "'"  # ends the names of definitions whose defaults are filled

AnswerPart: TypeAlias = Literal["schema", "inputs", "tools"]


class Naming(NamedTuple):
    """What is compared: how the paths begin, and what the keys of the whole are called."""

    part: AnswerPart
    root: str = "$"
    noun: str = "key"


def compare_schemas(
    old: Schema | type[Any],
    new: Schema | type[Any],
    *,
    part: AnswerPart = "schema",
    limits: Limits = DEFAULT_LIMITS,
) -> Comparison:
    """Return all differences of two schemas, each with what it does to the values at its path.

    Python types are allowed too. The result's `forward` says whether every old answer is valid
    under the new schema, as `includes` decides it, `backward` the reverse; the verdicts of single
    changes never contradict these. `limits.grammar_seconds` bounds the whole: what is not decided
    by then is `unknown`. Raises TypeError for anything but schemas and types, SchemaError for a
    type that has no schema.
    """
    one, other = schema_of(old), schema_of(new)
    if one is None or other is None:
        raise schema_type_error(old if one is None else new)
    return compare_parts(one, other, limits, Naming(part))


def compare_inputs(
    old: Schema | None, new: Schema | None, *, limits: Limits = DEFAULT_LIMITS
) -> Comparison:
    """Return all differences of two `input` turns, as callers that pass values see them.

    A key with a default, at any depth where defaults are filled, does not have to be passed. None
    is a prompt without such a turn, which takes any variables. Paths are those that errors of
    inputs name (`documents[*].title`), or `$` for the whole. `limits` bound the comparison as in
    `compare_schemas`. Raises TypeError for anything but schemas and None.
    """
    for one in (old, new):
        if one is not None and not isinstance(one, Schema):
            raise schema_type_error(one, "a pdl.Schema or None")
    if old is None and new is None:
        return Comparison((), Yes(), Yes())
    sides = [_UNDECLARED if one is None else _as_passed(one) for one in (old, new)]
    found = compare_parts(sides[0], sides[1], limits, Naming("inputs", "", "input"))
    told = [replace(one, path=one.path.removeprefix(".") or "$") for one in found.changes]
    if old is None or new is None:
        words = "inputs are declared" if old is None else "inputs are no longer declared"
        told.insert(0, Change("inputs", "$", words, verdict="compatible"))
    return replace(found, changes=tuple(told))


def compare_parts(old: Schema, new: Schema, limits: Limits, naming: Naming) -> Comparison:
    """Compare schemas, with paths and words of a part of a prompt.

    The whole is decided first, so that its parts agree with it. Where many parts changed and it is
    nothing but their sum, they decide it: deciding the whole takes time for each pair of them.
    """
    part, root, noun = naming
    sides = (Side(old), Side(new))
    judge = Judge(*sides, part, limits)
    descent = Descent(*sides, root, noun)
    drafts = list(_drafts(*sides, descent.drafts(), root))
    is_entangled = _is_entangled(old, new)
    semantic = [one for one in drafts if one.is_semantic]
    is_plain = old.form == new.form and not any(one.is_whole for one in drafts)
    is_sum = is_plain and descent.is_monotone and not is_entangled
    guessed, spans = guesses(drafts), _spans(sides, drafts)

    def told() -> list[Change]:
        return [
            judge.change(one, at, guessed.get(id(one), ""))
            for one, at in zip(drafts, spans, strict=True)
        ]

    changes: list[Change] = []
    if is_sum and len(semantic) > _MANY:
        judge.leave_whole()
        changes = told()
        judge.conclude(changes, is_sum=True)
    elif semantic or (old != new and is_entangled):
        judge.decide_whole()
    if not changes or judge.is_undecided:
        if changes:
            judge.decide_whole()
        changes = told()
        if is_plain:
            judge.conclude(changes, is_sum=is_sum)
    changes += _missing(judge, changes, root)
    return Comparison(tuple(changes), judge.forward, judge.backward)


def _is_entangled(*schemas: Schema) -> bool:
    """Whether a schema has keywords whose meaning depends on which others were read before."""
    return any(
        not node.keys().isdisjoint(("unevaluatedProperties", "unevaluatedItems"))
        for schema in schemas
        for node in nodes(schema.document)
    )


def _drafts(old: Side, new: Side, inner: list[Draft], root: str) -> Iterator[Draft]:
    """The differences of the forms of answers, and those of the values inside."""
    one, other = old.schema, new.schema
    is_json = all(schema.form in ("json", "text") for schema in (one, other))
    is_told = is_json and any(draft.is_semantic and draft.path == root for draft in inner)
    if not is_told and (one.form != other.form or not is_json):
        yield from _form_drafts(old, new, root)
    if is_json:
        yield from inner
    elif one.form == other.form:
        yield from (draft for draft in inner if not draft.is_semantic)


def _form_drafts(old: Side, new: Side, root: str) -> Iterator[Draft]:
    was, now = (_form(side.schema) for side in (old, new))
    if was != now:
        text = f"form of the answer: {was} became {now}"
        yield Draft(root, text, was, now, pointers=("#", "#"), is_whole=True)


def _form(schema: Schema) -> str:
    """The form of an answer, as the DSL writes those that are not JSON."""
    if schema.form in ("json", "text"):
        return {"json": "JSON", "text": "text"}[schema.form]
    bare = {name: value for name, value in schema.document.items() if name not in _NOTES}
    return str(replace(schema, document=bare))


_MANY = 16  # differences
_NOTES = ("description", "title", "examples", "default", "$comment")


def _spans(sides: tuple[Side, Side], drafts: list[Draft]) -> list[tuple[Span | None, Span | None]]:
    """Where the two sources have each difference, if that is known."""
    old, new = (side.spans({one.pointers[at] for one in drafts}) for at, side in enumerate(sides))
    return [(old.get(one.pointers[0]), new.get(one.pointers[1])) for one in drafts]


def _missing(judge: Judge, changes: Iterable[Change], root: str) -> Iterator[Change]:
    """A change of the whole, if no other change shows what happens to its values."""
    told = {change.verdict for change in changes}
    forward: Inclusion = Yes() if told & {"narrowed", "both", "unknown"} else judge.forward
    backward: Inclusion = Yes() if told & {"widened", "both", "unknown"} else judge.backward
    if forward and backward:
        return
    draft = Draft(root, "valid values as a whole", pointers=("#", "#"), is_whole=True)
    yield judge.told(draft, forward, backward, (None, None), "")


def _as_passed(schema: Schema) -> Schema:
    """The schema of what callers pass: keys whose defaults are filled are optional.

    Defaults are filled where only properties, items and references to definitions lead; a
    definition that also something else leads to stays as it is for that.
    """
    definitions: JsonSchema = schema.document.get("$defs", {})
    filled: dict[str, Json] = {}
    root = _optional(schema.document)
    pending: list[Json] = [root]
    while pending:
        node = pending.pop()
        name = str(node.get("$ref", "")).removeprefix(DEFINITIONS)
        if "$ref" in node:
            if name in definitions and isinstance(definitions[name], dict):
                node["$ref"] = f"{DEFINITIONS}{name}{_FILLED}"
                if name not in filled:
                    filled[name] = _optional(definitions[name])
                    pending.append(filled[name])
            continue
        for holder, keys in ((node.get("properties", {}), node.get("properties", {})),
                             (node, ("items",) if "items" in node else ())):  # fmt: skip
            for key in list(keys):
                if isinstance(holder[key], dict):
                    holder[key] = _optional(holder[key])
                    pending.append(holder[key])
    if filled:
        own = {f"{name}{_FILLED}": inner for name, inner in filled.items()}
        root["$defs"] = {**definitions, **own}
    return replace(schema, document=root)


def _optional(node: JsonSchema) -> dict[str, Json]:
    """A shallow copy in which keys that have defaults are optional."""
    copy = dict(node)
    properties = copy.get("properties")
    if isinstance(properties, dict):
        copy["properties"] = dict(properties)
        copy["required"] = [
            name
            for name in copy.get("required", ())
            if not (isinstance(properties.get(name), dict) and "default" in properties[name])
        ]
    return copy
