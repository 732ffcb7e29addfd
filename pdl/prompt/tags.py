"""The tags of a template: what is wrong with each when it is read alone, and where words stand."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from jinja2 import Environment, TemplateSyntaxError
from jinja2.ext import LoopControlExtension
from jinja2.lexer import describe_token
from jinja2.parser import Parser

from pdl.prompt import tera
from pdl.prompt.scan import Piece, Token, scan, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.source import Source, Span

ASSIGN = "set="
OPENERS = {
    "if": "if 0",
    "for": "for _ in []",
    "macro": "macro _()",
    "call": "call ''.x()",
    "filter": "filter upper",
    "block": "block pdl_{at}",
    "with": "with",
    "autoescape": "autoescape true",
    "set": "set _",
}
"""The tags that begin a block, and a valid one for each."""
MIDDLES = {"elif": ("elif 0", ("if",)), "else": ("else", ("if", "for"))}
SINGLE = {
    **dict.fromkeys((ASSIGN, "set_global", "import", "from", "break", "continue"), "set _ = 0"),
    **dict.fromkeys(("include", "extends"), "include []"),
}
Role = Literal[
    "variable", "target", "attribute", "argument", "filter", "test", "tag", "string", "key", ""
]
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_AFTER_TAG = 3  # tokens of `{% endif %}`
_CHARACTER = re.compile(r"unexpected char .* at (\d+)$", re.DOTALL)
_SAYS_TOKEN = re.compile(r".*(?:got|unexpected) '|tag name expected|Encountered unknown tag")


class Mistake(NamedTuple):
    """Jinja's words for what is wrong with a tag, and where in the tag that is."""

    message: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """The message without the offset that some of Jinja's have."""
        return without_offset(self.message)


class _Place(NamedTuple):
    """A token of a tag."""

    start: int
    end: int
    role: Role


def without_offset(message: str) -> str:
    """Jinja's message without the offset at its end."""
    return re.sub(r" at \d+$", "", message)


def keyword_of(text: str, piece: Piece) -> str:
    """The first word of a statement, `set=` if it assigns; "" for an expression."""
    if piece.kind != "statement":
        return ""
    words = [(one.kind, text[one.start : one.end]) for one in tokens(text, piece)]
    keyword = next((word for kind, word in words if kind == "name"), "?")
    return ASSIGN if keyword == "set" and ("operator", "=") in words else keyword


def mistake_of(text: str, piece: Piece, keyword: str) -> Mistake | None:
    """What is wrong with a closed tag that is read alone."""
    names = [text[one.start : one.end] for one in tokens(text, piece) if one.kind == "name"]
    block = names[1] if keyword == "endblock" and len(names) > 1 else ""
    return _mistake(text[piece.start : piece.end], piece.kind == "statement", keyword, block)


@lru_cache(maxsize=4096)
def _mistake(tag: str, is_statement: bool, keyword: str, block: str) -> Mistake | None:  # noqa: FBT001 - cached by position
    before = after = ""
    word = keyword.removeprefix("end")
    if keyword in MIDDLES:
        before, after = "{% if 0 %}", "{% endif %}"
    elif keyword in OPENERS:
        after = f"{{% end{keyword} %}}"
    elif block:
        before = f"{{% block {block} %}}"
    elif keyword.startswith("end") and word in OPENERS:
        before = f"{{% {OPENERS[word].format(at=0)} %}}"
    piece = Piece("statement" if is_statement else "expression", 0, len(tag))
    parser = None
    try:
        parser = Parser(_environment(), before + tag + after)
        parser.parse()
    except TemplateSyntaxError as error:
        message = error.message or ""
        if parser is None:
            return _unread(tag, piece, message, len(before))
        return _unparsed(tag, piece, message, parser, _AFTER_TAG if after else 0)
    except (RecursionError, ValueError, OverflowError):
        return None
    return None


def _unread(tag: str, piece: Piece, message: str, before: int) -> Mistake:
    """A mistake that the lexer finds: a character, or a bracket that does not match."""
    if found := _CHARACTER.match(message):
        at = min(max(int(found[1]) - before, 0), len(tag) - 1)
        return Mistake(message, at, at + 1)
    if stray := stray_bracket(tag, piece):
        return Mistake(message, stray.start, stray.end)
    closer = tag[-2:]
    return Mistake(message.replace("'}'", f"'{closer}'"), len(tag) - 2, len(tag))


def stray_bracket(text: str, piece: Piece) -> Token | None:
    """The first closing bracket in a tag that closes none there."""
    opened: list[str] = []
    for token in tokens(text, piece):
        word = text[token.start : token.end]
        if word in _BRACKETS:
            opened.append(_BRACKETS[word])
        elif word in (")", "]", "}") and (not opened or opened.pop() != word):
            return token
    return None


def _unparsed(tag: str, piece: Piece, message: str, parser: Parser, after: int) -> Mistake:
    """A mistake that the parser finds, at the token where it stopped."""
    stopped = parser.stream.current
    is_said = f"'{describe_token(stopped)}'" in message or "got" not in message
    at = sum(1 for _ in parser.stream) - after - 1  # tokens of the tag behind it
    found = tokens(tag, piece)
    if _SAYS_TOKEN.match(message) and is_said:
        if at == 0:
            return Mistake(message, len(tag) - 2, len(tag))
        if 0 < at <= len(found):
            return Mistake(message, found[-at].start, found[-at].end)
    return Mistake(message, 0, len(tag))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(extensions=[tera.TeraTags, LoopControlExtension], autoescape=False)  # noqa: S701 - it only parses


def unmatched(keywords: Sequence[str]) -> set[int]:
    """The indices of tags that begin, divide or end no block, and of those that are unknown."""
    out: set[int] = set()
    opened: list[int] = []
    count: Counter[str] = Counter()
    for at, keyword in enumerate(keywords):
        word = keyword.removeprefix("end")
        last = keywords[opened[-1]] if opened else ""
        if keyword in OPENERS:
            opened.append(at)
            count[keyword] += 1
        elif keyword.startswith("end") and count[word]:
            while keywords[opened[-1]] != word:
                count[keywords[opened[-1]]] -= 1
                out.add(opened.pop())
            opened.pop()
            count[word] -= 1
        elif keyword in MIDDLES and last in MIDDLES[keyword][1]:
            continue
        elif keyword and keyword not in SINGLE:
            out.add(at)
    return out | set(opened)


@lru_cache(maxsize=2)
def _tags(text: str) -> tuple[list[Piece], list[int], list[int]]:
    """The tags of a text that is not parsed, and where they begin and end."""
    tags = [one for one in scan(text) if one.kind in ("statement", "expression")]
    return tags, [one.start for one in tags], [one.end for one in tags]


@lru_cache(maxsize=2)
def _words(text: str) -> dict[str, list[_Place]]:
    """Where each word stands in the tags of a text, and as what."""
    found: dict[str, list[_Place]] = {}
    for piece in _tags(text)[0]:
        for token, role in _roles(text, piece):
            inset = int(role in ("string", "key"))
            start, end = token.start + inset, token.end - inset
            found.setdefault(text[start:end], []).append(_Place(start, end, role))
    return found


def _roles(text: str, piece: Piece) -> Iterator[tuple[Token, Role]]:
    """The tokens of a tag, and what each of them is."""
    found = tokens(text, piece)
    words = [text[one.start : one.end] for one in found]
    first = words[0] if words and piece.kind == "statement" else ""
    depth = 0
    is_target = first == "for"  # up to its `in`
    for at, (token, word) in enumerate(zip(found, words, strict=True)):
        depth += (word in _BRACKETS) - (word in _BRACKETS.values())
        before, after = words[max(at - 2, 0) : at], words[at + 1 : at + 2]
        is_target = is_target and word != "in"
        role: Role = "target" if is_target else "variable"
        if token.kind != "name":
            role = "" if token.kind != "string" else "key" if before[-1:] == ["["] else "string"
        elif at == 0 and first:
            role = "tag"
        elif before[-1:] == ["|"] or (at == 1 and first == "filter"):
            role = "filter"
        elif before == ["is", "not"] or (before[-1:] == ["is"] and word != "not"):
            role = "test"
        elif before[-1:] == ["."]:
            role = "attribute"
        elif after == ["="]:
            role = "argument" if depth else "target"
        yield token, role


def _line(source: Source, line: int) -> tuple[int, int]:
    start = source.offset(line)
    end = source.text.find("\n", start)
    return start, end if end >= 0 else len(source.text)


def _touched(source: Source, line: int) -> range:
    """The indices of the tags that a line touches."""
    _, starts, ends = _tags(source.text)
    start, end = _line(source, line)
    first = bisect_right(ends, start)
    return range(first, max(first, bisect_left(starts, end)))


def faulty(source: Source, line: int, message: str) -> Piece | None:
    """The tag that Jinja means with a syntax error on a line, if one is wrong when it is alone.

    Where no tag on the line is, the nearest one before it has swallowed text up to there.
    """
    text, (tags, _, _) = source.text, _tags(source.text)
    here = _touched(source, line)
    wrong = [tags[at] for at in here if is_faulty(text, tags[at])]
    for piece in wrong:
        mistake = mistake_of(text, piece, keyword_of(text, piece)) if piece.closed else None
        if mistake is not None and _same(mistake.words, without_offset(message)):
            return piece
    if wrong:
        return wrong[0]
    before = (tags[at] for at in range(here.start - 1, -1, -1))
    return next((piece for piece in before if is_faulty(text, piece)), None)


def _same(ours: str, message: str) -> bool:
    return ours.replace("'}}'", "'}'").replace("'%}'", "'}'") == message


def is_faulty(text: str, piece: Piece) -> bool:
    """Whether a tag is wrong when it is read alone."""
    return not piece.closed or mistake_of(text, piece, keyword_of(text, piece)) is not None


def opener_place(source: Source, keyword: str) -> Span | None:
    """The name of the innermost tag of that name whose block is open at the end of a text."""
    tags = _tags(source.text)[0]
    keywords = [keyword_of(source.text, piece) for piece in tags]
    opened = (at for at in unmatched(keywords) if keywords[at] == keyword)
    last = max(opened, default=None)
    if last is None:
        return None
    name = tokens(source.text, tags[last])[0]
    return source.span(name.start, name.end)


def misplaced_place(source: Source, line: int, keyword: str) -> Span | None:
    """The name of the first tag on a line that has that name and belongs to no block."""
    text, (tags, _, _) = source.text, _tags(source.text)
    keywords = [keyword_of(text, piece) for piece in tags]
    here = [at for at in _touched(source, line) if keywords[at].removesuffix("=") == keyword]
    lost = unmatched(keywords)
    at = next((at for at in here if at in lost), next(iter(here), None))
    if at is None:
        return None
    name = next(one for one in tokens(text, tags[at]) if one.kind == "name")
    return source.span(name.start, name.end)


def word_place(source: Source, line: int, word: str, *roles: Role) -> Span | None:
    """Where a word stands in the tags that a line touches, best on that line, in one of the roles.

    Without a role, each does but that of a string.
    """
    _, starts, ends = _tags(source.text)
    here = _touched(source, line)
    places = _words(source.text).get(word, []) if here else []
    if not places:
        return None
    start, end = _line(source, line)
    first = bisect_left(places, (starts[here.start], 0, ""))
    found = places[first : bisect_left(places, (ends[here.stop - 1], 0, ""))]
    suited = [one for one in found if (one.role in roles if roles else one.role != "string")]
    best = next((one for one in suited if start <= one.start < end), next(iter(suited), None))
    return source.span(best.start, best.end) if best is not None else None
