"""Parse the text of a grammar into its rules.

The language is that of llama.cpp's `src/llama-grammar.cpp`; whatever that refuses is refused here,
with a position and a hint, and all problems are reported together. `Builder` makes the tree of one
rule from its tokens, with a method for each production of `gbnf.lark`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.errors import Problem
from pdl.gbnf import tokens
from pdl.gbnf.limits_errors import Clock, limit_error
from pdl.gbnf.nodes import (
    MOST,
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
    is_nothing,
)
from pdl.gbnf.tokens import Chunk, EscapeError, Lexer
from pdl.syntax.runner import StuckError, runner

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.source import Source
    from pdl.syntax.runner import Token


_LAST_ID = 2**32 - 1
_DIGITS = 20  # of the largest number that llama.cpp reads (64 bits)


class Builder:
    """Builds the tree of one rule; `problems` are those that its syntax alone does not show."""

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
        location = {"start": items[0].start, "end": items[-1].end}
        if len(items) == 1 and isinstance(items[0], Literal) and not items[0].codes:
            return Sequence((), **location)  # `""` is how the empty string is written
        return Sequence(items, **location)

    def literal(self, token: Token) -> Literal:
        """literal: '"' character* '"'."""
        codes: tuple[int, ...] = ()
        try:
            codes = tokens.literal(token.text[1:-1])
        except EscapeError:
            self._escapes(token)
        return Literal(codes, start=token.start, end=token.end)

    def char_class(self, token: Token) -> CharClass:
        """class: '[' '^'? (character | character '-' character)* ']'."""
        ranges: tuple[tuple[int, int], ...] = ((0, 0),)
        negated = False
        try:
            ranges, negated = tokens.char_class(token.text[1:-1])
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
        location = {"start": token.start, "end": token.end}
        if not said.startswith("<["):
            return TokenRef(None, said, negated, **location)
        number = int(said[2:-2]) if len(said) <= _DIGITS else _LAST_ID + 1
        if number > _LAST_ID:
            message = f"token ID exceeds {_LAST_ID}"
            self._add("token-number", message, token.start, token.end)
        return TokenRef(number, "", negated, **location)

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
            message = f"minimum {least} exceeds maximum {most}"
            self._add("min-over-max", message, low.start, high.end)
            most = least
        return self._repeat(item, least, most, closer)

    def _repeat(self, item: Item, least: int, most: int | None, mark: Token) -> Repeat:
        if is_nothing(item):
            message = f"`{mark.text}` has nothing to repeat"
            hint = "remove the repetition of an empty item"
            self._add("nothing-to-repeat", message, item.start, mark.end, hint)
        if least > MOST:
            message = f"minimum {least} exceeds {MOST}, the most that llama.cpp allows"
            hint = "repeat a rule that is itself a repetition"
            self._add("too-many-repetitions", message, item.start, mark.end, hint)
            least = min(least, MOST)
        return Repeat(item, least, most, start=item.start, end=mark.end)

    def _number(self, token: Token) -> int:
        if len(token.text) >= _DIGITS:
            hint = f"write at most {MOST} as a minimum, and `{{1,}}` for no maximum"
            message = "the number is too large"
            self._add("too-many-repetitions", message, token.start, token.end, hint)
            return 0
        return int(token.text)

    def _escapes(self, token: Token) -> None:
        for error in tokens.faults(token.text[1:-1]):
            start = token.start + 1 + error.at
            self._add("bad-escape", error.message, start, min(start + 2, token.end), error.hint)

    def _add(self, code: str, message: str, start: int, end: int, hint: str = "") -> None:
        self.problems.append(Problem(f"gbnf/{code}", message, self._source.span(start, end), hint))


_WORDS = {
    "_DEFINE": "`::=`", "_BAR": "`|`", "CLOSE_ROUND": "`)`", "CLOSE_CURLY": "`}`",
    "_COMMA": "`,`", "INTEGER": "a number",
}  # fmt: skip
_ITEMS = frozenset(["LITERAL", "CLASS", "DOT", "TOKEN", "OPEN_ROUND"])


class Read:
    """What could be read of a text: rules and problems.

    `names` are those of all rules, of broken ones too; `comments` follow the last rule.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        lexer = Lexer(source, limits)
        lexer.run()
        self._source = source
        self.rules: list[Rule] = []
        self.names: set[str] = set()
        self.problems = lexer.problems
        self.comments = tuple(lexer.comments)
        if len(lexer.chunks) > limits.grammar_rules:
            at = lexer.chunks[limits.grammar_rules].tokens[0].start
            message = f"the grammar has more than {limits.grammar_rules:,} rules"
            raise limit_error("grammar_rules", message, source.span(at))
        clock = Clock(limits, "reading the rules")
        for chunk in lexer.chunks:
            clock.check(source.span(chunk.tokens[0].start))
            self._rule(chunk)
        self.problems.sort(key=lambda problem: problem.span.start if problem.span else 0)

    def _rule(self, chunk: Chunk) -> None:
        tokens = chunk.tokens
        if tokens[0].type == "NAME":
            self.names.add(tokens[0].text)
        if chunk.broken:
            return
        builder = Builder(self._source, tuple(chunk.comments))
        try:
            rule: Any = runner("gbnf").run(tokens, builder, tokens[-1].end)
        except StuckError as stuck:
            self.problems.append(self._stuck(chunk, stuck))
            return
        self.problems += builder.problems
        if chunk.cut is not None:
            self.problems.append(self._cut(tokens[-1], rule))
        self.rules.append(rule)

    def _cut(self, last: Token, rule: Rule) -> Problem:
        """A rule that continues where another one begins."""
        mark = "`|`" if last.type == "_BAR" else "`::=`"
        message = f"{mark} at the end of a line continues rule `{rule.name}` on the next line"
        hint = "remove the `|`" if last.type == "_BAR" else 'write `""` for the empty string'
        return Problem("gbnf/open-end", message, self._source.span(last.start, last.end), hint)

    def _stuck(self, chunk: Chunk, stuck: StuckError) -> Problem:
        """What is wrong at the first token that does not fit, in the author's words."""
        tokens = chunk.tokens
        index = tokens.index(stuck.token) if stuck.token in tokens else len(tokens)
        found = tokens[index] if index < len(tokens) else None
        opened = _unclosed(tokens[:index])
        if opened and (found is None or found.type == "_DEFINE"):
            message = f"unclosed `{opened.text}`"
            return self._problem("unclosed-group", message, opened)
        if index == 0:
            return self._no_name(tokens[0])
        if found is None:
            message = f"expected {_named(stuck.expected)}, found the end of the rule"
            return self._problem("syntax", message, tokens[-1])
        return self._found(tokens, index, stuck.expected)

    def _found(self, tokens: list[Token], index: int, expected: frozenset[str]) -> Problem:
        found, before = tokens[index], tokens[index - 1]
        if found.type in {"STAR", "PLUS", "QUESTION", "_OPEN_CURLY"}:
            message = f"`{found.text}` has nothing to repeat"
            return self._problem("nothing-to-repeat", message, found)
        if found.type == "CLOSE_ROUND":
            return self._problem("stray-closer", "unmatched `)`", found)
        if found.type == "_DEFINE":
            hint = "begin each rule on a separate line"
            return self._problem("syntax", "a rule ends at the end of its line", before, hint)
        if before.type == "_OPEN_CURLY" and found.type == "_COMMA":
            hint = "write `{0,n}`"
            return self._problem("syntax", "a repetition needs a minimum", found, hint)
        message = f"expected {_named(expected)}, found `{found.text[:40]}`"
        hint = "write `{2}`, `{2,}` or `{2,5}`" if "INTEGER" in expected else ""
        return self._problem("syntax", message, found, hint)

    def _no_name(self, token: Token) -> Problem:
        """A line that is not a rule."""
        message = f"expected the name of a rule, found `{token.text[:40]}`"
        hint = "put the alternatives of the rule above in parentheses: its line ended it"
        if token.type == "_BAR":
            hint = "put the `|` at the end of the line above, or all in parentheses"
        return self._problem("no-name", message, token, hint)

    def _problem(self, code: str, message: str, token: Token, hint: str = "") -> Problem:
        return Problem(f"gbnf/{code}", message, self._source.span(token.start, token.end), hint)


def _unclosed(tokens: list[Token]) -> Token | None:
    """The last bracket of some tokens that none of them closes."""
    opened: list[Token] = []
    for token in tokens:
        if token.type in {"OPEN_ROUND", "_OPEN_CURLY"}:
            opened.append(token)
        elif token.type in {"CLOSE_ROUND", "CLOSE_CURLY"} and opened:
            opened.pop()
    return opened[-1] if opened else None


def _named(expected: frozenset[str]) -> str:
    """Terminals in the author's words."""
    words = [_WORDS[name] for name in sorted(expected) if name in _WORDS and name != "_BAR"]
    if expected >= _ITEMS:
        words = ["a literal, a class, a rule or a group"]
    return " or ".join(words) or "the end of the rule"
