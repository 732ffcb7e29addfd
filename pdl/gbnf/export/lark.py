r"""Grammars in the dialect of Lark that llguidance reads.

Its lexer takes the longest of the terminals that may stand at a place, and never another one: of
`"a" "b" | "ab" "c"` it refuses the text `ab`. So either the whole text is one terminal, which is
right for each grammar whose rules do not lead back to themselves, or each terminal is one
character. Source: `docs/syntax.md` and `parser/src/lark/lexer.rs` of guidance-ai/llguidance.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.gbnf.export.circles import circles
from pdl.gbnf.export.names import spelled
from pdl.gbnf.export.notation import Notation, refuse_tokens
from pdl.gbnf.export.plain import plain
from pdl.gbnf.export.spelling import PLAIN, escaped, shortest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.utf8 import Ranges
    from pdl.source import Source

_START = "start"
_QUOTED = {**PLAIN, ord('"'): '\\"'}
_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-&~/"}}
"""In Rust's regular expressions `&&`, `--` and `~~` are operators within classes."""


def lark(rules: Mapping[str, Rule], root: str, source: Source) -> str:
    """The rules as llguidance reads them.

    Raises GrammarError for a grammar that matches nothing, and for references to tokens: where a
    token may also stand as its text, llguidance looks at one of the two only.
    """
    found = plain(rules, root, source)
    refuse_tokens(found, source, "Lark", lambda _: False)
    if circles(found):
        names = spelled(found, _rule, {root: _START}, "_")
        literal = _characters
    else:
        names = spelled(found, _terminal, {}, "_")
        literal = _text
    text = Notation(names, ":", "//", literal, _class).rules(found.values())
    return text if names[root] == _START else f"{_START}: {names[root]}\n{text}"


def _rule(name: str) -> str:
    """A name of small letters and hyphens."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    small = re.sub(r"[^a-z0-9-]", "-", small)
    return small if small[:1].isalpha() else f"r-{small.removeprefix('-')}"


def _terminal(name: str) -> str:
    """The same in capitals, which make it a part of a terminal."""
    return _rule(name).upper()


def _text(codes: tuple[int, ...]) -> str:
    """A literal in double quotes, with the escapes of JSON."""
    return f'"{"".join(_in_quotes(code) for code in codes)}"'


def _characters(codes: tuple[int, ...]) -> str:
    """A literal, each character for itself."""
    written = " ".join(_text((code,)) for code in codes)
    return f"({written})" if codes[1:] else written


def _in_quotes(code: int) -> str:
    return chr(code) if code > 0xFFFF else escaped(code, _QUOTED)  # noqa: PLR2004 - JSON has four digits


def _class(ranges: Ranges) -> str:
    return f"/{shortest(ranges, lambda code: escaped(code, _IN_CLASS))}/"
