"""Names of rules: made from the paths of the schemas that they are for, each once, as GBNF allows.

A wish is the name that a rule would have if nothing else had it. `renamed` gives rules other names,
so that those of several grammars can be in one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Group, Repeat, Rule, RuleRef, Sequence
from pdl.schema.keywords import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.compiling.constraints import Conjunction
    from pdl.gbnf.nodes import Item


GENERIC = (
    "root", "value", "object", "array", "string", "number", "integer", "boolean", "null", "ws",
    "char", "escape", "hex",
)  # fmt: skip
"""Names that mean the same in each grammar."""

_OTHER = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_NAME = 60


def valid(wish: str) -> str:
    """A name that is like a wish: letters, digits and hyphens, not too many; first a letter.

    A digit may begin a name in llama.cpp, but not in xgrammar.
    """
    name = _OTHER.sub("-", wish).strip("-")
    if not name[:1].isalpha():
        name = f"rule-{name}"
    return name[:_LONGEST_NAME].rstrip("-")


def short(wish: str) -> str:
    """The last word of a wish: what the parts of a rule are called like."""
    return valid(wish).rpartition("-")[2]


class Names:
    """Gives names: a number is added to those that are taken."""

    def __init__(self) -> None:
        self._taken = set(GENERIC)
        self._next: dict[str, int] = {}

    def give(self, wish: str) -> str:
        """A name that nothing else has."""
        name = base = valid(wish)
        while name in self._taken:
            number = self._next.get(base, 2)
            self._next[base] = number + 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


_SILENT = frozenset(
    {"properties", "$defs", "allOf", "anyOf", "oneOf", "prefixItems", "patternProperties"}
)
_SAID = {"items": "item", "additionalProperties": "value", "unevaluatedProperties": "value"}
_KEPT = 3  # steps of a path that a name has
_ODD = re.compile(r"[^A-Za-z0-9]+")


def wish(goal: Conjunction) -> str:
    """What a rule for a goal may be called: `person-age`."""
    if not goal:
        return "value"
    path = [str(step) for step in steps(goal[0].pointer)]
    said: list[str] = []
    at = 0
    while at < len(path):
        step = path[at]
        if step in _SILENT and at + 1 < len(path):
            at += 1
            if step == "$defs":
                said.clear()
            said.append(path[at])
        else:
            said.append(_SAID.get(step, step))
        at += 1
    words = (_ODD.sub("-", word).strip("-") for word in said[-_KEPT:])
    return "-".join(word for word in words if word) or "root"


def free_name(wish: str, taken: set[str]) -> str:
    """A name that is like a wish and not taken; now it is."""
    name = base = valid(wish)
    number = 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name


def renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    """A rule in which some rules have other names; it has no place any more."""
    options = tuple(_sequence(option, names) for option in rule.options)
    return Rule(names.get(rule.name, rule.name), options, rule.comments)


def _sequence(sequence: Sequence, names: Mapping[str, str]) -> Sequence:
    return Sequence(tuple(_item(item, names) for item in sequence.items))


def _item(item: Item, names: Mapping[str, str]) -> Item:
    """An item; groups nest no deeper than `Limits.grammar_depth`."""
    if isinstance(item, RuleRef):
        return RuleRef(names.get(item.name, item.name))
    if isinstance(item, Repeat):
        return Repeat(_item(item.item, names), item.min, item.max)
    if isinstance(item, Group):
        return Group(tuple(_sequence(option, names) for option in item.options))
    return item
