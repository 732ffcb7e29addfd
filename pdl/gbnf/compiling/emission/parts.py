"""Rules as they are drafted: put together, merged and inlined before any is written.

A draft is a rule; its rows are its alternatives, each a sequence of parts. Parts of equal meaning
are equal, but for drafts, which are told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from pdl.automata.charset import CharSet

if TYPE_CHECKING:
    from collections.abc import Iterable


class Draft:
    """A rule to be. `wish` is how it would like to be called.

    `whole`: it is a rule wherever it is used; `fixed`: that, and its name is its wish; `glue`: it
    never is a rule, unless it leads back to itself.

    The rest is what `finish` finds out: `inner` are the drafts in its rows, `loops` whether it may
    lead back to itself, `uses` how often others name it; `same` is another draft that says the same
    and stands for this one; `inline` tells whether its rows are written in its place.
    """

    __slots__ = (
        "fixed", "glue", "inline", "inner", "loops", "rows",
        "same", "seen", "uses", "whole", "wish",
    )  # fmt: skip

    def __init__(
        self, wish: str, rows: Rows = (), *, whole: bool = False, fixed: bool = False
    ) -> None:
        self.wish = wish
        self.rows = rows
        self.whole = whole or fixed
        self.fixed = fixed
        self.glue = False
        self.inner: list[Draft] = []
        self.seen = 0
        self.loops = False
        self.uses = 0
        self.same: Draft | None = None  # not itself, so that it ends with what names it
        self.inline = False

    def __repr__(self) -> str:
        return f"<{self.wish}>"


class Choice(NamedTuple):
    """One of some rows; none of them is empty."""

    rows: Rows


class Again(NamedTuple):
    """A part from `least` to `most` (None: any number of) times, however many these are."""

    part: Part
    least: int
    most: int | None


Part: TypeAlias = str | CharSet | Draft | Choice | Again
Row: TypeAlias = tuple[Part, ...]
Rows: TypeAlias = tuple[Row, ...]

EMPTY: Rows = ((),)
"""The rows of what is the empty text."""


def drafts(rows: Rows) -> list[Draft]:
    """The drafts that rows name, with repetitions."""
    found: list[Draft] = []
    for row in rows:
        for part in row:
            if type(part) is Draft:
                found.append(part)
            elif type(part) is Choice or type(part) is Again:
                found += _inside(part)
    return found


def _inside(part: Part) -> list[Draft]:
    while isinstance(part, Again):
        part = part.part
    return drafts(part.rows if isinstance(part, Choice) else ((part,),))


def distinct(rows: Iterable[Row]) -> Rows:
    """What may follow, each once; nothing only if nothing else may be nothing."""
    told = dict.fromkeys(rows)
    if () in told and any(row and all(map(_is_optional, row)) for row in told):
        del told[()]
    return tuple(told)


def _is_optional(part: Part) -> bool:
    return isinstance(part, Draft) and () in part.rows


def single(chars: CharSet) -> Part:
    """A set of characters, as a text if it has but one."""
    low, high = chars.ranges[0]
    return chr(low) if low == high and len(chars.ranges) == 1 else chars


def joined(*pieces: Part | Row) -> Row:
    """One row of parts and rows, with neighbouring texts as one."""
    row: list[Part] = []
    text = ""
    for piece in pieces:
        parts = cast("Row", piece if type(piece) is tuple else (piece,))
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
