"""From a grammar to its text, which reads back as the same grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pdl.gbnf.nodes import (
    LAST,
    AnyChar,
    CharClass,
    Group,
    Literal,
    Repeat,
    RuleRef,
    TokenRef,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.gbnf.nodes import Item, Rule, Sequence

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
    """Items with blanks between them."""
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


def suffix(least: int, most: int | None) -> str:
    """What stands behind the item that is repeated: `*`, `+`, `?` or numbers in braces."""
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
    """Four digits for an escape of two with another digit behind it, which xgrammar reads on to."""
    return _RUNNING_ON.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], text)


def _comment(text: str) -> str:
    return f"# {text}".rstrip()
