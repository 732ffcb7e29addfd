"""From the tree of a rule to its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.diagram.boxes import (
    ARC,
    GAP,
    SKIP,
    Box,
    Line,
    Said,
    choice,
    leaf,
    loop,
    optional,
    row,
    rows,
    shortened,
)
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
from pdl.gbnf.rtn import Origin
from pdl.gbnf.state import described
from pdl.trampoline import gather, run

if TYPE_CHECKING:
    from collections.abc import Container

    from pdl.gbnf.nodes import Item, Rule, Sequence
    from pdl.trampoline import Recur

_WIDE = 860
"""The width over which a sequence goes on in another row."""
_LEAST = 160
_SHOWN = 64  # characters of one text
_END = 8  # half the height of the bars at both ends


def picture(rule: Rule, known: Container[str]) -> Box:
    """The picture of a rule, with a bar at each end; `known` are the rules that have one."""
    body = run(_Layout(known).options(rule.options, _WIDE))
    start = f"v-{_END}v{2 * _END}m4 0v-{2 * _END}v{_END}h{2 * ARC}"
    end = f"h{2 * ARC}v-{_END}v{2 * _END}m4 0v-{2 * _END}"
    left = 4 + 2 * ARC
    lines = (Line(0, 0, start), Line(left + body.width, 0, end))
    full = body.width + 2 * left
    return Box(full, max(_END, body.up), max(_END, body.down), lines, ((left, 0, body),))


class _Layout:
    def __init__(self, known: Container[str]) -> None:
        self._known = known

    def options(self, options: tuple[Sequence, ...], wide: int) -> Recur[Box]:
        inner = wide - 4 * ARC if options[1:] else wide
        boxes: list[Box] = yield gather(
            self._sequence(option, max(inner, _LEAST)) for option in options
        )
        full = [box for box in boxes if box is not SKIP]
        if not full:
            return SKIP
        alternatives = choice(full)
        return alternatives if len(full) == len(boxes) else optional(alternatives)

    def _sequence(self, sequence: Sequence, wide: int) -> Recur[Box]:
        parts: list[Box] = yield gather(
            self._item(item, wide) for item in sequence.items if not is_nothing(item)
        )
        parts = [part for part in parts if part is not SKIP]
        if not parts:
            return SKIP
        if sum(part.width + GAP for part in parts) - GAP <= wide:
            return row(parts)
        return rows([row(line) for line in _wrapped(parts, wide - 5 * ARC)])

    def _item(self, item: Item, wide: int) -> Recur[Box]:
        if isinstance(item, Group):
            box: Box = yield self.options(item.options, wide)
            return box
        if isinstance(item, Repeat):
            repeated: Box = yield self._repeat(item, wide)
            return repeated
        return leaf(self._said(item))

    def _repeat(self, item: Repeat, wide: int) -> Recur[Box]:
        box: Box = yield self._item(item.item, max(wide - 6 * ARC, _LEAST))
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
            return Said(text, "token", described(Origin("", item, 0)))
        if isinstance(item, AnyChar):
            text = "any character"
        return Said(text, "class", described(Origin("", item, 0)))


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
