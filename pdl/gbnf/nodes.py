"""A grammar as a syntax tree: rules, alternatives, what these are made of; and back to its text.

Nodes compare by meaning, not by position, and are immutable; `start` and `end` are offsets in the
text that they were read from, -1 if there isn't one. Source of the notation:
`grammars/README.md` and `src/llama-grammar.cpp` of llama.cpp.

`items` iterates over a tree in the order in which it is written; `write` returns a text that parses
as the same grammar.
"""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from pdl.errors import an_instance
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


_T = TypeVar("_T")


def frozen_value(cls: type[_T]) -> type[_T]:
    """Let a frozen dataclass with slots refuse each name; `copy` gives the value itself.

    Python 3.11 makes such a class refuse the names of its fields, and fail with a TypeError about
    `super` on all others: the class with slots is a second one, and `super` knows the first.
    """
    cls.__setattr__ = _unchanged  # type: ignore[method-assign]  # for any value
    cls.__delattr__ = _unchanged  # type: ignore[method-assign]
    cls.__copy__ = _itself  # type: ignore[attr-defined]
    cls.__deepcopy__ = _itself  # type: ignore[attr-defined]
    return cls


def _unchanged(self: object, name: str, *_: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot change `{name}` of {an_instance(type(self))}: it is frozen")


def _itself(self: _T, *_: Any) -> _T:
    return self


@frozen_value
@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A part of a text."""

    start: int = field(default=-1, compare=False, repr=False)
    end: int = field(default=-1, compare=False, repr=False)


@frozen_value
@dataclass(frozen=True, slots=True)
class Literal(Located):
    """`"text"`: code points one after the other, some of them perhaps beyond Unicode's last."""

    codes: tuple[int, ...]

    @property
    def text(self) -> str:
        """The code points as a string; U+FFFD represents those that no string can contain."""
        return "".join(map(chr, (code if code <= LAST else 0xFFFD for code in self.codes)))


@frozen_value
@dataclass(frozen=True, slots=True)
class CharClass(Located):
    """`[a-z_]` or `[^a-z_]`: the ranges of code points, both ends included, in written order."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False


@frozen_value
@dataclass(frozen=True, slots=True)
class AnyChar(Located):
    """`.`: any one code point."""


@frozen_value
@dataclass(frozen=True, slots=True)
class RuleRef(Located):
    """The name of a rule."""

    name: str


@frozen_value
@dataclass(frozen=True, slots=True)
class TokenRef(Located):
    """`<[id]>`, `<text>` or, negated, `!<…>`: one token of the vocabulary.

    Either `id` or `text` (with its angle brackets) is there.
    """

    id: int | None = None
    text: str = ""
    negated: bool = False


@frozen_value
@dataclass(frozen=True, slots=True)
class Sequence(Located):
    """Items one after the other; none of them match the empty text."""

    items: tuple[Item, ...] = ()


@frozen_value
@dataclass(frozen=True, slots=True)
class Group(Located):
    """`(a | b)`: alternatives in parentheses."""

    options: tuple[Sequence, ...]


@frozen_value
@dataclass(frozen=True, slots=True)
class Repeat(Located):
    """`item*`, `item+`, `item?`, `item{m}`, `item{m,}`, `item{m,n}`; no maximum is None."""

    item: Item
    min: int
    max: int | None = None


Item: TypeAlias = Literal | CharClass | AnyChar | RuleRef | TokenRef | Group | Repeat
"""What a sequence is made of."""


@frozen_value
@dataclass(frozen=True, slots=True)
class Rule(Located):
    """`name ::= a | b`, with the comments above it and in it, without their `#`.

    `named` is where its name ends.
    """

    name: str
    options: tuple[Sequence, ...]
    comments: tuple[str, ...] = ()
    named: int = field(default=-1, compare=False, repr=False)


LAST = 0x10FFFF
"""The last code point of Unicode."""
MOST = 2000
"""The largest minimum of a repetition; a larger maximum is ignored (MAX_REPETITION_THRESHOLD)."""

CURRENT = "2026-09"
"""The month of the llama.cpp whose language `parse` reads."""


def bounded(item: Repeat) -> int | None:
    """The maximum of a repetition as llama.cpp reads it: one over 2000 is ignored."""
    return None if item.max is not None and item.max > MOST else item.max


def is_nothing(item: Item) -> bool:
    """Whether llama.cpp has no element for an item, which only matches the empty string."""
    if isinstance(item, Literal):
        return not item.codes
    if isinstance(item, CharClass):
        return not item.ranges
    return isinstance(item, Repeat) and item.max == 0


def has_empty(options: Iterable[Sequence]) -> bool:
    """Whether an alternative has no elements at all; a nullable one does not count."""
    return any(all(map(is_nothing, option.items)) for option in options)


@dataclass(frozen=True)
class GrammarRules:
    """Rules, the name of the one that a string must match, and the comments after the last rule.

    Of several rules of one name the last counts (`rule`), as in llama.cpp; `rules` has them all.
    Grammars compare by rules, root and comments, not by spelling.
    """

    rules: tuple[Rule, ...]
    root: str = "root"
    comments: tuple[str, ...] = ()
    source: Source = field(default=Source(""), compare=False, repr=False)
    limits: Limits = field(default=DEFAULT_LIMITS, compare=False, repr=False)

    @cached_property
    def rule(self) -> Mapping[str, Rule]:
        """The rules that count, by their names, in the order in which the names come first."""
        return MappingProxyType({rule.name: rule for rule in self.rules})

    def __getstate__(self) -> dict[str, object]:
        """What is pickled and copied: the fields, without what was learned of them."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def items(options: Iterable[Sequence]) -> Iterator[Item]:
    """Every item of some alternatives, before those that it is made of."""
    pending = _row(options)
    while pending:
        item = pending.pop()
        yield item
        if isinstance(item, Group):
            pending += _row(item.options)
        elif isinstance(item, Repeat):
            pending.append(item.item)


def _row(options: Iterable[Sequence]) -> list[Item]:
    """The items of some alternatives, the first one last."""
    return [item for option in options for item in option.items][::-1]


def references(options: Iterable[Sequence]) -> Iterator[RuleRef]:
    """Every reference to a rule in some alternatives."""
    return (item for item in items(options) if isinstance(item, RuleRef))


def reachable(rules: Mapping[str, Rule], root: str) -> list[str]:
    """The names of the rules that a rule leads to, itself first, without undefined ones."""
    found = {root: None} if root in rules else {}
    pending = list(found)
    while pending:
        for ref in references(rules[pending.pop()].options):
            if ref.name in rules and ref.name not in found:
                found[ref.name] = None
                pending.append(ref.name)
    return list(found)


_PLAIN = {ord("\t"): "\\t", ord("\r"): "\\r", ord("\n"): "\\n", ord("\\"): "\\\\"}
_RUNNING_ON = re.compile(r"\\(?:x([0-9A-F]{2})(?=[0-9A-Fa-f])|.)")
_SUFFIXES = {(0, None): "*", (1, None): "+", (0, 1): "?"}


def write(rules: Iterable[Rule], comments: Iterable[str] = ()) -> str:
    """The text of some rules: a line each, their comments above them."""
    lines = [line for rule in rules for line in (*map(_comment, rule.comments), rule_text(rule))]
    lines += map(_comment, comments)
    return "".join(f"{line}\n" for line in lines)


def rule_text(rule: Rule) -> str:
    """`name ::= a | b`."""
    return f"{rule.name} ::= {options_text(rule.options)}"


def options_text(options: Iterable[Sequence]) -> str:
    """Alternatives; the empty one is `""`, as nothing would be hard to see."""
    return " | ".join(sequence_text(option) or '""' for option in options)


def sequence_text(sequence: Sequence) -> str:
    """Items with spaces between them."""
    return " ".join(map(item_text, sequence.items))


def item_text(item: Item) -> str:
    """One item."""
    return _WRITERS[type(item)](item)


def _literal(item: Literal) -> str:
    return _apart(f'"{"".join(_character(code, _QUOTED) for code in item.codes)}"')


def _class(item: CharClass) -> str:
    ranges = [_range(low, high) for low, high in item.ranges]
    for end in {0, len(ranges) - 1} if ranges else ():
        if item.ranges[end] == (_HYPHEN, _HYPHEN):
            ranges[end] = "-"  # at either end it needs no escape
    return _apart(f"[{'^' if item.negated else ''}{''.join(ranges)}]")


def _token(item: TokenRef) -> str:
    said = item.text if item.id is None else f"<[{item.id}]>"
    return f"{'!' if item.negated else ''}{said}"


def _repeat(item: Repeat) -> str:
    return item_text(item.item) + suffix(item.min, item.max)


_WRITERS: dict[type, Callable[[Any], str]] = {
    Literal: _literal,
    CharClass: _class,
    AnyChar: lambda _: ".",
    RuleRef: lambda item: item.name,
    TokenRef: _token,
    Group: lambda item: f"({options_text(item.options)})",
    Repeat: _repeat,
}


def quoted(text: str) -> str:
    """A string as a literal spells it, but without the quotes and without escapes of quotes."""
    return _literal(Literal(tuple(map(ord, text))))[1:-1].replace('\\"', '"')


def suffix(least: int, most: int | None) -> str:
    """The suffix of a repeated item: `*`, `+`, `?` or numbers in braces."""
    known = _SUFFIXES.get((least, most))
    if known:
        return known
    if most == least:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


_QUOTED = {**_PLAIN, ord('"'): '\\"'}
_HYPHEN = ord("-")
_IN_CLASS = {**_PLAIN, ord("["): "\\[", ord("]"): "\\]", _HYPHEN: "\\x2D", ord("^"): "\\x5E"}
"""Hyphens without `\\-`, which older versions of llama.cpp do not know."""


def _range(low: int, high: int) -> str:
    return _character(low, _IN_CLASS) + (f"-{_character(high, _IN_CLASS)}" if high != low else "")


def _character(code: int, spelled: dict[int, str]) -> str:
    """A code point: as itself where one sees what it is, else as an escape."""
    if code in spelled:
        return spelled[code]
    if code <= LAST and chr(code).isprintable():
        return chr(code)
    if code <= 0xFF:  # noqa: PLR2004 - two digits
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 - four digits


def _apart(text: str) -> str:
    """Write escapes of two digits with four before another digit: xgrammar would include it."""
    return _RUNNING_ON.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], text)


def _comment(text: str) -> str:
    return f"# {text}".rstrip()
