"""The grammar of turns, run over the kinds of tokens."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lark import Lark, Token, Tree
from lark.lexer import Lexer

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Given(Lexer):
    """Hands on tokens that were found before."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, data: tuple[str, ...]) -> Iterator[Token]:  # type: ignore[override]
        """Number the terminals by their place in the sequence."""
        return (Token(kind, str(index)) for index, kind in enumerate(data))


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = files("pdl.syntax").joinpath("turns.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer=_Given, start="file")


def parse_turns(kinds: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The half-open ranges of the turns in a sequence of terminals' names; first its separator."""
    tree: Tree[Token] = _parser().parse(kinds)  # type: ignore[arg-type]
    turns = [node for node in tree.children if isinstance(node, Tree) and node.data == "turn"]
    starts = [int(str(turn.children[0])) for turn in turns]
    return tuple(zip(starts, [*starts[1:], len(kinds)], strict=False))
