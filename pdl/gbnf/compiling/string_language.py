"""The strings of a conjunct, as a language of code points."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

from pdl.automata import build
from pdl.automata.dfa import DEFAULT_BUDGET
from pdl.automata.formats import Fit, format_of
from pdl.automata.pattern import Irregular, pattern
from pdl.errors import LimitError
from pdl.gbnf.compiling.machine import MOST_COUNTED, Lengths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.automata.dfa import Budget, Dfa
    from pdl.gbnf.compiling.constraints import StringAtom
    from pdl.gbnf.compiling.options import Note


def strings(
    atoms: Iterable[StringAtom], note: Note, budget: Budget = DEFAULT_BUDGET
) -> Dfa | Lengths | None:
    """The strings that satisfy some atoms, except for what is reported to `note`; None: none do.

    Atoms are taken one by one, those that leave the fewest strings first.
    """
    found: Dfa | None = None
    bounds = Lengths()
    for atom in sorted(atoms, key=_rank):
        if atom.keyword in ("minLength", "maxLength"):
            bounds = _narrowed(bounds, atom)
            continue
        language = _language(atom, note, budget)
        if language is not None:
            found = (
                language if found is None else _both(found, language, atom.keyword, note, budget)
            )
    if bounds.most is not None and bounds.least > bounds.most:
        return None
    if found is None:
        return _countable(bounds, note)
    if bounds != Lengths():
        keyword = "minLength" if bounds.most is None else "maxLength"
        found = _cut(found, bounds, keyword, note, budget)
    return None if found.is_empty else found


def _countable(bounds: Lengths, note: Note) -> Lengths:
    """Lengths without bounds that no string reaches, and for which llama.cpp needs gigabytes."""
    why = f"characters are counted only up to {MOST_COUNTED:,}"
    if bounds.least > MOST_COUNTED:
        note("minLength", "POST_HOC", why)
        bounds = Lengths(MOST_COUNTED, bounds.most)
    if bounds.most is not None and bounds.most > MOST_COUNTED:
        note("maxLength", "POST_HOC", why)
        bounds = Lengths(bounds.least)
    return bounds


def union(
    parts: Iterable[Dfa | Lengths | None], budget: Budget = DEFAULT_BUDGET
) -> Dfa | Lengths | None:
    """The strings of any of the parts."""
    told = [part for part in dict.fromkeys(parts) if part is not None]
    if len(told) < 2:  # noqa: PLR2004 - nothing to join
        return told[0] if told else None
    lengths = [part for part in told if isinstance(part, Lengths)]
    joined = _joined(lengths)
    if joined == Lengths() or (joined and len(lengths) == len(told)):
        return joined
    return build.union(*map(as_dfa, told), budget=budget)


def as_dfa(language: Dfa | Lengths) -> Dfa:
    """The same as an automaton. Raises LimitError if it has too many states."""
    if isinstance(language, Lengths):
        return _lengths(language.least, language.most)
    return language


@lru_cache(maxsize=128)
def _lengths(least: int, most: int | None) -> Dfa:
    return build.lengths(least, most)


def _joined(lengths: list[Lengths]) -> Lengths | None:
    """One range of lengths for several, if they leave no gap."""
    if not lengths:
        return None
    first, *rest = sorted(lengths, key=lambda one: one.least)
    for one in rest:
        if first.most is None:
            break
        if one.least > first.most + 1:
            return None
        most = None if one.most is None else max(one.most, first.most)
        first = Lengths(first.least, most)
    return first


def _rank(atom: StringAtom) -> tuple[bool, int]:
    order = ("enum", "pattern", "format", "minLength", "maxLength")
    return not atom.positive, order.index(atom.keyword)


def _narrowed(bounds: Lengths, atom: StringAtom) -> Lengths:
    """`bounds` with one more; the opposite of a lower bound is an upper one."""
    value = int(cast("int", atom.value))
    if (atom.keyword == "minLength") == atom.positive:
        return Lengths(max(bounds.least, value if atom.positive else value + 1), bounds.most)
    most = value if atom.positive else value - 1
    return Lengths(bounds.least, most if bounds.most is None else min(bounds.most, most))


def _language(atom: StringAtom, note: Note, budget: Budget) -> Dfa | None:
    """The strings of one atom; None if there is nothing to be said of them."""
    try:
        if atom.keyword == "format":
            return _format(atom, note, budget)
        if atom.keyword == "enum":
            language = build.words(cast("frozenset[str]", atom.value))
        else:
            language = pattern(cast("str", atom.value), budget=budget)
        return language if atom.positive else build.complement(language, budget=budget)
    except Irregular as error:
        note(atom.keyword, "POST_HOC", str(error))
    except LimitError as error:
        note(atom.keyword, "POST_HOC", error.problems[0].message)
    return None


def _format(atom: StringAtom, note: Note, budget: Budget) -> Dfa | None:
    """The strings of a format, or those that are not of it."""
    name = cast("str", atom.value)
    known = format_of(name)
    if known is None:
        return None
    rare = f"rare strings of the format `{name}` are excluded"
    more = f"a grammar can't express some rules of the format `{name}`"
    if atom.positive:
        if known.fit is not Fit.EXACT:
            narrower = known.fit is Fit.NARROWER
            note("format", "BOUNDED" if narrower else "POST_HOC", rare if narrower else more)
        return known.dfa
    if known.fit is not Fit.EXACT:
        note("format", "POST_HOC", more)
    return None if known.fit is Fit.WIDER else build.complement(known.dfa, budget=budget)


def _both(one: Dfa, other: Dfa, keyword: str, note: Note, budget: Budget) -> Dfa:
    try:
        return build.intersection(one, other, budget=budget)
    except LimitError as error:
        note(keyword, "POST_HOC", error.problems[0].message)
        return one


def _cut(found: Dfa, bounds: Lengths, keyword: str, note: Note, budget: Budget) -> Dfa:
    """The strings of a language that have some length."""
    try:
        return build.intersection(found, as_dfa(bounds), budget=budget)
    except LimitError as error:
        note(keyword, "POST_HOC", error.problems[0].message)
        return found
