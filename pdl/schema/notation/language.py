"""The notation's grammar, production by production, into its tree; with what syntax errors say."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pdl.schema.notation import tree
from pdl.schema.notation.words import TYPES, foreign
from pdl.schema.prose import quoted
from pdl.syntax.language import Advice, Language, Unexpected
from pdl.syntax.runner import Token

if TYPE_CHECKING:
    from collections.abc import Callable


_KINDS: dict[str, Any] = {"WORD": "word", "NUMBER": "number", "STRING": "string", "RAW": "raw"}


class Build:
    """One method a production; each has its production as its docstring."""

    def start(self, root: tree.Type, *definitions: tree.Definition) -> tree.Text:
        """start: union definition*."""
        return tree.Text(root, definitions)

    def definition(self, name: Token, _: Token, type_: tree.Type) -> tree.Definition:
        """definition: WORD EQUALS union."""
        return tree.Definition(name.start, type_.end, _scalar(name), type_)

    def union(self, *items: tree.Type) -> tree.Union:
        """union: item (_BAR item)+."""
        return tree.Union(items[0].start, items[-1].end, items)

    def item(self, atom: tree.Atom, *behind: Any) -> tree.Type:
        """item: atom bounds? constraints? QUESTION?."""
        if not behind:
            return atom
        bounds = next((part for part in behind if isinstance(part, tree.Bounds)), None)
        braces = next((part for part in behind if isinstance(part, tree.MapValue)), None)
        constraints = tuple(
            tree.Constraint(key.start, value.end, key, value)
            for key, value in (braces.entries if braces else ())
        )
        last = behind[-1]
        nullable = isinstance(last, Token)
        end = last.end
        return tree.Item(atom.start, end, atom, bounds, constraints, nullable)

    def scalar(self, token: Token) -> tree.Scalar:
        """atom, value: WORD | STRING | RAW | NUMBER."""
        return _scalar(token)

    def group(self, opener: Token, inner: tree.Type, closer: Token) -> tree.Group:
        """group: OPEN_ROUND union CLOSE_ROUND."""
        return tree.Group(opener.start, closer.end, inner)

    def array(self, opener: Token, *items: Any) -> tree.Array:
        """array: OPEN_SQUARE (union (_COMMA union)* _COMMA?)? CLOSE_SQUARE."""
        return tree.Array(opener.start, items[-1].end, items[:-1])

    def object(self, opener: Token, *members: Any) -> tree.Object:
        """object: OPEN_CURLY (_member (_COMMA _member)* _COMMA?)? CLOSE_CURLY."""
        return tree.Object(opener.start, members[-1].end, members[:-1])

    def field(self, key: tree.Scalar, *rest: Any) -> tree.Field:
        """field: key QUESTION? _COLON union (EQUALS value)?."""
        optional = isinstance(rest[0], Token)
        type_, *default = rest[1:] if optional else rest
        value = default[1] if default else None
        return tree.Field(key.start, (value or type_).end, key, optional, type_, value)

    def rest(self, opener: Token, key: Token, _closer: Token, type_: tree.Type) -> tree.Rest:
        """rest: OPEN_SQUARE WORD CLOSE_SQUARE _COLON union."""
        return tree.Rest(opener.start, type_.end, _scalar(key), type_)

    def key(self, token: Token) -> tree.Scalar:
        """key: WORD | STRING | RAW | NUMBER."""
        return _scalar(token)

    def exact_bounds(self, less: Token, number: Token, more: Token) -> tree.Bounds:
        """bounds: LESS NUMBER MORE."""
        value = _scalar(number)
        return tree.Bounds(less.start, more.end, value, value, exact=True)

    def open_bounds(self, less: Token, more: Token) -> tree.Bounds:
        """bounds: LESS _COMMA MORE."""
        return tree.Bounds(less.start, more.end, None, None)

    def low_bounds(self, less: Token, low: Token, more: Token) -> tree.Bounds:
        """bounds: LESS NUMBER _COMMA MORE."""
        return tree.Bounds(less.start, more.end, _scalar(low), None)

    def high_bounds(self, less: Token, high: Token, more: Token) -> tree.Bounds:
        """bounds: LESS _COMMA NUMBER MORE."""
        return tree.Bounds(less.start, more.end, None, _scalar(high))

    def both_bounds(self, less: Token, low: Token, high: Token, more: Token) -> tree.Bounds:
        """bounds: LESS NUMBER _COMMA NUMBER MORE."""
        return tree.Bounds(less.start, more.end, _scalar(low), _scalar(high))

    def list_value(self, opener: Token, *items: Any) -> tree.ListValue:
        """list_value: OPEN_SQUARE (value (_COMMA value)* _COMMA?)? CLOSE_SQUARE."""
        return tree.ListValue(opener.start, items[-1].end, items[:-1])

    def map_value(self, opener: Token, *entries: Any) -> tree.MapValue:
        """map_value: OPEN_CURLY (entry (_COMMA entry)* _COMMA?)? CLOSE_CURLY."""
        return tree.MapValue(opener.start, entries[-1].end, entries[:-1])

    constraints = map_value

    def entry(self, key: tree.Scalar, value: tree.Value) -> tuple[tree.Scalar, tree.Value]:
        """entry, constraint: key _COLON value."""
        return key, value

    constraint = entry


def _scalar(token: Token) -> tree.Scalar:
    return tree.Scalar(token.start, token.end, _KINDS[token.type], token.text)


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
