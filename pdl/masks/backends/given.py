"""What other engines are given: pdl's own grammar, so that they hold what pdl holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdl.errors import GrammarError, Problem
from pdl.gbnf.compiling.compiled import Compiled, compile_schema
from pdl.gbnf.grammar import Grammar
from pdl.schema import Schema

if TYPE_CHECKING:
    from pdl.gbnf.compiling.report import Entry
    from pdl.masks.vocabulary import Vocabulary

Given: TypeAlias = "Schema | Compiled | Grammar"


def compiled(given: Given) -> tuple[Grammar, tuple[Entry, ...]]:
    """The grammar, and what it leaves to the checker. Raises TypeError for anything else."""
    if isinstance(given, Schema):
        given = compile_schema(given)
    if isinstance(given, Compiled):
        return given.grammar, given.report.post_hoc
    if isinstance(given, Grammar):
        return given, ()
    raise TypeError(f"this must be a Schema, a Compiled or a Grammar, not {type(given).__name__}")


def unfit(engine: str, reason: object) -> GrammarError:
    """The error for a grammar that an engine does not take."""
    text = str(reason).strip().partition("\n")[0]
    return GrammarError(Problem("gbnf/engine", f"{engine} does not take this grammar: {text}"))


def greedy(vocabulary: Vocabulary, data: bytes) -> tuple[int, ...]:
    """Tokens that make some bytes, each the longest that there is; up to where there is none."""
    found: list[int] = []
    at = 0
    while at < len(data):
        token, at = _longest(vocabulary, data, at)
        if token is None:
            break
        found.append(token)
    return tuple(found)


def _longest(vocabulary: Vocabulary, data: bytes, start: int) -> tuple[int | None, int]:
    """The longest token at a place, and its end."""
    trie = vocabulary.trie
    token, end, node = None, start, 0
    for at in range(start, len(data)):
        following = trie.step(node, data[at])
        if following is None:
            break
        node = following
        if trie.low[node] < trie.own[node]:
            token, end = int(trie.order[trie.low[node]]), at + 1
    return token, end
