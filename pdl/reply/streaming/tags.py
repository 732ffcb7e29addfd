"""The marks of dialects in a text that is still coming: there, not there, or not to be told yet."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

from pdl.reply.segments.segmenter import QUOTES, WORD  # the rules of whole replies

if TYPE_CHECKING:
    from pdl.reply.segments.dialects import Dialects, Patterns
    from pdl.reply.streaming.cursor import Cursor

TagKind: TypeAlias = Literal["closer", "opener", "channel", "token", "answer", "answer-end"]

LONGEST = 512
"""Characters of a tag at most; a longer one is none."""


class Tag(NamedTuple):
    """A mark: what it is, and where it stands in the cursor's text."""

    kind: TagKind
    found: re.Match[str]


class Tags:
    """The marks of one table. The `regex` library tells a text that may become a match."""

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        kinds: tuple[tuple[TagKind, re.Pattern[str]], ...] = (
            ("closer", patterns.closer),
            ("opener", patterns.opener),
            ("channel", patterns.channel),
            ("token", patterns.token),
            ("answer", patterns.answer_opener),
            ("answer-end", patterns.answer_closer),
        )
        self._kinds = kinds
        whole = "|".join(f"(?:{pattern.pattern})" for _, pattern in kinds)
        self._any = regex.compile(whole, regex.IGNORECASE)
        self.first = frozenset(patterns.first)
        """The characters with which marks begin."""
        self.behind_square = frozenset(two[1] for two in patterns.begins if two[0] == "[")
        """What stands behind the bracket in marks such as `[THINK]`."""

    def at(self, cursor: Cursor) -> Tag | Literal["wait"] | None:
        """The mark that begins at the cursor."""
        text, at = cursor.text, cursor.at
        two = text[at : at + 2]
        if len(two) > 1 and two not in self.patterns.begins:
            return None
        short = cursor.end - at < LONGEST
        if short and self._may_grow(text[at:]):
            return "wait"
        for kind, pattern in self._kinds:
            found = pattern.match(text, at, at + LONGEST)
            if found:
                if short and found.end() == cursor.end:
                    return "wait"
                spoken = self._is_spoken_of(cursor, found)
                return None if spoken else Tag(kind, found)
        return None

    def _may_grow(self, text: str) -> bool:
        found = self._any.fullmatch(text, partial=True)
        return found is not None and found.partial

    def _is_spoken_of(self, cursor: Cursor, tag: re.Match[str]) -> bool:
        """Whether the text names the mark and does not use it."""
        text, start, end = cursor.text, tag.start(), tag.end()
        closing = QUOTES.get(text[start - 1 : start]) if start else None
        if closing is not None and text.startswith(closing, end):
            return not WORD.match(text[max(0, start - 2) : start - 1])
        return False


@lru_cache(maxsize=16)
def tags_of(dialects: Dialects) -> Tags:
    """The marks of a table."""
    return Tags(dialects.patterns)


@lru_cache(maxsize=64)
def _searchable(pattern: str, *, folded: bool) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE if folded else 0)


def seek(pattern: re.Pattern[str], cursor: Cursor) -> regex.Match[str] | None:
    """Move to the next match of a pattern, or to the end or where one may be beginning."""
    searching = _searchable(pattern.pattern, folded=bool(pattern.flags & re.IGNORECASE))
    while True:
        found = searching.search(cursor.text, cursor.at, partial=True)
        if found is None:
            cursor.at = cursor.end
            return None
        cursor.at = found.start()
        if cursor.end - cursor.at < LONGEST or found.end() - cursor.at < LONGEST:
            return None if found.partial else found
        cursor.at += 1
