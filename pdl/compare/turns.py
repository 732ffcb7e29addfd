"""The changes of turns: added, removed, moved, with another text, inside other tags.

Turns that are versions of each other are paired by an alignment: equal ones by the runs that both
files share, those between them by the greatest sum of similarities (Needleman and Wunsch, 1970).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from pdl.compare.sections import MIDDLE
from pdl.compare.words import Effect, shared_runs, stretches, text_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pdl.compare.sections import Fragment, Section
    from pdl.compare.verdicts import Change, Kind, Piece
    from pdl.source import Span

_WORDS = re.compile(r"\w+")
_PAIRS = 2_500
_COMPARED = 1_000_000  # words of turns, each against all turns that it could be
_LEAST = 0.05  # of the weight of a pair, for its role


class Placed(NamedTuple):
    """A section at its position in a file, with the path that changes name it by."""

    position: int
    path: str
    section: Section


class Told(NamedTuple):
    """A change, and its position in the new file."""

    position: float
    change: Change


def placed(sections: Sequence[Section], name: str = "") -> list[Placed]:
    """Return the sections with their paths: `user`, or `user 2` if there are several.

    `name` is that of a file that the prompt reads: then the paths are `file: user`.
    """
    counts = Counter(section.role for section in sections)
    seen = Counter[str]()
    found: list[Placed] = []
    for position, section in enumerate(sections):
        role = section.role or ("" if name else "tags")
        seen[section.role] += 1
        number = f" {seen[section.role]}" if counts[section.role] > 1 else ""
        path = role + number
        found.append(Placed(position, ": ".join(filter(None, (name, path))), section))
    return found


def turn_changes(
    old: Sequence[Placed], new: Sequence[Placed], effect: Effect | None = None
) -> Iterator[Told]:
    """Tell how turns changed: both lists are in the order of their file."""
    meant = Effect() if effect is None else effect
    pairs = list(_pairs(old, new))
    after = {one.position: other.position for one, other in pairs}
    before = {other.position for _, other in pairs}
    alone = [one for one in old if one.position not in after]
    others = [other for other in new if other.position not in before]
    moved = list(_same_texts(alone, others))
    told = set[tuple[int, int]]()
    for one, other in moved:
        yield Told(other.position, _moved(one, other, old, new, meant))
    for one, other in (*pairs, *moved):
        yield from _changed(one, other, meant, told)
    kept = sorted(after)
    known = {one.position for one, _ in moved}, {other.position for _, other in moved}
    for other in others:
        if other.position not in known[1]:
            yield Told(other.position, _added(other, meant))
    for one in alone:
        if one.position not in known[0]:
            later = bisect_left(kept, one.position)
            at = after[kept[later]] - 0.5 if later < len(kept) else math.inf
            yield Told(at, _removed(one, meant))


def _added(turn: Placed, effect: Effect) -> Change:
    """The change of a turn that is new."""
    section = turn.section
    message = f"{_what(section)} added{_inside(section)}"
    span = section.marker or section.span()
    return text_change(effect, turn.path, message, ("", section.text), (None, span))


def _removed(turn: Placed, effect: Effect) -> Change:
    """The change of a turn that is gone."""
    section = turn.section
    span = section.marker or section.span()
    message = f"{_what(section)} removed"
    return text_change(effect, turn.path, message, (section.text, ""), (span, None))


def _rewritten(one: Placed, other: Placed, effect: Effect) -> Change:
    """The change of a turn whose text is another one."""
    old, new = one.section, other.section
    if old.text.split() == new.text.split():
        message = "only whitespace changed"
    else:
        message = (
            "the text changed" if new.role or effect.part == "includes" else "the tags changed"
        )
    change = text_change(effect, other.path, message, (old.text, new.text))
    spans = _first(old, change.words, "removed"), _first(new, change.words, "inserted")
    return replace(change, old_span=spans[0], new_span=spans[1])


def _first(section: Section, words: tuple[Piece, ...], kind: Kind) -> Span | None:
    """Where the first change is in one of the texts, whose changed pieces are of that kind."""
    at = len(words[0].text) if words[0].kind == "equal" else 0
    place = words[1:3] if at else words[:2]
    text = next((piece.text for piece in place if piece.kind == kind), "")
    begin = len(text) - len(text.lstrip())
    return section.span(at + begin, len(text.strip().partition("\n")[0]))


def _changed(
    one: Placed, other: Placed, effect: Effect, told: set[tuple[int, int]]
) -> Iterator[Told]:
    """The changes of a turn: its text, and the tags around it that were not told before."""
    if one.section.text != other.section.text:
        yield Told(other.position, _rewritten(one, other, effect))
    before, after = one.section.context, other.section.context
    for stretch in stretches([tag.text for tag in before], [tag.text for tag in after]):
        if stretch.is_equal:
            continue
        for old, new in zip_longest(before[stretch.old], after[stretch.new]):
            places = (old.start if old else -1, new.start if new else -1)
            if places not in told:
                told.add(places)
                yield Told(other.position, _context_change(one, other, old, new, effect))


def _context_change(
    one: Placed, other: Placed, old: Fragment | None, new: Fragment | None, effect: Effect
) -> Change:
    """The change of a tag around a turn; None if there is no such tag."""
    if old is None:
        message = f"the turn is now {_relation(other.section, new)}"
    elif new is None:
        message = f"the turn is no longer {_relation(one.section, old)}"
    else:
        message = f"`{old.text}` around the turn became `{new.text}`"
    texts = (old.text if old else "", new.text if new else "")
    spans = _tag(one.section, old), _tag(other.section, new)
    return text_change(effect, other.path, message, texts, spans)


def _relation(section: Section, tag: Fragment | None) -> str:
    """How a turn is related to a tag around it: other branches of its block exclude it."""
    tags = section.context
    at = next((index for index, one in enumerate(tags) if one is tag), 0)
    other = at + 1 < len(tags) and tags[at + 1].name in MIDDLE
    name = "" if tag is None else tag.text
    return f"an alternative to `{name}`" if other else f"inside `{name}`"


def _tag(section: Section, tag: Fragment | None) -> Span | None:
    if tag is None or section.source is None:
        return section.marker
    return section.source.span(tag.start, tag.end)


def _moved(
    one: Placed, other: Placed, old: Sequence[Placed], new: Sequence[Placed], effect: Effect
) -> Change:
    """The change of a turn that has the same text at another position, or with another role."""
    if one.section.role != other.section.role:
        message = f"the role `{one.section.role}` became `{other.section.role}`"
    else:
        places = _after(one, old), _after(other, new)
        message = "the turn was moved"
        if places[0] != places[1]:
            message += f": it was {places[0]}, and now is {places[1]}"
    texts = one.section.text, other.section.text
    spans = one.section.marker, other.section.marker
    return text_change(effect, other.path, message, texts, spans)


def _after(turn: Placed, turns: Sequence[Placed]) -> str:
    at = bisect_left(turns, turn.position, key=lambda one: one.position)
    return f"after `{turns[at - 1].path}`" if at else "the first one"


def _inside(section: Section) -> str:
    return f", inside `{section.context[-1].text}`" if section.context else ""


def _what(section: Section) -> str:
    return "the turn was" if section.role else "tags were"


def _same_texts(old: Sequence[Placed], new: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """The turns without a partner that have the same text, those of the same role first."""
    left = {one.position: one for one in old if one.section.text}
    for has_role in (True, False):
        by_text = defaultdict[tuple[str, str], list[Placed]](list)
        for one in left.values():
            by_text[one.section.role if has_role else "", one.section.text].append(one)
        for other in new:
            found = by_text.get((other.section.role if has_role else "", other.section.text))
            if found:
                one = found.pop(0)
                del left[one.position]
                yield one, other


def _pairs(old: Sequence[Placed], new: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """The turns that are versions of each other, in their order: the same role, similar texts."""
    texts = [[(one.section.role, one.section.text) for one in turns] for turns in (old, new)]
    for stretch in stretches(*texts):
        olds, news = old[stretch.old], new[stretch.new]
        yield from zip(olds, news, strict=True) if stretch.is_equal else _similar(olds, news)


def _similar(old: Sequence[Placed], new: Sequence[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """The pairs of the most similar turns, in order: the best alignment."""
    words = [Counter(_WORDS.findall(one.section.text)) for one in old]
    others = [Counter(_WORDS.findall(one.section.text)) for one in new]
    work = len(new) * sum(map(len, words))
    if len(old) * len(new) > _PAIRS or work > _COMPARED:
        roles = [one.section.role for one in old], [one.section.role for one in new]
        for run in shared_runs(*roles):
            yield from zip(old[run.old :][: run.size], new[run.new :][: run.size], strict=True)
        return
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]  # of what follows
    weights = [
        [
            _weight(words[at], others[to]) if one.section.role == other.section.role else 0.0
            for to, other in enumerate(new)
        ]
        for at, one in enumerate(old)
    ]
    for at in range(len(old) - 1, -1, -1):
        for to in range(len(new) - 1, -1, -1):
            paired = weights[at][to] + best[at + 1][to + 1] if weights[at][to] else 0.0
            best[at][to] = max(paired, best[at + 1][to], best[at][to + 1])
    at = to = 0
    while at < len(old) and to < len(new):
        if weights[at][to] and best[at][to] == weights[at][to] + best[at + 1][to + 1]:
            yield old[at], new[to]
            at, to = at + 1, to + 1
        elif best[at][to] == best[at + 1][to]:
            at += 1
        else:
            to += 1


def _weight(one: Counter[str], other: Counter[str]) -> float:
    """How similar two turns of the same role are: the share of words that both have."""
    return _LEAST + 2 * (one & other).total() / max(one.total() + other.total(), 1)
