"""Comments of the schema DSL: which one describes what.

`scan_comments` finds brackets, strings and comments before the text is parsed. It refuses
unbalanced brackets and open strings, since only here the opening bracket is known, and bounds the
depth before anything is built.

A comment that follows something on its line describes the field that ended or began there last; on
lines of its own it describes what the next line begins. A block that an empty line separates from
what follows, or that precedes a closing bracket, describes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from pdl.errors import Problem, error_from
from pdl.schema.dsl.tree import (
    Array,
    Definition,
    Field,
    Group,
    Item,
    Node,
    Object,
    Rest,
    Text,
    Union,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdl.limits import Limits
    from pdl.source import Source, Span


_PIECES = re.compile(
    r"""(?P<string>"(?>(?:[^"\\\r\n]|\\.)*)"|'[^'\r\n]*')
      | (?P<open_string>["'])[^\r\n]*+
      | (?P<comment>//[^\r\n]*)
      | (?P<odd_comment>\#|/\*)
      | (?P<opener>[\[({])
      | (?P<closer>[\])}])""",
    re.VERBOSE,
)
_CLOSER = {"{": "}", "[": "]", "(": ")"}


class Comment(NamedTuple):
    """A `// comment`: where its slashes are, and the text after them."""

    start: int
    end: int
    text: str


def scan_comments(source: Source, limits: Limits) -> tuple[Comment, ...]:
    """Return the comments of a text whose brackets and strings are closed.

    Raises SchemaError for the first that is not, LimitError for a text that is too long or deep.
    """
    if len(source.text) > limits.source_chars:
        message = f"text longer than {limits.source_chars:,} characters"
        _refuse("limit/source-chars", message, source.span(0))
    comments = []
    openers: list[int] = []
    for match in _PIECES.finditer(source.text):
        start = match.start()
        if match.lastgroup == "comment":
            comments.append(Comment(start, match.end(), match[0][2:]))
        elif match.lastgroup == "opener":
            openers.append(start)
            _check_depth(source, openers, limits)
        elif match.lastgroup == "closer":
            _close(source, openers, start)
        elif match.lastgroup != "string":
            _refuse_piece(source, match)
    if openers:
        _refuse_unclosed(source, openers[-1])
    return tuple(comments)


def _check_depth(source: Source, openers: list[int], limits: Limits) -> None:
    if len(openers) > limits.schema_depth:
        message = f"types nest deeper than {limits.schema_depth} levels"
        _refuse("limit/schema-depth", message, source.span(openers[-1]))


def _close(source: Source, openers: list[int], start: int) -> None:
    closer = source.text[start]
    if not openers:
        opener = next(one for one, other in _CLOSER.items() if other == closer)
        hint = f"remove it, or add the missing `{opener}`"
        _refuse("schema/unopened", f"unmatched `{closer}`", source.span(start), hint)
    opener = source.text[openers[-1]]
    if _CLOSER[opener] != closer:
        opened = source.span(openers[-1]).origin()
        message = f"expected `{_CLOSER[opener]}`, found `{closer}`"
        hint = f"the `{opener}` at line {opened.line}, column {opened.column} is still open"
        _refuse("schema/mismatched", message, source.span(start), hint)
    openers.pop()


def _refuse_piece(source: Source, match: re.Match[str]) -> NoReturn:
    assert match.lastgroup is not None
    span, text = source.span(*match.span(match.lastgroup)), match[match.lastgroup]
    if match.lastgroup == "open_string":
        message = f"unclosed string: its line has no second `{text}`"
        _refuse("schema/unclosed-string", message, span)
    hint = "write `// words`, up to the end of the line"
    _refuse("schema/comment", f"`{text}` does not begin a comment", span, hint)


def _refuse_unclosed(source: Source, start: int) -> NoReturn:
    opener = source.text[start]
    message = f"unclosed `{opener}`"
    _refuse("schema/unclosed", message, source.span(start), f"add a `{_CLOSER[opener]}`")


def _refuse(code: str, message: str, span: Span, hint: str = "") -> NoReturn:
    raise error_from([Problem(code, message, span, hint)])


_SPACES = re.compile(r"\s*")
_COMMA = re.compile(r"\s*,")


class _Line(NamedTuple):
    """A comment in its surroundings.

    `own_line` says that it has its line to itself, `opens` that an opening bracket is before it;
    `after` is the offset of what it describes if something is before it; `inside` that of the
    innermost node that is still open.
    """

    comment: Comment
    line: int
    column: int
    own_line: bool
    opens: bool
    after: int
    inside: int


def descriptions(text: str, comments: tuple[Comment, ...], parsed: Text) -> dict[int, str]:
    """Return the description of each field, definition and of the root, by its offset."""
    if not comments:
        return {}
    nodes = list(_described(parsed))
    starts = {node.start for node in nodes} | {parsed.root.start}
    lines: dict[int, list[str]] = {}
    for block in _blocks(_lines(text, comments, nodes, parsed.root.start)):
        own_lines = block[0].own_line
        owner = _next(text, block[-1], starts, parsed) if own_lines else block[0].after
        if owner is not None:
            words = [one.comment.text.removeprefix(" ") for one in block]
            lines.setdefault(owner, []).extend(words)
    found = {owner: joined(words) for owner, words in lines.items()}
    return {owner: description for owner, description in found.items() if description}


def _described(parsed: Text) -> Iterator[Field | Rest | Definition]:
    """All nodes that a comment can describe, but the root."""
    pending: list[Node] = [*parsed.definitions, parsed.root]
    while pending:
        node = pending.pop()
        match node:
            case Field(type=inner) | Rest(type=inner) | Definition(type=inner):
                yield node
                pending.append(inner)
            case Item(atom=inner) | Group(inner=inner):
                pending.append(inner)
            case Union(items=inner) | Array(items=inner) | Object(members=inner):
                pending += inner


def _lines(
    text: str, comments: tuple[Comment, ...], nodes: list[Field | Rest | Definition], root: int
) -> Iterator[_Line]:
    """Merge the starts and ends of all nodes with the comments between them."""
    events = sorted(
        [(node.start, True, node) for node in nodes] + [(node.end, False, node) for node in nodes],
        key=lambda event: event[:2],
    )
    opened: list[int] = []
    latest: tuple[int, bool, Field | Rest | Definition] | None = None
    at = line = counted = 0
    for comment in comments:
        while at < len(events) and events[at][0] <= comment.start:
            latest = events[at]
            opened.append(latest[2].start) if latest[1] else opened.pop()
            at += 1
        line += text.count("\n", counted, comment.start)
        counted = comment.start
        line_start = text.rfind("\n", 0, comment.start) + 1
        before = line_start + len(text[line_start : comment.start].rstrip())
        inside = opened[-1] if opened else root
        after = latest[2].start if latest and _touches(text, latest, before) else inside
        column, own_line = comment.start - line_start, before == line_start
        opens = not own_line and text[before - 1] in "{[("
        yield _Line(comment, line, column, own_line, opens, after, inside)


def _touches(text: str, event: tuple[int, bool, Node], before: int) -> bool:
    """Whether only a comma is between the end of a node and an offset."""
    end, is_start, _ = event
    if is_start:
        return True
    comma = _COMMA.match(text, end)
    return before <= (comma.end() if comma else end)


def _blocks(lines: Iterable[_Line]) -> list[list[_Line]]:
    """Comments on consecutive lines; those below one that follows something are aligned with it.

    Below one that follows an opening bracket they are not: that is how what is in the brackets is
    indented.
    """
    blocks: list[list[_Line]] = []
    for one in lines:
        last = blocks[-1][-1] if blocks else None
        if last is not None and one.own_line and one.line == last.line + 1:
            first = blocks[-1][0]
            if first.own_line or (one.column == last.column and not first.opens):
                blocks[-1].append(one)
                continue
        blocks.append([one])
    return blocks


def _next(text: str, one: _Line, starts: set[int], parsed: Text) -> int | None:
    """The offset of what a block describes whose last line is given, if that is something."""
    spaces = _SPACES.match(text, one.comment.end)
    position = spaces.end() if spaces else one.comment.end
    if position == len(text):
        return None if parsed.definitions else parsed.root.start
    if text.count("\n", one.comment.end, position) > 1 or text[position] in "}])":
        return None
    return position if position in starts else one.inside
