"""Runs the parse tables of a grammar: an LALR(1) automaton, without recursion.

Source: Aho, Lam, Sethi, Ullman, Compilers, second edition, section 4.5 (shift-reduce parsing).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

_END = "$END"


class Token(NamedTuple):
    """A terminal: its name, its text, and the offsets where it starts and ends."""

    type: str
    text: str
    start: int
    end: int


class StuckError(Exception):
    """The text is not of the language; the place where that shows is `offset`.

    `expected` are the terminals that could stand there, if that is known.
    """

    def __init__(self, offset: int, expected: frozenset[str] = frozenset()) -> None:
        super().__init__(offset)
        self.offset = offset
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
        """What `builder`'s methods make of the text: one for each rule, called bottom up.

        Raises StuckError if the text is not of the language.
        """
        return self.run(self.tokens(text), builder, len(text))

    def tokens(self, text: str) -> list[Token]:
        """The terminals of the text. Raises StuckError at a character that begins none."""
        assert self.pattern is not None
        found: list[Token] = []
        match, ignored = self.pattern.match, self.ignored
        at, size = 0, len(text)
        while at < size:
            here = match(text, at)
            if here is None or here.end() == at:
                raise StuckError(at)
            kind = here.lastgroup
            assert kind is not None
            if kind not in ignored:
                found.append(Token(kind, here.group(), at, here.end()))
            at = here.end()
        return found

    def run(self, tokens: list[Token], builder: Any, size: int) -> Any:
        """What the builder makes of a sequence of terminals."""
        states: list[int] = [self.start]
        values: list[Any] = [None]
        actions, end = self.states, self.end
        for token in [*tokens, Token(_END, "", size, size)]:
            while True:
                action = actions[states[-1]].get(token.type)
                if action is None:
                    raise StuckError(token.start, self._acceptable(states))
                if action >= 0:
                    states.append(action)
                    values.append(token)
                    break
                self._reduce(-1 - action, states, values, builder)
                if states[-1] == end and token.type == _END:
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
                return terminal == _END
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
    """The automaton of `NAME.lark` in this package."""
    path = Path(__file__).with_name(f"{name}.tables.json")
    return Runner(json.loads(path.read_text("utf-8")))
