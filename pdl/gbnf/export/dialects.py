r"""Grammars in the EBNF that xgrammar reads, and in the dialect of Lark that llguidance reads.

The EBNF is like GBNF, but `.`, reversed ranges and names that begin with a digit are not in it,
`\x41B` is one character there, and `true`, `false` and the names of its macros cannot be rules.
Source: `docs/defining_structures/ebnf_grammar.md` and `cpp/grammar_parser.cc` of mlc-ai/xgrammar.

The lexer of llguidance takes the longest of the terminals that may stand at a place, and never
another one: of `"a" "b" | "ab" "c"` it refuses the text `ab`. So either the whole text is one
terminal, which is right for each grammar whose rules do not lead back to themselves, or each
terminal is one character. Source: `docs/syntax.md` and `parser/src/lark/lexer.rs` of
guidance-ai/llguidance.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.gbnf.export.notation import (
    PLAIN,
    Notation,
    escaped,
    plain,
    recursive_groups,
    refuse_tokens,
    shortest,
    spelled,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl.gbnf.nodes import Rule, TokenRef
    from pdl.gbnf.utf8 import Ranges
    from pdl.source import Source


_ROOT = "root"
_TAKEN = frozenset(
    [
        "true",
        "false",
        "TagDispatch",
        "Token",
        "ExcludeToken",
        "TokenTagDispatch",
        "Regex",
        "Substring",
    ]
)
_QUOTED = {**PLAIN, ord('"'): '\\"'}
_EBNF_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-"}}


def ebnf(rules: Mapping[str, Rule], root: str, source: Source) -> str:
    """The rules as `xgrammar.Grammar.from_ebnf` reads them; the one to begin with is `root`.

    Raises GrammarError for a grammar that matches nothing, and for tokens that are named by texts:
    xgrammar knows them by their numbers.
    """
    found = plain(rules, root, source)
    refuse_tokens(found, source, "xgrammar's EBNF", lambda item: item.id is not None)
    names = spelled(found, _name, {root: _ROOT}, "_")
    return Notation(names, " ::=", "#", _ebnf_text, _ebnf_class, _token).rules(found.values())


def _name(name: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9-]", "-", name)
    return safe if safe[:1].isalpha() and safe not in _TAKEN else f"r-{safe.removeprefix('-')}"


def _ebnf_text(codes: tuple[int, ...]) -> str:
    return f'"{"".join(escaped(code, _QUOTED) for code in codes)}"'


def _ebnf_class(ranges: Ranges) -> str:
    return shortest(ranges, lambda code: escaped(code, _EBNF_IN_CLASS))


def _token(item: TokenRef) -> str:
    return f"{'ExcludeToken' if item.negated else 'Token'}({item.id})"


_START = "start"
_LARK_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-&~/"}}
"""In Rust's regular expressions `&&`, `--` and `~~` are operators within classes."""


def lark(rules: Mapping[str, Rule], root: str, source: Source) -> str:
    """The rules as llguidance reads them.

    Raises GrammarError for a grammar that matches nothing, and for references to tokens: where a
    token may also stand as its text, llguidance looks at one of the two only.
    """
    found = plain(rules, root, source)
    refuse_tokens(found, source, "Lark", lambda _: False)
    if recursive_groups(found):
        names = spelled(found, _rule, {root: _START}, "_")
        literal = _characters
    else:
        names = spelled(found, _terminal, {}, "_")
        literal = _lark_text
    text = Notation(names, ":", "//", literal, _lark_class).rules(found.values())
    return text if names[root] == _START else f"{_START}: {names[root]}\n{text}"


def _rule(name: str) -> str:
    """A name of small letters and hyphens."""
    small = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    small = re.sub(r"[^a-z0-9-]", "-", small)
    return small if small[:1].isalpha() else f"r-{small.removeprefix('-')}"


def _terminal(name: str) -> str:
    """The same in capitals, which make it a part of a terminal."""
    return _rule(name).upper()


def _lark_text(codes: tuple[int, ...]) -> str:
    """A literal in double quotes, with the escapes of JSON."""
    return f'"{"".join(_in_quotes(code) for code in codes)}"'


def _characters(codes: tuple[int, ...]) -> str:
    """A literal, each character for itself."""
    written = " ".join(_lark_text((code,)) for code in codes)
    return f"({written})" if codes[1:] else written


def _in_quotes(code: int) -> str:
    return chr(code) if code > 0xFFFF else escaped(code, _QUOTED)  # noqa: PLR2004 - JSON has four digits


def _lark_class(ranges: Ranges) -> str:
    return f"/{shortest(ranges, lambda code: escaped(code, _LARK_IN_CLASS))}/"
