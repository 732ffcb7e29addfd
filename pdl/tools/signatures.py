"""Signatures to tools, by way of the schema DSL, in which their types are written.

`scan` finds the tools of a text, and the definitions of the names that their types use. The text
becomes one object of the DSL with a key for each tool: `navigate(…)` becomes `navigate: {…},`.
Added characters are placed where neither errors nor the columns of comments show them. Tools can
also be in a ```json fence: the list of dicts that providers accept (`read_fenced`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pdl.errors import LimitError, PdlError, Problem, error_from
from pdl.schema import Schema
from pdl.schema.text import load, read_fence
from pdl.source import Anchor, Source
from pdl.tools.tool import Tool, name_problems, part_of
from pdl.tools.writing import read as read_dicts

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.source import Span


_PARTNERS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    r"""(?P<blank>[\s\ufeff]+)"""
    r"""|(?P<comment>//[^\r\n]*)"""
    r"""|(?P<text>"(?>(?:[^"\\\r\n]|\\[^\r\n])*)"?|'[^'\r\n]*+'?)"""
    r"""|(?P<arrow>->|=>)"""
    r"""|(?P<word>[^\s\ufeff()\[\]{}<>?=|,:;"'/]++)"""
    r"""|(?P<mark>.)""",
    re.DOTALL,
)
_HINTS = {
    "->": "a signature has no return type; describe the result after `//`",
    "=>": "a signature has no return type; describe the result after `//`",
    "-": "write each signature on its own line, without a list marker",
    "*": "write each signature on its own line, without a list marker",
    ",": "write each signature on its own line, without commas",
    ";": "write each signature on its own line, without semicolons",
    "def": "make tools of Python functions with `ToolSet.from_functions`",
}
_AFTER = re.compile(r"[^\S\r\n]*+(.)?")
_DEFINES = re.compile(r"\s*+=(?!>)")


class Signature(NamedTuple):
    """`name(…)`: offsets of its name, its two brackets."""

    name: str
    start: int
    opening: int
    closing: int


@dataclass
class Scan:
    """Signatures in order, pieces of text that define names, and problems."""

    signatures: list[Signature] = field(default_factory=list)
    definitions: list[tuple[int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def scan(source: Source) -> Scan:
    """(signature | NAME '=' type)*. Reads each character once."""
    return _Scanner(source).run()


class _Scanner:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._found = Scan()
        self._depth = 0  # brackets that are open in a definition
        self._defining: int | None = None  # where the current definition began
        self._end = 0  # the end of what was read last, without comments on their own lines
        self._above: int | None = None  # where the block of comments directly above begins
        self._column = -1  # that of the comment read last, if it follows something on its line

    def run(self) -> Scan:
        """Go from token to token."""
        at = 0
        while (token := _TOKEN.match(self._text, at)) is not None:
            at = token.end()
            if token.lastgroup == "blank":
                if token[0].count("\n") > 1:
                    self._above, self._column = None, -1
            elif token.lastgroup == "comment" and not self._depth:
                self._comment(token)
            else:
                at = self._token(token)
                self._above, self._column = None, -1
        self._close()
        return self._found

    def _comment(self, token: re.Match[str]) -> None:
        """A comment belongs to what precedes it on its line, or else to the next line.

        It also continues a comment of the line above that begins in the same column.
        """
        column = token.start() - self._text.rfind("\n", 0, token.start())
        is_beside = self._end and "\n" not in self._text[self._end : token.start()]
        if is_beside or column == self._column:
            self._end, self._column = token.end(), column
        elif self._above is None:
            self._above = token.start()

    def _token(self, token: re.Match[str]) -> int:
        if token.lastgroup == "word" and not self._depth:
            return self._word(token)
        if self._defining is None:
            self._stray(token)
        else:
            self._depth += _step(token[0])
        self._end = token.end()
        return token.end()

    def _word(self, token: re.Match[str]) -> int:
        """A word outside all brackets begins or continues a signature or a definition."""
        after = _AFTER.match(self._text, token.end())
        assert after is not None
        if after[1] == "(":
            self._close()
            return self._signature(token, after.start(1))
        if _DEFINES.match(self._text, token.end()):
            self._close()
            self._defining = token.start() if self._above is None else self._above
        if self._defining is None:
            self._stray(token)
        self._end = token.end()
        return token.end()

    def _close(self) -> None:
        if self._defining is not None:
            self._found.definitions.append((self._defining, self._end))
        self._defining, self._depth = None, 0

    def _signature(self, token: re.Match[str], opening: int) -> int:
        """The end of a signature whose name and bracket were read."""
        opened: list[int] = []
        at, closed = opening, False
        while not closed and (inner := _TOKEN.match(self._text, at)) is not None:
            at = inner.end()
            if inner[0] in _PARTNERS.values():
                opened.append(inner.start())
            elif inner[0] in _PARTNERS:
                closed = self._closes(inner, opened)
        if closed:
            self._found.signatures.append(Signature(token[0], token.start(), opening, at - 1))
        elif not self._found.problems:
            self._unclosed(opened[-1])
        self._end = at
        return at

    def _closes(self, mark: re.Match[str], opened: list[int]) -> bool:
        """Whether a closing bracket ends the signature, whose open brackets are given."""
        if self._text[opened[-1]] == _PARTNERS[mark[0]]:
            opened.pop()
        elif mark[0] == ")":
            self._unclosed(opened[-1])
            opened.clear()
        else:
            span = self._source.span(mark.start(), mark.end())
            self._problem("tool/syntax", f"unmatched `{mark[0]}`", span)
        return not opened

    def _unclosed(self, opening: int) -> None:
        message = f"unclosed `{self._text[opening]}`"
        self._problem("tool/unclosed", message, self._source.span(opening, opening + 1))

    def _problem(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self._found.problems.append(Problem(code, message, span, hint))

    def _stray(self, token: re.Match[str]) -> None:
        if self._found.problems and self._found.problems[-1].code == "tool/syntax":
            return  # one wrong word is often the first of many
        message = f"expected a tool such as `name(parameter: type)`, found `{token[0][:40]}`"
        hint = _HINTS.get(token[0], "")
        if not hint and token.lastgroup == "word" and not self._found.signatures:
            hint = "write descriptions after `//`"
        span = self._source.span(token.start(), token.end())
        self._problem("tool/syntax", message, span, hint)


def _step(mark: str) -> int:
    return -1 if mark in _PARTNERS else 1 if mark in _PARTNERS.values() else 0


FENCES = ("```", "~~~")


def read_fenced(source: Source, start: int, limits: Limits) -> tuple[Tool, ...]:
    """Return the tools of a fence (GFM, section 4.5) that contains only a JSON array of tools.

    Raises ToolError, SchemaError and LimitError; problems of a tool are reported at the fence.
    """
    inside, offset, span = read_fence(
        source, start, ("", "json"), "tool/bad-fence", "tool/bad-fence"
    )
    listed = load(inside, limits, offset)
    try:
        tools = read_dicts(listed)
    except PdlError as error:
        placed = (replace(one, span=one.span or span) for one in error.problems)
        raise error_from(placed) from error
    problems = list(name_problems((tool.name, span) for tool in tools))
    if problems:
        raise error_from(problems)
    return tools


_START = itemgetter(0)
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_BRACKET = re.compile(r"""//[^\r\n]*|"(?>(?:[^"\\\r\n]|\\.)*)"?|'[^'\r\n]*+'?|[()\[\]{}]""")
_BLANKS = "\ufeff \t\r\n"
_HINT = "write a tool as `name(parameter: type, …) // what it does`"


def read_signatures(source: Source, limits: Limits) -> tuple[Tool, ...]:
    """(signature | NAME '=' type)*, signature := NAME '(' field,* ')'.

    Raises an error with all problems and their positions: ToolError for the signatures, SchemaError
    for their types, PromptError for both.
    """
    if len(source.text) > limits.source_chars:
        message = f"the tools have more than {limits.source_chars:,} characters"
        raise LimitError(Problem("limit/source-chars", message, source.span(0)))
    start = len(source.text) - len(source.text.lstrip(_BLANKS))
    if source.text.startswith(FENCES, start):
        return read_fenced(source, start, limits)
    found = scan(source)
    names = [(one.name, _span(source, one)) for one in found.signatures]
    problems = [*found.problems, *name_problems(names)]
    if not (problems or found.signatures):
        problems = [Problem("tool/none", "there are no tools", source.span(0), _HINT)]
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
        reworded = (_reworded(one, source, found.signatures) for one in error.problems)
        raise error_from(reworded) from error


class _Copy:
    """Builds a text from pieces of a source and from others."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parts: list[str] = []
        self._anchors: list[Anchor] = []
        self._length = 0

    def piece(self, start: int, end: int) -> None:
        """Append that piece of the source."""
        self.put(self._source.text[start:end], start)

    def put(self, text: str, at: int) -> None:
        """Append a text that represents the source at an offset."""
        self._parts.append(text)
        self._anchors.append(Anchor(self._length, len(text), self._source, at))
        self._length += len(text)

    def add(self, text: str) -> None:
        """Append a text that is not in the source."""
        self._parts.append(text)
        self._length += len(text)

    def source(self) -> Source:
        """The whole."""
        return Source("".join(self._parts), self._source.name, tuple(self._anchors))


def _object(source: Source, found: Scan) -> Source:
    """One object of the DSL with the tools as its keys, and the definitions after it."""
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
        column = one.opening - (text.rfind("\n", 0, one.opening) + 1)
        copy.add(":\n" + " " * column)
        copy.put("{", one.opening)
        at = one.opening + 1
        upto(one.closing)
        copy.put("},", one.closing)
        at = one.closing + 1 + text.startswith((" ", "\t"), one.closing + 1)
    upto(len(text))
    copy.add("\n}\n")
    for start, stop in found.definitions:
        copy.piece(start, stop)
        copy.add("\n")
    return copy.source()


def _reworded(problem: Problem, source: Source, signatures: list[Signature]) -> Problem:
    """A problem of the DSL in terms of signatures, whose brackets are round."""
    if problem.span is None:
        return problem
    offset = _offset(problem.span)
    problem = replace(problem, hint=problem.hint.replace("the answer's type", "the tools"))
    inside = next((one for one in signatures if one.opening < offset <= one.closing), None)
    if inside is None or _innermost(source.text, inside.opening, offset) != inside.opening:
        return problem
    message = problem.message.replace("`}`", "`)`")
    return replace(problem, message=message, hint=problem.hint.replace("`}`", "`)`"))


def _offset(span: Span) -> int:
    """The offset in the signatures of the start of a span in the object."""
    anchors = span.source.anchors
    anchor = anchors[max(bisect_right(anchors, span.start, key=_START) - 1, 0)]
    return anchor.offset + min(max(span.start - anchor.start, 0), anchor.length)


def _innermost(text: str, opening: int, end: int) -> int:
    """The innermost open bracket at an offset after `opening`, which is itself a bracket."""
    opened: list[int] = []
    for match in _BRACKET.finditer(text, opening, end):
        if match[0] in _OPENERS:
            opened.append(match.start())
        elif match[0] in _CLOSERS and len(opened) > 1:
            opened.pop()
    return opened[-1]
