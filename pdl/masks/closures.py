"""The closures of the states of one grammar: into which parts what may follow falls.

A closure tells what may follow a state within its rule, and where the rule may end. What waits for
that does not matter to the closure, so it is the same for all texts that reach the state.

`LexemeRules` tells which rules of a grammar are lexemes: small ones that other grammars may share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import AnyChar, CharClass, Literal, RuleRef, TokenRef, items
from pdl.masks.parts import (
    RULE_END,
    BytePart,
    CallPart,
    Closure,
    LeadingClassPart,
    LexemePart,
    RepeatedLexeme,
    Round,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.edges import CallEdge
    from pdl.gbnf.gss import Node
    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.rtn import Rtn
    from pdl.masks.collector import TokenCollector
    from pdl.masks.mask_cache import ClassBytes, MaskCache
    from pdl.masks.parts import Part, States


_MOST = 40  # rules of a lexeme
_COMMON = frozenset(["", "u", "e", "E", "T", "Z", "true", "false", "null"])
"""The letters of the literals in it."""
_QUOTE = ord('"')


class LexemeRules:
    """The rules of one grammar, by their numbers in its automaton.

    What is taken for a lexeme is a matter of speed alone.
    """

    def __init__(self, automaton: Rtn, rules: Mapping[str, Rule], cache: MaskCache) -> None:
        self._automaton = automaton
        self._rules = rules
        self._cache = cache
        self._known: dict[int, int | None] = {}
        self._known_refs: dict[str, frozenset[str] | None] = {}

    def of(self, rule: int) -> int | None:
        """Return the number of a rule in the cache; None if it is not a lexeme."""
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
        return self._cache.number(tuple((one, self._rules[one].options) for one in found))

    def _refs(self, name: str) -> frozenset[str] | None:
        """The rules that one refers to; None if it has its own text, as a key or a word."""
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


_SEVERAL = 4  # that wait for the end of one rule
_LEADS = (0xC2, 0xE0, 0xF0)  # the least first bytes of characters of two bytes, three, four


class Closures:
    """The closures of one grammar; equal parts are the same one, and so are equal closures.

    The states of a closure that are inside lexemes are one part.
    """

    def __init__(self, collector: TokenCollector, rules: Mapping[str, Rule]) -> None:
        matcher = collector.matcher
        self._collector = collector
        self._matcher = matcher
        self._machine = matcher.rtn
        self._lexemes = LexemeRules(matcher.rtn, rules, collector.cache)
        self._lexical: dict[int, bool] = {}
        self._closures: dict[int, Closure] = {}
        self._same: dict[tuple[Part, ...], Closure] = {}
        self._taking: dict[int, Part] = {}
        self._insides: dict[States, LexemePart] = {}
        self._calls: dict[tuple[int, int], tuple[Part, ...]] = {}
        self._rounds: dict[tuple[int, int], RepeatedLexeme | None] = {}
        self._rounds_of_rules: dict[tuple[int, int], Round] = {}
        self._rounds_of_classes: dict[int, Round] = {}
        self._begun: dict[int, States | None] = {}
        self._classes_of: dict[int, ClassBytes | None] = {}

    def release(self) -> None:
        """Let rounds that are followed by themselves not lead there any more."""
        for held in (self._rounds_of_rules, self._rounds_of_classes):
            for step in held.values():
                step.forget()

    def of(self, state: int, without: CallEdge | int | None = None) -> Closure:
        """Return the closure of a state, `without` one of its calls or of the states it reaches."""
        known = self._closures.get(state) if without is None else None
        if known is None:
            known = self._same_as(self._parts(state, without))
            if without is None:
                self._closures[state] = known
        return known

    def top(self, states: list[int], node: Node) -> Iterator[tuple[Closure, Node]]:
        """The closures of the states over a node, each with the node in which it is.

        What begins a lexeme that one rule waits for is in the closure of the call.
        """
        lexical = [state for state in states if self._is_lexical(state)]
        rule = self._begins(frozenset(lexical), node) if lexical else None
        if rule is not None:
            states = [state for state in states if state not in lexical]
            for back, below in node.return_edges:
                assert below is not None
                yield self._same_as(self._calling(rule, back)), below
        for part in self._takes(states):
            yield self._same_as((part,)), node

    def _begins(self, states: States, node: Node) -> int | None:
        """The rule of a node, if it begins with some states, and few wait for its end."""
        if node.links or len(node.return_edges) > _SEVERAL:
            return None
        if any(below is None for _, below in node.return_edges):
            return None
        rules = {self._rule(state) for state in states}
        return next((rule for rule in rules if self.begun(rule) == states), None)

    def _same_as(self, parts: tuple[Part, ...]) -> Closure:
        known = self._same.get(parts)
        if known is None:
            known = self._same[parts] = Closure(parts)
            self._collector.spent += 100 + 200 * len(parts)
        return known

    def _parts(self, state: int, without: CallEdge | int | None) -> tuple[Part, ...]:
        closure = self._matcher.closures.of(state)
        parts = self._takes(one for one in closure.takes if one != without)
        for call in closure.calls:
            if call != without:
                parts += self._calling(call.rule, call.return_state)
        if closure.ends:
            parts.append(RULE_END)
        return tuple(parts)

    def _takes(self, states: Iterable[int]) -> list[Part]:
        """The parts of states that take bytes."""
        parts: list[Part] = []
        inner: list[int] = []
        for state in states:
            part = self._take(state)
            if isinstance(part, BytePart) and self._is_lexical(state):
                inner.append(state)
            else:
                parts.append(part)
        if inner:
            parts.append(self._inside(frozenset(inner)))
        return parts

    def _take(self, state: int) -> Part:
        known = self._taking.get(state)
        if known is None:
            plain = BytePart(self._collector, state)
            chars = self._broad(state)
            known = plain
            if chars is not None:
                back = self.target(state)
                known = self._class_rounds(state, chars) or self._first(chars, back, plain) or plain
            self._taking[state] = known
        return known

    def _inside(self, states: States) -> LexemePart:
        known = self._insides.get(states)
        if known is None:
            places = map(self._machine.place, states)
            name = frozenset((self._lexemes.of(rule), at) for rule, at in places)
            known = self._insides[states] = LexemePart(self._collector, states, name)
        return known

    def _calling(self, rule: int, back: int) -> tuple[Part, ...]:
        """The parts of a rule for the end of which a state waits."""
        known = self._calls.get((rule, back))
        if known is None:
            known = ()
            if self._lexemes.of(rule) is not None:
                rounds = self._rule_rounds(rule, back)
                known = (rounds,) if rounds else tuple(self._firsts(rule, back))
            known = known or (CallPart(self._collector, self._machine.starts[rule], back),)
            self._calls[rule, back] = known
        return known

    def _firsts(self, rule: int, back: int) -> Iterator[Part]:
        """The parts of a rule of which classes are followed by rounds in the caller, if any are."""
        rest: list[int] = []
        found = False
        for state in self.begun(rule) or ():
            plain, chars = self._take(state), self._broad(state)
            first = None
            if chars is not None and isinstance(plain, BytePart):
                alone = CallPart(self._collector, self._same_as((plain,)), back)
                if self.target(state) in self._machine.ends:
                    first = self._first(chars, back, alone)
            if first is None:
                rest.append(state)
            else:
                found = True
                yield first
        if found and rest:
            yield CallPart(self._collector, self._same_as(tuple(self._takes(rest))), back)

    def _rule_rounds(self, rule: int, back: int) -> RepeatedLexeme | None:
        """The rounds of a rule, if it is followed by itself."""
        key = (rule, back)
        if key not in self._rounds:
            step = self.round_of_rule(rule, back)
            found = None
            if step.next()[0] is not None and self.begun(rule) is not None:
                plain = CallPart(self._collector, self._machine.starts[rule], back)
                lexeme = ("rounds", self._lexemes.of(rule))
                found = RepeatedLexeme(self._collector, lexeme, step, self._same_as((plain,)))
            self._rounds[key] = found
        return self._rounds[key]

    def _class_rounds(self, state: int, chars: ClassBytes) -> RepeatedLexeme | None:
        """The rounds of a class of characters, if it is followed by itself."""
        step = self.round_of_class(state)
        if step.next()[1] is None:
            return None
        plain = self._same_as((BytePart(self._collector, state),))
        return RepeatedLexeme(self._collector, ("class", chars.ranges), step, plain)

    def _first(self, chars: ClassBytes, back: int, plain: Part) -> LeadingClassPart | None:
        """A class of characters before unbounded rounds that take them too."""
        for rounds in self._rounds_at(back):
            step = rounds.step
            is_endless = step.following()[0] is step
            if is_endless and any(self._begins_round(chars, one, step) for one in self._of(step)):
                return LeadingClassPart(self._same_as((plain,)), rounds, chars.firsts)
        return None

    def _rounds_at(self, back: int) -> Iterator[RepeatedLexeme]:
        """The rounds that begin at a state, and lead back to it."""
        closure = self._matcher.closures.of(back)
        for call in closure.calls:
            if call.return_state == back and self._lexemes.of(call.rule) is not None:
                rounds = self._rule_rounds(call.rule, back)
                if rounds is not None:
                    yield rounds
        for one in closure.takes:
            chars = self._broad(one)
            if chars is not None and self.target(one) == back:
                alone = self._class_rounds(one, chars)
                if alone is not None:
                    yield alone

    def _of(self, step: Round) -> States:
        """The states at which a round begins."""
        if step.rule is None:
            return frozenset((step.state,))
        return self.begun(step.rule) or frozenset()

    def _begins_round(self, chars: ClassBytes, state: int, step: Round) -> bool:
        """Whether a character of a class is a round by one of its states, and by no other."""
        own = self.class_of(state)
        if own is None or not chars.is_part(own):
            return False
        if step.rule is not None and self.target(state) not in self._machine.ends:
            return False
        others = self._of(step) - {state}
        moves = (move for other in others for move in self._machine.moves[other])
        return not any(any(chars.firsts[low : high + 1]) for low, high, _ in moves)

    def round_of_rule(self, rule: int, back: int) -> Round:
        """The one round of a rule that leads to a state."""
        known = self._rounds_of_rules.get((rule, back))
        if known is None:
            known = Round(self._collector, rule, self._machine.starts[rule], back)
            self._rounds_of_rules[rule, back] = known
        return known

    def round_of_class(self, state: int) -> Round:
        """The one round of the class of characters that a state takes."""
        known = self._rounds_of_classes.get(state)
        if known is None:
            known = Round(self._collector, None, state, self.target(state))
            self._rounds_of_classes[state] = known
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
        return self._machine.place(state)[0]

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

    def class_bytes(self, state: int) -> ClassBytes:
        """The class of characters that a state takes."""
        found = self.class_of(state)
        assert found is not None
        return found

    def _broad(self, state: int) -> ClassBytes | None:
        """The same, if it has so many characters that they are best followed as one."""
        chars = self.class_of(state)
        return None if chars is None or chars.narrow else chars

    def class_of(self, state: int) -> ClassBytes | None:
        """The class of characters that a state takes, if it takes one."""
        if state not in self._classes_of:
            origin = self._machine.source_map.get(state)
            found = None
            if (
                origin
                and isinstance(origin.item, CharClass | AnyChar)
                and self._machine.moves[state]
            ):
                found = self._collector.cache.class_bytes(origin.item)
            self._classes_of[state] = found
        return self._classes_of[state]
