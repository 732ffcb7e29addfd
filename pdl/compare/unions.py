"""Which alternatives of two unions belong together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pdl.compare.nodes import constants, key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.compare.nodes import Branch


class Matched(NamedTuple):
    """Pairs of alternatives, each with words that tell it from the others; and those alone."""

    pairs: list[tuple[Branch, Branch, str]]
    removed: list[Branch]
    added: list[Branch]


def matched(old: Iterable[Branch], new: Iterable[Branch]) -> Matched:
    """Pair alternatives: equal ones, by a constant, by the name of a definition, by type."""
    olds, news = list(old), list(new)
    tag = _tag(olds, news)
    found: list[tuple[Branch, Branch]] = []
    ways: tuple[Callable[[Branch], str], ...] = (
        lambda one: key({"kind": one.kind, **one.node}),
        lambda one: constants(one).get(tag, "") if tag else "",
        lambda one: one.name,
        lambda one: "number" if one.kind == "integer" else one.kind,
    )
    for way in ways:
        found += _paired(olds, news, way)
    pairs = [(one, other, _where(one, other, tag)) for one, other in found]
    return Matched(pairs, olds, news)


def _paired(
    olds: list[Branch], news: list[Branch], way: Callable[[Branch], str]
) -> list[tuple[Branch, Branch]]:
    """Pairs that agree in one way, and each alone on its side; they are taken off the lists."""
    counts = [Counter(map(way, some)) for some in (olds, news)]
    shared = {one for one in counts[0] if one and counts[0][one] == counts[1].get(one) == 1}
    by_key = {way(one): one for one in news}
    found = [(one, by_key[way(one)]) for one in olds if way(one) in shared]
    olds[:] = [one for one in olds if way(one) not in shared]
    news[:] = [one for one in news if way(one) not in shared]
    return found


def _tag(olds: list[Branch], news: list[Branch]) -> str:
    """The key whose constant distinguishes most of the alternatives, empty if there isn't one."""
    counts = Counter(
        name for some in (olds, news) for one in some if one.kind == "object"
        for name in constants(one)
    )  # fmt: skip
    return max(counts, key=lambda name: (counts[name], name), default="")


def _where(one: Branch, other: Branch, tag: str) -> str:
    """Words that tell which alternative of several objects is meant."""
    told = constants(one).get(tag)
    if one.kind == "object" and told and constants(other).get(tag) == told:
        return f"where `{tag}` is {told}"
    return ""
