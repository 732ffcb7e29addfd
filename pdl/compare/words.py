"""The difference of two texts in words, and the longest runs that two sequences share.

Anchors are the items that both sequences have exactly once, in the longest order that they share
(Bram Cohen's patience diff). Between anchors the search goes on; where it finds none, it looks for
the fewest edits (Myers, "An O(ND) Difference Algorithm", 1986), up to a bound: so the work grows
linearly with the texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pdl.compare.verdicts import Change, Kind, Piece

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from pdl.compare.verdicts import Audience, Part, Verdict
    from pdl.source import Span

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = r"[^\s!-/:-@\[-^`{-~\u2000-\u200b\u200e-\u206f\u3000-\u303f" + _CJK + "]"
_TOKENS = re.compile(rf"{_WORD}+|\n|[^\S\n]+|\{{[{{%]|[}}%]\}}|<\||\|>|[\s\S]")
"""Words, line breaks, other whitespace, the signs of tags, and single characters: punctuation, and
those of Chinese and Japanese, which have no spaces."""

_DEPTH = 32
_EDITS = 64
_WORK = 200_000
_SHORT = 3  # characters
_PASSES = 2
_EQUAL: tuple[Kind, ...] = ("equal",)
_CHANGED: tuple[Kind, ...] = ("removed", "inserted")


class Effect(NamedTuple):
    """What a change of a text means: the part it is of, its verdict, and who it breaks."""

    part: Part = "messages"
    verdict: Verdict | None = None
    breaks: tuple[Audience, ...] = ()


def text_change(
    effect: Effect,
    path: str,
    message: str,
    texts: tuple[str, str] = ("", ""),
    spans: tuple[Span | None, Span | None] = (None, None),
) -> Change:
    """Return the change of an old text to a new one, with its words; the spans are theirs."""
    return Change(
        effect.part,
        path,
        message,
        *texts,
        verdict=effect.verdict,
        breaks=effect.breaks,
        old_span=spans[0],
        new_span=spans[1],
        words=word_changes(*texts),
    )


class Run(NamedTuple):
    """`size` equal items: from `old` on in one sequence, and from `new` on in the other."""

    old: int
    new: int
    size: int


class Stretch(NamedTuple):
    """Items of both sequences: a run that they share, or what is between two such runs."""

    old: slice
    new: slice
    is_equal: bool


class _Region(NamedTuple):
    """Items `old:old_end` of one sequence and `new:new_end` of the other; how often it was cut."""

    old: int
    old_end: int
    new: int
    new_end: int
    depth: int


def word_changes(old: str, new: str) -> tuple[Piece, ...]:
    """Return what two texts share, and which words were removed and inserted.

    Equal and removed pieces are the old text, equal and inserted ones the new text. A removed piece
    comes before the one that replaces it. The time is linear in the lengths.
    """
    pieces: list[Piece] = []
    lines, others = old.splitlines(keepends=True), new.splitlines(keepends=True)
    for stretch in stretches(lines, others):
        before, after = "".join(lines[stretch.old]), "".join(others[stretch.new])
        if stretch.is_equal:
            pieces.append(Piece("equal", before))
        else:
            pieces += _pieces(_TOKENS.findall(before), _TOKENS.findall(after))
    for _ in range(_PASSES):  # the first one joins words, which the second one then measures
        pieces = list(_joined(_readable(list(_joined(pieces)))))
    return tuple(pieces)


def _pieces(old: list[str], new: list[str]) -> Iterator[Piece]:
    """The pieces of two lists of words; some are empty."""
    for stretch in stretches(old, new):
        words = "".join(old[stretch.old])
        if stretch.is_equal:
            yield Piece("equal", words)
        else:
            yield Piece("removed", words)
            yield Piece("inserted", "".join(new[stretch.new]))


def _readable(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces, where the little that is equal between two changes is a part of them.

    Without this, each space in a rewritten sentence would be equal, and no one could read it.
    """
    for index, piece in enumerate(pieces):
        if piece.kind == "equal" and 0 < index < len(pieces) - 1 and _is_little(pieces, index):
            yield Piece("removed", piece.text)
            yield Piece("inserted", piece.text)
        else:
            yield piece


def _is_little(pieces: list[Piece], index: int) -> bool:
    text = pieces[index].text
    if "\n" in text:
        return False
    if not text.strip():
        return True
    around = (len(_change(pieces, index - 1, -1)), len(_change(pieces, index + 1, 1)))
    return len(text.strip()) <= _SHORT and min(around) > len(text) + _SHORT


def _change(pieces: list[Piece], at: int, step: int) -> str:
    """The longer of the two texts of a change, which has one or two pieces."""
    one = pieces[at].text
    other = pieces[at + step] if 0 <= at + step < len(pieces) else None
    return max(one, other.text, key=len) if other and other.kind != "equal" else one


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces without empty ones; what is removed and inserted in one place is joined."""
    for is_equal, group in groupby(pieces, lambda piece: piece.kind == "equal"):
        found = list(group)
        for kind in _EQUAL if is_equal else _CHANGED:
            text = "".join(piece.text for piece in found if piece.kind == kind)
            if text:
                yield Piece(kind, text)


def stretches(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[Stretch]:
    """Return both sequences as stretches, each second one a shared run; some are empty."""
    at = other = 0
    for run in (*shared_runs(old, new), Run(len(old), len(new), 0)):
        yield Stretch(slice(at, run.old), slice(other, run.new), is_equal=False)
        at, other = run.old + run.size, run.new + run.size
        yield Stretch(slice(run.old, at), slice(run.new, other), is_equal=True)


def shared_runs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Run]:
    """Return runs of items that both sequences have in this order, as many items as are found.

    The runs don't overlap, and are as long as can be.
    """
    pairs: list[tuple[int, int]] = []
    regions = [_Region(0, len(old), 0, len(new), 0)]
    while regions:
        region = _trimmed(old, new, regions.pop(), pairs)
        if region.old == region.old_end or region.new == region.new_end:
            continue
        anchors = _anchors(old, new, region) if region.depth < _DEPTH else []
        if not anchors:
            pairs += _fewest_edits(old, new, region)
            continue
        at, other = region.old, region.new
        for one, two in (*anchors, (region.old_end, region.new_end)):
            regions.append(_Region(at, one, other, two, region.depth + 1))
            at, other = one + 1, two + 1
        pairs += anchors
    return list(_runs(sorted(pairs)))


def _trimmed(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    region: _Region,
    pairs: list[tuple[int, int]],
) -> _Region:
    """The region without the items that are equal at both ends, which are added to the pairs."""
    at, end, other, other_end, depth = region
    while at < end and other < other_end and old[at] == new[other]:
        pairs.append((at, other))
        at, other = at + 1, other + 1
    while at < end and other < other_end and old[end - 1] == new[other_end - 1]:
        end, other_end = end - 1, other_end - 1
        pairs.append((end, other_end))
    return _Region(at, end, other, other_end, depth)


def _anchors(
    old: Sequence[Hashable], new: Sequence[Hashable], region: _Region
) -> list[tuple[int, int]]:
    """The items that occur once in both parts of a region, in the longest common order."""
    at, end, other, other_end, _ = region
    counts, others = Counter(old[at:end]), Counter(new[other:other_end])
    where = {
        item: index for index, item in enumerate(new[other:other_end], other) if others[item] == 1
    }
    pairs = [
        (index, where[item])
        for index, item in enumerate(old[at:end], at)
        if item in where and counts[item] == 1
    ]
    return _longest_increasing(pairs)


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second numbers increase, by patience sorting."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for index, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [value]
        piles[pile : pile + 1] = [index]
    found: list[tuple[int, int]] = []
    at = piles[-1] if piles else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _fewest_edits(
    old: Sequence[Hashable], new: Sequence[Hashable], region: _Region
) -> Iterator[tuple[int, int]]:
    """The equal items of a region with the fewest edits; none if there are too many edits."""
    at, end, other, other_end, _ = region
    length, width = end - at, other_end - other
    most = min(_EDITS, max(_WORK // (length + width), 4), length + width)
    reached = {1: 0}  # by diagonal: how far into the old items
    trace: list[dict[int, int]] = []
    for edits in range(most + 1):
        trace.append(reached.copy())
        for diagonal in range(-edits, edits + 1, 2):
            below, right = reached.get(diagonal + 1, -1), reached.get(diagonal - 1, -1) + 1
            is_inserted = diagonal == -edits or (diagonal != edits and right <= below)
            x = below if is_inserted else right
            while (
                x < length
                and 0 <= x - diagonal < width
                and old[at + x] == new[other + x - diagonal]
            ):
                x += 1
            reached[diagonal] = x
            if x >= length and x - diagonal >= width:
                return ((at + i, other + j) for i, j in _walked_back(trace, length, width))
    return iter(())


def _walked_back(trace: list[dict[int, int]], x: int, y: int) -> Iterator[tuple[int, int]]:
    """The pairs of equal items on the way that the trace of Myers's algorithm found."""
    for edits in range(len(trace) - 1, -1, -1):
        reached, diagonal = trace[edits], x - y
        below, right = reached.get(diagonal + 1, -1), reached.get(diagonal - 1, -1) + 1
        is_inserted = diagonal == -edits or (diagonal != edits and right <= below)
        came = diagonal + 1 if is_inserted else diagonal - 1
        start = reached[came] if edits else 0
        begun = start if is_inserted or not edits else start + 1
        while x > begun:
            x, y = x - 1, y - 1
            yield x, y
        x, y = start, start - came
    # before the first edit, the way begins at (0, 0)


def _runs(pairs: list[tuple[int, int]]) -> Iterator[Run]:
    """Neighboring pairs as runs."""
    numbered = ((at - index, other - index, at, other) for index, (at, other) in enumerate(pairs))
    for _, group in groupby(numbered, itemgetter(0, 1)):
        found = list(group)
        yield Run(found[0][2], found[0][3], len(found))
