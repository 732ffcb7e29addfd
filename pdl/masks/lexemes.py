"""Which rules of a grammar are lexemes: small ones, that other grammars may have as well."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pdl.gbnf.nodes import CharClass, Literal, RuleRef, TokenRef
from pdl.gbnf.utf8 import of_class
from pdl.gbnf.walk import items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.automaton import Automaton
    from pdl.gbnf.nodes import AnyChar, Rule
    from pdl.gbnf.utf8 import Ranges
    from pdl.masks.lexicon import Lexicon

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
