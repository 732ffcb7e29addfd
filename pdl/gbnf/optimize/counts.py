"""Counts: of parts in a row, and of repetitions in repetitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.nodes import Literal, RuleRef
from pdl.gbnf.optimize.parts import Choice, Part, codes, fits, letter, same

LONGEST = 16
"""Equal characters in a row that are written one by one."""

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.gbnf.optimize.parts import Seq


def once(part: Part) -> tuple[Seq, ...]:
    """The alternatives of an atom that comes once."""
    atom = part.atom
    if isinstance(atom, Choice):
        return atom.options
    if isinstance(atom, Literal) and len(atom.codes) != 1:
        return (tuple(codes(atom)),)
    return ((Part(atom),),)


def joined(parts: Iterable[Part], simple: Mapping[str, Part]) -> Seq:
    """A sequence in which equal parts that stand side by side are one: `x? x?` is `x{0,2}`.

    `simple` are the rules that are one part; a repetition of such a rule is one of that part, and
    perhaps the rule itself again: with `ws ::= " "*`, `ws ws` is `ws`.
    """
    found = _run(parts)
    if all(part.low == 1 == part.high for part in found):
        return tuple(found)
    unfolded = [_unfolded(part, simple) for part in found]
    return tuple(found if unfolded == found else _run(unfolded))


def _run(parts: Iterable[Part]) -> list[Part]:
    found: list[Part] = []
    last: Part | None = None
    for part in parts:
        both = _together(last, part) if last and same(last.atom, part.atom) else None
        if both:
            found[-1] = last = both
        else:
            found.append(part)
            last = part
    return found


def _together(first: Part, second: Part) -> Part | None:
    """Two parts of the same atom as one, unless llama.cpp would refuse it."""
    atom = first.atom
    low = first.low + second.low
    high = None if first.high is None or second.high is None else first.high + second.high
    return Part(atom, low, high) if fits(atom, low, high) else None


def _unfolded(part: Part, simple: Mapping[str, Part]) -> Part:
    """A repeated rule that is itself one repetition, as one repetition."""
    inner = simple.get(part.atom.name) if isinstance(part.atom, RuleRef) else None
    if inner is None or inner.once or part.once:
        return part
    found = multiplied(inner, part.low, part.high)
    if found == inner:
        return Part(part.atom)
    return found or part


def multiplied(part: Part, low: int, high: int | None) -> Part | None:
    """A repetition of a repetition as one; None if its counts leave gaps or llama.cpp's bounds.

    k times `x{a,b}` are k·a to k·b times x, and k + 1 times go on from there without a gap if
    (k + 1)·a <= k·b + 1, which holds for all k if it does for the first.
    """
    if low != high and part.high is not None and (low + 1) * part.low > low * part.high + 1:
        return None
    if low != high and part.high is None and not low and part.low > 1:
        return None
    least = low * part.low
    most = None if high is None or part.high is None else high * part.high
    return Part(part.atom, least, most) if fits(part.atom, least, most) else None


def repeated(options: tuple[Seq, ...], low: int, high: int | None) -> Seq:
    """Normal alternatives, so many times, as the parts of a sequence."""
    if options and not options[-1]:
        options, low = options[:-1], 0  # (a | ""){m,n} is a{0,n}
    if not options or high == 0:
        return ()
    if low == 1 == high:
        return options[0] if len(options) == 1 else (Part(Choice(options, normal=True)),)
    if len(options) == 1:
        only = options[0]
        found = multiplied(only[0], low, high) if len(only) == 1 else None
        if found:
            return (found,)
        text = spelled(only)
        if text and low == high and len(text) * low <= LONGEST:
            return tuple(map(letter, text)) * low
        if text:
            return (Part(Literal(text), low, high),)
    return (Part(Choice(options, normal=True), low, high),)


def spelled(parts: Seq) -> tuple[int, ...]:
    """The code points of a text that can be one literal; none if it is something else."""
    found: list[int] = []
    for atom, low, high in parts:
        if not isinstance(atom, Literal) or low != high or low * len(atom.codes) > LONGEST:
            return ()
        found += atom.codes * low
    return tuple(found)
