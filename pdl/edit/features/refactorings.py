"""Changes of a text that keep its meaning: types that get names or lose them, other notations."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.edit.document import Edit
from pdl.edit.features.declarations import declared
from pdl.edit.template.usage import inferred
from pdl.errors import PdlError
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.edit.document import Document, Range, Typed

    Refactoring = tuple[str, tuple[Edit, ...]]

_BOUNDS = re.compile(r"<\s*+([^\s,<>{}]*+)\s*+,\s*+([^\s,<>{}]*+)\s*+>")
_CONSTRAINTS = re.compile(
    r"\s*+\{\s*+(?:min:\s*+([^\s,{}:]++))?\s*+,?\s*+(?:max:\s*+([^\s,{}:]++))?\s*+,?\s*+\}"
)
_FENCE = re.compile(r"\s*```json[^\n]*\n(.*?)\n```\s*", re.DOTALL)
_LONGEST = 20_000  # characters of a schema that is converted


def refactorings(document: Document, where: Range) -> Iterator[Refactoring]:
    """Return the changes that a range offers, each with its title."""
    yield from _undeclared(document, where)
    typed = document.typed_at(where.start) if document.sections is None else None
    if typed is None or where.end > typed.turn.body.end:
        return
    at = typed.notation.at(where.start)
    if at >= 0:
        yield from _extract(document, typed, at)
        yield from _inline(document, typed, at)
        yield from _bounds(document, typed, at)
    if typed.turn.role == "schema" and not typed.tags:
        yield from _other_notation(document, typed)


def _undeclared(document: Document, where: Range) -> Iterator[Refactoring]:
    names = [name for name in inferred(document) if name not in document.inputs]
    tag = document.tag_at(where.start)
    if names and tag is not None:
        edits = declared(document, names)
        if edits:
            yield "declare the inputs that have no type", edits


def _extract(document: Document, typed: Typed, at: int) -> Iterator[Refactoring]:
    """Give a name to the object whose opening bracket, or whose key, is at the cursor."""
    tokens, frames = typed.notation.tokens, typed.notation.frames
    for frame in frames:
        if frame.kind != "object" or frame.closer < 0 or at not in (frame.opener, frame.owner):
            continue
        owner = tokens[frame.owner] if frame.owner >= 0 else None
        after = tokens[frame.closer + 1 : frame.closer + 2]
        if owner is None or owner.role != "key" or (after and after[0].text in ("<", "{")):
            continue
        start, end = tokens[frame.opener].start, tokens[frame.closer].end
        taken = {one.text for one in tokens if one.role in ("definition", "type")}
        name = _new_name(owner.text, taken)
        indent = re.match(r"[^\S\n]*", document.text[document.text.rfind("\n", 0, start) + 1 :])
        depth = len(indent[0]) if indent is not None else 0
        body = re.sub(rf"\n {{0,{depth}}}", "\n", document.text[start:end])
        yield (
            f"extract to a type `{name}`",
            (
                Edit(start, end, name),
                _definition(document, typed, f"{name} = {body}"),
            ),
        )


def _definition(document: Document, typed: Typed, text: str) -> Edit:
    body = typed.turn.body
    at = body.start + len(document.text[body.start : body.end].rstrip())
    return Edit(at, at, f"\n\n{text}")


def _new_name(key: str, taken: set[str]) -> str:
    words = re.findall(r"[A-Za-z0-9]+", key)
    name = "".join(word[:1].upper() + word[1:] for word in words) or "Item"
    name = name if name[0].isalpha() else f"T{name}"
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}{number}"
    return found


def _inline(document: Document, typed: Typed, at: int) -> Iterator[Refactoring]:
    """Write the type of a name that is used once in its place."""
    tokens = typed.notation.tokens
    name = tokens[at].text
    defined = [n for n, one in enumerate(tokens) if one.role == "definition" and one.text == name]
    used = [n for n, one in enumerate(tokens) if one.role == "type" and one.text == name]
    if len(defined) != 1 or len(used) != 1 or at not in (*defined, *used):
        return
    (first,), (use,) = defined, used
    last = first + 1
    while last + 1 < len(tokens) and not (
        tokens[last + 1].frame == 0 and tokens[last + 1].role in ("definition", "tool")
    ):
        last += 1
    following = tokens[last + 1].start if last + 1 < len(tokens) else typed.turn.body.end
    while tokens[last].role == "comment" and last > first + 2:
        last -= 1
    body = document.text[tokens[first + 2].start : tokens[last].end] if last > first + 1 else ""
    within = range(first, last + 1)
    if not body or use in within or "//" in body:
        return
    if any(tokens[n].text in ("|", "?") and tokens[n].frame == 0 for n in within):
        body = f"({body})"
    content = len(document.text[: tokens[first].start].rstrip())
    end = content + len(document.text[content:following].rstrip())
    yield (
        f"inline `{name}`",
        (
            Edit(tokens[use].start, tokens[use].end, body),
            Edit(content, end, ""),
        ),
    )


def _bounds(document: Document, typed: Typed, at: int) -> Iterator[Refactoring]:
    """`int<0,9>` as `int { min: 0, max: 9 }`, and back."""
    token = typed.notation.tokens[at]
    if token.role != "type":
        return
    bounds = _BOUNDS.match(document.text, token.end)
    constraints = _CONSTRAINTS.match(document.text, token.end)
    if bounds is not None and any(bounds.groups()):
        after = re.compile(r"\s*\{").match(document.text, bounds.end())
        if after is None:
            named = zip(("min", "max"), bounds.groups(), strict=True)
            words = ", ".join(f"{name}: {number}" for name, number in named if number)
            yield "write the bounds as constraints", (Edit(*bounds.span(), f" {{ {words} }}"),)
    elif constraints is not None and any(constraints.groups()):
        low, high = constraints.groups(default="")
        yield "write the constraints as bounds", (Edit(*constraints.span(), f"<{low},{high}>"),)


def _other_notation(document: Document, typed: Typed) -> Iterator[Refactoring]:
    """The schema DSL as JSON Schema in a fence, and back."""
    body = typed.turn.body
    text = document.text[body.start : body.end]
    content = text.strip()
    start = body.start + len(text) - len(text.lstrip())
    span = start, start + len(content)
    if not content or len(content) > _LONGEST:
        return
    try:
        if typed.language == "dsl":
            schema = Schema.parse(content)
            fenced = json.dumps(schema.to_json_schema(), indent=2, ensure_ascii=False)
            if schema.form == "json":
                title = "convert to JSON Schema"
                yield title, (Edit(*span, f"```json\n{fenced}\n```"),)
        elif typed.language == "fence" and (found := _FENCE.fullmatch(content)):
            schema = Schema.from_json_schema(json.loads(found[1]))
            yield "convert to the schema DSL", (Edit(*span, schema.to_dsl().strip()),)
    except (PdlError, ValueError, RecursionError):
        return
