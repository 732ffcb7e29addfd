"""Texts of a grammar: random ones, the shortest, all in order, and some that just miss."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pdl.gbnf.generate import drawn
from pdl.gbnf.generate.drawn import alphabet, edited
from pdl.gbnf.generate.ordered import Ordered, ensure_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pdl.gbnf.grammar import Grammar

__all__ = ["generate", "near_misses", "shortest", "texts"]

_TRIES = 300  # texts in a row that are no near miss, before there are taken to be no more


def generate(grammar: Grammar, rng: Random, size: int) -> str:
    """See `Grammar.generate`."""
    _check(rng)
    _check_count("size", size)
    ensure_text(grammar.plan.root, grammar.source, grammar.limits)
    return drawn.drawn(grammar.plan.root, rng, size)


def shortest(grammar: Grammar) -> str:
    """See `Grammar.shortest`."""
    ensure_text(grammar.plan.root, grammar.source, grammar.limits)
    return drawn.shortest(grammar.plan.root)


def texts(grammar: Grammar, limit: int | None) -> Iterator[str]:
    """See `Grammar.texts`."""
    if limit is not None:
        _check_count("limit", limit)
    return islice(Ordered(grammar.matcher, grammar.plan).texts(grammar.limits), limit)


def near_misses(grammar: Grammar, rng: Random, count: int, size: int) -> Iterator[str]:
    """See `Grammar.near_misses`."""
    _check(rng)
    _check_count("count", count)
    _check_count("size", size)
    return _misses(grammar, rng, count, size)


def _misses(grammar: Grammar, rng: Random, count: int, size: int) -> Iterator[str]:
    letters = alphabet(grammar.rule.values())
    known: set[str] = set()
    tries = 0
    while len(known) < count and tries < _TRIES:
        text = edited(generate(grammar, rng, size), rng, letters)
        tries += 1
        if text not in known and not grammar.start().accept(text).is_complete:
            known.add(text)
            tries = 0
            yield text


def _check(rng: object) -> None:
    """Raise TypeError for what is no `random.Random`, such as a seed."""
    if not callable(getattr(rng, "randrange", None)):
        raise TypeError(f"rng must be a random.Random, not {type(rng).__name__}")


def _check_count(name: str, count: object) -> None:
    """Raise TypeError for what is no whole number, ValueError for one below zero."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"{name} must be an int, not {type(count).__name__}")
    if count < 0:
        raise ValueError(f"{name} must be 0 or more, not {count}")
