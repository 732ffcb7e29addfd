"""Railroad diagrams: boxes, how they are combined, and the picture of a rule.

A line enters each box at its left and leaves it at its right, at the same height: the origin of the
box is where it enters. `up` and `down` are how far it reaches above and below. What a box says is
escaped for markup, and is as wide as it will be drawn.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from pdl.gbnf.edges import Origin
from pdl.gbnf.expected import described
from pdl.gbnf.nodes import (
    AnyChar,
    CharClass,
    Group,
    Literal,
    Repeat,
    RuleRef,
    TokenRef,
    bounded,
    is_nothing,
    item_text,
)

if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Container, Iterator

    from pdl.gbnf.nodes import Item, Rule, Sequence


_UNSAFE = re.compile(
    "[^\\t\\n\\r\\x20-\\x7E\\x85\\u00A0-\\uD7FF\\uE000-\\uFFFD\\U00010000-\\U0010FFFF]"
)
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9-]")
_CELL = 8.4
"""The width of one character of the font, of which wide ones take two."""


def safe(text: str) -> str:
    """A text for markup, also between double quotes.

    Characters that XML 1.0 (section 2.2) does not have become U+FFFD.
    """
    return escape(_UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text))


def anchor(name: str) -> str:
    """The id of a rule's picture; names that no parser reads get one of their own, too."""
    return "rule-" + _NOT_IN_ID.sub(lambda found: f"_{ord(found[0]):x}_", name)


def width(text: str) -> int:
    """How wide a text is."""
    if text.isascii():
        return round(len(text) * _CELL)
    return round(sum(map(_cells, text)) * _CELL)


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def shortened(text: str, most: int) -> str:
    """A text, or the beginning and the end of one that has too many characters."""
    if len(text) <= most:
        return text
    return f"{text[: most - most // 4 - 1]}…{text[-(most // 4) :]}"


ARC = 10
"""The radius of a bend."""
GAP = 10
"""What is between boxes."""
HALF = 14
"""Half the height of a box with a text."""
PAD = 10
_LINE = 16  # the height of a text without a box
_DOWN, _UP = f"a{ARC} {ARC} 0 0 1 {ARC} {ARC}", f"a{ARC} {ARC} 0 0 0 {ARC} -{ARC}"
_OUT_OF_DOWN, _OUT_OF_UP = f"a{ARC} {ARC} 0 0 0 {ARC} {ARC}", f"a{ARC} {ARC} 0 0 1 {ARC} -{ARC}"
_DOWN_LEFT, _UP_LEFT = f"a{ARC} {ARC} 0 0 1 -{ARC} {ARC}", f"a{ARC} {ARC} 0 0 1 -{ARC} -{ARC}"
_LEFT_DOWN = f"a{ARC} {ARC} 0 0 0 -{ARC} {ARC}"
_ARROW = "m4 -4l-4 4l4 4"


@dataclass(frozen=True, slots=True)
class Line:
    """A line from a point on; `d` are commands of an SVG path with relative coordinates."""

    x: int
    y: int
    d: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a box says: its text, what kind of box it is, in words, and the rule it leads to."""

    text: str
    kind: str
    title: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a picture: its own lines, what it says, and the boxes in it, each at a place."""

    width: int
    up: int = 0
    down: int = 0
    lines: tuple[Line, ...] = ()
    inside: tuple[tuple[int, int, Box], ...] = ()
    said: Said | None = field(default=None)


SKIP = Box(0)
"""Nothing: the line continues."""


def placed(box: Box, x: int = 0, y: int = 0) -> Iterator[tuple[int, int, Box]]:
    """A box and all boxes in it, with their places in the picture."""
    pending = [(x, y, box)]
    while pending:
        x, y, one = pending.pop()
        yield x, y, one
        pending += [(x + dx, y + dy, inner) for dx, dy, inner in reversed(one.inside)]


def leaf(said: Said) -> Box:
    """A box with a text in a frame."""
    return Box(width(said.text) + 2 * PAD, HALF, HALF, said=said)


def row(parts: abc.Sequence[Box]) -> Box:
    """Boxes one after the other."""
    if len(parts) == 1:
        return parts[0]
    places = [0, *accumulate(part.width + GAP for part in parts)]
    lines = tuple(
        Line(place + part.width, 0, f"h{GAP}")
        for place, part in zip(places, parts[:-1], strict=False)
    )
    return Box(
        max(0, places[-1] - GAP),
        max((part.up for part in parts), default=0),
        max((part.down for part in parts), default=0),
        lines,
        tuple((place, 0, part) for place, part in zip(places, parts, strict=False)),
    )


def rows(parts: abc.Sequence[Box]) -> Box:
    """Boxes below each other: from the end of each the line continues at the next one's left."""
    if len(parts) == 1:
        return parts[0]
    widest = max(part.width for part in parts)
    lines, inside = [Line(0, 0, f"h{2 * ARC}")], [(2 * ARC, 0, parts[0])]
    y = 0
    for above, below in pairwise(parts):
        turn = y + max(2 * ARC, above.down + GAP)
        following = turn + max(2 * ARC, below.up + GAP)
        d = (
            f"h{widest - above.width}{_DOWN}v{turn - y - 2 * ARC}{_DOWN_LEFT}h-{widest}"
            f"{_LEFT_DOWN}v{following - turn - 2 * ARC}{_OUT_OF_DOWN}"
        )
        lines.append(Line(2 * ARC + above.width, y, d))
        inside.append((2 * ARC, following, below))
        y = following
    last = parts[-1]
    d = f"h{widest - last.width + ARC}{_UP}v-{y - 2 * ARC}{_OUT_OF_UP}"
    lines.append(Line(2 * ARC + last.width, y, d))
    return Box(widest + 5 * ARC, parts[0].up, y + last.down, tuple(lines), tuple(inside))


def choice(options: abc.Sequence[Box]) -> Box:
    """Boxes of which one is taken, the first on the line, the others below it."""
    if len(options) == 1:
        return options[0]
    widest = max(option.width for option in options)
    full = widest + 4 * ARC
    first = options[0]
    right = 2 * ARC + first.width
    lines = [Line(0, 0, f"h{2 * ARC}"), Line(right, 0, f"h{full - right}")]
    inside = [(2 * ARC, 0, first)]
    y = 0
    for above, option in pairwise(options):
        y += max(2 * ARC, above.down + GAP + option.up)
        straight = f"v{y - 2 * ARC}"
        lines.append(Line(0, 0, f"{_DOWN}{straight}{_OUT_OF_DOWN}"))
        d = f"h{widest - option.width}{_UP}v-{y - 2 * ARC}{_OUT_OF_UP}"
        lines.append(Line(2 * ARC + option.width, y, d))
        inside.append((2 * ARC, y, option))
    return Box(full, first.up, y + options[-1].down, tuple(lines), tuple(inside))


def optional(box: Box) -> Box:
    """A box with a way past it, above."""
    height = max(2 * ARC, box.up + GAP)
    straight = height - 2 * ARC
    d = f"{_UP}v-{straight}{_OUT_OF_UP}h{box.width}{_DOWN}v{straight}{_OUT_OF_DOWN}"
    right = 2 * ARC + box.width
    lines = (Line(0, 0, f"h{2 * ARC}"), Line(right, 0, f"h{2 * ARC}"), Line(0, 0, d))
    return Box(right + 2 * ARC, height, box.down, lines, ((2 * ARC, 0, box),))


def loop(box: Box, label: str) -> Box:
    """A box with a line back to its beginning, below, labeled with how often it is taken."""
    height = max(2 * ARC, box.down + GAP)
    body = max(box.width, width(label))
    straight = height - 2 * ARC
    back = f"{_DOWN}v{straight}{_DOWN_LEFT}h-{body}{_UP_LEFT}v-{straight}{_OUT_OF_UP}"
    left = ARC + (body - box.width) // 2
    right = left + box.width
    lines = (
        Line(0, 0, f"h{left}"),
        Line(right, 0, f"h{body + 2 * ARC - right}"),
        Line(ARC + body, 0, back),
        Line(ARC + body // 2, height, _ARROW),
    )
    inside = [(left, 0, box)]
    down = height + 4
    if label:
        place = (ARC + (body - width(label)) // 2, height + _LINE)
        inside.append((*place, Box(width(label), _LINE - 4, 4, said=Said(label, "label"))))
        down = height + _LINE + 4
    return Box(body + 2 * ARC, box.up, down, lines, tuple(inside))


_WIDE = 860
"""The width beyond which a sequence continues in another row."""
_LEAST = 160
_SHOWN = 64  # characters of one text
_END = 8  # half the height of the bars at both ends


def picture(rule: Rule, known: Container[str]) -> Box:
    """The picture of a rule, with a bar at each end; `known` are the rules that have one."""
    body = _Layout(known).options(rule.options, _WIDE)
    start = f"v-{_END}v{2 * _END}m4 0v-{2 * _END}v{_END}h{2 * ARC}"
    end = f"h{2 * ARC}v-{_END}v{2 * _END}m4 0v-{2 * _END}"
    left = 4 + 2 * ARC
    lines = (Line(0, 0, start), Line(left + body.width, 0, end))
    full = body.width + 2 * left
    return Box(full, max(_END, body.up), max(_END, body.down), lines, ((left, 0, body),))


class _Layout:
    def __init__(self, known: Container[str]) -> None:
        self._known = known

    def options(self, options: tuple[Sequence, ...], wide: int) -> Box:
        inner = max(wide - 4 * ARC if options[1:] else wide, _LEAST)
        boxes = [self._sequence(option, inner) for option in options]
        full = [box for box in boxes if box is not SKIP]
        if not full:
            return SKIP
        alternatives = choice(full)
        return alternatives if len(full) == len(boxes) else optional(alternatives)

    def _sequence(self, sequence: Sequence, wide: int) -> Box:
        parts = [self._item(item, wide) for item in sequence.items if not is_nothing(item)]
        parts = [part for part in parts if part is not SKIP]
        if not parts:
            return SKIP
        if sum(part.width + GAP for part in parts) - GAP <= wide:
            return row(parts)
        return rows([row(line) for line in _wrapped(parts, wide - 5 * ARC)])

    def _item(self, item: Item, wide: int) -> Box:
        if isinstance(item, Group):
            return self.options(item.options, wide)
        if isinstance(item, Repeat):
            return self._repeat(item, wide)
        return leaf(self._said(item))

    def _repeat(self, item: Repeat, wide: int) -> Box:
        box = self._item(item.item, max(wide - 6 * ARC, _LEAST))
        if box is SKIP:
            return SKIP
        most = bounded(item)
        if most != 1:
            box = loop(box, _times(item.min, most))
        return box if item.min else optional(box)

    def _said(self, item: Literal | CharClass | AnyChar | RuleRef | TokenRef) -> Said:
        text = shortened(item_text(item), _SHOWN)
        if isinstance(item, RuleRef):
            linked = item.name if item.name in self._known else ""
            return Said(text, "rule", f"rule {item.name}", linked)
        if isinstance(item, Literal):
            return Said(text, "text", f"the text {item_text(item)}")
        if isinstance(item, TokenRef):
            return Said(text, "token", described(Origin(item, 0)))
        if isinstance(item, AnyChar):
            text = "any character"
        return Said(text, "class", described(Origin(item, 0)))


def _wrapped(parts: list[Box], wide: int) -> list[list[Box]]:
    """Boxes in rows, each as full as can be."""
    lines: list[list[Box]] = [[]]
    used = 0
    for part in parts:
        if lines[-1] and used + part.width > wide:
            lines.append([])
            used = 0
        lines[-1].append(part)
        used += part.width + GAP
    return lines


def _times(least: int, most: int | None) -> str:
    """How often something is repeated, if it is not just any number of times."""
    if most is None:
        return f"{least} or more times" if least > 1 else ""
    if least == most:
        return f"{most} times"
    return f"{least} to {most} times" if least > 1 else f"up to {most} times"
