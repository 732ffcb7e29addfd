"""Drafts of rules, which are merged and inlined before any is written.

A draft is a rule; its rows are its alternatives, each a sequence of parts. Parts of equal meaning
are equal, except for drafts, which are compared by identity.

Alternatives are factored to a shorter form of the same language, by rules that keep them
deterministic. None of these looks at more than one rule; each takes time linear in what it joins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast, final

from pdl.automata.charset import CharSet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.nodes import Item, Sequence


@final
class ProductionDraft:
    """A rule to be. `wish` is how it would like to be called.

    `whole`: it is a rule wherever it is used; `fixed`: that, and its name is its wish; `glue`: it
    never is a rule, unless it is recursive.

    The rest is what `inline_and_merge` finds: `inner` are the drafts in its rows, `loops` whether
    it is recursive, `uses` how often others name it; `same` is another draft with the same rows
    that replaces this one; `inline` tells whether its rows are written in its place. `written` are
    the nodes of one that is sealed, after what these call the drafts in its rows.
    """

    __slots__ = (
        "fixed", "glue", "inline", "inner", "loops", "rows",
        "same", "seen", "uses", "whole", "wish", "written",
    )  # fmt: skip

    def __init__(
        self, wish: str, rows: Alternatives = (), *, whole: bool = False, fixed: bool = False
    ) -> None:
        self.wish = wish
        self.rows = rows
        self.whole = whole or fixed
        self.fixed = fixed
        self.glue = False
        self.inner: list[ProductionDraft] = []
        self.seen = 0
        self.loops = False
        self.uses = 0
        self.same: ProductionDraft | None = None  # not itself, so that it ends with what names it
        self.inline = False
        self.written: tuple[list[Item], tuple[Sequence, ...]] | None = None

    def __repr__(self) -> str:
        return f"<{self.wish}>"


@final
class Choice(NamedTuple):
    """One of some rows; none of them is empty."""

    rows: Alternatives


@final
class Repeat(NamedTuple):
    """A part from `least` to `most` (None: any number of) times, however many these are."""

    part: Part
    least: int
    most: int | None


Part: TypeAlias = str | CharSet | ProductionDraft | Choice | Repeat
Alternative: TypeAlias = tuple[Part, ...]
Alternatives: TypeAlias = tuple[Alternative, ...]

OTHER = re.compile(r"[^A-Za-z0-9]+")
"""What is not in names of rules."""
_LONGEST_NAME = 60


def valid(wish: str) -> str:
    """A name that is like a wish: letters, digits and hyphens, not too many; first a letter.

    A digit may begin a name in llama.cpp, but not in xgrammar.
    """
    name = OTHER.sub("-", wish).strip("-")
    if not name[:1].isalpha():
        name = f"rule-{name}"
    return name[:_LONGEST_NAME].rstrip("-")


def short(wish: str) -> str:
    """The last word of a wish: what the parts of a rule are called like."""
    return valid(wish).rpartition("-")[2]


def drafts(rows: Alternatives) -> list[ProductionDraft]:
    """The drafts that rows name, with repetitions."""
    found: list[ProductionDraft] = []
    for row in rows:
        for part in row:
            if type(part) is ProductionDraft:
                found.append(part)
            elif type(part) is Choice or type(part) is Repeat:
                found += _inside(part)
    return found


def _inside(part: Part) -> list[ProductionDraft]:
    while isinstance(part, Repeat):
        part = part.part
    return drafts(part.rows if isinstance(part, Choice) else ((part,),))


def distinct(rows: Iterable[Alternative]) -> Alternatives:
    """What may follow, each once; nothing only if nothing else may be nothing."""
    told = dict.fromkeys(rows)
    if () in told and any(row and all(map(_is_optional, row)) for row in told):
        del told[()]
    return tuple(told)


def _is_optional(part: Part) -> bool:
    return isinstance(part, ProductionDraft) and () in part.rows


def single(chars: CharSet) -> Part:
    """A set of characters, as a string if it has only one."""
    low, high = chars.ranges[0]
    return chr(low) if low == high and len(chars.ranges) == 1 else chars


def joined(*languages: Part | Alternative) -> Alternative:
    """One row of parts and rows, with neighboring strings joined."""
    row: list[Part] = []
    text = ""
    for piece in languages:
        parts = cast("Alternative", piece if type(piece) is tuple else (piece,))
        for part in parts:
            if type(part) is str:
                text = text + part if text else part
            elif text:
                row += (text, part)
                text = ""
            else:
                row.append(part)
    if text:
        row.append(text)
    return tuple(row)


_FEW = 8  # rows, of which each is compared with all others
_PAIR = 2
_GROUPS = (Choice, Repeat)  # what combines rows
_NAMED = (str, ProductionDraft)  # what costs little to compare


def as_row(rows: Alternatives) -> Alternative:
    """Alternatives as one row: a choice if there are several, optional if one is empty."""
    if len(rows) == 1:
        return rows[0]
    told = tuple([row for row in rows if row])
    if not told:
        return ()
    if len(told) > 1:
        told = _flat(told)
    body = told[0] if len(told) == 1 else (Choice(told),)
    return (optional(body),) if () in rows else body


def _flat(rows: Alternatives) -> Alternatives:
    """Alternatives with the alternatives of those that are a choice in their place."""
    if not any(len(row) == 1 and type(row[0]) is Choice for row in rows):
        return rows
    return tuple(
        inner
        for row in rows
        for inner in (row[0].rows if len(row) == 1 and isinstance(row[0], Choice) else (row,))
    )


def optional(row: Alternative) -> Part:
    """A row or nothing."""
    part = _grouped(row)
    if isinstance(part, Repeat) and part.least <= 1:
        return Repeat(part.part, 0, part.most)
    return Repeat(part, 0, 1)


def _grouped(row: Alternative) -> Part:
    return row[0] if len(row) == 1 else Choice((row,))


def add(row: list[Part], part: Part) -> None:
    """Append a part: strings are joined, repetitions of one thing counted together."""
    if not row:
        row.append(part)
        return
    last = row[-1]
    if type(part) is str:
        if type(last) is str:
            row[-1] = last + part
        else:
            row.append(part)
        return
    if type(part) is not Repeat and type(last) is not Repeat and part != last:
        row.append(part)
        return
    item, least, most = _counted(part)
    if isinstance(item, str) and isinstance(last, str):
        _join_text(row, last, Repeat(item, least, most))
        return
    if not isinstance(item, str | Repeat):
        before, at_least, at_most = _counted(last)
        if before == item:
            both = None if most is None or at_most is None else most + at_most
            row[-1] = Repeat(item, least + at_least, both)
            return
        if isinstance(part, Repeat) and isinstance(item, Choice) and len(item.rows) == 1:
            body = item.rows[0]
            if len(row) >= len(body) > 1 and tuple(row[-len(body) :]) == body:
                row[-len(body) :] = [Repeat(item, least + 1, None if most is None else most + 1)]
                return
    row.append(part)


def _join_text(row: list[Part], last: str, again: Repeat) -> None:
    """Append a repeated string to one that may end with it: `"10" "0"*` is `"1" "0"+`."""
    item, least, most = again
    assert isinstance(item, str)
    if len(item) == 1 and last.endswith(item):
        row.pop()
        if len(last) > 1:
            row.append(last[:-1])
        again = Repeat(item, least + 1, None if most is None else most + 1)
    row.append(again)


def _counted(part: Part) -> tuple[Part, int, int | None]:
    return (part.part, part.least, part.most) if isinstance(part, Repeat) else (part, 1, 1)


def concat(*rows: Alternative) -> Alternative:
    """Alternatives one after the other."""
    parts: list[Part] = []
    for row in rows:
        for part in row:
            add(parts, part)
    return tuple(parts)


def left_factor(rows: Alternatives) -> Alternatives:
    """Join single characters in one class, `h x | x` as `h? x`, and what all rows end with once."""
    if len(rows) == 1:
        return rows
    rows = _one_class(_common_start(rows))
    if 1 < len(rows) <= _FEW:
        rows = _common_rest(rows)
    if len(rows) > 1:
        rows = _common_end(rows)
    return rows


def shortened(rows: Alternatives) -> Alternatives:
    """`h d | x | y` as `h? d`, if the rule `d` is `x | y`."""
    for at, row in enumerate(rows if 1 < len(rows) <= _FEW else ()):
        end = row[-1] if len(row) > 1 else None
        if isinstance(end, ProductionDraft) and end.rows == rows[:at] + rows[at + 1 :]:
            return ((optional(row[:-1]), end),)
    return rows


def looped(draft: ProductionDraft, rows: Alternatives) -> tuple[Alternatives, int]:
    """Alternatives that end in the rule itself as a loop before the others, and their number."""
    again = [row[:-1] for row in rows if row and row[-1] is draft]
    if not again or not all(again) or any(draft in row for row in again):
        return rows, 0
    others = tuple(row for row in rows if not (row and row[-1] is draft))
    if not others:
        return rows, 0
    bodies = _one_class(tuple(again))
    part = _grouped(bodies[0]) if len(bodies) == 1 else Choice(bodies)
    return (concat((Repeat(part, 0, None),), as_row(left_factor(others))),), len(again)


def _one_class(rows: Alternatives) -> Alternatives:
    single = [row for row in rows if len(row) == 1 and _is_character(row[0])]
    if len(single) <= 1:
        return rows
    ranges = [pair for row in single for pair in _set(row[0]).ranges]
    merged: Alternative = (CharSet.over(ranges),)
    first = single[0]
    kept = set(single)
    return tuple(merged if row is first else row for row in rows if row is first or row not in kept)


def _is_character(part: Part) -> bool:
    return isinstance(part, CharSet) or (isinstance(part, str) and len(part) == 1)


def _set(part: Part) -> CharSet:
    if isinstance(part, CharSet):
        return part
    assert isinstance(part, str)
    return CharSet.char(ord(part))


def _common_start(rows: Alternatives) -> Alternatives:
    """Factor out the strings and rules with which several rows begin; drop duplicate rows."""
    if rows.count(()) > 1:
        rows = tuple(dict.fromkeys(rows))
    heads = [row[0] for row in rows if row and type(row[0]) in _NAMED]
    if len(set(heads)) == len(heads):
        return rows
    grouped: dict[Part, list[Alternative]] = {}
    for row in rows:
        if row:
            grouped.setdefault(row[0], []).append(row)
    found = [
        same[0] if len(same) == 1 else _after(head, tuple(row[1:] for row in same))
        for head, same in grouped.items()
    ]
    return (*found, ()) if () in rows else tuple(found)


def _after(head: Part, rows: Alternatives) -> Alternative:
    return concat((head,), as_row(left_factor(tuple(dict.fromkeys(rows)))))


def _common_rest(rows: Alternatives) -> Alternatives:
    """A row that ends with what the others say needs its head only."""
    for at, row in enumerate(rows):
        if len(row) <= 1 or (len(rows) > _PAIR and type(row[-1]) not in _GROUPS):
            continue
        rest = as_row(rows[:at] + rows[at + 1 :])
        size = len(row) - len(rest)
        if rest and size > 0 and rest == row[size:]:
            return (concat((optional(row[:size]),), rest),)
    return rows


def _common_end(rows: Alternatives) -> Alternatives:
    """Factor out the parts with which all rows end."""
    shortest = min(map(len, rows))
    if not shortest or rows[0][-1] != rows[1][-1]:
        return rows
    first = rows[0]
    size = 0
    while size < shortest and all(row[-size - 1] == first[-size - 1] for row in rows):
        size += 1
    if not size:
        return rows
    heads = _one_class(tuple(row[:-size] for row in rows))
    return (concat(as_row(heads), first[len(first) - size :]),)
