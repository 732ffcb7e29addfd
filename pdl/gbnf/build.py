"""From the tokens of one rule to its tree: a method for each production of `gbnf.lark`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import Problem
from pdl.gbnf import characters
from pdl.gbnf.characters import EscapeError
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Item,
    Literal,
    Repeat,
    Rule,
    RuleRef,
    Sequence,
    TokenRef,
)

if TYPE_CHECKING:
    from pdl.source import Source
    from pdl.syntax.runner import Token

MOST = 2000
"""The largest minimum of a repetition; a larger maximum is none (MAX_REPETITION_THRESHOLD)."""
_LAST_ID = 2**32 - 1
_DIGITS = 20  # of the largest number that llama.cpp reads (64 bits)


class Builder:
    """Makes the tree of one rule; `problems` are those that its syntax alone does not show."""

    def __init__(self, source: Source, comments: tuple[str, ...]) -> None:
        self._source = source
        self._comments = comments
        self.problems: list[Problem] = []

    def start(self, name: Token, *options: Sequence) -> Rule:
        """rule: NAME '::=' options."""
        end = max(options[-1].end, name.end)
        return Rule(name.text, options, self._comments, start=name.start, end=end, named=name.end)

    def sequence(self, *items: Item) -> Sequence:
        """sequence: item*."""
        if not items:
            return Sequence(())
        place = {"start": items[0].start, "end": items[-1].end}
        if len(items) == 1 and isinstance(items[0], Literal) and not items[0].codes:
            return Sequence((), **place)  # `""` is how the empty text is written
        return Sequence(items, **place)

    def literal(self, token: Token) -> Literal:
        """literal: '"' character* '"'."""
        codes: tuple[int, ...] = ()
        try:
            codes = characters.literal(token.text[1:-1])
        except EscapeError:
            self._escapes(token)
        return Literal(codes, start=token.start, end=token.end)

    def char_class(self, token: Token) -> CharClass:
        """class: '[' '^'? (character | character '-' character)* ']'."""
        ranges: tuple[tuple[int, int], ...] = ((0, 0),)
        negated = False
        try:
            ranges, negated = characters.char_class(token.text[1:-1])
        except EscapeError:
            self._escapes(token)
        return CharClass(ranges, negated, start=token.start, end=token.end)

    def any_char(self, token: Token) -> AnyChar:
        """any: '.'."""
        return AnyChar(start=token.start, end=token.end)

    def rule_ref(self, token: Token) -> RuleRef:
        """reference: NAME."""
        return RuleRef(token.text, start=token.start, end=token.end)

    def token_ref(self, token: Token) -> TokenRef:
        """token: '!'? '<' ('[' INTEGER ']' | text) '>'."""
        negated = token.text.startswith("!")
        said = token.text.removeprefix("!")
        place = {"start": token.start, "end": token.end}
        if not said.startswith("<["):
            return TokenRef(None, said, negated, **place)
        number = int(said[2:-2]) if len(said) <= _DIGITS else _LAST_ID + 1
        if number > _LAST_ID:
            message = f"a token's number is at most {_LAST_ID}"
            self._add("token-number", message, token.start, token.end)
        return TokenRef(number, "", negated, **place)

    def group(self, opener: Token, *parts: Sequence | Token) -> Group:
        """group: '(' options ')'."""
        closer = parts[-1]
        options = tuple(part for part in parts[:-1] if isinstance(part, Sequence))
        return Group(options, start=opener.start, end=closer.end)

    def star(self, item: Item, mark: Token) -> Repeat:
        """star: item '*'."""
        return self._repeat(item, 0, None, mark)

    def plus(self, item: Item, mark: Token) -> Repeat:
        """plus: item '+'."""
        return self._repeat(item, 1, None, mark)

    def question(self, item: Item, mark: Token) -> Repeat:
        """question: item '?'."""
        return self._repeat(item, 0, 1, mark)

    def exactly(self, item: Item, number: Token, closer: Token) -> Repeat:
        """exactly: item '{' INTEGER '}'."""
        count = self._number(number)
        return self._repeat(item, count, count, closer)

    def at_least(self, item: Item, number: Token, closer: Token) -> Repeat:
        """at-least: item '{' INTEGER ',' '}'."""
        return self._repeat(item, self._number(number), None, closer)

    def between(self, item: Item, low: Token, high: Token, closer: Token) -> Repeat:
        """between: item '{' INTEGER ',' INTEGER '}'."""
        least, most = self._number(low), self._number(high)
        if most < least:
            message = f"the minimum {least} is more than the maximum {most}"
            self._add("min-over-max", message, low.start, high.end)
            most = least
        return self._repeat(item, least, most, closer)

    def _repeat(self, item: Item, least: int, most: int | None, mark: Token) -> Repeat:
        if _is_nothing(item):
            message = f"`{mark.text}` has nothing in front that it could repeat"
            hint = "what is empty needs no repetition: leave it out"
            self._add("nothing-to-repeat", message, item.start, mark.end, hint)
        if least > MOST:
            message = f"a minimum of {least} is over the {MOST} that llama.cpp takes"
            hint = "repeat a rule that is itself a repetition"
            self._add("too-many-repetitions", message, item.start, mark.end, hint)
            least = min(least, MOST)
        return Repeat(item, least, most, start=item.start, end=mark.end)

    def _number(self, token: Token) -> int:
        if len(token.text) >= _DIGITS:
            hint = f"the largest minimum is {MOST}; a larger maximum is none, as in `{{1,}}`"
            message = "the number is too large"
            self._add("too-many-repetitions", message, token.start, token.end, hint)
            return 0
        return int(token.text)

    def _escapes(self, token: Token) -> None:
        for error in characters.faults(token.text[1:-1]):
            start = token.start + 1 + error.at
            self._add("bad-escape", error.message, start, min(start + 2, token.end), error.hint)

    def _add(self, code: str, message: str, start: int, end: int, hint: str = "") -> None:
        self.problems.append(Problem(f"gbnf/{code}", message, self._source.span(start, end), hint))


def _is_nothing(item: Item) -> bool:
    """Whether llama.cpp has no element of an item, so that it finds nothing to repeat."""
    if isinstance(item, Literal):
        return not item.codes
    if isinstance(item, CharClass):
        return not item.ranges
    return isinstance(item, Repeat) and item.max == 0
