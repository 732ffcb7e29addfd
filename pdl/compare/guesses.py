"""Keys that might have been renamed or moved: a guess, with its evidence.

Pairs are taken greedily, the likeliest first; names are compared by the parts that they share
(Ratcliff and Obershelp, 1988, as in `difflib`).
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pdl._types import format_path
from pdl.compare.differences import same
from pdl.compare.nodes import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.compare.drafts import Draft

_ALIKE = 0.6
_MOST = 100  # keys of each side that are compared with each other
_DEEPEST = 3  # objects inside of a key that was added or removed
_LONGEST = 100  # characters of a name
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\dA-Za-z_]+")


class _Key(NamedTuple):
    """A key that was added or removed, or that is inside of one; `parents` are the keys around."""

    key: str
    path: str
    parents: tuple[str, ...]
    holds: Part
    notes: str
    draft: Draft


class _Candidate(NamedTuple):
    """Two keys that might be one; the least `rank` is the likeliest."""

    rank: tuple[int, float]
    old: _Key
    new: _Key
    text: str


def guesses(drafts: Iterable[Draft]) -> dict[int, str]:
    """The guesses for keys that were added, by the identities of their differences.

    A key takes part in one guess at most; where two are equally likely, there is none.
    """
    some = list(drafts)
    removed, added = (_keys(some, role) for role in ("removed", "added"))
    found = [
        candidate
        for old in removed
        for new in added
        if (candidate := _candidate(old, new)) is not None
    ]
    counts = Counter(
        (one.rank, side, key.path)
        for one in found
        for side, key in (("old", one.old), ("new", one.new))
    )
    taken: set[tuple[str, str]] = set()
    result: dict[int, str] = {}
    for one in sorted(found, key=lambda one: one.rank):
        ends = (("old", one.old.path), ("new", one.new.path))
        around = {(side, path) for side, key in (("old", one.old), ("new", one.new))
                  for path in key.parents}  # fmt: skip
        if taken & {*ends, *around}:
            continue
        taken |= {*ends}
        if all(counts[(one.rank, *end)] == 1 for end in ends):
            where = one.new.draft if not one.new.parents else one.old.draft
            told = result.get(id(where))
            result[id(where)] = f"{told}; {one.text}" if told else one.text
    return result


def _keys(drafts: Iterable[Draft], role: str) -> list[_Key]:
    """The keys of one role, and those inside of them."""
    pending = [
        _Key(one.key, one.path, (), one.holds, one.notes, one)
        for one in drafts
        if one.role == role and one.holds is not None
    ]
    found: list[_Key] = []
    while pending and len(found) < _MOST:
        outer = pending.pop(0)
        found.append(outer)
        if len(outer.parents) < _DEEPEST:
            side, properties = outer.holds.side, outer.holds.node.get("properties", {})
            for name, inner in properties.items():
                place = side.place(inner, "")
                holds, told = Part(side, place.node), str(place.notes.get("description", ""))
                path = outer.path + format_path((name,))[1:]
                parents = (*outer.parents, outer.path)
                pending.append(_Key(name, path, parents, holds, told, outer.draft))
    return found


def _candidate(old: _Key, new: _Key) -> _Candidate | None:
    is_described = bool(old.notes) and old.notes == new.notes
    is_moved = _parent(old) != _parent(new)
    likeness = 1.0 if old.key == new.key else _likeness(old.key, new.key)
    if not (is_described or likeness >= (1 if is_moved else _ALIKE)):
        return None
    if not same(old.holds.side, old.holds.node, new.holds.side, new.holds.node):
        return None
    evidence = ["description"] if is_described else []
    evidence += ["name"] if likeness == 1 else ["similar name"] if likeness >= _ALIKE else []
    shown = (new.path, old.path) if is_moved else (new.key, old.key)
    told = ("same type and " if len(evidence) == 1 else "same type, ") + " and ".join(evidence)
    text = f"`{shown[0]}` may be `{shown[1]}`, {'moved' if is_moved else 'renamed'}: {told}"
    depth = len(old.parents) + len(new.parents)
    return _Candidate((depth, -likeness - 2 * is_described + is_moved), old, new, text)


def _parent(key: _Key) -> str:
    return key.path.removesuffix(format_path((key.key,))[1:])


def _likeness(one: str, other: str) -> float:
    """How similar two names are, from 0 to 1; one that is a word of the other is similar."""
    first, second = one[:_LONGEST], other[:_LONGEST]
    words = [{word.lower() for word in _WORD.findall(name)} for name in (first, second)]
    if words[0] and words[1] and (words[0] <= words[1] or words[1] <= words[0]):
        return 0.9
    first, second = first.lower(), second.lower()
    return difflib.SequenceMatcher(None, first, second).ratio()
