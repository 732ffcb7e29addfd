"""What the optimizer works on: sequences of parts, each an atom and how often it comes.

Literals are cut into code points here, so that alternatives can share a beginning inside them, and
a part that comes several times in a row is one with a count. Atoms hash once: trees are compared
all the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdl.gbnf.build import MOST
from pdl.gbnf.nodes import AnyChar, CharClass, Literal, RuleRef, TokenRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Choice:
    """Alternatives; the empty one, if there is one, is the last.

    `symbols` is the most that llama.cpp makes of it (see `pdl.gbnf.symbols`), `depth` how deep
    groups nest, this one included, `size` how many parts there are. `named` says whether rules are
    named in it, `normal` that it is known to be in normal form.
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
