"""Looks for strings of a grammar that are not valid JSON.

Where there is no proof (`pdl.gbnf.linting.json_proof`), strings are tried: through each item of
each rule, as short as can be, with the characters that mean something in JSON, with fewer and more
rounds, and with each alternative of each rule that is named. What is found is certain.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

from pdl.decoding import json_fault
from pdl.gbnf.analysis import NEVER, TOKEN, AccessStrings, Context, Contexts, Shortest, shown, takes
from pdl.gbnf.linting.json_proof import START, kinds, step
from pdl.gbnf.linting.llama_stacks import contains
from pdl.gbnf.matcher import Matcher
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Item,
    Literal,
    Repeat,
    RuleRef,
    TokenRef,
    item_text,
    items,
    quoted,
)
from pdl.gbnf.rtn import compile_rtn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf.linting.finding import Finding, Reporter
    from pdl.gbnf.nodes import GrammarRules

_SPECIAL = '"\\\n\t\r\x01\x1f 019-+.eE{}[],:/abfnrtuNI\x7f\u0080\u2028'
"""Characters that JSON's grammar distinguishes."""
_TEXTS = 3_000
_CHARS = 400_000
_LONGEST = 4_000
_ROUNDS = 100
_RANGES = 20
_OPTIONS = 30
_SHOWN = 60
NO_VALUE = "make the root rule a JSON value: an object, an array, a string, a number …"
"""The hint where a string does not even begin as one."""
_CHECK = "check replies, too: `json.loads` or `pdl.check`"


class JsonTexts:
    """Tries the strings of one grammar; `tried` counts them."""

    def __init__(self, grammar: GrammarRules, reached: frozenset[str], shortest: Shortest) -> None:
        self._grammar = grammar
        self._shortest = shortest
        self._rules = {name: rule for name, rule in grammar.rule.items() if name in reached}
        self._contexts = Contexts(self._rules, shortest)
        self._access = AccessStrings(self._contexts, grammar.root, whole=True)
        self.tried = 0
        self._said: set[str] = set()
        self._chars = _CHARS

    def findings(self, report: Reporter) -> Iterator[Finding]:
        """Find each item that makes a string invalid JSON."""
        yield from self._tokens(report)
        root = self._grammar.rule[self._grammar.root]
        least = self._shortest.rule(root.name)
        if least >= _LONGEST:
            yield from self._too_long(least, report)
            return
        text = self._shortest.text((RuleRef(root.name),))
        wrong = self._wrong(text)
        if wrong:
            yield self._shortest_wrong(text, wrong, report)
            return
        found = 0
        for finding in self._by_item(report):
            found += 1
            yield finding
        if not found:
            which = "some" if self.tried >= _TEXTS or self._chars <= 0 else "all"
            message = (
                "no proof that all strings are valid JSON;"
                f" {self.tried:,} of them, through {which} items, were tried and are"
            )
            yield report.at(root, "json-tried", message, _CHECK)

    def _shortest_wrong(self, text: str, wrong: str, report: Reporter) -> Finding:
        """The finding for a grammar whose shortest string is not valid JSON."""
        at = fault(text)
        location = None if at is None else self._location(text[:at], text[at])
        if at is None:
            hint = "continue the root rule to the end of a JSON value"
        elif text[:at].strip() or "`" in wrong:
            hint = _hint(text[at - 1 : at + 1].strip("[{,: "), wrong)
        else:
            hint = NO_VALUE
        root = self._grammar.rule[self._grammar.root]
        return report.at(location or root, "not-json", _said(text, wrong), hint)

    def _location(self, before: str, following: str) -> tuple[int, int] | None:
        """Where the grammar has the character after a string."""
        grammar = self._grammar
        machine = compile_rtn(grammar.rule, grammar.limits, grammar.source)
        matcher = Matcher(machine, machine.names.index(grammar.root), grammar.limits)
        here, _ = matcher.run(matcher.start, before.encode("utf-8", "surrogatepass"))
        first = following.encode()[0]
        for state in sorted((state for state, _ in here.items), key=machine.place):
            taken = any(low <= first <= high for low, high, _ in machine.moves[state])
            origin = machine.moves.origin(state) if taken else None
            if origin:
                item = origin.item
                return item.start, item.end
        return None

    def _too_long(self, least: int, report: Reporter) -> Iterator[Finding]:
        if least < TOKEN:
            message = f"the shortest string has {least:,} characters, so none was tried as JSON"
            root = self._grammar.rule[self._grammar.root]
            yield report.at(root, "json-tried", message, _CHECK)

    def _tokens(self, report: Reporter) -> Iterator[Finding]:
        for rule in self._rules.values():
            for item in items(rule.options):
                if isinstance(item, TokenRef):
                    message = f"unclear whether strings with `{item_text(item)}` are valid JSON"
                    hint = "name tokens only around the JSON, not in it"
                    yield report.at(item, "json-unknown", message, hint)
                    return

    def _by_item(self, report: Reporter) -> Iterator[Finding]:
        """Items themselves first; then names, unless the fault is reported inside the rule."""
        contexts = [
            context
            for name in self._rules
            for context in self._contexts.of_rule(name)
            if self._access.cost(context) + self._behind(context) + self._length(context) < _LONGEST
        ]
        bad: set[str] = set()
        for named in (False, True):
            for context in contexts:
                item = context.item
                if isinstance(item, RuleRef) is not named:
                    continue
                if isinstance(item, RuleRef) and item.name in bad:
                    continue
                found = self._at(context, report)
                if found:
                    bad.add(context.rule)
                    yield found

    def _behind(self, context: Context) -> int:
        return context.after.cost if context.after else 0

    def _length(self, context: Context) -> int:
        return self._shortest.item(context.item)

    def _at(self, context: Context, report: Reporter) -> Finding | None:
        """What is wrong with the strings through one item."""
        if self.tried >= _TEXTS or self._chars <= 0:
            return None
        before, after = self._access.before(context), self._access.after(context)
        for variant in dict.fromkeys(self._variants(context.item)):
            text = before + variant + after
            wrong = self._wrong(text)
            if wrong and text not in self._said:
                self._said.add(text)
                hint = _hint(variant, wrong)
                start, end = context.item.start, context.item.end
                return report.at((start, end), "not-json", _said(text, wrong), hint)
        return None

    def _variants(self, item: Item) -> Iterator[str]:
        """The strings of an item that are worth a try."""
        if isinstance(item, CharClass | AnyChar):
            ranges = takes(item)
            yield chr(shown(ranges)) if ranges else ""
            yield from (one for one in _SPECIAL if contains(ranges, ord(one)))
            yield from (chr(code) for one in ranges[:_RANGES] for code in one)
        elif isinstance(item, Repeat):
            counts = {item.min, item.min + 1, item.min + 2, item.max or 0}
            for count in sorted(counts):
                allowed = item.min <= count and (item.max is None or count <= item.max)
                if allowed and count <= _ROUNDS and (not count or self._fits(item.item)):
                    yield self._shortest.text((item.item,) * count)
            if item.max != 0 and self._fits(item.item):
                more = self._shortest.text((item.item,) * max(item.min - 1, 0))
                yield from (one + more for one in self._variants(item.item))
        elif isinstance(item, RuleRef):
            rule = self._grammar.rule.get(item.name)
            for option in rule.options[:_OPTIONS] if rule else ():
                if self._shortest.sequence(option.items) < _LONGEST:
                    yield self._shortest.text(option.items)
        elif isinstance(item, Literal):
            yield item.text

    def _fits(self, item: Item) -> bool:
        return self._shortest.item(item) * 3 < min(_LONGEST, TOKEN, NEVER)

    def _wrong(self, text: str) -> str:
        """Why a string is not valid JSON; an empty string if it is."""
        self.tried += 1
        self._chars -= len(text)
        if text.startswith("\ufeff"):
            return "it begins with a byte order mark"
        try:
            json.loads(text, parse_constant=_refuse)
        except json.JSONDecodeError as error:
            said, at = json_fault(error)
            return f"{said} at character {at + 1}"
        except _ConstantError as error:
            return f"{error} is not a JSON value, at character {(fault(text) or 0) + 1}"
        except (RecursionError, ValueError):
            return ""  # nested too deep for this interpreter, or too many digits: JSON all the same
        return ""


def fault(text: str) -> int | None:
    """Return the first offset where a string is not valid JSON, None if it is a prefix of some."""
    state, opened = START, [""]
    for at, character in enumerate(text):
        one = next(iter(kinds(((ord(character), ord(character)),))), character)
        found = step(state, opened[-1], one)
        if found is None:
            return at
        state = found.state
        opened += [found.opened] if found.opened else []
        if found.closed:
            opened.pop()
    return None


class _ConstantError(Exception):
    """`NaN` or `Infinity`, which Python reads and JSON has not."""


def _refuse(name: str) -> NoReturn:
    raise _ConstantError(f"`{name}`")


def _said(text: str, wrong: str) -> str:
    more = "…" if len(text) > _SHOWN else ""
    return f"the grammar matches `{quoted(text[:_SHOWN])}{more}`, which is not valid JSON: {wrong}"


def _hint(variant: str, wrong: str) -> str:
    if "`" in wrong:
        return "write `null`, or a string in quotes: JSON has no such number"
    if "control character" in wrong:
        return r"exclude control characters: `[^\x00-\x1F\x7F\"\\]`".replace(r"\"", '"')
    if "escape" in wrong or variant == "\\":
        return 'after `\\` JSON has `["\\\\/bfnrt]` or `u` and four hexadecimal digits'
    if variant.isdigit():
        return 'write integers as `"-"? ("0" | [1-9] [0-9]*)`'
    return "remove what JSON does not allow there"
