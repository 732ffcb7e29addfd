"""The packaged grammars, each built once. Nothing else in pdl makes a `lark.Lark`."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Transformer


@lru_cache(maxsize=16)
def load(file: str, transformer: type[Transformer[Any, Any]] | None = None) -> Lark:
    """The LALR parser of a grammar file of this package.

    With a transformer its methods run while the text is parsed, bottom up, so that neither a tree
    nor recursion is needed, however deep the text nests.
    """
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer="basic",
        transformer=transformer() if transformer else None,
        maybe_placeholders=False,
    )
