"""The plans of the states of one grammar: into which parts what may follow falls.

A plan tells what may follow a state within its rule, and where the rule may end. What waits for
that does not matter to the plan, so that it is the same for all texts that come to the state.

`Lexemes` tells which rules of a grammar are lexemes: small ones, that other grammars may have as
well.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from pdl.gbnf.nodes import AnyChar, CharClass, Literal, RuleRef, TokenRef, items
from pdl.gbnf.utf8 import of_class
from pdl.masks.parts import END, Called, First, Inside, Plain, Plan, Rounds, Steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.automaton import Automaton, Call
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.stack import Node
    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.lexicon import Lexicon
    from pdl.masks.parts import Part, States
    from pdl.masks.walk import Walker


_MOST = 40  # rules of a lexeme
_COMMON = frozenset(["", "u", "e", "E", "T", "Z", "true", "false", "null"])
"""The letters of the literals in it."""
_QUOTE = ord('"')
_ASCII = 0x7F
_NARROW = 4


class Lexemes:
    """The rules of one grammar, by their numbers in its automaton.

    What is taken for a lexeme is a matter of speed alone.
    """

    def __init__(self, automaton: Automaton, rules: Mapping[str, Rule], lexicon: Lexicon) -> None:
        self._automaton = automaton
        self._rules = rules
        self._lexicon = lexicon
        self._known: dict[int, int | None] = {}
        self._known_refs: dict[str, frozenset[str] | None] = {}

    def of(self, rule: int) -> int | None:
        """The number of a rule in the lexicon; None if it is no lexeme."""
        if rule not in self._known:
            self._known[rule] = self._number(self._automaton.names[rule])
        return self._known[rule]

    def _number(self, name: str) -> int | None:
        found = {name: None}
        pending = [name]
        while pending:
            refs = self._refs(pending.pop())
            if refs is None or len(found) > _MOST:
                return None
            fresh = [one for one in refs if one not in found]
            found.update(dict.fromkeys(fresh))
            pending += fresh
        return self._lexicon.number(tuple((one, self._rules[one].options) for one in found))

    def _refs(self, name: str) -> frozenset[str] | None:
        """The rules that one leads to; None if it has a text of its own, as a key or a word."""
        if name not in self._known_refs:
            found = list(items(self._rules[name].options))
            refs = {item.name for item in found if isinstance(item, RuleRef)} & self._rules.keys()
            self._known_refs[name] = None if any(map(_is_own, found)) else frozenset(refs)
        return self._known_refs[name]


def _is_own(item: object) -> bool:
    if isinstance(item, Literal):
        letters = "".join(filter(str.isalpha, item.text))
        return letters not in _COMMON or (len(item.codes) > 1 and _QUOTE in item.codes)
    return isinstance(item, TokenRef)


class Wide:
    """A class of characters that a state takes: its ranges, and the bytes that begin them."""

    def __init__(self, item: CharClass | AnyChar) -> None:
        self.item = item
        self.ranges: Ranges = (
            of_class(item) if isinstance(item, CharClass) else of_class(CharClass((), negated=True))
        )

    @cached_property
    def narrow(self) -> bool:
        """Whether it has so few characters that they are best followed one by one."""
        return sum(high - low + 1 for low, high in self.ranges) < _NARROW

    @cached_property
    def high(self) -> Ranges:
        """The part beyond ASCII."""
        return tuple((max(a, _ASCII + 1), b) for a, b in self.ranges if b > _ASCII)

    @cached_property
    def low(self) -> frozenset[int]:
        """The characters of ASCII."""
        return frozenset(
            code for a, b in self.ranges if a <= _ASCII for code in range(a, min(b, _ASCII) + 1)
        )

    @cached_property
    def firsts(self) -> bytes:
        """For each byte a 1 if it begins one of the characters."""
        high = bool(self.high)
        return bytes(byte in self.low if byte <= _ASCII else high for byte in range(256))

    def is_part(self, other: Wide) -> bool:
        """Whether each byte begins all that it begins in another one, or nothing."""
        return self.low <= other.low and (not self.high or self.high == other.high)


_SEVERAL = 4  # that wait for the end of one rule
_LEADS = (0xC2, 0xE0, 0xF0)  # the least first bytes of characters of two bytes, three, four


class Plans:
    """The plans of one grammar; equal parts are the same one, and so are equal plans.

    Those states of a plan that are amid lexemes are one part.
    """

    def __init__(self, walker: Walker, rules: Mapping[str, Rule]) -> None:
        matcher = walker.matcher
        self._walker = walker
        self._matcher = matcher
        self._machine = matcher.automaton
        self._lexemes = Lexemes(matcher.automaton, rules, walker.lexicon)
        self._lexical: dict[int, bool] = {}
        self._plans: dict[int, Plan] = {}
        self._same: dict[tuple[Part, ...], Plan] = {}
        self._taking: dict[int, Part] = {}
        self._insides: dict[States, Inside] = {}
        self._calls: dict[tuple[int, int], tuple[Part, ...]] = {}
        self._rounds: dict[tuple[int, int], Rounds | None] = {}
        self._rule_steps: dict[tuple[int, int], Steps] = {}
        self._class_steps: dict[int, Steps] = {}
        self._begun: dict[int, States | None] = {}
        self._wide: dict[int, Wide | None] = {}

    def release(self) -> None:
        """Let rounds that are followed by themselves not lead there any more."""
        for held in (self._rule_steps, self._class_steps):
            for steps in held.values():
                steps.forget()

    def of(self, state: int, without: Call | int | None = None) -> Plan:
        """The plan of a state, `without` one of its calls or of the states that it comes to."""
        known = self._plans.get(state) if without is None else None
        if known is None:
            known = self._same_as(self._parts(state, without))
            if without is None:
                self._plans[state] = known
        return known

    def top(self, states: list[int], node: Node) -> Iterator[tuple[Plan, Node]]:
        """The plans of the states over a node, each with the node in which it is.

        What begins a lexeme that one rule waits for is in the plan of the call.
        """
        lexical = [state for state in states if self._is_lexical(state)]
        rule = self._begins(frozenset(lexical), node) if lexical else None
        if rule is not None:
            states = [state for state in states if state not in lexical]
            for back, below in node.waiting:
                assert below is not None
                yield self._same_as(self._calling(rule, back)), below
        for part in self._takes(states):
            yield self._same_as((part,)), node

    def _begins(self, states: States, node: Node) -> int | None:
        """The rule of a node, if it begins with some states, and few wait for its end."""
        if node.links or len(node.waiting) > _SEVERAL:
            return None
        if any(below is None for _, below in node.waiting):
            return None
        rules = {self._rule(state) for state in states}
        return next((rule for rule in rules if self.begun(rule) == states), None)

    def _same_as(self, parts: tuple[Part, ...]) -> Plan:
        known = self._same.get(parts)
        if known is None:
            known = self._same[parts] = Plan(parts)
            self._walker.spent += 100 + 200 * len(parts)
        return known

    def _parts(self, state: int, without: Call | int | None) -> tuple[Part, ...]:
        kernel = self._matcher.kernels.of(state)
        parts = self._takes(one for one in kernel.takes if one != without)
        for call in kernel.calls:
            if call != without:
                parts += self._calling(call.rule, call.back)
        if kernel.ends:
            parts.append(END)
        return tuple(parts)

    def _takes(self, states: Iterable[int]) -> list[Part]:
        """The parts of states that take bytes."""
        parts: list[Part] = []
        inner: list[int] = []
        for state in states:
            part = self._take(state)
            if isinstance(part, Plain) and self._is_lexical(state):
                inner.append(state)
            else:
                parts.append(part)
        if inner:
            parts.append(self._inside(frozenset(inner)))
        return parts

    def _take(self, state: int) -> Part:
        known = self._taking.get(state)
        if known is None:
            plain = Plain(self._walker, state)
            wide = self._broad(state)
            known = plain
            if wide is not None:
                back = self.target(state)
                known = self._class_rounds(state, wide) or self._first(wide, back, plain) or plain
            self._taking[state] = known
        return known

    def _inside(self, states: States) -> Inside:
        known = self._insides.get(states)
        if known is None:
            firsts = self._machine.firsts
            rules = [(state, self._rule(state)) for state in states]
            name = frozenset(
                (self._lexemes.of(rule), state - firsts[rule]) for state, rule in rules
            )
            known = self._insides[states] = Inside(self._walker, states, name)
        return known

    def _calling(self, rule: int, back: int) -> tuple[Part, ...]:
        """The parts of a rule for the end of which a state waits."""
        known = self._calls.get((rule, back))
        if known is None:
            known = ()
            if self._lexemes.of(rule) is not None:
                rounds = self._rule_rounds(rule, back)
                known = (rounds,) if rounds else tuple(self._firsts(rule, back))
            known = known or (Called(self._walker, self._machine.starts[rule], back),)
            self._calls[rule, back] = known
        return known

    def _firsts(self, rule: int, back: int) -> Iterator[Part]:
        """The parts of a rule of which classes are followed by rounds in the caller, if any are."""
        rest: list[int] = []
        found = False
        for state in self.begun(rule) or ():
            plain, wide = self._take(state), self._broad(state)
            first = None
            if wide is not None and isinstance(plain, Plain):
                alone = Called(self._walker, self._same_as((plain,)), back)
                if self.target(state) in self._machine.ends:
                    first = self._first(wide, back, alone)
            if first is None:
                rest.append(state)
            else:
                found = True
                yield first
        if found and rest:
            yield Called(self._walker, self._same_as(tuple(self._takes(rest))), back)

    def _rule_rounds(self, rule: int, back: int) -> Rounds | None:
        """The rounds of a rule, if it is followed by itself."""
        key = (rule, back)
        if key not in self._rounds:
            steps = self.rule_steps(rule, back)
            found = None
            if steps.next()[0] is not None and self.begun(rule) is not None:
                plain = Called(self._walker, self._machine.starts[rule], back)
                lexeme = ("rounds", self._lexemes.of(rule))
                found = Rounds(self._walker, lexeme, steps, self._same_as((plain,)))
            self._rounds[key] = found
        return self._rounds[key]

    def _class_rounds(self, state: int, wide: Wide) -> Rounds | None:
        """The rounds of a class of characters, if it is followed by itself."""
        steps = self.class_steps(state)
        if steps.next()[1] is None:
            return None
        plain = self._same_as((Plain(self._walker, state),))
        return Rounds(self._walker, ("class", wide.ranges), steps, plain)

    def _first(self, wide: Wide, back: int, plain: Part) -> First | None:
        """A class of characters behind which are endless rounds that take them as well."""
        for rounds in self._rounds_at(back):
            steps = rounds.steps
            is_endless = steps.following()[0] is steps
            if is_endless and any(self._begins_round(wide, one, steps) for one in self._of(steps)):
                return First(self._same_as((plain,)), rounds, wide.firsts)
        return None

    def _rounds_at(self, back: int) -> Iterator[Rounds]:
        """The rounds that begin at a state, and lead back to it."""
        kernel = self._matcher.kernels.of(back)
        for call in kernel.calls:
            if call.back == back and self._lexemes.of(call.rule) is not None:
                rounds = self._rule_rounds(call.rule, back)
                if rounds is not None:
                    yield rounds
        for one in kernel.takes:
            wide = self._broad(one)
            if wide is not None and self.target(one) == back:
                alone = self._class_rounds(one, wide)
                if alone is not None:
                    yield alone

    def _of(self, steps: Steps) -> States:
        """The states at which a round begins."""
        if steps.rule is None:
            return frozenset((steps.state,))
        return self.begun(steps.rule) or frozenset()

    def _begins_round(self, wide: Wide, state: int, steps: Steps) -> bool:
        """Whether a character of a class is a round by one of its states, and by no other."""
        own = self.wide_of(state)
        if own is None or not wide.is_part(own):
            return False
        if steps.rule is not None and self.target(state) not in self._machine.ends:
            return False
        others = self._of(steps) - {state}
        moves = (move for other in others for move in self._machine.moves[other])
        return not any(any(wide.firsts[low : high + 1]) for low, high, _ in moves)

    def rule_steps(self, rule: int, back: int) -> Steps:
        """The one round of a rule that leads to a state."""
        known = self._rule_steps.get((rule, back))
        if known is None:
            known = Steps(self._walker, rule, self._machine.starts[rule], back)
            self._rule_steps[rule, back] = known
        return known

    def class_steps(self, state: int) -> Steps:
        """The one round of the class of characters that a state takes."""
        known = self._class_steps.get(state)
        if known is None:
            known = Steps(self._walker, None, state, self.target(state))
            self._class_steps[state] = known
        return known

    def begun(self, rule: int) -> States | None:
        """The states with which a rule begins, if they all are its own or those of its last one."""
        if rule not in self._begun:
            items = self._matcher.alone(rule).items
            bottom = self._matcher.bottom
            own = all(node is bottom for _, node in items)
            self._begun[rule] = frozenset(state for state, _ in items) if own and items else None
        return self._begun[rule]

    def _rule(self, state: int) -> int:
        """The number of the rule that a state belongs to."""
        return bisect_right(self._machine.firsts, state) - 1

    def _is_lexical(self, state: int) -> bool:
        known = self._lexical.get(state)
        if known is None:
            known = self._lexical[state] = self._lexemes.of(self._rule(state)) is not None
        return known

    def target(self, state: int) -> int:
        """Where a class of characters leads: as many bytes on as its first one says."""
        moves = self._machine.moves
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

    def _broad(self, state: int) -> Wide | None:
        """The same, if it has so many characters that they are best followed as one."""
        wide = self.wide_of(state)
        return None if wide is None or wide.narrow else wide

    def wide_of(self, state: int) -> Wide | None:
        """The class of characters that a state takes, if it takes one."""
        if state not in self._wide:
            origin = self._machine.origins.get(state)
            found = None
            if (
                origin
                and isinstance(origin.item, CharClass | AnyChar)
                and self._machine.moves[state]
            ):
                found = self._walker.lexicon.wide(origin.item)
            self._wide[state] = found
        return self._wide[state]
