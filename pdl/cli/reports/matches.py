"""How texts fared against a grammar: for people, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdl.cli.reports.json_text import json_document
from pdl.errors import Problem
from pdl.gbnf.state import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.cli.matching import Matched
    from pdl.cli.screen import Screen

_EXPECTED = 12  # ways to go on that are told; JSON has them all
_FIRST_RULES, _LAST_RULES = 3, 7
_NAMED = {"\n": "a line end", "\r": "a carriage return", "\t": "a tab", " ": "a blank"}


def matches_text(found: Sequence[Matched], screen: Screen) -> str:
    """A line for each text that is ok; place, character and what was expected for another."""
    return "\n".join(_told(one, screen) for one in found)


def _told(one: Matched, screen: Screen) -> str:
    if one.ok:
        name = screen.style(screen.safe(one.text.name), "strong")
        return f"{name}: {screen.safe(_fine(one))}"
    message = f"found {_found(one)}, expected {_either(one.expected) or 'nothing'}"
    problem = Problem("gbnf/no-match", message, one.text.source.span(one.place), one.hint)
    label = f"{screen.style('no match:', 'error')} "
    return screen.problem(problem, label, [("in", _path(one.rules))] if one.rules else [])


def _fine(one: Matched) -> str:
    """That it is ok; of a beginning also what may follow."""
    further = _either(words for words in one.expected if words != "the end")
    if not one.prefix:
        return "ok"
    if one.complete:
        return f"ok, the text may end here{f' or go on with {further}' if further else ''}"
    return f"ok so far, next comes {further}" if further else "ok so far, but nothing can follow"


def _found(one: Matched) -> str:
    """The character that cannot stand there, or the end of the text."""
    if one.found is None:
        return "the end of the text"
    if one.bad_byte is not None:
        return f"the byte {one.bad_byte:#04x}, which is no UTF-8"
    if one.found in _NAMED:
        return _NAMED[one.found]
    return f"`{one.found}`" if one.found.isprintable() else f"the character U+{ord(one.found):04X}"


def _either(words: Iterable[str]) -> str:
    """The first of some words, joined by commas and `or`."""
    known = tuple(words)
    more = len(known) - _EXPECTED
    return listed([*known[:_EXPECTED], f"{more:,} other ways"] if more > 0 else known)


def _path(rules: Sequence[str]) -> str:
    """The rules from the root on; amid many, those that are far from both ends are left out."""
    if len(rules) > _FIRST_RULES + _LAST_RULES:
        hidden = len(rules) - _FIRST_RULES - _LAST_RULES
        rules = [*rules[:_FIRST_RULES], f"… {hidden:,} more …", *rules[-_LAST_RULES:]]
    return " > ".join(rules)


def matches_json(found: Sequence[Matched]) -> str:
    """A list of objects, one for each text."""
    return json_document([_fields(one) for one in found])


def _fields(one: Matched) -> dict[str, Any]:
    line, column = one.text.source.position(one.place)
    return {
        "path": one.text.source.name,
        "ok": one.ok,
        "complete": one.complete,
        "position": one.position,
        "character": one.character,
        "line": line,
        "column": column,
        "found": one.found,
        "found_byte": one.bad_byte,
        "expected": list(one.expected),
        "rules": list(one.rules),
    }


def tally(found: Sequence[Matched]) -> str:
    """One line that counts: `3 texts: 2 match, 1 does not`."""
    good = sum(one.ok for one in found)
    bad = len(found) - good
    said = f"{len(found):,} texts: {good:,} match{'es' if good == 1 else ''}"
    return f"{said}, {bad:,} do{'es' if bad == 1 else ''} not" if bad else said
