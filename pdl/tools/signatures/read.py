"""Signatures to tools, by way of the schema notation, which all their types are in.

The text is turned into one object of the notation, a key a tool: `navigate(…)` becomes
`navigate: {…},`. What is added stands where no error and no comment's column shows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

from pdl.errors import LimitError, PdlError, Problem, error_from
from pdl.schema import Schema
from pdl.source import Anchor, Source
from pdl.tools.names import name_problems
from pdl.tools.schemata import part_of
from pdl.tools.signatures import fenced
from pdl.tools.signatures.scan import Scan, Signature, scan
from pdl.tools.tool import Tool

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.source import Span

_START = itemgetter(0)
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_BRACKET = re.compile(r"""//[^\r\n]*|"(?>(?:[^"\\\r\n]|\\.)*)"?|'[^'\r\n]*+'?|[()\[\]{}]""")
_BLANKS = "\ufeff \t\r\n"
_HINT = "a tool is written `name(parameter: type, …) // what it does`"


def read(source: Source, limits: Limits) -> tuple[Tool, ...]:
    """(signature | NAME '=' type)*, signature := NAME '(' field,* ')'.

    Raises an error with all problems, each with its place: ToolError for the signatures,
    SchemaError for their types, PromptError for both.
    """
    if len(source.text) > limits.source_chars:
        message = f"the tools have more than {limits.source_chars:,} characters"
        raise LimitError(Problem("limit/source-chars", message, source.span(0)))
    start = len(source.text) - len(source.text.lstrip(_BLANKS))
    if source.text.startswith(fenced.FENCES, start):
        return fenced.read(source, start, limits)
    found = scan(source)
    names = [(one.name, _span(source, one)) for one in found.signatures]
    problems = [*found.problems, *name_problems(names)]
    if not (problems or found.signatures):
        problems = [Problem("tool/none", "there is no tool", source.span(0), _HINT)]
    if problems:
        raise error_from(problems)
    whole = _schema(source, found, limits)
    return tuple(_tool(one.name, whole) for one in found.signatures)


def _span(source: Source, one: Signature) -> Span:
    return source.span(one.start, one.start + len(one.name))


def _tool(name: str, whole: Schema) -> Tool:
    document = dict(whole.document["properties"][name])
    description = document.pop("description", "")
    return Tool(name, part_of(whole.document, document), description)


def _schema(source: Source, found: Scan, limits: Limits) -> Schema:
    inner = replace(limits, schema_depth=limits.schema_depth + 1)  # the object around all tools
    placed = _object(source, found)
    try:
        return Schema.parse(placed, limits=inner)
    except PdlError as error:
        told = (_told(one, source, found.signatures) for one in error.problems)
        raise error_from(told) from error


class _Copy:
    """A text that is put together from pieces of a source and from others."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parts: list[str] = []
        self._anchors: list[Anchor] = []
        self._length = 0

    def piece(self, start: int, end: int) -> None:
        """What stands there in the source."""
        self.put(self._source.text[start:end], start)

    def put(self, text: str, at: int) -> None:
        """A text that stands for what the source has at an offset."""
        self._parts.append(text)
        self._anchors.append(Anchor(self._length, len(text), self._source, at))
        self._length += len(text)

    def add(self, text: str) -> None:
        """A text that the source has not."""
        self._parts.append(text)
        self._length += len(text)

    def source(self) -> Source:
        """The whole."""
        return Source("".join(self._parts), self._source.name, tuple(self._anchors))


def _object(source: Source, found: Scan) -> Source:
    """One object of the notation that has the tools as its keys, and the names behind it."""
    text, copy = source.text, _Copy(source)
    cuts = sorted(found.definitions)
    at = 0
    copy.put("{", 0)
    copy.add("\n")

    def upto(end: int) -> None:
        nonlocal at
        while cuts and cuts[0][0] < end:
            start, stop = cuts.pop(0)
            copy.piece(at, start)
            at = stop
        copy.piece(at, end)
        at = end

    for one in found.signatures:
        upto(one.start + len(one.name))
        column = one.opener - (text.rfind("\n", 0, one.opener) + 1)
        copy.add(":\n" + " " * column)
        copy.put("{", one.opener)
        at = one.opener + 1
        upto(one.closer)
        copy.put("},", one.closer)
        at = one.closer + 1 + text.startswith((" ", "\t"), one.closer + 1)
    upto(len(text))
    copy.add("\n}\n")
    for start, stop in found.definitions:
        copy.piece(start, stop)
        copy.add("\n")
    return copy.source()


def _told(problem: Problem, source: Source, signatures: list[Signature]) -> Problem:
    """A problem of the notation in terms of signatures, whose brackets are round."""
    if problem.span is None:
        return problem
    place = _place(problem.span)
    problem = replace(problem, hint=problem.hint.replace("the answer's type", "the tools"))
    inside = next((one for one in signatures if one.opener < place <= one.closer), None)
    if inside is None or _innermost(source.text, inside.opener, place) != inside.opener:
        return problem
    message = problem.message.replace("`}`", "`)`")
    return replace(problem, message=message, hint=problem.hint.replace("`}`", "`)`"))


def _place(span: Span) -> int:
    """The offset in the signatures of what a span in the object begins with."""
    anchors = span.source.anchors
    anchor = anchors[max(bisect_right(anchors, span.start, key=_START) - 1, 0)]
    return anchor.offset + min(max(span.start - anchor.start, 0), anchor.length)


def _innermost(text: str, opener: int, place: int) -> int:
    """The bracket that is open last at a place behind `opener`, which is one itself."""
    opened: list[int] = []
    for match in _BRACKET.finditer(text, opener, place):
        if match[0] in _OPENERS:
            opened.append(match.start())
        elif match[0] in _CLOSERS and len(opened) > 1:
            opened.pop()
    return opened[-1]
