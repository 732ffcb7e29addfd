"""Random grammars and texts, each beside the real llama.cpp: how many there were, what differs.

    PYTHONPATH=tests python benchmarks/gbnf_differential.py [PAIRS] [SEED]

Each grammar is read by both and, where both take it, matched with texts that walk through it, that
it generates, and that miss by one edit: whether they match, and at which code point not. llama.cpp
must also take the same texts with the grammar as pdl writes it, and as it optimizes it. What
differs on purpose is counted apart: hidden left recursion is an error here and makes llama.cpp run
out of memory. Texts on which llama.cpp has hundreds of live stacks are left out: the next character
may take it minutes.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from grammars import SMALL, WIDE, Style, written
from llama import Llama, TooManyStacksError, llama
from walks import walk

import pdl
from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.gbnf import Grammar

ODD = Style(
    literals=("a", "b", "", "é"),
    classes=("[ab]", "[]", "[^]", "[b-a]", "."),
    suffixes=("*", "+", "?", "{2}", "{0,2}", "{0}"),
)
"""More of what is refused: counts that multiply, and what may be empty."""
STYLES = (WIDE, WIDE, SMALL, ODD)
PAIRS = 20_000
STACKS = 400


def texts(grammar: Grammar, rng: Random) -> Iterator[str]:
    """Some texts that match and some that do not."""
    for _ in range(6):
        yield walk(grammar, rng)
    try:
        yield grammar.generate(rng, size=30)
        yield from grammar.near_misses(rng, 2, size=20)
    except pdl.GrammarError:  # it matches nothing
        return


def judged(grammar: Grammar, said: list[str], judge: Llama, counts: Counter[str]) -> None:
    """Compare what both say of some texts: whether they match, and where they stop to."""
    for one in said:
        try:
            ok, taken, _ = judge.match(one, limit=STACKS)
        except TooManyStacksError:
            counts[f"texts left out: over {STACKS} live stacks in llama.cpp"] += 1
            continue
        match = grammar.match(one)
        counts["pairs"] += 1
        counts["texts that both take"] += ok and match.ok
        counts["texts that both refuse"] += not ok and not match.ok
        if (match.ok, match.character) != (ok, taken):
            differs(counts, f"{str(grammar)!r} with {one!r}: {match!r}, llama.cpp {(ok, taken)}")


def rewritten(grammar: Grammar, said: list[str], counts: Counter[str]) -> None:
    """llama.cpp must take the same texts with what pdl writes, and with what it optimizes."""
    for kind, one in ("written", grammar), ("optimized", grammar.optimize()):
        with llama(str(one)) as judge:
            if judge is None:
                differs(counts, f"refused as {kind}: {str(one)!r}")
                continue
            for text in said:
                with suppress(TooManyStacksError):
                    ok, *_ = judge.match(text, limit=STACKS)
                    counts[f"texts of {kind} grammars"] += 1
                    if ok != bool(grammar.match(text)):
                        differs(counts, f"{kind}: {str(one)!r} of {str(grammar)!r} with {text!r}")


def differs(counts: Counter[str], what: str) -> None:
    """Print and count a difference."""
    counts["differences"] += 1
    print(f"differs: {what}")


def compared(text: str, rng: Random, counts: Counter[str]) -> None:
    """Compare what both read of a grammar, and what it matches."""
    try:
        grammar = gbnf.parse(text)
    except pdl.GrammarError as error:
        if "hidden left" in str(error):
            counts["grammars with hidden left recursion, not given to llama.cpp"] += 1
            return
        with llama(text) as judge:
            counts["grammars that both refuse"] += judge is None
            if judge is not None:
                differs(counts, f"only llama.cpp takes {text!r}: {error}")
        return
    with llama(text) as judge:
        if judge is None:
            differs(counts, f"only pdl takes {text!r}")
            return
        counts["grammars that both take"] += 1
        said = list(texts(grammar, rng))
        judged(grammar, said, judge, counts)
    rewritten(grammar, said, counts)


def quiet() -> None:
    """Keep what llama.cpp prints of grammars that it refuses away from the terminal."""
    sys.stderr = os.fdopen(os.dup(2), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def main(pairs: int, seed: int) -> None:
    """Compare until there are enough pairs."""
    quiet()
    counts: Counter[str] = Counter(differences=0)
    start = time.perf_counter()
    for number in count(seed):
        rng = Random(number)  # noqa: S311
        compared(written(rng, rng.choice(STYLES)), rng, counts)
        if counts["pairs"] >= pairs:
            break
    for name, found in sorted(counts.items()):
        print(f"{name}: {found:,}")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    wanted = [int(word) for word in sys.argv[1:]]
    main(*(wanted + [PAIRS, 1][len(wanted) :]))
