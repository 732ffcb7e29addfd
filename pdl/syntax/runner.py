"""An LALR(1) parser that runs tables computed by Lark, without recursion.

The `.lark` files are the grammars; Lark computes the tables (`pdl.syntax.tables`), and
`scripts/parse_tables.py` stores them in `NAME.tables.json` next to each `NAME.lark`. This runner
exists for the start: it is ready in 8 ms, while importing Lark and building its parser takes 80.
Where the stored tables are missing or belong to another version of the grammar, Lark computes them.

Source: Aho, Lam, Sethi, Ullman, Compilers, second edition, section 4.5 (shift-reduce parsing).
"""

from __future__ import annotations

import json
import re
import zlib
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GRAMMARS = Path(__file__).parent
END = "$END"
"""The terminal after the last one of a text."""


class Token(NamedTuple):
    """A terminal: its name, its text, and the offsets where it starts and ends."""

    type: str
    text: str
    start: int
    end: int


class StuckError(Exception):
    """The first terminal with which no text of the language could continue.

    `expected` are the terminals that could follow instead; it is empty where `token` is a single
    character that begins no terminal.
    """

    def __init__(self, token: Token, expected: frozenset[str] = frozenset()) -> None:
        super().__init__(token)
        self.token = token
        self.expected = expected


class Runner:
    """The automaton of one grammar."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self.rules: list[tuple[str, str, str]] = [tuple(rule) for rule in tables["rules"]]
        self.states: list[dict[str, int]] = tables["states"]
        self.start: int = tables["start"]
        self.end: int = tables["end"]
        self.ignored = frozenset(tables["ignore"])
        groups = [f"(?P<{name}>{pattern})" for name, pattern in tables["terminals"] if pattern]
        self.pattern = re.compile("|".join(groups)) if groups else None

    def parse(self, text: str, builder: Any) -> Any:
        """Return what `builder`'s methods make of the text: one for each rule, called bottom up.

        Raises StuckError if the text is not in the language.
        """
        return self.run(self.tokens(text), builder, len(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """Yield the terminals of the text. Raises StuckError at a character that begins none."""
        assert self.pattern is not None
        match, ignored = self.pattern.match, self.ignored
        at, size = 0, len(text)
        while at < size:
            here = match(text, at)
            if here is None or here.end() == at:
                raise StuckError(Token("", text[at], at, at + 1))
            kind = here.lastgroup
            assert kind is not None
            if kind not in ignored:
                yield Token(kind, here.group(), at, here.end())
            at = here.end()

    def run(self, tokens: Iterable[Token], builder: Any, size: int) -> Any:
        """Return what the builder makes of a sequence of terminals."""
        states: list[int] = [self.start]
        values: list[Any] = [None]
        actions, end = self.states, self.end
        for token in chain(tokens, (Token(END, "", size, size),)):
            while True:
                action = actions[states[-1]].get(token.type)
                if action is None:
                    raise StuckError(token, self._acceptable(states))
                if action >= 0:
                    states.append(action)
                    values.append(token)
                    break
                self._reduce(-1 - action, states, values, builder)
                if states[-1] == end and token.type == END:
                    return values[-1]
        raise AssertionError("the end is always shifted or an error")

    def _acceptable(self, states: list[int]) -> frozenset[str]:
        """The terminals that the automaton takes, perhaps after reducing what it has."""
        return frozenset(
            name for name in self.states[states[-1]] if name.isupper() and self._takes(states, name)
        )

    def _takes(self, states: list[int], terminal: str) -> bool:
        stack = list(states)
        while (action := self.states[stack[-1]].get(terminal)) is not None and action < 0:
            origin, _, parts = self.rules[-1 - action]
            del stack[len(stack) - len(parts) :]
            stack.append(self.states[stack[-1]][origin])
            if stack[-1] == self.end:
                return terminal == END
        return action is not None

    def _reduce(self, number: int, states: list[int], values: list[Any], builder: Any) -> None:
        origin, method, parts = self.rules[number]
        children: list[Any] = []
        if parts:
            for part, value in zip(parts, values[-len(parts) :], strict=True):
                if part == "+":
                    children.append(value)
                elif part == "*":
                    # A gathered list has no other owner, so it grows in place: copied at each
                    # reduction, long lists would cost their square.
                    if children:
                        children += value
                    else:
                        children = value
            del states[-len(parts) :], values[-len(parts) :]
        states.append(self.states[states[-1]][origin])
        if not method:
            values.append(children)
        elif method[0] == "?":
            single = len(children) == 1
            values.append(children[0] if single else getattr(builder, method[1:])(*children))
        else:
            values.append(getattr(builder, method)(*children))


@lru_cache(maxsize=8)
def runner(name: str) -> Runner:
    """Return the automaton of `NAME.lark` in this package."""
    grammar = GRAMMARS.joinpath(f"{name}.lark").read_text("utf-8")
    return Runner(_stored(name, fingerprint(grammar)) or _computed(grammar))


def fingerprint(grammar: str) -> int:
    """Return a number that tells one version of a grammar from another."""
    return zlib.crc32(grammar.encode())


def _stored(name: str, version: int) -> dict[str, Any] | None:
    try:
        text = GRAMMARS.joinpath(f"{name}.tables.json").read_text("utf-8")
    except FileNotFoundError:
        return None
    tables: dict[str, Any] = json.loads(text)
    return tables if tables["grammar"] == version else None


def _computed(grammar: str) -> dict[str, Any]:
    from pdl.syntax.tables import tables  # noqa: PLC0415 - Lark takes 80 ms to import and to build

    return tables(grammar)
