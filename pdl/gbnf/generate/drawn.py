"""Random texts of a grammar, the shortest, and near misses.

A near miss is one edit away from a text of the grammar, and is not itself one.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.generate.plan import Choice, Fixed, Letters, Many
from pdl.gbnf.nodes import CharClass, Literal, items
from pdl.gbnf.utf8 import characters

if TYPE_CHECKING:
    from random import Random

    from pdl.gbnf.generate.plan import Option, Part


_STEPS = 100_000  # parts that are drawn at random, before the rest is written in the shortest way
_THERE = 0.7  # of what may be left out, and has room


def shortest(root: Choice) -> str:
    """The text of the shortest alternatives, with letters and digits where there are some."""
    said: list[str] = []
    pending: list[Part] = [root]
    while pending:
        part = pending.pop()
        if not part.least:
            continue
        if isinstance(part, Fixed):
            said.append(part.text)
        elif isinstance(part, Letters):
            said.append(part.first)
        elif isinstance(part, Many):
            pending += [part.part] * part.min
        else:
            pending += reversed(_best(part).parts)
    return "".join(said)


def drawn(root: Choice, rng: Random, size: int) -> str:
    """A random text, at most `size` characters long if there is such a one, else a shortest."""
    least = root.least or 0
    drawing = _Drawing(rng, _STEPS + size)
    drawing.run(root, rng.randint(least, max(least, size)))
    return "".join(drawing.said)


class _Drawing:
    """One text as it becomes longer.

    Each part has room for some characters: its least, and a share of what is left over when all
    parts have theirs. So the first parts leave something for the last, and recursion ends as the
    shares become smaller. What a part does not use goes into a pot, for those behind it. After
    `steps` parts no more is put into any.
    """

    def __init__(self, rng: Random, steps: int) -> None:
        self._rng = rng
        self._steps = steps
        self._pot = 0
        self._pending: list[tuple[Part, int]] = []
        self.said: list[str] = []

    def run(self, root: Part, room: int) -> None:
        """Write a part that has room for so many characters, its least at least."""
        self._pending.append((root, room))
        while self._pending:
            self._steps -= 1
            part, room = self._pending.pop()
            if isinstance(part, Fixed):
                self.said.append(part.text)
            elif isinstance(part, Letters):
                self.said.append(part.draw(self._rng))
            elif self._steps <= 0:
                self._finish(part)
            elif room := self._more(room):
                self._open(part, room)

    def _more(self, room: int) -> int:
        """The room of a part, and perhaps something out of the pot."""
        more = self._rng.randint(0, self._pot) if self._pot else 0
        self._pot -= more
        return room + more

    def _open(self, part: Choice | Many, room: int) -> None:
        if isinstance(part, Choice):
            option = self._option(part, room)
            self._share(option.parts, room - (option.least or 0))
        else:
            count = self._count(part, room)
            self._share([part.part] * count, room - count * (part.part.least or 0))

    def _finish(self, part: Choice | Many) -> None:
        """Go the shortest way, which comes to an end."""
        if part.least:
            parts = [part.part] * part.min if isinstance(part, Many) else _best(part).parts
            self._share(parts, 0)

    def _option(self, choice: Choice, room: int) -> Option:
        """An alternative that fits, each as likely as any other."""
        return choice.options[self._rng.randrange(bisect_right(choice.lengths, room))]

    def _count(self, many: Many, room: int) -> int:
        """How often to repeat: few times more often than many times."""
        inner = many.part.least
        if inner is None:
            return 0
        most = (room - many.min * inner) // (inner or 1)
        if many.max is not None:
            most = min(most, many.max - many.min)
        if most == 1:
            return many.min + (self._rng.random() < _THERE)
        return many.min + (self._rng.randint(0, self._rng.randint(1, most)) if most else 0)

    def _share(self, parts: list[Part], slack: int) -> None:
        """Give room to parts, and a random share of the rest to each one that may grow."""
        open_ = [at for at, part in enumerate(parts) if isinstance(part, Choice | Many)]
        rooms = [part.least or 0 for part in parts]
        if not open_:
            self._pot += slack
        elif slack:
            cuts = sorted(self._rng.randint(0, slack) for _ in open_[1:])
            for at, low, high in zip(open_, [0, *cuts], [*cuts, slack], strict=True):
                rooms[at] += high - low
        self._pending += zip(reversed(parts), reversed(rooms), strict=True)


def _best(choice: Choice) -> Option:
    assert choice.best is not None
    return choice.best


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from pdl.gbnf.nodes import Item, Rule

    Edit: TypeAlias = Callable[[str, Random, str], str]

_COMMON = "aZ09 \n\"',:;{}[]()-_.\\é日😀"
_MOST = 2_000  # characters that are taken from a grammar


def edited(text: str, rng: Random, alphabet: str) -> str:
    """A text with one random edit, which may come to the same text."""
    return rng.choice(_EDITS)(text, rng, alphabet)


def alphabet(rules: Iterable[Rule]) -> str:
    """The characters that a grammar names, those just outside of its classes, and a few others."""
    codes = dict.fromkeys(map(ord, _COMMON))
    for rule in rules:
        for item in items(rule.options):
            codes.update(dict.fromkeys(_named(item)))
        if len(codes) > _MOST:
            break
    return "".join(chr(code) for code in codes if characters(((code, code),)))


def _named(item: Item) -> Iterator[int]:
    if isinstance(item, Literal):
        yield from item.codes
    elif isinstance(item, CharClass):
        for low, high in item.ranges:
            yield from (low - 1, low, high, high + 1)


def _insert(text: str, rng: Random, letters: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + _letter(text, rng, letters) + text[at:]


def _delete(text: str, rng: Random, _: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + text[at + 1 :]


def _replace(text: str, rng: Random, letters: str) -> str:
    at = rng.randint(0, max(0, len(text) - 1))
    return text[:at] + _letter(text, rng, letters) + text[at + 1 :]


def _swap(text: str, rng: Random, _: str) -> str:
    at = rng.randint(0, max(0, len(text) - 2))
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _cut(text: str, rng: Random, _: str) -> str:
    return text[: rng.randint(0, len(text))]


_EDITS: tuple[Edit, ...] = (_insert, _delete, _replace, _swap, _cut)


def _letter(text: str, rng: Random, letters: str) -> str:
    """One that the text has already, or another one."""
    return rng.choice(text if text and rng.random() < 0.3 else letters)  # noqa: PLR2004 - a share
