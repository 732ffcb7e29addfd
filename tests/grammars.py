"""Random grammars that laws are held against: all that parse, odd ones among them.

`written` makes a text from any `random.Random`, so that a script may use it as well; `grammars()`
is a hypothesis strategy of those that `pdl.gbnf.parse` takes, `GRAMMARS` the usual one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pdl import gbnf
from pdl.errors import PdlError

if TYPE_CHECKING:
    from random import Random

    from pdl.gbnf import Grammar


@dataclass(frozen=True)
class Style:
    """What random grammars are made of; a thing that is there twice is drawn twice as often.

    Rules are named in order; each begins with later ones only, so that few are left recursive, but
    names any of them behind its first item. `depth` is that of groups.
    """

    literals: tuple[str, ...]
    classes: tuple[str, ...]
    suffixes: tuple[str, ...]
    names: tuple[str, ...] = ("root", "a", "b", "c", "d-1")
    tokens: tuple[str, ...] = ()
    depth: int = 2


WIDE = Style(
    literals=(
        "a", "b", "x", "y", "ab", "é", "😀", r"\n", r"\x41", r"\"", r"\\", "", "", "abc", "xyz",
        "<", "&", "日本",
    ),
    classes=(
        "[ab]", "[x-z]", "[a-cx]", "[^a]", "[^ab]", "[é]", "[^z-a]", "[0-9]", r"[\]\-]", "[a-]",
        "[^\\x00-\\x1f]", r"[\u00e0-\U0001F600]", "[z-a]", "[az-a]", ".", r"[\x00]", "[^a-zé]",
        r"[\uD7FF-\uE000]", r"[\U0010FFFF-\U00110005]", "[]",
    ),
    suffixes=("*", "+", "?", "{2}", "{0,2}", "{1,3}", "{1,}", "{0}", "{3,5}", "{0,3000}"),
)  # fmt: skip
"""Characters of all lengths in UTF-8, odd classes, every repetition."""

SMALL = Style(
    literals=("a", "b", "ab", "ba", "aa", ""),
    classes=("[ab]", r"[^\x00-`b-\U0010FFFF]", "[b-a]", "[b]", "[]"),
    suffixes=("*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}"),
    names=("root", "a", "b"),
    depth=1,
)
"""Only `a` and `b`, so that all short texts can be tried."""

WITH_TOKENS = Style(
    literals=("a", "b", "ab", "é"),
    classes=("[ab]", "[^a]", "."),
    suffixes=("*", "+", "?", "{2}"),
    tokens=("<[1]>", "<[2]>", "!<[1]>", "<think>", "!<think>"),
    names=("root", "a", "b"),
)
"""Grammars that may refer to tokens."""


_ENDLESS = ("*", "+", "{1,}", "{2,}", "{0,3000}")
_SKIPPING = ("*", "?", "{0}", "{0,2}", "{0,3000}")


def written(rng: Random, style: Style = WIDE) -> str:
    """The text of a random grammar; four in five parse, at least."""
    return _Writer(rng, style).text()


class _Writer:
    """Writes rules from the last to the first, as the earlier ones begin with the later ones.

    `empty` are the rules that may match nothing: what is repeated must not, and a rule is only
    named behind itself where something stands between. What methods return is a text and whether
    it may match nothing.
    """

    def __init__(self, rng: Random, style: Style) -> None:
        self._rng = rng
        self._style = style
        self._empty: set[str] = set()

    def text(self) -> str:
        names, rules = self._style.names, [""]
        for number in range(len(names) - 1, -1, -1):
            said, empty = self._options(self._style.depth, names[number + 1 :])
            if empty:
                self._empty.add(names[number])
            rules.insert(0, f"{names[number]} ::= {said}\n")
        if self._rng.random() < 0.05:
            said, _ = self._options(1, ())
            rules.append(f"{self._rng.choice(names)} ::= {said}\n")  # replaces the first
        return "".join(rules)

    def _options(self, depth: int, first: tuple[str, ...]) -> tuple[str, bool]:
        count = self._rng.choice((1, 1, 2, 2, 3))
        found = [self._sequence(depth, first) for _ in range(count)]
        return " | ".join(said for said, _ in found), any(empty for _, empty in found)

    def _sequence(self, depth: int, first: tuple[str, ...]) -> tuple[str, bool]:
        """Items that name any rule as soon as one that is not empty stands before."""
        items: list[str] = []
        all_empty = True
        for _ in range(self._rng.choice((0, 1, 1, 1, 2, 2, 2, 3, 3))):
            said, empty = self._item(depth, first if all_empty else self._style.names)
            items.append(said)
            all_empty = all_empty and empty
        return " ".join(items) or '""', all_empty

    def _item(self, depth: int, names: tuple[str, ...]) -> tuple[str, bool]:
        said, empty = self._atom(depth, names)
        if said in {'""', "[]"}:
            return said, True  # llama.cpp finds nothing there to repeat
        for _ in range(self._rng.choice((0, 0, 0, 0, 1, 1, 2))):
            suffix = self._rng.choice(self._style.suffixes)
            if (empty and suffix in _ENDLESS) or said.endswith("{0}"):
                break  # llama.cpp takes this for left recursion
            said += suffix
            empty = empty or suffix in _SKIPPING
        return said, empty

    def _atom(self, depth: int, names: tuple[str, ...]) -> tuple[str, bool]:
        rng, style = self._rng, self._style
        kind = rng.random()
        if style.tokens and kind < 0.15:
            return rng.choice(style.tokens), False
        if kind < 0.4:
            said = "".join(rng.choice(style.literals) for _ in range(rng.choice((1, 1, 2))))
            return f'"{said}"', not said
        if kind < 0.6:
            said = rng.choice(style.classes)
            return said, said == "[]"
        if kind < 0.75 and names:
            said = rng.choice(names)
            return said, said in self._empty
        if depth:
            said, empty = self._options(depth - 1, names)
            return f"({said})", empty
        return f'"{style.literals[0]}"', False


def parsed(text: str) -> Grammar | None:
    """The grammar of a text; None for one that is refused."""
    try:
        return gbnf.parse(text)
    except PdlError:
        return None


def grammars(style: Style = WIDE) -> st.SearchStrategy[Grammar]:
    """Grammars that parse."""
    drawn = st.randoms(use_true_random=False).map(lambda rng: parsed(written(rng, style)))
    return drawn.filter(lambda grammar: grammar is not None).map(_certain)


def _certain(grammar: Grammar | None) -> Grammar:
    assert grammar is not None
    return grammar


GRAMMARS = grammars()
"""Grammars of the wide style."""
