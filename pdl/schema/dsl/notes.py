"""Annotations as words of a comment: `the age (title: "Age"; examples: 1, 2; deprecated)`.

The DSL has a comment for the root, a definition, a field and the other keys of an object. Its first
words are the description. The other annotations follow in parentheses, and so do those of parts
that have no comment of their own, such as the items of an array. Of long ones, and of unknown
keywords with an object or an array, only the keyword is named.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from pdl.schema.dsl.tree import lines_of
from pdl.schema.formats import ASSERTED
from pdl.schema.keywords import ANNOTATIONS, ASSERTIONS, DRAFT_4_INTEGER, types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl._types import Json, JsonPath, JsonSchema

_SURROGATE = re.compile("[\ud800-\udfff]")  # no file can contain one
_FLAGS = frozenset({"deprecated", "readOnly", "writeOnly"})
DROPPED = _FLAGS | {"title"}
"""Keywords without a note where they say nothing."""

_LISTS = frozenset({"examples"})
_FOR_MODELS = frozenset({"default", "example", "examples", "format"})
_NO_NOTES = frozenset({"$defs", "description", "x-gbnf", DRAFT_4_INTEGER})
_LONGEST = 120  # characters of a note


class Owner(NamedTuple):
    """A schema that has a comment: where it is, its name if it has one, and its notes so far."""

    node: JsonSchema
    path: JsonPath
    name: str
    notes: list[str]

    def description(self) -> str:
        """The lines of the comment, an empty string if there is nothing to say."""
        return described(self.node.get("description", ""), self.notes)

    def add(self, node: JsonSchema, path: JsonPath, *, whole: bool, default: bool) -> None:
        """Note the annotations of a part, or of the schema itself except for its description.

        `whole` is False for what only a model reads. `default` tells that the DSL writes that of
        the part itself.
        """
        found = list(_notes(node, self.name, whole=whole, default=default))
        if path == self.path:
            self.notes.extend(found)
            return
        labels = list(_labels(self.node, path[len(self.path) :]))
        words = " ".join(lines_of(node.get("description", "")))
        if not labels:  # it applies to the same value
            self.notes.extend([words, *found] if words else found)
        elif words or found:
            self.notes.append(": ".join([*labels, described(words, found)]))


def notes_of(document: JsonSchema, name: str = "") -> list[str]:
    """The annotations of a schema, without those of its parts, and without its description."""
    return list(_notes(document, name, whole=True, default=False))


def described(description: str, notes: Iterable[str]) -> str:
    """A description and the notes after it."""
    lines = lines_of(description)
    said = "; ".join(notes)
    if said:
        lines = [*lines[:-1], f"{lines[-1]} ({said})" if lines else f"({said})"]
    return "\n".join(lines)


def asserts(node: JsonSchema, keyword: str) -> bool:
    """Whether a value can violate a keyword; it can't violate an unknown one."""
    if keyword != "format":
        return keyword in ASSERTIONS
    types = types_of(node)
    return node["format"] in ASSERTED and ("string" in types or not types)


def _notes(node: JsonSchema, name: str, *, whole: bool, default: bool) -> Iterator[str]:
    left_out = []
    for key, value in node.items():
        if key in _NO_NOTES or asserts(node, key) or (default and key == "default"):
            continue
        if not (whole or key in _FOR_MODELS) or _says_nothing(key, value, name):
            continue
        known = key in ANNOTATIONS or not isinstance(value, dict | list)
        said = note(key, value) if known else ""
        if 0 < len(said) <= _LONGEST:
            yield said
        else:
            left_out.append(key)
    if left_out:
        yield f"left out: {', '.join(left_out)}"


def _says_nothing(key: str, value: Json, name: str) -> bool:
    """Whether an annotation is what its absence means, or a title that only repeats the name."""
    if key == "title":
        return bool(name) and _letters(str(value)) == _letters(name)
    return value is False and key in _FLAGS


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def note(key: str, value: Json) -> str:
    """An annotation in a comment, on one line."""
    if key in _FLAGS and value is True:
        return key
    values = value if key in _LISTS and isinstance(value, list) else [value]
    return f"{key}: {', '.join(map(_json, values))}"


def _json(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda one: f"\\u{ord(one[0]):04x}", text)


def _labels(node: Json, path: JsonPath) -> Iterator[str]:
    """Which part of a schema a path leads to: `each`, `item 2`, `if integer`."""
    for step, key in zip(path, (*path[1:], None), strict=True):
        if step == "items":
            yield "each"
        elif step == "prefixItems":
            yield f"item {int(key or 0) + 1}"
        elif step == "anyOf":
            yield _branch(node["anyOf"], int(key or 0))
        node = node[step]


def _branch(branches: list[Json], index: int) -> str:
    """A branch of a union: its value, the name of its definition, or its type if that is unique."""
    labels = []
    for branch in branches:
        one = branch if isinstance(branch, dict) else {}
        if "const" in one:
            labels.append(_json(one["const"]))
        elif "$ref" in one:
            labels.append(f"if {str(one['$ref']).rpartition('/')[2]}")
        else:
            labels.append(f"if {' or '.join(types_of(one))}")
    said = labels[index]
    return said if said != "if " and labels.count(said) == 1 else f"alternative {index + 1}"
