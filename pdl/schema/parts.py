"""What every reader of schemas returns, before it becomes a `Schema`.

`SourceMap` maps the locations in a document to those in the document that the author wrote.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.schema.keywords import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl._types import JsonSchema
    from pdl.errors import Problem
    from pdl.source import Source, Span


_TOKEN = re.compile(
    r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)(?:"|\\?\Z)|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL
)


def spans(source: Source, wanted: Iterable[str], start: int = 0) -> dict[str, Span]:
    """Return the spans of values, by their pointers, in a text that is JSON from an offset on.

    That of an array or an object is its opening bracket; a value that is not found has none.
    """
    left = set(wanted)
    found: dict[str, Span] = {}
    for where, begin, end in _values(source.text, start):
        if where in left:
            found[where] = source.span(begin, end)
            left.discard(where)
            if not left:
                break
    return found


def located(problems: Iterable[Problem], source: Source, start: int = 0) -> list[Problem]:
    """Return problems with the spans of their pointers, where they have pointers and no spans.

    Those that are found come in the order of the text, after the others.
    """
    told = list(problems)
    wanted = [one.pointer for one in told if one.span is None and one.pointer]
    found = spans(source, wanted, start) if wanted else {}
    order = {where: number for number, where in enumerate(found)}
    told.sort(key=lambda one: -1 if one.span else order.get(one.pointer, -1))
    return [
        replace(one, span=found[one.pointer]) if one.span is None and one.pointer in found else one
        for one in told
    ]


def _values(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """All values of a JSON text: pointer, start and end (of an opening bracket)."""
    stack: list[str] = []
    steps: list[str | int] = []
    is_key = False
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == ":":
            continue
        if mark in "]}":
            if not stack:
                return
            stack.pop()
            steps.pop()
            is_key = False
        elif mark == ",":
            is_key = bool(steps) and isinstance(steps[-1], str)
            if steps and isinstance(steps[-1], int):
                steps[-1] += 1
        elif is_key:
            steps[-1] = json.loads(mark, strict=False)
            is_key = False
        else:
            where = stack[-1] + pointer((steps[-1],))[1:] if stack else "#"
            yield where, token.start(), token.end()
            if mark in "[{":
                stack.append(where)
                steps.append(0 if mark == "[" else "")
                is_key = mark == "{"


_NOTHING: Mapping[str, str] = {}  # which, unlike a mapping proxy, can be pickled


class SourceMap(NamedTuple):
    """The keywords and locations that differ in the document that the author wrote.

    `renamed` maps the JSON pointer of a keyword (`#/a/$defs`) to its older name (`definitions`), as
    many steps of a pointer for as many; `moved` the pointer of a schema to the author's pointer,
    after the URI of another document. `source` is the text that the document was read from, as JSON
    from `start` on, if that is known.
    """

    renamed: Mapping[str, str] = _NOTHING
    moved: Mapping[str, str] = _NOTHING
    source: Source | None = None
    start: int = 0

    def located(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems with their spans in the source, if they name pointers of the author."""
        return list(problems) if self.source is None else located(problems, self.source, self.start)

    def pointer(self, pointer: str) -> str:
        """Return the author's pointer of what a pointer names."""
        if not self.renamed and not self.moved:
            return pointer
        inner, rest = pointer, ""
        while True:
            if inner in self.moved:
                return self.moved[inner] + rest
            older = self.renamed.get(inner)
            if older is not None:
                rest = f"/{older}{rest}"
                inner = inner.rsplit("/", older.count("/") + 1)[0]
                continue
            inner, slash, step = inner.rpartition("/")
            if not slash:
                return step + rest
            rest = f"/{step}{rest}"

    def named(self, pointer: str, keyword: str) -> tuple[str, str]:
        """Return a schema's pointer and the name of its keyword as the author wrote them."""
        return self.pointer(pointer), self.renamed.get(f"{pointer}/{keyword}", keyword)


Form: TypeAlias = Literal["json", "text", "yesno", "code", "tasklist"]
"""How an answer is written: as JSON, or as one of the forms that are not JSON."""


class SchemaParts(NamedTuple):
    """The fields of a `Schema`; that class says what they mean."""

    document: JsonSchema
    form: Form = "json"
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)
    source_map: SourceMap = SourceMap()


_WRITTEN = frozenset({"enum", "const", "x-gbnf"})


def json_form(document: JsonSchema) -> Form:
    """Return `text` for a root that is a free string, `json` for anything else.

    A string with `enum` or `const` is one of a few words, which the JSON form finds in a reply; one
    with a custom grammar rule is written as JSON, since that is what the rule is for.
    """
    free = document.get("type") == "string" and not _WRITTEN & document.keys()
    return "text" if free else "json"
