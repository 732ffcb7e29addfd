"""How counts multiply where groups with counts stand in others, told before a pattern is read.

The `regex` library unrolls such counts when it compiles a pattern, in time and memory that double
their product at each level: `((((x){50}){50}){50}){50}` takes it five seconds.
"""

from __future__ import annotations

import regex

_TOKEN = regex.compile(
    r"(?P<skipped>\\.|\[\^?(?>(?:\\.|[^\]\\])*)\]?)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|\{(?P<least>[0-9]+)?(?P<comma>,)?(?P<most>[0-9]+)?\}"
    r"|(?P<other>[^\\\[(){}]++|.)",
    regex.DOTALL,
)
MOST = 8_000_000
"""More than this takes the library too long."""

_LEVEL = 2
_WEIGHT = 8
_DIGITS = 20


def unrolled(text: str) -> int:
    """About how much the counts of a pattern become when they are multiplied out.

    What many of them add up to weighs more: the library keeps all of it at once.
    """
    return max(_nested(text), _WEIGHT * (_size(text) - len(text)))


def _size(text: str) -> int:
    """How many parts a pattern has once all that is counted is written out."""
    sizes = [0]  # of each open group
    last = 0  # the size of the part that a count may follow
    for token in _TOKEN.finditer(text):
        if token["open"]:
            sizes[-1] += last
            sizes.append(0)
            last = 1
        elif token["close"] and sizes[1:]:
            last += sizes.pop()
        elif (count := _count(token["most"] or token["least"] or "0")) > 1:
            last *= count
        else:
            sizes[-1] += last + len(token[0]) - 1
            last = 1
    return sum(sizes) + last


def _nested(text: str) -> int:
    """How much the counts in one another become."""
    stack = [1]  # for each open group, the most of what has been closed in it
    last = 1
    worst = 1
    for token in _TOKEN.finditer(text):
        if token["open"]:
            stack.append(1)
        elif token["close"] and stack[1:]:
            last = stack.pop()
            stack[-1] = max(stack[-1], last)
            continue
        elif (count := _count(token["most"] or token["least"] or "0")) > 1:
            last *= _LEVEL * count
            stack[-1] = max(stack[-1], last)
            worst = max(worst, last)
        last = 1
    return worst


def _count(digits: str) -> int:
    return int(digits[:_DIGITS])  # so many say enough
