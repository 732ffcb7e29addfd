"""How long the masks of a grammar take."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from pdl.cli.masking import Watch
from pdl.cli.tracing import spelled
from pdl.masks import Masker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.cli.masking import MaskOrigin
    from pdl.gbnf import Grammar
    from pdl.masks.protocol import TokenState

_LIMITS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000)


@dataclass(frozen=True)
class Timing:
    """Milliseconds of each step, and microseconds of each mask with the token that was taken."""

    tokens: int
    texts: int
    vocabulary: float
    grammar: float
    masker: float
    first: float
    masks: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the masks."""
        return sum(self.masks) / len(self.masks)

    def percentile(self, percent: int) -> float:
        """What so many of a hundred masks took at most."""
        return sorted(self.masks)[min(len(self.masks) - 1, len(self.masks) * percent // 100)]

    def histogram(self) -> Sequence[tuple[float, int]]:
        """How many masks took less than a time, and no less than the one before."""
        found: list[tuple[float, int]] = []
        below = 0
        for limit in (*_LIMITS, float("inf")):
            held = sum(mask < limit for mask in self.masks)
            if held > below:
                found.append((min(limit, max(self.masks) + 1), held - below))
            below = held
        return found


def timed(origin: MaskOrigin, texts: Iterable[bytes] | None, count: int, seed: int) -> Timing:
    """Time the masks along some texts; along random ones of the grammar, if there are none."""
    watch = Watch()
    vocabulary = origin.vocabulary()
    read = watch.lap()
    grammar = origin.grammar()
    made = watch.lap()
    masker = Masker(grammar, vocabulary)
    ready = watch.lap()
    masker.start().bitmask()
    first = watch.lap()
    held = list(texts) if texts is not None else _drawn(grammar, count, seed)
    masks = [one for text in held for one in _along(masker, spelled(text, vocabulary))]
    return Timing(len(vocabulary), len(held), read, made, ready, first, tuple(masks))


def _drawn(grammar: Grammar, count: int, seed: int) -> list[bytes]:
    from random import Random  # noqa: PLC0415 - only where no text is given

    rng = Random(seed)  # noqa: S311 - texts to try
    return [grammar.generate(rng).encode() for _ in range(count)]


def _along(masker: Masker, tokens: Iterable[int]) -> Iterable[float]:
    """The microseconds of each mask along some tokens, that of the end included."""
    here: TokenState = masker.start()
    for token in tokens:
        start = perf_counter()
        here.bitmask()
        here = here.accept(token)
        yield (perf_counter() - start) * 1e6
    start = perf_counter()
    here.bitmask()
    yield (perf_counter() - start) * 1e6
