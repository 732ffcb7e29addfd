"""One look at the text before it is parsed: brackets, strings and comments.

Unbalanced brackets and open strings are found here, since only here the opener is known, and the
depth is bounded before anything is built.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from pdl.errors import Problem, error_from

if TYPE_CHECKING:
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
    """A `// comment`: where its slashes stand, and what stands behind them."""

    start: int
    end: int
    text: str


def outline(source: Source, limits: Limits) -> tuple[Comment, ...]:
    """The comments of a text whose brackets and strings are closed.

    Raises SchemaError for the first that is not, LimitError for a text that is too long or deep.
    """
    if len(source.text) > limits.source_chars:
        message = f"longer than {limits.source_chars:,} characters"
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
        hint = f"is a `{opener}` missing before it?"
        _refuse("schema/unopened", f"`{closer}` closes nothing", source.span(start), hint)
    opener = source.text[openers[-1]]
    if _CLOSER[opener] != closer:
        place = source.span(openers[-1]).origin()
        message = f"expected `{_CLOSER[opener]}`, found `{closer}`"
        hint = f"the `{opener}` at line {place.line}, column {place.column} is still open"
        _refuse("schema/mismatched", message, source.span(start), hint)
    openers.pop()


def _refuse_piece(source: Source, match: re.Match[str]) -> NoReturn:
    assert match.lastgroup is not None
    span, text = source.span(*match.span(match.lastgroup)), match[match.lastgroup]
    if match.lastgroup == "open_string":
        message = f"this string is never closed: its line has no second `{text}`"
        _refuse("schema/unclosed-string", message, span)
    hint = "comments begin with `//` and end with the line"
    _refuse("schema/comment", f"`{text}` begins no comment here", span, hint)


def _refuse_unclosed(source: Source, start: int) -> NoReturn:
    opener = source.text[start]
    message = f"this `{opener}` is never closed"
    _refuse("schema/unclosed", message, source.span(start), f"add a `{_CLOSER[opener]}`")


def _refuse(code: str, message: str, span: Span, hint: str = "") -> NoReturn:
    raise error_from([Problem(code, message, span, hint)])
