r"""Grammars in the EBNF that xgrammar reads.

It is like GBNF, but `.`, reversed ranges and names that begin with a digit are not in it, `\x41B`
is one character there, and `true`, `false` and the names of its macros cannot be rules. Source:
`docs/defining_structures/ebnf_grammar.md` and `cpp/grammar_parser.cc` of mlc-ai/xgrammar.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.gbnf.export.names import spelled
from pdl.gbnf.export.notation import Notation, refuse_tokens
from pdl.gbnf.export.plain import plain
from pdl.gbnf.export.spelling import PLAIN, escaped, shortest

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
_IN_CLASS = {**PLAIN, **{ord(mark): f"\\{mark}" for mark in "[]^-"}}


def ebnf(rules: Mapping[str, Rule], root: str, source: Source) -> str:
    """The rules as `xgrammar.Grammar.from_ebnf` reads them; the one to begin with is `root`.

    Raises GrammarError for a grammar that matches nothing, and for tokens that are named by texts:
    xgrammar knows them by their numbers.
    """
    found = plain(rules, root, source)
    refuse_tokens(found, source, "xgrammar's EBNF", lambda item: item.id is not None)
    names = spelled(found, _name, {root: _ROOT}, "_")
    return Notation(names, " ::=", "#", _text, _class, _token).rules(found.values())


def _name(name: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9-]", "-", name)
    return safe if safe[:1].isalpha() and safe not in _TAKEN else f"r-{safe.removeprefix('-')}"


def _text(codes: tuple[int, ...]) -> str:
    return f'"{"".join(escaped(code, _QUOTED) for code in codes)}"'


def _class(ranges: Ranges) -> str:
    return shortest(ranges, lambda code: escaped(code, _IN_CLASS))


def _token(item: TokenRef) -> str:
    return f"{'ExcludeToken' if item.negated else 'Token'}({item.id})"
