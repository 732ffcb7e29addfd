"""Into which parts a configuration falls, of which what follows is found in different ways."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from pdl.gbnf.nodes import AnyChar, CharClass
from pdl.masks.corners import Corners
from pdl.masks.frames import END, Framed
from pdl.masks.lexemes import Lexemes
from pdl.masks.parts import First, Inside, Rounds, Steps
from pdl.masks.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from pdl.gbnf.matcher import Configuration
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.stack import Node
    from pdl.masks.lexemes import Wide
    from pdl.masks.parts import Part, States
    from pdl.masks.walk import Walker

_LEADS = (0xC2, 0xE0, 0xF0)  # the least first bytes of characters of two bytes, three, four


class Plans:
    """The parts of the configurations of one grammar; equal parts are the same one.

    States of rules that are no lexemes are followed one by one. Those of lexemes over one node are
    one part, unless they begin a round of a lexeme that is repeated.
    """

    def __init__(self, walker: Walker, rules: Mapping[str, Rule]) -> None:
        self._walker = walker
        self._matcher = walker.matcher
        self._lexemes = Lexemes(walker.matcher.automaton, rules, walker.lexicon)
        self._lexical: dict[int, bool] = {}
        self._parts: dict[tuple[int, Node], Part] = {}
        self._steps: dict[tuple[States, Node, int | None], Steps] = {}
        self._rounds: dict[tuple[States, Node], Rounds | None] = {}
        self._insides: dict[tuple[States, Node], Inside] = {}
        self._begun: dict[States, int | None] = {}
        self._wide: dict[int, Wide | None] = {}
        self._bottom = walker.matcher.bottom
        self._corners = Corners(walker.matcher.automaton.starts, walker.matcher.kernels)
        self._frames: dict[tuple[Part, Node], Framed] = {}

    def release(self) -> None:
        """Let rounds that are followed by themselves not lead there any more."""
        for steps in self._steps.values():
            steps.forget()

    def of(self, here: Configuration) -> tuple[Part, ...]:
        """The parts of a configuration."""
        parts: list[Part] = []
        for node, states in _by_node(here):
            self.group(states, node, parts)
        if here.complete:
            parts.append(END)
        return tuple(parts)

    def _is_lexical(self, state: int) -> bool:
        known = self._lexical.get(state)
        if known is None:
            known = self._lexical[state] = self._lexemes.of(self._rule(state)) is not None
        return known

    def group(self, states: list[int], node: Node, parts: list[Part]) -> None:
        """The parts of the states over one node."""
        lexical = [one for one in states if self._is_lexical(one)]
        near, far = self._cut(node) if lexical else (node, self._bottom)
        rounds = self._rule_rounds(frozenset(lexical), near) if lexical else None
        if rounds is not None:
            parts.append(self._framed(rounds, far))
            states, lexical = [one for one in states if one not in lexical], []
        inner = []
        for state in states:
            if state not in lexical:
                parts.append(self._framed(self._alone(state, self._bottom), node))
                continue
            part = self._alone(state, near)
            if isinstance(part, Plain):
                inner.append(state)
            else:
                parts.append(self._framed(part, far))
        if inner:
            parts.append(self._framed(self._inside(frozenset(inner), near), far))

    def _cut(self, node: Node) -> tuple[Node, Node]:
        """A node with nothing below the rule that waits for its end, and the node of that rule.

        The node itself and the bottom, if several rules wait.
        """
        if node.links or len(node.waiting) != 1:
            return node, self._bottom
        ((state, below),) = node.waiting
        if below is None or below is self._bottom:
            return node, self._bottom
        return self._matcher.waited(state), below

    def _framed(self, part: Part, node: Node) -> Part:
        """A part over a node, of which it is known what it is over none."""
        if node is self._bottom:
            return part
        known = self._frames.get((part, node))
        if known is None:
            known = self._frames[part, node] = Framed(self._walker, part, node)
        return known

    def _rule(self, state: int) -> int:
        """The number of the rule that a state belongs to."""
        return bisect_right(self._matcher.automaton.firsts, state) - 1

    def _rule_rounds(self, states: States, node: Node) -> Rounds | None:
        """The rounds of a rule that begins with some states, if it is followed by itself."""
        rule = self.begins(states)
        if rule is None or not self._corners.follows(rule, node):
            return None
        key = (states, node)
        if key not in self._rounds:
            found = None
            steps = self.steps(states, node, None)
            if steps.following()[0] is not None:
                lexeme = ("rounds", self._lexemes.of(rule))
                found = Rounds(self._walker, lexeme, steps, self._inside(states, node))
            self._rounds[key] = found
        return self._rounds[key]

    def _class_rounds(self, state: int, node: Node, plain: Plain) -> Rounds | None:
        """The rounds of a class of characters, if it is followed by itself."""
        wide = self.wide_of(state)
        if wide is None or wide.narrow:
            return None
        steps = self.steps(frozenset((state,)), node, self.target(state))
        if steps.following()[0] is None:
            return None
        return Rounds(self._walker, ("class", wide.ranges), steps, plain)

    def _inside(self, states: States, node: Node) -> Inside:
        known = self._insides.get((states, node))
        if known is None:
            known = Inside(self._walker, states, node, self._named(states))
            self._insides[states, node] = known
        return known

    def _named(self, states: States) -> Hashable:
        """What states are, in any grammar that has their rules."""
        firsts = self._matcher.automaton.firsts
        rules = [(state, self._rule(state)) for state in states]
        return frozenset((self._lexemes.of(rule), state - firsts[rule]) for state, rule in rules)

    def begins(self, states: States) -> int | None:
        """The rule that begins with just some states."""
        if states not in self._begun:
            bottom = self._matcher.bottom
            wanted = frozenset((state, bottom) for state in states)
            rules = {self._rule(state) for state in states}
            self._begun[states] = next(
                (rule for rule in rules if self._matcher.alone(rule).items == wanted), None
            )
        return self._begun[states]

    def _alone(self, state: int, node: Node) -> Part:
        known = self._parts.get((state, node))
        if known is None:
            plain = Plain(self._walker, state, node)
            known = self._class_rounds(state, node, plain) or self._first(state, node, plain)
            known = self._parts[state, node] = known or plain
        return known

    def _first(self, state: int, node: Node, plain: Plain) -> First | None:
        """A class of characters behind which are rounds that take them as well."""
        wide = self.wide_of(state)
        if wide is None or wide.narrow:
            return None
        there = self._walker.after(self.target(state), node)
        for rounds in self._rounds_at(there):
            steps = rounds.steps
            is_endless = steps.behind is there and steps.following()[0] is steps
            if is_endless and any(self._begins_round(wide, one, steps) for one in steps.states):
                return First(plain, rounds, wide.firsts)
        return None

    def _rounds_at(self, there: Configuration) -> Iterator[Rounds]:
        for node, states in _by_node(there):
            lexical = [one for one in states if self._is_lexical(one)]
            found = self._rule_rounds(frozenset(lexical), node) if lexical else None
            if found is not None:
                yield found
            for state in states:
                plain = Plain(self._walker, state, node)
                alone = self._class_rounds(state, node, plain)
                if alone is not None:
                    yield alone

    def _begins_round(self, wide: Wide, state: int, steps: Steps) -> bool:
        """Whether a character of a class is a round by one of its states, and by no other."""
        own = self.wide_of(state)
        if own is None or not wide.is_part(own):
            return False
        automaton = self._matcher.automaton
        if steps.target is None and self.target(state) not in automaton.ends:
            return False
        moves = (move for other in steps.states - {state} for move in automaton.moves[other])
        return not any(any(wide.firsts[low : high + 1]) for low, high, _ in moves)

    def steps(self, states: States, node: Node, target: int | None) -> Steps:
        """The one round of some states over a node, of a class of characters if it has a target."""
        known = self._steps.get((states, node, target))
        if known is None:
            known = Steps(self._walker, states, node, target)
            self._steps[states, node, target] = known
        return known

    def target(self, state: int) -> int:
        """Where a class of characters leads: as many bytes on as its first one says."""
        moves = self._matcher.automaton.moves
        lead, _, state = moves[state][0]
        for least in _LEADS:
            if lead >= least:
                state = moves[state][0][2]
        return state

    def wide(self, state: int) -> Wide:
        """The class of characters that a state takes."""
        found = self.wide_of(state)
        assert found is not None
        return found

    def wide_of(self, state: int) -> Wide | None:
        """The class of characters that a state takes, if it takes one."""
        if state not in self._wide:
            automaton = self._matcher.automaton
            origin = automaton.origins.get(state)
            found = None
            if origin and isinstance(origin.item, CharClass | AnyChar) and automaton.moves[state]:
                found = self._walker.lexicon.wide(origin.item)
            self._wide[state] = found
        return self._wide[state]


def _by_node(here: Configuration) -> Iterable[tuple[Node, list[int]]]:
    groups: dict[Node, list[int]] = {}
    for state, node in here.items:
        groups.setdefault(node, []).append(state)
    return groups.items()
