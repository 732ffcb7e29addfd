"""What the optimizer works on: sequences of parts, each an atom and how often it comes.

Literals are cut into code points here, so that alternatives can share a beginning inside them, and
a part that comes several times in a row is one with a count; so is a repetition of a repetition,
where the counts allow it. Atoms hash once: trees are compared all the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.nodes import MOST, AnyChar, CharClass, Literal, RuleRef, TokenRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class Choice:
    """Alternatives; the empty one, if there is one, is the last.

    `symbols` is the most that llama.cpp makes of it (see `pdl.gbnf.validation`), `depth` how
    deep groups nest, this one included, `size` how many parts there are. `named` says whether rules
    are named in it, `normal` that it is known to be in normal form.
    """

    __slots__ = ("_hash", "depth", "named", "normal", "options", "size", "symbols")

    def __init__(self, options: Iterable[Seq], *, normal: bool = False) -> None:
        self.options = tuple(options)
        self.normal = normal
        self.named = False
        self._hash = hash(self.options)
        self.symbols, self.depth, self.size = 1, 1, 0
        for option in self.options:
            self.size += len(option)
            for part in option:
                atom = part.atom
                if isinstance(atom, Choice):
                    self.symbols += made(part)
                    self.depth = max(self.depth, 1 + atom.depth)
                    self.size += atom.size
                    self.named = self.named or atom.named
                elif part.low != 1 or part.high != 1 or isinstance(atom, RuleRef):
                    self.symbols += made(part)
                    self.named = self.named or isinstance(atom, RuleRef)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, Choice):
            return self is other
        return self._hash == other._hash and self.options == other.options


Atom: TypeAlias = "Literal | CharClass | AnyChar | RuleRef | TokenRef | Choice"
"""What is counted; a literal of several code points only where these are repeated together."""


class Part(NamedTuple):
    """An atom, `low` to `high` times; no maximum is None."""

    atom: Atom
    low: int = 1
    high: int | None = 1

    @property
    def once(self) -> bool:
        """Whether it comes exactly once."""
        return self.low == 1 == self.high


Seq: TypeAlias = "tuple[Part, ...]"
"""Parts one after the other."""


def made(part: Part) -> int:
    """The most symbols that llama.cpp makes of a part; a name may be new to it."""
    atom, steps = part.atom, 0
    if not part.once:
        steps = 1 if part.high is None else part.high - part.low
    if isinstance(atom, Choice):
        return steps + atom.symbols
    return steps + isinstance(atom, RuleRef)


def fits(atom: Atom, low: int, high: int | None) -> bool:
    """Whether llama.cpp takes a repetition, however many symbols it counts in it."""
    times = high or low or 1
    return (atom.symbols if isinstance(atom, Choice) else 1) * times <= MOST


def codes(literal: Literal) -> Iterator[Part]:
    """A literal's code points as parts."""
    return (letter(code) for code in literal.codes)


def letter(code: int) -> Part:
    """One code point as a part."""
    known = _LETTERS.get(code)
    return known or Part(Literal((code,)))


_LETTERS = {code: Part(Literal((code,))) for code in range(128)}


def same(one: Atom, other: Atom) -> bool:
    """Whether two atoms are equal; quick for those that are compared most."""
    if isinstance(one, Literal) and isinstance(other, Literal):
        return one.codes == other.codes
    return one == other


def named(options: Iterable[Seq]) -> Iterator[tuple[str, bool]]:
    """The names of rules in some alternatives, and whether nothing comes behind them in theirs."""
    for option in options:
        for number, part in enumerate(option, 1):
            atom = part.atom
            if isinstance(atom, RuleRef):
                yield atom.name, number == len(option) and part.high is not None
            elif isinstance(atom, Choice) and atom.named:
                yield from named(atom.options)


def size(options: Iterable[Seq]) -> int:
    """How many parts there are in some alternatives."""
    return sum(
        1 + (part.atom.size if isinstance(part.atom, Choice) else 0)
        for option in options
        for part in option
    )


LONGEST = 16
"""Equal characters in a row that are written one by one."""


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
