"""The notation's grammar, with what its syntax errors say."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from pdl.schema.notation.build import Build
from pdl.schema.notation.words import TYPES, foreign
from pdl.schema.prose import quoted
from pdl.syntax.language import Advice, Language, Unexpected

if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS = {
    "WORD": "a word",
    "STRING": "a string",
    "RAW": "a string",
    "NUMBER": "a number",
    "OPEN_ROUND": "`(`",
    "CLOSE_ROUND": "`)`",
    "OPEN_SQUARE": "`[`",
    "CLOSE_SQUARE": "`]`",
    "OPEN_CURLY": "`{`",
    "CLOSE_CURLY": "`}`",
    "LESS": "`<`",
    "MORE": "`>`",
    "QUESTION": "`?`",
    "EQUALS": "`=`",
    "_BAR": "`|`",
    "_COMMA": "`,`",
    "_COLON": "`:`",
}
_VALUE = frozenset({"WORD", "STRING", "RAW", "NUMBER", "OPEN_SQUARE", "OPEN_CURLY"})
_TYPE = _VALUE | {"OPEN_ROUND"}
_RANGE = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:\.\.++|-|:)-?[0-9.]*+")
_KEY = frozenset({"WORD", "STRING", "RAW", "NUMBER"})


def _advise(place: Unexpected) -> Advice:
    if not place.expected:
        return _advise_character(place)
    if not place.source.text.strip():
        hint = "write a type, such as `str` or `{ name: str }`"
        return Advice("the schema is empty", hint, "empty")
    if "EQUALS" in place.expected and len(place.expected) == 1:
        return _advise_trailing(place)
    return Advice(hint=_hint(place))


def _advise_trailing(place: Unexpected) -> Advice:
    """Behind the answer's type stood a word that no `=` follows, so it begins no definition."""
    word = place.before
    if place.found == ":":
        return Advice(f"expected `=`, found `:` behind the name `{word}`", f"write `{word} = …`")
    message = f"`{word}` stands behind the answer's type, where the schema ends"
    end = len(place.source.text[: place.start].rstrip())
    span = place.source.span(end - len(word), end)
    return Advice(
        message, "only definitions of names may follow: `Name = …`", "trailing-text", span
    )


def _advise_character(place: Unexpected) -> Advice:
    hints = {
        "“": "strings stand in straight quotes",
        "”": "strings stand in straight quotes",
        "‘": "strings stand in straight quotes",
        "’": "strings stand in straight quotes",
        "`": "strings stand in straight quotes",
        ";": "fields are parted by commas",
        "：": "write `:`",
        "，": "write `,`",
        "&": "write all fields in one object",
        "+": "a number has no `+` before it",
        "*": "`[T]` is an array of any length",
        "@": "a file is named by the whole schema: `@file.json`",
        "$": "a key with such a character stands in quotes",
        "/": "a pattern is written `str { pattern: '…' }`, a comment begins with `//`",
        "!": "a field without `?` is required",
        "%": "template syntax has no place here",
    }
    message = f"unexpected character {quoted(place.found)}"
    return Advice(message, hints.get(place.found, ""), "unexpected-character")


def _hint(place: Unexpected) -> str:
    """Advice by what stands before the place and at it."""
    before, found = place.before, place.found
    if found in ("[", "<", "(") and foreign(before):
        return foreign(before)
    hint = next((hint for test, hint in _HINTS if test(before, found)), "")
    if hint:
        return hint
    if place.expected & {"CLOSE_CURLY", "CLOSE_SQUARE"} and "_COMMA" in place.expected:
        return "is a comma missing before it?" if _begins_entry(found) else ""
    if "_COLON" in place.expected and before[-1:].isalnum():
        return f"a field is written `{before}: type`"
    if found == "=" and before not in TYPES and before.isidentifier():
        return "write the answer's type first, and definitions of names after it"
    return ""


def _begins_entry(found: str) -> bool:
    return found[:1].isalpha() or found[:1] in ('"', "'", "_", "[")


_HINTS: tuple[tuple[Callable[[str, str], bool], str], ...] = (
    (
        lambda before, found: found == "[" and (before in TYPES or before in ("]", "}")),
        "an array is written `[T]`, with its type inside",
    ),
    (
        lambda before, found: found == "{" and before == "{",
        "a field begins with its key; template syntax is no part of a schema",
    ),
    (
        lambda before, found: found == "(" and before in TYPES,
        "write bounds in `<>`: `int<1,5>`, `str<,80>`",
    ),
    (
        lambda before, found: before == "<" and bool(_RANGE.fullmatch(found)),
        "write a comma between two bounds: `int<1,5>`",
    ),
    (lambda before, found: found == "]" and before == "[", "a map is written `{ [str]: T }`"),
    (lambda before, found: found == "{" and before == "?", "constraints stand before the `?`"),
    (lambda before, found: found == "?" and before == "?", "one `?` is enough"),
    (
        lambda before, found: found in ("<", "{") and before in (">", "}"),
        "a type has its bounds once, then its constraints",
    ),
    (
        lambda before, found: found == "=" and before == ":",
        "a field's type stands before its default: `key: int = 5`",
    ),
    (lambda before, found: "|" in (before, found), "an alternative is missing: `A | B`"),
)


SCHEMA = Language(
    grammar="schema",
    kind="schema",
    noun="schema",
    words=MappingProxyType(_WORDS),
    groups=(
        (_TYPE | {"CLOSE_SQUARE"}, "a type or `]`"),
        (_TYPE, "a type"),
        (_VALUE | {"CLOSE_SQUARE"}, "a value or `]`"),
        (_VALUE, "a value"),
        (_KEY, "a key"),
    ),
    minor=frozenset({"_BAR", "QUESTION", "LESS", "OPEN_CURLY", "EQUALS"}),
    builder=Build,
    advise=_advise,
)
