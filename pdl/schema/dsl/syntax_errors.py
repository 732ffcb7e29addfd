"""What a syntax error of the schema DSL says. Imported only where there is one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.errors import PdlError, Problem, error_from, quoted
from pdl.schema.dsl.words import TYPES, foreign
from pdl.syntax.runner import END, StuckError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.source import Source

_NAMES = {
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
_GROUPS = (
    (_TYPE | {"CLOSE_SQUARE"}, "a type or `]`"),
    (_TYPE, "a type"),
    (_VALUE | {"CLOSE_SQUARE"}, "a value or `]`"),
    (_VALUE, "a value"),
    (_KEY, "a key"),
)
"""Names for several terminals that can occur at the same position; the first that applies wins."""

_MINOR = frozenset({"_BAR", "QUESTION", "LESS", "OPEN_CURLY", "EQUALS"})
"""Terminals that are allowed nearly anywhere, and named only where nothing else is expected."""

_COMMA = "add a comma before it"
_CHARACTERS = {
    "“": "write strings in straight quotes",
    "”": "write strings in straight quotes",
    "‘": "write strings in straight quotes",
    "’": "write strings in straight quotes",
    "`": "write strings in straight quotes",
    ";": "separate fields with commas",
    "：": "write `:`",
    "，": "write `,`",
    "&": "write all fields in one object",
    "+": "write a number without `+`",
    "*": "write `[T]` for an array of any length",
    "@": "write `@file.json` as the whole schema",
    "$": "write a key with such a character in quotes",
    "/": "write a pattern as `str { pattern: '…' }`, a comment as `// words`",
    "!": "remove it: a field without `?` is required",
    "%": "remove the template syntax",
}


def syntax_error(source: Source, stuck: StuckError) -> PdlError:
    """Return the error for a text that is not in the language: expected, found, and advice."""
    token, expected = stuck.token, stuck.expected
    start = len(source.text.rstrip()) if token.type == END else token.start
    before, found = _before(source.text, start), token.text
    span = source.span(start, start + max(1, len(found)))
    code, hint = "syntax", ""
    if not expected:
        code, hint = "unexpected-character", _CHARACTERS.get(found, "")
        message = f"unexpected character {quoted(found)}"
    elif not source.text.strip():
        code, hint = "empty", "write a type, such as `str` or `{ name: str }`"
        message = "the schema is empty"
    elif expected != {"EQUALS"}:
        hint = _hint(before, found, expected)
        if found == "or" and hint == _COMMA and not _is_key(source.text[start:]):
            hint = "write `|`"
        shown = f"`{found}`" if found else "the end of the schema"
        message = f"expected {_named(expected)}, found {shown}"
    elif found == ":":
        message = f"expected `=`, found `:` after the name `{before}`"
        hint = f"write `{before} = …`"
    else:  # a word without a `=` after the answer's type, so it does not begin a definition
        code, hint = "trailing-text", "write only definitions after it: `Name = …`"
        message = f"`{before}` follows the answer's type, where the schema ends"
        end = len(source.text[:start].rstrip())
        span = source.span(end - len(before), end)
    return error_from([Problem(f"schema/{code}", message, span, hint)])


def _is_key(text: str) -> bool:
    """Whether a text begins with the key of a field."""
    return re.match(r"\w+\s*\??\s*:", text) is not None


def _before(text: str, start: int) -> str:
    """The word or the character before an offset, empty at the beginning."""
    head = text[max(0, start - 200) : start].rstrip()
    cut = len(head)
    while cut and (head[cut - 1].isalnum() or head[cut - 1] in "_-."):
        cut -= 1
    return head[cut:] or head[-1:]


def _named(expected: frozenset[str]) -> str:
    """The terminals in the author's words: "a type", "`,` or `}`"."""
    if END in expected:
        return "the end of the schema"
    left = set(expected)
    names = []
    for group, name in _GROUPS:
        if group <= left:
            names.append(name)
            left -= group
    major = left - _MINOR if names or left - _MINOR else left
    names += [word for terminal, word in _NAMES.items() if terminal in major]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _hint(before: str, found: str, expected: frozenset[str]) -> str:
    """Advice by what precedes the position and what is there."""
    if found in ("[", "<", "(") and foreign(before):
        return foreign(before)
    hint = next((hint for test, hint in _HINTS if test(before, found)), "")
    if hint:
        return hint
    if expected & {"CLOSE_CURLY", "CLOSE_SQUARE"} and "_COMMA" in expected:
        begins_entry = found[:1].isalpha() or found[:1] in ('"', "'", "_", "[")
        return _COMMA if begins_entry else ""
    if "_COLON" in expected and before[-1:].isalnum():
        return f"write a field as `{before}: type`"
    if found == "=" and before not in TYPES and before.isidentifier():
        return "write the answer's type first, and definitions of names after it"
    return ""


_HINTS: tuple[tuple[Callable[[str, str], bool], str], ...] = (
    (
        lambda before, found: found == "[" and (before in TYPES or before in ("]", "}")),
        "write an array as `[T]`, with its type inside",
    ),
    (
        lambda before, found: found == "{" and before == "{",
        "begin a field with its key; template syntax is not part of a schema",
    ),
    (
        lambda before, found: found == "(" and before in TYPES,
        "write bounds in `<>`: `int<1,5>`, `str<,80>`",
    ),
    (
        lambda before, found: before == "<" and bool(_RANGE.fullmatch(found)),
        "write a comma between two bounds: `int<1,5>`",
    ),
    (lambda before, found: found == "]" and before == "[", "write a map as `{ [str]: T }`"),
    (lambda before, found: found == "{" and before == "?", "write constraints before the `?`"),
    (lambda before, found: found == "?" and before == "?", "write one `?`"),
    (
        lambda before, found: found in ("<", "{") and before in (">", "}"),
        "write bounds once, then constraints",
    ),
    (
        lambda before, found: found == "=" and before == ":",
        "write the type of a field before its default: `key: int = 5`",
    ),
    (lambda before, found: "|" in (before, found), "add the missing alternative: `A | B`"),
)
