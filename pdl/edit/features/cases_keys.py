"""The keys of data and expectations, and the keys of the prompt that they and assertions are."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pdl.edit.document import Range
from pdl.edit.features.cases_sections import content, expressions_of, section_at
from pdl.edit.template.bindings import outline
from pdl.edit.template.expressions import unquoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.edit.document import Document, Typed
    from pdl.edit.template.expressions import Node
    from pdl.testing.sections import Section

_DEEPEST = 60
Role: TypeAlias = Literal["input", "schema"]
_ROLES: dict[str, Role] = {"data": "input", "value": "schema"}


class Key(NamedTuple):
    """A key of an input or of the answer: the keys that lead to it, through arrays as well."""

    role: Role
    path: tuple[str, ...]
    range: Range
    is_attribute: bool = False
    """Whether it is one of an assertion, without quotes."""


def keys_of(document: Document) -> list[Key]:
    """Return all keys of a file of cases whose places are certain, in its order."""
    return document.derive(_keys)


def key_at(document: Document, offset: int) -> Key | None:
    """Return the key at an offset of a file of cases."""
    section = section_at(document, offset)
    found = _in_section(document, section) if section is not None else ()
    return next((one for one in found if one.range.holds(offset)), None)


def _keys(document: Document) -> list[Key]:
    known = document.sections.all if document.sections is not None else ()
    found = [one for section in known for one in _in_section(document, section)]
    return sorted(found, key=lambda one: one.range)


def _in_section(document: Document, section: Section) -> Iterator[Key]:
    if section.name == "data":
        yield from _of_value(document, section, "input")
    elif section.name == "expect":
        yield from _of_expectation(document, section)
    elif section.name == "assert":
        yield from _of_assertions(document, section)


def _of_value(document: Document, section: Section, role: Role) -> Iterator[Key]:
    """The keys of JSON or YAML; none of a text that is not valid."""
    start, end = content(section)
    text = document.text[start:end]
    if text.startswith("@"):
        return
    try:
        yaml: Any = import_module("yaml")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (ImportError, ValueError, RecursionError):
        return
    except yaml.YAMLError:
        return
    for path, first, last in _composed(root, ()):
        first, last = first + start, last + start  # noqa: PLW2901
        if document.text[first : first + 1] in {'"', "'"}:
            first, last = first + 1, last - 1  # noqa: PLW2901
        if document.text[first:last] == path[-1]:  # not one that is spelled with escapes
            yield Key(role, path, Range(first, last))


def _composed(node: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int, int]]:
    if node is None or len(path) > _DEEPEST:
        return
    if node.id == "sequence":
        for one in node.value:
            yield from _composed(one, path)
    elif node.id == "mapping":
        for key, value in node.value:
            if key.id == "scalar":
                inner = (*path, key.value)
                yield inner, key.start_mark.index, key.end_mark.index
                yield from _composed(value, inner)


def _of_expectation(document: Document, section: Section) -> Iterator[Key]:
    typed = next(
        (one for one in document.typed if one.turn.marker.start == section.mark.start), None
    )
    if typed is None or typed.language == "file" or typed.written.startswith(("```", "~~~")):
        return
    if typed.language == "fence":  # JSON
        yield from _of_value(document, section, "schema")
        return
    for path, places in _chains(typed).items():
        for one in places:
            if not one.is_defined:
                yield Key("schema", path, one.range)


def _of_assertions(document: Document, section: Section) -> Iterator[Key]:
    template = expressions_of(document, only=section)
    for statement in outline(template.document).statements():
        for value in statement.values:
            for node in value.walk():
                chain = chain_of(node)
                role = _ROLES.get(chain[0]) if chain else None
                place = template.of(_place(node)) if role is not None else None
                if place is not None and role is not None:
                    yield Key(role, chain[1:], place, is_attribute=node.kind == "attribute")


def doubts_of(document: Document, name: str) -> list[Range]:
    """Return where a file of cases has a name that may be a key, without its being certain."""
    found = [
        place.range
        for typed in document.typed
        for path, places in _chains(typed).items()
        for place in places
        if path[-1] == name and place.is_defined
    ]
    template = expressions_of(document)
    for statement in outline(template.document).statements():
        for value in statement.values:
            parts = [node for node in value.walk() if not chain_of(node)]
            items = {
                id(node.children[1])
                for node in value.walk()
                if node.kind == "item" and len(node.children) > 1 and chain_of(node)
            }
            for node in parts:
                is_same = node.kind == "attribute" and node.text == name
                is_string = node.kind == "string" and id(node) not in items
                in_string = is_string and name in re.split(r"[.,]", unquoted(node.text))
                place = template.of(Range(node.start, node.end)) if is_same or in_string else None
                found += [place] if place is not None else []
    return found


def _place(node: Node) -> Range:
    """Where the last key of a chain is, or its only name."""
    if node.kind == "name":
        return Range(node.start, node.end)
    if node.kind == "attribute":
        return Range(node.at, node.at + len(node.text))
    string = node.children[1]
    return Range(string.place + 1, string.place + 1 + len(unquoted(string.text)))


def chain_of(node: Node) -> tuple[str, ...]:
    """Return `a.b[0]["c"]` as `a`, `b`, `c`; nothing for others, and for what ends in a number."""
    if node.kind == "item" and len(node.children) > 1 and node.children[1].kind == "string":
        return _steps(node.children[0], unquoted(node.children[1].text))
    if node.kind == "attribute" and node.text and node.children:
        return _steps(node.children[0], node.text)
    return (node.text,) if node.kind == "name" else ()


def _steps(value: Node, last: str) -> tuple[str, ...]:
    while value.kind == "item" and len(value.children) > 1 and value.children[1].kind == "number":
        value = value.children[0]
    before = chain_of(value)
    return (*before, last) if before else ()


class _Place(NamedTuple):
    """A key of a typed text; `is_defined` says that it belongs to a named type."""

    range: Range
    is_defined: bool


def _chains(typed: Typed) -> dict[tuple[str, ...], list[_Place]]:
    """The keys of a typed text by the names that lead to them, of which a type's can be first."""
    notation = typed.notation
    found: dict[tuple[str, ...], list[_Place]] = {}
    for index, token in enumerate(notation.tokens):
        if token.role == "key" and notation.frames[token.frame].kind == "object":
            path = notation.path(index)
            is_defined = notation.tokens[path[0]].role == "definition"
            quoted = token.text[0] in "\"'"
            where = Range(token.start + quoted, token.end - quoted)
            names = tuple(notation.tokens[one].text.strip("\"'") for one in path)
            found.setdefault(names, []).append(_Place(where, is_defined))
    return found


def declared(typed: Typed, path: Iterable[str]) -> list[Range]:
    """Return where a typed turn in the DSL declares what keys lead to, through named types too."""
    notation, chains = typed.notation, _chains(typed)
    used: dict[tuple[str, ...], list[str]] = {}
    for index, token in enumerate(notation.tokens):
        if token.role == "type":
            names = [notation.tokens[one].text.strip("\"'") for one in notation.path(index)]
            used.setdefault(tuple(names), []).append(token.text)
    known = {one.text for one in notation.tokens if one.role == "definition"}

    def closed(starts: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], None]:
        reached = dict.fromkeys(starts)
        pending = list(reached)
        for one in pending:
            more = [(name,) for name in used.get(one, ()) if name in known]
            pending += [each for each in more if each not in reached]
            reached |= dict.fromkeys(more)
        return reached

    at: list[tuple[str, ...]] = [()]
    for key in path:
        at = [(*one, key) for one in closed(at) if (*one, key) in chains]
    return [place.range for one in at if one for place in chains[one]]
