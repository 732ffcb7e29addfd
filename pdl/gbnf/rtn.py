"""A grammar as a recursive transition network over bytes, a pushdown automaton (Woods, 1970).

Each rule is a graph of states. A state has edges for bytes, for a token, into another rule (and
then to the state that waits for its end), or it splits. UTF-8 is compiled in, so a string may stop
in the middle of a character.

A rule is compiled when its start is first asked for (`pdl.gbnf.rule_compiler`), and of a repetition
only the first copy (`pdl.gbnf.repetitions`): a text reaches few of the states that a large grammar
has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdl.gbnf.analysis import Shortest
from pdl.gbnf.byte_classes import byte_classes
from pdl.gbnf.lexemes import Lexemes
from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef, Sequence, is_nothing
from pdl.gbnf.rule_compiler import Starts

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from pdl.gbnf.edges import CallEdge, Moves
    from pdl.gbnf.nodes import Item, TokenRef
    from pdl.gbnf.repetitions import CountedRepetitions
    from pdl.gbnf.rule_compiler import Parts
    from pdl.limits import Limits
    from pdl.source import Source


@dataclass(slots=True)
class Rtn:
    """The states of a grammar, by number.

    `moves[state]` are byte ranges and their targets; `splits[state]` the targets of epsilon edges;
    `calls`, `tokens` the other edges: these know a state once its `moves` have been asked for.
    `ends` are the states at which rules are complete,
    `starts` those at which they begin; asking for one compiles the rule. `empty` are the nullable
    rules; a rule's number is its index in `names`. `classes` numbers the classes of bytes that no
    move distinguishes.
    """

    names: list[str]
    empty: set[int]
    classes: bytes
    moves: Moves
    starts: Starts
    splits: dict[int, tuple[int, ...]] = field(init=False)
    tokens: dict[int, tuple[TokenRef, int]] = field(init=False)
    ends: dict[int, int] = field(init=False)
    calls: dict[int, CallEdge] = field(init=False)
    repetitions: CountedRepetitions = field(init=False)

    def __post_init__(self) -> None:
        edges = self.moves.edges
        self.splits = edges.splits
        self.tokens = edges.tokens
        self.ends = edges.ends
        self.calls = edges.calls
        self.repetitions = edges.repetitions

    def place(self, state: int) -> tuple[int, int]:
        """The number of the rule that a state belongs to, and the position in it."""
        return self.starts.place(state)

    def states(self, rule: int) -> range:
        """The states of a rule."""
        return self.starts.states(rule)

    def token_edge(self, state: int) -> tuple[TokenRef, int] | None:
        """The edge of a state for a token."""
        if not self.tokens:
            return None
        _ = self.moves[state]  # with which it is known
        return self.tokens.get(state)

    def rule_of(self, state: int) -> str:
        """The name of the rule that a state belongs to."""
        return self.names[self.place(state)[0]]


def compile_rtn(
    rules: Mapping[str, Rule],
    limits: Limits,
    source: Source | None = None,
    parts: Parts = "",
) -> Rtn:
    """Return the network of some rules, which were read from `source`.

    Some parts of rules become rules of their own, after the others: wide `lexemes`; or `loops`,
    endless repetitions of a character or a rule. Two of the same, with the same after them, are one
    then, such as the rests of strings that begin differently.

    Asking for the start of a rule raises LimitError for more states, with those of the rules before
    it, or a longer time than `limits` has.
    """
    nullable = _nullable(rules)
    starts = Starts(rules, lambda item: _is_nullable(item, nullable), limits, source)
    starts.empty.update(number for number, name in enumerate(rules) if name in nullable)
    starts.parts = parts
    if parts == "lexemes":
        starts.lexemes = Lexemes(rules, nullable)
    return Rtn(starts.names, starts.empty, byte_classes(rules), starts.moves, starts)


_LOOKS = 4  # at all rules


def _nullable(rules: Mapping[str, Rule]) -> frozenset[str]:
    """The names of the rules that match the empty string.

    Mostly, those that do because of some others, and those that would if all others did, are soon
    the same.
    """
    found: set[str] = set()
    held = set(rules)
    for _ in range(_LOOKS):
        for name in reversed(list(rules)):  # rules mostly refer to later ones
            if name in held and name not in found:
                if _has_empty(rules[name].options, found):
                    found.add(name)
                elif not _has_empty(rules[name].options, held):
                    held.remove(name)
        if len(found) == len(held):
            return frozenset(found)
    shortest = Shortest({name: rules[name] for name in held})
    return frozenset(name for name in held if not shortest.rule(name))


def _has_empty(options: Iterable[Sequence], nullable: Container[str]) -> bool:
    """Whether an alternative matches the empty string, if some rules do."""
    return any(all(_is_nullable(one, nullable) for one in option.items) for option in options)


def _is_nullable(item: Item, nullable: Container[str]) -> bool:
    """Whether an item matches the empty string, if some rules do."""
    if isinstance(item, RuleRef):
        return item.name in nullable
    if isinstance(item, Repeat):
        return not item.min or _is_nullable(item.item, nullable)
    if isinstance(item, Group):
        return _has_empty(item.options, nullable)
    return is_nothing(item)
