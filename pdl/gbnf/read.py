"""From the text of a grammar to its rules.

The language is that of llama.cpp's `src/llama-grammar.cpp`; what it refuses is refused here, with a
place and advice, and with all problems at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.errors import Problem
from pdl.gbnf.budget import Clock, exceeded
from pdl.gbnf.build import Builder
from pdl.gbnf.tokens import Chunk, Lexer
from pdl.syntax.runner import StuckError, runner

if TYPE_CHECKING:
    from pdl.gbnf.nodes import Rule
    from pdl.limits import Limits
    from pdl.source import Source
    from pdl.syntax.runner import Token

_WORDS = {
    "_DEFINE": "`::=`", "_BAR": "`|`", "CLOSE_ROUND": "`)`", "CLOSE_CURLY": "`}`",
    "_COMMA": "`,`", "INTEGER": "a number",
}  # fmt: skip
_ITEMS = frozenset(["LITERAL", "CLASS", "DOT", "TOKEN", "OPEN_ROUND"])
_LINE_END = "$END"


class Read:
    """What was read of a text: the rules that could be, and the problems.

    `names` are those of all rules, of broken ones too; `comments` stand behind the last rule.
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
            raise exceeded("grammar_rules", message, source.span(at))
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
        """A rule that goes on where another one begins."""
        mark = "`|`" if last.type == "_BAR" else "`::=`"
        message = f"{mark} at the end of a line lets rule `{rule.name}` go on in the next one"
        hint = "remove the `|`" if last.type == "_BAR" else 'write `""` for the empty text'
        return Problem("gbnf/open-end", message, self._source.span(last.start, last.end), hint)

    def _stuck(self, chunk: Chunk, stuck: StuckError) -> Problem:
        """What is wrong where the rule stops to make sense, in the author's words."""
        tokens = chunk.tokens
        index = next((n for n, one in enumerate(tokens) if one.start == stuck.offset), len(tokens))
        found = tokens[index] if index < len(tokens) else None
        opened = _unclosed(tokens[:index])
        if opened and (found is None or found.type == "_DEFINE"):
            message = f"`{opened.text}` is never closed"
            return self._problem("unclosed-group", message, opened)
        if index == 0:
            return self._no_name(tokens[0])
        if found is None:
            message = f"expected {_named(stuck.expected)}, but the rule ends here"
            return self._problem("syntax", message, tokens[-1])
        return self._found(tokens, index, stuck.expected)

    def _found(self, tokens: list[Token], index: int, expected: frozenset[str]) -> Problem:
        found, before = tokens[index], tokens[index - 1]
        if found.type in {"STAR", "PLUS", "QUESTION", "_OPEN_CURLY"}:
            message = f"`{found.text}` has nothing in front that it could repeat"
            return self._problem("nothing-to-repeat", message, found)
        if found.type == "CLOSE_ROUND":
            return self._problem("stray-closer", "this `)` closes nothing", found)
        if found.type == "_DEFINE":
            hint = "each rule begins on a line of its own"
            return self._problem("syntax", "a rule ends at the end of its line", before, hint)
        if before.type == "_OPEN_CURLY" and found.type == "_COMMA":
            hint = "write `{0,n}`"
            return self._problem("syntax", "a repetition needs a minimum", found, hint)
        message = f"expected {_named(expected)}, found `{found.text[:40]}`"
        hint = "write `{2}`, `{2,}` or `{2,5}`" if "INTEGER" in expected else ""
        return self._problem("syntax", message, found, hint)

    def _no_name(self, token: Token) -> Problem:
        """A line that is no rule."""
        message = f"a line begins with the name of a rule, not with `{token.text[:40]}`"
        hint = "the line above ended its rule: put its alternatives in parentheses"
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
        words = ["a text, a class, a rule or a group"]
    return " or ".join(words) or "the end of the rule"
