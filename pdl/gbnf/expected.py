"""What can follow at a configuration: the expected items in words, and the rules around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import LAST, AnyChar, CharClass, Item, Literal, TokenRef, item_text, quoted
from pdl.gbnf.utf8 import normal, overlap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.edges import Origin
    from pdl.gbnf.gss import Node, ReturnEdge
    from pdl.gbnf.matcher import Configuration
    from pdl.gbnf.rtn import Rtn


_LITERAL_SHOWN = 24  # characters of a literal
_NAMED = {
    "0-9": "a digit",
    "1-9": "a digit from 1 to 9",
    "a-z": "a lowercase letter",
    "A-Z": "an uppercase letter",
    "A-Za-z": "a letter",
    "0-9A-Za-z": "a letter or a digit",
    "0-9A-Z_a-z": "a letter, a digit or `_`",
    "0-9A-Fa-f": "a hexadecimal digit",
    "0-9a-f": "a hexadecimal digit",
    "\t\n ": "whitespace", "\t ": "whitespace", "\t\n\r ": "whitespace",
    "\t-\n\r ": "whitespace", "\t-\n ": "whitespace",
    " ": "a space", "\n": "a newline", "\t": "a tab",
}  # fmt: skip
_MOST = 400  # items that are looked at
_RANGES = 20  # of a class that is compared with others
_WALKED = 1_000_000  # nodes that are looked at for the rules around a place


def expected_at(rtn: Rtn, here: Configuration) -> tuple[str, ...]:
    """Describe what is expected at a configuration, each once, in the order of the grammar."""
    states = sorted({state for state, _ in here.items}, key=rtn.place)[:_MOST]
    origins = [one for state in states if (one := rtn.moves.origin(state))]
    origins.sort(key=lambda origin: (origin.item.start, origin.done))
    found = dict.fromkeys(map(described, _merged(origins)))
    if len(origins) < len(states):
        found["the rest of a character"] = None
    if here.complete:
        found["the end"] = None
    return tuple(found)


def _merged(origins: list[Origin]) -> list[Origin]:
    """Items, with overlapping classes as one class, in the place of the first."""
    found: list[Origin] = []
    for origin in origins:
        item, at = origin.item, len(found)
        if isinstance(item, CharClass) and _is_short(item):
            met = [index for index, one in enumerate(found) if _meets(one.item, item)]
            parts = [one for index in met if isinstance(one := found[index].item, CharClass)]
            if met:
                item = CharClass(normal(range_ for one in (*parts, item) for range_ in one.ranges))
                at = met[0]
            found = [one for index, one in enumerate(found) if index not in met]
        found.insert(at, origin._replace(item=item))
    return found


def _meets(one: Item, other: CharClass) -> bool:
    """Whether an item is a class that overlaps another one."""
    if not isinstance(one, CharClass) or not _is_short(one):
        return False
    return overlap(normal(one.ranges), normal(other.ranges))


def _is_short(item: CharClass) -> bool:
    return not item.negated and len(item.ranges) <= _RANGES


def described(origin: Origin) -> str:
    """Describe an item, or the rest of it."""
    item = origin.item
    if isinstance(item, Literal):
        rest = Literal(item.codes[origin.done :]).text
        if rest in _NAMED:
            return _NAMED[rest]
        return f"`{quoted(rest[:_LITERAL_SHOWN])}{'…' if len(rest) > _LITERAL_SHOWN else ''}`"
    if isinstance(item, CharClass):
        return _class(item)
    if isinstance(item, AnyChar):
        return "any character"
    if isinstance(item, TokenRef):
        return (
            f"{'any token except' if item.negated else 'the token'} {item_text(item).lstrip('!')}"
        )
    return f"`{item_text(item)}`"


def _class(item: CharClass) -> str:
    ranges = normal(item.ranges)
    spelled = "".join(
        chr(low) if low == high else f"{chr(low)}-{chr(high)}"
        for low, high in ranges
        if high <= LAST
    )
    if not item.negated and spelled in _NAMED:
        return _NAMED[spelled]
    singles = all(low == high for low, high in ranges) and len(ranges) <= 4  # noqa: PLR2004 - few
    if item.negated and singles:
        names = [_NAMED.get(chr(low)) or f"`{quoted(chr(low))}`" for low, _ in ranges]
        return f"any character except {' and '.join(names)}"
    return f"one of `{item_text(item)}`"


def rules_at(rtn: Rtn, here: Configuration) -> tuple[str, ...]:
    """Return the names of the rules around the first item, from the root on.

    Of several parses, it is the one through the lowest states.
    """
    names: list[str] = []
    places: Iterable[ReturnEdge] = here.items
    looked = 0
    while places and looked < _WALKED:
        state = min((state for state, _ in places), key=rtn.place)
        names.append(rtn.rule_of(state))
        nodes = {node for one, node in places if one == state and node is not None}
        places, seen = _waiting(nodes)
        places = [one for one in places if one[1] is not None]
        looked += seen
    return tuple(names[::-1]) if not places else ("…", *names[::-1])


def _waiting(nodes: set[Node]) -> tuple[list[ReturnEdge], int]:
    """Everything that waits for the end of some rules, and how many nodes were visited."""
    pending = list(nodes)
    seen = set(nodes)
    found: list[ReturnEdge] = []
    while pending and len(seen) < _WALKED:
        one = pending.pop()
        found += one.return_edges
        fresh = [link for link in one.links if link not in seen]
        seen.update(fresh)
        pending += fresh
    return found, len(seen)
