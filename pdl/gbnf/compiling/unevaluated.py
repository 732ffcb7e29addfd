"""`unevaluatedProperties` and `unevaluatedItems`: about what no other keyword has looked at.

Source: JSON Schema Core 2020-12, section 11. A shape has decided which schemas a value satisfies,
so that the keys and items that they look at are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.claims import Claim, Contains, ItemRule, KeyRule, Keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.compiling.document import Document
    from pdl.gbnf.compiling.way import Scopes, Way


def settle(way: Way, document: Document) -> None:
    """Turn what a way says of unevaluated parts into rules, the innermost schemas first."""
    for fact, scopes in sorted(way.unevaluated, key=lambda one: -len(one[1])):
        looked = [one for within, one in way.looked if fact.pointer in within]
        if fact.what == "properties":
            _properties(way, looked, fact.claim, scopes - {fact.pointer})
        else:
            _items(way, looked, fact.claim, scopes - {fact.pointer}, document)
    way.unevaluated.clear()


def _properties(way: Way, looked: Iterable[object], claim: Claim | None, scopes: Scopes) -> None:
    keys = [one.keys for one in looked if isinstance(one, KeyRule) and one.keys.unlike is None]
    names = frozenset(name for one in keys if one.among for name in one.names)
    patterns = tuple(
        dict.fromkeys(pattern for one in keys if one.among for pattern in one.patterns)
    )
    if all(one.among for one in keys):
        way.add(KeyRule(Keys(names, patterns, among=False), claim), scopes)


def _items(
    way: Way,
    looked: Iterable[object],
    claim: Claim | None,
    scopes: Scopes,
    document: Document,
) -> None:
    rules = [one for one in looked if isinstance(one, ItemRule)]
    if any(one.stop is None for one in rules):
        return
    start = max((one.stop or 0 for one in rules), default=0)
    contained = [one.claim for one in looked if isinstance(one, Contains) and one.claim.holds]
    if contained:
        rest = [{"$ref": one.pointer} for one in contained]
        rest += [] if claim is None else [{"$ref": claim.pointer}]
        claim = Claim(document.add("#/unevaluatedItems", {"anyOf": rest}))
    way.add(ItemRule(start, None, claim), scopes)
