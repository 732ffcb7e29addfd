"""Texts that are one edit away from a text of the grammar, and are none themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.gbnf.nodes import CharClass, Literal
from pdl.gbnf.utf8 import characters
from pdl.gbnf.walk import items

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
