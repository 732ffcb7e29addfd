"""Characters of strings as JSON spells them: one after the other, or leading on to several places.

Source: RFC 8259, section 7. A backslash that several sets of characters begin with is written
once, so that a text has one way through them.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from pdl.automata.charset import EVERY, CharSet
from pdl.gbnf.compile.emission.digits import digits
from pdl.gbnf.compile.emission.fold import concat
from pdl.gbnf.compile.emission.parts import Again, Choice, Draft, joined, single

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.gbnf.compile.emission.digits import Span
    from pdl.gbnf.compile.emission.parts import Part, Row, Rows
    from pdl.gbnf.compile.options import Escapes

_encoded = json.JSONEncoder(ensure_ascii=False).encode  # spells as `canonical` does
_SHORT = {0x22: '"', 0x5C: "\\", 0x08: "b", 0x0C: "f", 0x0A: "n", 0x0D: "r", 0x09: "t"}
_SLASH = 0x2F
_ESCAPED = CharSet(((0, 0x1F), (0x22, 0x22), (0x5C, 0x5C)))
"""What stands in no string as itself."""
_PLAIN = EVERY - _ESCAPED
_SPELLED = _ESCAPED - CharSet.of("".join(map(chr, _SHORT)))
"""What a canonical text has in hexadecimal digits."""
_FIRST_PLAIN = 0x5D
_LONG = 6  # ranges of a class that is a rule of its own
_NAMED = 4  # characters, in the name of a rule


class Letters:
    """The spelling of characters under one policy; what is long becomes a rule, once."""

    def __init__(self, escapes: Escapes) -> None:
        self._any = escapes == "any"
        self._known: dict[CharSet, Part] = {}
        self._classes: dict[CharSet, Draft] = {}
        self._starts: dict[tuple[CharSet, bool], Draft] = {}
        rows = self._slashed(EVERY) if self._any else _canonical()
        self._escape = Draft("escape", rows, fixed=True)
        self.char = Draft("char", self._rows(EVERY), fixed=True)
        """Any character."""
        self._known[EVERY] = self.char

    def one(self, chars: CharSet, wish: str) -> Part:
        """A character of a set, as a text if there is but one spelling."""
        if not self._any and chars.ranges[0][0] >= _FIRST_PLAIN and len(chars.ranges) < _LONG:
            return single(chars)
        found = self._known.get(chars)
        if found is None:
            low = chars.ranges[0][0]
            named = f"char-{chr(low)}" if low == chars.ranges[-1][1] else f"{wish}-char"
            found = self._known[chars] = self._made(chars, named)
        return found

    def text(self, text: str, wish: str) -> Row:
        """A text, character by character."""
        if not self._any:
            return (_encoded(text)[1:-1],) if text else ()
        return joined(*(self.one(CharSet.char(ord(char)), wish) for char in text))

    def beginning(self, chars: CharSet, *, optional: bool) -> Draft:
        """Any text that begins with a character of a set; or, if `optional`, the empty one."""
        found = self._starts.get((chars, optional))
        if found is None:
            row = concat((self.one(chars, "some"), Again(self.char, 0, None)))
            found = Draft(_without(chars), (row, ()) if optional else (row,))
            self._starts[chars, optional] = found
        return found

    def branches(self, edges: Sequence[tuple[CharSet, Row]], wish: str) -> Rows:
        """Sets of characters, none of which has any of another, each with what follows."""
        slashed = [
            edge
            for edge in edges
            if self._any or (edge[0].ranges[0][0] < _FIRST_PLAIN and edge[0] & _ESCAPED)
        ]
        if len(slashed) < 2:  # noqa: PLR2004 - no backslash in common
            return tuple(joined(self.one(chars, wish), rest) for chars, rest in edges)
        rows: list[Row] = []
        for chars, rest in edges:
            plain = chars & _PLAIN
            if plain:
                rows.append(joined(self._plain(plain, wish), rest))
        behind = Draft(wish, self._behind(slashed, wish))
        return (*rows, ("\\", behind))

    def _plain(self, chars: CharSet, wish: str) -> Part:
        """A class, as a rule if it is long, so that it is written but once."""
        if len(chars.ranges) < _LONG:
            return single(chars)
        found = self._classes.get(chars)
        if found is None:
            found = self._classes[chars] = Draft(f"{wish}-char", ((chars,),))
        return found

    def _made(self, chars: CharSet, wish: str) -> Part:
        rows = self._rows(chars)
        if len(rows) > 1 or len(chars.ranges) >= _LONG:
            return Draft(wish, rows)
        return rows[0][0] if len(rows[0]) == 1 else Choice(rows)

    def _rows(self, chars: CharSet) -> Rows:
        plain = chars & _PLAIN
        rows: Rows = ((single(plain),),) if plain else ()
        escaped = self._escaped(chars)
        if escaped == self._escaped(EVERY):
            return (*rows, (self._escape,))
        return rows + self._slashed(chars) if escaped else rows

    def _slashed(self, chars: CharSet) -> Rows:
        return _behind_slash(self._behind([(chars, ())], "escape"))

    def _escaped(self, chars: CharSet) -> CharSet:
        return chars if self._any else chars & _ESCAPED

    def _behind(self, edges: Sequence[tuple[CharSet, Row]], wish: str) -> Rows:
        return _escapes(edges, wish, canonical=not self._any)


def _without(chars: CharSet) -> str:
    """A name that says which characters are not in a set."""
    pairs = (EVERY - chars).ranges[:_NAMED]
    others = (chr(code) for low, high in pairs for code in range(low, high + 1)[:_NAMED])
    return f"not-{''.join(others)}"


def _escapes(edges: Sequence[tuple[CharSet, Row]], wish: str, *, canonical: bool) -> Rows:
    """What follows a backslash."""
    rows: list[Row] = []
    spans: list[Span] = []
    for chars, rest in edges:
        short = "".join(mark for code, mark in _SHORT.items() if code in chars)
        if not canonical and _SLASH in chars:
            short += "/"
        if short:
            rows.append(joined(single(CharSet.of(short)), rest))
        coded = chars & _SPELLED if canonical else chars
        spans.extend((low, high, rest) for low, high in coded.ranges)
    if spans:
        spans.sort(key=lambda span: span[0])
        rows += (joined("u", row) for row in _once(digits(spans, wish, lower=canonical)))
    return tuple(rows)


@lru_cache(maxsize=1)
def _canonical() -> Rows:
    """The escapes of canonical texts; no drafts are in it."""
    return _behind_slash(_escapes([(EVERY, ())], "escape", canonical=True))


def _behind_slash(behind: Rows) -> Rows:
    return (joined("\\", behind[0] if len(behind) == 1 else Choice(behind)),)


def _once(rows: Rows) -> Rows:
    """Rows as a single one, where what precedes them is to be written once."""
    return rows if len(rows) == 1 else ((Choice(rows),),)
