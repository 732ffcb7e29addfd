"""Translatable messages: each keeps its key and fields, so that other languages can say it again.

A message is a `str`, its English text, wherever it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.reply.english import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

ROW = 12
"""Items that a row names at most."""

Words: TypeAlias = Mapping[str, str | Callable[..., str]]
"""Key -> a template with `{name}` for each field, or a function that is called with the fields.

The keys and their fields are those of `ENGLISH`, which is used for keys that are missing.
"""


class Phrase(str):
    """An English text with the key and the fields that it was made from."""

    __slots__ = ("fields", "key")

    key: str
    fields: Mapping[str, Any]

    def __new__(cls, key: str, fields: Mapping[str, Any]) -> Self:
        """The text that `ENGLISH` has for the key. Raises KeyError for an unknown one."""
        phrase = super().__new__(cls, _said(ENGLISH[key], fields))
        phrase.key = key
        phrase.fields = fields
        return phrase

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:  # type: ignore[override]
        """What pickling and copying make it from."""
        return self.key, self.fields


def say(key: str, **fields: Any) -> Phrase:
    """The phrase of a key. Fields are texts, numbers, phrases, and tuples of them."""
    return Phrase(key, fields)


def row(
    items: Iterable[str], key: str = "list-and", most: int = ROW, number: int | None = None
) -> Phrase:
    """Items as `list-and` or `list-or`; of very many only the first.

    `number` is how many there are, where `items` does not have all.
    """
    shown = tuple(items)
    number = len(shown) if number is None else number
    return say(key, items=shown[:most], more=max(0, number - most))


def kinds(names: Iterable[str]) -> Phrase:
    """JSON types as alternatives, each with its article: `an integer or "auto"`; literals stay."""
    keys = [(f"a-{name}", name) for name in names]
    return row((say(key) if key in ENGLISH else name for key, name in keys), "list-or")


def translate(text: str, words: Words) -> str:
    """Translate a phrase; any other text stays as it is.

    Keys that the table lacks stay English, also inside phrases that it has.
    """
    if not isinstance(text, Phrase):
        return text
    fields = {name: _translated(field, words) for name, field in text.fields.items()}
    said = _said(words.get(text.key, ENGLISH[text.key]), fields)
    if not isinstance(said, str):
        raise TypeError(f"phrase `{text.key}` must give a text, not {type(said).__name__}")
    return said


def _translated(field: Any, words: Words) -> Any:
    if isinstance(field, tuple):
        return tuple(_translated(part, words) for part in field)
    return translate(field, words) if isinstance(field, str) else field


def _said(words: str | Callable[..., str], fields: Mapping[str, Any]) -> str:
    return words.format_map(fields) if isinstance(words, str) else words(**fields)
