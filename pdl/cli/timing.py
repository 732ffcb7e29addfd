"""How long the masks of a grammar take."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from pdl.cli.masking import Watch
from pdl.cli.matching import Text
from pdl.cli.tracing import refused, spelled
from pdl.errors import TokenError
from pdl.masks import Masker
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


def timed(origin: MaskOrigin, texts: Sequence[Text], count: int, seed: int) -> Timing:
    """Time the masks along some texts; along random ones of the grammar, if there are none.

    Raises TokenError for a text that does not match, and what the origin raises.
    """
    watch = Watch()
    vocabulary = origin.vocabulary()
    read = watch.lap()
    grammar = origin.grammar()
    made = watch.lap()
    masker = Masker(grammar, vocabulary)
    ready = watch.lap()
    masker.start().bitmask()
    first = watch.lap()
    held = texts or _drawn(grammar, count, seed)
    masks = [one for text in held for one in _along(masker, text)]
    return Timing(len(vocabulary), len(held), read, made, ready, first, tuple(masks))


def _drawn(grammar: Grammar, count: int, seed: int) -> list[Text]:
    from random import Random  # noqa: PLC0415 - only where no text is given

    rng = Random(seed)  # noqa: S311 - texts to try
    drawn = (Source(grammar.generate(rng), f"<random text {n + 1}>") for n in range(count))
    return [Text(source.text.encode(), source) for source in drawn]


def _along(masker: Masker, text: Text) -> Iterator[float]:
    """The microseconds of each mask along the tokens of a text, that of the end included."""
    here: TokenState = masker.start()
    at = 0
    for token in spelled(text, masker.vocabulary):
        start = perf_counter()
        here.bitmask()
        try:
            here = here.accept(token)
        except TokenError as error:
            raise refused(masker, here, text, token, at) from error
        yield (perf_counter() - start) * 1e6
        at += len(masker.vocabulary.tokens[token])
    start = perf_counter()
    here.bitmask()
    yield (perf_counter() - start) * 1e6
