r"""Grammars in the EBNF that xgrammar reads, and in the dialect of Lark that llguidance reads.

The EBNF is like GBNF, but `.`, reversed ranges and names that begin with a digit are not in it,
`\x41B` is one character there, and `true`, `false` and the names of its macros cannot be rules.
Source: `docs/defining_structures/ebnf_grammar.md` and `cpp/grammar_parser.cc` of mlc-ai/xgrammar.

The lexer of llguidance takes the longest of the terminals that are allowed at a position, and never
another one: of `"a" "b" | "ab" "c"` it refuses the string `ab`. So either everything is one
terminal, which is correct for each grammar whose rules are not recursive, or each terminal is one
character. Source: `docs/syntax.md` and `parser/src/lark/lexer.rs` of guidance-ai/llguidance.

`plain` returns an equivalent grammar without what other notations do not support: rules that are
never reached and alternatives that match nothing are gone, as are NUL and surrogates in classes,
which no string contains; `.` and negated classes are lists of ranges in order; a maximum that
llama.cpp ignores is gone; nothing is repeated zero times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdl.errors import GrammarError, Problem, error_from
from pdl.gbnf.analysis import NEVER, Shortest, takes
from pdl.gbnf.nodes import (
    LAST,
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
    item_text,
    items,
    reachable,
    references,
    suffix,
)
from pdl.gbnf.utf8 import ANY, characters, complement, normal
from pdl.graphs import strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl.gbnf.utf8 import Ranges
    from pdl.source import Source, Span


def components(rules: Mapping[str, Rule]) -> list[tuple[list[str], bool]]:
    """Mutually recursive rules, in the order of the grammar, each component after those it needs.

    The second value says whether the component is recursive.
    """
    graph = {name: [ref.name for ref in references(rule.options)] for name, rule in rules.items()}
    place = {name: number for number, name in enumerate(rules)}
    return [
        (
            sorted(component, key=place.__getitem__),
            bool(component[1:]) or component[0] in graph[component[0]],
        )
        for component in strongly_connected_components(graph)
    ]


def recursive_groups(rules: Mapping[str, Rule]) -> list[list[str]]:
    """The components of rules that are recursive."""
    return [names for names, recursive in components(rules) if recursive]


PLAIN = {ord("\t"): "\\t", ord("\r"): "\\r", ord("\n"): "\\n", ord("\\"): "\\\\"}
_FOUR = 0xFFFF  # the last code point of four hexadecimal digits


def escaped(code: int, special: Mapping[int, str]) -> str:
    r"""A code point as itself where one sees what it is, else as `\uHHHH` or `\UHHHHHHHH`."""
    if code in special:
        return special[code]
    if chr(code).isprintable():
        return chr(code)
    return f"\\u{code:04X}" if code <= _FOUR else f"\\U{code:08X}"


def bracketed(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """`[a-z_]`."""
    return f"[{_written(ranges, spell)}]"


def shorter_class(ranges: Ranges, spell: Callable[[int], str]) -> str:
    """`[a-z]` or `[^a-z]`, whatever has fewer ranges.

    NUL is among those left out, surrogates are not: no UTF-8 has them.
    """
    if ranges[-1][1] < LAST:
        return bracketed(ranges, spell)
    first, *rest = normal(((0, 0), *characters(complement(ranges))))
    if len(rest) >= len(ranges):
        return bracketed(ranges, spell)
    return f"[^{_written((first, *rest), spell)}]"


def _written(ranges: Ranges, spell: Callable[[int], str]) -> str:
    return "".join(
        f"{spell(low)}{'-' if high > low + 1 else ''}{spell(high) if high > low else ''}"
        for low, high in ranges
    )


def spelled(
    names: Iterable[str], spell: Callable[[str], str], taken: Mapping[str, str], mark: str
) -> dict[str, str]:
    """Each name in its new spelling; duplicates get numbers after a mark.

    `taken` are the spellings of some names that are fixed already.
    """
    found = dict(taken)
    used = set(taken.values())
    numbers: dict[str, int] = {}
    for name in names:
        if name in found:
            continue
        base = one = spell(name)
        while one in used:
            numbers[base] = numbers.get(base, 1) + 1
            one = f"{base}{mark}{numbers[base]}"
        used.add(one)
        found[name] = one
    return found


def plain(rules: Mapping[str, Rule], root: str, source: Source) -> dict[str, Rule]:
    """The rules that count, the root first. Raises GrammarError if it matches no text."""
    shortest = Shortest(rules, narrow=_as_class)
    if shortest.rule(root) >= NEVER:
        message = f"the rule `{root}` matches no string, which no other notation can express"
        raise GrammarError(Problem("gbnf/matches-nothing", message, named(rules.get(root), source)))
    made = shortest.productive_part()
    reached = set(reachable(made, root))
    rest = {name: rule for name, rule in made.items() if name in reached}
    return {root: rest.pop(root), **rest}


def named(rule: Rule | None, source: Source) -> Span | None:
    """The span of a rule's name, if it was read from a text."""
    return source.span(rule.start, rule.named) if rule and rule.start >= 0 else None


def _as_class(item: Item) -> Item | None:
    """A class or a dot as the characters that it matches; None if there are none."""
    if not isinstance(item, AnyChar | CharClass) or is_nothing(item):
        return item
    ranges = takes(item)
    return CharClass(ranges, start=item.start, end=item.end) if ranges else None


NOTHING = '""'
"""The empty text."""


@dataclass(frozen=True)
class Notation:
    """How each kind of item is written."""

    names: Mapping[str, str]
    define: str
    comment: str
    literal: Callable[[tuple[int, ...]], str]
    char_class: Callable[[Ranges], str]
    token: Callable[[TokenRef], str] = item_text

    def rules(self, rules: Iterable[Rule]) -> str:
        """A line for each rule, its comments above it."""
        return "".join(f"{line}\n" for rule in rules for line in self._rule(rule))

    def _rule(self, rule: Rule) -> Iterator[str]:
        for comment in rule.comments:
            shown = "".join(char if char.isprintable() else " " for char in comment)
            yield f"{self.comment} {shown}".rstrip()
        yield f"{self.names[rule.name]}{self.define} {self._options(rule.options)}"

    def _options(self, options: Iterable[Sequence]) -> str:
        return " | ".join(" ".join(map(self._item, one.items)) or NOTHING for one in options)

    def _item(self, item: Item) -> str:
        if isinstance(item, Group):
            return f"({self._options(item.options)})"
        if isinstance(item, Repeat):
            inner = self._item(item.item)
            inner = inner if _is_one(item.item) else f"({inner})"
            return inner + suffix(item.min, item.max)
        return self._leaf(item)

    def _leaf(self, item: Literal | CharClass | AnyChar | RuleRef | TokenRef) -> str:
        if isinstance(item, RuleRef):
            return self.names[item.name]
        if isinstance(item, Literal):
            return self.literal(item.codes)
        if isinstance(item, TokenRef):
            return self.token(item)
        return self.char_class(item.ranges if isinstance(item, CharClass) else ANY)


def _is_one(item: Item) -> bool:
    """Whether the spelling of an item can be repeated without a group."""
    if isinstance(item, Literal):
        return len(item.codes) == 1
    return not isinstance(item, Repeat)


def refuse_tokens(
    rules: Iterable[Rule],
    source: Source,
    message: str,
    hint: str = "remove the token reference; for xgrammar, refer to it by ID",
    known: Callable[[TokenRef], bool] = lambda _: False,
) -> None:
    """Raise GrammarError for token references that are not supported.

    `message` has `{}` in the place of the reference.
    """
    problems = [
        Problem(
            "gbnf/token-reference",
            message.format(item_text(item)),
            source.span(item.start, item.end) if item.start >= 0 else None,
            hint,
        )
        for rule in rules
        for item in items(rule.options)
        if isinstance(item, TokenRef) and not known(item)
    ]
    if problems:
        raise error_from(problems)


_ROOT = "root"
_TAKEN = frozenset(
    [
        "true",
        "false",
        "TagDispatch",
        "Token",
        "ExcludeToken",
        "TokenTagDispatch",
        "Regex",
        "Substring",
    ]
)
_QUOTED = {**PLAIN, ord('"'): '\\"'}
_EBNF_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-"}}


def ebnf(rules: Mapping[str, Rule], root: str, source: Source) -> str:
    """The rules as `xgrammar.Grammar.from_ebnf` reads them; the one to begin with is `root`.

    Raises GrammarError for a grammar that matches nothing, and for tokens that are named by texts:
    xgrammar knows them by their numbers.
    """
    found = plain(rules, root, source)
    message = "xgrammar's EBNF cannot express `{}`"
    refuse_tokens(found.values(), source, message, known=lambda item: item.id is not None)
    names = spelled(found, _name, {root: _ROOT}, "_")
    return Notation(names, " ::=", "#", _ebnf_text, _ebnf_class, _token).rules(found.values())


def _name(name: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9-]", "-", name)
    return safe if safe[:1].isalpha() and safe not in _TAKEN else f"r-{safe.removeprefix('-')}"


def _ebnf_text(codes: tuple[int, ...]) -> str:
    return f'"{"".join(escaped(code, _QUOTED) for code in codes)}"'


def _ebnf_class(ranges: Ranges) -> str:
    return shorter_class(ranges, lambda code: escaped(code, _EBNF_IN_CLASS))


def _token(item: TokenRef) -> str:
    return f"{'ExcludeToken' if item.negated else 'Token'}({item.id})"


_START = "start"
_LARK_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-&~/"}}
"""In Rust's regular expressions `&&`, `--` and `~~` are operators within classes."""


def lark(rules: Mapping[str, Rule], root: str, source: Source) -> str:
    """The rules as llguidance reads them.

    Raises GrammarError for a grammar that matches nothing, and for references to tokens: where a
    token may also be spelled as its text, llguidance looks at one of the two only.
    """
    found = plain(rules, root, source)
    refuse_tokens(found.values(), source, "Lark cannot express `{}`")
    if recursive_groups(found):
        names = spelled(found, _rule, {root: _START}, "_")
        literal = _characters
    else:
        names = spelled(found, _terminal, {}, "_")
        literal = _lark_text
    text = Notation(names, ":", "//", literal, _lark_class).rules(found.values())
    return text if names[root] == _START else f"{_START}: {names[root]}\n{text}"


def _rule(name: str) -> str:
    """A name of lowercase letters and hyphens."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    small = re.sub(r"[^a-z0-9-]", "-", small)
    return small if small[:1].isalpha() else f"r-{small.removeprefix('-')}"


def _terminal(name: str) -> str:
    """The same in uppercase letters, which make it a part of a terminal."""
    return _rule(name).upper()


def _lark_text(codes: tuple[int, ...]) -> str:
    """A literal in double quotes, with the escapes of JSON."""
    return f'"{"".join(_in_quotes(code) for code in codes)}"'


def _characters(codes: tuple[int, ...]) -> str:
    """A literal, each character for itself."""
    written = " ".join(_lark_text((code,)) for code in codes)
    return f"({written})" if codes[1:] else written


def _in_quotes(code: int) -> str:
    return chr(code) if code > 0xFFFF else escaped(code, _QUOTED)  # noqa: PLR2004 - JSON has four digits


def _lark_class(ranges: Ranges) -> str:
    return f"/{shorter_class(ranges, lambda code: escaped(code, _LARK_IN_CLASS))}/"
